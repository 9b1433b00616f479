! SPDX-License-Identifier: BSD-3-Clause
! MPI as programs call it by `use mpi_f08`: handles that are types, sections of arrays that are not
! contiguous, errors that need no argument, callbacks. Each rank prints "right", or what is wrong.
module checks_f08
  use mpi_f08
  use, intrinsic :: iso_c_binding, only : c_ptr, c_f_pointer
  implicit none
  integer :: rank = -1, ranks = -1
  logical :: all_right = .true.
  integer :: errors_seen = 0, last_error = 0, copies = 0, deletes = 0

contains

  subroutine check(holds, what)
    logical, intent(in) :: holds
    character(*), intent(in) :: what
    if (holds) return
    all_right = .false.
    print '(a,i0,2a)', 'rank ', rank, ' is wrong: ', what
  end subroutine

  subroutine compose(in, inout, length, type)
    type(c_ptr), value :: in, inout
    integer :: length, i, a, b
    type(MPI_Datatype) :: type
    integer, pointer :: from(:, :), to(:, :)
    if (type == MPI_DATATYPE_NULL) return
    call c_f_pointer(in, from, [2, length])
    call c_f_pointer(inout, to, [2, length])
    do i = 1, length
      a = from(1, i) * to(1, i)
      b = to(1, i) * from(2, i) + to(2, i)
      to(:, i) = [a, b]
    end do
  end subroutine

  subroutine note_error(comm, code)
    type(MPI_Comm) :: comm
    integer :: code
    if (comm == MPI_COMM_NULL) return
    errors_seen = errors_seen + 1
    last_error = code
  end subroutine

  subroutine copy_value(comm, key, extra, in, out, flag, ierr)
    type(MPI_Comm) :: comm
    integer :: key, ierr
    integer(MPI_ADDRESS_KIND) :: extra, in, out
    logical :: flag
    copies = copies + 1
    out = in + extra
    flag = comm /= MPI_COMM_NULL
    ierr = MPI_SUCCESS
  end subroutine

  subroutine delete_value(comm, key, value, extra, ierr)
    type(MPI_Comm) :: comm
    integer :: key, ierr
    integer(MPI_ADDRESS_KIND) :: value, extra
    deletes = deletes + 1
    ierr = MPI_SUCCESS
  end subroutine

end module

program calls_f08
  use checks_f08
  implicit none
  integer :: next, previous
  call mpi_init
  call mpi_comm_rank(MPI_COMM_WORLD, rank)
  call mpi_comm_size(MPI_COMM_WORLD, ranks)
  next = mod(rank + 1, ranks)
  previous = mod(rank + ranks - 1, ranks)
  call handles
  call statuses
  call sections
  call pending_sections
  call collectives
  call of_user
  call attributes
  call absolute
  call strings
  call weights
  if (all_right) print '(a)', 'right'
  call mpi_finalize

contains

  subroutine handles
    type(MPI_Comm) :: comm, copy
    type(MPI_Group) :: group
    type(MPI_Request) :: request
    integer :: compared, ierr
    call mpi_comm_dup(MPI_COMM_WORLD, comm)
    call check(comm /= MPI_COMM_WORLD .and. comm /= MPI_COMM_NULL, 'two communicators')
    copy = comm
    call check(copy == comm .and. copy%MPI_VAL == comm%MPI_VAL, 'a handle''s copy')
    call mpi_comm_compare(comm, MPI_COMM_WORLD, compared)
    call check(compared == MPI_CONGRUENT .or. ranks == 0, 'MPI_Comm_compare')
    call mpi_comm_free(comm, ierr)
    call check(comm == MPI_COMM_NULL .and. ierr == MPI_SUCCESS, 'MPI_Comm_free')
    call mpi_comm_group(MPI_COMM_WORLD, group)
    call check(group /= MPI_GROUP_NULL .and. group /= MPI_GROUP_EMPTY, 'MPI_Comm_group')
    call mpi_group_free(group)
    request = MPI_REQUEST_NULL
    call mpi_wait(request, MPI_STATUS_IGNORE)
    call check(request == MPI_REQUEST_NULL, 'MPI_Wait of nothing')
  end subroutine

  subroutine statuses
    type(MPI_Status) :: status, both(2)
    type(MPI_Request) :: requests(2)
    integer :: sent(3), got(5), count, numbers(MPI_STATUS_SIZE)
    logical :: flag
    sent = rank
    call mpi_irecv(got, 5, MPI_INTEGER, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, requests(1))
    call mpi_isend(sent, 3, MPI_INTEGER, next, 3, MPI_COMM_WORLD, requests(2))
    call mpi_waitall(2, requests, both)
    call mpi_get_count(both(1), MPI_INTEGER, count)
    call check(both(1)%MPI_SOURCE == previous .and. both(1)%MPI_TAG == 3 .and. count == 3, &
               'MPI_Waitall')
#ifndef WITH_OPEN_MPI  /* whose libraries do not have it */
    call mpi_status_f082f(both(1), numbers)
    call check(numbers(MPI_SOURCE) == previous, 'MPI_Status_f082f')
#endif
    call mpi_sendrecv(sent, 1, MPI_INTEGER, next, 4, got, 1, MPI_INTEGER, previous, 4, &
                      MPI_COMM_WORLD, status)
    call check(status%MPI_TAG == 4, 'MPI_Sendrecv')
    call mpi_irecv(got, 5, MPI_INTEGER, previous, 3, MPI_COMM_WORLD, requests(1))
    call mpi_isend(sent, 3, MPI_INTEGER, next, 3, MPI_COMM_WORLD, requests(2))
    call mpi_waitall(2, requests, MPI_STATUSES_IGNORE)
    call mpi_iprobe(MPI_ANY_SOURCE, 77, MPI_COMM_WORLD, flag, MPI_STATUS_IGNORE)
    call check(.not. flag, 'MPI_Iprobe')
    call mpi_test_cancelled(status, flag)
    call check(.not. flag, 'MPI_Test_cancelled')
  end subroutine

  subroutine sections
    integer :: matrix(6, 8), other(6, 8), line(8), i
    matrix = reshape([(100 * rank + i, i = 1, 48)], [6, 8])
    line = 0
    ! A row, whose elements are 6 apart.
    call mpi_sendrecv(matrix(2, :), 8, MPI_INTEGER, next, 1, line, 8, MPI_INTEGER, previous, 1, &
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call check(all(line == [(100 * previous + 6 * (i - 1) + 2, i = 1, 8)]), 'a row')
    other = -1
    ! Every second row of every third column, from one and into another shape.
    call mpi_sendrecv(matrix(1:6:2, 2:8:3), 9, MPI_INTEGER, next, 2, other(4:6, 1:5:2), 9, &
                      MPI_INTEGER, previous, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    matrix = matrix + 100 * (previous - rank)
    call check(all(other(4:6, 1:5:2) == matrix(1:6:2, 2:8:3)) .and. count(other == -1) == 39, &
               'a section of a section''s shape')
    if (rank == 0) line = [(i, i = 1, 8)]
    other = -1
    if (rank == 0) then
      call mpi_bcast(line, 8, MPI_INTEGER, 0, MPI_COMM_WORLD)
    else
      call mpi_bcast(other(3, :), 8, MPI_INTEGER, 0, MPI_COMM_WORLD)
      call check(all(other(3, :) == [(i, i = 1, 8)]) .and. count(other == -1) == 40, &
                 'MPI_Bcast into a row')
    end if
  end subroutine

  ! Sections that are read and written after the call, where a compiler's copy would be gone.
  subroutine pending_sections
    integer, asynchronous :: from(10, 10), to(10, 10)
    type(MPI_Request) :: requests(2)
    integer :: i
    if (.not. MPI_SUBARRAYS_SUPPORTED) return
    from = reshape([(1000 * rank + i, i = 1, 100)], [10, 10])
    to = -1
    call mpi_irecv(to(9:1:-4, 2:10:2), 15, MPI_INTEGER, previous, 5, MPI_COMM_WORLD, requests(1))
    call mpi_barrier(MPI_COMM_WORLD)
    call mpi_isend(from(3, 1:10), 10, MPI_INTEGER, next, 6, MPI_COMM_WORLD, requests(2))
    call mpi_recv(to(10, :), 10, MPI_INTEGER, previous, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call mpi_wait(requests(2), MPI_STATUS_IGNORE)
    call check(all(to(10, :) == [(1000 * previous + 10 * (i - 1) + 3, i = 1, 10)]), &
               'a row that is sent without waiting')
    call mpi_send(from(1:3, 1:5), 15, MPI_INTEGER, next, 5, MPI_COMM_WORLD)
    call mpi_wait(requests(1), MPI_STATUS_IGNORE)
    call mpi_f_sync_reg(to)
    from = from + 1000 * (previous - rank)
    call check(all(to(9:1:-4, 2:10:2) == from(1:3, 1:5)), 'a section received without waiting')
  end subroutine

  subroutine collectives
    integer :: all_of(2, ranks), i, one
    double precision :: many(5), strided(10)
    type(MPI_Request) :: request
    logical :: truth
    all_of = -1
    all_of(:, rank + 1) = rank
    call mpi_allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all_of, 2, MPI_INTEGER, MPI_COMM_WORLD)
    call check(all(all_of(1, :) == [(i - 1, i = 1, ranks)]), 'MPI_Allgather')
    call check(all(all_of(2, :) == all_of(1, :)), 'MPI_Allgather of two')
    strided = rank
    many = 0
    call mpi_allreduce(strided(1:9:2), many, 5, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
    call check(all(many == ranks * (ranks - 1) / 2), 'MPI_Allreduce')
    call mpi_iallreduce(MPI_IN_PLACE, many, 5, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, &
                        request)
    call mpi_wait(request, MPI_STATUS_IGNORE)
    call mpi_scan(1, one, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    call check(one == rank + 1, 'MPI_Scan')
    truth = rank == 0
    call mpi_allreduce(MPI_IN_PLACE, truth, 1, MPI_LOGICAL, MPI_LAND, MPI_COMM_WORLD)
    call check(truth .eqv. ranks == 1, 'MPI_LAND')
  end subroutine

  subroutine of_user
    type(MPI_Op) :: op
    type(MPI_Datatype) :: pairs
    type(MPI_Comm) :: comm
    type(MPI_Errhandler) :: handler
    integer :: line(2), expected(2), i, class, ierr
    call mpi_op_create(compose, .false., op)
    call mpi_type_contiguous(2, MPI_INTEGER, pairs)
    call mpi_type_commit(pairs)
    line = [2, rank]
    call mpi_allreduce(MPI_IN_PLACE, line, 1, pairs, op, MPI_COMM_WORLD)
    expected = [2, 0]
    do i = 1, ranks - 1
      expected = [expected(1) * 2, 2 * expected(2) + i]
    end do
    call check(all(line == expected), 'the program''s operator')
    call mpi_op_free(op)
    call check(op == MPI_OP_NULL, 'MPI_Op_free')
    call mpi_type_free(pairs)
    call mpi_comm_dup(MPI_COMM_SELF, comm)
    call mpi_comm_create_errhandler(note_error, handler)
    call mpi_comm_set_errhandler(comm, handler)
    call mpi_send(line, 1, MPI_INTEGER, 5, 0, comm, ierr)
    call mpi_error_class(last_error, class)
    call check(errors_seen == 1 .and. class == MPI_ERR_RANK, 'the program''s error handler')
    call mpi_errhandler_free(handler)
    call mpi_comm_free(comm)
  end subroutine

  subroutine attributes
    integer :: key
    integer(MPI_ADDRESS_KIND) :: value
    logical :: flag
    type(MPI_Comm) :: comm
    call mpi_comm_create_keyval(copy_value, delete_value, key, 100_MPI_ADDRESS_KIND)
    call mpi_comm_set_attr(MPI_COMM_SELF, key, 2_MPI_ADDRESS_KIND**40)
    call mpi_comm_dup(MPI_COMM_SELF, comm)
    call mpi_comm_get_attr(comm, key, value, flag)
    call check(flag .and. value == 2_MPI_ADDRESS_KIND**40 + 100 .and. copies == 1, 'an attribute')
    call mpi_comm_free(comm)
    call check(deletes == 1, 'an attribute that is deleted')
    call mpi_comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, value, flag)
    call check(flag .and. value >= 32767, 'MPI_TAG_UB')
  end subroutine

  subroutine absolute
    integer, asynchronous, target :: number
    type(MPI_Datatype) :: type
    integer(MPI_ADDRESS_KIND) :: place(1)
    integer :: size
    call mpi_get_address(number, place(1))
    call mpi_type_create_struct(1, [1], place, [MPI_INTEGER], type)
    call mpi_type_commit(type)
    call mpi_type_size(type, size)
    number = rank
    call mpi_sendrecv_replace(MPI_BOTTOM, 1, type, next, 4, previous, 4, MPI_COMM_WORLD, &
                              MPI_STATUS_IGNORE)
    call mpi_f_sync_reg(number)
    call check(number == previous .and. size == 4, 'MPI_BOTTOM')
    call mpi_type_free(type)
    call check(type == MPI_DATATYPE_NULL, 'MPI_Type_free')
  end subroutine

  subroutine strings
    character(MPI_MAX_OBJECT_NAME) :: name
    character(10) :: value
    character(MPI_MAX_LIBRARY_VERSION_STRING) :: version
    type(MPI_Info) :: info
    integer :: length
    logical :: flag
    call mpi_comm_get_name(MPI_COMM_WORLD, name, length)
    call check(name == 'MPI_COMM_WORLD' .and. length == 14, 'MPI_Comm_get_name')
    call mpi_info_create(info)
    call mpi_info_set(info, 'sky', ' blue ')
    call mpi_info_get(info, 'sky', 10, value, flag)
    call check(flag .and. value == 'blue', 'MPI_Info_get')
    call mpi_info_free(info)
    call check(info == MPI_INFO_NULL, 'MPI_Info_free')
    call mpi_get_library_version(version, length)
    call check(length > 0 .and. len_trim(version) <= length, 'MPI_Get_library_version')
  end subroutine

  subroutine weights
    type(MPI_Comm) :: ring
    integer :: inside, leaving, got, none(0)
    logical :: weighted
    call mpi_dist_graph_create_adjacent(MPI_COMM_WORLD, 1, [previous], MPI_UNWEIGHTED, 1, [next], &
                                        MPI_UNWEIGHTED, MPI_INFO_NULL, .false., ring)
    call mpi_dist_graph_neighbors_count(ring, inside, leaving, weighted)
    call check(inside == 1 .and. leaving == 1 .and. .not. weighted, 'MPI_UNWEIGHTED')
    call mpi_neighbor_allgather(rank, 1, MPI_INTEGER, got, 1, MPI_INTEGER, ring)
    call check(got == previous, 'MPI_Neighbor_allgather')
    call mpi_comm_free(ring)
    call mpi_dist_graph_create_adjacent(MPI_COMM_WORLD, 0, none, MPI_WEIGHTS_EMPTY, 0, none, &
                                        MPI_WEIGHTS_EMPTY, MPI_INFO_NULL, .false., ring)
    call mpi_dist_graph_neighbors_count(ring, inside, leaving, weighted)
    call check(inside == 0 .and. leaving == 0 .and. weighted, 'MPI_WEIGHTS_EMPTY')
    call mpi_comm_free(ring)
  end subroutine

end program
