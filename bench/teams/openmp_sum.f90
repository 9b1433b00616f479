! SPDX-License-Identifier: BSD-3-Clause
! OpenMP's array reduction as a Fortran program writes it; orphaned, so it uses the threads of the
! caller's parallel region.
subroutine terrace_bench_fortran_sum(inputs, ranks, count, total) bind(c)
  use, intrinsic :: iso_c_binding
  implicit none
  integer(c_int64_t), intent(in) :: ranks, count
  type(c_ptr), intent(in) :: inputs(ranks)
  real(c_double), intent(inout) :: total(count)
  real(c_double), pointer :: input(:)
  integer(c_int64_t) :: rank

  !$omp do schedule(static, 1) reduction(+ : total)
  do rank = 1, ranks
    call c_f_pointer(inputs(rank), input, [count])
    total = total + input
  end do
  !$omp end do
end subroutine
