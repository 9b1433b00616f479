// SPDX-License-Identifier: BSD-3-Clause
// The constants of mpif.h that Fortran knows by their address, with MPICH's names and places.
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
}
#pragma GCC visibility pop

namespace terrace::fortran {

inline bool is_bottom(const void* place) {
  return place == &mpipriv1_.bottom;
}
inline bool is_in_place(const void* place) {
  return place == &mpipriv1_.in_place;
}
inline bool is_unweighted(const void* place) {
  return place == &mpifcmb5_;
}
inline bool is_weights_empty(const void* place) {
  return place == &mpifcmb9_;
}
inline bool is_status_ignore(const void* place) {
  return place == &mpipriv1_.status_ignore;
}
inline bool is_statuses_ignore(const void* place) {
  return place == &mpipriv2_.statuses_ignore;
}

}  // namespace terrace::fortran
