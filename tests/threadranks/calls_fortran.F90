! SPDX-License-Identifier: BSD-3-Clause
! MPI as programs in Fortran call it, by mpif.h or (with WITH_MODULE) by `use mpi`: constants that
! are addresses, statuses, logicals, strings, callbacks, and a tool's own MPI_Barrier. Each rank
! prints "right", or what is wrong.

! A tool's function, which calls MPI's by its other name.
subroutine mpi_barrier(comm, ierr)
  implicit none
  integer :: comm, ierr, barriers
  common /tool/ barriers
  barriers = barriers + 1
  call pmpi_barrier(comm, ierr)
end subroutine

module checks
  use, intrinsic :: iso_c_binding, only : address_kind => c_intptr_t
  implicit none
  integer :: rank = -1, ranks = -1
  logical :: all_right = .true.

  ! What callbacks have seen.
  integer :: errors_seen = 0, last_error = 0
  integer :: copies = 0, deletes = 0
  integer :: queried = 0, freed = 0, cancelled = 0

contains

  subroutine check(holds, what)
    logical, intent(in) :: holds
    character(*), intent(in) :: what
    if (holds) return
    all_right = .false.
    print '(a,i0,2a)', 'rank ', rank, ' is wrong: ', what
  end subroutine

  ! Callbacks. The program's first argument of an operator is the other's value.
  subroutine longest(in, inout, length, type)
    integer :: length, type, i
    double precision :: in(length), inout(length)
    do i = 1, length
      inout(i) = max(abs(in(i)), abs(inout(i)))
    end do
  end subroutine

  ! Of pairs (a, b) as functions x -> a x + b: not commutative.
  subroutine compose(in, inout, length, type)
    integer :: length, type, i
    integer :: in(2, length), inout(2, length), a, b
    do i = 1, length
      a = in(1, i) * inout(1, i)
      b = inout(1, i) * in(2, i) + inout(2, i)
      inout(:, i) = (/a, b/)
    end do
  end subroutine

  subroutine note_error(comm, code)
    integer :: comm, code
    errors_seen = errors_seen + 1
    last_error = code
  end subroutine

  subroutine copy_value(comm, key, extra, in, out, flag, ierr)
    integer :: comm, key, ierr
    integer(address_kind) :: extra, in, out
    logical :: flag
    copies = copies + 1
    out = in + extra
    flag = .true.
    ierr = 0
  end subroutine

  subroutine delete_value(comm, key, value, extra, ierr)
    integer :: comm, key, ierr
    integer(address_kind) :: value, extra
    deletes = deletes + 1
    ierr = 0
    if (value < 0) ierr = 15
  end subroutine

  subroutine old_copy(comm, key, extra, in, out, flag, ierr)
    integer :: comm, key, extra, in, out, ierr
    logical :: flag
    out = in * 2
    flag = .true.
    ierr = 0
  end subroutine

  subroutine query_request(extra, status, ierr)
#ifdef WITH_MODULE
    use mpi
#else
    include 'mpif.h'
#endif
    integer(address_kind) :: extra
    integer :: status(MPI_STATUS_SIZE), ierr
    queried = queried + int(extra)
    call mpi_status_set_elements(status, MPI_INTEGER, 7, ierr)
    call mpi_status_set_cancelled(status, .false., ierr)
    status(MPI_SOURCE) = 3
    status(MPI_TAG) = 4
  end subroutine

  subroutine free_request(extra, ierr)
    integer(address_kind) :: extra
    integer :: ierr
    freed = freed + int(extra)
    ierr = 0
  end subroutine

  subroutine cancel_request(extra, is_complete, ierr)
    integer(address_kind) :: extra
    logical :: is_complete
    integer :: ierr
    if (.not. is_complete) cancelled = cancelled + int(extra)
    ierr = 0
  end subroutine

end module

program calls_fortran
  use checks
#ifdef WITH_MODULE
  use mpi
  implicit none
#else
  implicit none
  include 'mpif.h'
#endif
  integer :: ierr, provided, barriers, next, previous
  common /tool/ barriers
  logical :: flag
  barriers = 0
  call mpi_initialized(flag, ierr)
  call check(.not. flag, 'MPI_Initialized before')
  call mpi_init_thread(MPI_THREAD_SERIALIZED, provided, ierr)
  call check(provided >= MPI_THREAD_SERIALIZED, 'MPI_Init_thread')
  call mpi_initialized(flag, ierr)
  call check(flag, 'MPI_Initialized')
  call mpi_comm_rank(MPI_COMM_WORLD, rank, ierr)
  call mpi_comm_size(MPI_COMM_WORLD, ranks, ierr)
  next = mod(rank + 1, ranks)
  previous = mod(rank + ranks - 1, ranks)

  call messages
  call many_requests
  call collectives
  call of_user
  call types
  call attributes
  call old_attributes
  call attributes_of_types
  call windows
  call handlers
  call strings
  call topologies
  call groups
  call general_requests

  ! Each rank's libraries know its own constants, and write nothing there.
  call check(all(MPI_STATUS_IGNORE == 0) .and. all(MPI_STATUSES_IGNORE == 0), 'a status is ignored')
  call mpi_barrier(MPI_COMM_WORLD, ierr)
  call mpi_barrier(MPI_COMM_WORLD, ierr)
  call check(barriers == 2, 'a tool''s function')
  call mpi_finalize(ierr)
  call mpi_finalized(flag, ierr)
  call check(flag, 'MPI_Finalized')
  if (all_right) print '(a)', 'right'

contains

  subroutine messages
    integer :: status(MPI_STATUS_SIZE), count, request
    double precision :: sent(100), got(100)
    character(8) :: word
    complex :: wave
    logical :: truth
    integer(8) :: long
    sent = rank + 0.5d0
    got = -1
    call mpi_isend(sent, 60, MPI_DOUBLE_PRECISION, next, 5, MPI_COMM_WORLD, request, ierr)
    status = -7
    call mpi_probe(previous, MPI_ANY_TAG, MPI_COMM_WORLD, status, ierr)
    call mpi_get_count(status, MPI_DOUBLE_PRECISION, count, ierr)
    call check(count == 60 .and. status(MPI_TAG) == 5, 'MPI_Probe')
    call mpi_recv(got, 100, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, status, ierr)
    call check(status(MPI_SOURCE) == previous .and. all(got(:60) == previous + 0.5d0) &
               .and. all(got(61:) == -1), 'MPI_Recv')
    call mpi_wait(request, MPI_STATUS_IGNORE, ierr)
    call check(request == MPI_REQUEST_NULL, 'MPI_Wait')
    call mpi_sendrecv(rank, 1, MPI_INTEGER, next, 1, count, 1, MPI_INTEGER, previous, 1, &
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    call check(count == previous, 'MPI_Sendrecv')
    word = 'rank'
    write(word(5:6), '(i2.2)') rank
    call mpi_sendrecv_replace(word, 8, MPI_CHARACTER, next, 2, previous, 2, MPI_COMM_WORLD, &
                              status, ierr)
    read(word(5:6), *) count
    call check(count == previous, 'a string as buffer')
    wave = cmplx(rank, -rank)
    call mpi_sendrecv_replace(wave, 1, MPI_COMPLEX, next, 3, previous, 3, MPI_COMM_WORLD, &
                              MPI_STATUS_IGNORE, ierr)
    call check(wave == cmplx(previous, -previous), 'a complex number')
    truth = mod(rank, 2) == 0
    call mpi_sendrecv_replace(truth, 1, MPI_LOGICAL, next, 3, previous, 3, MPI_COMM_WORLD, &
                              MPI_STATUS_IGNORE, ierr)
    call check(truth .eqv. mod(previous, 2) == 0, 'a logical')
    long = 2_8**40 + rank
    call mpi_sendrecv_replace(long, 1, MPI_INTEGER8, next, 3, previous, 3, MPI_COMM_WORLD, &
                              MPI_STATUS_IGNORE, ierr)
    call check(long == 2_8**40 + previous, 'an integer of 8 bytes')
    call mpi_recv(count, 1, MPI_INTEGER, MPI_PROC_NULL, 0, MPI_COMM_WORLD, status, ierr)
    call check(status(MPI_SOURCE) == MPI_PROC_NULL .and. status(MPI_TAG) == MPI_ANY_TAG, &
               'MPI_PROC_NULL')
    call mpi_iprobe(MPI_ANY_SOURCE, 77, MPI_COMM_WORLD, flag, status, ierr)
    call check(.not. flag, 'MPI_Iprobe')
  end subroutine

  subroutine many_requests
    integer, parameter :: many = 6
    integer :: requests(many), statuses(MPI_STATUS_SIZE, many), out(many), i, index
    integer, volatile :: in(many)
    integer :: status(MPI_STATUS_SIZE), done, indices(many), bytes
    character :: place(4096)
    out = (/(100 * rank + i, i = 1, many)/)
    do i = 1, many / 2
      call mpi_irecv(in(i), 1, MPI_INTEGER, previous, i, MPI_COMM_WORLD, requests(i), ierr)
    end do
    do i = 1, many / 2
      call mpi_isend(out(i), 1, MPI_INTEGER, next, i, MPI_COMM_WORLD, requests(many / 2 + i), ierr)
    end do
    call mpi_waitall(many, requests, statuses, ierr)
    call check(all(in(:3) == 100 * previous + (/1, 2, 3/)), 'MPI_Waitall')
    call check(all(statuses(MPI_TAG, :3) == (/1, 2, 3/)) .and. &
               all(statuses(MPI_SOURCE, :3) == previous), 'its statuses')
    do i = 1, many / 2
      call mpi_recv_init(in(i), 1, MPI_INTEGER, previous, i, MPI_COMM_WORLD, requests(i), ierr)
      call mpi_send_init(out(i), 1, MPI_INTEGER, next, i, MPI_COMM_WORLD, requests(3 + i), ierr)
    end do
    in = 0
    call mpi_startall(many, requests, ierr)
    call mpi_waitall(many, requests, MPI_STATUSES_IGNORE, ierr)
    call check(all(in(:3) == 100 * previous + (/1, 2, 3/)), 'persistent requests')
    do i = 1, many
      call mpi_request_free(requests(i), ierr)
    end do
    ! Fortran counts from 1.
    requests = MPI_REQUEST_NULL
    call mpi_irecv(in(1), 1, MPI_INTEGER, previous, 8, MPI_COMM_WORLD, requests(4), ierr)
    call mpi_send(out(1), 1, MPI_INTEGER, next, 8, MPI_COMM_WORLD, ierr)
    call mpi_waitany(many, requests, index, status, ierr)
    call check(index == 4, 'MPI_Waitany')
    call mpi_irecv(in(1), 1, MPI_INTEGER, previous, 9, MPI_COMM_WORLD, requests(2), ierr)
    call mpi_send(out(1), 1, MPI_INTEGER, next, 9, MPI_COMM_WORLD, ierr)
    call mpi_waitsome(many, requests, done, indices, statuses, ierr)
    call check(done == 1 .and. indices(1) == 2 .and. statuses(MPI_TAG, 1) == 9, 'MPI_Waitsome')
    call mpi_irecv(in(1), 1, MPI_INTEGER, previous, 99, MPI_COMM_WORLD, requests(1), ierr)
    call mpi_test(requests(1), flag, MPI_STATUS_IGNORE, ierr)
    call check(.not. flag, 'MPI_Test')
    call mpi_cancel(requests(1), ierr)
    call mpi_wait(requests(1), status, ierr)
    call mpi_test_cancelled(status, flag, ierr)
    call check(flag, 'MPI_Cancel')
    call mpi_buffer_attach(place, 4096, ierr)
    call mpi_bsend(rank, 1, MPI_INTEGER, next, 10, MPI_COMM_WORLD, ierr)
    call mpi_recv(i, 1, MPI_INTEGER, previous, 10, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    call mpi_buffer_detach(place, bytes, ierr)
    call check(i == previous .and. bytes == 4096, 'MPI_Bsend')
  end subroutine

  subroutine collectives
    integer :: i, one, many(ranks), all_of(2 * ranks), counts(ranks), places(ranks), request
    integer :: kinds(ranks)
    real :: pair(2), best(2)
    logical :: one_is_odd, all_small
    double precision :: total(3)
    many = (/(10 * rank + i, i = 1, ranks)/)
    call mpi_alltoall(many, 1, MPI_INTEGER, counts, 1, MPI_INTEGER, MPI_COMM_WORLD, ierr)
    call check(all(counts == (/(10 * (i - 1) + rank + 1, i = 1, ranks)/)), 'MPI_Alltoall')
    call mpi_alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, many, 1, MPI_INTEGER, MPI_COMM_WORLD, &
                      ierr)
    call check(all(many == counts), 'MPI_Alltoall in place')
    total = rank + (/1d0, 2d0, 3d0/)
    call mpi_allreduce(MPI_IN_PLACE, total, 3, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
    call check(all(total == ranks * (ranks - 1) / 2 + ranks * (/1d0, 2d0, 3d0/)), 'MPI_Allreduce')
    one = rank
    if (rank == 0) then
      call mpi_reduce(MPI_IN_PLACE, one, 1, MPI_INTEGER, MPI_MAX, 0, MPI_COMM_WORLD, ierr)
      call check(one == ranks - 1, 'MPI_Reduce in place')
    else
      call mpi_reduce(one, 0, 1, MPI_INTEGER, MPI_MAX, 0, MPI_COMM_WORLD, ierr)
    end if
    one = 0
    if (rank == ranks - 1) one = 42
    call mpi_bcast(one, 1, MPI_INTEGER, ranks - 1, MPI_COMM_WORLD, ierr)
    call check(one == 42, 'MPI_Bcast')
    one_is_odd = rank == 1
    call mpi_allreduce(MPI_IN_PLACE, one_is_odd, 1, MPI_LOGICAL, MPI_LOR, MPI_COMM_WORLD, ierr)
    call mpi_allreduce(rank < 100, all_small, 1, MPI_LOGICAL, MPI_LAND, MPI_COMM_WORLD, ierr)
    call check((one_is_odd .eqv. ranks > 1) .and. all_small, 'operators of logicals')
    pair = (/real(mod(rank, 3)), real(rank)/)
    call mpi_allreduce(pair, best, 1, MPI_2REAL, MPI_MAXLOC, MPI_COMM_WORLD, ierr)
    call check(best(1) == min(ranks - 1, 2) .and. best(2) == min(ranks - 1, 2), 'MPI_MAXLOC')
    counts = (/(mod(i, 2) + 1, i = 1, ranks)/)
    places(1) = 0
    do i = 2, ranks
      places(i) = places(i - 1) + counts(i - 1)
    end do
    all_of = -1
    all_of(places(rank + 1) + 1:places(rank + 1) + counts(rank + 1)) = rank
    call mpi_allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all_of, counts, places, MPI_INTEGER, &
                        MPI_COMM_WORLD, ierr)
    do i = 1, ranks
      call check(all(all_of(places(i) + 1:places(i) + counts(i)) == i - 1), 'MPI_Allgatherv')
    end do
    call mpi_iallreduce(rank, one, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, request, ierr)
    call mpi_wait(request, MPI_STATUS_IGNORE, ierr)
    call check(one == ranks * (ranks - 1) / 2, 'MPI_Iallreduce')
    call mpi_exscan(1, one, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
    call check(rank == 0 .or. one == rank, 'MPI_Exscan')
    many = rank
    call mpi_reduce_scatter_block(many, one, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
    call check(one == ranks * (ranks - 1) / 2, 'MPI_Reduce_scatter_block')
    kinds = MPI_INTEGER
    counts = 1
    places = (/(4 * (i - 1), i = 1, ranks)/)
    many = (/(10 * rank + i, i = 1, ranks)/)
    call mpi_alltoallw(many, counts, places, kinds, all_of, counts, places, kinds, &
                       MPI_COMM_WORLD, ierr)
    call check(all(all_of(:ranks) == (/(10 * (i - 1) + rank + 1, i = 1, ranks)/)), 'MPI_Alltoallw')
  end subroutine

  subroutine of_user
    integer :: op, pairs, line(2), expected(2), i
    double precision :: value
    logical :: commutes
    call mpi_op_create(longest, .true., op, ierr)
    call mpi_op_commutative(op, commutes, ierr)
    call check(commutes, 'MPI_Op_commutative')
    value = -(rank + 1)
    call mpi_allreduce(MPI_IN_PLACE, value, 1, MPI_DOUBLE_PRECISION, op, MPI_COMM_WORLD, ierr)
    call check(abs(value) == ranks, 'the program''s operator')
    call mpi_op_free(op, ierr)
    call check(op == MPI_OP_NULL, 'MPI_Op_free')
    call mpi_op_create(compose, .false., op, ierr)
    call mpi_type_contiguous(2, MPI_INTEGER, pairs, ierr)
    call mpi_type_commit(pairs, ierr)
    line = (/2, rank/)
    call mpi_allreduce(MPI_IN_PLACE, line, 1, pairs, op, MPI_COMM_WORLD, ierr)
    expected = (/2, 0/)
    do i = 1, ranks - 1
      expected = (/expected(1) * 2, 2 * expected(2) + i/)
    end do
    call check(all(line == expected), 'an operator that does not commute')
    call mpi_type_free(pairs, ierr)
    call mpi_op_free(op, ierr)
  end subroutine

  subroutine types
    integer :: made, sizes(2), position, size, i, kinds(2), lengths(2), contents(3), of_types(1)
    integer :: combiner, integers, addresses, types_in
    integer(MPI_ADDRESS_KIND) :: places(2), lower, extent, no_address(1)
    integer :: block(2, 3), status(MPI_STATUS_SIZE)
    integer, volatile :: matrix(4, 5)
    double precision, volatile :: number
    character(100) :: packed
    ! Absolute addresses.
    call mpi_get_address(matrix, places(1), ierr)
    call mpi_get_address(number, places(2), ierr)
    lengths = (/20, 1/)
    kinds = (/MPI_INTEGER, MPI_DOUBLE_PRECISION/)
    call mpi_type_create_struct(2, lengths, places, kinds, made, ierr)
    call mpi_type_commit(made, ierr)
    matrix = rank
    number = rank + 0.25d0
    call mpi_sendrecv_replace(MPI_BOTTOM, 1, made, next, 4, previous, 4, MPI_COMM_WORLD, status, &
                              ierr)
    call check(all(matrix == previous) .and. number == previous + 0.25d0, 'MPI_BOTTOM')
    if (rank == 0) number = 9
    call mpi_bcast(MPI_BOTTOM, 1, made, 0, MPI_COMM_WORLD, ierr)
    call check(all(matrix == ranks - 1) .and. number == 9, 'MPI_Bcast of MPI_BOTTOM')
    call mpi_type_free(made, ierr)
    ! A part of a matrix, in Fortran's order.
    matrix = reshape((/(i, i = 1, 20)/), (/4, 5/))
    sizes = (/4, 5/)
    call mpi_type_create_subarray(2, sizes, (/2, 3/), (/1, 2/), MPI_ORDER_FORTRAN, MPI_INTEGER, &
                                  made, ierr)
    call mpi_type_commit(made, ierr)
    call mpi_sendrecv(matrix, 1, made, rank, 4, block, 6, MPI_INTEGER, rank, 4, MPI_COMM_WORLD, &
                      MPI_STATUS_IGNORE, ierr)
    call check(all(block == matrix(2:3, 3:5)), 'MPI_Type_create_subarray')
    call mpi_type_get_envelope(made, integers, addresses, types_in, combiner, ierr)
    call check(combiner == MPI_COMBINER_SUBARRAY .and. types_in == 1, 'MPI_Type_get_envelope')
    call mpi_type_free(made, ierr)
    call mpi_type_vector(3, 1, 4, MPI_INTEGER, made, ierr)
    call mpi_type_get_contents(made, 3, 0, 1, contents, no_address, of_types, ierr)
    call check(all(contents == (/3, 1, 4/)) .and. of_types(1) == MPI_INTEGER, &
               'MPI_Type_get_contents')
    call mpi_type_get_extent(made, lower, extent, ierr)
    call mpi_type_size(made, size, ierr)
    call check(lower == 0 .and. extent == 36 .and. size == 12, 'MPI_Type_get_extent')
    call mpi_type_free(made, ierr)
    call mpi_type_size(MPI_DOUBLE_COMPLEX, size, ierr)
    call check(size == 16, 'MPI_Type_size')
    position = 0
    call mpi_pack(matrix, 20, MPI_INTEGER, packed, 100, position, MPI_COMM_WORLD, ierr)
    call mpi_pack('abc', 3, MPI_CHARACTER, packed, 100, position, MPI_COMM_WORLD, ierr)
    call check(position == 83 .and. packed(81:83) == 'abc', 'MPI_Pack')
#ifdef WITH_MODULE
    places(1) = mpi_aint_add(places(2), 8_MPI_ADDRESS_KIND)
    call check(mpi_aint_diff(places(1), places(2)) == 8, 'MPI_Aint_diff')
#endif
  end subroutine

  subroutine attributes
    integer :: key, comm
    integer(MPI_ADDRESS_KIND) :: extra, value
    extra = 1000
    call mpi_comm_create_keyval(copy_value, delete_value, key, extra, ierr)
    value = 2_MPI_ADDRESS_KIND**40 + rank
    call mpi_comm_set_attr(MPI_COMM_SELF, key, value, ierr)
    value = 0
    call mpi_comm_get_attr(MPI_COMM_SELF, key, value, flag, ierr)
    call check(flag .and. value == 2_MPI_ADDRESS_KIND**40 + rank, 'MPI_Comm_get_attr')
    call mpi_comm_dup(MPI_COMM_SELF, comm, ierr)
    call mpi_comm_get_attr(comm, key, value, flag, ierr)
    call check(flag .and. value == 2_MPI_ADDRESS_KIND**40 + rank + 1000 .and. copies == 1, &
               'a copied attribute')
    value = -1
    call mpi_comm_set_attr(comm, key, value, ierr)
    call check(deletes == 1, 'an attribute that is replaced')
    call mpi_comm_set_errhandler(comm, MPI_ERRORS_RETURN, ierr)
    call mpi_comm_delete_attr(comm, key, ierr)
    call check(ierr /= MPI_SUCCESS .and. deletes == 2, 'a callback''s error')
    value = 1
    call mpi_comm_free_keyval(key, ierr)
    call check(key == MPI_KEYVAL_INVALID, 'MPI_Comm_free_keyval')
    call mpi_comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, value, flag, ierr)
    call check(flag .and. value >= 32767, 'MPI_TAG_UB')
    call mpi_comm_get_attr(MPI_COMM_WORLD, MPI_WTIME_IS_GLOBAL, value, flag, ierr)
    call check(flag .and. (value == 0 .or. value == 1), 'MPI_WTIME_IS_GLOBAL')
    call mpi_comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, key, extra, ierr)
    value = 17
    call mpi_comm_set_attr(MPI_COMM_WORLD, key, value, ierr)
    call mpi_comm_dup(MPI_COMM_WORLD, comm, ierr)
    value = 0
    call mpi_comm_get_attr(comm, key, value, flag, ierr)
    call check(flag .and. value == 17, 'MPI_COMM_DUP_FN')
    call mpi_comm_free(comm, ierr)
    call mpi_comm_delete_attr(MPI_COMM_WORLD, key, ierr)
    call mpi_comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, key, extra, ierr)
    call mpi_comm_set_attr(MPI_COMM_WORLD, key, value, ierr)
    call mpi_comm_dup(MPI_COMM_WORLD, comm, ierr)
    call mpi_comm_get_attr(comm, key, value, flag, ierr)
    call check(.not. flag, 'MPI_COMM_NULL_COPY_FN')
    call mpi_comm_free(comm, ierr)
  end subroutine

  subroutine windows
    integer :: win, cells(2), mine
    integer(MPI_ADDRESS_KIND) :: bytes, place, value
    cells = 0
    bytes = 8
    mine = 10 + rank
    call mpi_win_create(cells, bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win, ierr)
    call mpi_win_get_attr(win, MPI_WIN_SIZE, value, flag, ierr)
    call check(flag .and. value == 8, 'MPI_WIN_SIZE')
    call mpi_win_get_attr(win, MPI_WIN_DISP_UNIT, value, flag, ierr)
    call check(flag .and. value == 4, 'MPI_WIN_DISP_UNIT')
    call mpi_win_get_attr(win, MPI_WIN_CREATE_FLAVOR, value, flag, ierr)
    call check(flag .and. value == MPI_WIN_FLAVOR_CREATE, 'MPI_WIN_CREATE_FLAVOR')
    call mpi_win_fence(0, win, ierr)
    place = 0
    call mpi_put(mine, 1, MPI_INTEGER, mod(rank + 1, ranks), place, 1, MPI_INTEGER, win, ierr)
    place = 1
    call mpi_accumulate(mine, 1, MPI_INTEGER, 0, place, 1, MPI_INTEGER, MPI_SUM, win, ierr)
    call mpi_win_fence(0, win, ierr)
    call check(cells(1) == 10 + mod(rank + ranks - 1, ranks), 'MPI_Put')
    if (rank == 0) call check(cells(2) == 10 * ranks + ranks * (ranks - 1) / 2, 'MPI_Accumulate')
    call mpi_win_free(win, ierr)
    call check(win == MPI_WIN_NULL, 'MPI_Win_free')
  end subroutine

  subroutine old_attributes
    integer :: key, value, comm
    external :: mpi_null_delete_fn
    call mpi_keyval_create(old_copy, MPI_NULL_DELETE_FN, key, 0, ierr)
    call mpi_attr_put(MPI_COMM_WORLD, key, -21, ierr)
    call mpi_attr_get(MPI_COMM_WORLD, key, value, flag, ierr)
    call check(flag .and. value == -21, 'MPI_Attr_get')
    call mpi_attr_get(MPI_COMM_WORLD, MPI_TAG_UB, value, flag, ierr)
    call check(flag .and. value >= 32767, 'MPI_TAG_UB')
    call mpi_attr_delete(MPI_COMM_WORLD, key, ierr)
    call mpi_attr_get(MPI_COMM_WORLD, key, value, flag, ierr)
    call check(.not. flag, 'MPI_Attr_delete')
  end subroutine

  subroutine attributes_of_types
    integer :: key, type
    integer(MPI_ADDRESS_KIND) :: value
    call mpi_type_create_keyval(copy_value, delete_value, key, 5_MPI_ADDRESS_KIND, ierr)
    value = 30
    call mpi_type_set_attr(MPI_INTEGER, key, value, ierr)
    call mpi_type_dup(MPI_INTEGER, type, ierr)
    call mpi_type_get_attr(type, key, value, flag, ierr)
    call check(flag .and. value == 35, 'MPI_Type_get_attr')
    call mpi_type_free(type, ierr)
    call check(deletes == 3, 'an attribute of a freed type')
    call mpi_type_delete_attr(MPI_INTEGER, key, ierr)
    call mpi_type_free_keyval(key, ierr)
  end subroutine

  subroutine handlers
    integer :: comm, handler, class, length, code
    character(MPI_MAX_ERROR_STRING) :: text
    call mpi_comm_dup(MPI_COMM_WORLD, comm, ierr)
    call mpi_comm_create_errhandler(note_error, handler, ierr)
    call mpi_comm_set_errhandler(comm, handler, ierr)
    call mpi_send(rank, 1, MPI_INTEGER, ranks + 5, 0, comm, ierr)
    call mpi_error_class(last_error, class, ierr)
    call check(errors_seen == 1 .and. class == MPI_ERR_RANK, 'the program''s error handler')
    call mpi_comm_call_errhandler(comm, MPI_ERR_OTHER, ierr)
    call check(errors_seen == 2, 'MPI_Comm_call_errhandler')
    call mpi_errhandler_free(handler, ierr)
    call check(handler == MPI_ERRHANDLER_NULL, 'MPI_Errhandler_free')
    call mpi_comm_set_errhandler(comm, MPI_ERRORS_RETURN, ierr)
    call mpi_send(rank, 1, MPI_INTEGER, ranks + 5, 0, comm, ierr)
    call mpi_error_class(ierr, class, code)
    call check(class == MPI_ERR_RANK, 'MPI_ERRORS_RETURN')
    call mpi_comm_get_errhandler(comm, handler, ierr)
    call check(handler == MPI_ERRORS_RETURN, 'MPI_Comm_get_errhandler')
    text = repeat('x', MPI_MAX_ERROR_STRING)
    call mpi_error_string(MPI_ERR_RANK, text, length, ierr)
    call check(length > 4 .and. len_trim(text) == length, 'MPI_Error_string')
    call mpi_add_error_class(class, ierr)
    call mpi_add_error_code(class, code, ierr)
    call mpi_add_error_string(code, 'it rains   ', ierr)
    call mpi_error_string(code, text, length, ierr)
    call check(text == 'it rains' .and. length == 8, 'MPI_Add_error_string')
    call mpi_comm_free(comm, ierr)
    call check(comm == MPI_COMM_NULL, 'MPI_Comm_free')
  end subroutine

  subroutine strings
    integer :: info, length, keys, version, subversion
    character(MPI_MAX_OBJECT_NAME) :: name
    character(MPI_MAX_PROCESSOR_NAME) :: host
    character(12) :: value, key
    call mpi_get_processor_name(host, length, ierr)
    call check(length > 0 .and. len_trim(host) == length, 'MPI_Get_processor_name')
    call mpi_comm_get_name(MPI_COMM_WORLD, name, length, ierr)
    call check(name == 'MPI_COMM_WORLD' .and. length == 14, 'MPI_Comm_get_name')
    call mpi_comm_set_name(MPI_COMM_SELF, '  my self  ', ierr)
    call mpi_comm_get_name(MPI_COMM_SELF, name, length, ierr)
    call check(adjustl(name) == 'my self', 'MPI_Comm_set_name')
    call mpi_type_get_name(MPI_DOUBLE_PRECISION, name, length, ierr)
    call check(name == 'MPI_DOUBLE_PRECISION', 'MPI_Type_get_name')
    call mpi_info_create(info, ierr)
    call mpi_info_set(info, ' weather ', ' fine and dry ', ierr)
    call mpi_info_get(info, 'weather', 12, value, flag, ierr)
    call check(flag .and. value == 'fine and dry', 'MPI_Info_get')
    call mpi_info_get(info, 'wind', 12, value, flag, ierr)
    call check(.not. flag, 'MPI_Info_get of nothing')
    call mpi_info_get_nkeys(info, keys, ierr)
    call mpi_info_get_nthkey(info, 0, key, ierr)
    call mpi_info_get_valuelen(info, 'weather', length, flag, ierr)
    call check(keys == 1 .and. key == 'weather' .and. length == 12 .and. flag, &
               'MPI_Info_get_nthkey')
    call mpi_info_free(info, ierr)
    call check(info == MPI_INFO_NULL, 'MPI_Info_free')
    call mpi_get_version(version, subversion, ierr)
    call check(version >= 3, 'MPI_Get_version')
    call check(mpi_wtime() > 0 .and. mpi_wtick() > 0, 'MPI_Wtime')
  end subroutine

  subroutine topologies
    integer :: grid, dims(2), coords(2), source, dest, kind, inside, weights(1), ignored
    integer :: neighbours(1), leaving, back(1), froms(1)
    logical :: periods(2), got_periods(2), weighted
    dims = 0
    call mpi_dims_create(ranks, 2, dims, ierr)
    periods = (/.true., .false./)
    call mpi_cart_create(MPI_COMM_WORLD, 2, dims, periods, .false., grid, ierr)
    call mpi_cart_get(grid, 2, dims, got_periods, coords, ierr)
    call check((got_periods(1) .and. .not. got_periods(2)), 'MPI_Cart_get')
    call mpi_cart_shift(grid, 1, 1, source, dest, ierr)
    call check(coords(2) > 0 .or. source == MPI_PROC_NULL, 'MPI_Cart_shift')
    call mpi_topo_test(grid, kind, ierr)
    call check(kind == MPI_CART, 'MPI_Topo_test')
    call mpi_comm_free(grid, ierr)
    neighbours(1) = next
    call mpi_dist_graph_create_adjacent(MPI_COMM_WORLD, 1, (/previous/), MPI_UNWEIGHTED, 1, &
                                        neighbours, MPI_UNWEIGHTED, MPI_INFO_NULL, .false., grid, &
                                        ierr)
    call mpi_dist_graph_neighbors_count(grid, inside, leaving, weighted, ierr)
    call check(inside == 1 .and. leaving == 1 .and. .not. weighted, &
               'MPI_Dist_graph_neighbors_count')
    call mpi_dist_graph_neighbors(grid, 1, froms, MPI_UNWEIGHTED, 1, back, MPI_UNWEIGHTED, ierr)
    call check(froms(1) == previous .and. back(1) == next, 'MPI_Dist_graph_neighbors')
    call mpi_neighbor_alltoall(rank, 1, MPI_INTEGER, ignored, 1, MPI_INTEGER, grid, ierr)
    call check(ignored == previous, 'MPI_Neighbor_alltoall')
    call mpi_comm_free(grid, ierr)
    weights = 3
    call mpi_dist_graph_create(MPI_COMM_WORLD, 1, (/rank/), (/1/), neighbours, weights, &
                               MPI_INFO_NULL, .false., grid, ierr)
    call mpi_dist_graph_neighbors_count(grid, inside, leaving, weighted, ierr)
    call check(inside == 1 .and. leaving == 1 .and. weighted, 'MPI_Dist_graph_create')
    call mpi_comm_free(grid, ierr)
  end subroutine

  subroutine groups
    integer :: all_of_them, odd, half, compared, size, members(1), places(1)
    call mpi_comm_group(MPI_COMM_WORLD, all_of_them, ierr)
    call mpi_group_incl(all_of_them, 1, (/ranks - 1/), odd, ierr)
    members = 0
    call mpi_group_translate_ranks(odd, 1, members, all_of_them, places, ierr)
    call check(places(1) == ranks - 1, 'MPI_Group_translate_ranks')
    call mpi_group_free(odd, ierr)
    call mpi_comm_split(MPI_COMM_WORLD, mod(rank, 2), -rank, half, ierr)
    call mpi_comm_size(half, size, ierr)
    call check(size == (ranks + 1 - mod(rank, 2)) / 2, 'MPI_Comm_split')
    call mpi_comm_compare(MPI_COMM_WORLD, MPI_COMM_SELF, compared, ierr)
    call check(compared == merge(MPI_CONGRUENT, MPI_UNEQUAL, ranks == 1) , 'MPI_Comm_compare')
    call mpi_comm_test_inter(half, flag, ierr)
    call check(.not. flag, 'MPI_Comm_test_inter')
    call mpi_comm_free(half, ierr)
    call mpi_comm_split(MPI_COMM_WORLD, MPI_UNDEFINED, 0, half, ierr)
    call check(half == MPI_COMM_NULL, 'MPI_UNDEFINED')
    call mpi_group_free(all_of_them, ierr)
    call check(all_of_them == MPI_GROUP_NULL, 'MPI_Group_free')
  end subroutine

  subroutine general_requests
    integer :: request, status(MPI_STATUS_SIZE), count
    call mpi_grequest_start(query_request, free_request, cancel_request, 1_MPI_ADDRESS_KIND, &
                            request, ierr)
    call mpi_test(request, flag, status, ierr)
    call check(.not. flag, 'a request that is not complete')
    call mpi_cancel(request, ierr)
    call mpi_grequest_complete(request, ierr)
    call mpi_wait(request, status, ierr)
    call mpi_get_count(status, MPI_INTEGER, count, ierr)
    call check(queried == 1 .and. freed == 1 .and. cancelled == 1 .and. count == 7 .and. &
               status(MPI_SOURCE) == 3 .and. status(MPI_TAG) == 4, 'MPI_Grequest_start')
  end subroutine

end program
