// SPDX-License-Identifier: BSD-3-Clause
// Starts and finishes requests.
#include "threadranks/ranks/requests.hpp"

#include "base/contract.hpp"
#include "threadranks/ranks/rank_state.hpp"
#include "threadranks/ranks/remote_progress.hpp"

namespace terrace::threadranks {

void Request::give_up() {
  if (kind == Kind::receive && is_active && !receiving.is_done)
    communicator->match_queues().withdraw(receiving);
  if (sending != nullptr) sending->release();
  if (rare) rare->partitioned.reset();
}

void Request::start() {
  TERRACE_ASSERT(!is_active && kind != Kind::nothing && kind != Kind::general, kind);
  is_active = true;
  if (rare) {
    rare->has_written_back = false;
    for (BufferCopy* one = rare->copies.get(); one != nullptr; one = one->next.get()) one->read();
  }
  if (kind == Kind::collective) {
    Operation& operation = *rare->operation;
    started.on = nullptr;
    started.is_truncated = false;
    if (operation.start_again(*communicator.get(), started)) return;
    operation.is_over = false;
    operation.outcome = Completion::done;
    operation.restart();
    communicator->enqueue(rare->operation);
    return;
  }
  if (kind == Kind::partitioned) return rare->partitioned->start();
  if (peer == kProcNull && kind != Kind::receive) return;
  RankMessages& messages = communicator->state().messages();
  if (kind == Kind::send) {
    sending = send(communicator->address_of(peer, tag), layout, mode, messages.mailbox(), false);
    return;
  }
  receiving.is_done = false;
  receiving.source = peer;
  receiving.tag = tag;
  receiving.to = layout;
  if (peer == kProcNull) {
    receiving.status = {kProcNull, kAnyTag, Completion::done, 0};
    receiving.is_done = true;
    return;
  }
  // Matches arrived envelopes with this receive when they are taken, so that they go straight to
  // their buffers, and leaves their line to its writer meanwhile.
  communicator->match_queues().receive(receiving, messages.mailbox());
}

bool Request::is_rest_over() const {
  switch (kind) {
    case Kind::collective:
      return started.on != nullptr ? started.is_over : rare->operation->is_over;
    case Kind::general:
      return rare->general->is_complete;
    case Kind::partitioned:
      return rare->partitioned->is_over();
    case Kind::one_sided:
      return static_cast<const RemoteProgress*>(rare->kept.get())->is_over();
    case Kind::receive:
      return !rare->also || rare->also->is_over();
    case Kind::nothing:
    case Kind::send:
      break;
  }
  return true;
}

void Request::write_back() {
  if (!rare || rare->has_written_back) return;
  rare->has_written_back = true;
  for (BufferCopy* one = rare->copies.get(); one != nullptr; one = one->next.get())
    one->write_back();
}

Status Request::outcome() const {
  Status status;
  if (is_active && kind == Kind::receive) return receiving.status;
  if (is_active && kind == Kind::partitioned) return rare->partitioned->outcome();
  if (is_active && kind == Kind::one_sided) {
    // relaxed: `is_over` has acquired. Partner: `RemoteProgress::note_failure`.
    const auto& has_failed = static_cast<const RemoteProgress*>(rare->kept.get())->has_failed;
    if (has_failed.load(std::memory_order_relaxed)) status.outcome = Completion::not_attached;
  }
  if (is_active && rare && rare->operation) status.outcome = rare->operation->outcome;
  if (is_active && started.on != nullptr && started.is_truncated)
    status.outcome = Completion::truncated;
  if (is_active && sending != nullptr && sending->has_been_cancelled())
    status.outcome = Completion::cancelled;
  return status;
}

Status Request::finish_all() {
  const Status status = outcome();
  TERRACE_ASSERT(is_over(), kind);
  if (sending != nullptr) sending->release();
  sending = nullptr;
  write_back();
  is_active = false;
  return status;
}

int Request::cancel() {
  if (!is_active) return 0;
  if (kind == Kind::receive && !receiving.is_done) communicator->match_queues().withdraw(receiving);
  if (kind == Kind::general) return rare->general->cancel();
  if (kind != Kind::send || sending == nullptr) return 0;
  if (sending->process >= 0)
    sending->sender->network->ask_back(*sending);
  else
    sending->cancel();
  return 0;
}

}  // namespace terrace::threadranks
