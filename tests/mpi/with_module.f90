! SPDX-License-Identifier: BSD-3-Clause
! With the module of Fortran 90, whose calls are those of mpif.h.
module freeing_in_f90
  use mpi
  implicit none
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
program with_module
  use freeing_in_f90
  implicit none
  integer :: hints
  include 'fortran_body.f90'
#include "fortran_started.f90"
end program
