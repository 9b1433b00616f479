! SPDX-License-Identifier: BSD-3-Clause
! What <terrace/mpix.h> has, for Fortran programs that say `use mpi`: handles are integers. It uses
! no module of an MPI's, so it can be compiled once for all of them, by the compiler of the program:
!
!   mpifort -c terrace_mpix.f90
!   mpifort program.f90 terrace_mpix.o -lterrace-communicators
!
! The header describes each function. Arguments have its names and its order, with the error code
! behind them, which may be left out. So may be what C takes a null address for. A `type` is filled
! with blanks, and cut off where it is too short.
module terrace_mpix
  use, intrinsic :: iso_c_binding, only: c_char, c_int, c_loc, c_null_ptr, c_ptr
  implicit none
  private

  integer, parameter, public :: MPIX_COMM_TYPE_PHYSICAL_TOPOLOGY = 7301
  integer, parameter, public :: MPIX_COMM_TYPE_HW_GUIDED = 7302
  integer, parameter, public :: MPIX_COMM_TYPE_HW_UNGUIDED = 7303
  integer, parameter, public :: MPIX_COMM_TYPE_RESOURCE_GUIDED = 7304
  integer, parameter, public :: MPIX_MAX_HLEVEL_TYPE = 255  ! the longest type

  public :: MPIX_Comm_split_type, MPIX_Comm_hsplit_with_roots, MPIX_Comm_hsplit_all, &
            MPIX_Comm_get_hlevel_info, MPIX_Comm_get_info, MPIX_Get_hw_resource_info, &
            MPIX_Comm_get_min_hlevel, MPIX_Comm_distance, MPIX_Comm_get_hcoords

  ! The library's entry points. `length` is that of the text, or of each.
  interface
    subroutine c_split_type(comm, split_type, key, info, newcomm, error) &
        bind(C, name='terrace_mpix_comm_split_type_f')
      import :: c_int
      integer(c_int), intent(in) :: comm, split_type, key, info
      integer(c_int), intent(out) :: newcomm, error
    end subroutine
    subroutine c_hsplit_with_roots(oldcomm, info, newcomm, rootscomm, error) &
        bind(C, name='terrace_mpix_comm_hsplit_with_roots_f')
      import :: c_int
      integer(c_int), intent(in) :: oldcomm, info
      integer(c_int), intent(out) :: newcomm, rootscomm, error
    end subroutine
    subroutine c_hsplit_all(oldcomm, info, most_levels, levels, newcomms, rootscomms, types, &
        error, length) bind(C, name='terrace_mpix_comm_hsplit_all_f')
      import :: c_char, c_int, c_ptr
      integer(c_int), intent(in) :: oldcomm, info, most_levels
      integer(c_int), intent(out) :: levels, newcomms(*), error
      type(c_ptr), value :: rootscomms
      character(kind=c_char), intent(out) :: types(*)
      integer(c_int), value :: length
    end subroutine
    subroutine c_get_hlevel_info(comm, num_comms, index, type, error, length) &
        bind(C, name='terrace_mpix_comm_get_hlevel_info_f')
      import :: c_char, c_int
      integer(c_int), intent(in) :: comm
      integer(c_int), intent(out) :: num_comms, index, error
      character(kind=c_char), intent(out) :: type(*)
      integer(c_int), value :: length
    end subroutine
    subroutine c_get_info(comm, info_used, error) bind(C, name='terrace_mpix_comm_get_info_f')
      import :: c_int
      integer(c_int), intent(in) :: comm
      integer(c_int), intent(out) :: info_used, error
    end subroutine
    subroutine c_get_hw_resource_info(hw_info, error) &
        bind(C, name='terrace_mpix_get_hw_resource_info_f')
      import :: c_int
      integer(c_int), intent(out) :: hw_info, error
    end subroutine
    subroutine c_get_min_hlevel(comm, nranks, ranks, type, error, length) &
        bind(C, name='terrace_mpix_comm_get_min_hlevel_f')
      import :: c_char, c_int
      integer(c_int), intent(in) :: comm, nranks, ranks(*)
      character(kind=c_char), intent(out) :: type(*)
      integer(c_int), intent(out) :: error
      integer(c_int), value :: length
    end subroutine
    subroutine c_distance(comm, rank_a, rank_b, levels, error) &
        bind(C, name='terrace_mpix_comm_distance_f')
      import :: c_int
      integer(c_int), intent(in) :: comm, rank_a, rank_b
      integer(c_int), intent(out) :: levels, error
    end subroutine
    subroutine c_get_hcoords(comm, rank, most_levels, levels, sizes, coordinates, types, error, &
        length) bind(C, name='terrace_mpix_comm_get_hcoords_f')
      import :: c_char, c_int
      integer(c_int), intent(in) :: comm, rank, most_levels
      integer(c_int), intent(out) :: levels, sizes(*), coordinates(*), error
      character(kind=c_char), intent(out) :: types(*)
      integer(c_int), value :: length
    end subroutine
  end interface

contains

  subroutine MPIX_Comm_split_type(comm, split_type, key, info, newcomm, ierror)
    integer, intent(in) :: comm, split_type, key, info
    integer, intent(out) :: newcomm
    integer, optional, intent(out) :: ierror
    integer :: error
    call c_split_type(comm, split_type, key, info, newcomm, error)
    if (present(ierror)) ierror = error
  end subroutine

  subroutine MPIX_Comm_hsplit_with_roots(oldcomm, info, newcomm, rootscomm, ierror)
    integer, intent(in) :: oldcomm, info
    integer, intent(out) :: newcomm, rootscomm
    integer, optional, intent(out) :: ierror
    integer :: error
    call c_hsplit_with_roots(oldcomm, info, newcomm, rootscomm, error)
    if (present(ierror)) ierror = error
  end subroutine

  subroutine MPIX_Comm_hsplit_all(oldcomm, info, most_levels, levels, newcomms, rootscomms, &
                                  types, ierror)
    integer, intent(in) :: oldcomm, info, most_levels
    integer, intent(out) :: levels, newcomms(most_levels)
    integer, optional, intent(out) :: rootscomms(most_levels)
    character(len=*), optional, intent(out) :: types(most_levels)
    integer, optional, intent(out) :: ierror
    integer, target :: roots(max(most_levels, 1))
    character(len=MPIX_MAX_HLEVEL_TYPE) :: names(max(most_levels, 1))
    type(c_ptr) :: wanted_roots
    integer :: error
    wanted_roots = c_null_ptr
    if (present(rootscomms)) wanted_roots = c_loc(roots)
    call c_hsplit_all(oldcomm, info, most_levels, levels, newcomms, wanted_roots, names, error, &
                      len(names))
    if (present(rootscomms)) rootscomms = roots(:most_levels)
    if (present(types)) types = names(:most_levels)
    if (present(ierror)) ierror = error
  end subroutine

  subroutine MPIX_Comm_get_hlevel_info(comm, num_comms, index, type, ierror)
    integer, intent(in) :: comm
    integer, optional, intent(out) :: num_comms, index
    character(len=*), optional, intent(out) :: type
    integer, optional, intent(out) :: ierror
    character(len=MPIX_MAX_HLEVEL_TYPE) :: name
    integer :: parts, part, error
    call c_get_hlevel_info(comm, parts, part, name, error, len(name))
    if (present(num_comms)) num_comms = parts
    if (present(index)) index = part
    if (present(type)) type = name
    if (present(ierror)) ierror = error
  end subroutine

  subroutine MPIX_Comm_get_info(comm, info_used, ierror)
    integer, intent(in) :: comm
    integer, intent(out) :: info_used
    integer, optional, intent(out) :: ierror
    integer :: error
    call c_get_info(comm, info_used, error)
    if (present(ierror)) ierror = error
  end subroutine

  subroutine MPIX_Get_hw_resource_info(hw_info, ierror)
    integer, intent(out) :: hw_info
    integer, optional, intent(out) :: ierror
    integer :: error
    call c_get_hw_resource_info(hw_info, error)
    if (present(ierror)) ierror = error
  end subroutine

  subroutine MPIX_Comm_get_min_hlevel(comm, nranks, ranks, type, ierror)
    integer, intent(in) :: comm, nranks, ranks(nranks)
    character(len=*), intent(out) :: type
    integer, optional, intent(out) :: ierror
    integer :: error
    call c_get_min_hlevel(comm, nranks, ranks, type, error, len(type))
    if (present(ierror)) ierror = error
  end subroutine

  subroutine MPIX_Comm_distance(comm, rank_a, rank_b, levels, ierror)
    integer, intent(in) :: comm, rank_a, rank_b
    integer, intent(out) :: levels
    integer, optional, intent(out) :: ierror
    integer :: error
    call c_distance(comm, rank_a, rank_b, levels, error)
    if (present(ierror)) ierror = error
  end subroutine

  ! What is beyond `levels` stays as it was.
  subroutine MPIX_Comm_get_hcoords(comm, rank, most_levels, levels, sizes, coordinates, types, &
                                   ierror)
    integer, intent(in) :: comm, rank, most_levels
    integer, intent(out) :: levels
    integer, optional, intent(inout) :: sizes(most_levels), coordinates(most_levels)
    character(len=*), optional, intent(inout) :: types(most_levels)
    integer, optional, intent(out) :: ierror
    integer :: parts(max(most_levels, 1)), part(max(most_levels, 1)), known, error
    character(len=MPIX_MAX_HLEVEL_TYPE) :: names(max(most_levels, 1))
    call c_get_hcoords(comm, rank, most_levels, levels, parts, part, names, error, len(names))
    known = min(levels, most_levels)
    if (present(sizes)) sizes(:known) = parts(:known)
    if (present(coordinates)) coordinates(:known) = part(:known)
    if (present(types)) types(:known) = names(:known)
    if (present(ierror)) ierror = error
  end subroutine

end module
