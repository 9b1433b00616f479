// SPDX-License-Identifier: BSD-3-Clause
// What is on its way from a member to one other process.
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
  // acquire: pairs with the release in `note_done`; what they got is there.
  bool are_done(std::uint64_t calls) const { return done.load(std::memory_order_acquire) >= calls; }
  /// Of a flush, or of unlocks; or of a call that has an answer only as it has failed. Its flush
  /// is answered after it.
  void answered(const WindowCall& answer, std::span<const std::byte>) override {
    if (answer.has_failed) return access.note_failure(answer.target);
    Mailbox& mailbox = access.mailbox();
    note_done(answer.calls);
    mailbox.notify();
  }

  RemoteAccess& access;
  const int process;
  std::uint64_t sent = 0, asked = 0;
  std::atomic<std::uint64_t> done{0};
};

}  // namespace terrace::threadranks
