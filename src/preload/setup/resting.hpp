// SPDX-License-Identifier: BSD-3-Clause
// What is kept of communicators that are gone, for the next ones of the same ranks in the same
// order. A communicator has no name that all its ranks know, and threads may make several at once,
// in another order on each rank. So in an agreement each rank tells what rests with it, and the
// leader offers one of these, which it keeps for this communicator alone; it is taken if all ranks
// have it, and have left it in the same state. Whatever else is the case, all conclude the same.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/hash.hpp"

namespace terrace::preload {

/// So many items of the same ranks may rest, or will when their communicators are gone.
inline constexpr std::size_t kRestingPlaces = 8;

/// What a rank tells of what rests with it. Sent as bytes.
struct Told {
  /// A number for each, in which ranks agree that left it in the same state; 0: nothing rests.
  std::array<std::uint64_t, kRestingPlaces> states{};
  std::int64_t offered = -1;  ///< the leader's: which of them it offers
};

/// An item's claim to a place, the same on all ranks. Sent as bytes.
struct Ticket {
  std::int64_t place = -1;   ///< negative: it has none
  std::uint64_t number = 0;  ///< of those that the leader has given out
  std::uint64_t lives = 0;   ///< communicators that the item has served before
};

/// Safe to use from many threads.
template <class Item>
class Resting {
 public:
  using Ranks = std::vector<int>;

  /// So many rest at most, of all ranks together; then the longest at rest goes.
  explicit Resting(std::size_t most) : most_(most) {}

  /// What this rank has to tell. `may_offer` says which a leader may offer; nothing: no leader.
  /// `take` must follow, or `forget_offer`.
  template <class MayOffer>
  Told tell(const Ranks& ranks, bool is_leader, MayOffer may_offer) {
    const std::lock_guard lock(mutex_);
    ItemsOfRanks& group = groups_[ranks];
    ++group.tellers;
    Told told;
    const Rested* first = nullptr;
    for (const Rested& one : group.rested) {
      if (!group.is_current(one.ticket)) continue;
      const Place& place = group.places[index_of(one.ticket)];
      told.states[index_of(one.ticket)] = one.state;
      const bool is_free = is_leader && place.use == Use::resting && may_offer(*one.item);
      if (is_free && (first == nullptr || one.since < first->since)) first = &one;
    }
    if (first == nullptr) return told;
    told.offered = first->ticket.place;
    group.places[index_of(first->ticket)].use = Use::offered;
    return told;
  }

  /// What all ranks take, by what all of them have told, the leader first; null: nothing.
  std::pair<std::unique_ptr<Item>, Ticket> take(const Ranks& ranks, std::span<const Told> told) {
    const std::lock_guard lock(mutex_);
    ItemsOfRanks& group = groups_[ranks];
    --group.tellers;
    const std::int64_t offered = told[0].offered;
    if (offered < 0) {
      forget_if_empty(ranks);
      return {nullptr, Ticket{}};
    }
    const auto place = static_cast<std::size_t>(offered);
    const std::uint64_t state = told[0].states[place];
    const bool have_all = std::all_of(told.begin(), told.end(),
                                      [&](const Told& one) { return one.states[place] == state; });
    if (!have_all) {
      // At the leader alone.
      if (group.places[place].use == Use::offered) group.places[place].use = Use::resting;
      return {nullptr, Ticket{}};
    }
    const auto found = std::find_if(group.rested.begin(), group.rested.end(),
                                    [&](const Rested& one) { return one.state == state; });
    Rested taken = std::move(*found);
    group.rested.erase(found);
    if (group.is_current(taken.ticket)) group.places[place].use = Use::busy;
    ++taken.ticket.lives;
    return {std::move(taken.item), taken.ticket};
  }

  /// In the place of `take`: there was no agreement.
  void forget_offer(const Ranks& ranks, const Told& own) {
    const std::lock_guard lock(mutex_);
    ItemsOfRanks& group = groups_[ranks];
    --group.tellers;
    if (own.offered >= 0) group.places[static_cast<std::size_t>(own.offered)].use = Use::resting;
    forget_if_empty(ranks);
  }

  /// The leader's: for a new item of these ranks. The longest at rest, which could not be taken,
  /// gives up its place.
  Ticket new_ticket(const Ranks& ranks) {
    const std::lock_guard lock(mutex_);
    ItemsOfRanks& group = groups_[ranks];
    const auto with = [&](Use use) {
      return std::find_if(group.places.begin(), group.places.end(),
                          [use](const Place& one) { return one.use == use; });
    };
    auto place = with(Use::free);
    if (place == group.places.end()) place = with(Use::resting);
    if (place == group.places.end()) return {};
    *place = {Use::busy, ++last_number_};
    clear(group);
    return {place - group.places.begin(), last_number_, 0};
  }

  /// Whoever is no leader hears of a ticket.
  void put_down(const Ranks& ranks, const Ticket& ticket) {
    if (ticket.place < 0) return;
    const std::lock_guard lock(mutex_);
    ItemsOfRanks& group = groups_[ranks];
    group.places[index_of(ticket)] = {Use::busy, ticket.number};
    clear(group);
  }

  /// The item will not come to rest.
  void give_up(const Ranks& ranks, const Ticket& ticket) {
    if (ticket.place < 0) return;
    const std::lock_guard lock(mutex_);
    ItemsOfRanks& group = groups_[ranks];
    if (group.is_current(ticket)) group.places[index_of(ticket)] = {};
    forget_if_empty(ranks);
  }

  /// `state`: what all ranks must have left alike, for it to be taken again.
  void rest(const Ranks& ranks, const Ticket& ticket, std::unique_ptr<Item> item,
            std::uint64_t state) {
    if (ticket.place < 0) return;
    const std::lock_guard lock(mutex_);
    ItemsOfRanks& group = groups_[ranks];
    if (!group.is_current(ticket)) return;
    group.places[index_of(ticket)].use = Use::resting;
    const std::uint64_t number =
        Hash().add(ticket.number).add(ticket.lives).add(state).value() | 1;  // never 0
    group.rested.push_back({std::move(item), ticket, number, ++last_since_});
    while (count() > most_ && let_go_of_oldest()) {
    }
  }

  /// All that nobody is about to take.
  void let_go_of_all() {
    const std::lock_guard lock(mutex_);
    while (let_go_of_oldest()) {
    }
  }

 private:
  enum class Use : std::uint8_t { free, busy, resting, offered };
  struct Place {
    Use use = Use::free;
    std::uint64_t number = 0;  ///< of the ticket that it is for
  };
  struct Rested {
    std::unique_ptr<Item> item;
    Ticket ticket;
    std::uint64_t state = 0;
    std::uint64_t since = 0;
  };
  /// Items of the same ranks. What was told stays until those who told it have heard what is taken.
  struct ItemsOfRanks {
    std::array<Place, kRestingPlaces> places{};
    std::vector<Rested> rested;
    std::size_t tellers = 0;

    bool is_current(const Ticket& ticket) const {
      return places[index_of(ticket)].number == ticket.number;
    }
  };

  static std::size_t index_of(const Ticket& ticket) {
    return static_cast<std::size_t>(ticket.place);
  }

  /// Lets go of items that have lost their places.
  static void clear(ItemsOfRanks& group) {
    if (group.tellers == 0)
      std::erase_if(group.rested, [&](const Rested& one) { return !group.is_current(one.ticket); });
  }

  std::size_t count() const {
    std::size_t count = 0;
    for (const auto& [ranks, group] : groups_) count += group.rested.size();
    return count;
  }

  bool let_go_of_oldest() {
    const Ranks* ranks = nullptr;
    std::uint64_t since = ~std::uint64_t{0};
    for (const auto& [its_ranks, group] : groups_)
      if (group.tellers == 0 && !group.rested.empty() && group.rested.front().since < since) {
        ranks = &its_ranks;
        since = group.rested.front().since;
      }
    if (ranks == nullptr) return false;
    ItemsOfRanks& group = groups_.find(*ranks)->second;
    const Ticket ticket = group.rested.front().ticket;
    if (group.is_current(ticket)) group.places[index_of(ticket)] = {};
    group.rested.erase(group.rested.begin());
    forget_if_empty(Ranks(*ranks));
    return true;
  }

  void forget_if_empty(const Ranks& ranks) {
    const auto found = groups_.find(ranks);
    if (found == groups_.end()) return;
    const ItemsOfRanks& group = found->second;
    const bool is_in_use = std::any_of(group.places.begin(), group.places.end(),
                                       [](const Place& one) { return one.use != Use::free; });
    if (group.tellers == 0 && group.rested.empty() && !is_in_use) groups_.erase(found);
  }

  const std::size_t most_;
  std::mutex mutex_;  ///< guards what follows
  std::map<Ranks, ItemsOfRanks> groups_;
  std::uint64_t last_number_ = 0, last_since_ = 0;
};

}  // namespace terrace::preload
