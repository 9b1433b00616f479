// SPDX-License-Identifier: BSD-3-Clause
// The constants of mpif.h that Fortran knows by their address, with Open MPI's names
// (mpif-sentinels.h): a COMMON block for each.
#pragma once

#pragma GCC visibility push(default)
#include <mpi.h>

namespace terrace::fortran {

inline constexpr int kStatusSize = sizeof(MPI_Status) / sizeof(MPI_Fint);

}  // namespace terrace::fortran

extern "C" {
extern MPI_Fint mpi_fortran_bottom_;
extern MPI_Fint mpi_fortran_in_place_;
extern MPI_Fint mpi_fortran_unweighted_;
extern MPI_Fint mpi_fortran_weights_empty_;
extern MPI_Fint mpi_fortran_errcodes_ignore_;
extern MPI_Fint mpi_fortran_status_ignore_[terrace::fortran::kStatusSize];
extern MPI_Fint mpi_fortran_statuses_ignore_[terrace::fortran::kStatusSize];
extern char mpi_fortran_argv_null_;
extern char mpi_fortran_argvs_null_;
}
#pragma GCC visibility pop

namespace terrace::fortran {

inline bool is_bottom(const void* place) {
  return place == &mpi_fortran_bottom_;
}
inline bool is_in_place(const void* place) {
  return place == &mpi_fortran_in_place_;
}
inline bool is_unweighted(const void* place) {
  return place == &mpi_fortran_unweighted_;
}
inline bool is_weights_empty(const void* place) {
  return place == &mpi_fortran_weights_empty_;
}
inline bool is_status_ignore(const void* place) {
  return place == mpi_fortran_status_ignore_;
}
inline bool is_statuses_ignore(const void* place) {
  return place == mpi_fortran_statuses_ignore_;
}

}  // namespace terrace::fortran
