! SPDX-License-Identifier: BSD-3-Clause
! The rest of the delete callback that both Fortran tests share: collectives on what is freed. That
! is `own`: Open MPI 4.1 hands Fortran's callbacks another communicator.
    integer :: freed_key, freed_error, call_number, one, total, ranks
    integer(kind=MPI_ADDRESS_KIND) :: attached, extra
    call MPI_Comm_size(own, ranks, freed_error)
    one = 1
    do call_number = 1, 6
      call MPI_Allreduce(one, total, 1, MPI_INTEGER, MPI_SUM, own, freed_error)
      if (total /= ranks) stop 1
    end do
    call MPI_Barrier(own, freed_error)
