// SPDX-License-Identifier: BSD-3-Clause
// Every function of MPI 5.0 as a weak symbol, which reports that it is not implemented. Implemented
// functions override it, so the library's symbols tell which functions are missing, and
// tools/thread_ranks_functions.py lists them.
#include <string_view>
#include <type_traits>

#include "threadranks/mpi/adapter.hpp"

namespace terrace::threadranks::mpi {
namespace {

/// Why it is not there, and what to do instead.
const char* reason_of(std::string_view function) {
  if (function.starts_with("MPI_Comm_spawn"))
    return "thread ranks cannot start more ranks; start all of them at once by `terrace run -n N`, "
           "or run the program as processes: mpirun -n N terrace exec PROGRAM";
  for (const char* const ending : {"_port", "_name", "_accept", "_connect", "_join"})
    if (function.ends_with(ending))
      return "thread ranks of jobs that were started separately cannot be connected; start them as "
             "one job, or run the program as processes: mpirun -n N terrace exec PROGRAM";
  return "thread ranks do not have this function yet; the page "
         "docs/reference/thread-ranks-functions.md lists those they lack";
}

template <class Result>
Result missing(const char* function) {
  // Tools query what there is; MPI_T functions never call error handlers.
  if constexpr (std::is_same_v<Result, int>)
    if (std::string_view(function).starts_with("MPI_T_")) return MPI_T_ERR_NOT_SUPPORTED;
  const int error = fail(function, MPI_ERR_UNSUPPORTED_OPERATION, reason_of(function));
  if constexpr (std::is_same_v<Result, int>)
    return error;
  else
    return Result{};
}

}  // namespace
}  // namespace terrace::threadranks::mpi

#define TERRACE_MPI_FUNCTION(result, name, parameters)                              \
  extern "C" [[gnu::weak, gnu::alias("PMPI_" #name)]] result MPI_##name parameters; \
  extern "C" [[gnu::weak]] result PMPI_##name parameters {                          \
    return terrace::threadranks::mpi::missing<result>("MPI_" #name);                \
  }
#include <functions.h>
#undef TERRACE_MPI_FUNCTION
