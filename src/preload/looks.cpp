// SPDX-License-Identifier: BSD-3-Clause
// Entry points of the calls that may find nothing: MPI_Iprobe, MPI_Improbe, MPI_Win_test, in C and
// Fortran. They are the MPI's, asked again where it has not looked since a collective of ours.
#include "preload/looks.hpp"

#include "preload/below.hpp"
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
int ask(const Function<Signature>& next, const int* found, Arguments... arguments) {
  if (!next) return kErrorOther;
  int error = next(arguments...);
  while (error == kSuccess && found != nullptr && *found == 0 && has_looked_again())
    error = next(arguments...);
  return error;
}

/// Fortran's: everything is an address, whatever the MPI; false is 0. `error` may be absent.
template <class Signature, class... Arguments>
void ask_in_fortran(const Function<Signature>& next, const int* found, int* error,
                    Arguments... arguments) {
  int own_error = kErrorOther;
  if (error == nullptr) error = &own_error;
  if (next) next(arguments..., error);
  while (next && *error == kSuccess && *found == 0 && has_looked_again()) next(arguments..., error);
}

}  // namespace

#define TERRACE_ENTRY(TYPE) extern "C" __attribute__((visibility("default"))) TYPE

TERRACE_ENTRY(int) MPI_Iprobe(int source, int tag, Word comm, int* found, void* status) {
  static const Function<int(int, int, Word, int*, void*)> next("MPI_Iprobe");
  return ask(next, found, source, tag, comm, found, status);
}

TERRACE_ENTRY(int)
MPI_Improbe(int source, int tag, Word comm, int* found, void* message, void* status) {
  static const Function<int(int, int, Word, int*, void*, void*)> next("MPI_Improbe");
  return ask(next, found, source, tag, comm, found, message, status);
}

TERRACE_ENTRY(int) MPI_Win_test(Word window, int* found) {
  static const Function<int(Word, int*)> next("MPI_Win_test");
  return ask(next, found, window, found);
}

// As compilers of Fortran spell them, and as mpi_f08 calls them in Open MPI, and in MPICH.
#define TERRACE_SPELLINGS(SPELL, LOWER, UPPER) \
  SPELL(ompi_##LOWER##_f)                      \
  SPELL(mpi_##LOWER##_f08_)                    \
  SPELL(mpi_##LOWER##_)                        \
  SPELL(mpi_##LOWER)                           \
  SPELL(mpi_##LOWER##__)                       \
  SPELL(MPI_##UPPER)

#define TERRACE_IPROBE(NAME)                                                         \
  TERRACE_ENTRY(void)                                                                \
  NAME(void* source, void* tag, void* comm, int* found, void* status, int* error) {  \
    static const Function<void(void*, void*, void*, int*, void*, int*)> next(#NAME); \
    ask_in_fortran(next, found, error, source, tag, comm, found, status);            \
  }
TERRACE_SPELLINGS(TERRACE_IPROBE, iprobe, IPROBE)

#define TERRACE_IMPROBE(NAME)                                                                      \
  TERRACE_ENTRY(void)                                                                              \
  NAME(void* source, void* tag, void* comm, int* found, void* message, void* status, int* error) { \
    static const Function<void(void*, void*, void*, int*, void*, void*, int*)> next(#NAME);        \
    ask_in_fortran(next, found, error, source, tag, comm, found, message, status);                 \
  }
TERRACE_SPELLINGS(TERRACE_IMPROBE, improbe, IMPROBE)

#define TERRACE_WIN_TEST(NAME)                                     \
  TERRACE_ENTRY(void) NAME(void* window, int* found, int* error) { \
    static const Function<void(void*, int*, int*)> next(#NAME);    \
    ask_in_fortran(next, found, error, window, found);             \
  }
TERRACE_SPELLINGS(TERRACE_WIN_TEST, win_test, WIN_TEST)

}  // namespace terrace::preload
