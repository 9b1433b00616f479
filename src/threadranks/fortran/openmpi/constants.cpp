// SPDX-License-Identifier: BSD-3-Clause
// Defines the COMMON blocks of Open MPI's mpif.h. Programs have blocks of the same names, which
// must not be aligned more strictly.
#include <constants.hpp>

alignas(32) MPI_Fint mpi_fortran_bottom_ = 0;
alignas(32) MPI_Fint mpi_fortran_in_place_ = 0;
alignas(32) MPI_Fint mpi_fortran_unweighted_ = 0;
alignas(32) MPI_Fint mpi_fortran_weights_empty_ = 0;
alignas(32) MPI_Fint mpi_fortran_errcodes_ignore_ = 0;
alignas(32) MPI_Fint mpi_fortran_status_ignore_[terrace::fortran::kStatusSize] = {};
alignas(32) MPI_Fint mpi_fortran_statuses_ignore_[terrace::fortran::kStatusSize] = {};
alignas(32) char mpi_fortran_argv_null_ = ' ';
alignas(32) char mpi_fortran_argvs_null_ = ' ';

namespace {

/// Tells C what Fortran's MPI_STATUS_IGNORE is.
[[gnu::constructor]] void tell_c() {
  MPI_F_STATUS_IGNORE = mpi_fortran_status_ignore_;
  MPI_F_STATUSES_IGNORE = mpi_fortran_statuses_ignore_;
}

}  // namespace
