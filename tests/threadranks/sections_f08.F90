! SPDX-License-Identifier: BSD-3-Clause
! What `use mpi_f08` has beyond calls_f08.F90: sections of arrays in every kind of call, large
! counts, callbacks and attributes of all objects, arrays of requests, errors. Each rank prints
! "right", or what is wrong.
module checks_of_sections
  use mpi_f08
  use, intrinsic :: iso_c_binding, only : c_ptr, c_f_pointer, c_loc
  implicit none
  integer :: rank = -1, ranks = -1, next, previous
  logical :: all_right = .true.
  integer :: inits = 0, ssends = 0, copies = 0, deletes = 0, errors_seen = 0, queries = 0, frees = 0
  integer :: cancels = 0

contains

  subroutine check(holds, what)
    logical, intent(in) :: holds
    character(*), intent(in) :: what
    if (holds) return
    all_right = .false.
    print '(a,i0,2a)', 'rank ', rank, ' is wrong: ', what
  end subroutine

  subroutine add_all(in, inout, length, type)
    type(c_ptr), value :: in, inout
    integer(MPI_COUNT_KIND) :: length
    type(MPI_Datatype) :: type
    integer, pointer :: from(:), to(:)
    if (type /= MPI_INTEGER) return
    call c_f_pointer(in, from, [length])
    call c_f_pointer(inout, to, [length])
    to = to + from
  end subroutine

  subroutine copy_of_type(old, key, extra, in, out, flag, ierr)
    type(MPI_Datatype) :: old
    integer :: key, ierr
    integer(MPI_ADDRESS_KIND) :: extra, in, out
    logical :: flag
    copies = copies + merge(1, 0, old /= MPI_DATATYPE_NULL .and. key /= MPI_KEYVAL_INVALID)
    out = in + extra
    flag = .true.
    ierr = MPI_SUCCESS
  end subroutine

  subroutine delete_of_type(type, key, value, extra, ierr)
    type(MPI_Datatype) :: type
    integer :: key, ierr
    integer(MPI_ADDRESS_KIND) :: value, extra
    if (type /= MPI_DATATYPE_NULL .and. key /= 0 .and. value >= extra) deletes = deletes + 1
    ierr = MPI_SUCCESS
  end subroutine

  subroutine delete_of_window(window, key, value, extra, ierr)
    type(MPI_Win) :: window
    integer :: key, ierr
    integer(MPI_ADDRESS_KIND) :: value, extra
    if (window /= MPI_WIN_NULL .and. key /= 0 .and. value == 7 .and. extra == 3) &
      deletes = deletes + 10
    ierr = MPI_SUCCESS
  end subroutine

  subroutine note_window(window, code)
    type(MPI_Win) :: window
    integer :: code
    if (window /= MPI_WIN_NULL .and. code /= MPI_SUCCESS) errors_seen = errors_seen + 1
  end subroutine

  subroutine note_file(file, code)
    type(MPI_File) :: file
    integer :: code
    if (file /= MPI_FILE_NULL .and. code /= MPI_SUCCESS) errors_seen = errors_seen + 10
  end subroutine

  subroutine query(extra, status, ierr)
    integer(MPI_ADDRESS_KIND) :: extra
    type(MPI_Status) :: status
    integer :: ierr
    queries = queries + int(extra)
    status%MPI_SOURCE = 5
    status%MPI_TAG = 6
    call mpi_status_set_elements(status, MPI_INTEGER, 9)
    call mpi_status_set_cancelled(status, .false.)
    ierr = MPI_SUCCESS
  end subroutine

  subroutine let_go(extra, ierr)
    integer(MPI_ADDRESS_KIND) :: extra
    integer :: ierr
    frees = frees + int(extra)
    ierr = MPI_SUCCESS
  end subroutine

  subroutine cancel(extra, complete, ierr)
    integer(MPI_ADDRESS_KIND) :: extra
    logical :: complete
    integer :: ierr
    cancels = cancels + merge(100, int(extra), complete)
    ierr = MPI_SUCCESS
  end subroutine

  ! Whose last extent is not known.
  subroutine send_of_assumed_size(array, length)
    integer :: array(3, *), length
    call mpi_sendrecv_replace(array, length, MPI_INTEGER, next, 1, previous, 1, MPI_COMM_WORLD, &
                              MPI_STATUS_IGNORE)
  end subroutine

  subroutine send_of_assumed_shape(array)
    integer :: array(:, 2:)
    call mpi_sendrecv_replace(array, size(array), MPI_INTEGER, next, 1, previous, 1, &
                              MPI_COMM_WORLD, MPI_STATUS_IGNORE)
  end subroutine

end module

program sections_f08
  use checks_of_sections
  implicit none
  call mpi_init
  call mpi_comm_rank(MPI_COMM_WORLD, rank)
  call mpi_comm_size(MPI_COMM_WORLD, ranks)
  next = mod(rank + 1, ranks)
  previous = mod(rank + ranks - 1, ranks)
  call shapes
  call types
  call pending
  call persistent
  call looked_at
  call blocks
  call reductions
  call large_counts
  call one_sided
  call files
  call packed
  call of_types
  call general_requests
  call tools
  call several_requests
  call errors
  if (all_right) print '(a)', 'right'
  call mpi_finalize

contains

  subroutine shapes
    integer :: cube(4, 5, 6), got(4, 5, 6), wanted(4, 5, 6), line(12), i
    character(3) :: words(6), read(6)
    complex :: numbers(8), real_parts(8)
    integer, allocatable :: none(:)
    cube = reshape([(1000 * rank + i, i = 1, 120)], [4, 5, 6])
    wanted = cube + 1000 * (previous - rank)
    got = -1
    call mpi_sendrecv(cube(4:1:-3, 2:5:3, 6:1:-2), 12, MPI_INTEGER, next, 1, got(1, 1:5:2, 1:4), &
                      12, MPI_INTEGER, previous, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call check(all(reshape(got(1, 1:5:2, 1:4), [12]) == &
                   reshape(wanted(4:1:-3, 2:5:3, 6:1:-2), [12])), 'three dimensions')
    call check(count(got == -1) == 108, 'what lies between three dimensions')
    ! Fewer elements than the section has, which end within a column.
    got = -1
    call mpi_sendrecv(cube(:, 2, 3:5), 7, MPI_INTEGER, next, 1, got(2:3, :, 4), 7, MPI_INTEGER, &
                      previous, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    line(1:12) = reshape(wanted(:, 2, 3:5), [12])
    call check(all(reshape(got(2:3, 1:3, 4), [6]) == line(1:6)) .and. &
               got(2, 4, 4) == line(7) .and. count(got == -1) == 113, 'part of a section')
    call send_of_assumed_size(cube(:, :, 2), 6)
    call check(all(reshape(cube(:, 1:2, 2), [8]) == [wanted(1:4, 1, 2), wanted(1:2, 2, 2), &
                   cube(3:4, 2, 2)]), 'assumed size')
    cube(:, :, 3) = -cube(:, :, 3)
    call send_of_assumed_shape(cube(2:4:2, 1:5:4, 3))
    call check(all(cube(2:4:2, 1:5:4, 3) == -wanted(2:4:2, 1:5:4, 3)), 'assumed shape')
    words = [character(3) :: 'one', 'two', 'six', 'ten', 'odd', 'eve']
    read = 'xxx'
    call mpi_sendrecv(words(1:5:2), 9, MPI_CHARACTER, next, 1, read(6:2:-2), 9, MPI_CHARACTER, &
                      previous, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call check(all(read == [character(3) :: 'xxx', 'odd', 'xxx', 'six', 'xxx', 'one']), 'words')
    numbers = [(cmplx(i, rank), i = 1, 8)]
    real_parts = 0
    ! Two reals are an element.
    call mpi_sendrecv(numbers(2:8:2), 8, MPI_REAL, next, 1, real_parts(1:7:2), 4, MPI_COMPLEX, &
                      previous, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call check(all(real_parts(1:7:2) == [(cmplx(2 * i, previous), i = 1, 4)]), 'parts of elements')
    allocate (none(0))
    call mpi_sendrecv(none, 0, MPI_INTEGER, next, 1, cube(1, 1:0, :), 0, MPI_INTEGER, previous, 1, &
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call mpi_send(1, 1, MPI_INTEGER, next, 1, MPI_COMM_WORLD)
    call mpi_recv(i, 1, MPI_INTEGER, previous, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call check(i == 1, 'a constant')
  end subroutine

  ! Types with gaps over sections with gaps.
  subroutine types
    type(MPI_Datatype) :: every_second, pair, twice
    integer :: from(40), to(40), i
    call mpi_type_vector(3, 1, 2, MPI_INTEGER, every_second)
    call mpi_type_commit(every_second)
    from = [(100 * rank + i, i = 1, 40)]
    to = -1
    ! Elements 1, 3, 5, then 6, 8, 10 of a section of every third element.
    call mpi_sendrecv(from(1:40:3), 2, every_second, next, 1, to(2:40:2), 6, MPI_INTEGER, &
                      previous, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call check(all(to(2:12:2) == 100 * previous + [1, 7, 13, 16, 22, 28]) .and. &
               count(to == -1) == 34, 'a type with gaps in a section with gaps')
    to = -1
    call mpi_sendrecv(from, 6, MPI_INTEGER, next, 1, to(40:1:-3), 2, every_second, previous, 1, &
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call check(all(to([40, 34, 28, 25, 19, 13]) == 100 * previous + [1, 2, 3, 4, 5, 6]) .and. &
               count(to == -1) == 34, 'into it')
    call mpi_type_free(every_second)
    ! An element of the type is two of the section.
    call mpi_type_contiguous(2, MPI_INTEGER, pair)
    call mpi_type_commit(pair)
    call mpi_type_dup(pair, twice)
    to = -1
    call mpi_sendrecv(from(1:11:2), 3, pair, next, 1, to(1:21:4), 3, twice, previous, 1, &
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call check(all(to(1:21:4) == 100 * previous + [1, 3, 5, 7, 9, 11]), 'pairs')
    call mpi_type_free(pair)
    call mpi_type_free(twice)
    call pieces
  end subroutine

  ! Pieces of types that begin within a column, and within an element.
  subroutine pieces
    type(MPI_Datatype) :: three, apart
    integer :: matrix(5, 8), got(3), i
    complex :: numbers(4)
    real :: parts(2)
    call mpi_type_indexed(1, [3], [2], MPI_INTEGER, three)
    call mpi_type_commit(three)
    matrix = reshape([(100 * rank + i, i = 1, 40)], [5, 8])
    call mpi_sendrecv(matrix(1:3, 1:8:2), 1, three, next, 1, got, 3, MPI_INTEGER, previous, 1, &
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call check(all(got == 100 * previous + [3, 11, 12]), 'a piece of two columns')
    call mpi_type_free(three)
    call mpi_type_vector(2, 1, 3, MPI_REAL, apart)
    call mpi_type_commit(apart)
    numbers = [(cmplx(i, 10 * i + rank), i = 1, 4)]
    call mpi_sendrecv(numbers(2:4:2), 1, apart, next, 1, parts, 2, MPI_REAL, previous, 1, &
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call check(all(parts == [2, 40 + previous]), 'parts of two elements')
    call mpi_type_free(apart)
  end subroutine

  subroutine pending
    integer, asynchronous :: from(9, 9), sum(9, 9), got(4, 9, 0:ranks - 1)
    type(MPI_Request) :: requests(3)
    integer :: i
    logical :: flag
    from = reshape([(rank + i, i = 1, 81)], [9, 9])
    sum = -1
    got = -1
    if (rank == 0) got(4, 1:9:2, 0) = 50
    call mpi_iallreduce(from(1:9:4, 2:8:3), sum(3:5, 9:1:-4), 9, MPI_INTEGER, MPI_SUM, &
                        MPI_COMM_WORLD, requests(1))
    call mpi_iallgather(from(1:3, 1), 3, MPI_INTEGER, got(1:3, 2, 0:ranks - 1), 3, MPI_INTEGER, &
                        MPI_COMM_WORLD, requests(2))
    call mpi_ibcast(got(4, 9:1:-2, 0), 5, MPI_INTEGER, 0, MPI_COMM_WORLD, requests(3))
    do
      call mpi_testall(3, requests, flag, MPI_STATUSES_IGNORE)
      if (flag) exit
    end do
    call mpi_f_sync_reg(sum)
    call check(all(sum(3:5, 9:1:-4) == ranks * (from(1:9:4, 2:8:3) - rank) + &
                   ranks * (ranks - 1) / 2), 'MPI_Iallreduce')
    call check(count(sum == -1) == 72, 'what lies between the sums')
    do i = 0, ranks - 1
      call check(all(got(1:3, 2, i) == [1, 2, 3] + i), 'MPI_Iallgather')
    end do
    call check(all(got(4, 1:9:2, 0) == 50), 'MPI_Ibcast')
    call check(count(got == -1) == 33 * ranks - 5, 'what lies between the blocks')
  end subroutine

  subroutine persistent
    integer, asynchronous :: from(12), to(12), sums(2, 6)
    type(MPI_Request) :: requests(3)
    integer :: round
    call mpi_send_init(from(1:11:2), 6, MPI_INTEGER, next, 3, MPI_COMM_WORLD, requests(1))
    call mpi_recv_init(to(12:2:-2), 6, MPI_INTEGER, previous, 3, MPI_COMM_WORLD, requests(2))
    call mpi_allreduce_init(from(2:12:2), sums(1, :), 6, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, &
                            MPI_INFO_NULL, requests(3))
    do round = 1, 3
      from = round * 100 + rank
      to = -1
      sums = -1
      call mpi_startall(3, requests)
      call mpi_waitall(3, requests, MPI_STATUSES_IGNORE)
      call mpi_f_sync_reg(to)
      call mpi_f_sync_reg(sums)
      call check(all(to(2:12:2) == round * 100 + previous) .and. all(to(1:11:2) == -1), &
                 'persistent messages of sections')
      call check(all(sums(1, :) == round * 100 + ranks - 1) .and. all(sums(2, :) == -1), &
                 'a persistent reduction of sections')
    end do
    call mpi_request_free(requests(1))
    call mpi_request_free(requests(2))
    call mpi_request_free(requests(3))
    call check(all([requests(1) == MPI_REQUEST_NULL, requests(3) == MPI_REQUEST_NULL]), &
               'MPI_Request_free')
  end subroutine

  ! A request that is over, and is not freed yet.
  subroutine looked_at
    integer, asynchronous :: sums(2, 6)
    type(MPI_Request) :: request
    logical :: flag
    sums = rank
    call mpi_iallreduce(MPI_IN_PLACE, sums(1, :), 6, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, request)
    flag = .false.
    do while (.not. flag)
      call mpi_request_get_status(request, flag, MPI_STATUS_IGNORE)
    end do
    call mpi_f_sync_reg(sums)
    call check(all(sums(1, :) == ranks - 1), 'MPI_Request_get_status')
    sums(1, :) = -5
    call mpi_wait(request, MPI_STATUS_IGNORE)
    call mpi_f_sync_reg(sums)
    call check(all(sums(1, :) == -5), 'a wait after MPI_Request_get_status')
  end subroutine

  subroutine blocks
    integer :: rows(5, 2 * ranks), got(5, 2 * ranks), counts(ranks), places(ranks), i
    type(MPI_Datatype) :: kinds(ranks)
    rows = reshape([(1000 * rank + i, i = 1, 10 * ranks)], [5, 2 * ranks])
    got = -1
    call mpi_alltoall(rows(3, :), 2, MPI_INTEGER, got(2, :), 2, MPI_INTEGER, MPI_COMM_WORLD)
    do i = 0, ranks - 1
      call check(all(got(2, 2 * i + 1:2 * i + 2) == rows(3, 2 * rank + 1:2 * rank + 2) + &
                     1000 * (i - rank)), 'MPI_Alltoall')
    end do
    got = -1
    call mpi_gather(rows(1:5:2, 1), 2, MPI_INTEGER, got(5:1:-4, 1:ranks), 2, MPI_INTEGER, 0, &
                    MPI_COMM_WORLD)
    if (rank == 0) then
      do i = 0, ranks - 1
        call check(all(got([5, 1], i + 1) == 1000 * i + [1, 3]), 'MPI_Gather')
      end do
    end if
    counts = 1
    places = [(ranks - i, i = 1, ranks)]
    got = -1
    call mpi_scatterv(rows(4, 1:2 * ranks:2), counts, places, MPI_INTEGER, got(3:5:2, 1), 1, &
                      MPI_INTEGER, 0, MPI_COMM_WORLD)
    call check(got(3, 1) == 5 * 2 * (ranks - 1 - rank) + 4 .and. &
               count(got == -1) == size(got) - 1, 'MPI_Scatterv')
    kinds = MPI_INTEGER
    places = [(4 * i, i = 0, ranks - 1)]
    call mpi_alltoallw(rows(2, 1:2 * ranks:2), counts, places, kinds, got(5, 1:ranks), counts, &
                       places, kinds, MPI_COMM_WORLD)
    call check(all(got(5, 1:ranks) == [(1000 * i + 10 * rank + 2, i = 0, ranks - 1)]), &
               'MPI_Alltoallw')
  end subroutine

  subroutine reductions
    integer :: from(2, 6), to(3, 6), all_of(2 * ranks), mine(4)
    type(MPI_Op) :: op
    integer :: i
    from = rank
    to = -1
    call mpi_op_create_c(add_all, .true., op)
    call mpi_reduce(from(1, :), to(2, :), 6, MPI_INTEGER, op, 0, MPI_COMM_WORLD)
    if (rank == 0) call check(all(to(2, :) == ranks * (ranks - 1) / 2), 'MPI_Op_create_c')
    call check(all(to([1, 3], :) == -1), 'what lies between')
    to(3, :) = rank
    call mpi_scan(MPI_IN_PLACE, to(3, :), 6, MPI_INTEGER, op, MPI_COMM_WORLD)
    call check(all(to(3, :) == rank * (rank + 1) / 2), 'MPI_IN_PLACE with a section')
    call mpi_reduce_local(from(2, :), to(3, :), 6, MPI_INTEGER, op)
    call check(all(to(3, :) == rank * (rank + 1) / 2 + rank), 'MPI_Reduce_local')
    all_of = [(i, i = 1, 2 * ranks)]
    mine = -1
    call mpi_reduce_scatter_block(all_of(1:2 * ranks:2), mine(2:4:2), 1, MPI_INTEGER, MPI_SUM, &
                                  MPI_COMM_WORLD)
    call check(mine(2) == ranks * (2 * rank + 1) .and. all(mine([1, 3, 4]) == -1), &
               'MPI_Reduce_scatter_block')
    call mpi_op_free(op)
  end subroutine

  subroutine large_counts
    integer(MPI_COUNT_KIND) :: length, bytes, counts(ranks)
    integer(MPI_ADDRESS_KIND) :: places(ranks)
    integer :: from(2, 4), to(2, 4), all_of(2, ranks), i, size
    type(MPI_Datatype) :: type
    type(MPI_Status) :: status
    type(MPI_Request) :: request
    from = rank
    to = -1
    length = 4
    call mpi_irecv(to(1, :), length, MPI_INTEGER, previous, 1, MPI_COMM_WORLD, request)
    call pmpi_send(from(2, :), length, MPI_INTEGER, next, 1, MPI_COMM_WORLD)
    call pmpi_wait(request, status)
    call mpi_get_count(status, MPI_INTEGER, length)
    call mpi_f_sync_reg(to)
    call check(length == 4 .and. all(to(1, :) == previous) .and. all(to(2, :) == -1), &
               'large counts of messages')
    call mpi_get_count(status, MPI_INTEGER, size)
    call check(size == 4, 'MPI_Get_count')
    counts = 1
    places = [(int(i, MPI_ADDRESS_KIND), i = 0, ranks - 1)]
    call mpi_allgatherv(rank, 1_MPI_COUNT_KIND, MPI_INTEGER, all_of(2, :), counts, places, &
                        MPI_INTEGER, MPI_COMM_WORLD)
    call check(all(all_of(2, :) == [(i, i = 0, ranks - 1)]), 'large counts of a collective')
    call mpi_type_contiguous(3_MPI_COUNT_KIND * 2_MPI_COUNT_KIND**31, MPI_INTEGER, type)
    call mpi_type_size(type, bytes)
    call check(bytes == 3 * 2_MPI_COUNT_KIND**33, 'MPI_Type_size')
    call mpi_type_free(type)
  end subroutine

  subroutine one_sided
    integer, asynchronous :: board(0:19)
    integer :: mine(3, 5), key
    integer(MPI_ADDRESS_KIND) :: value
    logical :: flag
    type(MPI_Win) :: window
    type(MPI_Errhandler) :: handler
    integer :: ierr
    board = rank
    mine = 0
    call mpi_win_create(board, 80_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, window)
    call mpi_win_fence(0, window)
    mine(2, :) = [1, 2, 3, 4, 5]
    call mpi_put(mine(2, :), 5, MPI_INTEGER, next, 5_MPI_ADDRESS_KIND, 5, MPI_INTEGER, window)
    call mpi_accumulate(mine(2, :), 5, MPI_INTEGER, next, 10_MPI_ADDRESS_KIND, 5, MPI_INTEGER, &
                        MPI_SUM, window)
    call mpi_get(mine(3, 5:1:-1), 5, MPI_INTEGER, next, 0_MPI_ADDRESS_KIND, 5, MPI_INTEGER, window)
    call mpi_win_fence(0, window)
    call mpi_f_sync_reg(board)
    call check(all(board(5:9) == [1, 2, 3, 4, 5]), 'MPI_Put')
    call check(all(board(10:14) == rank + [1, 2, 3, 4, 5]), 'MPI_Accumulate')
    call check(all(mine(3, :) == next) .and. all(mine(1, :) == 0), 'MPI_Get')
    call mpi_win_create_keyval(MPI_WIN_NULL_COPY_FN, delete_of_window, key, 3_MPI_ADDRESS_KIND)
    call mpi_win_set_attr(window, key, 7_MPI_ADDRESS_KIND)
    call mpi_win_get_attr(window, key, value, flag)
    call check(flag .and. value == 7, 'MPI_Win_get_attr')
    call mpi_win_get_attr(window, MPI_WIN_SIZE, value, flag)
    call check(flag .and. value == 80, 'MPI_WIN_SIZE')
    call mpi_win_create_errhandler(note_window, handler)
    call mpi_win_set_errhandler(window, handler)
    call mpi_put(mine, 1, MPI_INTEGER, ranks + 5, 0_MPI_ADDRESS_KIND, 1, MPI_INTEGER, window, ierr)
    call check(ierr /= MPI_SUCCESS .and. errors_seen == 1, 'MPI_Win_create_errhandler')
    call mpi_errhandler_free(handler)
    call mpi_win_free(window)
    call check(window == MPI_WIN_NULL .and. deletes == 10, 'an attribute of a window')
    call mpi_win_free_keyval(key)
    deletes = 0
    errors_seen = 0
  end subroutine

  subroutine files
    type(MPI_File) :: file
    type(MPI_Status) :: status
    type(MPI_Request) :: request
    type(MPI_Errhandler) :: handler
    integer, asynchronous :: from(4, 6), to(4, 6)
    integer :: length, ierr, i
    from = reshape([(100 * rank + 25 - i, i = 1, 24)], [4, 6])
    to = -1
    call mpi_file_open(MPI_COMM_WORLD, 'sections_f08.data', &
                       MPI_MODE_CREATE + MPI_MODE_RDWR + MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &
                       file)
    call mpi_file_write_at_all(file, 24_MPI_OFFSET_KIND * rank, from(3, :), 6, MPI_INTEGER, status)
    call mpi_get_count(status, MPI_BYTE, length)
    call check(length == 24, 'MPI_File_write_at_all')
    call mpi_file_sync(file)
    call mpi_barrier(MPI_COMM_WORLD)
    call mpi_file_sync(file)
    call mpi_file_read_at(file, 24_MPI_OFFSET_KIND * next, to(1, 6:1:-1), 6, MPI_INTEGER, status)
    call mpi_file_iread_at(file, 24_MPI_OFFSET_KIND * next, to(4, :), 6, MPI_INTEGER, request)
    call mpi_wait(request, status)
    call mpi_f_sync_reg(to)
    call check(all(to(4, :) == from(3, :) + 100 * (next - rank)) .and. &
               all(to(4, :) == to(1, 6:1:-1)) .and. all(to(2:3, :) == -1), 'MPI_File_read_at')
    call mpi_file_create_errhandler(note_file, handler)
    call mpi_file_set_errhandler(file, handler)
    call mpi_file_read_at(file, -1_MPI_OFFSET_KIND, to, 1, MPI_INTEGER, MPI_STATUS_IGNORE, ierr)
    call check(ierr /= MPI_SUCCESS .and. errors_seen == 10, 'MPI_File_create_errhandler')
    call mpi_errhandler_free(handler)
    call mpi_file_close(file)
    errors_seen = 0
  end subroutine

  subroutine packed
    integer :: from(3, 4), to(3, 4), place, i
    integer(MPI_ADDRESS_KIND) :: long_place
    character :: box(200)
    from = reshape([(i, i = 1, 12)], [3, 4])
    to = -1
    place = 0
    call mpi_pack(from(2, :), 4, MPI_INTEGER, box(1:199:2), 100, place, MPI_COMM_SELF)
    call check(place == 16, 'MPI_Pack')
    place = 0
    call mpi_unpack(box(1:199:2), 100, place, to(3, :), 4, MPI_INTEGER, MPI_COMM_SELF)
    call check(all(to(3, :) == from(2, :)) .and. all(to(1:2, :) == -1), 'MPI_Unpack')
    long_place = 0
    call mpi_pack_external('external32', from(1, :), 4, MPI_INTEGER, box, &
                           200_MPI_ADDRESS_KIND, long_place)
    long_place = 0
    call mpi_unpack_external('external32', box, 200_MPI_ADDRESS_KIND, long_place, to(1, :), 4, &
                             MPI_INTEGER)
    call check(all(to(1, :) == from(1, :)) .and. all(to(2, :) == -1), 'MPI_Unpack_external')
  end subroutine

  subroutine of_types
    type(MPI_Datatype) :: type, copy, kinds(2)
    integer :: key, integers(3), sizes(3), combiner
    integer(MPI_ADDRESS_KIND) :: value, places(2)
    logical :: flag
    real(8) :: number(4)
    character(MPI_MAX_OBJECT_NAME) :: name
    call mpi_type_create_struct(2, [1, 2], [0_MPI_ADDRESS_KIND, 8_MPI_ADDRESS_KIND], &
                                [MPI_INTEGER, MPI_REAL8], type)
    call mpi_type_create_keyval(copy_of_type, delete_of_type, key, 5_MPI_ADDRESS_KIND)
    call mpi_type_set_attr(type, key, 6_MPI_ADDRESS_KIND)
    call mpi_type_dup(type, copy)
    call mpi_type_get_attr(copy, key, value, flag)
    call check(flag .and. value == 11 .and. copies == 1, 'an attribute of a type')
    call mpi_type_set_name(copy, 'a copy')
    call mpi_type_get_name(copy, name, sizes(1))
    call check(name == 'a copy' .and. sizes(1) == 6, 'MPI_Type_get_name')
    call mpi_type_free(copy)
    call check(deletes == 1, 'an attribute of a type that is freed')
    call mpi_type_get_envelope(type, sizes(1), sizes(2), sizes(3), combiner)
    call check(all(sizes == [3, 2, 2]) .and. combiner == MPI_COMBINER_STRUCT, 'an envelope')
    call mpi_type_get_contents(type, 3, 2, 2, integers, places, kinds)
    call check(all(integers == [2, 1, 2]) .and. all(places == [0, 8]) .and. &
               all([kinds(1) == MPI_INTEGER, kinds(2) == MPI_REAL8]), 'contents')
    call check(all(kinds /= [MPI_REAL8, MPI_INTEGER]), 'arrays of handles')
    call mpi_type_free(type)
    call mpi_type_free_keyval(key)
    call mpi_sizeof(number, sizes(1))
    call check(sizes(1) == 8, 'MPI_Sizeof')
  end subroutine

  subroutine general_requests
    type(MPI_Request) :: request
    type(MPI_Status) :: status
    integer :: length
    logical :: flag
    call mpi_grequest_start(query, let_go, cancel, 3_MPI_ADDRESS_KIND, request)
    call mpi_test(request, flag, status)
    call check(.not. flag, 'a general request')
    call mpi_cancel(request)
    call mpi_grequest_complete(request)
    call mpi_wait(request, status)
    call mpi_get_count(status, MPI_INTEGER, length)
    call check(queries == 3 .and. frees == 3 .and. cancels == 3, 'its functions')
    call check(status%MPI_SOURCE == 5 .and. status%MPI_TAG == 6 .and. length == 9, 'its status')
  end subroutine

  subroutine tools
    integer, asynchronous :: got(2, 4)
    type(MPI_Request) :: request
    got = -1
    call mpi_irecv(got(1, :), 4, MPI_INTEGER, previous, 1, MPI_COMM_WORLD, request)
    call mpi_ssend([rank, 1, 2, 3], 4, MPI_INTEGER, next, 1, MPI_COMM_WORLD)
    call mpi_wait(request, MPI_STATUS_IGNORE)
    call mpi_f_sync_reg(got)
    call check(inits == 1 .and. ssends == 1 .and. all(got(1, :) == [previous, 1, 2, 3]), &
               'a tool''s functions')
  end subroutine

  subroutine several_requests
    type(MPI_Request) :: requests(4)
    type(MPI_Status) :: statuses(4), copy
    integer, asynchronous :: got(4)
    integer :: numbers(MPI_STATUS_SIZE), indices(4), index, done, i
    logical :: flag
    requests(4) = MPI_REQUEST_NULL
    do i = 1, 3
      call mpi_irecv(got(i), 1, MPI_INTEGER, MPI_ANY_SOURCE, i, MPI_COMM_WORLD, requests(i))
    end do
    call mpi_testany(4, requests, index, flag, statuses(1))
    call check(.not. flag .and. index == MPI_UNDEFINED, 'MPI_Testany')
    call mpi_request_get_status_any(4, requests, index, flag, statuses(1))
    call check(.not. flag, 'MPI_Request_get_status_any')
    call mpi_barrier(MPI_COMM_WORLD)
    call mpi_send(20 + rank, 1, MPI_INTEGER, next, 2, MPI_COMM_WORLD)
    call mpi_waitany(4, requests, index, statuses(1))
    call check(index == 2 .and. statuses(1)%MPI_TAG == 2 .and. got(2) == 20 + previous .and. &
               requests(2) == MPI_REQUEST_NULL, 'MPI_Waitany')
    call mpi_barrier(MPI_COMM_WORLD)
    call mpi_send(10 + rank, 1, MPI_INTEGER, next, 1, MPI_COMM_WORLD)
    call mpi_send(30 + rank, 1, MPI_INTEGER, next, 3, MPI_COMM_WORLD)
    indices = 0
    done = 0
    do while (done == 0)
      call mpi_request_get_status_some(4, requests, done, indices, statuses)
    end do
    call check(all(indices(1:done) == 1 .or. indices(1:done) == 3), 'MPI_Request_get_status_some')
    do i = 1, 2
      call mpi_waitsome(4, requests, done, indices, statuses)
      if (done == MPI_UNDEFINED) exit
      call check(all(statuses(1:done)%MPI_TAG == indices(1:done)), 'MPI_Waitsome')
    end do
    call mpi_f_sync_reg(got)
    call check(got(1) == 10 + previous .and. got(3) == 30 + previous, 'messages in arrays')
    call mpi_waitall(4, requests, statuses)
    call mpi_status_f082f(statuses(1), numbers)
    numbers(MPI_TAG) = 77
    call mpi_status_f2f08(numbers, copy)
    call check(copy%MPI_TAG == 77 .and. copy%MPI_SOURCE == statuses(1)%MPI_SOURCE, &
               'MPI_Status_f2f08')
  end subroutine

  subroutine errors
    integer :: numbers(3, 5), ierr, class, length
    character(MPI_MAX_ERROR_STRING) :: text
    type(MPI_Request) :: request
    call mpi_comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN)
    call mpi_comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN)
    call mpi_send(numbers(1, :), 6, MPI_INTEGER, next, 1, MPI_COMM_WORLD, ierr)
    call mpi_error_class(ierr, class)
    call check(class == MPI_ERR_BUFFER, 'a section that is too short')
    call mpi_error_string(ierr, text, length)
    call check(length > 0 .and. len_trim(text) == length, 'MPI_Error_string')
    call mpi_irecv(numbers(1, :), -1, MPI_INTEGER, next, 1, MPI_COMM_WORLD, request, ierr)
    call mpi_error_class(ierr, class)
    call check(class == MPI_ERR_COUNT, 'a negative count')
    call mpi_isend(numbers(1, :), 1, MPI_DATATYPE_NULL, next, 1, MPI_COMM_WORLD, request, ierr)
    call mpi_error_class(ierr, class)
    call check(class == MPI_ERR_TYPE, 'no type')
    call mpi_buffer_attach(numbers(1, :), 20, ierr)
    call mpi_error_class(ierr, class)
    call check(class == MPI_ERR_BUFFER, 'a buffer with gaps')
    call mpi_iallreduce(numbers(1, :), numbers(2, :), 5, MPI_INTEGER, MPI_OP_NULL, MPI_COMM_WORLD, &
                        request, ierr)
    call mpi_error_class(ierr, class)
    call check(class == MPI_ERR_OP, 'a collective without an operator')
    call mpi_send(numbers, 1, MPI_INTEGER, ranks + 3, 1, MPI_COMM_WORLD)
  end subroutine

end program

! A tool in Fortran has the names that the standard gives functions.
subroutine MPI_Init_f08(ierror)
  use mpi_f08, only : PMPI_Init
  use checks_of_sections, only : inits
  implicit none
  integer, optional, intent(out) :: ierror
  inits = inits + 1
  call PMPI_Init(ierror)
end subroutine

subroutine MPI_Ssend_f08ts(buf, count, datatype, dest, tag, comm, ierror)
  use mpi_f08, only : MPI_Comm, MPI_Datatype, PMPI_Ssend
  use checks_of_sections, only : ssends
  implicit none
  type(*), dimension(..), intent(in) :: buf
  integer, intent(in) :: count, dest, tag
  type(MPI_Datatype), intent(in) :: datatype
  type(MPI_Comm), intent(in) :: comm
  integer, optional, intent(out) :: ierror
  ssends = ssends + 1
  call PMPI_Ssend(buf, count, datatype, dest, tag, comm, ierror)
end subroutine
