// SPDX-License-Identifier: BSD-3-Clause
// Goals and methods:
// - A call that is started, left and resumed gives what a call that waits gives, whichever of its
//   ranks do which: teams of threads whose ranks choose at random, on their own, whether they make
//   a call, start it by its arguments or as it was prepared, and whether they then advance it again
//   and again or complete it; over lines and scratch, direct and bounced, with blocks of different
//   length, in pieces.
// - Calls on several endpoints are over in any order, however many are left at once.
// - Where calls may be left, a rank that has started one holds up nobody: each rank in turn ends it
//   in one step while the others are away.
// - Started calls go by what another team of the same ranks has found out, unless sums would have
//   other bits: three endpoints of one thread, with findings that were made up.
// - Ranks that differ in the call that they start are told so, at the start, in an advance or when
//   they complete it.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "choose/candidates.hpp"
#include "engine/last_call.hpp"

namespace terrace {
namespace {

constexpr int kStartedCalls = 500;

/// The teams of the same ranks, as lanes are.
struct Teams {
  Teams(Rank ranks, std::size_t count, std::size_t scratch_bytes)
      : plan_cache(flat_hierarchy(ranks)) {
    for (std::size_t i = 0; i < count; ++i) {
      memories.push_back(std::make_unique<ThreadMemory>(ranks, scratch_bytes));
      for (const RankMemory& rank : memories.back()->memory().ranks) prepare(rank, 0);
    }
  }
  Rank ranks() const { return memories.front()->memory().rank_count(); }

  PlanCache plan_cache;
  std::vector<std::unique_ptr<ThreadMemory>> memories;
};

class NotedMismatches final : public WaitEnvironment {
 public:
  void mismatched(const CallMismatch&) noexcept override { ++count; }
  int count = 0;
};

EndpointOptions options_for(Rank ranks, WaitEnvironment& wait_environment, Reach reach) {
  EndpointOptions options;
  options.traits.ranks = ranks;
  options.traits.can_be_direct = reach == Reach::direct;
  options.reach = reach;
  options.wait_environment = &wait_environment;
  options.waiting = WaitPolicy::for_ranks(ranks, 1);
  return options;
}

/// One call of the script, and this rank's buffers for it.
class ScriptedCall {
 public:
  ScriptedCall(std::uint64_t number, Rank rank, Rank ranks)
      : number_(number), rank_(rank), ranks_(ranks), count_(kCounts[number % kCounts.size()]) {
    fill();
  }

  std::size_t kind() const { return number_ / 8 % 5; }
  /// Calls of the same key are the same but for their buffers.
  std::size_t key() const { return kind() * 100 + number_ % kCounts.size() * 10 + root(); }
  bool can_be_repeated() const { return kind() != 4; }
  const void* input() const { return kind() == 1 ? output_.data() : input_.data(); }
  void* output() { return output_.data(); }

  bool make(TeamEndpoint& endpoint) {
    switch (kind()) {
      case 0:
        return endpoint.barrier();
      case 1:
        return endpoint.bcast(output_.data(), count_ * 8, root());
      case 2:
        return endpoint.allreduce(input_.data(), output_.data(),
                                  {count_, 8, find_reduction(Type::uint64, Operator::sum)});
      case 3:
        return endpoint.alltoall(input_.data(), output_.data(), count_ * 8);
      default:
        return endpoint.move_blocks(Collective::alltoallv, {inputs_.data(), outputs_.data()},
                                    longest() * 8, 0);
    }
  }
  bool is_right() const {
    for (std::size_t i = 0; i < output_.size(); ++i)
      if (output_[i] != expected(i)) return false;
    return true;
  }

 private:
  static constexpr std::array<std::size_t, 6> kCounts = {1, 3, 14, 40, 600, 5000};

  Rank root() const { return kind() == 1 ? static_cast<Rank>(number_ / 64 % ranks_) : 0; }
  std::size_t length(Rank from, Rank to) const { return (number_ + from + 2 * to) % 70; }
  std::size_t longest() const {
    std::size_t most = 0;
    for (Rank from = 0; from < ranks_; ++from)
      for (Rank to = 0; to < ranks_; ++to) most = std::max(most, length(from, to));
    return most;
  }
  std::uint64_t value(Rank from, Rank to, std::size_t i) const {
    return number_ * 31 + from * 7 + to * 3 + i;
  }
  void fill() {
    const std::size_t blocks = kind() == 3 ? ranks_ : 1;
    if (kind() == 0) return;
    if (kind() == 4) return fill_blocks();
    output_.assign(count_ * blocks, 0xdead);
    input_.resize(count_ * blocks);
    for (std::size_t i = 0; i < input_.size(); ++i)
      input_[i] = value(rank_, static_cast<Rank>(i / count_), i % count_);
    if (kind() == 1 && rank_ == root()) output_ = input_;
  }
  void fill_blocks() {
    std::vector<std::size_t> in(ranks_ + 1), out(ranks_ + 1);
    for (Rank peer = 0; peer < ranks_; ++peer) {
      in[peer + 1] = in[peer] + length(rank_, peer);
      out[peer + 1] = out[peer] + length(peer, rank_);
    }
    input_.resize(in.back());
    output_.assign(out.back(), 0xdead);
    for (Rank peer = 0; peer < ranks_; ++peer) {
      for (std::size_t i = in[peer]; i < in[peer + 1]; ++i)
        input_[i] = value(rank_, peer, i - in[peer]);
      inputs_.push_back(
          {reinterpret_cast<std::byte*>(input_.data() + in[peer]), length(rank_, peer) * 8});
      outputs_.push_back(
          {reinterpret_cast<std::byte*>(output_.data() + out[peer]), length(peer, rank_) * 8});
    }
  }
  std::uint64_t expected(std::size_t i) const {
    if (kind() == 1) return value(root(), 0, i);
    if (kind() == 3) return value(static_cast<Rank>(i / count_), rank_, i % count_);
    std::uint64_t sum = 0;
    if (kind() == 2)
      for (Rank rank = 0; rank < ranks_; ++rank) sum += value(rank, 0, i);
    if (kind() == 2) return sum;
    Rank from = 0;
    for (; i >= length(from, rank_); ++from) i -= length(from, rank_);
    return value(from, rank_, i);
  }

  std::uint64_t number_;
  Rank rank_, ranks_;
  std::size_t count_;
  std::vector<std::uint64_t> input_, output_;
  std::vector<Block> inputs_, outputs_;
};

/// One rank of several teams, which leaves calls and resumes them as it likes.
class Player {
 public:
  Player(Teams& teams, Rank rank, Reach reach)
      : random_(rank + 1), rank_(rank), lanes_(teams.memories.size()) {
    for (std::size_t i = 0; i < lanes_.size(); ++i)
      lanes_[i].endpoint =
          std::make_unique<TeamEndpoint>(teams.memories[i]->memory(), rank, teams.plan_cache,
                                         options_for(teams.ranks(), wait_environment_, reach));
  }

  /// The call of that number goes to the next team in turn.
  void make(std::uint64_t number, Rank ranks) {
    Lane& lane = lanes_[next_++ % lanes_.size()];
    if (lane.call) end(lane);
    lane.call = std::make_unique<ScriptedCall>(number, rank_, ranks);
    begin(lane);
    if (random_() % 3 == 0) advance_one();
  }
  void end_all() {
    for (Lane& lane : lanes_)
      if (lane.call) end(lane);
  }
  int wrong() const { return wrong_; }
  int left() const { return left_; }
  int starts_again() const { return starts_again_; }

 private:
  struct Lane {
    std::unique_ptr<TeamEndpoint> endpoint;
    std::unique_ptr<ScriptedCall> call;
    std::map<std::size_t, LastCall> last;
  };

  void begin(Lane& lane) {
    TeamEndpoint& endpoint = *lane.endpoint;
    ScriptedCall& call = *lane.call;
    LastCall& last = lane.last[call.key()];
    const bool may_be_repeated = call.can_be_repeated() && last.prepared != nullptr &&
                                 last.version == endpoint.prepared_version();
    // Only where no other call is left: it would wait for ranks that do the same elsewhere.
    if (lanes_.size() == 1 && random_() % 4 == 0) {
      wrong_ += !call.make(endpoint);
      last.note(endpoint);
      return check(lane);
    }
    Progress progress;
    if (may_be_repeated && random_() % 4 != 0) {
      ++starts_again_;
      progress = endpoint.start(*last.prepared, call.input(), call.output());
    } else {
      progress = endpoint.start([&](TeamEndpoint& its) { wrong_ += !call.make(its); });
      last.note(endpoint);
    }
    left_ += progress == Progress::blocked;
    EXPECT_EQ(progress == Progress::blocked, endpoint.has_started());
    if (progress == Progress::done) check(lane);
  }
  void advance_one() {
    Lane& lane = lanes_[random_() % lanes_.size()];
    lane.endpoint->prefetch_awaited();
    if (lane.endpoint->has_started() && lane.endpoint->advance() == Progress::done) check(lane);
  }
  void end(Lane& lane) {
    TeamEndpoint& endpoint = *lane.endpoint;
    if (lanes_.size() == 1 && random_() % 2 == 0) {
      wrong_ += !endpoint.complete();
    } else {
      // Others are advanced meanwhile: their peers may wait for this rank.
      while (endpoint.has_started()) {
        for (Lane& each : lanes_)
          if (each.endpoint->has_started() && &each != &lane &&
              each.endpoint->advance() == Progress::done)
            check(each);
        const Progress progress = endpoint.advance();
        wrong_ += progress != Progress::done && progress != Progress::blocked;
        if (progress == Progress::blocked) std::this_thread::yield();
      }
    }
    if (lane.call) check(lane);
  }
  void check(Lane& lane) {
    wrong_ += !lane.call->is_right();
    lane.call.reset();
  }

  NotedMismatches wait_environment_;
  std::mt19937_64 random_;
  Rank rank_;
  std::vector<Lane> lanes_;
  std::size_t next_ = 0;
  int wrong_ = 0, left_ = 0, starts_again_ = 0;
};

struct Cast {
  Rank ranks;
  std::size_t lanes;
  Reach reach;
};

class StartedCalls : public testing::TestWithParam<Cast> {};

TEST_P(StartedCalls, give_what_calls_that_wait_give) {
  const auto [ranks, lanes, reach] = GetParam();
  Teams teams(ranks, lanes, usual_scratch_bytes(ranks));
  std::vector<std::unique_ptr<Player>> players(ranks);
  const auto play = [&, its_reach = reach](Rank rank) {
    auto& player = players[rank] = std::make_unique<Player>(teams, rank, its_reach);
    std::mt19937_64 script(11);  // the same on all ranks
    for (int i = 0; i < kStartedCalls; ++i) player->make(script(), teams.ranks());
    player->end_all();
  };
  std::vector<std::thread> threads;
  for (Rank rank = 0; rank < ranks; ++rank) threads.emplace_back(play, rank);
  for (std::thread& thread : threads) thread.join();
  for (Rank rank = 0; rank < ranks; ++rank) {
    EXPECT_EQ(0, players[rank]->wrong()) << "rank " << rank;
    EXPECT_GT(players[rank]->starts_again(), kStartedCalls / 8) << "rank " << rank;
    EXPECT_TRUE(ranks == 1 || players[rank]->left() > kStartedCalls / 8) << "rank " << rank;
  }
}

INSTANTIATE_TEST_SUITE_P(Casts, StartedCalls,
                         testing::Values(Cast{1, 1, Reach::bounced}, Cast{2, 1, Reach::bounced},
                                         Cast{2, 4, Reach::direct}, Cast{3, 1, Reach::direct},
                                         Cast{3, 4, Reach::bounced}, Cast{5, 2, Reach::direct}));

/// All ranks have started a call, and then one after the other, in any order, goes on with it once
/// while the others are away: each call must be over then.
void leave_and_go_on(Rank ranks, std::uint64_t seed) {
  constexpr std::size_t kScratch = 64 << 10;
  constexpr auto kRegular = static_cast<std::uint64_t>(Collective::allgatherv);
  constexpr std::array<std::size_t, 6> kBlockBytes = {8, 24, 48, 320, 4096, 80000};
  Teams teams(ranks, 1, kScratch);
  NotedMismatches wait_environment;
  EndpointOptions options = options_for(ranks, wait_environment, Reach::bounced);
  options.traits.leaves_calls = true;
  std::vector<std::unique_ptr<TeamEndpoint>> endpoints;
  for (Rank rank = 0; rank < ranks; ++rank)
    endpoints.push_back(std::make_unique<TeamEndpoint>(teams.memories[0]->memory(), rank,
                                                       teams.plan_cache, options));
  std::mt19937_64 random(seed);
  std::vector<Rank> order(ranks);
  std::iota(order.begin(), order.end(), 0);
  int made = 0;
  for (int i = 0; i < 400; ++i) {
    const auto collective = static_cast<Collective>(random() % kRegular);
    const std::size_t bytes =
        collective == Collective::barrier ? 0 : kBlockBytes[random() % kBlockBytes.size()];
    const Elements elements =
        combines(collective) ? Elements{bytes / 8, 8, find_reduction(Type::uint64, Operator::sum)}
                             : Elements{bytes};
    const auto root = static_cast<Rank>(is_rooted(collective) ? random() % ranks : 0);
    const bool can_be_left = endpoints[0]->can_be_left(collective, elements, root);
    std::vector<std::vector<std::uint64_t>> in(ranks), out(ranks);
    for (Rank rank = 0; rank < ranks; ++rank) {
      EXPECT_EQ(can_be_left, endpoints[rank]->can_be_left(collective, elements, root));
      in[rank].assign(bytes / 8 * ranks, rank + 1);
      out[rank].resize(bytes / 8 * ranks);
    }
    EXPECT_TRUE(can_be_left || bytes * ranks > kScratch) << to_text(collective);
    if (!can_be_left) continue;
    ++made;
    std::shuffle(order.begin(), order.end(), random);
    for (const Rank rank : order)
      endpoints[rank]->start([&](TeamEndpoint& its) {
        const bool has_one_buffer = collective == Collective::bcast;
        its.make_call(collective, has_one_buffer ? out[rank].data() : in[rank].data(),
                      out[rank].data(), elements, root);
      });
    std::shuffle(order.begin(), order.end(), random);
    for (const Rank rank : order) {
      TeamEndpoint& own = *endpoints[rank];
      EXPECT_FALSE(own.owes());
      const Progress progress = own.has_started() ? own.advance() : Progress::done;
      EXPECT_EQ(progress, Progress::done) << to_text(collective) << ", " << bytes << " bytes";
      if (collective != Collective::allreduce) continue;
      EXPECT_EQ(out[rank].front(), std::uint64_t{ranks} * (ranks + 1) / 2);
    }
  }
  EXPECT_GT(made, 250);
}

TEST(StartedCalls, are_over_on_each_rank_while_the_others_are_away) {
  for (const Rank ranks : {2u, 3u, 5u, 8u}) leave_and_go_on(ranks, ranks);
}

/// The plan by which three ranks start an allreduce of doubles, if another team has found `found`.
std::string plan_by(const std::optional<Contender>& found, const Elements& elements) {
  constexpr Rank kRanks = 3;
  Teams teams(kRanks, 1, usual_scratch_bytes(kRanks));
  NotedMismatches wait_environment;
  const EndpointOptions options = options_for(kRanks, wait_environment, Reach::bounced);
  auto findings = std::make_shared<TeamFindings>();
  findings->chooser =
      Chooser::shared(options.traits, teams.plan_cache.hierarchy(), model::assumed_costs());
  Question question{Collective::allreduce, elements.count * elements.bytes};
  question.is_exact = elements.is_exact;
  if (found) findings->ways.emplace(class_of(question), *found);
  std::array<std::vector<double>, kRanks> in, out;
  std::vector<std::unique_ptr<TeamEndpoint>> endpoints;
  for (Rank rank = 0; rank < kRanks; ++rank) {
    in[rank].assign(elements.count, rank + 1);
    out[rank].resize(elements.count);
    endpoints.push_back(std::make_unique<TeamEndpoint>(teams.memories[0]->memory(), rank,
                                                       teams.plan_cache, options));
    endpoints[rank]->use(findings);
    endpoints[rank]->start(
        [&](TeamEndpoint& its) { its.allreduce(in[rank].data(), out[rank].data(), elements); });
  }
  const auto are_left = [&] {
    return std::any_of(endpoints.begin(), endpoints.end(),
                       [](const auto& one) { return one->has_started(); });
  };
  while (are_left())
    for (const auto& one : endpoints)
      if (one->has_started()) one->advance();
  for (const auto& of_rank : out) EXPECT_EQ(of_rank, std::vector<double>(elements.count, 6));
  return endpoints[0]->last_plan();
}

TEST(StartedCalls, go_by_what_another_team_has_found_unless_bits_would_change) {
  int alike = 0, different = 0;
  for (const bool is_exact : {false, true}) {
    Elements elements{512, 8, find_reduction(Type::float64, Operator::sum)};
    Question question{Collective::allreduce, elements.count * elements.bytes};
    question.is_exact = elements.is_exact = is_exact;
    WaitEnvironment wait_environment;
    const EndpointOptions options = options_for(3, wait_environment, Reach::bounced);
    Chooser chooser(options.traits, flat_hierarchy(3), model::assumed_costs());
    const Choice first = chooser.choose(question);
    ASSERT_EQ(plan_by(std::nullopt, elements), first.algorithm);
    for (const Candidate& one : chooser.ranked(question)) {
      if (one.choice.algorithm == first.algorithm) continue;
      const bool has_same_bits = have_same_bits(question, first, one.choice, 3);
      (has_same_bits ? alike : different) += 1;
      EXPECT_EQ(
          plan_by(Contender{.choice = one.choice, .predicted_ns = one.predicted_ns}, elements),
          has_same_bits ? one.choice.algorithm : first.algorithm);
    }
  }
  EXPECT_GT(alike, 0);
  EXPECT_GT(different, 0);
}

/// Rank 0's and rank 1's outcome of one allreduce and one bcast, which rank 1 completes.
TEST(StartedCalls, that_differ_are_named) {
  Teams teams(2, 1, usual_scratch_bytes(2));
  std::array<int, 2> mismatches{}, failures{};
  const auto play = [&](Rank rank) {
    NotedMismatches wait_environment;
    TeamEndpoint endpoint(teams.memories[0]->memory(), rank, teams.plan_cache,
                          options_for(2, wait_environment, Reach::bounced));
    std::uint64_t value = rank;
    const Elements sum{1, 8, find_reduction(Type::uint64, Operator::sum)};
    Progress progress = endpoint.start([&](TeamEndpoint& its) {
      rank == 0 ? its.allreduce(&value, &value, sum) : its.alltoall(&value, &value, 4);
    });
    if (progress == Progress::blocked && rank == 1)
      progress = endpoint.complete() ? Progress::done : Progress::mismatched;
    while (progress == Progress::blocked) progress = endpoint.advance();
    EXPECT_FALSE(endpoint.has_started());
    failures[rank] = progress == Progress::mismatched;
    mismatches[rank] = wait_environment.count;
  };
  std::thread other(play, 1);
  play(0);
  other.join();
  EXPECT_EQ(failures, (std::array<int, 2>{1, 1}));
  EXPECT_EQ(mismatches, (std::array<int, 2>{1, 1}));
}

}  // namespace
}  // namespace terrace
