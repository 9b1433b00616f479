// SPDX-License-Identifier: BSD-3-Clause
// Open MPI's library for mpi_f08 calls subroutines by other names, which all ABIs have.
#pragma once

#define TERRACE_F08_SUBROUTINE(name, parameters)
#define TERRACE_F08_FUNCTION(Result, name, parameters)
