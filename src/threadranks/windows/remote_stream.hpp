// SPDX-License-Identifier: BSD-3-Clause
// A member's calls to one other process, in order, and how many of them are done there.
#pragma once

#include <atomic>
#include <cstdint>

#include "threadranks/matching/mailbox.hpp"
#include "threadranks/windows/remote_access.hpp"

namespace terrace::threadranks {

class RemoteAccess::Stream final : public AnsweredCall {
 public:
  Stream(RemoteAccess& its_access, int its_process) : access(its_access), process(its_process) {}

  /// Called by the thread that drives.
  void note_done(std::uint64_t calls) {
    // relaxed: only the thread that drives stores.
    if (calls <= done.load(std::memory_order_relaxed)) return;
    // release: pairs with the acquire in `are_done`.
    done.store(calls, std::memory_order_release);
  }
  // acquire: pairs with the release in `note_done`; what they fetched is there.
  bool are_done(std::uint64_t calls) const { return done.load(std::memory_order_acquire) >= calls; }
  /// The answer to a flush or an unlock; or to a call that is answered only because it has failed,
  /// and whose flush is answered later.
  void answered(const WindowCall& answer, std::span<const std::byte>) override {
    if (answer.has_failed) return access.note_failure(answer.target);
    Mailbox& mailbox = access.mailbox();
    note_done(answer.calls);  // the window may be freed from here on
    mailbox.notify();
  }

  RemoteAccess& access;
  const int process;
  std::uint64_t sent = 0;   ///< calls so far
  std::uint64_t asked = 0;  ///< of those, up to the last one that has an answer
  std::atomic<std::uint64_t> done{0};
};

}  // namespace terrace::threadranks
