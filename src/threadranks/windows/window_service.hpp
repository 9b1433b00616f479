// SPDX-License-Identifier: BSD-3-Clause
// The windows of a process, and what members in other processes want of them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "threadranks/network/process_network.hpp"
#include "threadranks/windows/shared_window.hpp"
#include "threadranks/windows/window_calls.hpp"

namespace terrace::threadranks {

class WindowService final : public RemoteCalls {
 public:
  explicit WindowService(RanksJob& job) : job_(job) {}
  /// Makes the job's service, in the job's constructor.
  static std::unique_ptr<RemoteCalls> make(RanksJob& job) {
    return std::make_unique<WindowService>(job);
  }
  static WindowService& of(RanksJob& job);

  /// Returns what members in this process share: made for the first of them that asks.
  SharedWindow& shared_of(const SharedCommunicator& communicator, Flavor flavor);
  /// Frees it, when its last member has left.
  void forget(const SharedWindow& shared);
  void take(int process, const std::byte* call, std::size_t bytes) override;

 private:
  /// A call that is being carried out.
  struct Taken;

  SharedWindow& window_of(const WindowCall& call);
  void carry_out(const Taken& call);
  void answer(int process, const WindowCall& call, bool has_failed);
  template <class Write>
  void answer_with(const Taken& call, std::size_t bytes, Write&& write);
  void answer_if_wanted(const Taken& call);
  void send_elements(const Taken& call);
  void accumulate(const Taken& call);
  void swap_if_equal(const Taken& call);
  void combine(const Taken& call, std::size_t bytes);
  void receive_elements(const Taken& call);
  void lock(const Taken& call);
  void unlock(const Taken& call);
  struct Pending;
  class PutArrival;
  class RemoteWaiter;

  ProcessNetwork& network() const;

  RanksJob& job_;
  std::mutex mutex_;
  std::unordered_map<std::uint32_t, std::unique_ptr<SharedWindow>> windows_;  ///< by context
  // Used by the thread that drives:
  Runs runs_;
  using Elements = std::array<std::byte, kMostEagerBetweenProcesses>;
  alignas(64) Elements sums_, given_, before_;
};

}  // namespace terrace::threadranks
