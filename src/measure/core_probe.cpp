// SPDX-License-Identifier: BSD-3-Clause
// One thread plays both ranks of a broadcast of a line: first the root's calls, as many as lines
// may be in flight, then the other's. A one-rank plan with more steps gives the time of a step.
#include "measure/core_probe.hpp"

#include <algorithm>
#include <cstring>
#include <memory>

#include "base/cache_aligned.hpp"
#include "base/ticks.hpp"
#include "collectives/collectives.hpp"
#include "execute/run.hpp"
#include "kernels/kernels.hpp"
#include "measure/median.hpp"
#include "plan/lower.hpp"
#include "plan/plan.hpp"

namespace terrace::measure {

namespace {

constexpr int kCallsInARow = 8;
constexpr std::uint32_t kManySteps = 17;
/// Length of the copies that are timed together: a reading of the clock takes as long as the copy
/// of a hundred lines.
constexpr std::size_t kBytesInARow = 128 * 1024;

/// Ranks without threads of their own.
class PassiveRanks {
 public:
  PassiveRanks(const Plan& plan, std::size_t count)
      : parts_(programs_of(plan)), memory_(plan.ranks, 4096), input_(count, 1), output_(count) {
    call_.input = input_.data();
    call_.output = output_.data();
    call_.element_count = call_.block_elements = call_.strip_elements = count;
    call_.element_bytes = sizeof(double);
    call_.reduction = find_reduction(Type::float64, Operator::sum);
    for (Rank rank = 0; rank < plan.ranks; ++rank) {
      prepare(memory_.memory().ranks[rank], 0);
      members_.push_back(std::make_unique<EndpointState>(memory_.memory(), rank));
      cuts_.emplace_back();
      segment(parts_[rank], call_, cuts_.back());
    }
  }

  /// Each of a row of calls.
  double time(Rank rank) {
    const std::uint64_t begin = ticks();
    for (int i = 0; i < kCallsInARow; ++i) {
      Run run(*members_[rank], parts_[rank], call_, cuts_[rank]);
      run.advance();
    }
    return ns_since(begin) / kCallsInARow;
  }

 private:
  std::vector<RankProgram> parts_;
  ThreadMemory memory_;
  std::vector<double> input_, output_;
  Call call_;
  std::vector<std::unique_ptr<EndpointState>> members_;
  std::vector<Segmentation> cuts_;
};

Plan own_copies(std::uint32_t steps) {
  PlanBuilder plan("steps", 1);
  for (std::uint32_t i = 0; i < steps; ++i) plan.copy(0, input(0), output(0));
  return lower(std::move(plan).build(), Lowering::lines).value();
}

Plan broadcast() {
  const Hierarchy pair = flat_hierarchy(2);
  return lower(find_algorithm("bcast.flat")->write({pair, 0, 2}), Lowering::lines).value();
}

/// A line of one more operand, less the storing.
double measure_combining(int repeats) {
  constexpr std::size_t kBytes = 4096;
  CacheAlignedVector<std::byte> room(3 * kBytes);
  const Reduction sum = find_reduction(Type::float64, Operator::sum);
  const void* const operands[] = {&room[0], &room[kBytes]};
  void* const target = &room[2 * kBytes];
  std::vector<double> sums, copies;
  for (int i = 0; i < repeats; ++i) {
    std::uint64_t begin = ticks();
    for (int k = 0; k < kCallsInARow; ++k)
      sum(operands, 2, &target, 1, kBytes / sizeof(double), Stores::cached);
    sums.push_back(ns_since(begin));
    begin = ticks();
    for (int k = 0; k < kCallsInARow; ++k)
      copy_to_all(&room[0], &target, 1, kBytes, Stores::cached);
    copies.push_back(ns_since(begin));
  }
  return std::max(0.0, median(sums) - median(copies)) / kCallsInARow / (kBytes / kLineBytes);
}

}  // namespace

model::Core measure_core(int repeats) {
  PassiveRanks one(own_copies(1), 1), many(own_copies(kManySteps), 1), pair(broadcast(), 1);
  std::vector<double> one_step, many_steps, sender, receiver;
  for (int i = 0; i < repeats; ++i) {
    one_step.push_back(one.time(0));
    many_steps.push_back(many.time(0));
    sender.push_back(pair.time(0));
    receiver.push_back(pair.time(1));
  }
  model::Core core;
  const double first = median(one_step);
  core.step = std::max(0.0, median(many_steps) - first) / (kManySteps - 1);
  core.call = std::max(0.0, first - core.step);
  core.publish = std::max(0.0, median(sender) - first);
  core.look = std::max(0.0, median(receiver) - first);
  core.combine = measure_combining(repeats);
  CacheAlignedVector<std::byte> room(8192);
  core.copy = measure_copy(room, room.size() / 2, repeats);
  return core;
}

double measure_copy(std::span<std::byte> room, std::size_t bytes, int repeats) {
  void* const target = room.data() + bytes;
  const std::size_t in_a_row = std::max<std::size_t>(1, kBytesInARow / bytes);
  const std::size_t lines = in_a_row * bytes / kLineBytes;
  std::vector<double> times;
  for (int i = 0; i < repeats + 1; ++i) {
    const std::uint64_t begin = ticks();
    for (std::size_t k = 0; k < in_a_row; ++k)
      copy_to_all(room.data(), &target, 1, bytes, Stores::cached);
    if (i > 0) times.push_back(ns_since(begin));
  }
  return median(times) / static_cast<double>(lines);
}

}  // namespace terrace::measure
