// SPDX-License-Identifier: BSD-3-Clause
// Goal: whatever is asked, algorithms of the table for that very collective are chosen, by what a
// machine costs. Method: machines made up so that one way is clearly the better one.
#include "choose/chooser.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "execute/call.hpp"
#include "hierarchy/shared_cores.hpp"

namespace terrace {
namespace {

constexpr std::size_t KiB = 1024;
constexpr std::size_t kLengths[] = {0, 8, 1 << 10, 3 << 10, 1 << 14, 1 << 18, 1 << 22, 1 << 26};

TeamTraits processes(Rank ranks) {
  TeamTraits traits;
  traits.ranks = ranks;
  traits.scratch_bytes = usual_scratch_bytes(ranks);
  return traits;
}

TeamTraits threads(Rank ranks) {
  TeamTraits traits = processes(ranks);
  traits.can_be_direct = true;
  return traits;
}

TeamTraits on_two_cores(TeamTraits traits) {
  traits.shared_cores = 2;
  return traits;
}

/// Two cores between which ordinary stores take so long, and streaming ones so long; then reading
/// what was stored so.
model::MachineCosts costs_of(double signal, double cached_write, double cached_read,
                             double streamed_write, double streamed_read) {
  model::MachineCosts costs = model::assumed_costs();
  costs.links = {{"node", signal, signal / 2, {}}};
  for (const double bytes : {1. * KiB, 64. * KiB, 512. * KiB})
    costs.links.front().copies.push_back({bytes, 0, false, cached_write, cached_read});
  for (const double bytes : {1. * KiB, 64. * KiB, 512. * KiB})
    costs.links.front().copies.push_back({bytes, 0, true, streamed_write, streamed_read});
  return costs;
}

/// As two cores of one cache were measured, and two that share none (docs/design/choices.md).
const model::MachineCosts kNear = costs_of(80, 2.5, 2, 3.5, 4.5);
const model::MachineCosts kFar = costs_of(300, 16, 6, 3, 5);

TEST(Chooser, names_algorithms_of_the_table_for_every_question) {
  std::set<std::string_view> chosen;
  for (const Rank ranks : {2u, 5u, 8u, 16u, 65u})
    for (const TeamTraits& traits : {processes(ranks), threads(ranks), on_two_cores(threads(ranks)),
                                     on_two_cores(processes(ranks))}) {
      Chooser chooser(traits, flat_hierarchy(ranks), model::assumed_costs());
      for (std::uint32_t number = 0; number < kCollectiveCount; ++number)
        for (const std::size_t bytes : kLengths)
          for (const Order order : {Order::by_machine, Order::by_rank, Order::by_count}) {
            const Question question{static_cast<Collective>(number), bytes, order};
            const std::vector<Candidate>& ranked = chooser.ranked(question);
            ASSERT_FALSE(ranked.empty()) << to_text(question.collective) << " " << bytes;
            EXPECT_LE(ranked.size(), Chooser::kMostCandidates);
            for (const Candidate& one : ranked) {
              const Algorithm* row = find_algorithm(one.choice.algorithm);
              ASSERT_NE(row, nullptr) << one.choice.algorithm;
              EXPECT_EQ(row->collective, planned_as(question.collective));
              EXPECT_GE(one.choice.radix, traits.is_oversubscribed() ? ranks : 2u);
              chosen.insert(row->name);
            }
          }
    }
  EXPECT_GT(chosen.size(), 20u);
}

TEST(Chooser, streams_through_scratch_between_distant_cores_alone) {
  Chooser near(processes(2), flat_hierarchy(2), kNear), far(processes(2), flat_hierarchy(2), kFar);
  for (const Collective collective :
       {Collective::bcast, Collective::reduce, Collective::allreduce, Collective::allgather})
    for (const std::size_t bytes : {32 * KiB, 256 * KiB, 1024 * KiB}) {
      EXPECT_FALSE(near.choose({collective, bytes}).streams_scratch)
          << to_text(collective) << " " << bytes;
      EXPECT_TRUE(far.choose({collective, bytes}).streams_scratch)
          << to_text(collective) << " " << bytes;
    }
  EXPECT_FALSE(far.choose({Collective::allreduce, 8}).streams_scratch) << "a line has no scratch";
}

// Goal: where scratch that moves on costs less, it does.
TEST(Chooser, moves_on_through_scratch_where_that_pays) {
  const model::MachineCosts expensive = costs_of(80, 6, 2, 9, 9);
  model::MachineCosts costs = expensive;
  model::LinkCosts& link = costs.links.front();
  std::vector<model::ScratchCopy> moving;
  for (const model::ScratchCopy& copy : link.copies)
    if (!copy.streams)
      moving.push_back({copy.bytes, costs.cache_bytes[1], false, copy.write / 2, copy.read});
  link.copies.insert(link.copies.begin() + 3, moving.begin(), moving.end());
  Chooser chooser(processes(2), flat_hierarchy(2), costs);
  EXPECT_GE(chooser.choose({Collective::allgather, 64 * KiB}).scratch_span,
            static_cast<std::size_t>(costs.cache_bytes[1]));
  Chooser tight(processes(2), flat_hierarchy(2), expensive);
  EXPECT_EQ(tight.choose({Collective::allgather, 256 * KiB}).scratch_span, kAtOnce);
}

// Goal: short exchanges do not store to lines that first caches of peers still hold, and long ones
// take no more scratch by that.
TEST(Chooser, moves_short_exchanges_past_the_first_caches) {
  Chooser chooser(processes(2), flat_hierarchy(2), kNear);
  for (const Collective collective :
       {Collective::allgather, Collective::allreduce, Collective::alltoall}) {
    EXPECT_EQ(chooser.choose({collective, 4 * KiB}).scratch_span, 256 * KiB);
    EXPECT_EQ(chooser.choose({collective, 1024 * KiB}).scratch_span, kAtOnce);
  }
  EXPECT_EQ(chooser.choose({Collective::allgather, 64 * KiB}).scratch_span, 256 * KiB);
  TeamTraits traits = processes(2);
  traits.scratch_bytes = 64 * KiB;
  Chooser tight(traits, flat_hierarchy(2), kNear);
  EXPECT_EQ(tight.choose({Collective::allgather, 4 * KiB}).scratch_span, 64 * KiB);
  traits = processes(2);
  traits.leaves_calls = true;
  Chooser leaving(traits, flat_hierarchy(2), kNear);
  EXPECT_EQ(leaving.choose({Collective::allgather, 4 * KiB}).scratch_span, 256 * KiB);
  model::MachineCosts small = kNear;
  small.cache_bytes[1] = 256 * KiB;
  Chooser cramped(processes(2), flat_hierarchy(2), small);
  EXPECT_EQ(cramped.choose({Collective::allgather, 4 * KiB}).scratch_span, kAtOnce);
}

// Goal: a deep ring of strips is among the ways to make a long call, and takes no more scratch with
// many ranks than with few.
TEST(Chooser, looks_at_deep_rings_of_strips) {
  const auto deepest = [](Rank ranks, Collective collective) {
    CandidateQuestion asked;
    asked.question = {collective, 1024 * KiB};
    asked.traits = processes(ranks);
    asked.spans = {kAtOnce, 2048 * KiB};
    std::size_t most = 0;
    for (const Choice& choice : all_candidates(asked))
      if (choice.strip_bytes == 64 * KiB) {
        most = std::max<std::size_t>(most, choice.ring);
        EXPECT_TRUE(choice.scratch_span < 2048 * KiB || choice.ring >= 16) << to_text(choice);
      }
    return most;
  };
  EXPECT_EQ(deepest(2, Collective::bcast), 16u);
  EXPECT_EQ(deepest(2, Collective::alltoall), 8u);
  EXPECT_EQ(deepest(16, Collective::alltoall), 4u);
}

// Goal: a rank that has a core gets many calls done before it waits for who has none. Method: the
// scratch that each candidate of short calls goes through.
TEST(Chooser, lets_ranks_that_take_turns_run_ahead_through_scratch) {
  TeamTraits traits = on_two_cores(processes(4));
  Chooser chooser(traits, flat_hierarchy(4), kNear);
  for (const Collective collective : {Collective::bcast, Collective::gather, Collective::scatter})
    for (const std::size_t bytes : {512u, 4096u})
      for (const Candidate& one : chooser.ranked({collective, bytes}))
        EXPECT_GE(one.choice.scratch_span, 32 * bytes) << to_text(one.choice);
  traits.scratch_bytes = 8 * KiB;
  Chooser tight(traits, flat_hierarchy(4), kNear);
  for (const Candidate& one : tight.ranked({Collective::bcast, 512}))
    EXPECT_EQ(one.choice.scratch_span, 8 * KiB) << to_text(one.choice);
}

// Goal: a rank that only gives, or that others wait for, gets many calls done before it waits for
// its readers, and scratch that was just read is not written again at once. Method: the scratch
// that each candidate goes through.
TEST(Chooser, lets_ranks_with_a_core_each_run_ahead_through_scratch) {
  for (const model::MachineCosts& costs : {kNear, kFar})
    for (const bool are_threads : {false, true})
      for (const Rank ranks : {2u, 4u}) {
        Chooser chooser(are_threads ? threads(ranks) : processes(ranks), flat_hierarchy(ranks),
                        costs);
        for (const Collective collective :
             {Collective::bcast, Collective::reduce, Collective::scan})
          for (const std::size_t bytes : {KiB / 4, 4 * KiB, 32 * KiB, 128 * KiB})
            for (const Candidate& one : chooser.ranked({collective, bytes})) {
              if (are_threads && !one.choice.bounces) continue;
              EXPECT_GE(one.choice.scratch_span, std::max(256 * KiB, 4 * bytes))
                  << to_text(collective) << " " << bytes << " " << to_text(one.choice);
            }
      }
}

TEST(Chooser, goes_no_further_ahead_than_scratch_reaches) {
  TeamTraits traits = processes(2);
  traits.scratch_bytes = 64 * KiB;
  Chooser chooser(traits, flat_hierarchy(2), kNear);
  for (const Candidate& one : chooser.ranked({Collective::bcast, 4 * KiB}))
    EXPECT_EQ(one.choice.scratch_span, 64 * KiB) << to_text(one.choice);
}

// Goal: what a call costs by itself does not keep a way from being tried that lets ranks run ahead
// of each other. Method: copies through scratch so slow that all other ways are predicted to be
// faster.
TEST(Chooser, keeps_a_way_that_lets_ranks_run_ahead) {
  Chooser chooser(threads(2), flat_hierarchy(2), costs_of(80, 12, 6, 12, 6));
  const std::vector<Candidate>& ranked = chooser.ranked({Collective::bcast, 16 * KiB});
  ASSERT_EQ(ranked.size(), Chooser::kMostCandidates);
  for (std::size_t i = 0; i < ranked.size(); ++i) {
    const bool is_last = i + 1 == ranked.size();
    EXPECT_EQ(ranked[i].runs_ahead, is_last) << to_text(ranked[i].choice);
    EXPECT_EQ(ranked[i].choice.bounces, is_last) << to_text(ranked[i].choice);
  }
  for (const Candidate& one : chooser.ranked({Collective::allreduce, 4 * KiB}))
    EXPECT_FALSE(one.runs_ahead) << to_text(one.choice);
}

// Goal: a way in strips can be tried where giver and takers may work at the same time, whatever is
// predicted. Method: copies so quick that strips gain nothing, by prediction.
TEST(Chooser, keeps_a_way_in_strips_of_long_calls_with_a_root) {
  model::MachineCosts costs = costs_of(2000, 0.4, 0.4, 9, 9);
  Chooser chooser(processes(2), flat_hierarchy(2), costs);
  const auto count_in_strips = [&](Collective collective, std::size_t bytes) {
    const std::vector<Candidate>& all = chooser.ranked({collective, bytes});
    EXPECT_FALSE(all.front().is_in_strips()) << to_text(all.front().choice);
    return std::count_if(all.begin(), all.end(),
                         [](const Candidate& one) { return one.is_in_strips(); });
  };
  for (const Collective collective : {Collective::bcast, Collective::reduce, Collective::gather})
    EXPECT_GT(count_in_strips(collective, 128 * KiB), 0) << to_text(collective);
}

// As above: where all ranks read and write at once, the rival in strips is another algorithm.
TEST(Chooser, keeps_another_algorithm_in_strips_of_long_calls_without_a_root) {
  for (const double line : {0.4, 3.0, 9.0}) {
    Chooser chooser(processes(2), flat_hierarchy(2), costs_of(120, line, line, 9, 9));
    for (const Collective collective : {Collective::allgather, Collective::allreduce})
      for (const std::size_t bytes : {128 * KiB, 256 * KiB, 4096 * KiB}) {
        const Question question{collective, bytes};
        const std::vector<Candidate>& all = chooser.ranked(question);
        EXPECT_TRUE(std::any_of(
            all.begin() + 1, all.end(),
            [&](const Candidate& one) { return is_sure_rival(question, all.front().choice, one); }))
            << to_text(collective) << " of " << bytes << " by " << to_text(all.front().choice);
      }
  }
}

// Threads whose values lie in the sender's cache: by prediction it is best to read them there, but
// then the program's next stores have to fetch their lines back.
TEST(Chooser, keeps_a_way_through_scratch_of_calls_without_a_root) {
  Chooser chooser(threads(2), flat_hierarchy(2), costs_of(120, 9, 3, 9, 3));
  for (const Collective collective : {Collective::allgather, Collective::alltoall})
    for (const std::size_t bytes : {4 * KiB, 32 * KiB, 64 * KiB}) {
      const std::vector<Candidate>& all = chooser.ranked({collective, bytes});
      EXPECT_TRUE(std::any_of(all.begin(), all.end(),
                              [](const Candidate& one) { return one.choice.bounces; }))
          << to_text(collective) << " of " << bytes;
    }
}

bool avoids_lines(const Candidate& one) {
  return one.choice.avoids_lines;
}

// Goal: short calls go the way that lets ranks that take turns run ahead furthest. Method: calls of
// one line, and of so many that their ring has room for a few calls, since a line holds no two of
// their values; all ways of either.
TEST(Chooser, weighs_lines_against_scratch_where_ranks_take_turns) {
  for (const bool are_threads : {false, true})
    for (const Rank ranks : {8u, 16u}) {
      Chooser chooser(on_two_cores(are_threads ? threads(ranks) : processes(ranks)),
                      flat_hierarchy(ranks), kNear);
      for (const Collective collective :
           {Collective::bcast, Collective::scatter, Collective::gather}) {
        const std::vector<Candidate>& ranked = chooser.ranked({collective, 8});
        EXPECT_FALSE(avoids_lines(ranked.front())) << to_text(collective) << " " << ranks;
        EXPECT_TRUE(std::any_of(ranked.begin(), ranked.end(), avoids_lines)) << ranks;
      }
      for (const Candidate& one : chooser.ranked({Collective::alltoall, 64}))
        EXPECT_FALSE(avoids_lines(one)) << to_text(one.choice);
      const std::vector<Candidate>& many_lines =
          chooser.ranked({Collective::scatter, kPayloadBytes / 2 + 8});
      EXPECT_TRUE(avoids_lines(many_lines.front())) << ranks;
      EXPECT_FALSE(std::all_of(many_lines.begin(), many_lines.end(), avoids_lines)) << ranks;
      EXPECT_EQ(many_lines.front().choice.bounces, are_threads);
      EXPECT_GE(many_lines.front().choice.scratch_span, 32 * kLinePairBytes * ranks);
    }
}

TEST(Chooser, takes_lines_where_each_rank_has_a_core) {
  for (const TeamTraits& traits : {processes(16), threads(16)}) {
    Chooser chooser(traits, flat_hierarchy(16), kNear);
    for (const Collective collective :
         {Collective::bcast, Collective::scatter, Collective::gather, Collective::allreduce})
      for (const std::size_t bytes : {std::size_t{8}, std::size_t{64}, kPayloadBytes})
        for (const Candidate& one : chooser.ranked({collective, bytes}))
          EXPECT_FALSE(avoids_lines(one)) << to_text(one.choice);
  }
}

TEST(Chooser, ranks_by_predicted_time_and_says_nothing_twice) {
  Chooser chooser(processes(4), flat_hierarchy(4), kNear);
  for (const std::size_t bytes : kLengths) {
    const std::vector<Candidate>& ranked = chooser.ranked({Collective::allreduce, bytes});
    for (std::size_t i = 1; i < ranked.size(); ++i) {
      // The first may be hardly slower, and simpler.
      EXPECT_LE(ranked[i - 1].predicted_ns, 1.021 * ranked[i].predicted_ns) << bytes;
      for (std::size_t k = 0; k < i; ++k) EXPECT_NE(ranked[k].choice, ranked[i].choice) << bytes;
    }
  }
}

/// Packages of caches of four ranks.
Hierarchy packages_of_caches(Rank packages, Rank caches) {
  std::vector<Locality> places;
  for (Rank rank = 0; rank < packages * caches * 4; ++rank)
    places.push_back(
        {{{"node", 0}, {"package", rank / (4 * caches)}, {"l3", rank / 4}, {"core", rank}}});
  return hierarchy_of(places);
}

TEST(Chooser, may_show_algorithms_groups_of_one_depth) {
  EXPECT_THAT(depths_of(packages_of_caches(2, 3)), testing::ElementsAre(1u, 2u));
  EXPECT_THAT(depths_of(packages_of_caches(1, 3)), testing::IsEmpty());
  EXPECT_THAT(depths_of(flat_hierarchy(8)), testing::IsEmpty());
  // Packages that lie no further from each other than caches do: a level that costs and gains not.
  model::MachineCosts costs = kFar;
  costs.links.insert(costs.links.begin(), kNear.links.front());
  costs.links.front().level = "l3";
  const auto depths_chosen = [&](Rank ranks_of_all, const Hierarchy& hierarchy, Order order) {
    Chooser chooser(processes(ranks_of_all), hierarchy, costs);
    std::set<std::uint32_t> depths;
    for (const std::size_t bytes : kLengths)
      depths.insert(chooser.choose({Collective::allreduce, bytes, order}).depth);
    return depths;
  };
  EXPECT_THAT(depths_chosen(24, packages_of_caches(2, 3), Order::by_machine),
              testing::Contains(2u));
  EXPECT_THAT(depths_chosen(64, packages_of_caches(4, 4), Order::by_machine),
              testing::Contains(testing::Ne(0u)))
      << "predicted by some of the ranks";
  EXPECT_THAT(depths_chosen(24, packages_of_caches(2, 3), Order::by_rank), testing::ElementsAre(0));
  EXPECT_THAT(depths_chosen(24, packages_of_caches(2, 3), Order::by_count),
              testing::ElementsAre(0));
  const Question sums{Collective::allreduce, 1024};
  Choice all, caches;
  all.algorithm = caches.algorithm = "allreduce.tree";
  caches.depth = 2;
  EXPECT_FALSE(have_same_bits(sums, all, caches, 24));
}

// All reading all grows with the square of the ranks, and no rank gains a turn by it.
TEST(Chooser, has_one_rank_look_at_all_where_many_take_turns) {
  Chooser many(on_two_cores(threads(64)), flat_hierarchy(64), kNear);
  EXPECT_EQ(many.choose({Collective::barrier}).algorithm, "barrier.tree");
  EXPECT_EQ(many.choose({Collective::barrier}).radix, 64u) << "all ranks, not those predicted";
  Chooser few(on_two_cores(threads(4)), flat_hierarchy(4), kNear);
  EXPECT_EQ(few.choose({Collective::allreduce, 8}).algorithm, "allreduce.all_read");
}

// Nothing but groups decides in which order a sum may be added up.
TEST(Chooser, combines_as_it_is_told) {
  for (const Order order : {Order::by_rank, Order::by_count}) {
    Chooser chooser(threads(9), flat_hierarchy(9), kNear);
    for (const std::size_t bytes : kLengths)
      for (const Candidate& one : chooser.ranked({Collective::allreduce, bytes, order}))
        EXPECT_EQ(find_algorithm(one.choice.algorithm)->bits, Bits::by_groups);
    for (const Candidate& one : chooser.ranked({Collective::reduce_scatter_block, 8 * KiB, order}))
      EXPECT_TRUE(order == Order::by_rank || one.choice.algorithm != "reduce_scatter_block.flat");
  }
}

// Most vectors lie in blocks too short for a shared heap.
TEST(Chooser, bounces_short_vectors_although_heaps_are_shared) {
  TeamTraits traits = processes(2);
  traits.reaches_heaps = true;
  Chooser chooser(traits, flat_hierarchy(2), kNear);
  for (const Candidate& one : chooser.ranked({Collective::bcast, 16 * KiB}))
    EXPECT_TRUE(one.choice.bounces);
  EXPECT_FALSE(chooser.choose({Collective::bcast, 1024 * KiB}).bounces);
}

TEST(Chooser, is_shared_by_teams_that_are_alike) {
  const auto one = Chooser::shared(processes(2), flat_hierarchy(2), kNear);
  EXPECT_EQ(one, Chooser::shared(processes(2), flat_hierarchy(2), kNear));
  EXPECT_NE(one, Chooser::shared(processes(2), flat_hierarchy(2), kFar));
  EXPECT_NE(one, Chooser::shared(threads(2), flat_hierarchy(2), kNear));
}

// A program of many communicators goes on using its largest.
TEST(Chooser, stays_shared_while_it_is_used) {
  const auto used = Chooser::shared(processes(2), flat_hierarchy(2), kNear);
  for (Rank ranks = 3; ranks < 43; ++ranks) {
    Chooser::shared(processes(ranks), flat_hierarchy(ranks), kNear);
    EXPECT_EQ(Chooser::shared(processes(2), flat_hierarchy(2), kNear), used);
  }
}

TEST(LengthClass, has_a_class_for_each_power_of_two_and_one_for_full_lines) {
  EXPECT_EQ(length_class(0), 0u);
  EXPECT_EQ(length_class(8), 8u);
  EXPECT_EQ(length_class(9), 16u);
  EXPECT_EQ(length_class(65), std::min(std::size_t{128}, kPayloadBytes));
  EXPECT_EQ(length_class(kPayloadBytes), kPayloadBytes);
  EXPECT_EQ(length_class(kPayloadBytes + 1), kLinePairBytes)
      << "does not fit a line, nor must its class";
  EXPECT_EQ(length_class(1000), 1024u);
  EXPECT_EQ(length_class(1500), 2048u);
  EXPECT_EQ(length_class(1400), 1024u);
  EXPECT_EQ(length_class(1 << 20), std::size_t{1} << 20);
}

TeamTraits in_turns(Rank ranks) {
  TeamTraits traits = on_two_cores(threads(ranks));
  traits.takes_turns_in_order = true;
  return traits;
}

Hierarchy on_both_cores(Rank ranks) {
  std::vector<std::uint32_t> cores;
  for (Rank rank = 0; rank < ranks; ++rank) cores.push_back(2 * rank / ranks);
  return with_shared_cores(flat_hierarchy(ranks), cores);
}

/// Who reads a value of each peer reads too much once there are many; fewer stages are fewer turns.
TEST(Chooser, knows_ranks_that_take_turns_in_order) {
  model::MachineCosts costs = model::assumed_costs();
  costs.core.yield = model::Core::kUsualSwitch;
  for (const Rank ranks : {8u, 16u, 64u, 256u}) {
    Chooser chooser(in_turns(ranks), on_both_cores(ranks), costs);
    EXPECT_EQ(chooser.choose({Collective::allreduce, 8}).algorithm, "allreduce.in_turns") << ranks;
    EXPECT_EQ(chooser.choose({Collective::barrier, 0}).algorithm, "barrier.in_turns") << ranks;
  }
  Chooser others(on_two_cores(threads(64)), flat_hierarchy(64), costs);
  for (const Question& question : {Question{Collective::allreduce, 8}, {Collective::barrier, 0}})
    for (const Candidate& one : others.ranked(question))
      EXPECT_EQ(one.choice.algorithm.find("in_turns"), std::string_view::npos);
}

TEST(PlacesIn, are_as_near_to_each_other_as_their_groups) {
  Hierarchy hierarchy = flat_hierarchy(4);
  hierarchy.all.level = "package";
  hierarchy.all.children = {{"l3", 0, {0, 2}, {}}, {"l3", 1, {1, 3}, {}}};
  const std::vector<Locality> places = places_in(hierarchy, 0);
  EXPECT_EQ(model::shared_level(places[0], places[2]), "l3");
  EXPECT_EQ(model::shared_level(places[0], places[1]), "package");
  EXPECT_EQ(model::shared_level(places[0], places[0]), "core");
  EXPECT_EQ(hierarchy_of(places).all.children.size(), 2u);
  const std::vector<Locality> shared = places_in(flat_hierarchy(4), 2);
  EXPECT_EQ(model::shared_level(shared[0], shared[2]), "core");
  const std::vector<Locality> in_order = places_in(flat_hierarchy(4), 2, true);
  EXPECT_EQ(model::shared_level(in_order[0], in_order[1]), "core");
  EXPECT_NE(model::shared_level(in_order[0], in_order[2]), "core");
}

}  // namespace
}  // namespace terrace
