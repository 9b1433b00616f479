// SPDX-License-Identifier: BSD-3-Clause
// C's entry points, which programs call, for the ABI that the build names: each call goes to the
// core, and on to the next in the chain if the core leaves it to the MPI.
#include TERRACE_ABI_HEADER

namespace terrace::preload {
namespace abi = TERRACE_ABI;
}

#include "preload/calls.hpp"
#include "preload/functions.hpp"
#include "preload/memberships.hpp"

namespace terrace::preload {

const NextFunctions& next_functions() {
  static const NextFunctions functions;
  return functions;
}

namespace {

constexpr int kSuccess = 0;

/// The call after us, if there is one.
template <class Signature, class... Arguments>
int forward(const Function<Signature>& next, Arguments... arguments) {
  return next ? next(arguments...) : abi::kErrorOther;
}

/// Another MPI's handle may be shorter than ours: not even looked at, unless it is the MPI we know.
int free_by(const Function<int(Comm*)>& next, Comm* comm) {
  if (comm == nullptr || mpi_below() == nullptr) return forward(next, comm);
  Ending ending(widen(*comm));
  const int error = forward(next, comm);
  if (error != kSuccess) ending.fail();
  return error;
}

/// A word as our own handle.
template <class Native>
Handle handle_in(Word word) {
  return widen(narrow<Native>(word));
}

template <class Number>
UnevenBlocks one_block(const void* buffer, const Number* count, Word type) {
  return {const_cast<void*>(buffer), Numbers(count), {}, handle_in<Datatype>(type), nullptr};
}

template <class Number, class Place>
UnevenBlocks blocks(const void* buffer, const Number* counts, const Place* places, Word type) {
  return {const_cast<void*>(buffer), Numbers(counts), Numbers(places), handle_in<Datatype>(type),
          nullptr};
}

template <class Number, class Place>
UnevenBlocks typed_blocks(const void* buffer, const Number* counts, const Place* places,
                          const Datatype* types) {
  return {const_cast<void*>(buffer), Numbers(counts), Numbers(places), 0,
          [types](std::size_t i) { return widen(types[i]); }};
}

}  // namespace

#define TERRACE_ENTRY extern "C" __attribute__((visibility("default"))) int

TERRACE_ENTRY MPI_Barrier(Word comm) {
  if (run_barrier({handle_in<Comm>(comm)})) return kSuccess;
  return forward(next_functions().barrier, comm);
}

TERRACE_ENTRY MPI_Comm_free(Comm* comm) {
  return free_by(next_functions().comm_free, comm);
}

TERRACE_ENTRY MPI_Comm_disconnect(Comm* comm) {
  return free_by(next_functions().comm_disconnect, comm);
}

namespace plain_counts {

using Number = int;
using Place = int;
#define TERRACE_NAME(NAME) NAME
#include "preload/entry_points_inl.hpp"
#undef TERRACE_NAME

}  // namespace plain_counts

// Only where the MPI below has them: by their presence, programs judge what the MPI can do.
#if TERRACE_LARGE_COUNTS
namespace large_counts {

using Number = Count;
using Place = std::intptr_t;
#define TERRACE_NAME(NAME) NAME##_c
#include "preload/entry_points_inl.hpp"
#undef TERRACE_NAME

}  // namespace large_counts
#endif

}  // namespace terrace::preload
