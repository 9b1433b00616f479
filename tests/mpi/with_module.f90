! SPDX-License-Identifier: BSD-3-Clause
! With the module of Fortran 90, whose calls are those of mpif.h.
program with_module
  use mpi
  implicit none
  include 'fortran_body.f90'
end program
