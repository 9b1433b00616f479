! SPDX-License-Identifier: BSD-3-Clause
! Calls that are started and waited for, in place too, of at least three ranks, which all Fortran
! tests share: nonblocking ones, those of neighbours, and persistent ones, if the MPI has them. They
! are made where there is an argument.
contains
  subroutine start_calls()
    integer, asynchronous :: sums(8), owns(8), firsts(8), blocks(2), all_blocks(2, 64), edges(2)
    double precision, asynchronous :: reals(5), totals(5)
    integer :: turn
    logical :: is_over
    do turn = 1, 60
      owns = rank + turn
      sums = rank * turn
      firsts = merge(turn, -1, rank == mod(turn, ranks))
      blocks = [rank, turn]
      call MPI_Iallreduce(MPI_IN_PLACE, sums, 8, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, &
                          requests(1), error)
      call MPI_Ibcast(firsts, 8, MPI_INTEGER, mod(turn, ranks), MPI_COMM_WORLD, requests(2), error)
      call MPI_Iallgather(blocks, 2, MPI_INTEGER, all_blocks, 2, MPI_INTEGER, MPI_COMM_WORLD, &
                          requests(3), error)
      call MPI_Waitall(3, requests, MPI_STATUSES_IGNORE, error)
      do i = 1, 3
        if (requests(i) /= MPI_REQUEST_NULL) failures = failures + 1
      end do
      if (any(sums /= turn * ranks * (ranks - 1) / 2)) failures = failures + 1
      if (any(firsts /= turn)) failures = failures + 1
      do i = 1, ranks
        if (any(all_blocks(:, i) /= [i - 1, turn])) failures = failures + 1
      end do
      call MPI_Ibarrier(MPI_COMM_WORLD, requests(1), error)
      is_over = .false.
      do while (.not. is_over)
        call MPI_Test(requests(1), is_over, MPI_STATUS_IGNORE, error)
      end do
    end do
    call MPI_Cart_create(MPI_COMM_WORLD, 1, [ranks], [.true.], .false., own, error)
    do turn = 1, 60
      blocks = [2 * rank, 2 * rank + 1]
      edges = -1
      if (mod(turn, 2) == 0) then
        call MPI_Neighbor_alltoall(blocks, 1, MPI_INTEGER, edges, 1, MPI_INTEGER, own, error)
      else
        call MPI_Ineighbor_alltoall(blocks, 1, MPI_INTEGER, edges, 1, MPI_INTEGER, own, &
                                    requests(1), error)
        call MPI_Wait(requests(1), MPI_STATUS_IGNORE, error)
      end if
      ! Of those below and above, what they send up and down.
      if (any(edges /= [2 * modulo(rank - 1, ranks) + 1, 2 * modulo(rank + 1, ranks)])) &
        failures = failures + 1
    end do
    call MPI_Comm_free(own, error)
#ifdef HAS_PERSISTENT
    call MPI_Allreduce_init(reals, totals, 5, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, &
                            MPI_INFO_NULL, requests(1), error)
    call MPI_Bcast_init(owns, 8, MPI_INTEGER, 0, MPI_COMM_WORLD, MPI_INFO_NULL, requests(2), error)
    do turn = 1, 60
      reals = rank + turn
      owns = merge(turn, -1, rank == 0)
      call MPI_Startall(2, requests, error)
      call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, error)
      if (any(totals /= ranks - 1 + turn)) failures = failures + 1
      if (any(owns /= turn)) failures = failures + 1
    end do
    call MPI_Request_free(requests(1), error)
    call MPI_Request_free(requests(2), error)
    if (rank == 0) print '(a)', 'made persistent calls'
#endif
  end subroutine
