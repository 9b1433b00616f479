! SPDX-License-Identifier: BSD-3-Clause
! With the module of Fortran 2008.
module freeing_in_f08
  use mpi_f08
  use iso_c_binding
  implicit none
  type(MPI_Comm) :: own
  type(MPI_Op) :: op
  type(MPI_Request) :: requests(3)
  type(MPI_Datatype), allocatable :: types(:)
contains
  subroutine use_freed(freed, freed_key, attached, extra, freed_error)
    type(MPI_Comm) :: freed
    include 'fortran_callback.f90'
  end subroutine
  subroutine compose(place_of_first, place_of_second, count, type)
    type(c_ptr), value :: place_of_first, place_of_second
    integer :: count
    type(MPI_Datatype) :: type
    double complex, pointer :: first(:), second(:)
    call c_f_pointer(place_of_first, first, [count])
    call c_f_pointer(place_of_second, second, [count])
    include 'fortran_operator.f90'
  end subroutine
end module
program with_f08
  use freeing_in_f08
  implicit none
  type(MPI_Info) :: hints
  include 'fortran_body.f90'
#include "fortran_started.f90"
end program
