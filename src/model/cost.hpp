// SPDX-License-Identifier: BSD-3-Clause
// The cost of a lowered plan: executes every rank's steps once, in the order in which they could
// begin, with the costs of their lines on a machine model. The result has the chain of steps that
// decides the end, with reasons. What is counted, and how: docs/design/costs.md.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/locality.hpp"
#include "base/rank.hpp"
#include "base/result.hpp"
#include "model/machine_model.hpp"
#include "plan/plan.hpp"
#include "plan/rank_program.hpp"

namespace terrace::model {

/// The part of a call that is counted.
enum class Account : std::uint8_t {
  all,    ///< as it runs: flags, waits, the program's own work, misses that overlap
  paper,  ///< as the HPDC'13 paper counts: no synchronization, no write that misses, each read of a
          ///< step after the other, single lines without competition
};

/// Returns the shared core on which a rank takes turns: its neighbours' if they do so in order.
constexpr std::uint32_t shared_core_of(Rank rank, Rank ranks, std::uint32_t shared_cores,
                                       bool in_order) {
  return in_order ? static_cast<std::uint32_t>(std::uint64_t{rank} * shared_cores / ranks)
                  : rank % shared_cores;
}

struct CostQuestion {
  double bytes = 0;              ///< of one block: the vector, or what a rank sends to one other
  double strip_bytes = 0;        ///< strips of no more than that; 0: one strip
  bool is_direct = true;         ///< peers reach users' buffers; otherwise all are bounced
  bool streams = false;          ///< users' outputs are stored past the caches
  bool streams_scratch = false;  ///< likewise what peers take from scratch
  /// Bytes of each rank's scratch that calls go through before they use the first again; 0: as many
  /// as a few calls like this take. And all that there is; 0: without limit.
  double scratch_span = 0, scratch_bytes = 0;
  std::uint32_t shared_cores = 0;  ///< that ranks take turns on; 0: each has one of its own
  /// Neighbours share a core; otherwise ranks go around the cores.
  bool takes_turns_in_order = false;
  /// Calls that a rank completes while it has a core that it shares, before it must wait for ranks
  /// without one: they share the cost of a yield.
  double calls_a_turn = 1;
  Account account = Account::all;
  bool is_rough = false;  ///< of many strips, few are played: a third of the time, 1 % less right
};

/// Why time passes.
enum class Cause : std::uint8_t {
  program,    ///< entering the call, going from step to step, looking at flags
  signal,     ///< a flag on its way: stored, taken from its writer, seen
  latency,    ///< the first line of a value on its way
  lines,      ///< the lines behind it
  link,       ///< waiting for others on the same link, cache or memory
  readers,    ///< waiting for others who read the same line
  ownership,  ///< taking lines away from those who have copies, in order to write
  memory,     ///< what is in no cache
  own,        ///< loads and stores of the own caches, arithmetic
  turn,       ///< waiting for the core that another rank has
  message,    ///< between nodes
};
inline constexpr std::size_t kCauseCount = 11;
const char* to_text(Cause cause);

/// A part of a step's time. Distance is an index into the model's distances (of messages: its
/// networks); of the program's, own work and turns 0.
struct CostPart {
  Cause cause = Cause::program;
  std::uint32_t distance = 0;
  double ns = 0;
};

/// A step of the chain that decides the end, waiting for it included.
struct CostStep {
  Rank rank = 0;
  std::uint32_t strip = 0;
  std::uint32_t position =
      0;  ///< among the rank's steps, those of the body before the closing ones
  StepKind kind = StepKind::reduce;
  double begin = 0, end = 0;  ///< since all ranks entered the call
  std::vector<CostPart> parts;
};

struct Cost {
  double total = 0;             ///< until the last rank returns
  std::vector<double> finish;   ///< of each rank
  std::vector<CostStep> path;   ///< from the call's beginning to its end, of the strips played
  std::vector<CostPart> spent;  ///< the path's times summed by cause and distance, largest first
  std::vector<double> bytes;    ///< by distance: what all ranks read and write there
  double memory_bytes = 0;      ///< to and from memory
  double message_bytes = 0;
  double strips = 1;  ///< how many the call has; later ones are like the last played
  std::uint32_t strips_played = 1;
};

/// The cost of a call in which all ranks enter at once, after many such calls: lines are where the
/// call before left them, inputs have been written since. `ranks` says where each rank is.
/// Errors: argument, for a plan that is not lowered, other ranks than the plan's, no such bytes.
Result<Cost> cost_of(const Plan& plan, const MachineModel& model, std::span<const Locality> ranks,
                     const CostQuestion& question);

/// Computes the cost where the plan's parts are at hand.
Result<Cost> cost_of(const Plan& plan, std::span<const RankProgram> parts,
                     const MachineModel& model, std::span<const Locality> ranks,
                     const CostQuestion& question);

/// Writes a cost for people to read: the total, the path with times, and sums. `plan` is the plan
/// that was costed; `asked` is the name that the user gave, which may differ: a barrier runs plans
/// of allreduce.
std::string to_text(const Cost& cost, const Plan& plan, const MachineModel& model,
                    std::string_view asked);

}  // namespace terrace::model
