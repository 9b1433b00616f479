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
  ProgramWriter(std::uint64_t seed, bool pushes, bool cuts)
      : random_(seed),
        pushes_(pushes),
        ranks_(1 + below(17)),
        tiles_(cuts ? 1 + below(4) : 1),
        builder_("random.program", ranks_, tiles_) {}

  RandomProgram write() {
    read_every_input();
    const std::uint32_t statements = 1 + below(3 * ranks_);
    for (std::uint32_t i = 0; i < statements; ++i) below(4) == 0 ? add_copies() : add_statement();
    RandomProgram result{std::move(builder_).build(), {}};
    result.promise.outputs.assign(ranks_, {std::nullopt, std::nullopt});
    for (const auto& [place, terms] : values_)
      if (std::get<1>(place) == Buffer::output)
        result.promise.outputs[std::get<0>(place)][std::get<2>(place)] = terms;
    return result;
  }

 private:
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
    }
    perform(0, operands, {output(0, 1)});
  }

  Region readable() {
    auto place = values_.begin();
    std::advance(place, below(static_cast<std::uint32_t>(values_.size())));
    const auto [rank, buffer, block] = place->first;
    return region(rank, buffer, block);
  }

  Region writable(Rank by) {
    if (below(2) == 0) return scratch(by, below(2));
    return output(pushes_ && below(3) == 0 ? below(ranks_) : by);
  }

  void add_statement() {
    const Rank by = below(ranks_);
    std::vector<Region> operands, targets;
    std::size_t length = 0;
    for (std::uint32_t left = 1 + below(4); left > 0; --left) {
      operands.push_back(readable());
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
    std::vector<Copy> copies;
    for (std::uint32_t left = 1 + below(4); left > 0; --left) {
      copies.push_back({readable(), writable(by)});
      const Terms terms = values_[place_of(copies.back().from)];
      store(copies.back().to, terms);
    }
    builder_.copy_each(by, copies);
  }

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
      builder_.reduce(is_anyones && below(2) ? below(ranks_) : by, piece(operands), piece(targets));
      first += count;
    }
  }

  std::mt19937_64 random_;
  bool pushes_;
  Rank ranks_;
  std::uint32_t tiles_;
  PlanBuilder builder_;
  std::map<Place, Terms> values_;  ///< what may be read now
};

inline RandomProgram random_program(std::uint64_t seed, bool pushes, bool cuts) {
  return ProgramWriter(seed, pushes, cuts).write();
}

}  // namespace terrace::testing_plans
