// SPDX-License-Identifier: BSD-3-Clause
// Golden plans: what authors' code and lowering make of it, as text that one can read. After a
// change that is meant: TERRACE_WRITE_PLANS=1 build/release/bin/test_collectives, then read the
// difference in tests/plans/.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "collectives/collectives.hpp"
#include "hierarchy/shared_cores.hpp"
#include "plan/lower.hpp"

namespace terrace {
namespace {

/// Two packages with three ranks and two: small, and uneven.
Hierarchy two_packages() {
  std::vector<Locality> localities;
  for (std::uint64_t rank = 0; rank < 5; ++rank)
    localities.push_back({{{"node", 0}, {"package", rank / 3}, {"core", rank}}});
  return hierarchy_of(localities);
}

/// Two cores that three ranks and two take turns on.
Hierarchy two_cores() {
  return with_shared_cores(flat_hierarchy(5), std::vector<std::uint32_t>{0, 0, 0, 1, 1});
}

struct Golden {
  const char* algorithm;
  Lowering lowering;
  Rank root;
  std::uint32_t pockets = 1;
  Hierarchy (*hierarchy)() = two_packages;
};

// Each algorithm as written; one of each kind lowered.
constexpr Golden kGolden[] = {
    {"allreduce.all_read", Lowering::none, 0},
    {"allreduce.all_read", Lowering::lines, 0},
    {"allreduce.tree", Lowering::none, 0},
    {"allreduce.tree", Lowering::lines, 0},
    {"allreduce.tree", Lowering::owner, 0},
    {"allreduce.tree_staged", Lowering::none, 0},
    {"allreduce.in_turns", Lowering::none, 0, 1, two_cores},
    {"allreduce.in_turns", Lowering::lines, 0, 1, two_cores},
    {"allreduce.tiled", Lowering::none, 0},
    {"allreduce.tiled", Lowering::owner, 0},
    {"allreduce.push", Lowering::none, 0},
    {"allreduce.push", Lowering::owner, 0},
    {"bcast.flat", Lowering::none, 1},
    {"bcast.flat", Lowering::owner, 1},
    {"bcast.staged", Lowering::none, 4},
    {"bcast.tree", Lowering::none, 4},
    {"bcast.tree", Lowering::lines, 4},
    {"reduce.tree", Lowering::none, 4},
    {"reduce.tree", Lowering::owner, 4},
    {"reduce.all_read", Lowering::none, 4},
    {"reduce.all_read", Lowering::lines, 4},
    {"reduce.tiled", Lowering::none, 4},
    {"reduce.tiled", Lowering::owner, 4},
    {"barrier.all_read", Lowering::lines, 0},
    {"barrier.tree", Lowering::lines, 0},
    {"bcast.split", Lowering::none, 4},
    {"bcast.split", Lowering::owner, 4},
    {"reduce.push", Lowering::none, 4},
    {"reduce.push", Lowering::owner, 4},
    {"allgather.all_read", Lowering::none, 0},
    {"allgather.all_read", Lowering::lines, 0},
    {"allgather.staged", Lowering::none, 0},
    {"allgather.staged", Lowering::owner, 0},
    {"allgather.push", Lowering::none, 0},
    {"gather.flat", Lowering::none, 4},
    {"gather.push", Lowering::none, 4},
    {"gather.push", Lowering::owner, 4},
    {"scatter.flat", Lowering::none, 4},
    {"scatter.flat", Lowering::lines, 4, 5},
    {"scatter.flat", Lowering::owner, 4},
    {"alltoall.flat", Lowering::none, 0},
    {"alltoall.flat", Lowering::owner, 0},
    {"alltoall.all_read", Lowering::none, 0},
    {"alltoall.all_read", Lowering::lines, 0, 3},
    {"alltoall.pairwise", Lowering::none, 0},
    {"alltoall.pairwise", Lowering::owner, 0},
    {"reduce_scatter_block.flat", Lowering::none, 0},
    {"reduce_scatter_block.staged", Lowering::none, 0},
    {"reduce_scatter_block.staged", Lowering::owner, 0},
    {"scan.all_read", Lowering::none, 0},
    {"scan.all_read", Lowering::lines, 0},
    {"scan.chain", Lowering::none, 0},
    {"scan.chain", Lowering::owner, 0},
    {"scan.push", Lowering::none, 0},
    {"scan.push", Lowering::owner, 0},
    {"exscan.all_read", Lowering::none, 0},
    {"exscan.chain", Lowering::none, 0},
    {"exscan.push", Lowering::none, 0},
    {"allreduce.dissemination", Lowering::none, 0},
    {"allreduce.doubling", Lowering::none, 0},
    {"allreduce.tiled_hypercube", Lowering::none, 0},
    {"allreduce.tiled_tree", Lowering::none, 0},
    {"reduce.tiled_tree", Lowering::none, 4},
    {"bcast.split_binary", Lowering::none, 4},
    {"bcast.binomial_by_level", Lowering::none, 4},
    {"reduce.binomial", Lowering::none, 4},
    {"reduce.in_order_binary_by_level", Lowering::none, 1},
    {"scatter.staged", Lowering::none, 1},
    {"reduce_scatter_block.reduce_then_scatter", Lowering::none, 0},
};

std::string text_of(const Golden& golden) {
  const Hierarchy hierarchy = golden.hierarchy();
  const Plan plan = find_algorithm(golden.algorithm)->write({hierarchy, golden.root, 2});
  if (golden.lowering == Lowering::none) return to_text(plan);
  const auto lowered = lower(plan, golden.lowering, 2, golden.pockets);
  return lowered ? to_text(lowered.value()) : lowered.error().sentence;
}

std::string path_of(const Golden& golden) {
  const char* ending = golden.lowering == Lowering::none    ? ""
                       : golden.lowering == Lowering::lines ? ".lines"
                                                            : ".owner";
  return std::string(TERRACE_SOURCE_DIR "/tests/plans/") + golden.algorithm + ending + ".plan";
}

TEST(GoldenPlans, are_as_they_were_read_last) {
  for (const Golden& golden : kGolden) {
    const std::string path = path_of(golden), text = text_of(golden);
    if (std::getenv("TERRACE_WRITE_PLANS") != nullptr) std::ofstream(path) << text;
    std::ostringstream kept;
    kept << std::ifstream(path).rdbuf();
    EXPECT_EQ(text, kept.str()) << path;
  }
}

}  // namespace
}  // namespace terrace
