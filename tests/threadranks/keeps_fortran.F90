! SPDX-License-Identifier: BSD-3-Clause
! What Fortran and gfortran's run time keep from one statement to the next, in programs that call
! MPI: variables, units, files, sequences of random numbers, the mode of rounding, OpenMP's threads.
! All of it is each rank's own. Each rank prints "right", or what is wrong; then it stops with the
! status that it is told.
module kept_things
  use, intrinsic :: iso_c_binding
  implicit none
  type counted
    integer :: number = 3
    real, allocatable :: values(:)
  end type
  integer :: in_module = 1
  integer(c_int), bind(c, name="kept_in_c") :: in_c = 4
  type(counted) :: of_type
  integer, target :: aimed_at = 6
  integer, pointer :: pointer_to => aimed_at
  integer, save :: of_thread = 0
  !$omp threadprivate(of_thread)
  logical :: all_right = .true.
  integer :: rank, ranks
contains
  subroutine check(holds, what)
    logical, intent(in) :: holds
    character(*), intent(in) :: what
    if (holds) return
    all_right = .false.
    print '(a,i0,2a)', 'rank ', rank, ' is wrong: ', what
  end subroutine
end module

block data
  integer :: first, second
  common /started/ first, second
  data first, second / 7, 8 /
end block data

program keeps_fortran
  use kept_things
  use, intrinsic :: ieee_arithmetic
  implicit none
  include 'mpif.h'
  integer :: ierr, status
  character(20) :: word
  call mpi_init(ierr)
  call mpi_comm_rank(MPI_COMM_WORLD, rank, ierr)
  call mpi_comm_size(MPI_COMM_WORLD, ranks, ierr)
  call variables
  call units
  call records
  call one_file_for_all
  call standard_errors
  call random_numbers
  call rounding
  call threads
  call large_frame(300000)
  if (all_right) print '(a)', 'right'
  call mpi_finalize(ierr)
  word = '0'
  if (command_argument_count() > 0) call get_command_argument(1, word)
  read(word, *) status
  if (status == 3) error stop 3
  if (status == 5) call exit(5)
  if (status == 9) stop 9
contains

  subroutine meet
    call mpi_barrier(MPI_COMM_WORLD, ierr)
  end subroutine

  subroutine variables
    integer, save :: saved = 5
    integer :: first, second, i
    common /started/ first, second
    allocate(of_type%values(rank + 1))
    do i = 1, 50
      call meet
      saved = saved + 1
      in_module = in_module + 1
      in_c = in_c + 1
      first = first + 1
      pointer_to = pointer_to + 1
      of_type%number = of_type%number + 1
    end do
    call check(saved == 55 .and. in_module == 51 .and. in_c == 54, 'what is saved')
    call check(first == 57 .and. second == 8, 'what is common')
    call check(aimed_at == 56 .and. of_type%number == 53 .and. size(of_type%values) == rank + 1, &
               'what is allocated')
  end subroutine

  ! The same unit is another file in each rank.
  subroutine units
    character(40) :: name, found
    integer :: i, number, own
    logical :: is_open
    real :: x
    namelist /weather/ i, x
    write(name, '(a,i0)') 'unit_of_rank_', rank
    inquire(unit=20, opened=is_open)
    call check(.not. is_open, 'a unit that is not open')
    open(20, file=name, status='replace', action='readwrite')
    call meet
    do i = 1, 1000
      write(20, '(2i8)') rank, i
    end do
    inquire(unit=20, name=found)
    call check(index(found, trim(name)) > 0, 'a unit''s name')
    call meet
    rewind(20)
    do i = 1, 1000
      read(20, *) own, number
      if (own /= rank .or. number /= i) exit
    end do
    call check(i == 1001, 'lines of a unit')
    close(20, status='delete')
    open(newunit=number, status='scratch')
    i = rank
    x = rank + 0.5
    write(number, nml=weather)
    i = -1
    x = -1
    rewind(number)
    read(number, nml=weather)
    call check(i == rank .and. x == rank + 0.5, 'a namelist')
    close(number)
    ! The run time counts downwards from the same number in each process.
    call mpi_allreduce(number, own, 1, MPI_INTEGER, MPI_MIN, MPI_COMM_WORLD, ierr)
    call check(own == number, 'numbers of new units')
  end subroutine

  subroutine records
    integer :: i, number
    open(30, file='records', access='direct', recl=4, form='unformatted')
    write(30, rec=rank + 1) 10 * rank
    close(30)
    call meet
    open(30, file='records', access='direct', recl=4, form='unformatted')
    do i = 1, ranks
      read(30, rec=i) number
      call check(number == 10 * (i - 1), 'a record of another rank')
    end do
    call meet
    close(30)
    if (rank == 0) then
      open(30, file='records')
      close(30, status='delete')
    end if
  end subroutine

  subroutine one_file_for_all
    integer :: number
    if (rank == 0) then
      open(40, file='input', status='replace')
      write(40, *) 123
      write(40, *) 456
      close(40)
    end if
    call meet
    open(40, file='input', status='old', action='read')
    read(40, *) number
    call meet
    read(40, *) number
    call check(number == 456, 'a file that all read')
    close(40)
    call meet
    if (rank == 0) then
      open(40, file='input')
      close(40, status='delete')
    end if
  end subroutine

  ! A rank that writes its errors into a file takes nobody else's there.
  subroutine standard_errors
    character(20) :: line
    integer :: bytes
    if (rank == 1) open(0, file='errors_of_rank_1', status='replace')
    call meet
    if (rank == 1) then
      write(0, '(a)') 'in the file'
      rewind(0)
      read(0, '(a)') line
      inquire(0, size=bytes)
      call check(line == 'in the file' .and. bytes == 12, 'errors in a file')
      close(0, status='delete')
    else
      write(0, '(a)') 'not in the file'
    end if
  end subroutine

  subroutine random_numbers
    integer, allocatable :: seed(:)
    integer :: n, i, same
    real(8) :: first(20), again(20), least, greatest
    call random_number(least)
    call mpi_allreduce(least, greatest, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, ierr)
    same = merge(1, 0, least == greatest)
    call mpi_allreduce(MPI_IN_PLACE, same, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
    call check(same < ranks .or. ranks == 1, 'sequences that begin anywhere')
    call random_seed(size=n)
    allocate(seed(n))
    seed = [(100 + i, i = 1, n)]
    call random_seed(put=seed)
    do i = 1, 20
      call random_number(first(i))
      call meet
    end do
    call random_seed(put=seed)
    call random_number(again)
    call check(all(first == again), 'a sequence that is begun anew')
    call mpi_allreduce(again(20), greatest, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, ierr)
    call check(again(20) == greatest, 'sequences of the same seed')
  end subroutine

  subroutine rounding
    type(ieee_round_type) :: mode
    if (rank == 0) call ieee_set_rounding_mode(ieee_up)
    call meet
    call ieee_get_rounding_mode(mode)
    call check((mode == ieee_up) .eqv. rank == 0, 'the mode of rounding')
    call ieee_set_rounding_mode(ieee_nearest)
  end subroutine

  subroutine threads
    integer :: total, i
    total = 0
    of_thread = rank
    !$omp parallel do num_threads(3) reduction(+: total) copyin(of_thread)
    do i = 1, 300
      of_thread = of_thread + 1
      in_module = in_module + 0
      total = total + i + rank
    end do
    !$omp end parallel do
    call check(total == 45150 + 300 * rank, 'a loop of several threads')
  end subroutine

  subroutine large_frame(n)
    integer, intent(in) :: n
    integer :: frame(n), i
    frame = [(i + rank, i = 1, n)]
    call meet
    call check(frame(n) == n + rank .and. sum(frame(:10)) == 55 + 10 * rank, 'a large frame')
  end subroutine

end program
