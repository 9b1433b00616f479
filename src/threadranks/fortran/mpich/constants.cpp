// SPDX-License-Identifier: BSD-3-Clause
// Defines the COMMON blocks of MPICH's mpif.h. Programs have blocks of the same names, which must
// not be aligned more strictly. Also the constants of mpi_f08, of which a program may have copies.
#include <constants.hpp>

alignas(32) terrace::fortran::Constants1 mpipriv1_{};
alignas(32) terrace::fortran::Constants2 mpipriv2_{};
alignas(32) terrace::fortran::ConstantTexts mpiprivc_{' ', ' '};
alignas(32) MPI_Fint mpifcmb5_ = 0;
alignas(32) MPI_Fint mpifcmb9_ = 0;

MPI_Fint terrace_f08_bottom = 0, terrace_f08_in_place = 0, terrace_f08_buffer_automatic = 0;
MPI_Fint terrace_f08_unweighted[1] = {0}, terrace_f08_weights_empty[1] = {0};
MPI_Fint terrace_f08_errcodes_ignore[1] = {0};
char terrace_f08_argv_null[1] = {' '}, terrace_f08_argvs_null[1] = {' '};
MPI_Status terrace_f08_status_ignore{}, terrace_f08_statuses_ignore[1]{};
