// SPDX-License-Identifier: BSD-3-Clause
// Lowers a plan with messages for one rank of a node's team, and runs it on that team.
#include "engine/programs_over_nodes.hpp"

#include <algorithm>
#include <utility>

#include "engine/team_endpoint.hpp"
#include "plan/lower.hpp"

namespace terrace {

namespace {

/// Bytes of a vector that go through the plan at a time, if scratch has room for them: while one
/// strip crosses the network, nodes combine the next.
constexpr std::size_t kStripBytes = std::size_t{64} << 10;

}  // namespace

const RankProgram& ProgramsOverNodes::for_bytes(std::size_t bytes) const {
  return lines && bytes <= kPayloadBytes ? *lines : owner;
}

Result<ProgramsOverNodes> programs_over_nodes(const Plan& plan, Rank rank,
                                              std::span<const Rank> ranks_on_node) {
  const Result<Plan> owner = lower(plan, Lowering::owner), lines = lower(plan, Lowering::lines);
  if (!owner) return owner.error();
  ProgramsOverNodes programs;
  programs.owner = on_node(program_of(owner.value(), rank), ranks_on_node);
  if (lines && lines.value().lines <= kMostLines)
    programs.lines = on_node(program_of(lines.value(), rank), ranks_on_node);
  return programs;
}

bool TeamEndpoint::run_over_nodes(const ProgramsOverNodes& programs, Collective collective,
                                  const void* input, void* output, const Elements& elements,
                                  Rank root) {
  TERRACE_ASSERT(programs.messenger != nullptr && !is_starting_ && !is_own_call_);
  const Request request{collective, collective, input, output, elements, root};
  if (PreparedCall* const prepared = find_in(over_nodes_, key_of(request)))
    return run(request, *prepared);
  PreparedCall& prepared = new_in(over_nodes_, key_of(request));
  const RankProgram& program = programs.for_bytes(bytes_of(elements));
  fill_in(request, {question_of(collective, elements), root, {}, &program, nullptr, 0}, false,
          prepared);
  Call& call = prepared.call;
  call.messenger = programs.messenger;
  // Nodes may differ in what their teams could do otherwise.
  call.is_direct_everywhere = false;
  call.strip_elements = strip_elements(program, call, kStripBytes, programs.scratch_bytes);
  return run_pieces(request, prepared);
}

}  // namespace terrace
