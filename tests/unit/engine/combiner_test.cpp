// SPDX-License-Identifier: BSD-3-Clause
// Goal: operators without a kernel, which need not commute, give what the ranks' order gives: by
// every collective that combines, for every root, in place or not, short and long, on hierarchies
// that mix the ranks up. Method: threads multiply matrices, where the order shows.
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "engine/team_endpoint.hpp"

namespace terrace {
namespace {

/// 2 by 2, entries modulo 2^16: multiplied in any grouping the same, in another order not.
struct Matrix {
  std::uint16_t a = 1, b = 0, c = 0, d = 1;

  friend Matrix operator*(const Matrix& x, const Matrix& y) {
    const auto entry = [](unsigned p, unsigned q, unsigned r, unsigned s) {
      return static_cast<std::uint16_t>(p * q + r * s);
    };
    return {entry(x.a, y.a, x.b, y.c), entry(x.a, y.b, x.b, y.d), entry(x.c, y.a, x.d, y.c),
            entry(x.c, y.b, x.d, y.d)};
  }
  bool operator==(const Matrix&) const = default;
};

class Multiplication final : public Combiner {
 public:
  void combine(const void* const* operands, std::size_t operand_count, void* const* targets,
               std::size_t target_count, std::size_t element_count) noexcept override {
    for (std::size_t i = 0; i < element_count; ++i) {
      Matrix product;
      for (std::size_t j = 0; j < operand_count; ++j)
        product = product * static_cast<const Matrix*>(operands[j])[i];
      for (std::size_t t = 0; t < target_count; ++t) static_cast<Matrix*>(targets[t])[i] = product;
    }
  }
};

Matrix element(Rank rank, std::size_t i) {
  const auto x = static_cast<std::uint16_t>(rank * 7919 + i * 31);
  return {x, static_cast<std::uint16_t>(x + 1), static_cast<std::uint16_t>(x * x), 3};
}

using Matrices = std::vector<Matrix>;

Matrices input_of(Rank rank, std::size_t count) {
  Matrices input;
  for (std::size_t i = 0; i < count; ++i) input.push_back(element(rank, i));
  return input;
}

/// Elements `first` and following of the inputs of the first `ranks` ranks.
Matrices product_of(Rank ranks, std::size_t first, std::size_t count) {
  Matrices product(count);
  for (std::size_t i = 0; i < count; ++i)
    for (Rank rank = 0; rank < ranks; ++rank) product[i] = product[i] * element(rank, first + i);
  return product;
}

/// Ranks dealt out to two packages, so that neighbours are far from each other.
Hierarchy mixed_up(Rank ranks) {
  std::vector<Locality> localities;
  for (Rank rank = 0; rank < ranks; ++rank)
    localities.push_back({{{"node", 0}, {"package", rank % 2}, {"core", rank}}});
  return hierarchy_of(localities);
}

/// One rank's calls and what it finds wrong in them, first.
class Multiplier {
 public:
  Multiplier(TeamEndpoint& endpoint, Rank ranks) : endpoint_(endpoint), ranks_(ranks) {}

  void play(std::size_t count, bool is_in_place) {
    count_ = count;
    is_in_place_ = is_in_place;
    const auto all = product_of(ranks_, 0, count);
    for (Rank root = 0; root < ranks_; ++root)
      expect("reduce", 1, rank() == root ? all : Matrices(),
             [&](auto in, auto out) { return endpoint_.reduce(in, out, elements(), root); });
    expect("allreduce", 1, all,
           [&](auto in, auto out) { return endpoint_.allreduce(in, out, elements()); });
    expect("reduce_scatter_block", ranks_, product_of(ranks_, rank() * count, count),
           [&](auto in, auto out) { return endpoint_.reduce_scatter_block(in, out, elements()); });
    expect("scan", 1, product_of(rank() + 1, 0, count),
           [&](auto in, auto out) { return endpoint_.scan(in, out, elements()); });
    expect("exscan", 1, rank() == 0 ? Matrices() : product_of(rank(), 0, count),
           [&](auto in, auto out) { return endpoint_.exscan(in, out, elements()); });
  }
  const std::string& complaint() const { return complaint_; }

 private:
  Rank rank() const { return endpoint_.rank(); }
  Elements elements() { return {count_, sizeof(Matrix), nullptr, true, &multiplication_}; }

  template <class MakeCall>
  void expect(const std::string& name, std::size_t blocks, const Matrices& right, MakeCall call) {
    Matrices input = input_of(rank(), count_ * blocks), separate(input.size());
    Matrices& output = is_in_place_ ? input : separate;
    const bool is_done = call(input.data(), output.data());
    output.resize(right.size());
    if ((!is_done || output != right) && complaint_.empty())
      complaint_ = name + " of " + std::to_string(count_) + " at rank " + std::to_string(rank()) +
                   " by " + endpoint_.last_plan() + (is_in_place_ ? ", in place" : "");
  }

  TeamEndpoint& endpoint_;
  Rank ranks_;
  std::size_t count_ = 0;
  bool is_in_place_ = false;
  Multiplication multiplication_;
  std::string complaint_;
};

/// The first complaint of some rank; "" if all products are right.
std::string complaint_of_team(Rank ranks, Reach reach) {
  ThreadMemory memory(ranks, 64 << 10);
  PlanCache plan_cache(mixed_up(ranks));
  for (const RankMemory& rank : memory.memory().ranks) prepare(rank, 0);
  std::vector<std::string> complaints(ranks);
  const auto play = [&](Rank rank) {
    WaitEnvironment wait_environment;
    EndpointOptions options;
    options.traits = {ranks, reach == Reach::direct, false};
    options.waiting = WaitPolicy::for_ranks(2, 1);
    options.reach = reach;
    options.wait_environment = &wait_environment;
    TeamEndpoint endpoint(memory.memory(), rank, plan_cache, options);
    Multiplier player(endpoint, ranks);
    for (const std::size_t count : {1u, 3u, 200u, 20000u})
      for (const bool is_in_place : {false, true}) player.play(count, is_in_place);
    complaints[rank] = player.complaint();
  };
  std::vector<std::thread> threads;
  for (Rank rank = 0; rank < ranks; ++rank) threads.emplace_back(play, rank);
  for (std::thread& thread : threads) thread.join();
  for (const std::string& complaint : complaints)
    if (!complaint.empty()) return complaint;
  return "";
}

TEST(Combiner, keeps_the_ranks_order_in_every_collective_that_combines) {
  for (const Rank ranks : {2u, 3u, 5u})
    for (const Reach reach : {Reach::direct, Reach::bounced})
      EXPECT_EQ("", complaint_of_team(ranks, reach)) << ranks << " ranks";
}

}  // namespace
}  // namespace terrace
