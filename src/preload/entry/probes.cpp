// SPDX-License-Identifier: BSD-3-Clause
// Entry points of the calls that may find nothing: MPI_Iprobe, MPI_Improbe, MPI_Win_test. They call
// the MPI's, and retry while the MPI owes progress since one of Terrace's collectives.
#include "preload/mpi/progress_debt.hpp"

#include "preload/lookup/entry_names.hpp"
#include "preload/lookup/next_function.hpp"
#include "preload/mpi/underlying_mpi.hpp"

namespace terrace::preload {

namespace {

constexpr int kSuccess = 0;
constexpr int kErrorOther = 16;  // some error: what it means differs from MPI to MPI

/// Whether the MPI made progress on arrived messages, so that a retry may find something.
bool has_looked_again() {
  UnderlyingMpi* underlying = underlying_mpi();
  if (underlying == nullptr || !pay_progress()) return false;
  underlying->progress();
  return true;
}

template <class Signature, class... Arguments>
int ask(bool is_ours, const NextFunction<Signature>& next, const int* found,
        Arguments... arguments) {
  if (!next) return kErrorOther;
  int error = next(arguments...);
  while (is_ours && error == kSuccess && found != nullptr && *found == 0 && has_looked_again())
    error = next(arguments...);
  return error;
}

}  // namespace

#define TERRACE_IPROBE(NAME, DOOR, IS_OURS)                                        \
  DOOR(NAME)(int source, int tag, HandleWord comm, int* found, void* status) {     \
    static const NextFunction<int(int, int, HandleWord, int*, void*)> next(#NAME); \
    return ask(IS_OURS(NAME), next, found, source, tag, comm, found, status);      \
  }
TERRACE_IPROBE(MPI_Iprobe, TERRACE_ENTRY_OF_PROGRAMS, TERRACE_IS_OURS_OF_PROGRAMS)
TERRACE_IPROBE(PMPI_Iprobe, TERRACE_ENTRY_OF_TOOLS, TERRACE_IS_OURS_OF_TOOLS)

#define TERRACE_IMPROBE(NAME, DOOR, IS_OURS)                                                  \
  DOOR(NAME)(int source, int tag, HandleWord comm, int* found, void* message, void* status) { \
    static const NextFunction<int(int, int, HandleWord, int*, void*, void*)> next(#NAME);     \
    return ask(IS_OURS(NAME), next, found, source, tag, comm, found, message, status);        \
  }
TERRACE_IMPROBE(MPI_Improbe, TERRACE_ENTRY_OF_PROGRAMS, TERRACE_IS_OURS_OF_PROGRAMS)
TERRACE_IMPROBE(PMPI_Improbe, TERRACE_ENTRY_OF_TOOLS, TERRACE_IS_OURS_OF_TOOLS)

#define TERRACE_WIN_TEST(NAME, DOOR, IS_OURS)                     \
  DOOR(NAME)(HandleWord window, int* found) {                     \
    static const NextFunction<int(HandleWord, int*)> next(#NAME); \
    return ask(IS_OURS(NAME), next, found, window, found);        \
  }
TERRACE_WIN_TEST(MPI_Win_test, TERRACE_ENTRY_OF_PROGRAMS, TERRACE_IS_OURS_OF_PROGRAMS)
TERRACE_WIN_TEST(PMPI_Win_test, TERRACE_ENTRY_OF_TOOLS, TERRACE_IS_OURS_OF_TOOLS)

}  // namespace terrace::preload
