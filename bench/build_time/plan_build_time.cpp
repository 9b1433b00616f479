// SPDX-License-Identifier: BSD-3-Clause
// Times what happens when a team needs a plan for the first time: writing it, lowering it with its
// waits, cutting out one rank's program and those of all ranks. One JSON object per algorithm and
// team size. With the word `many`: what a rank of a process of its own does in large teams, and how
// much memory it takes for that.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "collectives/collectives.hpp"
#include "plan/lower.hpp"
#include "plan/rank_program.hpp"
#include "team/memory.hpp"

namespace {

using namespace terrace;
using Clock = std::chrono::steady_clock;

constexpr Rank kTeams[] = {2, 16, 128};
constexpr Rank kLargeTeams[] = {64, 128, 192, 384, 1024};

/// Two packages of four caches with the same number of ranks each, as far as there are ranks.
Hierarchy usual_hierarchy(Rank ranks) {
  std::vector<Locality> localities;
  for (Rank rank = 0; rank < ranks; ++rank) {
    const std::uint64_t l3 = std::uint64_t{rank} * 8 / ranks;
    localities.push_back(
        {{{"node", 0}, {"package", l3 / 4}, {"l3", l3}, {"core", std::uint64_t{rank}}}});
  }
  return hierarchy_of(localities);
}

double us_since(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

struct Cost {
  double write = 1e12, lower = 1e12, one_part = 1e12, all_parts = 1e12;
  std::size_t statements = 0, part_bytes = 0, all_bytes = 0;
};

/// The quickest of several goes counts: the first has cold caches, others may be disturbed.
bool measure(const Algorithm& row, const Hierarchy& hierarchy, Lowering lowering, Cost& cost) {
  for (int attempt = 0; attempt < 7; ++attempt) {
    Clock::time_point start = Clock::now();
    const Plan plan = row.write({hierarchy});
    cost.write = std::min(cost.write, us_since(start));
    start = Clock::now();
    const Result<Plan> lowered = lower(plan, lowering);
    cost.lower = std::min(cost.lower, us_since(start));
    if (!lowered) return false;
    start = Clock::now();
    const RankProgram part = program_of(lowered.value(), 0);
    cost.one_part = std::min(cost.one_part, us_since(start));
    start = Clock::now();
    const std::vector<RankProgram> parts = programs_of(lowered.value());
    cost.all_parts = std::min(cost.all_parts, us_since(start));
    cost.part_bytes = part.bytes();
    cost.all_bytes = 0;
    for (const RankProgram& one : parts) cost.all_bytes += one.bytes();
  }
  return true;
}

void report(const Algorithm& row, Rank ranks, Lowering lowering) {
  Cost cost;
  if (!measure(row, usual_hierarchy(ranks), lowering, cost)) return;
  std::printf(
      "{\"algorithm\": \"%s\", \"lowering\": \"%s\", \"ranks\": %u, \"write_us\": %.1f, "
      "\"lower_us\": %.1f, \"one_part_us\": %.1f, \"all_parts_us\": %.1f, \"rank_0_bytes\": %zu, "
      "\"all_bytes\": %zu}\n",
      std::string(row.name).c_str(), lowering == Lowering::lines ? "lines" : "owner", ranks,
      cost.write, cost.lower, cost.one_part, cost.all_parts, cost.part_bytes, cost.all_bytes);
  std::fflush(stdout);
}

/// Returns the most memory that this process has had.
long most_kib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

/// Reports what `PlanCache` does for the first rank of a process; in a process of its own, whose
/// memory is as yet its parent's.
void report_for_one_rank(const Algorithm& row, Rank ranks, Lowering lowering) {
  const Hierarchy hierarchy = usual_hierarchy(ranks);
  const Rank rank = ranks / 2;
  const long before = most_kib();
  double us = 1e12;
  std::size_t bytes = 0;
  for (int attempt = 0; attempt < 3; ++attempt) {
    const Clock::time_point start = Clock::now();
    const Plan plan = row.write({hierarchy});
    const Result<Plan> lowered = ranks > kMostRanksTogether
                                     ? lower_for(rank, plan, lowering, 2, 1, kMostLines)
                                     : lower(plan, lowering);
    if (!lowered || lowered.value().lines > kMostLines) return;
    const RankProgram part = program_of(lowered.value(), rank);
    us = std::min(us, us_since(start));
    bytes = part.bytes();
  }
  std::printf(
      "{\"algorithm\": \"%s\", \"lowering\": \"%s\", \"ranks\": %u, \"own_part_ms\": %.2f, "
      "\"peak_mib\": %.1f, \"part_kib\": %.1f}\n",
      std::string(row.name).c_str(), lowering == Lowering::lines ? "lines" : "owner", ranks,
      us / 1e3, static_cast<double>(most_kib() - before) / 1024, static_cast<double>(bytes) / 1024);
}

void report_in_a_child(const Algorithm& row, Rank ranks, Lowering lowering) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    report_for_one_rank(row, ranks, lowering);
    std::fflush(stdout);
    _exit(0);
  }
  waitpid(child, nullptr, 0);
}

}  // namespace

int main(int count, char** words) {
  if (count > 1 && std::strcmp(words[1], "many") == 0) {
    for (const Algorithm& row : algorithms())
      for (const Rank ranks : kLargeTeams) {
        if (row.fits_lines) report_in_a_child(row, ranks, Lowering::lines);
        if (row.fits_long) report_in_a_child(row, ranks, Lowering::owner);
      }
    return 0;
  }
  for (const Algorithm& row : algorithms())
    for (const Rank ranks : kTeams) {
      if (row.fits_lines) report(row, ranks, Lowering::lines);
      if (row.fits_long) report(row, ranks, Lowering::owner);
    }
  return 0;
}
