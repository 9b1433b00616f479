! SPDX-License-Identifier: BSD-3-Clause
! Fortran's ways to keep something: SAVE, COMMON, modules, allocated arrays, units; and STOP.
module kept
  integer :: in_module = 1
  real, allocatable :: array(:)
end module

program fortran
  use kept
  integer, save :: saved = 5
  integer :: in_common, i, read_back
  common /block/ in_common
  in_common = 0
  do i = 1, 100
    saved = saved + 1
    in_module = in_module + 1
    in_common = in_common + 1
  end do
  allocate(array(1000))
  array = 1.5
  open(10, status='scratch')
  write(10, *) saved
  rewind(10)
  read(10, *) read_back
  close(10)
  if (saved == 105 .and. in_module == 101 .and. in_common == 100 .and. read_back == 105 &
      .and. sum(array) == 1500.0) then
    print '(a)', 'right'
  else
    print *, 'wrong', saved, in_module, in_common, read_back
  end if
  stop 9
end program
