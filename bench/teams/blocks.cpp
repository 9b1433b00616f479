// SPDX-License-Identifier: BSD-3-Clause
// Floors of the collectives with blocks and of scans, written by hand from their recipes: lines for
// small values, the least memory traffic between bare barriers for long ones.
#include <algorithm>
#include <array>
#include <cstring>

#include "contenders.hpp"
#include "recipes.hpp"

namespace terrace::bench {

namespace {

/// Numbers that fit beside the flag.
constexpr std::size_t kLineDoubles = 15;
constexpr Rank kMostRanks = 256;

/// All that a rank brings goes in one line; each rank looks at the lines of those it hears from.
class BlockLines final : public Contender {
 public:
  BlockLines(Collective collective, Rank ranks, std::size_t count, std::size_t turns)
      : recipes_(recipes_of(collective, ranks)), turns_(turns), ranks_(ranks) {
    for (Rank rank = 0; rank < ranks; ++rank) {
      ranks_[rank].recipe = recipes_[rank];
      for (std::size_t i = 0; i < recipes_[rank].inputs.size(); ++i)
        ranks_[rank].offsets[recipes_[rank].inputs[i]] = i * count;
    }
  }
  static bool fits(Collective collective, Rank ranks, std::size_t count) {
    if (ranks > kLineDoubles) return false;
    for (const Recipe& recipe : recipes_of(collective, ranks))
      if (recipe.inputs.size() * count > kLineDoubles) return false;
    return true;
  }
  std::string name() const override { return "lines, " + std::to_string(turns_); }
  void call(Rank rank, const Vectors& vectors) noexcept override {
    Mine& mine = ranks_[rank];
    const std::uint64_t turn = ++mine.turn;
    const std::size_t count = vectors.count;
    Line& line = mine.lines[turn % turns_];
    double* next = line.values;
    for (const std::uint16_t block : mine.recipe.inputs)
      for (std::size_t i = 0; i < count; ++i) *next++ = vectors.inputs[rank][block * count + i];
    // release: pairs with the acquire below on the other ranks.
    line.turn.store(turn, std::memory_order_release);
    for (const Rank peer : mine.recipe.peers)
      // acquire: pairs with the release above. Calls are timed one by one, or all hear from all.
      while (ranks_[peer].lines[turn % turns_].turn.load(std::memory_order_acquire) != turn) {
      }
    for (const Wanted& wanted : mine.recipe.outputs)
      for (std::size_t i = 0; i < count; ++i) {
        double sum = 0;
        for (const Term& term : wanted.terms) sum += value_of(term, turn, i);
        vectors.outputs[rank][wanted.block * count + i] = sum;
      }
  }

 private:
  double value_of(const Term& term, std::uint64_t turn, std::size_t i) const {
    const Mine& theirs = ranks_[term.rank];
    return theirs.lines[turn % turns_].values[theirs.offsets[term.block] + i];
  }
  static constexpr std::size_t kMostTurns = 16;
  struct alignas(kLinePairBytes) Line {
    std::atomic<std::uint64_t> turn{0};
    double values[kLineDoubles] = {};
  };
  struct alignas(kLinePairBytes) Mine {
    std::array<Line, kMostTurns> lines;
    Recipe recipe;
    std::array<std::size_t, kLineDoubles> offsets{};  ///< of a block in a line
    alignas(kLinePairBytes) std::uint64_t turn = 0;
  };
  std::vector<Recipe> recipes_;
  std::size_t turns_;
  std::vector<Mine> ranks_;
};

/// Each rank makes its output from all ranks' inputs, between two bare barriers.
class DirectBlocks final : public Contender {
 public:
  DirectBlocks(Crew& crew, Collective collective, Stores stores)
      : crew_(crew), recipes_(recipes_of(collective, crew.ranks())), stores_(stores) {}
  std::string name() const override {
    return stores_ == Stores::streaming ? "read, streaming" : "read";
  }
  void call(Rank rank, const Vectors& vectors) noexcept override {
    crew_.barrier(rank);
    make(recipes_[rank], vectors.inputs.data(), vectors.outputs[rank], vectors.count, stores_);
    crew_.barrier(rank);
  }

 private:
  Crew& crew_;
  std::vector<Recipe> recipes_;
  Stores stores_;
};

/// Each rank stores its blocks where they are wanted, between two bare barriers. For copies.
class PushedBlocks final : public Contender {
 public:
  PushedBlocks(Crew& crew, Collective collective)
      : crew_(crew), recipes_(recipes_of(collective, crew.ranks())), routes_(crew.ranks()) {
    for (Rank i = 0; i < crew.ranks(); ++i)
      for (Rank rank = 0; rank < crew.ranks(); ++rank)
        for (const Wanted& wanted : recipes_[(rank + i) % crew.ranks()].outputs)
          if (wanted.terms.front().rank == rank)
            routes_[rank].push_back(
                {wanted.terms.front().block, (rank + i) % crew.ranks(), wanted.block});
  }
  std::string name() const override { return "push"; }
  void call(Rank rank, const Vectors& vectors) noexcept override {
    crew_.barrier(rank);
    for (const Route& route : routes_[rank])
      std::memcpy(vectors.outputs[route.peer] + route.to * vectors.count,
                  vectors.inputs[rank] + route.from * vectors.count, vectors.bytes());
    crew_.barrier(rank);
  }

 private:
  struct Route {
    std::size_t from;
    Rank peer;
    std::size_t to;
  };
  Crew& crew_;
  std::vector<Recipe> recipes_;
  std::vector<std::vector<Route>> routes_;
};

/// Each rank copies what it brings to a place that all see; after one barrier all read. Several
/// places in turn give peers' caches time to let go.
class CopiedBlocks final : public Contender {
 public:
  CopiedBlocks(Crew& crew, Collective collective, std::size_t count, std::size_t turns)
      : crew_(crew), recipes_(recipes_of(collective, crew.ranks())), count_(count), turns_(turns) {
    const std::size_t blocks = has_block_per_rank(collective) ? crew.ranks() : 1;
    for (Rank rank = 0; rank < crew.ranks(); ++rank)
      places_.push_back({std::vector<double>(turns * (blocks * count + 16)), 0});
  }
  std::string name() const override { return "copied, " + std::to_string(turns_); }
  void call(Rank rank, const Vectors& vectors) noexcept override {
    double* mine = values_of(rank, ++places_[rank].turn % turns_);
    for (const std::uint16_t block : recipes_[rank].inputs)
      std::memcpy(mine + block * count_, vectors.inputs[rank] + block * count_, vectors.bytes());
    crew_.barrier(rank);
    const double* inputs[kMostRanks];
    for (Rank peer = 0; peer < crew_.ranks(); ++peer)
      inputs[peer] = values_of(peer, places_[rank].turn % turns_);
    make(recipes_[rank], inputs, vectors.outputs[rank], count_, Stores::cached);
  }

 private:
  struct alignas(kLinePairBytes) Shown {
    std::vector<double> values;
    std::uint64_t turn;
  };
  double* values_of(Rank rank, std::size_t turn) {
    std::vector<double>& values = places_[rank].values;
    return values.data() + values.size() / turns_ * turn;
  }
  Crew& crew_;
  std::vector<Recipe> recipes_;
  std::size_t count_, turns_;
  std::vector<Shown> places_;
};

/// Each rank goes through its share of the elements from rank to rank: every input is read once,
/// every output written once, between two bare barriers.
class SplitScan final : public Contender {
 public:
  SplitScan(Crew& crew, bool includes_own) : crew_(crew), includes_own_(includes_own) {}
  std::string name() const override { return "split scan"; }
  void call(Rank rank, const Vectors& vectors) noexcept override {
    crew_.barrier(rank);
    const std::size_t begin = edge(rank, vectors.count), end = edge(rank + 1, vectors.count);
    for (std::size_t i = begin; i < end; i += kPiece) add_up(vectors, i, std::min(end, i + kPiece));
    crew_.barrier(rank);
  }

 private:
  static constexpr std::size_t kPiece = 512;  // elements whose sums stay in a first-level cache
  void add_up(const Vectors& vectors, std::size_t begin, std::size_t end) {
    double sums[kPiece] = {};
    for (Rank rank = 0; rank < crew_.ranks(); ++rank) {
      const double* input = vectors.inputs[rank];
      double* output = vectors.outputs[rank];
      for (std::size_t i = begin; i < end; ++i) {
        const double before = sums[i - begin], after = before + input[i];
        if (includes_own_ || rank > 0) output[i] = includes_own_ ? after : before;
        sums[i - begin] = after;
      }
    }
  }
  std::size_t edge(Rank rank, std::size_t count) const {
    return rank == crew_.ranks() ? count : count * rank / crew_.ranks() / 8 * 8;
  }
  Crew& crew_;
  bool includes_own_;
};

constexpr std::size_t kStreamsFrom = 256 << 10;

}  // namespace

Contenders make_block_floors(Crew& crew, Collective collective, std::size_t bytes) {
  Contenders floors;
  const std::size_t count = bytes / sizeof(double);
  if (BlockLines::fits(collective, crew.ranks(), count))
    for (const std::size_t turns : {4u, 16u})
      floors.push_back(std::make_unique<BlockLines>(collective, crew.ranks(), count, turns));
  floors.push_back(std::make_unique<DirectBlocks>(crew, collective, Stores::cached));
  if (bytes >= kStreamsFrom)
    floors.push_back(std::make_unique<DirectBlocks>(crew, collective, Stores::streaming));
  if (bytes <= kStreamsFrom)
    for (const std::size_t turns : {2u, 8u})
      floors.push_back(std::make_unique<CopiedBlocks>(crew, collective, count, turns));
  const bool is_scan = collective == Collective::scan || collective == Collective::exscan;
  if (is_scan)
    floors.push_back(std::make_unique<SplitScan>(crew, collective == Collective::scan));
  else if (collective != Collective::reduce_scatter_block)
    floors.push_back(std::make_unique<PushedBlocks>(crew, collective));
  return floors;
}

}  // namespace terrace::bench
