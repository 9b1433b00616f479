// SPDX-License-Identifier: BSD-3-Clause
// Sends and receives by a transport, compares calls, and looks after ranks that wait long.
#include "preload/nodes/plan_messenger.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/contract.hpp"

namespace terrace::preload {

namespace {

/// Limits as a lane has them (lane.cpp).
constexpr std::uint32_t kLooksPerClock = 64, kLastLooks = 20;
constexpr std::uint64_t kInquireAfterNs = 50'000'000, kInquireAgainNs = 1'000'000'000;

}  // namespace

PlanMessenger::PlanMessenger(std::unique_ptr<LaneTransport> transport, double stall_seconds)
    : transport_(std::move(transport)), stall_seconds_(stall_seconds) {}

PlanMessenger::~PlanMessenger() {
  // Its buffer is in this object.
  while (!inquiring_.is_over && transport_->look(inquiring_)) {
  }
}

void PlanMessenger::begin(const CallIdentity& identity) {
  TERRACE_ASSERT(sent_.empty());
  log_.begin(identity);
  if (log_.is_time_to_answer()) answer_inquiries();
}

bool PlanMessenger::matches(const MessageHeader& theirs) {
  const CallIdentity* const mine = log_.difference(theirs);
  if (mine == nullptr) return true;
  TERRACE_REQUIRE(theirs.from < transport_->rank_count(), theirs.from, transport_->rank_count(),
                  theirs.call);
  observer_->mismatched(static_cast<Rank>(theirs.from), *mine, theirs.identity);
  return false;
}

bool PlanMessenger::answer_inquiries() {
  MessageHeader theirs;
  while (observer_ != nullptr && log_.calls() > 0 &&
         transport_->take_inquiry(&theirs, sizeof theirs))
    if (!matches(theirs)) return false;
  return true;
}

void PlanMessenger::compare_last_calls() {
  if (log_.calls() == 0 || !answer_inquiries()) return;
  expected_.slot.resize(kSlotBytes);
  for (std::uint32_t looks = 0; looks < kLastLooks; ++looks) {
    if (transport_->take_unexpected(expected_.slot.data(), kSlotBytes)) {
      MessageHeader theirs;
      std::memcpy(&theirs, expected_.slot.data(), sizeof theirs);
      matches(theirs);
      return;
    }
    observer_->yield();
  }
}

std::size_t PlanMessenger::bytes_of(std::span<const MessageValue> values) {
  std::size_t bytes = 0;
  for (const MessageValue& value : values) bytes += value.bytes;
  return bytes;
}

template <class Begin>
void PlanMessenger::begin_long(std::span<const MessageValue> values, Parts& parts, Begin begin) {
  for (const MessageValue& value : values) {
    if (value.bytes == 0) continue;
    Transfer& transfer = parts.transfers.emplace_back();
    transfer.is_over = !begin(value, transfer);
    has_failed_ = has_failed_ || transfer.is_over;
  }
}

void PlanMessenger::send(Rank to, std::span<const MessageValue> values) noexcept {
  TERRACE_ASSERT(observer_ != nullptr && log_.calls() > 0);
  if (has_failed_) return;
  Parts parts;
  if (!idle_.empty()) {
    parts = std::move(idle_.back());
    idle_.pop_back();
  }
  const MessageHeader header = log_.header(transport_->rank());
  const std::size_t bytes = bytes_of(values);
  const bool is_joined = bytes <= kMostJoined;
  parts.peer = to;
  parts.slot.resize(sizeof header + (is_joined ? bytes : 0));
  std::memcpy(parts.slot.data(), &header, sizeof header);
  std::byte* joined = parts.slot.data() + sizeof header;
  for (const MessageValue& value : values) {
    if (!is_joined || value.bytes == 0) continue;
    std::memcpy(joined, value.at, value.bytes);
    joined += value.bytes;
  }
  Parts& kept = sent_.emplace_back(std::move(parts));
  kept.transfers.assign(1, {});
  kept.transfers.front().is_over =
      !transport_->begin_send(kept.slot.data(), kept.slot.size(), to, kept.transfers.front());
  has_failed_ = kept.transfers.front().is_over;
  if (!is_joined)
    begin_long(values, kept, [&](const MessageValue& value, Transfer& transfer) {
      return transport_->begin_send(value.at, value.bytes, to, transfer);
    });
}

void PlanMessenger::expect(Rank from, std::span<const MessageValue> places) noexcept {
  TERRACE_ASSERT(observer_ != nullptr && log_.calls() > 0 && places_.empty());
  if (has_failed_) return;
  expected_.peer = from;
  expected_.slot.resize(kSlotBytes);
  expected_.transfers.assign(1, {});
  Transfer& header = expected_.transfers.front();
  header.is_over = !transport_->begin_receive(expected_.slot.data(), kSlotBytes, from, header);
  has_failed_ = header.is_over;
  has_header_ = false;
  places_.assign(places.begin(), places.end());
  if (bytes_of(places) > kMostJoined)
    begin_long(places, expected_, [&](const MessageValue& place, Transfer& transfer) {
      return transport_->begin_receive(place.at, place.bytes, from, transfer);
    });
}

bool PlanMessenger::are_over(Parts& parts, std::size_t first) {
  for (std::size_t i = first; i < parts.transfers.size(); ++i) {
    Transfer& transfer = parts.transfers[i];
    if (!transfer.is_over && !transport_->look(transfer)) has_failed_ = true;
    if (!transfer.is_over || has_failed_) return false;
  }
  return true;
}

/// Compares calls before a long value may fail for being of another call; takes joined values.
bool PlanMessenger::take_header() {
  MessageHeader theirs;
  std::memcpy(&theirs, expected_.slot.data(), sizeof theirs);
  TERRACE_ASSERT(theirs.from == expected_.peer, theirs.from, expected_.peer, theirs.call);
  if (!matches(theirs)) return false;
  if (theirs.call != log_.calls()) {  // one of the two has left out calls
    observer_->mismatched(expected_.peer, log_.present(), log_.present());
    return false;
  }
  const std::byte* joined = expected_.slot.data() + sizeof theirs;
  if (bytes_of(places_) > kMostJoined) return true;
  for (const MessageValue& place : places_) {
    if (place.bytes == 0) continue;
    std::memcpy(place.at, joined, place.bytes);
    joined += place.bytes;
  }
  return true;
}

MessageState PlanMessenger::look_for_expected() noexcept {
  if (has_failed_) return MessageState::failed;
  if (!has_header_) {
    Transfer& header = expected_.transfers.front();
    has_failed_ = !transport_->look(header);
    if (!has_failed_ && !header.is_over) return wait_for(expected_.peer);
    has_failed_ = has_failed_ || !take_header();
    has_header_ = true;
  }
  const bool is_over = are_over(expected_, 1);
  if (has_failed_) return MessageState::failed;
  if (!is_over) return wait_for(expected_.peer);
  places_.clear();
  return end_wait();
}

MessageState PlanMessenger::look_for_gone(std::uint32_t newest) noexcept {
  while (!has_failed_ && sent_.size() > newest && are_over(sent_.front(), 0)) {
    idle_.push_back(std::move(sent_.front()));
    sent_.pop_front();
  }
  if (has_failed_) return MessageState::failed;
  return sent_.size() > newest ? wait_for(sent_.front().peer) : end_wait();
}

MessageState PlanMessenger::end_wait() {
  wait_ = {};
  return MessageState::over;
}

void PlanMessenger::inquire(Rank peer) {
  if (!inquiring_.is_over && !transport_->look(inquiring_)) has_failed_ = true;
  if (!inquiring_.is_over || has_failed_) return;
  inquiry_ = log_.header(transport_->rank());
  inquiring_.is_over = !transport_->begin_inquiry(&inquiry_, sizeof inquiry_, peer, inquiring_);
}

/// Called at each look in vain.
MessageState PlanMessenger::wait_for(Rank peer) {
  if (++wait_.looks % kLooksPerClock != 0) return MessageState::on_its_way;
  const std::uint64_t now = observer_->now_ns();
  if (wait_.began_ns == 0) {
    wait_.began_ns = now;
    wait_.inquires_ns = now + kInquireAfterNs;
    wait_.stalls_ns = now + static_cast<std::uint64_t>(std::clamp(stall_seconds_, 0.0, 1e9) * 1e9);
  }
  if (now >= wait_.inquires_ns) {
    has_failed_ = has_failed_ || !answer_inquiries();
    if (has_failed_) return MessageState::failed;
    observer_->waits_long();
    inquire(peer);
    wait_.inquires_ns = now + kInquireAgainNs;
  }
  if (stall_seconds_ > 0 && now >= wait_.stalls_ns) {
    observer_->stalled(peer, static_cast<double>(now - wait_.began_ns) / 1e9);
    wait_.stalls_ns = now + (now - wait_.began_ns);
  }
  return MessageState::on_its_way;
}

}  // namespace terrace::preload
