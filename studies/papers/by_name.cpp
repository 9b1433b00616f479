// SPDX-License-Identifier: BSD-3-Clause
// Times plans by name in two ways, at each point of a box.
#include "papers/by_name.hpp"

#include <algorithm>

namespace terrace::papers {
namespace {

/// A part of a claim.
struct Aspect {
  const char* name;
  bool (*holds)(const TimeTable&);
  bool is_told_by_length = false;
};

/// Plans, lengths, what is claimed of them, and its parts.
struct ShapeQuestion {
  std::vector<std::string> algorithms;
  std::vector<double> bytes;
  bool (*holds)(const TimeTable&);
  std::vector<Aspect> aspects;
};

/// At how many points things hold.
struct Tally {
  BoxShare share;
  std::vector<std::size_t> aspects;                 ///< at all lengths
  std::vector<std::vector<std::size_t>> by_length;  ///< [aspect][length]
};

void count(const ShapeQuestion& question, const TimeTable& times, Tally& tally) {
  for (std::size_t i = 0; i < question.aspects.size(); ++i) {
    const Aspect& aspect = question.aspects[i];
    tally.aspects[i] += aspect.holds(times) ? 1 : 0;
    for (std::size_t length = 0; length < times.size(); ++length)
      tally.by_length[i][length] += aspect.holds({times[length]}) ? 1 : 0;
  }
}

Tally tally_of(const ShapeQuestion& question, const PlayStage& stage, ModelClock clock) {
  std::vector<PlayedTime> plans;
  for (const std::string& algorithm : question.algorithms)
    plans.push_back(played(stage, algorithm));
  const std::size_t aspects = question.aspects.size(), lengths = question.bytes.size();
  Tally tally{{},
              std::vector<std::size_t>(aspects, 0),
              std::vector<std::vector<std::size_t>>(aspects, std::vector<std::size_t>(lengths, 0))};
  tally.share = share_of(
      simulated_box(*stage.node),
      [&](FactorPoint point) {
        const model::MachineModel machine = machine_at(stage, point);
        TimeTable times;
        for (const double bytes : question.bytes) {
          times.emplace_back();
          for (const PlayedTime& plan : plans)
            times.back().push_back(time_by(clock, machine, stage, plan, bytes));
        }
        count(question, times, tally);
        return question.holds(times);
      },
      kPlayedPoints);
  return tally;
}

std::string percent_of(std::size_t holds, const Tally& tally) {
  return percent_text(static_cast<double>(holds) / static_cast<double>(tally.share.of));
}

/// "cyclic not slower than naive 90 % (8 KiB 95 %, 64 KiB 90 %)"
std::string aspect_text(const ShapeQuestion& question, const Tally& tally, std::size_t i) {
  std::string text =
      std::string(question.aspects[i].name) + " " + percent_of(tally.aspects[i], tally);
  if (!question.aspects[i].is_told_by_length) return text;
  for (std::size_t length = 0; length < question.bytes.size(); ++length)
    text += (length == 0 ? " (" : ", ") + bytes_text(question.bytes[length]) + " " +
            percent_of(tally.by_length[i][length], tally);
  return text + ")";
}

/// "3 % of the box; cyclic not slower than naive 90 %, ..."
std::string text_of(const ShapeQuestion& question, const PaperNode& node, const Tally& tally) {
  std::string text =
      std::string(node.name) + " " + papers::text_of(tally.share, simulated_box(node));
  for (std::size_t i = 0; i < tally.aspects.size(); ++i)
    text += (i == 0 ? "; " : ", ") + aspect_text(question, tally, i);
  return text;
}

/// On both nodes and by both clocks: the smallest share counts.
ClaimAnswer answer_to(const ShapeQuestion& question) {
  std::string text, box;
  double smallest = 1;
  for (const ModelClock clock : {ModelClock::simulated, ModelClock::costed}) {
    text += (text.empty() ? "" : ". ") + std::string(name_of(clock)) + ": ";
    for (const PaperNode* node : {&westmere(), &magny_cours()}) {
      const Result<PlayStage> stage = stage_of(*node, file_of(*node));
      if (!stage) return not_found(stage.error());
      const Tally counted = tally_of(question, stage.value(), clock);
      smallest = std::min(smallest, counted.share.fraction());
      text += (node == &westmere() ? "" : ". ") + text_of(question, *node, counted);
      if (clock == ModelClock::simulated)
        box += (box.empty() ? "" : ". ") + simulated_box_text(*node);
    }
  }
  return {smallest >= kMostOfTheBox ? ClaimVerdict::holds_in_box : ClaimVerdict::not_reproduced,
          text, smallest, box};
}

}  // namespace

const char* name_of(ModelClock clock) {
  return clock == ModelClock::simulated ? "simulated" : "costed";
}

double time_by(ModelClock clock, const model::MachineModel& machine, const PlayStage& stage,
               const PlayedTime& plan, double bytes) {
  return clock == ModelClock::simulated ? simulated_time(machine, stage, plan, bytes)
                                        : costed_time(machine, stage, plan, bytes);
}

bool cyclic_is_not_slower(const TimeTable& times) {
  constexpr double kAlike = 1.001;
  return std::ranges::all_of(times, [](const auto& at) { return at[1] <= at[0] * kAlike; });
}

bool hierarchical_is_faster(const TimeTable& times) {
  return std::ranges::all_of(times, [](const auto& at) { return at[2] < at[1]; });
}

bool second_gain_is_larger(const TimeTable& times) {
  return std::ranges::all_of(times, [](const auto& at) { return at[0] / at[1] < at[1] / at[2]; });
}

bool tiles_are_ordered(const TimeTable& times) {
  return cyclic_is_not_slower(times) && hierarchical_is_faster(times) &&
         second_gain_is_larger(times);
}

bool dissemination_loses_to_tree(const TimeTable& times) {
  return std::ranges::all_of(times, [](const auto& at) { return at[2] > at[0]; });
}

bool dissemination_crosses_tiles(const TimeTable& times) {
  return times.front()[2] < times.front()[1] && times.back()[2] > times.back()[1];
}

bool dissemination_loses(const TimeTable& times) {
  return dissemination_loses_to_tree(times) && dissemination_crosses_tiles(times);
}

ClaimAnswer order_of_tiles_by_name() {
  return answer_to({{"reduce.tiled_naive", "reduce.tiled_cyclic", "reduce.tiled_tree"},
                    {8 * kKiB, 64 * kKiB, 768 * kKiB},
                    tiles_are_ordered,
                    {{"cyclic not slower than naive", cyclic_is_not_slower},
                     {"hierarchical faster than cyclic", hierarchical_is_faster, true},
                     {"the second gain larger", second_gain_is_larger}}});
}

ClaimAnswer worst_of_three_by_name() {
  return answer_to(
      {{"allreduce.tree", "allreduce.tiled_tree", "allreduce.dissemination"},
       {64, 4 * kKiB, 64 * kKiB, 768 * kKiB},
       dissemination_loses,
       {{"slower than the tree", dissemination_loses_to_tree, true},
        {"faster than tiles with one line, slower at 768 KiB", dissemination_crosses_tiles}}});
}

}  // namespace terrace::papers
