// SPDX-License-Identifier: BSD-3-Clause
// Moves partitions, and lets the two sides of a partitioned message meet.
#include "threadranks/ranks/partitioned.hpp"

#include <algorithm>

#include "base/contract.hpp"
#include "threadranks/ranks/rank_state.hpp"

namespace terrace::threadranks {

PartitionedTransfer::PartitionedTransfer(const Partitions& from, Mailbox& sender)
    : from_(from),
      bytes_(from.layout.bytes()),
      bytes_each_(from.bytes_each()),
      sender_(sender),
      words_(from.count) {}

bool PartitionedTransfer::declare_ready(std::size_t partition, std::uint64_t round) {
  TERRACE_ASSERT(partition < from_.count && round > 0, partition, from_.count);
  // seq_cst, with the look at `awaited_`: of this thread and a receiver that starts, one sees the
  // other. Partner: `await_round`.
  if (words_[partition].exchange(ready_in(round)) >= ready_in(round)) return false;
  const bool is_last = ready_.fetch_add(1) + 1 == round * from_.count;
  if (awaited_.load() < round) return true;
  if (!is_whole_)
    copy_if_ready(partition, round);
  else if (is_last)
    copy_whole_if_ready(round);
  return true;
}

void PartitionedTransfer::attach(const Partitions& to, Mailbox& receiver) {
  to_ = to;
  receiver_ = &receiver;
  is_too_long_ = bytes() > to.layout.bytes();
  const std::size_t element = to.layout.type->size();
  is_whole_ = is_too_long_ || element == 0 || bytes_each_ % element != 0;
}

void PartitionedTransfer::await_round(std::uint64_t round) {
  TERRACE_ASSERT(receiver_ != nullptr);
  awaited_.store(round);  // seq_cst: as in `declare_ready`, its partner
  if (is_whole_) return copy_whole_if_ready(round);
  for (std::size_t partition = 0; partition < from_.count; ++partition)
    copy_if_ready(partition, round);
}

void PartitionedTransfer::copy_whole_if_ready(std::uint64_t round) {
  if (ready_.load() < round * from_.count) return;  // seq_cst: as in `declare_ready`
  std::uint64_t before = round - 1;
  // acquire: the thread that claims uses both buffers. Partner: the sender's and the receiver's
  // `start` of this round, published by `ready_` and `awaited_`.
  if (!whole_rounds_claimed_.compare_exchange_strong(before, round, std::memory_order_acquire,
                                                     std::memory_order_relaxed))
    return;
  copy_elements(from_.layout, to_.layout, std::min(bytes(), to_.layout.bytes()));
  count_copied(from_.count, round);
}

void PartitionedTransfer::copy_if_ready(std::size_t partition, std::uint64_t round) {
  std::uint64_t word = ready_in(round);
  // seq_cst, as in `declare_ready`, its partner.
  if (!words_[partition].compare_exchange_strong(word, word + 1)) return;
  const std::size_t elements = from_.elements(), each = bytes_each_;
  const auto at = [](const Layout& layout, std::size_t element) {
    return static_cast<const std::byte*>(layout.buffer) +
           static_cast<std::ptrdiff_t>(element) * layout.type->extent();
  };
  const Layout from{at(from_.layout, partition * elements), elements, from_.layout.type};
  const std::size_t element = to_.layout.type->size();
  const Layout to{at(to_.layout, partition * each / element), each / element, to_.layout.type};
  copy_elements(from, to, each);
  // release: pairs with the acquire in `has_arrived`; the partition is there.
  words_[partition].store(copied_in(round), std::memory_order_release);
  count_copied(1, round);
}

/// After the last one of a round, both sides may go, and this transfer with them.
void PartitionedTransfer::count_copied(std::size_t partitions, std::uint64_t round) {
  Mailbox &sender = sender_, &receiver = *receiver_;
  const std::uint64_t all = round * from_.count;
  // acq_rel: who copies last passes on what others have copied. Partner: `is_over`.
  if (copied_.fetch_add(partitions, std::memory_order_acq_rel) + partitions < all) return;
  sender.notify();
  receiver.notify();
}

bool PartitionedTransfer::has_arrived(std::size_t partition, std::uint64_t round) const {
  if (is_over(round)) return true;
  const std::size_t each = to_.bytes_each(), theirs = bytes_each_;
  if (is_whole_ || theirs == 0) return false;
  const std::size_t first = partition * each / theirs;
  const std::size_t end = std::min((partition + 1) * each, static_cast<std::size_t>(bytes_));
  for (std::size_t i = first; i * theirs < end; ++i)
    // acquire: pairs with the release in `copy_if_ready`.
    if (words_[i].load(std::memory_order_acquire) < copied_in(round)) return false;
  return true;
}

PartitionedSide::PartitionedSide(Communicator& communicator, int peer, int tag,
                                 const Partitions& partitions, bool is_sender)
    : communicator_(communicator),
      peer_(peer),
      tag_(tag),
      partitions_(partitions),
      is_sender_(is_sender),
      is_remote_(peer != kProcNull && address().mailbox == nullptr) {}

std::unique_ptr<PartitionedSide> PartitionedSide::sender(Communicator& communicator, int to,
                                                         int tag, const Partitions& from) {
  auto side =
      std::unique_ptr<PartitionedSide>(new PartitionedSide(communicator, to, tag, from, true));
  if (side->is_nowhere() || side->is_remote_) return side;
  Mailbox& own = communicator.state().messages().mailbox();
  side->transfer_ = std::make_shared<PartitionedTransfer>(from, own);
  // Who takes the message owns this reference.
  auto* const reference = new std::shared_ptr<PartitionedTransfer>(side->transfer_);
  send(side->address(), {&reference, sizeof reference, predefined_type(kByte)}, SendMode::standard,
       own, true);
  return side;
}

std::unique_ptr<PartitionedSide> PartitionedSide::receiver(Communicator& communicator, int from,
                                                           int tag, const Partitions& to) {
  auto side =
      std::unique_ptr<PartitionedSide>(new PartitionedSide(communicator, from, tag, to, false));
  if (side->is_nowhere()) return side;
  side->receiving_.source = from;
  side->receiving_.tag = tag;
  if (side->is_remote_) return side;
  side->meeting_ = std::make_unique<PartitionedMeeting>();
  PartitionedMeeting& meeting = *side->meeting_;
  meeting.receiving = side->receiving_;
  meeting.receiving.to = {&meeting.brought, sizeof meeting.brought, predefined_type(kByte)};
  side->match_queues().receive(meeting.receiving, communicator.state().messages().mailbox());
  return side;
}

PartitionedSide::~PartitionedSide() {
  if (is_nowhere() || is_sender_) return;
  RankState& state = communicator_.state();
  state.unwatch(*this);
  if (meeting_ && !meeting_->receiving.is_done) {
    state.leave(std::move(meeting_));
    return;
  }
  if (is_remote_ && round_ > 0 && !receiving_.is_done) match_queues().withdraw(receiving_);
  state.messages().forget(partitioned_context(communicator_));
}

Address PartitionedSide::address() const {
  Address address = communicator_.address_of(peer_, tag_);
  address.context = partitioned_context(communicator_);
  return address;
}

MatchQueues& PartitionedSide::match_queues() const {
  return communicator_.state().messages().match_queues(partitioned_context(communicator_));
}

void PartitionedSide::start() {
  ++round_;
  if (is_nowhere()) return;
  if (is_remote_ && !is_sender_) {
    receiving_.is_done = receiving_.is_landing = false;
    receiving_.to = partitions_.layout;
    match_queues().receive(receiving_, communicator_.state().messages().mailbox());
  }
  if (is_remote_ && is_sender_) {
    is_sent_.store(false, std::memory_order_relaxed);  // relaxed: threads hear of the start later
    if (partitions_.count == 0) send_whole();
  }
  if (!is_remote_ && !is_sender_) {
    if (is_attached())
      transfer_->await_round(round_);
    else if (!attach_if_matched())
      communicator_.state().watch(*this);
  }
}

bool PartitionedSide::attach_if_matched() {
  if (is_attached() || !meeting_->receiving.is_done) return is_attached();
  TERRACE_ASSERT(meeting_->brought != nullptr);
  transfer_ = *meeting_->brought;
  meeting_.reset();
  transfer_->attach(partitions_, communicator_.state().messages().mailbox());
  transfer_->await_round(round_);
  return true;
}

void PartitionedSide::send_whole() {
  RankState& state = communicator_.state();
  const CriticalSection critical(state.call_lock());
  sending_ =
      send(address(), partitions_.layout, SendMode::standard, state.messages().mailbox(), false);
  // release: pairs with the acquire in `is_over`, of a thread that waits.
  is_sent_.store(true, std::memory_order_release);
  state.messages().mailbox().notify();
}

bool PartitionedSide::is_over() {
  if (is_nowhere()) return true;
  if (!is_remote_) return is_attached() && transfer_->is_over(round_);
  if (!is_sender_) return receiving_.is_done;
  // acquire: pairs with the release in `send_whole`.
  if (!is_sent_.load(std::memory_order_acquire)) return false;
  if (sending_ != nullptr && !sending_->is_done()) return false;
  if (sending_ != nullptr) sending_->release();
  sending_ = nullptr;
  return true;
}

Status PartitionedSide::outcome() const {
  if (is_sender_) return {};
  if (is_nowhere()) return {kProcNull, kAnyTag, Completion::done, 0};
  if (is_remote_) return receiving_.status;
  const std::uint64_t room = partitions_.layout.bytes();
  return {peer_, tag_, transfer_->is_too_long() ? Completion::truncated : Completion::done,
          std::min(transfer_->bytes(), room)};
}

bool PartitionedSide::has_arrived(std::size_t partition) {
  if (is_over()) return true;
  return !is_remote_ && is_attached() && transfer_->has_arrived(partition, round_);
}

bool PartitionedSide::declare_ready(std::size_t partition) {
  if (is_nowhere()) return true;
  if (!is_remote_) {
    // If the receiver copies the last partition meanwhile, both sides may go.
    const std::shared_ptr<PartitionedTransfer> transfer = transfer_;
    return transfer->declare_ready(partition, round_);
  }
  // acq_rel: the last thread sends what all have written; all call this.
  const std::uint64_t ready = ready_.fetch_add(1, std::memory_order_acq_rel) + 1;
  if (ready > round_ * partitions_.count) return false;
  if (ready == round_ * partitions_.count) send_whole();
  return true;
}

}  // namespace terrace::threadranks
