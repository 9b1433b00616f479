// SPDX-License-Identifier: BSD-3-Clause
// Times simulations of some plans: steps a second, on one core, and the memory they take. One JSON
// object each.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "collectives/collectives.hpp"
#include "machine_files/read_machine_model.hpp"
#include "plan/lower.hpp"
#include "simulate/simulate.hpp"
#include "simulate/symmetric_nodes.hpp"

namespace {

using namespace terrace;
using Clock = std::chrono::steady_clock;

/// Simulates until a second has gone by, three times at least; the quickest counts.
void time_simulation(const std::string& plan, const std::string& machine, double ranks,
                     const model::MachineModel& model, const std::vector<Locality>& localities,
                     const std::vector<RankProgram>& parts,
                     const simulate::SimulationSetting& setting) {
  const auto start = Clock::now();
  double best = 1e12;
  simulate::SimulationOutcome outcome;
  for (int i = 0; i < 3 || Clock::now() - start < std::chrono::seconds(1); ++i) {
    const auto begin = Clock::now();
    const auto result = simulate::simulate(model, localities, parts, setting);
    best = std::min(best, std::chrono::duration<double>(Clock::now() - begin).count());
    if (!result) {
      std::fprintf(stderr, "%s\n", result.error().sentence.c_str());
      std::exit(1);
    }
    outcome = result.value();
  }
  // Steps that were played, not those of nodes that they stand for.
  const double played = static_cast<double>(outcome.steps) *
                        static_cast<double>(outcome.nodes_played) / outcome.nodes;
  std::printf(
      "{\"plan\": \"%s\", \"bytes\": %zu, \"machine\": \"%s\", \"ranks\": %.0f, "
      "\"calls\": %u, \"steps\": %.0f, \"steps_per_s\": %.0f, \"kib\": %zu, "
      "\"call_us\": %.3f}\n",
      plan.c_str(), setting.element_count * setting.element_bytes, machine.c_str(), ranks,
      setting.calls, played, played / best, outcome.memory_bytes >> 10,
      outcome.calls.back().most / 1000);
  std::fflush(stdout);
}

simulate::SimulationSetting setting_of(std::size_t bytes, std::uint32_t calls) {
  simulate::SimulationSetting setting;
  setting.element_count = bytes / 8;
  setting.calls = calls;
  return setting;
}

struct Point {
  const char *algorithm, *machine;
  Rank ranks;
  std::size_t bytes;
  std::uint32_t calls;
};

constexpr Point kPoints[] = {
    {"allreduce.tree", "westmere-x5650", 12, 8, 1000},
    {"allreduce.tree_staged", "rome-2x64", 128, 8, 1000},
    {"allreduce.all_read", "rome-2x64", 128, 8, 1000},
    {"bcast.staged", "rome-2x64", 128, 65536, 100},
    {"allreduce.push", "rome-2x64", 128, 1 << 20, 20},
    {"allreduce.tiled", "rome-2x64", 128, 65536, 10},
    {"allreduce.tree_staged", "grace-4x72", 288, 8, 1000},
};

template <class T>
T value_or_exit(Result<T> result) {
  if (result) return std::move(result).value();
  std::fprintf(stderr, "%s\n", result.error().sentence.c_str());
  std::exit(1);
}

void time_point(const Point& point) {
  const auto model = value_or_exit(model::read_machine_model(point.machine));
  const auto localities = value_or_exit(model::localities_on(model, point.ranks));
  const Hierarchy hierarchy = hierarchy_of(localities);
  const Plan plan = find_algorithm(point.algorithm)->write({hierarchy, 0, 8});
  const Lowering lowering = point.bytes <= 112 ? Lowering::lines : Lowering::owner;
  const auto parts = programs_of(value_or_exit(lower(plan, lowering)));
  time_simulation(point.algorithm, point.machine, point.ranks, model, localities, parts,
                  setting_of(point.bytes, point.calls));
}

/// 2^rounds nodes of 24 or 96 ranks.
void time_symmetric(const char* machine, Rank ranks_per_node, std::uint32_t rounds) {
  auto model = value_or_exit(model::read_machine_model(machine));
  const auto localities = value_or_exit(model::localities_on(model, 2 * ranks_per_node, "2"));
  const Plan plan = simulate::exchange_of_symmetric_nodes(simulate::SymmetricExchange::leaders,
                                                          ranks_per_node, rounds);
  const auto parts = programs_of(value_or_exit(lower(plan, Lowering::lines)));
  time_simulation("allreduce.symmetric", machine,
                  static_cast<double>(ranks_per_node) * (1u << rounds), model, localities, parts,
                  setting_of(8, 100));
}

}  // namespace

/// All points, or those of the plans that are named.
int main(int count, char** words) {
  const std::vector<std::string> named(words + 1, words + count);
  const auto is_meant = [&named](const std::string& plan) {
    return named.empty() || std::find(named.begin(), named.end(), plan) != named.end();
  };
  for (const Point& point : kPoints)
    if (is_meant(point.algorithm)) time_point(point);
  if (is_meant("allreduce.symmetric"))
    for (const std::uint32_t rounds : {4u, 10u, 14u, 19u}) time_symmetric("ntw24e5", 24, rounds);
  return 0;
}
