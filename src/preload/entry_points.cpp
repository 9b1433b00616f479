// SPDX-License-Identifier: BSD-3-Clause
// The C entry points that programs call, for all ABIs: each call goes to the core, and on to the
// next library in the chain if the core leaves it to the MPI.
#include <cstring>

#include "preload/calls.hpp"
#include "preload/doors.hpp"
#include "preload/functions.hpp"
#include "preload/handed.hpp"
#include "preload/memberships.hpp"
#include "preload/repetition.hpp"
#include "preload/split_type.hpp"
#include "preload/trace.hpp"

namespace terrace::preload {

namespace {

constexpr int kSuccess = 0;
constexpr int kErrorOther = 16;  // some error: what it means differs from MPI to MPI

/// The call after us, if there is one.
template <class Signature, class... Arguments>
int forward(const Function<Signature>& next, Arguments... arguments) {
  const HandedOver handed;
  if (!next) return kErrorOther;
  const bool is_recorded = recorder() != nullptr && is_handed_now();
  const int error = next(arguments...);
  if (is_recorded) end_handed();
  return error;
}

std::size_t bytes_of_handle(const MpiBelow& below) {
  return below.handle_bits == ~Handle{0} ? sizeof(Handle) : sizeof(int);
}

/// The handle that lies there.
Handle handle_at(const void* place, const MpiBelow& below) {
  Handle handle = 0;  // little-endian
  std::memcpy(&handle, place, bytes_of_handle(below));
  return handle;
}

int free_by(const Function<int(void*)>& next, void* comm) {
  const MpiBelow* below = mpi_below();
  if (comm == nullptr || below == nullptr) return forward(next, comm);
  Ending ending(handle_at(comm, *below));
  const int error = forward(next, comm);
  if (error != kSuccess) ending.fail();
  return error;
}

// What kind of handle a word holds.
struct Comm;
struct Datatype;
struct Info;
struct Op;

/// The bits of a word that are a handle's.
Handle handle_mask() {
  // relaxed: all threads find the same; no partner.
  const Handle bits = known_handle_bits.load(std::memory_order_relaxed);
  return bits != 0 ? bits : find_handle_bits();
}

template <class Kind>
Handle handle_in(Word word) {
  return word & handle_mask();
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
  return {const_cast<void*>(buffer), Numbers(counts), Numbers(places), 0, [types](std::size_t i) {
            const std::size_t bytes = bytes_of_handle(*mpi_below());
            return handle_at(reinterpret_cast<const char*>(types) + i * bytes, *mpi_below());
          }};
}

}  // namespace

namespace of_programs {

constexpr Names kNames = Names::mpi;
#define TERRACE_SPELLED(NAME) NAME
#define TERRACE_DOOR(NAME) TERRACE_DOOR_OF_PROGRAMS(NAME)
#define TERRACE_DOOR_IS_OURS(NAME) TERRACE_IS_OURS_OF_PROGRAMS(NAME)
#include "preload/entry_points_inl.hpp"
#undef TERRACE_SPELLED
#undef TERRACE_DOOR
#undef TERRACE_DOOR_IS_OURS

}  // namespace of_programs

namespace of_tools {

constexpr Names kNames = Names::pmpi;
#define TERRACE_SPELLED(NAME) P##NAME
#define TERRACE_DOOR(NAME) TERRACE_DOOR_OF_TOOLS(NAME)
#define TERRACE_DOOR_IS_OURS(NAME) TERRACE_IS_OURS_OF_TOOLS(NAME)
#include "preload/entry_points_inl.hpp"

}  // namespace of_tools

}  // namespace terrace::preload
