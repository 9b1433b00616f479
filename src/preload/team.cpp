// SPDX-License-Identifier: BSD-3-Clause
// Laying a team out in its memory, and complaining when it stalls.
#include "preload/team.hpp"

#include <atomic>

#include "api/signature.hpp"
#include "preload/say.hpp"

namespace terrace::preload {

namespace {

std::atomic<std::size_t> lent_bytes{0};

/// Rounds of waiting take some microseconds when yielding, 100 when sleeping.
constexpr std::uint32_t kRoundsBetweenLooks = 64;

}  // namespace

// relaxed, all three: a budget, which need not be exact. No partner.
std::size_t Lent::total() {
  return lent_bytes.load(std::memory_order_relaxed);
}

void Lent::take(std::size_t bytes) {
  bytes_ += bytes;
  lent_bytes.fetch_add(bytes, std::memory_order_relaxed);  // relaxed: see above
}

Lent::~Lent() {
  lent_bytes.fetch_sub(bytes_, std::memory_order_relaxed);
}  // relaxed: see above

Team::Team(std::unique_ptr<SharedMemory> shared_memory, std::size_t scratch_bytes, Rank ranks,
           Rank rank, Hierarchy hierarchy, const TeamSettings& team_settings, MpiBelow& below)
    : shared(std::move(shared_memory)),
      memory(laid_out(shared->at(0), ranks, scratch_bytes)),
      shelf(std::move(hierarchy)),
      settings(team_settings),
      world(below, memory, rank) {
  prepare(memory.ranks[rank], 0);
}

void Team::take_seat(const TeamTraits& team_traits, const WaitPolicy& waiting) {
  traits = team_traits;
  SeatOptions options;
  options.reach = Reach::bounced;
  options.is_reproducible = settings.is_reproducible;
  options.traits = traits;
  options.waiting = waiting;
  options.world = &world;
  seat.emplace(memory, world.rank(), shelf, options);
}

bool Team::hands_back(Collective collective, std::size_t bytes) {
  Verdict& verdict = verdicts_[static_cast<std::size_t>(collective)];
  if (verdict.bytes == bytes) return verdict.hands_back;
  verdict.bytes = bytes;
  const Collective plan = planned_as(collective);
  const bool may_not = settings.is_reproducible && combines(collective);
  verdict.hands_back =
      !may_not && !shelf.has_user_plan(plan) && choose({plan, bytes}, traits).algorithm.empty();
  return verdict.hands_back;
}

/// Whoever waits in vain looks from time to time whether its peers are in the same call.
void MpiWorld::progress() noexcept {
  below_.progress();
  if (++rounds_ % kRoundsBetweenLooks != 0) return;
  if (const auto mismatch = find_mismatch(memory_, rank_)) mismatched(*mismatch);
}

void MpiWorld::mismatched(const Mismatch& mismatch) noexcept {
  say("rank " + std::to_string(rank_) + " of " + std::to_string(memory_.rank_count()) +
      " of a communicator makes " + to_text(signature_from(mismatch.mine)) + " where rank " +
      std::to_string(mismatch.peer) + " makes " + to_text(signature_from(mismatch.theirs)) +
      ", near its call " + std::to_string(call_) +
      ". All ranks of a communicator must make the same calls in the same order. Ending the job "
      "(TERRACE=off would leave these calls to the MPI)");
  below_.end_job();
}

void MpiWorld::stalled(double seconds) noexcept {
  say("rank " + std::to_string(rank_) + " of " + std::to_string(memory_.rank_count()) +
      " has waited " + std::to_string(static_cast<long>(seconds)) + " s in call " +
      std::to_string(call_) + " of its communicator, " + to_text(collective_) + "; " +
      missing_ranks());
}

/// Who has returned from the call before, and begun nothing since.
std::string MpiWorld::missing_ranks() const {
  std::string list;
  for (Rank rank = 0; rank < memory_.rank_count(); ++rank) {
    // acquire: pairs with the releases of that rank's publishing; only for the message.
    const std::uint64_t word = memory_.ranks[rank].word->value.load(std::memory_order_acquire);
    if (rank != rank_ && !has_reached(word, word_at(call_, 1)))
      list += (list.empty() ? "" : ", ") + std::to_string(rank);
  }
  return list.empty() ? "all ranks have begun it" : "not yet seen in it: rank " + list;
}

}  // namespace terrace::preload
