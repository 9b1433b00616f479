// SPDX-License-Identifier: BSD-3-Clause
// Puts envelopes into the ring, and beside it when they do not fit.
#include "threadranks/matching/mailbox.hpp"

#include <cstring>

#include "base/pause.hpp"

namespace terrace::threadranks {

void* Envelope::address() const {
  void* address;
  std::memcpy(&address, payload.data(), sizeof address);
  return address;
}

Mailbox::Mailbox() : slots_(std::make_unique<Slot[]>(kSlots)) {}

void Mailbox::notify() {
  // An owner that waits for events waits for one of this line (docs/design/waiting.md). release: as
  // in `notify_sleeper`, whose partner is this one's, too.
  if (pause_kind() == PauseKind::wfe) counter_.fetch_add(1, std::memory_order_release);
  notify_sleeper(counter_, sleepers_);
}

void Mailbox::notify_surely() {
  // seq_cst, both: an owner that registers after the load below finds the counter changed, for the
  // kernel has a full fence between the two. Partner: `sleep_unless`.
  counter_.fetch_add(1, std::memory_order_seq_cst);
  if (sleepers_.load(std::memory_order_seq_cst) != 0) wake(counter_);
}

}  // namespace terrace::threadranks
