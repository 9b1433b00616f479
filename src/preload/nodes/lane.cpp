// SPDX-License-Identifier: BSD-3-Clause
// Collectives of a lane: trees of messages for what has a root, exchanges at doubling distances
// for allreduce and barrier, and a message for each pair of ranks where blocks are moved.
#include "preload/nodes/lane.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "base/contract.hpp"

namespace terrace::preload {

namespace {

/// Looks at the transfers before the first yield: a look drives the MPI, which takes longer than a
/// yield, and another rank may need the core.
constexpr std::uint32_t kLooksBeforeYields = 4, kLooksPerClock = 64;
/// Looks for messages that no call has received, after the last call: they may still be on their
/// way.
constexpr std::uint32_t kLastLooks = 20;
/// A rank that has waited this long asks the rank that it waits for, and answers others' inquiries.
constexpr std::uint64_t kInquireAfterNs = 50'000'000, kInquireAgainNs = 1'000'000'000;

}  // namespace

Lane::~Lane() {
  // Its buffer is in this object.
  while (!inquiring_.is_over && transport_->look(inquiring_)) {
  }
}

Lane::Lane(std::unique_ptr<LaneTransport> transport, double stall_seconds)
    : transport_(std::move(transport)), stall_seconds_(stall_seconds) {}

void Lane::begin(const CallIdentity& identity) {
  log_.begin(identity);
  // A rank that comes last never waits long, and is asked each time.
  if (log_.is_time_to_answer() && observer_ != nullptr) answer_inquiries();
}

/// Tells the observer if that rank is, or was, in another call with this number.
bool Lane::matches(const Header& theirs) {
  TERRACE_ASSERT(theirs.from < rank_count() && theirs.from != rank(), theirs.from, theirs.call);
  const CallIdentity* const mine = log_.difference(theirs);
  if (mine == nullptr) return true;
  TERRACE_REQUIRE(theirs.from < rank_count(), theirs.from, rank_count(), theirs.call);
  observer_->mismatched(static_cast<Rank>(theirs.from), *mine, theirs.identity);
  return false;
}

bool Lane::answer_inquiries() {
  Header theirs;
  while (transport_->take_inquiry(&theirs, sizeof theirs))
    if (!matches(theirs)) return false;
  return true;
}

void Lane::compare_last_calls() {
  if (calls() == 0 || !answer_inquiries()) return;
  slots_.resize(std::max(slots_.size(), kSlotBytes));
  for (std::uint32_t looks = 0; looks < kLastLooks; ++looks) {
    if (transport_->take_unexpected(slots_.data(), kSlotBytes)) {
      Header theirs;
      std::memcpy(&theirs, slots_.data(), sizeof theirs);
      matches(theirs);
      return;
    }
    observer_->yield();
  }
}

void Lane::inquire(Rank peer) {
  if (!inquiring_.is_over && !transport_->look(inquiring_)) return;
  if (!inquiring_.is_over) return;
  inquiry_ = log_.header(rank());
  inquiring_.is_over = !transport_->begin_inquiry(&inquiry_, sizeof inquiry_, peer, inquiring_);
}

/// Sends and receives, and returns when all is over. A header of another call ends it early.
bool Lane::talk(std::span<const Outgoing> out, std::span<const Incoming> in) {
  TERRACE_ASSERT(observer_ != nullptr && calls() > 0);
  return begin_all(out, in) && wait(in);
}

bool Lane::begin_all(std::span<const Outgoing> out, std::span<const Incoming> in) {
  const std::size_t messages = in.size() + out.size();
  slots_.resize(std::max(slots_.size(), messages * kSlotBytes));
  transfers_.assign(2 * messages, {});
  peers_.clear();
  for (const Incoming& one : in) peers_.push_back(one.from);
  for (const Outgoing& one : out) peers_.push_back(one.to);
  const auto slot_of = [&](std::size_t i) { return slots_.data() + i * kSlotBytes; };
  const auto begun = [](bool is_begun, Transfer& transfer) {
    transfer.is_over = !is_begun;
    return is_begun;
  };
  for (std::size_t i = 0; i < in.size(); ++i) {
    const Incoming& one = in[i];
    Transfer* const transfer = &transfers_[2 * i];
    if (!begun(transport_->begin_receive(slot_of(i), kSlotBytes, one.from, transfer[0]),
               transfer[0]))
      return false;
    if (one.count > kMostJoined &&
        !begun(transport_->begin_receive(one.bytes, one.count, one.from, transfer[1]), transfer[1]))
      return false;
  }
  const Header header = log_.header(rank());
  for (std::size_t i = in.size(); i < messages; ++i) {
    const Outgoing& one = out[i - in.size()];
    Transfer* const transfer = &transfers_[2 * i];
    const bool is_joined = one.count <= kMostJoined;
    std::memcpy(slot_of(i), &header, sizeof header);
    if (is_joined && one.count > 0) std::memcpy(slot_of(i) + sizeof header, one.bytes, one.count);
    const std::size_t bytes = sizeof header + (is_joined ? one.count : 0);
    if (!begun(transport_->begin_send(slot_of(i), bytes, one.to, transfer[0]), transfer[0]))
      return false;
    if (!is_joined &&
        !begun(transport_->begin_send(one.bytes, one.count, one.to, transfer[1]), transfer[1]))
      return false;
  }
  return true;
}

/// A message has come: compares calls, and takes a joined payload.
bool Lane::take(const Incoming& one, std::size_t index) {
  Header theirs;
  const std::byte* const slot = slots_.data() + index * kSlotBytes;
  std::memcpy(&theirs, slot, sizeof theirs);
  TERRACE_ASSERT(theirs.from == one.from, theirs.from, one.from, theirs.call);
  if (!matches(theirs)) return false;
  if (theirs.call != calls()) {  // one of the two has left out calls
    observer_->mismatched(one.from, log_.present(), log_.present());
    return false;
  }
  if (one.count > 0 && one.count <= kMostJoined)
    std::memcpy(one.bytes, slot + sizeof theirs, one.count);
  return true;
}

bool Lane::wait(std::span<const Incoming> in) {
  std::uint64_t began_ns = 0, inquires_ns = 0, stalls_ns = 0;
  for (std::uint32_t looks = 1;; ++looks) {
    const Transfer* open = nullptr;
    for (std::size_t i = 0; i < transfers_.size(); ++i) {
      Transfer& transfer = transfers_[i];
      if (transfer.is_over) continue;
      // A message's header is looked at before its payload may fail for being of another call.
      if (i % 2 == 1 && !transfers_[i - 1].is_over) continue;
      if (!transport_->look(transfer)) return false;
      const bool is_header_in = transfer.is_over && i % 2 == 0 && i / 2 < in.size();
      if (is_header_in && !take(in[i / 2], i / 2)) return false;
      if (!transfer.is_over && open == nullptr) open = &transfer;
    }
    const bool is_over = std::all_of(transfers_.begin(), transfers_.end(),
                                     [](const Transfer& one) { return one.is_over; });
    if (is_over) return true;
    if (looks > kLooksBeforeYields) observer_->yield();
    if (looks % kLooksPerClock != 0 || open == nullptr) continue;
    const std::uint64_t now = observer_->now_ns();
    if (began_ns == 0) {
      began_ns = now;
      inquires_ns = now + kInquireAfterNs;
      stalls_ns = now + static_cast<std::uint64_t>(std::clamp(stall_seconds_, 0.0, 1e9) * 1e9);
    }
    const Rank peer = peers_[static_cast<std::size_t>(open - transfers_.data()) / 2];
    if (now >= inquires_ns) {
      if (!answer_inquiries()) return false;
      observer_->waits_long();
      inquire(peer);
      inquires_ns = now + kInquireAgainNs;
    }
    if (stall_seconds_ > 0 && now >= stalls_ns) {
      observer_->stalled(peer, static_cast<double>(now - began_ns) / 1e9);
      stalls_ns = now + (now - began_ns);
    }
  }
}

/// Each rank has heard of all others after as many rounds as it takes to double up to their number.
bool Lane::barrier() {
  for (Rank distance = 1; distance < rank_count(); distance *= 2) {
    const Outgoing out{(rank() + distance) % rank_count()};
    const Incoming in{(rank() + rank_count() - distance) % rank_count()};
    if (!talk({&out, 1}, {&in, 1})) return false;
  }
  return true;
}

/// Copies by a binomial tree: a rank that has the data sends it half the remaining distance away.
bool Lane::bcast(void* bytes, std::size_t count, Rank root) {
  TERRACE_ASSERT(root < rank_count(), root);
  const Rank place = (rank() + rank_count() - root) % rank_count();  // the root's is 0
  const auto rank_at = [&](Rank other) { return (other + root) % rank_count(); };
  Rank distance = 1;
  while (distance < rank_count() && (place & distance) == 0) distance *= 2;
  if (place != 0) {
    const Incoming in{rank_at(place - distance), bytes, count};
    if (!talk({}, {&in, 1})) return false;
  }
  std::vector<Outgoing> out;
  for (distance /= 2; distance > 0; distance /= 2)
    if (place + distance < rank_count()) out.push_back({rank_at(place + distance), bytes, count});
  return talk(out, {});
}

void Lane::combine(const void* lower, const void* upper, void* sum, const Elements& elements) {
  const void* const operands[] = {lower, upper};
  elements.reduction(operands, 2, &sum, 1, elements.count, Stores::cached);
}

/// Reduces by a binomial tree, the mirror image of bcast's.
bool Lane::reduce(void* sum, const Elements& elements, Rank root) {
  TERRACE_ASSERT(root < rank_count(), root);
  const std::size_t bytes = bytes_of(elements);
  const Rank place = (rank() + rank_count() - root) % rank_count();  // the root's is 0
  const auto rank_at = [&](Rank other) { return (other + root) % rank_count(); };
  for (Rank distance = 1; distance < rank_count(); distance *= 2) {
    if ((place & distance) != 0) {
      const Outgoing out{rank_at(place - distance), sum, bytes};
      return talk({&out, 1}, {});
    }
    if (place + distance >= rank_count()) continue;
    operand_.resize(std::max(operand_.size(), bytes));
    const Incoming in{rank_at(place + distance), operand_.data(), bytes};
    if (!talk({}, {&in, 1})) return false;
    combine(sum, operand_.data(), sum, elements);
  }
  return true;
}

/// Reduces by recursive doubling. Ranks beyond the highest power of 2 give their operand to one
/// below, and get the result from it. The lower half's sum always comes first, so all get the same
/// bits.
bool Lane::allreduce(void* sum, const Elements& elements) {
  const std::size_t bytes = bytes_of(elements);
  const Rank power = std::bit_floor(rank_count());
  const bool is_beyond = rank() >= power;
  const Rank partner = is_beyond ? rank() - power : rank() + power;
  const Outgoing to_partner{partner, sum, bytes};
  const Incoming result{partner, sum, bytes};
  if (is_beyond) return talk({&to_partner, 1}, {}) && talk({}, {&result, 1});
  operand_.resize(std::max(operand_.size(), bytes));
  if (partner < rank_count()) {
    const Incoming in{partner, operand_.data(), bytes};
    if (!talk({}, {&in, 1})) return false;
    combine(sum, operand_.data(), sum, elements);
  }
  for (Rank distance = 1; distance < power; distance *= 2) {
    const Rank peer = rank() ^ distance;
    const Outgoing out{peer, sum, bytes};
    const Incoming in{peer, operand_.data(), bytes};
    if (!talk({&out, 1}, {&in, 1})) return false;
    const bool is_lower = rank() < peer;
    combine(is_lower ? sum : operand_.data(), is_lower ? operand_.data() : sum, sum, elements);
  }
  return partner >= rank_count() || talk({&to_partner, 1}, {});
}

bool Lane::gather(const Block& own, std::span<const Block> all, Rank root) {
  TERRACE_ASSERT(root < rank_count(), root);
  TERRACE_ASSERT(rank() != root || all.size() == rank_count(), all.size(), rank_count());
  if (rank() != root) {
    const Outgoing out{root, own.at, own.bytes};
    return talk({&out, 1}, {});
  }
  std::vector<Incoming> in;
  for (Rank from = 0; from < rank_count(); ++from)
    if (from != root) in.push_back({from, all[from].at, all[from].bytes});
  return talk({}, in);
}

bool Lane::scatter(std::span<const Block> all, const Block& own, Rank root) {
  TERRACE_ASSERT(root < rank_count(), root);
  TERRACE_ASSERT(rank() != root || all.size() == rank_count(), all.size(), rank_count());
  if (rank() != root) {
    const Incoming in{root, own.at, own.bytes};
    return talk({}, {&in, 1});
  }
  std::vector<Outgoing> out;
  for (Rank to = 0; to < rank_count(); ++to)
    if (to != root) out.push_back({to, all[to].at, all[to].bytes});
  return talk(out, {});
}

/// All at once, each rank beginning with the next one.
bool Lane::move_in_pairs(std::span<const Block> out, std::span<const Block> in) {
  TERRACE_ASSERT(out.size() == rank_count() && in.size() == rank_count(), out.size(), in.size());
  std::vector<Outgoing> going;
  std::vector<Incoming> coming;
  for (Rank step = 1; step < rank_count(); ++step) {
    const Rank to = (rank() + step) % rank_count();
    const Rank from = (rank() + rank_count() - step) % rank_count();
    going.push_back({to, out[to].at, out[to].bytes});
    coming.push_back({from, in[from].at, in[from].bytes});
  }
  return talk(going, coming);
}

}  // namespace terrace::preload
