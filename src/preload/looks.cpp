// SPDX-License-Identifier: BSD-3-Clause
// Entry points of the calls that may find nothing: MPI_Iprobe, MPI_Improbe, MPI_Win_test. They call
// the MPI's, and retry while the MPI owes progress since one of Terrace's collectives.
#include "preload/looks.hpp"

#include "preload/below.hpp"
#include "preload/doors.hpp"
#include "preload/function.hpp"

namespace terrace::preload {

namespace {

constexpr int kSuccess = 0;
constexpr int kErrorOther = 16;  // some error: what it means differs from MPI to MPI

/// Whether the MPI looked at what has arrived, so that asking again makes sense.
bool has_looked_again() {
  MpiBelow* below = mpi_below();
  if (below == nullptr || !pay_look()) return false;
  below->progress();
  return true;
}

template <class Signature, class... Arguments>
int ask(bool is_ours, const Function<Signature>& next, const int* found, Arguments... arguments) {
  if (!next) return kErrorOther;
  int error = next(arguments...);
  while (is_ours && error == kSuccess && found != nullptr && *found == 0 && has_looked_again())
    error = next(arguments...);
  return error;
}

}  // namespace

#define TERRACE_IPROBE(NAME, DOOR, IS_OURS)                                   \
  DOOR(NAME)(int source, int tag, Word comm, int* found, void* status) {      \
    static const Function<int(int, int, Word, int*, void*)> next(#NAME);      \
    return ask(IS_OURS(NAME), next, found, source, tag, comm, found, status); \
  }
TERRACE_IPROBE(MPI_Iprobe, TERRACE_DOOR_OF_PROGRAMS, TERRACE_IS_OURS_OF_PROGRAMS)
TERRACE_IPROBE(PMPI_Iprobe, TERRACE_DOOR_OF_TOOLS, TERRACE_IS_OURS_OF_TOOLS)

#define TERRACE_IMPROBE(NAME, DOOR, IS_OURS)                                            \
  DOOR(NAME)(int source, int tag, Word comm, int* found, void* message, void* status) { \
    static const Function<int(int, int, Word, int*, void*, void*)> next(#NAME);         \
    return ask(IS_OURS(NAME), next, found, source, tag, comm, found, message, status);  \
  }
TERRACE_IMPROBE(MPI_Improbe, TERRACE_DOOR_OF_PROGRAMS, TERRACE_IS_OURS_OF_PROGRAMS)
TERRACE_IMPROBE(PMPI_Improbe, TERRACE_DOOR_OF_TOOLS, TERRACE_IS_OURS_OF_TOOLS)

#define TERRACE_WIN_TEST(NAME, DOOR, IS_OURS)              \
  DOOR(NAME)(Word window, int* found) {                    \
    static const Function<int(Word, int*)> next(#NAME);    \
    return ask(IS_OURS(NAME), next, found, window, found); \
  }
TERRACE_WIN_TEST(MPI_Win_test, TERRACE_DOOR_OF_PROGRAMS, TERRACE_IS_OURS_OF_PROGRAMS)
TERRACE_WIN_TEST(PMPI_Win_test, TERRACE_DOOR_OF_TOOLS, TERRACE_IS_OURS_OF_TOOLS)

}  // namespace terrace::preload
