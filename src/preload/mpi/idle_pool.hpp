// SPDX-License-Identifier: BSD-3-Clause
// Pools of idle teams: those of freed communicators are kept for later communicators of the same
// ranks in the same order. A communicator has no name that all its ranks know, and threads may make
// several at once, in another order on each rank. So during a team's set-up each rank reports which
// idle teams it has, and the leader offers one of these, which it reserves for this communicator.
// The team is taken if all ranks have it and left it in the same state. All ranks reach the same
// conclusion.
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

#include "base/contract.hpp"
#include "base/hash.hpp"

namespace terrace::preload {

/// The most items of the same ranks that are idle, or will be once their communicators are freed.
inline constexpr std::size_t kIdlePlaces = 8;

/// A rank's report of its idle items. Sent as bytes.
struct IdleReport {
  /// A number for each, equal on ranks that left it in the same state; 0: no idle item is there.
  std::array<std::uint64_t, kIdlePlaces> states{};
  std::int64_t offered = -1;  ///< the place of the item that the leader offers
};

/// An item's claim to a place, the same on all ranks. Sent as bytes.
struct Ticket {
  std::int64_t place = -1;   ///< negative: it has none
  std::uint64_t number = 0;  ///< counts the tickets that the leader has issued
  std::uint64_t lives = 0;   ///< communicators that the item has served before
};

/// Safe to use from many threads.
template <class Item>
class IdlePool {
 public:
  using Ranks = std::vector<int>;

  /// `most`: items of all groups of ranks together; beyond it, the oldest one is discarded.
  explicit IdlePool(std::size_t most) : most_(most) {}

  /// This rank's report. `may_offer` says of an item whether the leader may offer it. `take` must
  /// follow, or `withdraw_offer`.
  template <class MayOffer>
  IdleReport report(const Ranks& ranks, bool is_leader, MayOffer may_offer) {
    const std::lock_guard lock(mutex_);
    ItemsOfRanks& group = groups_[ranks];
    ++group.open_reports;
    IdleReport report;
    const IdleItem* first = nullptr;
    for (const IdleItem& one : group.idle) {
      if (!group.is_current(one.ticket)) continue;
      const Place& place = group.places[index_of(one.ticket)];
      report.states[index_of(one.ticket)] = one.state;
      const bool is_free = is_leader && place.use == Use::idle && may_offer(*one.item);
      if (is_free && (first == nullptr || one.since < first->since)) first = &one;
    }
    if (first == nullptr) return report;
    report.offered = first->ticket.place;
    group.places[index_of(first->ticket)].use = Use::offered;
    return report;
  }

  /// The item that all ranks take, by the reports of all of them, the leader's first; null: none.
  std::pair<std::unique_ptr<Item>, Ticket> take(const Ranks& ranks,
                                                std::span<const IdleReport> reports) {
    const std::lock_guard lock(mutex_);
    ItemsOfRanks& group = groups_[ranks];
    TERRACE_REQUIRE(reports.size() == ranks.size(), reports.size(), ranks.size());
    TERRACE_REQUIRE(group.open_reports > 0, ranks.size());
    --group.open_reports;
    const std::int64_t offered = reports[0].offered;
    if (offered < 0) {
      forget_if_empty(ranks);
      return {nullptr, Ticket{}};
    }
    const std::size_t place = place_of(offered);
    const std::uint64_t state = reports[0].states[place];
    TERRACE_REQUIRE(state != 0, offered);
    const bool have_all = std::all_of(reports.begin(), reports.end(), [&](const IdleReport& one) {
      return one.states[place] == state;
    });
    if (!have_all) {
      // Reserved on the leader alone.
      if (group.places[place].use == Use::offered) group.places[place].use = Use::idle;
      return {nullptr, Ticket{}};
    }
    const auto found = std::find_if(group.idle.begin(), group.idle.end(),
                                    [&](const IdleItem& one) { return one.state == state; });
    TERRACE_REQUIRE(found != group.idle.end(), offered, state, group.idle.size());
    IdleItem taken = std::move(*found);
    group.idle.erase(found);
    if (group.is_current(taken.ticket)) group.places[place].use = Use::busy;
    ++taken.ticket.lives;
    return {std::move(taken.item), taken.ticket};
  }

  /// Instead of `take`, where the set-up failed.
  void withdraw_offer(const Ranks& ranks, const IdleReport& own) {
    const std::lock_guard lock(mutex_);
    ItemsOfRanks& group = groups_[ranks];
    TERRACE_REQUIRE(group.open_reports > 0, ranks.size());
    --group.open_reports;
    if (own.offered >= 0) {
      Place& place = group.places[place_of(own.offered)];
      TERRACE_ASSERT(place.use == Use::offered, place.use, place.number);
      place.use = Use::idle;
    }
    forget_if_empty(ranks);
  }

  /// Issues the ticket of a new item of these ranks, on the leader. If no place is free, the
  /// first idle item loses its place.
  Ticket new_ticket(const Ranks& ranks) {
    const std::lock_guard lock(mutex_);
    ItemsOfRanks& group = groups_[ranks];
    const auto with = [&](Use use) {
      return std::find_if(group.places.begin(), group.places.end(),
                          [use](const Place& one) { return one.use == use; });
    };
    auto place = with(Use::free);
    if (place == group.places.end()) place = with(Use::idle);
    if (place == group.places.end()) return {};
    *place = {Use::busy, ++last_number_};
    discard_displaced(group);
    return {place - group.places.begin(), last_number_, 0};
  }

  /// Records, on every other rank, the ticket that the leader issued.
  void record_ticket(const Ranks& ranks, const Ticket& ticket) {
    if (ticket.place < 0) return;
    const std::lock_guard lock(mutex_);
    ItemsOfRanks& group = groups_[ranks];
    group.places[index_of(ticket)] = {Use::busy, ticket.number};
    discard_displaced(group);
  }

  /// Frees the place of an item that will not be kept.
  void release_ticket(const Ranks& ranks, const Ticket& ticket) {
    if (ticket.place < 0) return;
    const std::lock_guard lock(mutex_);
    ItemsOfRanks& group = groups_[ranks];
    if (group.is_current(ticket)) group.places[index_of(ticket)] = {};
    forget_if_empty(ranks);
  }

  /// Keeps the item, which is idle from now on. `state` must be equal on all ranks for the item to
  /// be taken again.
  void keep(const Ranks& ranks, const Ticket& ticket, std::unique_ptr<Item> item,
            std::uint64_t state) {
    if (ticket.place < 0) return;
    const std::lock_guard lock(mutex_);
    ItemsOfRanks& group = groups_[ranks];
    if (!group.is_current(ticket)) return;
    group.places[index_of(ticket)].use = Use::idle;
    const std::uint64_t number =
        Hash().add(ticket.number).add(ticket.lives).add(state).value() | 1;  // never 0
    group.idle.push_back({std::move(item), ticket, number, ++last_since_});
    while (count() > most_ && discard_oldest()) {
    }
  }

  /// Calls `visit` with each idle item.
  template <class Visit>
  void for_each(Visit visit) {
    const std::lock_guard lock(mutex_);
    for (auto& [ranks, group] : groups_)
      for (IdleItem& one : group.idle) visit(*one.item);
  }

  /// Discards every item but those of ranks that have reported and not yet taken.
  void discard_all() {
    const std::lock_guard lock(mutex_);
    while (discard_oldest()) {
    }
  }

 private:
  enum class Use : std::uint8_t { free, busy, idle, offered };
  struct Place {
    Use use = Use::free;
    std::uint64_t number = 0;  ///< of the ticket that it is for
  };
  struct IdleItem {
    std::unique_ptr<Item> item;
    Ticket ticket;
    std::uint64_t state = 0;
    std::uint64_t since = 0;
  };
  /// Items of the same ranks. None that was reported is discarded while reports are open.
  struct ItemsOfRanks {
    std::array<Place, kIdlePlaces> places{};
    std::vector<IdleItem> idle;
    std::size_t open_reports = 0;  ///< calls of `report` that no `take` has followed yet

    bool is_current(const Ticket& ticket) const {
      return places[index_of(ticket)].number == ticket.number;
    }
  };

  /// A place as a rank has told it.
  static std::size_t place_of(std::int64_t told) {
    TERRACE_REQUIRE(told >= 0 && static_cast<std::size_t>(told) < kIdlePlaces, told);
    return static_cast<std::size_t>(told);
  }
  static std::size_t index_of(const Ticket& ticket) { return place_of(ticket.place); }

  /// Discards items that have lost their places.
  static void discard_displaced(ItemsOfRanks& group) {
    if (group.open_reports == 0)
      std::erase_if(group.idle, [&](const IdleItem& one) { return !group.is_current(one.ticket); });
  }

  std::size_t count() const {
    std::size_t count = 0;
    for (const auto& [ranks, group] : groups_) count += group.idle.size();
    return count;
  }

  bool discard_oldest() {
    const Ranks* ranks = nullptr;
    std::uint64_t since = ~std::uint64_t{0};
    for (const auto& [its_ranks, group] : groups_)
      if (group.open_reports == 0 && !group.idle.empty() && group.idle.front().since < since) {
        ranks = &its_ranks;
        since = group.idle.front().since;
      }
    if (ranks == nullptr) return false;
    ItemsOfRanks& group = groups_.find(*ranks)->second;
    const Ticket ticket = group.idle.front().ticket;
    if (group.is_current(ticket)) group.places[index_of(ticket)] = {};
    group.idle.erase(group.idle.begin());
    forget_if_empty(Ranks(*ranks));
    return true;
  }

  void forget_if_empty(const Ranks& ranks) {
    const auto found = groups_.find(ranks);
    if (found == groups_.end()) return;
    const ItemsOfRanks& group = found->second;
    const bool is_in_use = std::any_of(group.places.begin(), group.places.end(),
                                       [](const Place& one) { return one.use != Use::free; });
    if (group.open_reports == 0 && group.idle.empty() && !is_in_use) groups_.erase(found);
  }

  const std::size_t most_;
  std::mutex mutex_;  ///< guards what follows
  std::map<Ranks, ItemsOfRanks> groups_;
  std::uint64_t last_number_ = 0, last_since_ = 0;
};

}  // namespace terrace::preload
