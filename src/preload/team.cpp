// SPDX-License-Identifier: BSD-3-Clause
// Laying a team out in its memory, and complaining when it stalls.
#include "preload/team.hpp"

#include <atomic>

#include "preload/say.hpp"

namespace terrace::preload {

namespace {

TeamMemory laid_out(const SharedMemory& shared, std::size_t share_bytes, std::size_t scratch_bytes,
                    Rank ranks) {
  TeamMemory memory;
  memory.scratch_bytes = scratch_bytes;
  for (Rank rank = 0; rank < ranks; ++rank)
    memory.ranks.push_back(rank_memory_at(shared.at(rank * share_bytes)));
  return memory;
}

std::atomic<std::size_t> lent_bytes{0};

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

Team::Team(std::unique_ptr<SharedMemory> shared_memory, std::size_t share_bytes,
           std::size_t scratch_bytes, Rank ranks, Rank rank, Hierarchy hierarchy,
           const TeamSettings& team_settings, MpiBelow& below)
    : shared(std::move(shared_memory)),
      memory(laid_out(*shared, share_bytes, scratch_bytes, ranks)),
      shelf(std::move(hierarchy)),
      settings(team_settings),
      world(below, memory, rank) {
  prepare(memory.ranks[rank], 0);
}

void Team::take_seat(const TeamTraits& team_traits, const WaitPolicy& waiting) {
  traits = team_traits;
  SeatOptions options;
  options.reach = Reach::bounced;
  options.traits = traits;
  options.waiting = waiting;
  options.world = &world;
  seat.emplace(memory, world.rank(), shelf, options);
}

bool Team::hands_back(Collective collective, std::size_t bytes) {
  Verdict& verdict = verdicts_[static_cast<std::size_t>(collective)];
  if (verdict.bytes == bytes) return verdict.hands_back;
  verdict.bytes = bytes;
  verdict.hands_back = !shelf.has_user_plan(collective) &&
                       choose({collective, bytes, false}, traits).algorithm.empty();
  return verdict.hands_back;
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
