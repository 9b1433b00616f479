! SPDX-License-Identifier: BSD-3-Clause
! Divides MPI_COMM_WORLD along the hardware, level by level, and shows each rank's way: what
! communicators.c does, in Fortran.
program communicators
  use mpi_f08
  use terrace_mpix_f08
  implicit none
  integer, parameter :: length = 200
  type(MPI_Comm) :: comm, finer
  integer :: rank, ranks, parts, part, i
  character(len=MPIX_MAX_HLEVEL_TYPE) :: type
  character(len=length) :: line, level
  character(len=length), allocatable :: lines(:)

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)

  line = ''
  comm = MPI_COMM_WORLD
  do
    call MPIX_Comm_split_type(comm, MPIX_COMM_TYPE_PHYSICAL_TOPOLOGY, rank, MPI_INFO_NULL, finer)
    if (comm /= MPI_COMM_WORLD) call MPI_Comm_free(comm)
    if (finer == MPI_COMM_NULL) exit
    call MPIX_Comm_get_hlevel_info(finer, parts, part, type)
    write (level, '(2x, a, 1x, i0, "/", i0)') trim(type), part, parts
    line = trim(line) // level
    comm = finer
  end do

  allocate(lines(0:ranks - 1))
  call MPI_Gather(line, length, MPI_CHARACTER, lines, length, MPI_CHARACTER, 0, MPI_COMM_WORLD)
  do i = 0, merge(ranks - 1, -1, rank == 0)
    print '(a, i0, 2a)', 'rank ', i, ':', trim(lines(i))
  end do
  call MPI_Finalize()
end program
