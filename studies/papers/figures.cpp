// SPDX-License-Identifier: BSD-3-Clause
// One function per kind of figure.
#include "papers/figures.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "papers/fitted.hpp"
#include "papers/levels.hpp"
#include "papers/messages.hpp"
#include "papers/parameters.hpp"
#include "papers/simulated.hpp"

namespace terrace::papers {

using namespace model::hpdc13;

namespace {

constexpr const char* kBytes = "bytes";
constexpr const char* kMicroseconds = "microseconds";
constexpr const char* kFactor = "times faster by levels";

std::vector<double> powers_of_2(double from, double to) {
  std::vector<double> values;
  for (double value = from; value <= to; value *= 2) values.push_back(value);
  return values;
}

template <class Time>
Curve curve(std::string name, const std::vector<double>& x, Time time, bool is_dashed = false) {
  Curve curve{std::move(name), x, {}, is_dashed};
  for (const double value : x) curve.y.push_back(time(value));
  return curve;
}

Curve simulated(const PlayStage& stage, const std::string& name, const std::string& algorithm,
                std::uint32_t radix) {
  const PlayedTime plan = played(stage, algorithm, radix);
  return curve(name, powers_of_2(kLine, 4096 * kKiB), [&](double bytes) {
    return simulated_time(stage.machine, stage, plan, bytes) / 1000;
  });
}

using Equation = double (*)(const Costs&, Threads, double);

Curve equation(const PaperNode& node, const std::string& name, Equation time, bool is_dashed) {
  const Costs c = parameters_in_the_middle(node);
  return curve(
      name, powers_of_2(kLine, 512 * kKiB),
      [&](double bytes) { return time(c, node.threads, bytes / kLine) / 1000; }, is_dashed);
}

std::vector<std::uint32_t> radixes(const PaperNode& node) {
  return node.threads.q == 8 ? std::vector<std::uint32_t>{2, 3, 4, 8}
                             : std::vector<std::uint32_t>{2, 3, 6};
}

void add_trees(const PlayStage& stage, const std::string& algorithm, Figure& figure) {
  for (const std::uint32_t radix : radixes(*stage.node))
    figure.curves.push_back(
        simulated(stage, std::to_string(radix) + "-ary tree", algorithm, radix));
}

Figure broadcasts(const char* name, const char* number, const PlayStage& stage) {
  Figure figure{name,
                std::string("HPDC'13 Figure ") + number + ": broadcast on " + stage.node->name +
                    ", our plans simulated; dashed: equation (4)",
                kBytes,
                kMicroseconds,
                {}};
  add_trees(stage, "bcast.tree", figure);
  figure.curves.push_back(simulated(stage, "one stage", "bcast.flat", 2));
  figure.curves.push_back(simulated(stage, "two stages", "bcast.staged", 2));
  figure.curves.push_back(equation(*stage.node, "one stage, (4)", one_stage_broadcast, true));
  figure.curves.push_back(equation(*stage.node, "two stages, (4)", two_stage_broadcast, true));
  return figure;
}

Figure reductions(const PlayStage& stage) {
  Figure figure{"hpdc13-12",
                "HPDC'13 Figure 12: reduction trees on Magny-Cours, our plans simulated",
                kBytes,
                kMicroseconds,
                {}};
  add_trees(stage, "reduce.tree", figure);
  return figure;
}

Figure tiles(const PlayStage& stage) {
  const PaperNode& node = *stage.node;
  return {"hpdc13-13",
          "HPDC'13 Figure 13: tiles on Magny-Cours, the paper's plans simulated; dashed: equations",
          kBytes,
          kMicroseconds,
          {simulated(stage, "naive", "reduce.tiled_naive", 2),
           simulated(stage, "cyclic", "reduce.tiled_cyclic", 2),
           simulated(stage, "hierarchical", "reduce.tiled_tree", 2),
           equation(node, "naive", naive_tiles, true), equation(node, "cyclic", cyclic_tiles, true),
           equation(node, "hierarchical, (10)", equation_10, true)}};
}

Figure allreduces(const PlayStage& stage) {
  const PaperNode& node = *stage.node;
  return {
      "hpdc13-14",
      "HPDC'13 Figure 14: allreduce on Westmere, the paper's plans simulated; dashed: equations",
      kBytes,
      kMicroseconds,
      {simulated(stage, "tree", "allreduce.tree", 2),
       simulated(stage, "tiles", "allreduce.tiled_tree", 2),
       simulated(stage, "dissemination", "allreduce.dissemination", 2),
       equation(node, "tree, (5)", tree_allreduce, true),
       equation(node, "tiles, (11)", tiled_allreduce, true),
       equation(node, "dissemination, (7)", dissemination_allreduce, true)}};
}

/// What a reader finds by size: in the owner's caches, in its last one, in memory.
Figure latencies(const PlayStage& stage) {
  const model::MachineModel& machine = stage.machine;
  Figure figure{"hpdc13-15",
                "HPDC'13 Figure 15: reading modified lines on Westmere, as the machine file has it",
                "bytes read",
                "ns per line",
                {}};
  const std::vector<double> sizes = powers_of_2(kKiB, 65'536 * kKiB);
  figure.curves.push_back(curve("own", sizes, [&](double bytes) {
    for (const model::Cache& cache : machine.caches)
      if (bytes <= cache.bytes) return cache.latency;
    return machine.memory.latency;
  }));
  for (const std::size_t distance : {1u, 2u}) {
    const model::Distance& other = machine.distances[distance];
    figure.curves.push_back(
        curve(distance == 1 ? "same socket" : "other socket", sizes, [&](double bytes) {
          if (bytes <= machine.caches[1].bytes) return other.modified;
          return bytes <= machine.caches.back().bytes ? other.shared : other.memory;
        }));
  }
  return figure;
}

/// The parameters in the middle of the box, B_alpha fitted to the printed crossover, and our plans
/// simulated with them.
Figure selection(PlayStage stage) {
  const PaperNode& node = *stage.node;
  Costs c = parameters_in_the_middle(node);
  c.B_alpha = fitted_B_alpha(c, node.threads.q, 256, beyond_tiles_on_westmere).value_or(c.B_alpha);
  const std::vector<double> point = {c.b_alpha, c.b_beta / c.b_alpha, c.B_alpha / c.b_alpha,
                                     c.B_beta / c.b_beta, 4};
  stage.machine = machine_at(stage, point);
  const std::vector<double> sizes = powers_of_2(kLine, 512 * kKiB);
  const auto of = [&](const char* name, auto time) {
    return curve(
        name, sizes, [&](double bytes) { return time(bytes / kLine) / 1000; }, true);
  };
  return {"hpdc13-18-19",
          "HPDC'13 Figures 18, 19: tree and tiles on Westmere, crossing fitted to 16 KB; dashed: "
          "equations",
          kBytes,
          kMicroseconds,
          {of("tree, as unfolded", [&](double m) { return tree_on_westmere(c, m); }),
           of("tiles, (11)",
              [&](double m) { return tree_on_westmere(c, m) - beyond_tiles_on_westmere(c, m); }),
           simulated(stage, "tree, simulated", "allreduce.tree", 2),
           simulated(stage, "tiles, simulated", "allreduce.tiled", 2)}};
}

std::vector<double> message_sizes() {
  std::vector<double> sizes;
  for (double bytes = 4; bytes <= 4096 * kKiB; bytes *= 4) sizes.push_back(bytes);
  return sizes;
}

/// ns by the simulator with the numbers of the machine file, values whole, copied in and out.
double simulated_time(const PaperJob& job, const PaperProgram& program, double bytes) {
  const std::vector<double> middle = point_in_the_middle();
  return time_by(ModelClock::simulated, machine_at(job, middle), job, program, manner_at(middle),
                 bytes);
}

Figure gains(int number, const PaperJob& job, std::span<const PaperAlgorithm> algorithms,
             bool combines) {
  const Platform& platform = *job.platform;
  MessageCosts costs = costs_in_the_middle(platform);
  if (combines)
    for (double& beta : costs.beta) beta += costs.combine;
  const auto parts = programs_of(platform);
  const Numbering numbering{parts ? parts.value() : std::vector<std::uint32_t>{1}};
  Figure figure{"parco18-" + std::to_string(number),
                "ParCo'18 Figure " + std::to_string(number) + ": " +
                    (combines ? "reduction" : "broadcast") + " on " + platform.name +
                    ", plans simulated; dashed: counts of messages",
                kBytes,
                kFactor,
                {}};
  const std::vector<std::string>& names = combines ? reduction_names() : broadcast_names();
  for (std::size_t i = 0; i < algorithms.size(); ++i) {
    const PaperProgram flat = program_of(job, names[i]);
    const PaperProgram by_level = program_of(job, names[i] + "_by_level");
    figure.curves.push_back(curve(name_of(algorithms[i]), message_sizes(), [&](double bytes) {
      return simulated_time(job, flat, bytes) / simulated_time(job, by_level, bytes);
    }));
  }
  for (const PaperAlgorithm algorithm : algorithms)
    figure.curves.push_back(curve(
        name_of(algorithm), message_sizes(),
        [&](double bytes) { return gain(algorithm, numbering, costs, bytes); }, true));
  return figure;
}

Figure matrices(int number, const PaperJob& job) {
  std::vector<double> groups;
  for (std::uint32_t count = 1; count < row_of(job.hierarchy.rank_count()); count *= 2)
    groups.push_back(count);
  const auto time = [&](std::optional<std::uint32_t> count) {
    return simulated_time(job, program_of(matrix_plan(job, count)), kMatrixBlock) / 1000;
  };
  const double by_levels = time(std::nullopt);
  return {"parco18-" + std::to_string(number),
          "ParCo'18 Figure " + std::to_string(number) + ": blocks of 8 doubles along rows and " +
              "columns of " + job.platform->name + ", simulated (1 group: simple)",
          "groups that a row or column is divided into by hand",
          kMicroseconds,
          {curve("groups by hand", groups,
                 [&](double count) { return time(static_cast<std::uint32_t>(count)); }),
           curve("the machine's levels", groups, [&](double) { return by_levels; })}};
}

Figure vectors(const PaperJob& job) {
  Figure figure{
      "parco18-14",
      "ParCo'18 Figure 14: vectors on NTW24E5, ranks placed node by node in turn, simulated",
      kBytes,
      kMicroseconds,
      {}};
  const auto add = [&](std::string name, std::span<const std::uint32_t> sizes) {
    const PaperProgram program = program_of(vector_plan(job, sizes));
    figure.curves.push_back(curve(std::move(name), message_sizes(), [&](double bytes) {
      return simulated_time(job, program, bytes) / 1000;
    }));
  };
  add("the machine's levels", {});
  for (const std::vector<std::uint32_t>& sizes : manual_levels()) {
    std::string name = "by hand";
    for (const std::uint32_t size : sizes) name += " " + std::to_string(size);
    add(std::move(name), sizes);
  }
  return figure;
}

}  // namespace

Result<std::vector<Figure>> figures() {
  auto small = stage_of(westmere(), "westmere-x5650");
  if (!small) return small.error();
  auto large = stage_of(magny_cours(), "magny-cours-6100");
  if (!large) return large.error();
  const PlayStage &w = small.value(), &m = large.value();
  std::vector<Figure> all = {broadcasts("hpdc13-10", "10", w),
                             broadcasts("hpdc13-11", "11", m),
                             reductions(m),
                             tiles(m),
                             allreduces(w),
                             latencies(w),
                             selection(w)};
  std::vector<PaperJob> jobs;
  for (const std::size_t platform : {2u, 1u, 0u}) {  // in the paper's order
    auto job = job_on(platforms()[platform]);
    if (!job) return job.error();
    jobs.push_back(std::move(job).value());
  }
  auto of_vectors = job_on(platforms()[3], RankPlacement::node_by_node);
  if (!of_vectors) return of_vectors.error();
  int number = 5;
  for (const PaperJob& job : jobs) all.push_back(gains(number++, job, kBroadcasts, false));
  for (const PaperJob& job : jobs) all.push_back(gains(number++, job, kReductions, true));
  for (const PaperJob& job : jobs) all.push_back(matrices(number++, job));
  all.push_back(vectors(of_vectors.value()));
  return all;
}

}  // namespace terrace::papers
