// SPDX-License-Identifier: BSD-3-Clause
// The constants that Fortran knows by their address: of mpif.h, with MPICH's names and places, and
// of the module mpi_f08.
#pragma once

#pragma GCC visibility push(default)
#include <mpi.h>

namespace terrace::fortran {

struct Constants1 {
  MPI_Fint bottom, in_place;
  MPI_Status status_ignore;
};
struct Constants2 {
  MPI_Status statuses_ignore;
  MPI_Fint errcodes_ignore;
};
struct ConstantTexts {
  char argvs_null, argv_null;
};

}  // namespace terrace::fortran

extern "C" {
extern terrace::fortran::Constants1 mpipriv1_;
extern terrace::fortran::Constants2 mpipriv2_;
extern terrace::fortran::ConstantTexts mpiprivc_;
extern MPI_Fint mpifcmb5_;  ///< MPI_UNWEIGHTED
extern MPI_Fint mpifcmb9_;  ///< MPI_WEIGHTS_EMPTY

// Constants of the module mpi_f08.
extern MPI_Fint terrace_f08_bottom, terrace_f08_in_place, terrace_f08_buffer_automatic;
extern MPI_Fint terrace_f08_unweighted[1], terrace_f08_weights_empty[1];
extern MPI_Fint terrace_f08_errcodes_ignore[1];
extern char terrace_f08_argv_null[1], terrace_f08_argvs_null[1];
extern MPI_Status terrace_f08_status_ignore, terrace_f08_statuses_ignore[1];
}
#pragma GCC visibility pop

namespace terrace::fortran {

inline bool is_bottom(const void* place) {
  return place == &mpipriv1_.bottom || place == &terrace_f08_bottom;
}
inline bool is_in_place(const void* place) {
  return place == &mpipriv1_.in_place || place == &terrace_f08_in_place;
}
inline bool is_unweighted(const void* place) {
  return place == &mpifcmb5_ || place == terrace_f08_unweighted;
}
inline bool is_weights_empty(const void* place) {
  return place == &mpifcmb9_ || place == terrace_f08_weights_empty;
}
inline bool is_status_ignore(const void* place) {
  return place == &mpipriv1_.status_ignore || place == &terrace_f08_status_ignore;
}
inline bool is_statuses_ignore(const void* place) {
  return place == &mpipriv2_.statuses_ignore || place == terrace_f08_statuses_ignore;
}

inline bool is_buffer_automatic(const void* place) {
  return place == &terrace_f08_buffer_automatic;
}

}  // namespace terrace::fortran
