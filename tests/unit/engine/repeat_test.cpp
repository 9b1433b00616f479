// SPDX-License-Identifier: BSD-3-Clause
// Goals and methods:
// - A prepared call that is made again gives what the same call by its arguments gives, whichever
// of
//   its ranks take which way: teams of threads whose ranks choose at random, with buffers that are
//   elsewhere each time, by lines and by scratch, in place and not, with calls of others between.
// - Ranks that make calls again and ranks that ask each time let the same calls fall back to the
// MPI: two
//   threads whose MPI does nothing, and so is tried and taken.
// - What was prepared is not made again once it was forgotten: an endpoint that is given another
// chooser.
#include "engine/last_call.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <random>
#include <thread>

namespace terrace {
namespace {

constexpr int kCalls = 600;

/// What one rank makes its calls with, and what has gone wrong.
class Repeater {
 public:
  Repeater(const TeamMemory& memory, PlanCache& plan_cache, Rank rank) : random_(rank + 1) {
    EndpointOptions options;
    options.traits.ranks = memory.rank_count();
    options.wait_environment = &wait_environment_;
    endpoint_.emplace(memory, rank, plan_cache, options);
  }
  TeamEndpoint& endpoint() { return *endpoint_; }
  int wrong() const { return wrong_; }
  int repeats() const { return repeats_; }

  /// The sum over ranks of `i * number + rank`, elements apart by one.
  void allreduce(std::uint64_t number, std::size_t count, bool is_in_place) {
    const Rank ranks = endpoint_->rank() + 1;
    std::vector<std::uint64_t>& input = buffer(count);
    std::vector<std::uint64_t>& output = is_in_place ? input : buffer(count);
    for (std::size_t i = 0; i < count; ++i) input[i] = number * i + ranks;
    const Elements elements{count, 8, find_reduction(Type::uint64, Operator::sum)};
    make({Collective::allreduce, count, is_in_place}, input.data(), output.data(),
         [&] { return endpoint_->allreduce(input.data(), output.data(), elements); });
    const std::uint64_t team = team_ranks_, all = team * (team + 1) / 2;
    for (std::size_t i = 0; i < count; ++i) wrong_ += output[i] != team * number * i + all;
  }

  void bcast(std::uint64_t number, std::size_t count, Rank root) {
    std::vector<std::uint64_t>& buffer = this->buffer(count);
    for (std::size_t i = 0; i < count; ++i)
      buffer[i] = endpoint_->rank() == root ? number + i : 0xdead;
    make({Collective::bcast, count, false, root}, buffer.data(), buffer.data(),
         [&] { return endpoint_->bcast(buffer.data(), count * 8, root); });
    for (std::size_t i = 0; i < count; ++i) wrong_ += buffer[i] != number + i;
  }

  void barrier() {
    make({Collective::barrier}, nullptr, nullptr, [&] { return endpoint_->barrier(); });
  }

  void belong_to(Rank ranks) { team_ranks_ = ranks; }

 private:
  struct Key {
    Collective collective;
    std::size_t count = 0;
    bool is_in_place = false;
    Rank root = 0;
    auto operator<=>(const Key&) const = default;
  };

  /// One of a few, so that addresses change from call to call.
  std::vector<std::uint64_t>& buffer(std::size_t count) {
    std::vector<std::uint64_t>& one = buffers_[next_++ % buffers_.size()];
    one.resize(std::max<std::size_t>(count, 1));
    return one;
  }

  void make(const Key& key, const void* input, void* output, const std::function<bool()>& call) {
    LastCall& last = last_[key];
    if (random_() % 2 == 0 && last.prepared != nullptr && last.may_be_repeated(*endpoint_)) {
      ++repeats_;
      wrong_ += !endpoint_->repeat(*last.prepared, input, output);
      return;
    }
    wrong_ += !call();
    last.note(*endpoint_);
  }

  WaitEnvironment wait_environment_;
  std::mt19937_64 random_;
  std::optional<TeamEndpoint> endpoint_;
  std::array<std::vector<std::uint64_t>, 7> buffers_;
  std::size_t next_ = 0;
  std::map<Key, LastCall> last_;
  Rank team_ranks_ = 0;
  int wrong_ = 0, repeats_ = 0;
};

class Repeats : public testing::TestWithParam<Rank> {};

TEST_P(Repeats, give_what_calls_by_their_arguments_give) {
  const Rank ranks = GetParam();
  ThreadMemory memory(ranks, usual_scratch_bytes(ranks));
  PlanCache plan_cache(flat_hierarchy(ranks));
  for (const RankMemory& rank : memory.memory().ranks) prepare(rank, 0);
  std::vector<int> wrong(ranks), repeats(ranks);
  const auto play = [&](Rank rank) {
    Repeater player(memory.memory(), plan_cache, rank);
    player.belong_to(ranks);
    std::mt19937_64 script(7);  // the same on all ranks
    constexpr std::size_t kCounts[] = {1, 3, 14, 15, 600, 5000};
    for (int i = 0; i < kCalls; ++i) {
      const std::size_t count = kCounts[script() % std::size(kCounts)];
      const std::uint64_t number = script();
      switch (script() % 4) {
        case 0:
          player.bcast(number, count, static_cast<Rank>(number % ranks));
          break;
        case 1:
          player.barrier();
          break;
        default:
          player.allreduce(number, count, number % 3 == 0);
      }
    }
    wrong[rank] = player.wrong();
    repeats[rank] = player.repeats();
  };
  std::vector<std::thread> threads;
  for (Rank rank = 0; rank < ranks; ++rank) threads.emplace_back(play, rank);
  for (std::thread& thread : threads) thread.join();
  for (Rank rank = 0; rank < ranks; ++rank) {
    EXPECT_EQ(0, wrong[rank]) << "rank " << rank;
    EXPECT_GT(repeats[rank], kCalls / 8) << "rank " << rank;
  }
}

INSTANTIATE_TEST_SUITE_P(Ranks, Repeats, testing::Values(1, 2, 3, 5));

TEST(LastCall, is_not_made_again_once_its_endpoint_chooses_anew) {
  ThreadMemory memory(1, 1 << 16);
  PlanCache plan_cache(flat_hierarchy(1));
  prepare(memory.memory().ranks[0], 0);
  WaitEnvironment wait_environment;
  EndpointOptions options;
  options.traits.ranks = 1;
  options.wait_environment = &wait_environment;
  TeamEndpoint endpoint(memory.memory(), 0, plan_cache, options);
  LastCall last;
  EXPECT_TRUE(endpoint.barrier());
  last.note(endpoint);
  ASSERT_NE(nullptr, last.prepared);
  EXPECT_TRUE(last.may_be_repeated(endpoint));
  endpoint.use(1, Chooser::shared(options.traits, plan_cache.hierarchy(), model::assumed_costs()));
  EXPECT_FALSE(last.may_be_repeated(endpoint));
  EXPECT_TRUE(endpoint.barrier());
  EXPECT_FALSE(last.may_be_repeated(endpoint));
  last.note(endpoint);
  EXPECT_TRUE(last.may_be_repeated(endpoint));
}

/// Which barriers of a rank fell back to the MPI, and whether all others were right.
struct Fallbacks {
  std::vector<bool> calls;
  bool is_right = true;
};

/// The first rank makes calls again where it may, the other never.
Fallbacks barriers_of(const TeamMemory& memory, PlanCache& plan_cache, Rank rank) {
  constexpr int kBarriers = 30000;
  WaitEnvironment wait_environment;
  EndpointOptions options;
  options.traits.ranks = 2;
  options.traits.shared_cores = 1;
  options.wait_environment = &wait_environment;
  options.tries = options.can_fall_back = true;
  TeamEndpoint endpoint(memory, rank, plan_cache, options);
  LastCall last;
  Fallbacks fallbacks;
  for (int i = 0; i < kBarriers && fallbacks.is_right; ++i) {
    fallbacks.calls.push_back(false);
    if (rank == 0 && last.prepared != nullptr && last.may_be_repeated(endpoint)) {
      fallbacks.is_right = endpoint.repeat(*last.prepared, nullptr, nullptr);
    } else if (endpoint.falls_back(Collective::barrier, {}, 0)) {
      fallbacks.calls.back() = true;
      endpoint.end_fallback();
    } else {
      fallbacks.is_right = endpoint.barrier();
      last.note(endpoint);
    }
  }
  return fallbacks;
}

TEST(LastCall, is_the_mpis_on_all_ranks_or_on_none) {
  for (int attempt = 0; attempt < 5; ++attempt) {
    ThreadMemory memory(2, 1 << 16);
    PlanCache plan_cache(flat_hierarchy(2));
    for (const RankMemory& rank : memory.memory().ranks) prepare(rank, 0);
    Fallbacks other;
    std::thread thread([&] { other = barriers_of(memory.memory(), plan_cache, 1); });
    const Fallbacks one = barriers_of(memory.memory(), plan_cache, 0);
    thread.join();
    ASSERT_TRUE(one.is_right && other.is_right);
    ASSERT_EQ(one.calls, other.calls);
    EXPECT_TRUE(std::find(one.calls.begin(), one.calls.end(), true) != one.calls.end());
  }
}

}  // namespace
}  // namespace terrace
