// SPDX-License-Identifier: BSD-3-Clause
// Random programs in the plan language: right when one thread runs them from top to bottom, in
// place or not, and otherwise as odd as the language lets authors be.
#pragma once

#include <algorithm>
#include <map>
#include <random>
#include <tuple>

#include "plan/plan.hpp"
#include "plan/postcondition.hpp"

namespace terrace::testing_plans {

struct RandomProgram {
  Plan plan;
  Postcondition promise;  ///< what running the statements one after another leaves in outputs
};

class ProgramWriter {
 public:
  ProgramWriter(std::uint64_t seed, bool pushes, bool cuts, bool crosses)
      : random_(seed),
        pushes_(pushes),
        ranks_(1 + below(17)),
        tiles_(cuts ? 1 + below(4) : 1),
        builder_("random.program", ranks_, tiles_, crosses ? random_nodes() : Nodes()) {}

  RandomProgram write() {
    read_every_input();
    const std::uint32_t statements = 1 + below(3 * ranks_);
    for (std::uint32_t i = 0; i < statements; ++i) {
      if (is_across_ && below(3) == 0)
        add_messages();
      else if (below(4) == 0)
        add_copies();
      else
        add_statement();
    }
    RandomProgram result{std::move(builder_).build(), {}};
    result.promise.outputs.assign(ranks_, {std::nullopt, std::nullopt});
    for (const auto& [place, terms] : values_)
      if (std::get<1>(place) == Buffer::output)
        result.promise.outputs[std::get<0>(place)][std::get<2>(place)] = terms;
    return result;
  }

 private:
  using Nodes = std::vector<std::uint32_t>;
  using Place = std::tuple<Rank, Buffer, std::uint16_t>;
  static Place place_of(const Region& region) { return {region.rank, region.buffer, region.block}; }

  std::uint32_t below(std::uint32_t limit) {
    return static_cast<std::uint32_t>(random_() % std::max(limit, 1u));
  }

  /// So that every input is part of what the program promises.
  void read_every_input() {
    std::vector<Region> operands;
    for (Rank rank = 0; rank < ranks_; ++rank) {
      values_[place_of(input(rank))] = {{rank, 0}};
      operands.push_back(input(rank));
      if (builder_.are_on_one_node(0, rank)) continue;
      operands.back() = scratch(0, 2 + rank);
      builder_.send(input(rank), operands.back());
      values_[place_of(operands.back())] = {{rank, 0}};
    }
    perform(0, operands, {output(0, 1)});
  }

  /// What `by` can read: nothing from another node.
  Region readable(Rank by) {
    for (;;) {
      auto place = values_.begin();
      std::advance(place, below(static_cast<std::uint32_t>(values_.size())));
      const auto [rank, buffer, block] = place->first;
      if (builder_.are_on_one_node(rank, by)) return region(rank, buffer, block);
    }
  }

  bool can_read_anything(Rank by) {
    return std::any_of(values_.begin(), values_.end(), [&](const auto& value) {
      return builder_.are_on_one_node(std::get<0>(value.first), by);
    });
  }

  Region writable(Rank by) {
    if (below(2) == 0) return scratch(by, below(2));
    const Rank other = below(ranks_);
    const bool is_pushed = pushes_ && below(3) == 0 && builder_.are_on_one_node(other, by);
    return output(is_pushed ? other : by);
  }

  void add_statement() {
    const Rank by = below(ranks_);
    if (!can_read_anything(by)) return;
    std::vector<Region> operands, targets;
    std::size_t length = 0;
    for (std::uint32_t left = 1 + below(4); left > 0; --left) {
      operands.push_back(readable(by));
      length += values_[place_of(operands.back())].size();
    }
    if (length > 64) return;  // sums of sums of sums: enough
    for (std::uint32_t left = 1 + below(3); left > 0; --left) {
      const Region target = writable(by);
      if (std::find(targets.begin(), targets.end(), target) == targets.end())
        targets.push_back(target);
    }
    perform(by, operands, targets);
  }

  /// Each value goes its own way, perhaps the next one on from there.
  void add_copies() {
    const Rank by = below(ranks_);
    if (!can_read_anything(by)) return;
    std::vector<Copy> copies;
    for (std::uint32_t left = 1 + below(4); left > 0; --left) {
      copies.push_back({readable(by), writable(by)});
      const Terms terms = values_[place_of(copies.back().from)];
      store(copies.back().to, terms);
    }
    builder_.copy_each(by, copies);
  }

  /// One or two messages at once, of one value or two.
  void add_messages() {
    std::vector<Message> messages;
    for (std::uint32_t left = 1 + below(2); left > 0; --left) {
      auto place = values_.begin();
      std::advance(place, below(static_cast<std::uint32_t>(values_.size())));
      const Rank from = std::get<0>(place->first), to = below(ranks_);
      if (builder_.are_on_one_node(from, to)) continue;
      const Region first =
          tiles_of(region(from, std::get<1>(place->first), std::get<2>(place->first)));
      messages.push_back({{first, tiles_of(scratch(to, 2 + ranks_))}});
      if (below(2) == 0) messages.back().push_back({first, tiles_of(output(to))});
    }
    std::vector<Terms> sent;
    for (const Message& message : messages) sent.push_back(values_[place_of(message.front().from)]);
    for (std::size_t i = 0; i < messages.size(); ++i)
      for (const Copy& value : messages[i]) store(value.to, sent[i]);
    builder_.send_all(messages);
  }

  Region tiles_of(const Region& whole) const { return whole.tiles(0, tiles_); }

  void perform(Rank by, const std::vector<Region>& operands, const std::vector<Region>& targets) {
    Terms terms;
    for (const Region& operand : operands) {
      const Terms& more = values_[place_of(operand)];
      terms.insert(terms.end(), more.begin(), more.end());
    }
    add_in_pieces(by, operands, targets);
    for (const Region& target : targets) store(target, terms);
  }

  void store(const Region& target, const Terms& terms) {
    values_[place_of(target)] = terms;
    // In place, the input is gone now.
    if (target.buffer == Buffer::output) values_.erase(place_of(input(target.rank, target.block)));
  }

  /// Cut at a random tile; pieces that store to outputs alone may be anyone's work.
  void add_in_pieces(Rank by, const std::vector<Region>& operands,
                     const std::vector<Region>& targets) {
    const bool is_anyones = pushes_ && std::all_of(targets.begin(), targets.end(), [](auto& t) {
                              return t.buffer == Buffer::output;
                            });
    for (std::uint32_t first = 0; first < tiles_;) {
      const std::uint32_t count = 1 + below(tiles_ - first);
      const auto piece = [&](std::vector<Region> regions) {
        for (Region& region : regions) region = region.tiles(first, count);
        return regions;
      };
      const Rank anyone = below(ranks_);
      const bool is_near = is_anyones && builder_.are_on_one_node(anyone, by) && below(2);
      builder_.reduce(is_near ? anyone : by, piece(operands), piece(targets));
      first += count;
    }
  }

  Nodes random_nodes() {
    is_across_ = ranks_ > 1;
    Nodes nodes;
    for (Rank rank = 0; rank < ranks_; ++rank) nodes.push_back(rank < 2 ? rank : below(3));
    return is_across_ ? nodes : Nodes();
  }

  std::mt19937_64 random_;
  bool is_across_ = false;
  bool pushes_;
  Rank ranks_;
  std::uint32_t tiles_;
  PlanBuilder builder_;
  std::map<Place, Terms> values_;  ///< what may be read now
};

/// `pushes`: ranks write into others' outputs; `cuts`: vectors have tiles; `crosses`: ranks are on
/// several nodes.
inline RandomProgram random_program(std::uint64_t seed, bool pushes, bool cuts,
                                    bool crosses = false) {
  return ProgramWriter(seed, pushes, cuts, crosses).write();
}

}  // namespace terrace::testing_plans
