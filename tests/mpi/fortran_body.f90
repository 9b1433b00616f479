! SPDX-License-Identifier: BSD-3-Clause
! The body that both Fortran tests share: the four collectives, in place too.
  integer :: rank, ranks, call_number, error, root, word, failures
  double precision :: given(30), got(30)
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
  if (rank == 0 .and. failures == 0) print '(a)', 'all right 0'
  if (failures /= 0) print *, 'wrong results:', failures
  call MPI_Finalize(error)
