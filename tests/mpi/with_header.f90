! SPDX-License-Identifier: BSD-3-Clause
! With the header of Fortran 77.
module freeing_with_header
  implicit none
  include 'mpif.h'
  integer :: own, op, requests(3)
  integer, allocatable :: types(:)
contains
  subroutine use_freed(freed, freed_key, attached, extra, freed_error)
    integer :: freed
    include 'fortran_callback.f90'
  end subroutine
  subroutine compose(first, second, count, type)
    integer :: count, type
    double complex :: first(count), second(count)
    include 'fortran_operator.f90'
  end subroutine
end module
program with_header
  use freeing_with_header
  implicit none
  integer :: hints
  include 'fortran_body.f90'
#include "fortran_started.f90"
end program
