// SPDX-License-Identifier: BSD-3-Clause
// Goal: of calls of a thread team that do not match, some rank is told by both names, whatever
// differs, at every size; at the latest, the rank that destroys the team. Method: the last rank's
// call differs in one thing; a barrier follows, or nothing does. (tests/mpi/mismatches.c does the
// same for processes and for thread ranks, and all 17 collectives of MPI.)
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "unit/api/threads.hpp"

using namespace terrace::testing_api;

namespace {

struct CallArguments {
  std::size_t count;
  int root = 0;
  terrace_type type = TERRACE_FLOAT64;
  terrace_operator op = TERRACE_SUM;
};

struct Buffers {
  const void* input;
  void* output;
};

using Make = terrace_status (*)(const Buffers&, const CallArguments&, terrace_team*, int rank);

struct Collective {
  const char* name;
  bool has_root, combines;
  Make make;
};

const Collective kCollectives[] = {
    {"barrier", false, false,
     [](const Buffers&, const CallArguments&, terrace_team* team, int rank) {
       return terrace_barrier(team, rank);
     }},
    {"bcast", true, false,
     [](const Buffers& buffers, const CallArguments& its, terrace_team* team, int rank) {
       return terrace_bcast(buffers.output, its.count, its.type, its.root, team, rank);
     }},
    {"reduce", true, true,
     [](const Buffers& buffers, const CallArguments& its, terrace_team* team, int rank) {
       return terrace_reduce(buffers.input, buffers.output, its.count, its.type, its.op, its.root,
                             team, rank);
     }},
    {"allreduce", false, true,
     [](const Buffers& buffers, const CallArguments& its, terrace_team* team, int rank) {
       return terrace_allreduce(buffers.input, buffers.output, its.count, its.type, its.op, team,
                                rank);
     }},
    {"allgather", false, false,
     [](const Buffers& buffers, const CallArguments& its, terrace_team* team, int rank) {
       return terrace_allgather(buffers.input, buffers.output, its.count, its.type, team, rank);
     }},
    {"gather", true, false,
     [](const Buffers& buffers, const CallArguments& its, terrace_team* team, int rank) {
       return terrace_gather(buffers.input, buffers.output, its.count, its.type, its.root, team,
                             rank);
     }},
    {"scatter", true, false,
     [](const Buffers& buffers, const CallArguments& its, terrace_team* team, int rank) {
       return terrace_scatter(buffers.input, buffers.output, its.count, its.type, its.root, team,
                              rank);
     }},
    {"alltoall", false, false,
     [](const Buffers& buffers, const CallArguments& its, terrace_team* team, int rank) {
       return terrace_alltoall(buffers.input, buffers.output, its.count, its.type, team, rank);
     }},
    {"reduce_scatter_block", false, true,
     [](const Buffers& buffers, const CallArguments& its, terrace_team* team, int rank) {
       return terrace_reduce_scatter_block(buffers.input, buffers.output, its.count, its.type,
                                           its.op, team, rank);
     }},
    {"scan", false, true,
     [](const Buffers& buffers, const CallArguments& its, terrace_team* team, int rank) {
       return terrace_scan(buffers.input, buffers.output, its.count, its.type, its.op, team, rank);
     }},
    {"exscan", false, true,
     [](const Buffers& buffers, const CallArguments& its, terrace_team* team, int rank) {
       return terrace_exscan(buffers.input, buffers.output, its.count, its.type, its.op, team,
                             rank);
     }},
};

enum class Difference { collective, root, size, op, type };

bool applies(const Collective& collective, Difference difference) {
  switch (difference) {
    case Difference::collective:
      return true;
    case Difference::root:
      return collective.has_root;
    case Difference::size:
      return collective.name != std::string("barrier");
    case Difference::op:
    case Difference::type:
      break;
  }
  return collective.combines;
}

struct Outcome {
  std::vector<std::string> told;  ///< what ranks were told
  std::string at_end;             ///< what was told to who destroyed the team
};

/// All ranks' call, the last one's with a difference, and a barrier if that is wanted.
Outcome outcome_of(const Collective& collective, Difference difference, std::size_t count,
                   int ranks, bool has_barrier) {
  Outcome outcome;
  std::mutex mutex;
  terrace_team* team = nullptr;
  EXPECT_EQ(TERRACE_OK, terrace_team_create(ranks, nullptr, &team));
  // Until all have returned: who is told leaves peers behind that may still read its buffers.
  const std::size_t elements = count * static_cast<std::size_t>(ranks);
  std::vector<std::vector<double>> inputs(static_cast<std::size_t>(ranks),
                                          std::vector<double>(elements, 1)),
      outputs = inputs;
  on_each_rank(ranks, [&](int rank) -> std::string {
    std::vector<double>& input = inputs[static_cast<std::size_t>(rank)];
    std::vector<double>& output = outputs[static_cast<std::size_t>(rank)];
    CallArguments its{count};
    const Collective* mine = &collective;
    if (rank == ranks - 1) {
      if (difference == Difference::collective)
        mine = &kCollectives[&collective == &kCollectives[0] ? 1 : 0];
      if (difference == Difference::root) its.root = 1;
      if (difference == Difference::size) its.count /= 2;
      if (difference == Difference::op) its.op = TERRACE_MAXIMUM;
      if (difference == Difference::type) its.type = TERRACE_INT64;
    }
    terrace_status status = mine->make({input.data(), output.data()}, its, team, rank);
    if (status == TERRACE_OK && has_barrier) status = terrace_barrier(team, rank);
    if (status != TERRACE_OK) {
      const std::lock_guard lock(mutex);
      outcome.told.push_back(terrace_last_error());
    }
    return "";
  });
  if (terrace_team_destroy(team) != TERRACE_OK) outcome.at_end = terrace_last_error();
  return outcome;
}

std::string names_missing(const std::string& sentence, const Collective& collective,
                          Difference difference) {
  const bool is_other = difference == Difference::collective;
  const char* const other = !is_other                         ? collective.name
                            : &collective == &kCollectives[0] ? "bcast"
                                                              : "barrier";
  for (const char* const name : {collective.name, other})
    if (sentence.find(std::string(" makes ") + name) == std::string::npos)
      return "\"" + sentence + "\" does not name " + name;
  return "";
}

#ifdef TERRACE_IS_EMULATED
constexpr int kOneOf = 7;  // an emulator makes a team of threads in tens of milliseconds
#else
constexpr int kOneOf = 1;
#endif

class Mismatches : public testing::TestWithParam<int> {};

TEST_P(Mismatches, are_told_by_both_names) {
  int cell = 0;
  for (const Collective& collective : kCollectives)
    for (const Difference difference : {Difference::collective, Difference::root, Difference::size,
                                        Difference::op, Difference::type})
      for (const std::size_t count : {2u, 700u, 40000u})
        for (const bool has_barrier : {true, false}) {
          if (!applies(collective, difference) || cell++ % kOneOf != GetParam() % kOneOf) continue;
          SCOPED_TRACE(testing::Message()
                       << collective.name << ", difference " << static_cast<int>(difference) << ", "
                       << count << " elements, barrier " << has_barrier);
          const Outcome outcome =
              outcome_of(collective, difference, count, GetParam(), has_barrier);
          EXPECT_TRUE(!outcome.told.empty() || !outcome.at_end.empty()) << "nobody was told";
          for (const std::string& sentence : outcome.told)
            EXPECT_EQ("", names_missing(sentence, collective, difference));
          if (outcome.told.empty()) {
            EXPECT_EQ("", names_missing(outcome.at_end, collective, difference));
          }
        }
}

INSTANTIATE_TEST_SUITE_P(OfTeams, Mismatches, testing::Values(2, 3, 5));

// Goal: a rank that waits for many hears of the last one's other call while the first has not come.
// Method: rank 0 gathers from ten; rank 1 stays away until a rank has been told; the last has
// another root, so that it is through at once, and only rank 0 can be told.
TEST(MismatchesOfMany, are_told_while_others_are_late) {
  constexpr int kRanks = 11;
  constexpr std::size_t kCount = 4;
  for (const bool is_long : {false, true}) {
    const std::size_t count = is_long ? 4096 : kCount;
    terrace_team* team = nullptr;
    ASSERT_EQ(TERRACE_OK, terrace_team_create(kRanks, nullptr, &team));
    std::atomic<bool> is_told{false};
    std::string sentence;
    std::vector<std::vector<double>> inputs(kRanks, std::vector<double>(count, 1)),
        outputs(kRanks, std::vector<double>(count * kRanks));
    const auto begin = std::chrono::steady_clock::now();
    on_each_rank(kRanks, [&](int rank) -> std::string {
      const auto mine = static_cast<std::size_t>(rank);
      terrace_barrier(team, rank);
      // relaxed: nothing but the flag is told. Its partner is the store below.
      while (rank == 1 && !is_told.load(std::memory_order_relaxed) &&
             std::chrono::steady_clock::now() - begin < std::chrono::seconds(20))
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      const terrace_status status =
          terrace_gather(inputs[mine].data(), outputs[mine].data(), count, TERRACE_FLOAT64,
                         rank == kRanks - 1 ? 5 : 0, team, rank);
      if (rank != 0) return "";
      if (status != TERRACE_OK) sentence = terrace_last_error();
      is_told.store(true, std::memory_order_relaxed);  // relaxed: as above
      return "";
    });
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
    EXPECT_NE(sentence.find("to rank 0"), std::string::npos) << sentence;
    EXPECT_NE(sentence.find("to rank 5"), std::string::npos) << sentence;
    terrace_team_destroy(team);
  }
}

}  // namespace
