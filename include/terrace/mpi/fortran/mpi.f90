! SPDX-License-Identifier: BSD-3-Clause
! The module mpi, which `terrace fc` compiles for the compiler that it calls. It has no interfaces,
! as an argument of many functions may be of any type.
module mpi
  implicit none
  include 'mpif.h'
end module
