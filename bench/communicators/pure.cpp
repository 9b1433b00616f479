// SPDX-License-Identifier: BSD-3-Clause
// What every rank computes from all records, by itself: for many ranks, on many nodes.
//
//   bench_split_alone RANKS NODES     prints a line of JSON: seconds of each part, bytes of memory
#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "communicators/split.hpp"

namespace {

using namespace terrace;
using communicators::Child;

/// Two packages of 2 NUMA nodes, 16 to a switch of 3 levels; ranks bound to cores.
std::vector<Locality> localities_of(Rank ranks, std::uint64_t nodes) {
  std::vector<Locality> localities;
  const std::uint64_t per_node = (ranks + nodes - 1) / nodes;
  for (Rank rank = 0; rank < ranks; ++rank) {
    const std::uint64_t node = rank / per_node, core = rank % per_node;
    const std::uint64_t numa = core * 4 / per_node;
    localities.push_back({{{"switch1", node / 256},
                           {"switch0", node / 16},
                           {"node", node},
                           {"package", numa / 2},
                           {"numa", numa},
                           {"core", core}}});
  }
  return localities;
}

template <class Work>
double seconds_of(Work work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

long peak_kib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

}  // namespace

int main(int count, char** words) {
  if (count != 3) return 2;
  const auto ranks = static_cast<Rank>(std::atol(words[1]));
  const auto nodes = static_cast<std::uint64_t>(std::atol(words[2]));
  if (ranks == 0 || nodes == 0 || nodes > ranks) return 2;
  const std::vector<Locality> localities = localities_of(ranks, nodes);
  const long before = peak_kib();
  std::vector<Child> children;
  Hierarchy hierarchy;
  const double next_level = seconds_of([&] { children = communicators::split(localities, {}); });
  const double to_nodes = seconds_of([&] {
    children = communicators::split(localities, {communicators::Scope::whole, "node"});
  });
  const double whole = seconds_of([&] { hierarchy = hierarchy_of(localities); });
  std::printf(
      "{\"ranks\": %u, \"nodes\": %llu, \"seconds_next_level\": %.3f, \"seconds_to_nodes\": %.3f, "
      "\"seconds_whole_hierarchy\": %.3f, \"mib_localities\": %.0f, \"mib_on_top\": %.0f}\n",
      ranks, static_cast<unsigned long long>(nodes), next_level, to_nodes, whole,
      static_cast<double>(before) / 1024, static_cast<double>(peak_kib() - before) / 1024);
  return children.size() == nodes && hierarchy.rank_count() == ranks ? 0 : 1;
}
