// SPDX-License-Identifier: BSD-3-Clause
// The C entry points that programs call, for all ABIs: each call runs in the core, or falls back
// to the next library in the chain.
#include <cstring>

#include "preload/dispatch/hot_path.hpp"
#include "preload/dispatch/split_type.hpp"
#include "preload/dispatch/timed_mpi_call.hpp"
#include "preload/lookup/entry_names.hpp"
#include "preload/lookup/next_functions.hpp"
#include "preload/mpi/calls.hpp"
#include "preload/mpi/trace.hpp"
#include "preload/requests/nonblocking_call.hpp"
#include "preload/requests/persistent.hpp"
#include "preload/requests/start.hpp"
#include "preload/requests/waits.hpp"
#include "preload/setup/comm_states.hpp"

namespace terrace::preload {

namespace {

constexpr int kSuccess = 0;
constexpr int kErrorOther = 16;  // some error: what it means differs from MPI to MPI

/// Calls the next function in the chain, if there is one.
template <class Signature, class... Arguments>
int forward(const NextFunction<Signature>& next, Arguments... arguments) {
  const TimedMpiCall timed;
  if (!next) return kErrorOther;
  const bool is_recorded = recorder() != nullptr && is_fallback_now();
  const int error = next(arguments...);
  if (is_recorded) end_fallback();
  return error;
}

std::size_t bytes_of_handle(const UnderlyingMpi& underlying) {
  return underlying.handle_bits == ~Handle{0} ? sizeof(Handle) : sizeof(int);
}

/// The handle at `place`.
Handle handle_at(const void* place, const UnderlyingMpi& underlying) {
  Handle handle = 0;  // little-endian
  std::memcpy(&handle, place, bytes_of_handle(underlying));
  return handle;
}

int free_by(const NextFunction<int(void*)>& next, void* comm) {
  const UnderlyingMpi* underlying = underlying_mpi();
  if (comm == nullptr || underlying == nullptr) return forward(next, comm);
  CommFreeGuard free_guard(handle_at(comm, *underlying));
  const int error = forward(next, comm);
  if (error != kSuccess) free_guard.fail();
  return error;
}

/// Waits for calls on the communicator first, as the MPI does for its own.
int disconnect_by(const NextFunction<int(void*)>& next, void* comm) {
  UnderlyingMpi* const underlying = underlying_mpi();
  if (comm != nullptr && underlying != nullptr)
    wait_for_calls_on(*underlying, handle_at(comm, *underlying));
  return free_by(next, comm);
}

/// The request of a call that Terrace starts, for the program.
class StartedRequest {
 public:
  explicit StartedRequest(void* place) : place_(place) {}
  int give() const {
    std::memcpy(place_, &handle, underlying_mpi()->requests.bytes);  // little-endian
    return kSuccess;
  }

  Handle handle = 0;

 private:
  void* place_;
};

/// Lets peers that wait for a call of this rank know that it makes none now.
int finalize_by(const NextFunction<int()>& next) {
  tell_finalizing(Finalizing::now);
  end_setups();
  const int error = forward(next);
  if (error == kSuccess) tell_finalizing(Finalizing::done);
  return error;
}

// The kind of handle that a word holds.
struct Comm;
struct Datatype;
struct Info;
struct Op;

/// The bits of a word that hold the handle.
Handle handle_mask() {
  // relaxed: all threads find the same; no partner.
  const Handle bits = known_handle_bits.load(std::memory_order_relaxed);
  return bits != 0 ? bits : find_handle_bits();
}

template <class TypeClass>
Handle handle_in(HandleWord word) {
  return word & handle_mask();
}

template <class Number>
VectorBlocks one_block(const void* buffer, const Number* count, HandleWord type) {
  return {const_cast<void*>(buffer), count, {}, handle_in<Datatype>(type), nullptr};
}

template <class Number, class Displacement>
VectorBlocks blocks(const void* buffer, const Number* counts, const Displacement* places,
                    HandleWord type) {
  return {const_cast<void*>(buffer), counts, places, handle_in<Datatype>(type), nullptr};
}

template <class Number, class Displacement>
VectorBlocks typed_blocks(const void* buffer, const Number* counts, const Displacement* places,
                          const Datatype* types) {
  return {const_cast<void*>(buffer), counts, places, 0, [types](std::size_t i) {
            const std::size_t bytes = bytes_of_handle(*underlying_mpi());
            return handle_at(reinterpret_cast<const char*>(types) + i * bytes, *underlying_mpi());
          }};
}

/// Blocks of one length in a row, one for each neighbour.
VectorBlocks blocks_in_a_row(const void* buffer, std::int64_t count, HandleWord type) {
  return {const_cast<void*>(buffer), MpiCounts::all(count), MpiCounts::multiples_of(count),
          handle_in<Datatype>(type), nullptr};
}

}  // namespace

namespace of_programs {

constexpr Names kNames = Names::mpi;
#define TERRACE_SPELLED(NAME) NAME
#define TERRACE_ENTRY_NAME(NAME) TERRACE_ENTRY_OF_PROGRAMS(NAME)
#define TERRACE_ENTRY_IS_OURS(NAME) TERRACE_IS_OURS_OF_PROGRAMS(NAME)
#include "preload/entry/entry_points_inl.hpp"
#undef TERRACE_SPELLED
#undef TERRACE_ENTRY_NAME
#undef TERRACE_ENTRY_IS_OURS

}  // namespace of_programs

namespace of_tools {

constexpr Names kNames = Names::pmpi;
#define TERRACE_SPELLED(NAME) P##NAME
#define TERRACE_ENTRY_NAME(NAME) TERRACE_ENTRY_OF_TOOLS(NAME)
#define TERRACE_ENTRY_IS_OURS(NAME) TERRACE_IS_OURS_OF_TOOLS(NAME)
#include "preload/entry/entry_points_inl.hpp"

}  // namespace of_tools

}  // namespace terrace::preload
