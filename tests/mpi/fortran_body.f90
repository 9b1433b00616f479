! SPDX-License-Identifier: BSD-3-Clause
! The body that both Fortran tests share: the collectives, in place too, and calls on a communicator
! that is being freed.
  integer :: key, rank, ranks, call_number, error, root, word, failures, i
  logical :: is_found, may_use_freed
  character(MPI_MAX_LIBRARY_VERSION_STRING) :: version
  integer, allocatable :: row(:), column(:), numbers(:), places(:), own_numbers(:), all_own(:)
  double precision :: given(30), got(30)
  double complex :: maps(20), whole(20)
  failures = 0
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  do call_number = 1, 60
    given = rank + call_number
    got = -1
    call MPI_Allreduce(given, got, 30, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
    if (any(got /= ranks * (ranks - 1) / 2 + ranks * call_number)) failures = failures + 1
    call MPI_Allreduce(MPI_IN_PLACE, given, 30, MPI_DOUBLE_PRECISION, MPI_MAX, &
                       MPI_COMM_WORLD, error)
    if (any(given /= ranks - 1 + call_number)) failures = failures + 1
    root = mod(call_number, ranks)
    word = rank
    call MPI_Bcast(word, 1, MPI_INTEGER, root, MPI_COMM_WORLD, error)
    if (word /= root) failures = failures + 1
    word = rank + 1
    if (rank == root) then
      call MPI_Reduce(MPI_IN_PLACE, word, 1, MPI_INTEGER, MPI_SUM, root, MPI_COMM_WORLD, error)
      if (word /= ranks * (ranks + 1) / 2) failures = failures + 1
    else
      call MPI_Reduce(word, word, 1, MPI_INTEGER, MPI_SUM, root, MPI_COMM_WORLD, error)
    end if
    call MPI_Barrier(MPI_COMM_WORLD, error)
  end do
  ! An operator made in Fortran that does not commute: maps x -> a x + b, one after the other.
  call MPI_Op_create(compose, .false., op, error)
  do call_number = 1, 6
    maps = cmplx(1 + mod(rank + call_number, 2), rank + call_number, kind(0d0))
    call MPI_Allreduce(maps, whole, 20, MPI_DOUBLE_COMPLEX, op, MPI_COMM_WORLD, error)
    got(1) = 1
    got(2) = 0
    do word = 0, ranks - 1
      got(2) = got(2) + got(1) * (word + call_number)
      got(1) = got(1) * (1 + mod(word + call_number, 2))
    end do
    if (any(whole /= cmplx(got(1), got(2), kind(0d0)))) failures = failures + 1
  end do
  call MPI_Op_free(op, error)
  allocate(row(ranks), column(ranks), numbers(ranks), places(ranks), types(ranks))
  allocate(own_numbers(0:rank), all_own(ranks * (ranks + 1) / 2))
  do call_number = 1, 60
    root = mod(call_number, ranks)
    word = rank + call_number
    call MPI_Allgather(word, 1, MPI_INTEGER, row, 1, MPI_INTEGER, MPI_COMM_WORLD, error)
    if (any(row /= [(i + call_number, i = 0, ranks - 1)])) failures = failures + 1
    column = 0
    column(rank + 1) = word
    call MPI_Allgather(MPI_IN_PLACE, 0, MPI_INTEGER, column, 1, MPI_INTEGER, MPI_COMM_WORLD, error)
    if (any(column /= row)) failures = failures + 1
    row = [(100 * rank + i, i = 0, ranks - 1)]
    call MPI_Alltoall(row, 1, MPI_INTEGER, column, 1, MPI_INTEGER, MPI_COMM_WORLD, error)
    if (any(column /= [(100 * i + rank, i = 0, ranks - 1)])) failures = failures + 1
    call MPI_Scatter(row, 1, MPI_INTEGER, word, 1, MPI_INTEGER, root, MPI_COMM_WORLD, error)
    if (word /= 100 * root + rank) failures = failures + 1
    column = -1
    call MPI_Gather(word, 1, MPI_INTEGER, column, 1, MPI_INTEGER, root, MPI_COMM_WORLD, error)
    if (rank == root .and. any(column /= row)) failures = failures + 1
    if (rank /= root .and. any(column /= -1)) failures = failures + 1
    call MPI_Reduce_scatter_block(row, word, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
    if (word /= 50 * ranks * (ranks - 1) + ranks * rank) failures = failures + 1
    word = rank + 1
    call MPI_Scan(MPI_IN_PLACE, word, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
    if (word /= (rank + 1) * (rank + 2) / 2) failures = failures + 1
    word = rank + 1
    call MPI_Exscan(word, i, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
    if (rank > 0 .and. i /= rank * (rank + 1) / 2) failures = failures + 1
    ! Blocks of different length: rank r has r + 1 numbers, and they lie one after the other.
    numbers = [(i + 1, i = 0, ranks - 1)]
    places = [(i * (i + 1) / 2, i = 0, ranks - 1)]
    own_numbers = [(rank, i = 0, rank)]
    all_own = -1
    call MPI_Allgatherv(own_numbers, rank + 1, MPI_INTEGER, all_own, numbers, places, &
                        MPI_INTEGER, MPI_COMM_WORLD, error)
    do i = 0, ranks - 1
      if (any(all_own(places(i + 1) + 1:places(i + 1) + i + 1) /= i)) failures = failures + 1
    end do
    own_numbers = -1
    call MPI_Scatterv(all_own, numbers, places, MPI_INTEGER, own_numbers, rank + 1, &
                      MPI_INTEGER, root, MPI_COMM_WORLD, error)
    if (any(own_numbers /= rank)) failures = failures + 1
    if (rank == root) all_own = -1
    call MPI_Gatherv(own_numbers, rank + 1, MPI_INTEGER, all_own, numbers, places, &
                     MPI_INTEGER, root, MPI_COMM_WORLD, error)
    if (sum(all_own) /= (ranks - 1) * ranks * (ranks + 1) / 3) failures = failures + 1
    row = 1
    call MPI_Alltoallv(row, [(1, i = 1, ranks)], [(i, i = 0, ranks - 1)], MPI_INTEGER, &
                       column, [(1, i = 1, ranks)], [(i, i = ranks - 1, 0, -1)], MPI_INTEGER, &
                       MPI_COMM_WORLD, error)
    if (any(column /= 1)) failures = failures + 1
    types = MPI_INTEGER
    row = [(100 * rank + i, i = 0, ranks - 1)]
    call MPI_Alltoallw(row, [(1, i = 1, ranks)], [(4 * i, i = 0, ranks - 1)], types, &
                       column, [(1, i = 1, ranks)], [(4 * i, i = 0, ranks - 1)], types, &
                       MPI_COMM_WORLD, error)
    if (any(column /= [(100 * i + rank, i = 0, ranks - 1)])) failures = failures + 1
    own_numbers = -1
    call MPI_Reduce_scatter(all_own, own_numbers, numbers, MPI_INTEGER, MPI_MAX, &
                            MPI_COMM_WORLD, error)
    if (any(own_numbers /= rank)) failures = failures + 1
  end do
  do call_number = 1, 6
    do i = 1, merge(ranks - 1, 0, rank == 0)
      call MPI_Send(call_number, 1, MPI_INTEGER, i, 3, MPI_COMM_WORLD, error)
    end do
    call MPI_Barrier(MPI_COMM_WORLD, error)
    if (rank /= 0) then
      call MPI_Iprobe(0, 3, MPI_COMM_WORLD, is_found, MPI_STATUS_IGNORE, error)
      if (error /= MPI_SUCCESS .or. .not. is_found) failures = failures + 1
      call MPI_Recv(word, 1, MPI_INTEGER, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
      if (word /= call_number) failures = failures + 1
    end if
  end do
  if (command_argument_count() > 0) call start_calls()
  ! Where this is known to crash the MPI itself (CMakeLists.txt has why) nothing is attached.
  call MPI_Get_library_version(version, word, error)
  may_use_freed = index(version, 'Intel') == 0
  call MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, use_freed, key, &
                              0_MPI_ADDRESS_KIND, error)
  do call_number = 1, 6
    call MPI_Comm_dup(MPI_COMM_WORLD, own, error)
    if (may_use_freed .and. mod(rank, 2) == 0) &
      call MPI_Comm_set_attr(own, key, 0_MPI_ADDRESS_KIND, error)
    do root = 0, 5
      call MPI_Allreduce(rank, word, 1, MPI_INTEGER, MPI_SUM, own, error)
      if (word /= ranks * (ranks - 1) / 2) failures = failures + 1
    end do
    if (may_use_freed .and. mod(rank, 2) == 1) &
      call MPI_Comm_set_attr(own, key, 0_MPI_ADDRESS_KIND, error)
    if (call_number < 4) then
      call MPI_Comm_free(own, error)
    else
      call MPI_Comm_disconnect(own, error)
    end if
    if (error /= MPI_SUCCESS .or. own /= MPI_COMM_NULL) failures = failures + 1
  end do
  ! A split type of Terrace's, through the MPI's own call: ranks that want one get one of their own.
  call MPI_Info_create(hints, error)
  call MPI_Info_set(hints, 'mpi_pset_name', 'mpi://SELF', error)
  call MPI_Comm_split_type(MPI_COMM_WORLD, merge(MPI_UNDEFINED, 7304, rank == 0), 0, hints, own, &
                           error)
  if (error /= MPI_SUCCESS .or. (own == MPI_COMM_NULL .neqv. rank == 0)) failures = failures + 1
  if (own /= MPI_COMM_NULL) then
    call MPI_Comm_size(own, word, error)
    if (word /= 1) failures = failures + 1
    call MPI_Comm_free(own, error)
  end if
  call MPI_Info_free(hints, error)
  if (rank == 0 .and. failures == 0) print '(a)', 'all right 0'
  if (failures /= 0) print *, 'wrong results:', failures
  call MPI_Finalize(error)
