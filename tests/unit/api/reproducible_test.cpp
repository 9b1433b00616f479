// SPDX-License-Identifier: BSD-3-Clause
// Goal: a reproducible team has the same bits on every machine, in every reach, by every algorithm,
// and they are those of the documented order. Method: threads on pretended machines; the order is
// written out here, in plain loops. That the inputs tell orders apart is shown by teams that are
// not reproducible.
#include <gtest/gtest.h>

#include <array>
#include <complex>
#include <cstring>
#include <limits>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "engine/team_endpoint.hpp"
#include "terrace/terrace.h"

namespace terrace {
namespace {

/// Each of the few values is divided for once.
template <class T>
T element(Rank rank, std::size_t i) {
  static const std::array<T, 123> parts = [] {
    std::array<T, 123> made;
    for (std::size_t j = 0; j < made.size(); ++j)
      made[j] = static_cast<T>(1) / static_cast<T>(j + 2);
    return made;
  }();
  return parts[rank * 37 % 23 + i % 101];
}
template <>
std::complex<float> element(Rank rank, std::size_t i) {
  return {element<float>(rank, i), element<float>(rank, i + 7)};
}

template <class T>
using Vector = std::vector<T>;

template <class T, class Combine>
struct Reference {
  Combine combine;

  T of_ranks(Rank first, Rank last, std::size_t i) const {
    T all = element<T>(first, i);
    for (Rank rank = first + 1; rank < last; ++rank) all = combine(all, element<T>(rank, i));
    return all;
  }
  T of_all(Rank ranks, std::size_t i) const {
    const Rank runs = (ranks + 7) / 8;
    T all = of_ranks(0, ranks / runs, i);
    for (Rank run = 1; run < runs; ++run)
      all = combine(all, of_ranks(ranks * run / runs, ranks * (run + 1) / runs, i));
    return all;
  }
};

/// What each call must come to.
template <class T>
struct Results {
  Vector<T> of_all;                 ///< of every rank's block
  std::vector<Vector<T>> of_first;  ///< of the ranks up to each
};

/// Computed once for the ranks of all machines: in plain loops it takes longer than the calls.
template <class T, class Combine>
const Results<T>& results_of(Rank ranks, std::size_t count) {
  static std::mutex mutex;
  static std::map<std::pair<Rank, std::size_t>, Results<T>> known;
  const std::lock_guard lock(mutex);
  const auto [place, is_new] = known.try_emplace({ranks, count});
  Results<T>& results = place->second;
  if (!is_new) return results;
  const Reference<T, Combine> reference;
  for (std::size_t i = 0; i < ranks * count; ++i)
    results.of_all.push_back(reference.of_all(ranks, i));
  for (Rank rank = 0; rank < ranks; ++rank) {
    results.of_first.emplace_back();
    for (std::size_t i = 0; i < count; ++i)
      results.of_first[rank].push_back(reference.of_ranks(0, rank + 1, i));
  }
  return results;
}

/// x87's long double has 10 bytes that mean something, others all of them.
template <class T>
constexpr std::size_t kBytesThatMean = std::numeric_limits<T>::digits == 64 ? 10 : sizeof(T);

template <class T>
bool is_same(const T* a, const T* b, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    if (std::memcmp(a + i, b + i, kBytesThatMean<T>) != 0) return false;
  return true;
}

template <class T, class Combine>
class Player {
 public:
  Player(TeamEndpoint& endpoint, Rank ranks, Type type, Operator op)
      : endpoint_(endpoint), ranks_(ranks), reduction_(find_reduction(type, op)) {}

  void play(std::size_t count) {
    const Elements elements{count, sizeof(T), reduction_};
    const Results<T>& right = results_of<T, Combine>(ranks_, count);
    const T* const all = right.of_all.data();
    Vector<T> in = input(0, count), out(count);
    const Rank root = static_cast<Rank>(count) % ranks_;
    endpoint_.allreduce(in.data(), out.data(), elements);
    compare(out, all);
    endpoint_.reduce(in.data(), out.data(), elements, root);
    if (rank() == root) compare(out, all);
    endpoint_.scan(in.data(), out.data(), elements);
    compare(out, right.of_first[rank()].data());
    endpoint_.exscan(in.data(), out.data(), elements);
    if (rank() > 0) compare(out, right.of_first[rank() - 1].data());
    in = input(0, count * ranks_);
    endpoint_.reduce_scatter_block(in.data(), out.data(), elements);
    compare(out, all + rank() * count);
  }
  const std::string& complaint() const { return complaint_; }

 private:
  Rank rank() const { return endpoint_.rank(); }

  Vector<T> input(std::size_t first, std::size_t count) const {
    Vector<T> input(count);
    for (std::size_t i = 0; i < count; ++i) input[i] = element<T>(rank(), first + i);
    return input;
  }
  void compare(const Vector<T>& out, const T* right) {
    if (!is_same(out.data(), right, out.size()) && complaint_.empty())
      complaint_ = std::to_string(out.size()) + " elements by " + endpoint_.last_plan();
  }

  TeamEndpoint& endpoint_;
  Rank ranks_;
  Reduction reduction_;
  std::string complaint_;
};

/// Ranks dealt out to so many packages.
Hierarchy dealt_out(Rank ranks, Rank packages) {
  std::vector<Locality> localities;
  for (Rank rank = 0; rank < ranks; ++rank)
    localities.push_back({{{"node", 0}, {"package", rank % packages}, {"core", rank}}});
  return hierarchy_of(localities);
}

struct Circumstances {
  Rank ranks;
  Rank packages;
  Reach reach;
  bool is_oversubscribed;
  bool is_reproducible = true;
};

void play_all(TeamEndpoint& endpoint, const Circumstances& the, std::string& complaint) {
  Player<double, std::plus<double>> sums(endpoint, the.ranks, Type::float64, Operator::sum);
  Player<float, std::multiplies<float>> products(endpoint, the.ranks, Type::float32,
                                                 Operator::product);
  Player<long double, std::plus<long double>> long_sums(endpoint, the.ranks, Type::long_double,
                                                        Operator::sum);
  Player<std::complex<float>, std::multiplies<std::complex<float>>> turns(
      endpoint, the.ranks, Type::complex64, Operator::product);
  for (const std::size_t count : {1u, 5u, 400u, 7000u}) {
    sums.play(count);
    products.play(count);
    long_sums.play(count);
    turns.play(count);
  }
  for (const std::string& one :
       {sums.complaint(), products.complaint(), long_sums.complaint(), turns.complaint()})
    if (complaint.empty()) complaint = one;
}

/// What is not as documented at some rank; "" if all is.
std::string complaint_of_team(const Circumstances& the) {
  ThreadMemory memory(the.ranks, 128 << 10);
  PlanCache plan_cache(dealt_out(the.ranks, the.packages));
  for (const RankMemory& rank : memory.memory().ranks) prepare(rank, 0);
  std::vector<std::string> complaints(the.ranks);
  std::vector<std::thread> threads;
  for (Rank rank = 0; rank < the.ranks; ++rank)
    threads.emplace_back([&, rank] {
      WaitEnvironment wait_environment;
      EndpointOptions options;
      options.traits = {the.ranks, the.reach == Reach::direct, the.is_oversubscribed ? 2u : 0u};
      options.waiting = WaitPolicy::for_ranks(2, 1);
      options.reach = the.reach;
      options.is_reproducible = the.is_reproducible;
      options.wait_environment = &wait_environment;
      TeamEndpoint endpoint(memory.memory(), rank, plan_cache, options);
      play_all(endpoint, the, complaints[rank]);
    });
  for (std::thread& thread : threads) thread.join();
  for (const std::string& complaint : complaints)
    if (!complaint.empty()) return complaint;
  return "";
}

/// An emulator, for which long doubles are slow, has half of the teams: each in one of both
/// reaches.
#ifdef TERRACE_IS_EMULATED
constexpr bool kHalves = true;
#else
constexpr bool kHalves = false;
#endif
bool is_tried(Rank ranks, Rank packages, Reach reach) {
  return !kHalves || (reach == Reach::direct) == ((ranks / 2 + packages) % 2 == 0);
}

TEST(Reproducible, teams_have_the_documented_bits_on_every_machine) {
  for (const Rank ranks : {4u, 10u})
    for (const Rank packages : {1u, 2u, 3u})
      for (const Reach reach : {Reach::direct, Reach::bounced}) {
        if (!is_tried(ranks, packages, reach)) continue;
        EXPECT_EQ("", complaint_of_team({ranks, packages, reach, packages == 2}))
            << ranks << " ranks on " << packages << " packages";
      }
}

/// An element whose sum over 10 ranks tells orders apart.
constexpr std::size_t kTelling = 2;

/// 10 threads' sum of it through the C library.
double sum_of_team(int is_reproducible) {
  constexpr int kRanks = 10;
  terrace_team_options options = {};
  options.is_reproducible = is_reproducible;
  terrace_team* team = nullptr;
  EXPECT_EQ(TERRACE_OK, terrace_team_create(kRanks, &options, &team));
  std::vector<double> sums(kRanks);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < kRanks; ++rank)
    threads.emplace_back([&, rank] {
      const double own = element<double>(static_cast<Rank>(rank), kTelling);
      terrace_allreduce(&own, &sums[static_cast<std::size_t>(rank)], 1, TERRACE_FLOAT64,
                        TERRACE_SUM, team, rank);
    });
  for (std::thread& thread : threads) thread.join();
  terrace_team_destroy(team);
  return sums[0];
}

TEST(Reproducible, can_be_asked_of_the_c_library) {
  const Reference<double, std::plus<double>> reference;
  EXPECT_EQ(reference.of_all(10, kTelling), sum_of_team(1));
  EXPECT_NE(reference.of_all(10, kTelling), reference.of_ranks(0, 10, kTelling));
}

TEST(Reproducible, is_not_what_teams_are_unless_asked) {
  EXPECT_NE("", complaint_of_team({4, 2, Reach::direct, false, false}));
  EXPECT_NE("", complaint_of_team({10, 1, Reach::bounced, true, false}));
}

}  // namespace
}  // namespace terrace
