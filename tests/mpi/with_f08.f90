! SPDX-License-Identifier: BSD-3-Clause
! With the module of Fortran 2008.
module freeing_in_f08
  use mpi_f08
  implicit none
  type(MPI_Comm) :: own
contains
  subroutine use_freed(freed, freed_key, attached, extra, freed_error)
    type(MPI_Comm) :: freed
    include 'fortran_callback.f90'
  end subroutine
end module
program with_f08
  use freeing_in_f08
  implicit none
  include 'fortran_body.f90'
end program
