! SPDX-License-Identifier: BSD-3-Clause
! terrace/mpixf.fh in a file of fixed form.
      subroutine fixed_form(own, failures)
      implicit none
      include 'mpif.h'
      include 'terrace/mpixf.fh'
      integer own, failures, levels, error
      call MPIX_Comm_distance(MPI_COMM_WORLD, own, own, levels, error)
      if (error .ne. MPI_SUCCESS .or. levels .ne. 0)
     &    failures = failures + 1
      end
