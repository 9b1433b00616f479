// SPDX-License-Identifier: BSD-3-Clause
// Starts and finishes requests.
#include "threadranks/matching/requests.hpp"

#include "base/contract.hpp"
#include "threadranks/network/process_network.hpp"
#include "threadranks/ranks/rank_state.hpp"
#include "threadranks/windows/remote_access.hpp"

namespace terrace::threadranks {

Request::~Request() {
  if (kind == Kind::receive && is_active && !receiving.is_done)
    communicator->match_queues().withdraw(receiving);
  if (sending != nullptr) sending->release();
  partitioned.reset();
  if (layout.type != nullptr) layout.type->release();
  operation.reset();  // before the communicator that is kept for it
}

void Request::start() {
  TERRACE_ASSERT(!is_active && kind != Kind::nothing && kind != Kind::general, kind);
  is_active = true;
  has_written_back = false;
  for (BufferCopy* one = copies.get(); one != nullptr; one = one->next.get()) one->read();
  if (kind == Kind::collective) {
    operation = restart();
    communicator->begin(operation);
    return;
  }
  if (kind == Kind::partitioned) return partitioned->start();
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

bool Request::is_over() const {
  if (!is_active) return true;
  switch (kind) {
    case Kind::send:
      return sending == nullptr || sending->is_done();
    case Kind::receive:
      return receiving.is_done && (!also || also->is_over());
    case Kind::collective:
      return operation->is_over;
    case Kind::general:
      return general->is_complete;
    case Kind::partitioned:
      return partitioned->is_over();
    case Kind::one_sided:
      return static_cast<const RemoteProgress*>(kept.get())->is_over();
    case Kind::nothing:
      break;
  }
  return true;
}

void Request::write_back() {
  if (has_written_back) return;
  has_written_back = true;
  for (BufferCopy* one = copies.get(); one != nullptr; one = one->next.get()) one->write_back();
}

Status Request::outcome() const {
  Status status;
  if (is_active && kind == Kind::receive) return receiving.status;
  if (is_active && kind == Kind::partitioned) return partitioned->outcome();
  if (is_active && kind == Kind::one_sided) {
    // relaxed: `is_over` has acquired. Partner: `RemoteProgress::note_failure`.
    const auto& has_failed = static_cast<const RemoteProgress*>(kept.get())->has_failed;
    if (has_failed.load(std::memory_order_relaxed)) status.outcome = Completion::not_attached;
  }
  if (is_active && operation) status.outcome = operation->outcome;
  if (is_active && sending != nullptr && sending->has_been_cancelled())
    status.outcome = Completion::cancelled;
  return status;
}

Status Request::finish() {
  const Status status = outcome();
  TERRACE_ASSERT(is_over(), kind);
  if (sending != nullptr) sending->release();
  sending = nullptr;
  write_back();
  is_active = false;
  return status;
}

void Request::cancel() {
  if (!is_active) return;
  if (kind == Kind::receive && !receiving.is_done) communicator->match_queues().withdraw(receiving);
  if (kind == Kind::general) general->cancel();
  if (kind != Kind::send || sending == nullptr) return;
  if (sending->process >= 0)
    sending->sender->network->ask_back(*sending);
  else
    sending->cancel();
}

}  // namespace terrace::threadranks
