// SPDX-License-Identifier: BSD-3-Clause
// Goals and methods:
// - A user's plan that needs more scratch than the team has does not run, and no rank's memory is
//   overrun by it: two threads and a plan with one scratch block more than there is room.
// - Calls that are almost alike are told apart: two threads, more kinds of calls than are kept.
// - Scratch is allocated when calls first need it, by all ranks or by none: two threads whose
//   memory's end says what was asked for, and refuses, also of an element that cannot be cut.
// - Short values go through scratch where the choice says so: two threads, whose scratch is looked
//   through for the value.
// - An endpoint that measures its machine runs right calls all along: two threads that are looked
//   at again and again.
// - What an endpoint keeps of calls has a bound, and one that is at rest keeps little: two threads,
//   calls of ever new sizes, and the bytes of the heap that are in use.
#include "engine/team_endpoint.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <barrier>
#include <chrono>
#include <thread>

#include "base/pause.hpp"
#include "base/ticks.hpp"

#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)
#include <malloc.h>
#define KNOWS_HEAP_IN_USE
#endif

namespace terrace {
namespace {

constexpr std::size_t kScratchBytes = 8 * kLinePairBytes;

/// Two ranks, threads of this process, each with an endpoint of its own for as long as it plays.
class Pair {
 public:
  explicit Pair(std::size_t scratch_bytes) : memory_(2, scratch_bytes) {
    for (const RankMemory& rank : memory_.memory().ranks) prepare(rank, 0);
  }
  PlanCache& plan_cache() { return plan_cache_; }
  const TeamMemory& memory() const { return memory_.memory(); }

  /// `part(endpoint)` of both at once; `change(options, rank)` before.
  template <class Change, class RankProgram>
  void play(Change change, RankProgram part) {
    const auto play_one = [&](Rank rank) {
      WaitEnvironment wait_environment;
      EndpointOptions options;
      options.traits.ranks = 2;
      options.wait_environment = &wait_environment;
      change(options, rank);
      TeamEndpoint endpoint(memory_.memory(), rank, plan_cache_, options);
      part(endpoint);
    };
    std::thread other(play_one, 1);
    play_one(0);
    other.join();
  }

 private:
  ThreadMemory memory_;
  PlanCache plan_cache_{flat_hierarchy(2)};
};

/// Combines at rank 0, after copies of its input to every one of `blocks` scratch blocks.
Plan plan_with_blocks(std::uint32_t blocks) {
  PlanBuilder plan("allreduce.wide", 2);
  for (std::uint32_t block = 0; block < blocks; ++block) plan.copy(0, input(0), scratch(0, block));
  plan.reduce(0, {scratch(0, blocks - 1), input(1)}, {output(0)});
  plan.copy(1, output(0), output(1));
  return std::move(plan).build();
}

/// The plan that a pair's sum of `count` bytes ran, if the sums are right. The user's was proved to
/// keep the ranks' order or not; the sum asks for it or not.
std::string plan_run_by_pair(std::uint32_t blocks, std::size_t count, bool keeps_order = true,
                             bool in_rank_order = false,
                             std::uint64_t most_bytes = Plan{}.most_bytes) {
  Pair pair(kScratchBytes);
  Plan plan = plan_with_blocks(blocks);
  plan.least_bytes = std::min<std::uint64_t>(most_bytes, 4);
  plan.most_bytes = most_bytes;
  pair.plan_cache().put_user_plan(Collective::allreduce, std::move(plan), keeps_order);
  std::string plans[2];
  pair.play(
      [](EndpointOptions&, Rank) {},
      [&](TeamEndpoint& endpoint) {
        const std::vector<std::int8_t> own(count, static_cast<std::int8_t>(endpoint.rank() + 1));
        std::vector<std::int8_t> sum(count);
        const Elements elements{count, 1, find_reduction(Type::int8, Operator::sum), in_rank_order};
        const bool is_right = endpoint.allreduce(own.data(), sum.data(), elements) &&
                              sum == std::vector<std::int8_t>(count, 3);
        plans[endpoint.rank()] = is_right ? endpoint.last_plan() : "wrong";
      });
  return plans[0] == plans[1] ? plans[0] : plans[0] + " and " + plans[1];
}

constexpr Rank kThree = 3;

/// One rank of three whose buffers are direct, and what has gone wrong at it.
class OneOfThree {
 public:
  OneOfThree(const TeamMemory& memory, Rank rank, PlanCache& plan_cache)
      : rank_(rank), endpoint_(memory, rank, plan_cache, options()) {}

  /// Both collectives with `count` numbers a block, as one of the ranks in place or not.
  void play(std::size_t count, bool is_in_place) {
    const std::size_t all = kThree * count;
    std::vector<std::uint64_t> input(all), separate(all, 7);
    const auto number = [&](Rank from, Rank to, std::size_t i) {
      return from * 1000003u + to * 10007u + i * 13u + count;
    };
    const auto fill = [&] {
      for (std::size_t i = 0; i < all; ++i)
        input[i] = number(rank_, static_cast<Rank>(i / count), i % count);
    };
    std::vector<std::uint64_t>& output = is_in_place ? input : separate;
    fill();
    is_right_ &= endpoint_.alltoall(input.data(), output.data(), count * 8);
    expect_reach(is_in_place);
    for (std::size_t i = 0; i < all; ++i)
      is_right_ &= output[i] == number(static_cast<Rank>(i / count), rank_, i % count);
    fill();
    const Elements elements{count, 8, find_reduction(Type::uint64, Operator::sum)};
    is_right_ &= endpoint_.reduce_scatter_block(input.data(), output.data(), elements);
    expect_reach(is_in_place);
    for (std::size_t i = 0; i < count; ++i)
      is_right_ &= output[i] == number(0, rank_, i) + number(1, rank_, i) + number(2, rank_, i);
  }
  bool is_right() const { return is_right_; }

 private:
  EndpointOptions options() {
    EndpointOptions options;
    options.reach = Reach::direct;
    options.traits = {kThree, true, false};
    options.wait_environment = &wait_environment_;
    return options;
  }
  void expect_reach(bool is_in_place) {
    is_right_ &= endpoint_.last_reach() == (is_in_place ? Reach::bounced : Reach::direct);
  }

  Rank rank_;
  WaitEnvironment wait_environment_;
  TeamEndpoint endpoint_;
  bool is_right_ = true;
};

/// Blocks of one strip and of several, whichever ranks are in place.
TEST(TeamEndpoint, bounces_ranks_in_place_and_no_others_where_a_plan_counts_on_it) {
  ThreadMemory memory(kThree, 64 << 10);
  PlanCache plan_cache(flat_hierarchy(kThree));
  for (const RankMemory& rank : memory.memory().ranks) prepare(rank, 0);
  bool is_right[kThree] = {};
  const auto play = [&](Rank rank) {
    OneOfThree one(memory.memory(), rank, plan_cache);
    for (const std::size_t count : {600, 1000, 5000})
      for (unsigned in_place = 0; in_place < 1u << kThree; ++in_place)
        one.play(count, in_place >> rank & 1);
    is_right[rank] = one.is_right();
  };
  std::thread one(play, 1), two(play, 2);
  play(0);
  one.join();
  two.join();
  for (const bool one_is_right : is_right) EXPECT_TRUE(one_is_right);
}

/// Two ranks whose scratch grows from `begin` as far as `most` of each allow; what the first was
/// asked for, if all calls are right.
std::vector<std::size_t> grown_to(std::size_t most_of_first, std::size_t most_of_second,
                                  std::initializer_list<std::size_t> lengths,
                                  std::size_t begin = 16 << 10) {
  Pair pair(1 << 20);
  std::vector<std::size_t> asked[2];
  bool is_right[2] = {true, true};
  const auto change = [&](EndpointOptions& options, Rank rank) {
    options.first_scratch_bytes = begin;
    options.allocate_scratch = [&, rank](std::size_t bytes) {
      asked[rank].push_back(bytes);
      return bytes <= (rank == 0 ? most_of_first : most_of_second);
    };
  };
  pair.play(change, [&](TeamEndpoint& endpoint) {
    bool& are_right = is_right[endpoint.rank()];
    for (const std::size_t bytes : lengths)
      for (int round = 0; round < 40; ++round) {
        const auto value = static_cast<std::byte>(bytes + static_cast<std::size_t>(round));
        std::vector<std::byte> vector(bytes, endpoint.rank() == 0 ? value : std::byte{});
        are_right = are_right && endpoint.bcast(vector.data(), bytes, 0) &&
                    vector == std::vector<std::byte>(bytes, value);
      }
  });
  EXPECT_TRUE(is_right[0] && is_right[1]);
  EXPECT_EQ(asked[0], asked[1]);
  return asked[0];
}

TEST(TeamEndpoint, allocates_scratch_when_a_call_first_needs_it) {
  // Short calls run ahead through what teams of processes have from the beginning.
  EXPECT_TRUE(grown_to(1 << 20, 1 << 20, {8, 100, 64}, 256 << 10).empty());
  const auto asked = grown_to(1 << 20, 1 << 20, {8, 300'000, 8, 300'000, 2'000'000});
  ASSERT_FALSE(asked.empty());
  for (std::size_t i = 0; i < asked.size(); ++i) {
    EXPECT_GT(asked[i], i == 0 ? 16u << 10 : asked[i - 1]);
    EXPECT_LE(asked[i], 1u << 20);
  }
}

TEST(TeamEndpoint, does_with_the_scratch_that_all_ranks_have) {
  EXPECT_EQ(grown_to(1 << 20, 0, {300'000, 8, 2'000'000, 300'000}).size(), 1u);
  EXPECT_EQ(grown_to(0, 1 << 20, {2'000'000, 8}).size(), 1u);
}

/// Adds elements of any length, of which the first byte counts.
void add_first_bytes(const void* const* operands, std::size_t operand_count, void* const* targets,
                     std::size_t target_count, std::size_t, Stores) noexcept {
  unsigned sum = 0;
  for (std::size_t i = 0; i < operand_count; ++i)
    sum += *static_cast<const std::uint8_t*>(operands[i]);
  for (std::size_t i = 0; i < target_count; ++i)
    *static_cast<std::uint8_t*>(targets[i]) = static_cast<std::uint8_t>(sum);
}

/// Two ranks, each with 16 KiB of scratch of which the second gets no more, that ask whether there
/// is room for one element of `bytes`. If so, they add theirs. Says how far scratch was written.
struct LongElement {
  bool has_room = false, is_right = true;
  std::size_t written = 0;
};

LongElement play_long_element(std::size_t bytes, bool is_refused) {
  constexpr std::size_t kFirst = 16 << 10, kMost = 1 << 20;
  Pair pair(kMost);
  for (const RankMemory& rank : pair.memory().ranks)
    std::fill(rank.scratch, rank.scratch + kMost, std::byte{0x77});
  LongElement found[2];
  const auto change = [&](EndpointOptions& options, Rank rank) {
    options.first_scratch_bytes = kFirst;
    options.allocate_scratch = [=](std::size_t) { return !is_refused || rank == 0; };
  };
  pair.play(change, [&](TeamEndpoint& endpoint) {
    LongElement& own = found[endpoint.rank()];
    const Elements elements{1, bytes, add_first_bytes, true, nullptr};
    std::vector<std::byte> input(bytes, std::byte{1}), output(bytes);
    own.has_room = endpoint.has_room_for(Collective::allreduce, elements, 0);
    if (own.has_room)
      own.is_right =
          endpoint.allreduce(input.data(), output.data(), elements) && output[0] == std::byte{2};
    own.is_right = own.is_right && endpoint.barrier();
  });
  EXPECT_EQ(found[0].has_room, found[1].has_room);
  for (const RankMemory& rank : pair.memory().ranks)
    for (std::size_t i = kMost; i > found[0].written; --i)
      if (rank.scratch[i - 1] != std::byte{0x77}) found[0].written = i;
  found[0].is_right = found[0].is_right && found[1].is_right;
  return found[0];
}

TEST(TeamEndpoint, says_that_there_is_no_room_where_scratch_is_refused) {
  const LongElement with = play_long_element(100'000, false);
  EXPECT_TRUE(with.has_room && with.is_right);
  EXPECT_GT(with.written, 16u << 10);
  const LongElement without = play_long_element(100'000, true);
  EXPECT_FALSE(without.has_room);
  EXPECT_TRUE(without.is_right);
  EXPECT_LE(without.written, 16u << 10);
}

/// Whether bytes that rank 0 of two broadcasts lie in its scratch then.
bool shows_value_in_scratch(bool avoids_lines, std::size_t bytes) {
  constexpr std::byte kValue{0x5a};
  Pair pair(1 << 16);
  std::byte* const scratch = pair.memory().ranks[0].scratch;
  std::fill(scratch, scratch + (1 << 16), std::byte{});
  bool is_right[2] = {true, true};
  const auto change = [&](EndpointOptions& options, Rank) {
    options.forced = Choice{"bcast.flat", 2, kWhole};
    options.forced->avoids_lines = avoids_lines;
  };
  pair.play(change, [&](TeamEndpoint& endpoint) {
    for (int round = 0; round < 8; ++round) {
      std::vector<std::byte> vector(bytes, endpoint.rank() == 0 ? kValue : std::byte{});
      is_right[endpoint.rank()] &= endpoint.bcast(vector.data(), bytes, 0) &&
                                   vector == std::vector<std::byte>(bytes, kValue);
    }
  });
  EXPECT_TRUE(is_right[0] && is_right[1]) << bytes;
  return std::count(scratch, scratch + (1 << 16), kValue) != 0;
}

TEST(TeamEndpoint, sends_short_values_through_scratch_where_the_choice_avoids_lines) {
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{64}, kPayloadBytes}) {
    EXPECT_TRUE(shows_value_in_scratch(true, bytes)) << bytes;
    EXPECT_FALSE(shows_value_in_scratch(false, bytes)) << bytes;
  }
}

TEST(TeamEndpoint, looks_at_its_machine_between_calls) {
  Pair pair(4 << 20);
  bool is_right[2] = {true, true};
  const auto change = [](EndpointOptions& options, Rank) {
    options.measures = options.can_move = true;
  };
  pair.play(change, [&](TeamEndpoint& endpoint) {
    bool& are_right = is_right[endpoint.rank()];
    const Elements elements{20'000, 8, find_reduction(Type::uint64, Operator::sum)};
    for (std::uint64_t round = 0; round < 2000; ++round) {
      const std::vector<std::uint64_t> own(elements.count, round + endpoint.rank());
      std::vector<std::uint64_t> sum(elements.count);
      are_right = are_right && endpoint.allreduce(own.data(), sum.data(), elements) &&
                  sum == std::vector<std::uint64_t>(elements.count, 2 * round + 1);
    }
  });
  EXPECT_TRUE(is_right[0] && is_right[1]);
}

/// A row that says what runs allreduces of 1 KiB.
TunedRow row_for(std::string_view algorithm) {
  TunedRow row;
  row.collective = Collective::allreduce;
  row.bytes = length_class(1024);
  row.choice = {algorithm, 8, kWhole, 2, false, false, false, kAtOnce, 0};
  return row;
}

/// Sums that have the first machine's order keep it on another, where calls of other types, of as
/// many bytes, begin by another plan.
TEST(TeamEndpoint, keeps_the_order_of_sums_whatever_exact_calls_run) {
  constexpr Rank kRanks = 4;
  ThreadMemory memory(kRanks, 1 << 20);
  for (const RankMemory& rank : memory.memory().ranks) prepare(rank, 0);
  const Hierarchy hierarchy = flat_hierarchy(kRanks);
  PlanCache plan_cache(hierarchy);
  EndpointOptions options;
  options.traits.ranks = kRanks;
  options.traits.can_be_direct = true;
  options.reach = Reach::direct;
  const auto chooser_of = [&](std::string_view algorithm) {
    return Chooser::shared(options.traits, hierarchy, model::assumed_costs(), {row_for(algorithm)});
  };
  const auto first = chooser_of("allreduce.tree"), second = chooser_of("allreduce.tiled");
  options.chooser = first;
  std::array<std::string, kRanks> before, exact, after;
  std::vector<std::thread> threads;
  for (Rank rank = 0; rank < kRanks; ++rank)
    threads.emplace_back([&, rank] {
      WaitEnvironment wait_environment;
      EndpointOptions own_options = options;
      own_options.wait_environment = &wait_environment;
      TeamEndpoint endpoint(memory.memory(), rank, plan_cache, own_options);
      std::vector<double> in(128, 1), out(128);
      const Elements doubles{128, 8, find_reduction(Type::float64, Operator::sum)};
      Elements numbers{128, 8, find_reduction(Type::uint64, Operator::sum)};
      numbers.is_exact = true;
      endpoint.allreduce(in.data(), out.data(), doubles);
      before[rank] = endpoint.last_plan();
      endpoint.use(2, second);
      endpoint.allreduce(in.data(), out.data(), numbers);
      exact[rank] = endpoint.last_plan();
      endpoint.allreduce(in.data(), out.data(), doubles);
      after[rank] = endpoint.last_plan();
    });
  for (std::thread& thread : threads) thread.join();
  for (Rank rank = 0; rank < kRanks; ++rank) {
    EXPECT_EQ(before[rank], "allreduce.tree");
    EXPECT_EQ(exact[rank], "allreduce.tiled");
    EXPECT_EQ(after[rank], before[rank]);
  }
}

/// Sums of very many lengths, each with its prepared call.
bool are_sums_right(TeamEndpoint& endpoint, std::size_t round) {
  for (std::size_t count = 1; count < 1200; count += 2) {
    const std::vector<std::uint64_t> own(count, count + endpoint.rank() + round);
    std::vector<std::uint64_t> sum(count);
    const Elements elements{count, 8, find_reduction(Type::uint64, Operator::sum)};
    if (!endpoint.allreduce(own.data(), sum.data(), elements) ||
        sum != std::vector<std::uint64_t>(count, 2 * (count + round) + 1))
      return false;
  }
  return true;
}

#ifdef KNOWS_HEAP_IN_USE

/// Calls of six collectives, of 250 sizes that no round before had.
bool make_calls_of_new_sizes(TeamEndpoint& endpoint, std::size_t round) {
  constexpr std::size_t kSizes = 250;
  std::vector<std::uint32_t> own((round + 1) * kSizes), sum(own.size());
  bool is_done = true;
  for (std::size_t count = round * kSizes + 1; is_done && count <= own.size(); ++count) {
    const Elements elements{count, 4, find_reduction(Type::uint32, Operator::sum)};
    is_done = endpoint.allreduce(own.data(), sum.data(), elements) &&
              endpoint.bcast(own.data(), 4 * count, 0) &&
              endpoint.reduce(own.data(), sum.data(), elements, 0) &&
              endpoint.reduce(own.data(), sum.data(), elements, 1) &&
              endpoint.scan(own.data(), sum.data(), elements) &&
              endpoint.exscan(own.data(), sum.data(), elements);
  }
  return is_done;
}

/// The most bytes that are in use after a round of both ranks, beyond those before the first.
std::size_t held_for_many_sizes(bool rests) {
  constexpr std::size_t kRounds = 8;
  Pair pair(1 << 20);
  std::barrier meeting(2);
  std::size_t before = 0, most = 0;
  pair.play([](EndpointOptions&, Rank) {},
            [&](TeamEndpoint& endpoint) {
              for (std::size_t round = 0; round < kRounds; ++round) {
                if (endpoint.rank() == 0 && round == 0) before = mallinfo2().uordblks;
                EXPECT_TRUE(make_calls_of_new_sizes(endpoint, round));
                if (rests) endpoint.forget_later_calls();
                meeting.arrive_and_wait();
                if (endpoint.rank() == 0) most = std::max(most, mallinfo2().uordblks);
                meeting.arrive_and_wait();
              }
            });
  return most - before;
}

TEST(TeamEndpoint, keeps_little_of_calls_of_many_sizes_at_rest) {
  EXPECT_LE(held_for_many_sizes(true), 800u << 10);
}

TEST(TeamEndpoint, keeps_no_more_calls_of_many_sizes_than_it_may) {
  EXPECT_LE(held_for_many_sizes(false), 6u << 20);
}

#endif

/// Programs call with many sizes, and decide for each of them once.
TEST(TeamEndpoint, finds_what_was_decided_for_hundreds_of_sizes) {
  Pair pair(1 << 20);
  bool is_right[2] = {true, true};
  pair.play([](EndpointOptions&, Rank) {},
            [&](TeamEndpoint& endpoint) {
              for (std::size_t round = 0; round < 3; ++round)
                is_right[endpoint.rank()] &= are_sums_right(endpoint, round);
            });
  EXPECT_TRUE(is_right[0] && is_right[1]);
}

/// A team that rests keeps little; who holds a prepared call sees that it is gone.
TEST(TeamEndpoint, prepares_again_what_it_has_forgotten) {
  Pair pair(1 << 20);
  bool is_right[2] = {true, true}, is_forgotten[2] = {};
  pair.play([](EndpointOptions&, Rank) {},
            [&](TeamEndpoint& endpoint) {
              const Rank rank = endpoint.rank();
              is_right[rank] &= are_sums_right(endpoint, 0);
              const std::uint64_t version = endpoint.prepared_version();
              const bool had_one = endpoint.last_prepared() != nullptr;
              endpoint.forget_later_calls();
              is_forgotten[rank] = had_one && endpoint.last_prepared() == nullptr &&
                                   endpoint.prepared_version() != version;
              is_right[rank] &= are_sums_right(endpoint, 1);
            });
  EXPECT_TRUE(is_right[0] && is_right[1]);
  EXPECT_TRUE(is_forgotten[0] && is_forgotten[1]);
}

/// What both ranks are told of 200 bcasts of 1 MiB by strips of one line pair, which take a hundred
/// times as long as anybody's choice.
std::string outcome_of_wrong_tuning() {
  Pair pair(4 << 20);
  TunedRow row;
  row.collective = Collective::bcast;
  row.bytes = length_class(1 << 20);
  row.choice = {"bcast.flat", 8, 128, 2, false, false, false, kAtOnce, 0};
  std::string outcomes[2];
  bool is_right[2] = {true, true};
  const auto change = [&](EndpointOptions& options, Rank) {
    options.tries = true;
    options.traits.scratch_bytes = 4 << 20;
    options.chooser =
        Chooser::shared(options.traits, flat_hierarchy(2), model::assumed_costs(), {row});
  };
  pair.play(change, [&](TeamEndpoint& endpoint) {
    const Rank rank = endpoint.rank();
    endpoint.tell_outcomes_to([&](const std::string& sentence) { outcomes[rank] += sentence; });
    for (int round = 0; round < 200; ++round) {
      const auto value = static_cast<std::byte>(round);
      std::vector<std::byte> vector(1 << 20, rank == 0 ? value : std::byte{});
      is_right[rank] = is_right[rank] && endpoint.bcast(vector.data(), vector.size(), 0) &&
                       vector == std::vector<std::byte>(1 << 20, value);
    }
  });
  EXPECT_TRUE(is_right[0] && is_right[1]);
  EXPECT_EQ(outcomes[0], outcomes[1]);
  EXPECT_NE(outcomes[0].find("strips of 128 B"), std::string::npos) << outcomes[0];
  return outcomes[0];
}

/// On a busy machine nothing may be certain.
TEST(TeamEndpoint, leaves_a_tuning_that_is_wrong_within_200_calls) {
  std::string outcome;
  for (int attempt = 0; attempt < 5; ++attempt) {
    outcome = outcome_of_wrong_tuning();
    if (outcome.find(" from now on") != std::string::npos) return;
  }
  FAIL() << outcome;
}

/// What is said of trials in so many bcasts of `values` numbers by a pair whose machine costs so
/// much: `change` sets the rest.
template <class Change>
std::string outcome_of_bcasts(std::size_t values, std::uint64_t rounds,
                              const model::MachineCosts& costs, const Change& change) {
  Pair pair(4 << 20);
  std::string outcome;
  bool is_right[2] = {true, true};
  const auto change_all = [&](EndpointOptions& options, Rank) {
    change(options);
    options.tries = true;
    options.traits.scratch_bytes = 4 << 20;
    options.chooser = Chooser::shared(options.traits, flat_hierarchy(2), costs);
  };
  pair.play(change_all, [&](TeamEndpoint& endpoint) {
    const Rank rank = endpoint.rank();
    if (rank == 0)
      endpoint.tell_outcomes_to([&](const std::string& sentence) { outcome += sentence; });
    std::vector<std::uint64_t> vector(values);
    for (std::uint64_t round = 0; round < rounds; ++round) {
      if (rank == 0) std::fill(vector.begin(), vector.end(), round);
      is_right[rank] = is_right[rank] && endpoint.bcast(vector.data(), vector.size() * 8, 0) &&
                       vector.front() == round && vector.back() == round;
    }
  });
  EXPECT_TRUE(is_right[0] && is_right[1]);
  return outcome;
}

/// Of long bcasts through scratch. Copies are predicted to be so quick, and signals so slow, that
/// strips gain nothing.
std::string outcome_of_long_bcasts() {
  model::MachineCosts costs = model::assumed_costs();
  costs.links = {{"node", 20000, 10000, {}}};
  for (const double bytes : {1024., 65536.})
    costs.links.front().copies.push_back({bytes, 0, false, 0.4, 0.4});
  return outcome_of_bcasts(32768, 1500, costs, [](EndpointOptions&) {});
}

/// Of short bcasts between threads that lets them run ahead: nothing of what they gain by that is
/// predicted, and copies through scratch are predicted to be slow: a line is stored in `store_ns`.
std::string outcome_of_bcasts_of_threads(double store_ns) {
  model::MachineCosts costs = model::assumed_costs();
  costs.links = {{"node", 80, 40, {}}};
  for (const double bytes : {1024., 65536.})
    for (const bool streams : {false, true})
      costs.links.front().copies.push_back({bytes, 0, streams, store_ns, 6});
  std::stable_sort(costs.links.front().copies.begin(), costs.links.front().copies.end(),
                   [](const auto& a, const auto& b) { return a.streams < b.streams; });
  return outcome_of_bcasts(2048, 20'000, costs, [](EndpointOptions& options) {
    options.traits.can_be_direct = true;
    options.reach = Reach::direct;
  });
}

// Instrumented copies are so slow that a trial may drop the ways that copy twice: there the test
// looks for races alone.
#ifdef __SANITIZE_THREAD__
constexpr bool kTimesTell = false;
#else
constexpr bool kTimesTell = true;
#endif

/// On a busy machine a trial may end before all ways have had their turn.
TEST(TeamEndpoint, tries_a_way_that_lets_ranks_run_ahead) {
  for (const double store_ns : {12, 60}) {
    std::string outcomes;
    for (int attempt = 0;
         attempt < (kTimesTell ? 5 : 1) && outcomes.find("through scratch") == std::string::npos;
         ++attempt)
      outcomes += outcome_of_bcasts_of_threads(store_ns) + "\n";
    EXPECT_TRUE(!kTimesTell || outcomes.find("through scratch") != std::string::npos)
        << store_ns << ": " << outcomes;
  }
}

/// On a busy machine strips may be so slow at first that they drop out.
TEST(TeamEndpoint, tries_strips_in_long_calls_with_a_root) {
  std::string outcomes;
  for (int attempt = 0;
       attempt < (kTimesTell ? 30 : 1) && outcomes.find("strips of") == std::string::npos;
       ++attempt)
    outcomes += outcome_of_long_bcasts() + "\n";
  EXPECT_TRUE(!kTimesTell || outcomes.find("strips of") != std::string::npos) << outcomes;
}

/// Returns the outcome of trials of bcasts of 64 KiB between threads, after which touching the
/// buffers takes `direct` if the call read in place, and `bounced` otherwise.
std::string outcome_of_bcasts_with_touch(std::chrono::microseconds direct,
                                         std::chrono::microseconds bounced) {
  return outcome_of_bcasts(8192, 3000, model::assumed_costs(), [=](EndpointOptions& options) {
    options.traits.can_be_direct = true;
    options.reach = Reach::direct;
    options.touch_for_test = [=](const TeamEndpoint& endpoint) {
      const bool is_direct = endpoint.last_reach() == Reach::direct;
      const auto until = KernelClock::now() + (is_direct ? direct : bounced);
      while (KernelClock::now() < until) pause();
    };
  });
}

/// A way that is fast in the call, and slow in what the program does next, loses.
TEST(TeamEndpoint, trials_count_what_touching_the_buffers_takes) {
  using std::chrono::microseconds;
  const auto turns_to_scratch = [](const std::string& outcome) {
    const std::size_t end = outcome.find(" from now on");
    if (end == std::string::npos) return false;
    const std::size_t begin = outcome.rfind(": ", end);
    return outcome.substr(begin, end - begin).find("through scratch") != std::string::npos;
  };
  std::string outcome;
  for (int attempt = 0; attempt < 5 && !turns_to_scratch(outcome); ++attempt)
    outcome = outcome_of_bcasts_with_touch(microseconds(2000), microseconds(100));
  EXPECT_TRUE(turns_to_scratch(outcome)) << outcome;
  for (int attempt = 0; attempt < 4; ++attempt) {
    outcome = outcome_of_bcasts_with_touch(microseconds(100), microseconds(2000));
    EXPECT_FALSE(turns_to_scratch(outcome)) << outcome;
  }
}

// The scratch holds 8 blocks of a line pair. Without lines, inputs and outputs take two of them,
// and there are two slots of each: 2 user's blocks fit, 3 do not.
TEST(TeamEndpoint, runs_a_users_plan_that_fits_the_scratch) {
  EXPECT_EQ("allreduce.wide", plan_run_by_pair(8, 4));
  EXPECT_EQ("allreduce.wide", plan_run_by_pair(2, 300));
}

TEST(TeamEndpoint, runs_its_own_plan_where_the_users_does_not_fit_the_scratch) {
  EXPECT_EQ("allreduce.all_read", plan_run_by_pair(9, 4));
  EXPECT_EQ("allreduce.all_read", plan_run_by_pair(3, 300));
}

TEST(TeamEndpoint,
     runs_a_users_plan_for_operators_that_do_not_commute_only_if_it_keeps_their_order) {
  EXPECT_EQ("allreduce.wide", plan_run_by_pair(2, 4, true, true));
  EXPECT_EQ("allreduce.all_read", plan_run_by_pair(2, 4, false, true));
  EXPECT_EQ("allreduce.wide", plan_run_by_pair(2, 4, false, false));
}

TEST(TeamEndpoint, runs_a_users_plan_for_the_calls_that_it_is_meant_for) {
  for (const std::size_t bytes : {4, 15, 16})
    EXPECT_EQ("allreduce.wide", plan_run_by_pair(2, bytes, true, false, 16)) << bytes;
  for (const std::size_t bytes : {1, 3, 17, 5000})
    EXPECT_NE("allreduce.wide", plan_run_by_pair(2, bytes, true, false, 16)) << bytes;
}

TEST(TeamEndpoint, knows_the_longest_element_that_its_scratch_has_room_for) {
  ThreadMemory memory(2, kScratchBytes);
  PlanCache plan_cache(flat_hierarchy(2));
  TeamEndpoint endpoint(memory.memory(), 0, plan_cache, {});
  const auto has_room = [&endpoint](std::size_t count, std::size_t bytes) {
    return endpoint.has_room_for(Collective::allreduce, {count, bytes}, 0);
  };
  EXPECT_TRUE(has_room(1, kPayloadBytes));
  EXPECT_TRUE(has_room(100, kLinePairBytes));
  EXPECT_TRUE(has_room(1, kScratchBytes / 2));  // one block in each of two slots
  EXPECT_FALSE(has_room(1, kScratchBytes / 2 + 1));
}

/// One call of a pair on its endpoints, of bytes or wider numbers that hold 1 at rank 0 and 2 at
/// rank 1.
template <class Number>
bool is_sum_right(TeamEndpoint& endpoint, Type type, Rank rank, std::size_t count) {
  const std::vector<Number> own(count, static_cast<Number>(rank + 1));
  std::vector<Number> sum(count + 1, Number{7});
  const Elements elements{count, sizeof(Number), find_reduction(type, Operator::sum)};
  if (!endpoint.allreduce(own.data(), sum.data(), elements) || sum.back() != 7) return false;
  sum.pop_back();
  return sum == std::vector<Number>(count, 3);
}

bool is_bcast_right(TeamEndpoint& endpoint, Rank rank, Rank root, std::size_t count) {
  std::vector<std::int8_t> bytes(count + 1, static_cast<std::int8_t>(rank + 1));
  if (!endpoint.bcast(bytes.data(), count, root)) return false;
  const bool is_end_left = bytes.back() == static_cast<std::int8_t>(rank + 1);
  bytes.pop_back();
  return is_end_left &&
         bytes == std::vector<std::int8_t>(count, static_cast<std::int8_t>(root + 1));
}

// What an endpoint remembers of calls must not be taken for calls that are almost alike: as many
// bytes of other elements, another root; nor outlive its place, when more kinds of calls come than
// it keeps.
TEST(TeamEndpoint, tells_calls_apart_that_are_almost_alike) {
  ThreadMemory memory(2, kScratchBytes);
  PlanCache plan_cache(flat_hierarchy(2));
  for (const RankMemory& rank : memory.memory().ranks) prepare(rank, 0);
  std::string wrong[2];
  const auto play = [&](Rank rank) {
    WaitEnvironment wait_environment;
    EndpointOptions options;
    options.traits.ranks = 2;
    options.wait_environment = &wait_environment;
    TeamEndpoint endpoint(memory.memory(), rank, plan_cache, options);
    const auto expect = [&](bool is_right, const char* what, std::size_t count) {
      if (!is_right) wrong[rank] += std::string(" ") + what + " of " + std::to_string(count);
    };
    for (int round = 0; round < 3; ++round)
      for (const std::size_t count : {8u, 16u, 24u, 104u, 112u, 120u, 512u, 520u, 1000u, 5000u}) {
        expect(is_sum_right<std::int8_t>(endpoint, Type::int8, rank, count), "int8", count);
        expect(is_sum_right<std::int64_t>(endpoint, Type::int64, rank, count / 8), "int64", count);
        expect(is_sum_right<std::int32_t>(endpoint, Type::int32, rank, count / 4), "int32", count);
        expect(is_bcast_right(endpoint, rank, 0, count), "bcast from 0", count);
        expect(is_bcast_right(endpoint, rank, 1, count), "bcast from 1", count);
      }
  };
  std::thread other(play, 1);
  play(0);
  other.join();
  EXPECT_EQ("", wrong[0] + wrong[1]);
}

}  // namespace
}  // namespace terrace
