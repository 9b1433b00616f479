// SPDX-License-Identifier: BSD-3-Clause
// Ends the job when a peer is dead or calls do not match; names ranks and calls for messages.
#include "preload/waiting/wait_environment.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <span>

#include "base/say.hpp"
#include "engine/signature.hpp"
#include "preload/mpi/exit_status.hpp"
#include "preload/mpi/trace.hpp"
#include "preload/nodes/multi_node_communicator.hpp"
#include "preload/waiting/liveness.hpp"

namespace terrace::preload {

namespace {

/// Rounds of waiting take some microseconds when yielding, 100 when sleeping.
constexpr std::uint32_t kRoundsBetweenLooks = 64;

/// Interval at which a waiter checks whether its peers live: each check asks the kernel about each
/// of them.
constexpr std::uint64_t kLookNs = 1'000'000'000;

/// A peer may yet make a call in MPI_Finalize, from a function that deletes an attribute. It counts
/// as one that makes none after this many looks that found it so.
constexpr int kPollsBeforeVerdict = 3;

/// One rank reports a death and ends the job; others wait this long, in case it is blocked
/// elsewhere.
constexpr useconds_t kOthersSpeakAfterUs = 500'000;

/// The last call that a rank has begun.
std::uint64_t call_of(const TeamMemory& memory, Rank rank) {
  // acquire: pairs with the release in `EndpointState::tell`; only for messages.
  return memory.ranks[rank].word->call.load(std::memory_order_acquire);
}

bool has_living_rank_below(std::span<const Peer> peers, Rank own) {
  return std::any_of(peers.begin(), peers.begin() + own,
                     [](const Peer& peer) { return !is_gone(peer.world_rank); });
}

std::string host_name() {
  char name[256] = {};
  gethostname(name, sizeof name - 1);
  return name;
}

}  // namespace

/// A waiting rank checks from time to time whether its peers are alive.
void MpiWaitEnvironment::progress() noexcept {
  underlying_.progress();
  if (++rounds_ % kRoundsBetweenLooks != 0) return;
  if (over_nodes_ != nullptr && !is_ending_) over_nodes_->answer_inquiries();
  const std::uint64_t now = now_ns();
  if (rounds_ == kRoundsBetweenLooks) {
    next_poll_ns_ = now + kLookNs;
    polls_after_departure_ = 0;
  }
  if (now < next_poll_ns_) return;
  next_poll_ns_ = now + kLookNs;
  poll_peers();
}

void MpiWaitEnvironment::poll_peers() noexcept {
  const std::uint64_t call = call_of(memory_, rank_) + awaits_start_;
  poll_liveness(call);
  poll_departures(call);
}

void MpiWaitEnvironment::end_life() noexcept {
  // release: the calls that this rank has begun come before it. Partner: `departure_of`.
  departures_[rank_].lives_ended.store(life_, std::memory_order_release);
}

void MpiWaitEnvironment::tell_finalizing(Finalizing state) noexcept {
  // release: as above.
  departures_[rank_].finalizing.store(state, std::memory_order_release);
}

void MpiWaitEnvironment::mismatched(const CallMismatch& mismatch) noexcept {
  has_told_mismatch_ = true;
  const std::string own = name_in_mismatch(rank_) +
                          (over_nodes_ != nullptr ? ""
                                                  : " of " + std::to_string(memory_.rank_count()) +
                                                        " of a communicator");
  end_for_mismatch(
      underlying_, is_ending_,
      to_text(mismatch, own, name_in_mismatch(mismatch.peer)) + ", at its " +
          number_text(mismatch.call) +
          (over_nodes_ != nullptr
               ? " in its node, where it is in " + over_nodes_->call_text() + " over several nodes"
               : ""));
}

void MpiWaitEnvironment::stalled(double seconds) noexcept {
  say(own_text() + " has waited " + std::to_string(static_cast<long>(seconds)) + " s in " +
      call_text() + "; " + missing_ranks());
}

/// Ends the job if a rank has died before it returned from this call. A rank that has returned may
/// exit.
void MpiWaitEnvironment::poll_liveness(std::uint64_t call) noexcept {
  for (Rank rank = 0; rank < peers_.size(); ++rank) {
    // acquire: pairs with the releases of that rank's publishing. Read again after its liveness:
    // then all that it published before its end is seen.
    const auto is_through = [&] {
      return has_reached(memory_.ranks[rank].word->value.load(std::memory_order_acquire),
                         word_done(call));
    };
    if (rank == rank_ || is_through() || !is_gone(peers_[rank].world_rank) || is_through())
      continue;
    return end_for(rank, end_of(rank), call_text());
  }
}

/// Ends the job if a peer will never make this call, as it has freed the communicator or is in
/// MPI_Finalize. Says nothing where this rank is there itself: functions that delete attributes may
/// make calls, and their order differs from rank to rank.
void MpiWaitEnvironment::poll_departures(std::uint64_t call) noexcept {
  // relaxed: this rank's own. No partner.
  if (departures_[rank_].finalizing.load(std::memory_order_relaxed) != Finalizing::not_yet) return;
  for (Rank rank = 0; rank < peers_.size(); ++rank) {
    const std::string departure = rank == rank_ ? "" : departure_of(rank, call);
    if (departure.empty()) continue;
    if (++polls_after_departure_ == kPollsBeforeVerdict) end_for(rank, departure, call_text());
    return;
  }
}

/// Why a peer that has not begun this call never will; "" if it may yet.
std::string MpiWaitEnvironment::departure_of(Rank peer, std::uint64_t call) const {
  const Departure& its = departures_[peer];
  // acquire, both: pair with the releases in `end_life` and `tell_finalizing`, so that what the
  // peer had begun before is seen next.
  const bool is_finalizing = its.finalizing.load(std::memory_order_acquire) == Finalizing::now;
  const bool has_left = its.lives_ended.load(std::memory_order_acquire) >= life_;
  const std::uint64_t last = call_of(memory_, peer);
  if (last >= call || !(is_finalizing || has_left)) return "";
  const std::string after = last > calls_before_
                                ? "after its " + number_text(last) + ", " +
                                      to_text(signature_from(last_call_of(memory_.ranks[peer])))
                                : "and made no call on it";
  return std::string(is_finalizing ? " is in MPI_Finalize, " : " has freed the communicator, ") +
         after + ". All ranks of a communicator must make the same calls in the same order: ";
}

/// Says what is known of the end of a rank that is gone.
std::string MpiWaitEnvironment::end_of(Rank dead) const {
  // acquire: as in `departure_of`.
  const Finalizing its = departures_[dead].finalizing.load(std::memory_order_acquire);
  if (its == Finalizing::not_yet)
    return " is gone: it was killed, or has ended or become another program without "
           "MPI_Finalize. ";
  return std::string(" is gone: it has ended ") + (its == Finalizing::now ? "in" : "after") +
         " MPI_Finalize. ";
}

void MpiWaitEnvironment::end_for(Rank peer, const std::string& what,
                                 const std::string& call) noexcept {
  end_with(name_of(peer) + what + own_text() + " waits for it in " + call + ". Ending the job");
}

void MpiWaitEnvironment::end_with(const std::string& sentence) noexcept {
  end_recording_early();
  if (has_living_rank_below(peers_, rank_)) usleep(kOthersSpeakAfterUs);
  say(sentence);
  underlying_.end_job();
}

std::optional<Rank> MpiWaitEnvironment::dead_peer() const {
  for (Rank rank = 0; rank < peers_.size(); ++rank)
    if (rank != rank_ && is_gone(peers_[rank].world_rank)) return rank;
  return std::nullopt;
}

void MpiWaitEnvironment::end_for_dead_peer() noexcept {
  if (const auto dead = dead_peer())
    end_for(*dead, end_of(*dead),
            "the MPI's own collective for TERRACE_CHECK, after " + call_text());
}

std::vector<int> MpiWaitEnvironment::world_ranks() const {
  std::vector<int> ranks;
  for (const Peer& peer : peers_) ranks.push_back(peer.world_rank);
  return ranks;
}

std::string MpiWaitEnvironment::own_text() const {
  return name_of(rank_) + " on " + host_name();
}

std::string MpiWaitEnvironment::call_text() const {
  if (over_nodes_ != nullptr) return over_nodes_->call_text() + " over several nodes";
  const std::string where =
      " of a communicator of " + std::to_string(memory_.rank_count()) + " ranks";
  const std::uint64_t call = call_of(memory_, rank_);
  if (awaits_start_) return "the start of " + number_text(call + 1) + where;
  return number_text(call) + where + ", " +
         to_text(signature_from(last_call_of(memory_.ranks[rank_])));
}

/// A call by its number among the communicator's blocking calls, or among those of its lane.
std::string MpiWaitEnvironment::number_text(std::uint64_t call) const {
  const std::string number = "call " + std::to_string(call - calls_before_);
  return lane_ ? "nonblocking " + number + " in lane " + std::to_string(*lane_) : number;
}

/// The rank's number in the program, and its process.
std::string MpiWaitEnvironment::name_of(Rank rank) const {
  const std::string number = std::to_string(rank);
  if (rank >= peers_.size()) return "rank " + number;
  const Peer& peer = peers_[rank];
  if (over_nodes_ != nullptr)
    return name_in_mismatch(rank) + " (process " + std::to_string(peer.process) + ")";
  const bool is_same = peer.world_rank == static_cast<int>(rank);
  return "rank " + number +
         (is_same ? "" : ", rank " + std::to_string(peer.world_rank) + " of MPI_COMM_WORLD,") +
         " (process " + std::to_string(peer.process) + ")";
}

std::string MpiWaitEnvironment::name_in_mismatch(Rank rank) const {
  if (over_nodes_ == nullptr) return "rank " + std::to_string(rank);
  return "rank " + std::to_string(peers_[rank].world_rank) + " of MPI_COMM_WORLD";
}

/// The ranks that have not begun this rank's call.
std::string MpiWaitEnvironment::missing_ranks() const {
  std::string list;
  for (Rank rank = 0; rank < memory_.rank_count(); ++rank)
    if (call_of(memory_, rank) < call_of(memory_, rank_))
      list += (list.empty() ? "" : ", ") + name_of(rank);
  return list.empty() ? "all ranks have begun it" : "not yet in it: " + list;
}

}  // namespace terrace::preload
