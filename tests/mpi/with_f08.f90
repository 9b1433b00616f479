! SPDX-License-Identifier: BSD-3-Clause
! With the module of Fortran 2008.
program with_f08
  use mpi_f08
  implicit none
  include 'fortran_body.f90'
end program
