// SPDX-License-Identifier: BSD-3-Clause
// Defines the COMMON blocks of MPICH's mpif.h. Programs have blocks of the same names, which must
// not be aligned more strictly.
#include <constants.hpp>

alignas(32) terrace::fortran::Constants1 mpipriv1_{};
alignas(32) terrace::fortran::Constants2 mpipriv2_{};
alignas(32) terrace::fortran::ConstantTexts mpiprivc_{' ', ' '};
alignas(32) MPI_Fint mpifcmb5_ = 0;
alignas(32) MPI_Fint mpifcmb9_ = 0;
