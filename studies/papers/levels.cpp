// SPDX-License-Identifier: BSD-3-Clause
// Compares plans by level with plans over all ranks.
#include "papers/levels.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cctype>
#include <cmath>
#include <map>
#include <thread>
#include <utility>

#include "collectives/rank_trees.hpp"
#include "machine_files/read_machine_model.hpp"
#include "model/cost.hpp"
#include "plan/lower.hpp"
#include "simulate/simulate.hpp"

namespace terrace::papers {
namespace {

/// Few: each point is some hundred simulations of up to 576 ranks.
constexpr std::size_t kLevelPoints = 12;
/// Each so-many-th point of the sequence: neighbours lie close together along the last of 8 axes.
constexpr std::size_t kLeap = 31;
const std::vector<double> kLevelBytes = {4, 64 * kKiB, 1024 * kKiB};
/// The payload of two lines that travel together with their flag.
constexpr double kBytesInLines = 112;
constexpr double kNearPrinted = 1.25;

/// Distances of the machine files: the own core, a package's, and what lies beyond.
constexpr std::size_t kBeyondPackage = 2;

std::string file_of(const Platform& platform) {
  std::string name = platform.name;
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
  return name;
}

/// Rank r where rank (r mod nodes) * cores + r / nodes was.
std::vector<Locality> node_by_node(const std::vector<Locality>& along, std::uint32_t nodes) {
  const auto cores = static_cast<Rank>(along.size() / nodes);
  std::vector<Locality> placed;
  for (Rank rank = 0; rank < along.size(); ++rank)
    placed.push_back(along[rank % nodes * cores + rank / nodes]);
  return placed;
}

PaperProgram::Lowered lowered(Plan plan) {
  std::vector<RankProgram> parts = programs_of(plan);
  return {std::move(plan), std::move(parts)};
}

/// Runs of neighbours, as even as sizes allow; each is a child.
Group in_runs(std::uint32_t members, std::uint32_t runs) {
  Group all{"manual", 0, {}, {}};
  for (Rank i = 0; i < members; ++i) all.ranks.push_back(i);
  if (runs < 2) return all;
  for (std::uint32_t run = 0; run < runs; ++run) {
    Group child{"manual", run, {}, {}};
    for (Rank i = members * run / runs; i < members * (run + 1) / runs; ++i)
      child.ranks.push_back(i);
    all.children.push_back(std::move(child));
  }
  return all;
}

/// Sizes from the outermost level in, which multiply up to the group's ranks.
Group of_sizes(std::span<const std::uint32_t> sizes, Rank first, std::uint32_t count) {
  Group group{"manual", first, {}, {}};
  for (Rank i = 0; i < count; ++i) group.ranks.push_back(first + i);
  if (sizes.size() < 2) return group;
  const std::uint32_t part = count / sizes.front();
  for (std::uint32_t i = 0; i < sizes.front(); ++i)
    group.children.push_back(of_sizes(sizes.subspan(1), first + i * part, part));
  return group;
}

/// One block from the first of `members` to all, by a binary tree at each level of `group`, whose
/// ranks are positions in `members`.
class BlockBroadcast {
 public:
  BlockBroadcast(PlanBuilder& plan, std::vector<Rank> members, std::uint32_t block)
      : plan_(plan), members_(std::move(members)), block_(block) {}

  void by_level(const Group& group, Rank holder) {
    const std::vector<Rank> heads = heads_from(group, holder);
    const auto children = children_in(RankTree::binary, static_cast<std::uint32_t>(heads.size()));
    for (std::size_t parent = 0; parent < heads.size(); ++parent)
      for (const std::uint32_t child : children[parent])
        hand(plan_, value_of(heads[parent]), value_of(heads[child]));
    const std::vector<Rank> holders = heads_of(group, holder);
    for (std::size_t i = 0; i < group.children.size(); ++i) by_level(group.children[i], holders[i]);
  }

 private:
  Region value_of(Rank position) const {
    const Rank rank = members_[position];
    return position == 0 ? input(rank, block_) : output(rank, block_);
  }

  PlanBuilder& plan_;
  std::vector<Rank> members_;
  std::uint32_t block_;
};

/// Values climb the groups; a rank that gathers keeps each in a block of its own, and adds them up.
class Gathers {
 public:
  explicit Gathers(PlanBuilder& plan) : plan_(plan) {}

  Region climb(const Group& group) {
    std::vector<Region> values;
    if (group.children.empty())
      for (const Rank rank : group.ranks) values.push_back(input(rank));
    for (const Group& child : group.children) values.push_back(climb(child));
    if (values.size() == 1) return values.front();
    const Rank root = group.leader();
    for (std::size_t i = 1; i < values.size(); ++i) {
      const Region gathered = fresh(root);
      hand(plan_, values[i], gathered);
      values[i] = gathered;
    }
    const Region sum = fresh(root);
    plan_.reduce(root, values, {sum});
    return sum;
  }

 private:
  Region fresh(Rank rank) { return scratch(rank, blocks_[rank]++); }

  PlanBuilder& plan_;
  std::map<Rank, std::uint32_t> blocks_;
};

/// An algorithm over all ranks and by level.
struct Pair {
  std::string name;
  PaperProgram flat, by_level;
};

std::vector<Pair> pairs_on(const PaperJob& job, const std::vector<std::string>& algorithms) {
  std::vector<Pair> pairs;
  for (const std::string& name : algorithms)
    pairs.push_back({name, program_of(job, name), program_of(job, name + "_by_level")});
  return pairs;
}

/// Jobs on NTW10E5, SMP20E7 and SMP12E5, in the paper's order.
Result<std::vector<PaperJob>> jobs() {
  std::vector<PaperJob> all;
  for (const std::size_t platform : {2u, 1u, 0u}) {
    auto job = job_on(platforms()[platform]);
    if (!job) return job.error();
    all.push_back(std::move(job).value());
  }
  return all;
}

/// Points of the box side by side on the cores there are; each answer at its point's place.
template <class ClaimAnswer, class Ask>
std::vector<ClaimAnswer> at_points(std::size_t count, Ask ask) {
  std::vector<ClaimAnswer> answers(count);
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < count; i = next++)
      answers[i] = ask(level_box().point(i * kLeap));
  };
  std::vector<std::jthread> helpers;
  for (unsigned i = 1; i < std::min(std::thread::hardware_concurrency(), 8u); ++i)
    helpers.emplace_back(work);
  work();
  helpers.clear();
  return answers;
}

constexpr ModelClock kClocks[] = {ModelClock::simulated, ModelClock::costed};

double share_near(const std::vector<double>& factors, double printed) {
  const auto near = std::ranges::count_if(factors, [&](double factor) {
    return factor < printed * kNearPrinted && factor > printed / kNearPrinted;
  });
  return static_cast<double>(near) / static_cast<double>(factors.size());
}

double median(std::vector<double> factors) {
  std::ranges::sort(factors);
  return factors[factors.size() / 2];
}

std::string spread_text(std::vector<double> factors) {
  std::ranges::sort(factors);
  return number_text(factors.front(), 1) + " to " + number_text(factors.back(), 1) + ", median " +
         number_text(factors[factors.size() / 2], 1);
}

std::string box_text(std::size_t points = kLevelPoints) {
  return level_box().text() + ", all else as in the platforms' machine files; " +
         std::to_string(points) + " points";
}

/// By clock.
using Factors = std::array<std::vector<double>, 2>;

std::vector<double>& of(Factors& factors, ModelClock clock) {
  return factors[static_cast<std::size_t>(clock)];
}

/// At every point; `factor` of (clock, machine, manner).
template <class Factor>
Factors factors_on(const PaperJob& job, Factor factor, std::size_t points = kLevelPoints) {
  const auto answers =
      at_points<std::array<double, 2>>(points, [&](const std::vector<double>& point) {
        const model::MachineModel machine = machine_at(job, point);
        std::array<double, 2> both{};
        for (const ModelClock clock : kClocks)
          both[static_cast<std::size_t>(clock)] = factor(clock, machine, manner_at(point));
        return both;
      });
  Factors factors;
  for (const auto& both : answers)
    for (const ModelClock clock : kClocks)
      of(factors, clock).push_back(both[static_cast<std::size_t>(clock)]);
  return factors;
}

/// "NTW10E5 (printed 21) simulated 9.0 to 21.0, median 15.0, within a quarter of it in 12 %, ..."
ClaimAnswer judge(const std::vector<PaperJob>& all, std::span<const double> printed,
                  const std::vector<Factors>& factors) {
  std::string text;
  double smallest = 1;
  for (std::size_t i = 0; i < all.size(); ++i) {
    text += (text.empty() ? "" : "; ") + std::string(all[i].platform->name) + " (printed " +
            number_text(printed[i]) + ")";
    for (const ModelClock clock : kClocks) {
      const std::vector<double>& values = factors[i][static_cast<std::size_t>(clock)];
      const double share = share_near(values, printed[i]);
      smallest = std::min(smallest, share);
      text += (clock == kClocks[0] ? " " : ", ") + std::string(name_of(clock)) + " " +
              spread_text(values) + ", within a quarter of it in " + percent_text(share);
    }
  }
  return {smallest >= kMostOfTheBox ? ClaimVerdict::holds_in_box : ClaimVerdict::not_reproduced,
          text, smallest, box_text()};
}

/// The largest factor over lengths.
double most_gained(ModelClock clock, const model::MachineModel& machine, const PaperJob& job,
                   const Pair& pair, Manner manner) {
  double most = 0;
  for (const double bytes : kLevelBytes)
    most = std::max(most, time_by(clock, machine, job, pair.flat, manner, bytes) /
                              time_by(clock, machine, job, pair.by_level, manner, bytes));
  return most;
}

/// [job][algorithm]
using Gains = std::vector<std::vector<Factors>>;

Gains gains_of(const std::vector<PaperJob>& all, const std::vector<std::string>& algorithms) {
  Gains gains;
  for (const PaperJob& job : all) {
    gains.emplace_back();
    for (const Pair& pair : pairs_on(job, algorithms))
      gains.back().push_back(
          factors_on(job, [&](ModelClock clock, const model::MachineModel& machine, Manner manner) {
            return most_gained(clock, machine, job, pair, manner);
          }));
  }
  return gains;
}

/// Two claims are about the same reductions.
const Gains& gains_of_reductions(const std::vector<PaperJob>& all) {
  static const Gains gains = gains_of(all, reduction_names());
  return gains;
}

Factors largest(const std::vector<Factors>& algorithms) {
  Factors most = algorithms.front();
  for (const Factors& one : algorithms)
    for (std::size_t clock = 0; clock < one.size(); ++clock)
      for (std::size_t i = 0; i < one[clock].size(); ++i)
        most[clock][i] = std::max(most[clock][i], one[clock][i]);
  return most;
}

ClaimAnswer judge_largest(const std::vector<PaperJob>& all, std::span<const double> printed,
                          const Gains& gains) {
  std::vector<Factors> factors;
  for (const std::vector<Factors>& on_job : gains) factors.push_back(largest(on_job));
  return judge(all, printed, factors);
}

/// At how many points each of the first three gains more than any of the others.
double share_of_first_three(const std::vector<Factors>& algorithms, ModelClock clock) {
  std::size_t holds = 0;
  for (std::size_t point = 0; point < kLevelPoints; ++point) {
    const auto gain = [&](std::size_t i) {
      return algorithms[i][static_cast<std::size_t>(clock)][point];
    };
    holds += std::min({gain(0), gain(1), gain(2)}) > std::max({gain(3), gain(4), gain(5)}) ? 1 : 0;
  }
  return static_cast<double>(holds) / kLevelPoints;
}

/// Of the slowest manual levels over the machine's, the most over lengths; less than nothing if the
/// machine's are not the fastest at all of them.
double gain_of_vectors(ModelClock clock, const model::MachineModel& machine, const PaperJob& job,
                       const PaperProgram& levels, const std::vector<PaperProgram>& manual,
                       Manner manner) {
  double most = 0;
  bool is_best = true;
  for (const double bytes : kLevelBytes) {
    const double time = time_by(clock, machine, job, levels, manner, bytes);
    for (const PaperProgram& program : manual) {
      const double gain = time_by(clock, machine, job, program, manner, bytes) / time;
      most = std::max(most, gain);
      is_best = is_best && gain > 1;
    }
  }
  return is_best ? most : -most;
}

}  // namespace

const std::vector<std::string>& broadcast_names() {
  static const std::vector<std::string> names = {"bcast.linear",   "bcast.chain",
                                                 "bcast.pipeline", "bcast.split_binary",
                                                 "bcast.binary",   "bcast.binomial"};
  return names;
}

const std::vector<std::string>& reduction_names() {
  static const std::vector<std::string> names = {"reduce.linear",   "reduce.chain",
                                                 "reduce.pipeline", "reduce.binary",
                                                 "reduce.binomial", "reduce.in_order_binary"};
  return names;
}

Result<PaperJob> job_on(const Platform& platform, RankPlacement placement,
                        const std::string& file) {
  auto machine = model::read_machine_model(file.empty() ? file_of(platform) : file);
  if (!machine) return machine.error();
  auto ranks = model::localities_on(machine.value(), platform.cores);
  if (!ranks) return ranks.error();
  std::vector<Locality> placed = placement == RankPlacement::along_machine
                                     ? std::move(ranks).value()
                                     : node_by_node(ranks.value(), platform.nodes);
  Hierarchy hierarchy = hierarchy_of(placed);
  return PaperJob{&platform, std::move(machine).value(), std::move(placed), std::move(hierarchy)};
}

PaperProgram program_of(const Plan& written) {
  PaperProgram program;
  if (auto lines = lower(written, Lowering::lines))
    program.lines = lowered(std::move(lines).value());
  program.owner = lowered(lower(written, Lowering::owner).value());
  return program;
}

PaperProgram program_of(const PaperJob& job, const std::string& algorithm) {
  return program_of(find_algorithm(algorithm)->write({job.hierarchy, 0, 2}));
}

Plan matrix_plan(const PaperJob& job, std::optional<std::uint32_t> groups) {
  const std::uint32_t ranks = job.hierarchy.rank_count(), row = row_of(ranks);
  PlanBuilder plan = begin_across_nodes("bcast.matrix", job.hierarchy);
  const auto broadcast = [&](Rank first, Rank stride, std::uint32_t count, std::uint32_t block) {
    std::vector<Rank> members;
    for (std::uint32_t i = 0; i < count; ++i) members.push_back(first + i * stride);
    const Group group =
        groups ? in_runs(count, std::min(*groups, count)) : restrict_to(job.hierarchy, members).all;
    BlockBroadcast(plan, members, block).by_level(group, 0);
  };
  for (Rank first = 0; first < ranks; first += row) broadcast(first, 1, row, 0);
  for (Rank first = 0; first < row; ++first) broadcast(first, row, ranks / row, 1);
  return std::move(plan).build();
}

std::span<const std::vector<std::uint32_t>> manual_levels() {
  static const std::vector<std::uint32_t> levels[] = {
      {3, 4, 2, 3, 8}, {6, 2, 2, 3, 8}, {3, 2, 2, 8, 6}, {3, 2, 4, 6, 4}};
  return levels;
}

Plan vector_plan(const PaperJob& job, std::span<const std::uint32_t> sizes) {
  PlanBuilder plan = begin_across_nodes("gather.vectors", job.hierarchy);
  const Region sum = Gathers(plan).climb(
      sizes.empty() ? job.hierarchy.all : of_sizes(sizes, 0, job.hierarchy.rank_count()));
  plan.copy(sum.rank, sum, output(sum.rank));
  return std::move(plan).build();
}

const FactorBox& level_box() {
  static const FactorBox box{{{"what a step takes of a core (ns)", 10, 500, true},
                              {"latencies beyond a package, times the file's", 0.5, 2, true},
                              {"a line's time beyond a package, times the file's", 0.5, 2, true},
                              {"each further reader of a line (ns)", 0, 20, false},
                              {"L and o of a message, times the file's", 0.5, 2, true},
                              {"G of a message, times the file's", 0.5, 2, true},
                              {"read where it lies if > 0.5, else copied in and out", 0, 1, false},
                              {"pieces of 32 KiB if > 0.5, else whole", 0, 1, false}}};
  return box;
}

std::vector<double> point_in_the_middle() {
  return {70, 1, 1, 4, 1, 1, 0, 0};
}

model::MachineModel machine_at(const PaperJob& job, FactorPoint point) {
  model::MachineModel machine = job.machine;
  machine.core.step = point[0];
  for (std::size_t i = 1; i < machine.distances.size(); ++i) {
    model::Distance& distance = machine.distances[i];
    distance.further_reader = point[3];
    if (i < kBeyondPackage) continue;
    for (double* time : {&distance.modified, &distance.exclusive, &distance.shared,
                         &distance.ownership, &distance.memory, &distance.a})
      *time *= point[1];
    distance.b *= point[2];
    distance.B *= point[2];
  }
  for (model::NetworkLevel& network : machine.networks) {
    network.L *= point[4];
    network.o *= point[4];
    network.G *= point[5];
  }
  return machine;
}

Manner manner_at(FactorPoint point) {
  return {point[6] > 0.5, point[7] > 0.5 ? 32 * kKiB : 0};
}

double time_by(ModelClock clock, const model::MachineModel& machine, const PaperJob& job,
               const PaperProgram& program, Manner manner, double bytes) {
  const bool by_lines = program.lines && bytes <= kBytesInLines;
  const PaperProgram::Lowered& played = by_lines ? *program.lines : program.owner;
  if (clock == ModelClock::costed) {
    model::CostQuestion question;
    question.bytes = bytes;
    question.strip_bytes = manner.strip_bytes;
    question.is_direct = manner.is_direct;
    const auto cost = model::cost_of(played.plan, machine, job.ranks, question);
    return cost ? cost.value().total : std::nan("");
  }
  simulate::SimulationSetting setting;
  setting.element_bytes = 4;
  setting.element_count = static_cast<std::size_t>(bytes) / setting.element_bytes;
  setting.is_direct = manner.is_direct;
  setting.scratch_bytes = std::size_t{1} << 30;
  if (manner.strip_bytes > 0) setting.strip_bytes = static_cast<std::size_t>(manner.strip_bytes);
  setting.calls = 2;
  const auto outcome = simulate::simulate(machine, job.ranks, played.parts, setting);
  return outcome ? outcome.value().calls.back().most : std::nan("");
}

ClaimAnswer simulated_broadcasts_by_level() {
  constexpr double kPrinted[] = {21, 11, 22};
  const Result<std::vector<PaperJob>> all = jobs();
  if (!all) return not_found(all.error());
  return judge_largest(all.value(), kPrinted, gains_of(all.value(), broadcast_names()));
}

ClaimAnswer simulated_reductions_by_level() {
  constexpr double kPrinted[] = {39, 11, 8};
  const Result<std::vector<PaperJob>> all = jobs();
  if (!all) return not_found(all.error());
  return judge_largest(all.value(), kPrinted, gains_of_reductions(all.value()));
}

ClaimAnswer which_simulated_reductions_gain() {
  const Result<std::vector<PaperJob>> all = jobs();
  if (!all) return not_found(all.error());
  const Gains& gains = gains_of_reductions(all.value());
  std::string text;
  double smallest = 1;
  for (std::size_t i = 0; i < all.value().size(); ++i) {
    text += (text.empty() ? "" : "; ") + std::string(all.value()[i].platform->name);
    for (const ModelClock clock : kClocks) {
      const double share = share_of_first_three(gains[i], clock);
      smallest = std::min(smallest, share);
      text += (clock == kClocks[0] ? " " : ", ") + std::string(name_of(clock)) + " " +
              percent_text(share) + " of the box";
    }
    text += ", medians";
    for (std::size_t algorithm = 0; algorithm < reduction_names().size(); ++algorithm)
      text += (algorithm == 0 ? " " : ", ") + reduction_names()[algorithm].substr(7) + " " +
              number_text(median(gains[i][algorithm][0]), 1);
  }
  return {smallest >= kMostOfTheBox ? ClaimVerdict::holds_in_box : ClaimVerdict::not_reproduced,
          text, smallest, box_text()};
}

ClaimAnswer simulated_matrix_multiplication() {
  constexpr double kPrinted[] = {12, 5, 6};
  const Result<std::vector<PaperJob>> all = jobs();
  if (!all) return not_found(all.error());
  std::vector<Factors> factors;
  for (const PaperJob& job : all.value()) {
    const PaperProgram simple = program_of(matrix_plan(job, 1));
    const PaperProgram by_levels = program_of(matrix_plan(job, std::nullopt));
    factors.push_back(
        factors_on(job, [&](ModelClock clock, const model::MachineModel& machine, Manner manner) {
          return time_by(clock, machine, job, simple, manner, kMatrixBlock) /
                 time_by(clock, machine, job, by_levels, manner, kMatrixBlock);
        }));
  }
  return judge(all.value(), kPrinted, factors);
}

ClaimAnswer simulated_vector_processing() {
  constexpr double kPrinted = 10;
  std::string text;
  double smallest = 1;
  for (const RankPlacement placement :
       {RankPlacement::along_machine, RankPlacement::node_by_node}) {
    const Result<PaperJob> found = job_on(platforms()[3], placement);
    if (!found) return not_found(found.error());
    const PaperJob& job = found.value();
    const PaperProgram levels = program_of(vector_plan(job, {}));
    std::vector<PaperProgram> manual;
    for (const auto& sizes : manual_levels()) manual.push_back(program_of(vector_plan(job, sizes)));
    Factors factors = factors_on(
        job,
        [&](ModelClock clock, const model::MachineModel& machine, Manner manner) {
          return gain_of_vectors(clock, machine, job, levels, manual, manner);
        },
        kLevelPoints);
    text += (text.empty() ? "" : "; ") + std::string(placement == RankPlacement::along_machine
                                                         ? "ranks placed along the machine"
                                                         : "ranks placed node by node in turn");
    for (const ModelClock clock : kClocks) {
      std::vector<double>& gains = of(factors, clock);
      const auto best = std::ranges::count_if(gains, [](double gain) { return gain > 0; });
      for (double& gain : gains) gain = std::abs(gain);
      const double share = share_near(gains, kPrinted);
      smallest = std::min(smallest, share);
      text += (clock == kClocks[0] ? ": " : ", ") + std::string(name_of(clock)) + " " +
              spread_text(gains) +
              " times faster than the slowest manual levels, within a quarter of 10 in " +
              percent_text(share) + " of the box, faster than all four at all lengths in " +
              percent_text(static_cast<double>(best) / kLevelPoints);
    }
  }
  return {smallest >= kMostOfTheBox ? ClaimVerdict::holds_in_box : ClaimVerdict::not_reproduced,
          text, smallest, box_text(kLevelPoints)};
}

}  // namespace terrace::papers
