! SPDX-License-Identifier: BSD-3-Clause
! The functions of <terrace/mpix.h> from Fortran, in the form that the build names: FORM is 77 for
! mpif.h, 90 for `use mpi`, 2008 for `use mpi_f08`. 8 ranks, bound to the first 4 cores of 2
! pretended nodes as in the papers: a node, an L1 of two cores, a core.
#if FORM == 2008
#define COMM type(MPI_Comm)
#define INFO type(MPI_Info)
#define GROUP type(MPI_Group)
#else
#define COMM integer
#define INFO integer
#define GROUP integer
#endif

module expectations
#if FORM == 2008
  use mpi_f08
  use terrace_mpix_f08
  implicit none
#elif FORM == 90
  use mpi
  use terrace_mpix
  implicit none
#else
  implicit none
  include 'mpif.h'
  include 'terrace/mpixf.fh'
#endif
  integer, parameter :: most_levels = 8
  character(len=*), parameter :: wanted_types(3) = ['L3Cache', 'L1Cache', 'Core   ']
  integer :: own, node, failures = 0

contains

  subroutine expect(holds, what, step)
    logical, intent(in) :: holds
    character(len=*), intent(in) :: what
    integer, intent(in) :: step
    if (holds) return
    failures = failures + 1
    print '(a, i0, 3a, i0)', 'rank ', own, ': ', what, ' at step ', step
  end subroutine

  ! The first, last and distance of ranks; no distance: no communicator.
  subroutine expect_ranks(comm, first, last, stride, what, step)
    COMM, intent(in) :: comm
    integer, intent(in) :: first, last, stride, step
    character(len=*), intent(in) :: what
    integer :: count, error, i, numbers(8), found(8)
    GROUP :: group, world
    call expect((comm == MPI_COMM_NULL) .eqv. (stride == 0), what // ' is there or not', step)
    if (comm == MPI_COMM_NULL .or. stride == 0) return
    call MPI_Comm_size(comm, count, error)
    call expect(count == (last - first) / stride + 1, what // ' of another size', step)
    if (count > 8) return
    numbers = [(i, i = 0, 7)]
    call MPI_Comm_group(comm, group, error)
    call MPI_Comm_group(MPI_COMM_WORLD, world, error)
    call MPI_Group_translate_ranks(group, count, numbers, world, found, error)
    call expect(all(found(:count) == [(first + stride * i, i = 0, count - 1)]), what, step)
    call MPI_Group_free(group, error)
    call MPI_Group_free(world, error)
  end subroutine

  ! Level 1 to 3 of this rank; beyond them there is none.
  subroutine expect_group(comm, level)
    COMM, intent(in) :: comm
    integer, intent(in) :: level
    integer :: length, first, parts, part, error
    character(len=20) :: type
    length = 4 / 2**(level - 1)
    if (level > 3) then
      call expect_ranks(comm, 0, 0, 0, 'group', level)
      return
    end if
    first = own / length * length
    call expect_ranks(comm, first, first + length - 1, 1, 'group', level)
    call MPIX_Comm_get_hlevel_info(comm, parts, part, type, error)
    call expect(error == MPI_SUCCESS .and. parts == 2 .and. part == mod(own / length, 2), 'part', &
                level)
    call expect(type == wanted_types(level), 'type ' // type, level)
  end subroutine

  ! The first ranks of the two groups of a level that have one parent.
  subroutine expect_roots(comm, level)
    COMM, intent(in) :: comm
    integer, intent(in) :: level
    integer :: length, first
    length = 4 / 2**(level - 1)
    if (level > 3) then
      call expect_ranks(comm, 0, 0, 0, 'roots', level)
    else if (mod(own, length) /= 0) then
      call expect_ranks(comm, 0, 0, 0, 'roots', level)
    else
      first = own / (2 * length) * (2 * length)
      call expect_ranks(comm, first, first + length, length, 'roots', level)
    end if
  end subroutine

  subroutine let_go(comm)
    COMM, intent(inout) :: comm
    integer :: error
    if (comm /= MPI_COMM_NULL .and. comm /= MPI_COMM_WORLD) call MPI_Comm_free(comm, error)
  end subroutine

  ! The loop of the papers, by either function.
  subroutine split_step_by_step()
    COMM :: comm, finer, roots
    integer :: level, error, way
    do way = 1, 2
      comm = MPI_COMM_WORLD
      do level = 1, 4
        if (way == 1) then
          call MPIX_Comm_split_type(comm, MPIX_COMM_TYPE_PHYSICAL_TOPOLOGY, own, MPI_INFO_NULL, &
                                    finer, error)
        else
          call MPIX_Comm_hsplit_with_roots(comm, MPI_INFO_NULL, finer, roots, error)
          call expect_roots(roots, level)
          call let_go(roots)
        end if
        call expect(error == MPI_SUCCESS, 'an error', level)
        call expect_group(finer, level)
        call let_go(comm)
        comm = finer
      end do
    end do
  end subroutine

  subroutine split_at_once()
    COMM :: comms(most_levels), roots(most_levels)
    character(len=MPIX_MAX_HLEVEL_TYPE) :: types(most_levels)
    character(len=2) :: short_types(most_levels)
    integer :: levels, level, error
    call MPIX_Comm_hsplit_all(MPI_COMM_WORLD, MPI_INFO_NULL, most_levels, levels, comms, roots, &
                              types, error)
    call expect(error == MPI_SUCCESS .and. levels == 3, 'levels', levels)
    do level = 1, most_levels
      call expect_group(comms(level), level)
      call expect_roots(roots(level), level)
      call let_go(comms(level))
      call let_go(roots(level))
    end do
    call expect(all(types(:3) == wanted_types) .and. all(types(4:) == ''), 'types', 0)
    ! Less room than levels, and than letters.
    short_types = '??'
    call MPIX_Comm_hsplit_all(MPI_COMM_WORLD, MPI_INFO_NULL, 2, levels, comms, roots, &
                              short_types, error)
    call expect(error == MPI_SUCCESS .and. levels == 2, 'levels', levels)
    call expect(all(short_types(:3) == ['L3', 'L1', '??']), 'types that are cut off', 0)
    do level = 1, 2
      call let_go(comms(level))
      call let_go(roots(level))
    end do
  end subroutine

  subroutine split_by_name(split_type, key, value, length)
    integer, intent(in) :: split_type, length
    character(len=*), intent(in) :: key, value
    COMM :: comm
    INFO :: hints
    integer :: first, error
    call MPI_Info_create(hints, error)
    call MPI_Info_set(hints, key, value, error)
    call MPIX_Comm_split_type(MPI_COMM_WORLD, split_type, 0, hints, comm, error)
    call expect(error == MPI_SUCCESS, 'an error with ' // value, 0)
    first = own / max(length, 1) * length
    call expect_ranks(comm, first, first + length - 1, merge(1, 0, length > 0), value, 0)
    if (split_type == MPIX_COMM_TYPE_HW_UNGUIDED) call expect_key(hints, key, 'hwloc://L3Cache')
    call let_go(comm)
    call MPI_Info_free(hints, error)
  end subroutine

  subroutine split_in_other_ways()
    COMM :: comm
    integer :: error
    call split_by_name(MPIX_COMM_TYPE_PHYSICAL_TOPOLOGY, 'mpix_hlevel', 'Core', 1)
    call split_by_name(MPIX_COMM_TYPE_PHYSICAL_TOPOLOGY, 'mpix_hlevel', 'nonsense', 0)
    call split_by_name(MPIX_COMM_TYPE_HW_GUIDED, 'mpi_hw_resource_type', 'L2Cache', 2)
    call split_by_name(MPIX_COMM_TYPE_RESOURCE_GUIDED, 'mpi_pset_name', 'mpi://WORLD', 8)
    call split_by_name(MPIX_COMM_TYPE_HW_UNGUIDED, 'mpi_hw_resource_type', 'untouched', 4)
    call MPIX_Comm_split_type(MPI_COMM_WORLD, MPI_UNDEFINED, 0, MPI_INFO_NULL, comm, error)
    call expect(error == MPI_SUCCESS .and. comm == MPI_COMM_NULL, 'MPI_UNDEFINED', 0)
    call MPIX_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, comm, error)
    call expect_ranks(comm, 0, 7, 1, 'MPI_COMM_TYPE_SHARED', 0)
    call let_go(comm)
  end subroutine

  subroutine expect_key(hints, key, wanted)
    INFO, intent(in) :: hints
    character(len=*), intent(in) :: key, wanted
    character(len=40) :: value
    logical :: is_there
    integer :: error
    call MPI_Info_get(hints, key, len(value), value, is_there, error)
    call expect(is_there, key // ' is not there', 0)
    if (is_there) call expect(value == wanted, key // ' is ' // value, 0)
  end subroutine

  subroutine ask_for_info()
    COMM :: comm
    INFO :: hints
    integer :: error
    call MPIX_Comm_split_type(MPI_COMM_WORLD, MPIX_COMM_TYPE_PHYSICAL_TOPOLOGY, 0, MPI_INFO_NULL, &
                              comm, error)
    call MPIX_Comm_get_info(comm, hints, error)
    call expect(error == MPI_SUCCESS, 'no info of a communicator', 0)
    call expect_key(hints, 'MPI_COMM_HLEVEL_TYPE', 'L3Cache')
    call expect_key(hints, 'MPI_COMM_HLEVEL_RANK', merge('1', '0', node == 1))
    call MPI_Info_free(hints, error)
    call let_go(comm)
    call MPIX_Get_hw_resource_info(hints, error)
    call expect(error == MPI_SUCCESS, 'no info of resources', 0)
    call expect_key(hints, 'hwloc://Core', 'true')
    call MPI_Info_free(hints, error)
  end subroutine

  subroutine ask_for_places()
    integer, parameter :: apart(4) = [0, 1, 2, 4]  ! to the next core, the next L1, the next node
    integer :: levels, sizes(most_levels), coordinates(most_levels), other, i, error
    character(len=20) :: type, types(most_levels)
    do i = 1, 4
      other = ieor(own, apart(i))
      call MPIX_Comm_distance(MPI_COMM_WORLD, own, other, levels, error)
      call expect(error == MPI_SUCCESS .and. levels == i - 1, 'distance', other)
    end do
    call MPIX_Comm_get_min_hlevel(MPI_COMM_WORLD, 2, [own, ieor(own, 1)], type, error)
    call expect(error == MPI_SUCCESS .and. type == 'L1Cache', 'what two ranks share: ' // type, 0)
    call MPIX_Comm_get_min_hlevel(MPI_COMM_WORLD, 8, [(i, i = 0, 7)], type, error)
    call expect(type == 'System - Cluster', 'what all share: ' // type, 0)
    call MPIX_Comm_get_min_hlevel(MPI_COMM_WORLD, 1, [mod(own + 1, 8)], type, error)
    call expect(type == 'Unknown', 'what others share: ' // type, 0)
    sizes = -1
    coordinates = -1
    types = '?'
    call MPIX_Comm_get_hcoords(MPI_COMM_WORLD, 5, most_levels, levels, sizes, coordinates, types, &
                               error)
    call expect(error == MPI_SUCCESS .and. levels == 3, 'levels of rank 5', levels)
    call expect(all(sizes == [2, 2, 2, -1, -1, -1, -1, -1]), 'sizes', 0)
    call expect(all(coordinates == [1, 0, 1, -1, -1, -1, -1, -1]), 'coordinates', 0)
    call expect(all(types(:3) == wanted_types) .and. all(types(4:) == '?'), 'types', 0)
    call MPIX_Comm_get_hcoords(MPI_COMM_WORLD, 5, 1, levels, sizes, coordinates(4:), types, error)
    call expect(levels == 3 .and. coordinates(4) == 1 .and. coordinates(5) == -1, &
                'more than there is room for', levels)
  end subroutine

  subroutine expect_class(error, wanted, what)
    integer, intent(in) :: error, wanted
    character(len=*), intent(in) :: what
    integer :: class, own_error
    call MPI_Error_class(error, class, own_error)
    call expect(class == wanted, what // ' gives another error', class)
  end subroutine

  ! One rank asks for what there is not: all return the same error, and the next call works.
  subroutine be_wrong()
    COMM :: comm, comms(1), roots(1)
    INFO :: hints
    integer :: levels, parts, part, sizes(1), coordinates(1), error
    character(len=8) :: type, types(1)
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN, error)
    call MPI_Info_create(hints, error)
    call MPI_Info_set(hints, 'mpix_hlevel_scope', merge('nonsense', 'node    ', own == 3), error)
    call MPIX_Comm_split_type(MPI_COMM_WORLD, MPIX_COMM_TYPE_PHYSICAL_TOPOLOGY, 0, hints, comm, &
                              error)
    call expect_class(error, MPI_ERR_ARG, 'a wrong scope')
    call expect(comm == MPI_COMM_NULL, 'a wrong scope makes a communicator', 0)
    call MPI_Info_set(hints, 'mpix_hlevel_scope', 'node', error)
    call MPI_Info_set(hints, 'mpix_hlevel', merge('Core   ', 'L3Cache', own == 3), error)
    call MPIX_Comm_hsplit_with_roots(MPI_COMM_WORLD, hints, comm, roots(1), error)
    call expect_class(error, MPI_ERR_ARG, 'another level at one rank')
    call expect(comm == MPI_COMM_NULL .and. roots(1) == MPI_COMM_NULL, 'communicators', 0)
    call MPI_Info_free(hints, error)
    levels = -1
    call MPIX_Comm_hsplit_all(MPI_COMM_WORLD, MPI_INFO_NULL, merge(-1, 1, own == 3), levels, &
                              comms, roots, types, error)
    call expect_class(error, MPI_ERR_ARG, 'a negative number of levels')
    call expect(levels == 0, 'levels', levels)
    if (own /= 3) call expect(comms(1) == MPI_COMM_NULL .and. types(1) == '', 'a level', 0)
    call MPIX_Comm_distance(MPI_COMM_WORLD, 0, 8, levels, error)
    call expect_class(error, MPI_ERR_RANK, 'the distance to no rank')
    call MPIX_Comm_get_min_hlevel(MPI_COMM_WORLD, 1, [-1], type, error)
    call expect_class(error, MPI_ERR_RANK, 'what no rank shares')
    call MPIX_Comm_get_hcoords(MPI_COMM_WORLD, 8, 1, levels, sizes, coordinates, types, error)
    call expect_class(error, MPI_ERR_RANK, 'the coordinates of no rank')
    call MPIX_Comm_split_type(MPI_COMM_NULL, MPIX_COMM_TYPE_PHYSICAL_TOPOLOGY, 0, MPI_INFO_NULL, &
                              comm, error)
    call expect_class(error, MPI_ERR_COMM, 'a split of MPI_COMM_NULL')
    call expect(comm == MPI_COMM_NULL, 'MPI_COMM_NULL was divided', 0)
    call MPIX_Comm_get_hlevel_info(MPI_COMM_NULL, parts, part, type, error)
    call expect_class(error, MPI_ERR_COMM, 'the level of MPI_COMM_NULL')
    call MPIX_Comm_get_info(MPI_COMM_NULL, hints, error)
    call expect_class(error, MPI_ERR_COMM, 'the info of MPI_COMM_NULL')
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL, error)
  end subroutine

#if FORM != 77
  ! What the modules let a program leave out.
  subroutine leave_out()
    COMM :: comm, roots, comms(most_levels)
    INFO :: hints
    integer :: levels, part, coordinates(most_levels)
    character(len=20) :: type, types(most_levels)
    call MPIX_Comm_split_type(MPI_COMM_WORLD, MPIX_COMM_TYPE_PHYSICAL_TOPOLOGY, 0, MPI_INFO_NULL, &
                              comm)
    call expect_group(comm, 1)
    call MPIX_Comm_get_hlevel_info(comm, type=type)
    call expect(type == wanted_types(1), 'the type alone', 0)
    call MPIX_Comm_get_hlevel_info(comm, index=part)
    call expect(part == node, 'the part alone', part)
    call MPIX_Comm_get_hlevel_info(comm)
    call MPIX_Comm_get_info(comm, hints)
    call MPI_Info_free(hints, part)
    call MPIX_Get_hw_resource_info(hints)
    call MPI_Info_free(hints, part)
    call let_go(comm)
    call MPIX_Comm_hsplit_with_roots(MPI_COMM_WORLD, MPI_INFO_NULL, comm, roots)
    call expect_roots(roots, 1)
    call let_go(comm)
    call let_go(roots)
    call MPIX_Comm_hsplit_all(MPI_COMM_WORLD, MPI_INFO_NULL, most_levels, levels, comms)
    do part = 1, most_levels
      call expect_group(comms(part), part)
      call let_go(comms(part))
    end do
    call MPIX_Comm_hsplit_all(MPI_COMM_WORLD, MPI_INFO_NULL, most_levels, levels, comms, &
                              types=types)
    call expect(all(types(:3) == wanted_types) .and. all(types(4:) == ''), 'types alone', 0)
    do part = 1, levels
      call let_go(comms(part))
    end do
    call MPIX_Comm_get_min_hlevel(MPI_COMM_WORLD, 1, [own], type)
    call expect(type == 'Core', 'what I share: ' // type, 0)
    call MPIX_Comm_distance(MPI_COMM_WORLD, 0, 7, levels)
    call expect(levels == 3, 'distance', levels)
    call MPIX_Comm_get_hcoords(MPI_COMM_WORLD, own, most_levels, levels)
    call MPIX_Comm_get_hcoords(MPI_COMM_WORLD, own, most_levels, levels, coordinates=coordinates)
    call expect(coordinates(1) == node .and. coordinates(3) == mod(own, 2), 'coordinates alone', 0)
  end subroutine
#endif

end module

program communicators_fortran
  use expectations
  implicit none
  integer :: error, all_failures
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, own, error)
  node = own / 4
  call split_step_by_step()
  call split_at_once()
  call split_in_other_ways()
  call ask_for_info()
  call ask_for_places()
#if FORM == 77
  call fixed_form(own, failures)
#else
  call leave_out()
#endif
  call be_wrong()
  call split_step_by_step()
  call MPI_Allreduce(failures, all_failures, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
  if (own == 0) print '(a, i0)', 'all right ', all_failures
  call MPI_Finalize(error)
  if (failures /= 0) stop 1
end program
