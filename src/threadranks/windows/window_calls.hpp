// SPDX-License-Identifier: BSD-3-Clause
// What members of a window in different processes send each other, as calls of the network: a
// heading, the runs of the target's elements, and their bytes, one after the other.
//
//     origin's process                       target's process, whichever rank drives there
//     put, accumulate        ------------->  done at once
//                            <-------------  answer, if it is wanted or the call has failed
//     get, fetch, swap       ------------->  done at once
//                            <-------------  answer, with bytes
//     long_get               ------------->
//                            <=============  bytes, apart from the calls
//     long_put               ------------->
//                            <-------------  wanted
//                            =============>  bytes
//                            <-------------  answer
//     flush, lock, unlock    ------------->
//                            <-------------  answer
//     posted, completed      ------------->  counted
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <utility>

#include "threadranks/network/process_network.hpp"
#include "threadranks/windows/accumulate.hpp"
#include "threadranks/windows/runs.hpp"

namespace terrace::threadranks {

/// The heading.
struct WindowCall {
  enum class Kind : std::uint8_t {
    put,
    get,
    accumulate,
    fetch,  ///< and accumulate
    swap,   ///< if equal; the bytes are what is compared, then what is stored
    long_get,
    long_put,
    lock,  ///< shared ones also of the members behind the target, as long as they are free
    unlock,
    flush,
    posted,     ///< `origin` has posted for `target`
    completed,  ///< `origin` has completed
    // Back:
    wanted,
    answer,
  };

  Kind kind = Kind::put;
  bool is_exclusive = false;
  bool is_answered = false;  ///< even if it fetches nothing and does not fail
  bool has_failed = false;   ///< in an answer: the memory is not in the window
  Accumulation::Kind how = Accumulation::Kind::nothing;
  TypeClass elements = TypeClass::opaque;
  Operator op = Operator::sum;
  std::uint16_t element_bytes = 1;
  std::uint32_t window = 0;  ///< the context of its communicator
  std::int32_t origin = 0, target = 0;
  std::uint32_t runs = 0;
  std::uint64_t number = 0;  ///< the origin's, of a call that has an answer, or has one if it fails
  std::uint64_t calls = 0;   ///< the origin's to that process so far, which are done when it is
  std::int64_t last = 0;     ///< of locks: the last member; in the answer, the last that is locked
};
static_assert(sizeof(WindowCall) % alignof(ByteRun) == 0);

/// Bytes for runs and values of a call.
inline constexpr std::size_t kRoomInCall = kMostEagerBetweenProcesses - sizeof(WindowCall);

/// Sends a call with runs and so many bytes, which `write(place)` copies.
template <class Write>
void send_call(ProcessNetwork& network, int process, WindowCall call, std::span<const ByteRun> runs,
               std::size_t bytes, Write&& write, std::unique_ptr<Arrival> arrival = nullptr) {
  call.runs = static_cast<std::uint32_t>(runs.size());
  network.call(
      process, sizeof call + runs.size_bytes() + bytes,
      [&](std::byte* place) {
        std::memcpy(place, &call, sizeof call);
        place += sizeof call;
        if (!runs.empty()) std::memcpy(place, runs.data(), runs.size_bytes());
        if (bytes > 0) write(place + runs.size_bytes());
      },
      std::move(arrival));
}
inline void send_call(ProcessNetwork& network, int process, const WindowCall& call,
                      std::span<const ByteRun> runs = {},
                      std::unique_ptr<Arrival> arrival = nullptr) {
  send_call(
      network, process, call, runs, 0, [](std::byte*) {}, std::move(arrival));
}

/// An origin's call that waits for its answer; its address is the call's number.
class AnsweredCall {
 public:
  /// Called by the rank that drives. The call looks after itself.
  virtual void answered(const WindowCall& answer, std::span<const std::byte> bytes) = 0;
  std::uint64_t number() const { return reinterpret_cast<std::uintptr_t>(this); }
  static AnsweredCall& of(std::uint64_t number) {
    return *reinterpret_cast<AnsweredCall*>(static_cast<std::uintptr_t>(number));
  }

 protected:
  ~AnsweredCall() = default;
};

}  // namespace terrace::threadranks
