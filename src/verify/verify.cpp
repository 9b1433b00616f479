// SPDX-License-Identifier: BSD-3-Clause
// Proofs: a plan is executed under all its circumstances, and the result is compared with the
// collective's postcondition, or with a contract.
#include "verify/verify.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "verify/execution.hpp"

namespace terrace {

namespace {

using Fault = std::optional<std::string>;

/// FNV-1a: the same number for the same text on every machine.
std::uint64_t hash_of(const std::string& text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char letter : text) hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3;
  return hash;
}

std::string terms_text(const Terms& terms) {
  std::string text;
  for (const Term& term : terms)
    text += (text.empty() ? "in[" : " + in[") + std::to_string(term.rank) +
            (term.block ? ":" + std::to_string(term.block) : "") + "]";
  return text;
}

Result<bool> check_is_playable(const Plan& plan, const VerifyOptions& options) {
  if (Result<bool> shape = check_shape(plan); !shape) return shape.error();
  if (plan.lowering == Lowering::none)
    return Error{ErrorCode::argument, "plan " + plan.name + " is not lowered: lower it first"};
  if (plan.lines > options.line_slots)
    return Error{ErrorCode::unsupported, "plan " + plan.name + " uses " +
                                             std::to_string(plan.lines) + " lines a call, of " +
                                             std::to_string(options.line_slots) + " there are"};
  return true;
}

bool has_any(const std::vector<bool>& ranks) {
  return std::find(ranks.begin(), ranks.end(), true) != ranks.end();
}

/// Circumstances in which contracts say whether a rank starts alone. That waits do not depend on
/// which buffers coincide is said below.
bool show_who_starts_alone(const Circumstances& circumstances) {
  return circumstances.strips == 1 && !has_any(circumstances.direct) &&
         !has_any(circumstances.in_place);
}

class Verifier {
 public:
  Verifier(const Plan& plan, const Postcondition& postcondition)
      : plan_(plan),
        postcondition_(postcondition),
        brought_(brought_by(plan, postcondition)),
        execution_(plan, brought_, expressions_) {
    proof_.hears_all.assign(plan.ranks, true);
  }

  Fault play(const Circumstances& circumstances) {
    if (Fault fault = execution_.run(circumstances)) return fault;
    ++proof_.executions;
    proof_.most_strips = std::max<std::uint64_t>(proof_.most_strips, circumstances.strips);
    aliasings_.insert(circumstances.in_place);
    reaches_.insert(circumstances.direct);
    for (Rank rank = 0; rank < plan_.ranks; ++rank) {
      if (Fault fault = check_hearing(rank)) return fault;
      if (Fault fault = check_outputs(rank, circumstances)) return fault;
    }
    if (Fault fault = postcondition_.all_are_told ? check_connection() : Fault()) return fault;
    if (show_who_starts_alone(circumstances)) find_who_starts_alone(circumstances);
    return std::nullopt;
  }

  Proof proof() {
    proof_.order = order_text();
    proof_.order_id = hash_of(proof_.order);
    proof_.aliasings = aliasings_.size();
    proof_.reach_assignments = plan_.lowering == Lowering::owner ? reaches_.size() : 0;
    proof_.accesses = execution_.accesses() - repeated_accesses_;
    return std::move(proof_);
  }

 private:
  Fault check_hearing(Rank rank) {
    const bool hears = execution_.hears_all(rank);
    if (!hears) proof_.hears_all[rank] = false;
    if (hears || !postcondition_.all_hear) return std::nullopt;
    const VectorClock clock = execution_.at_return(rank);
    const auto unheard = std::find(clock.begin(), clock.end(), 0u) - clock.begin();
    return "rank " + std::to_string(rank) + " may return before rank " + std::to_string(unheard) +
           " has entered, which this collective must prevent";
  }

  void find_who_starts_alone(const Circumstances& circumstances) {
    const std::uint64_t accesses = execution_.accesses();
    proof_.starts_alone.clear();
    for (Rank rank = 0; rank < plan_.ranks; ++rank)
      proof_.starts_alone.push_back(!plan_.has_messages() && !execution_.run(circumstances, rank));
    repeated_accesses_ += execution_.accesses() - accesses;
  }

  /// Ranks compare their calls with those they wait for (execute/run.hpp). So some rank is told
  /// wherever calls differ, if ranks who hear of each other are not two groups or more.
  Fault check_connection() const {
    std::vector<bool> is_reached(plan_.ranks);
    std::vector<Rank> next = {0};
    is_reached[0] = true;
    while (!next.empty()) {
      const Rank rank = next.back();
      next.pop_back();
      for (Rank other = 0; other < plan_.ranks; ++other) {
        const bool is_heard = execution_.at_return(rank)[other] > 0;
        const bool hears = execution_.at_return(other)[rank] > 0;
        if (is_reached[other] || !(is_heard || hears)) continue;
        is_reached[other] = true;
        next.push_back(other);
      }
    }
    const auto apart = std::find(is_reached.begin(), is_reached.end(), false) - is_reached.begin();
    if (apart == static_cast<std::ptrdiff_t>(plan_.ranks)) return std::nullopt;
    return "no rank would notice if rank " + std::to_string(apart) +
           " made another call than rank 0: neither waits for the other, nor through others";
  }

  Fault check_outputs(Rank rank, const Circumstances& circumstances) {
    for (std::uint32_t block = 0; block < postcondition_.outputs[rank].size(); ++block) {
      if (!postcondition_.outputs[rank][block]) continue;
      for (std::uint32_t strip = 0; strip < circumstances.strips; ++strip)
        for (std::uint32_t tile = 0; tile < plan_.tiles; ++tile)
          if (!execution_.is_empty(tile, strip))
            if (Fault fault = check_tile(output(rank, block).tile(tile), strip)) return fault;
    }
    return std::nullopt;
  }

  Fault check_tile(const Region& region, std::uint32_t strip) {
    const ModelMemory& memory = execution_.memory();
    const std::uint32_t tile = region.first_tile;
    const SymbolicValue value =
        memory.value(memory.users(region.rank, Buffer::output, region.block, tile, strip));
    const Terms& wanted = *postcondition_.outputs[region.rank][region.block];
    const std::string where = to_text(region, plan_) + " of strip " + std::to_string(strip);
    if (!value.is_known) return where + " is never written";
    if (value.tile != tile || value.strip != strip)
      return where + " ends up with tile " + std::to_string(value.tile) + " of strip " +
             std::to_string(value.strip);
    if (!holds_terms(value.expression, wanted))
      return where + " ends up with " + terms_text(expressions_.terms(value.expression)) +
             " instead of " + terms_text(wanted);
    return check_order(region, value.expression);
  }

  bool holds_terms(Expressions::Id expression, const Terms& wanted) {
    const auto [found, is_new] = verdicts_.try_emplace({expression, &wanted}, true);
    if (!is_new) return found->second;
    Terms terms = expressions_.terms(expression), sorted = wanted;
    if (terms != wanted) proof_.combines_in_rank_order = false;
    std::sort(terms.begin(), terms.end());
    std::sort(sorted.begin(), sorted.end());
    return found->second = terms == sorted;
  }

  /// The first rank with an output sets the order; where bits must be equal, all must follow.
  /// Elsewhere the rank that combines most shows it best: in a scan, the last rank.
  Fault check_order(const Region& region, Expressions::Id expression) {
    const auto [found, is_new] = orders_.try_emplace({region.block, region.first_tile}, expression);
    if (is_new) order_rank_ = std::min(order_rank_, region.rank);
    if (is_new || found->second == expression) return std::nullopt;
    if (!postcondition_.same_bits) {
      const auto length = [this](Expressions::Id id) { return expressions_.terms(id).size(); };
      if (length(expression) > length(found->second)) found->second = expression;
      return std::nullopt;
    }
    return to_text(region, plan_) + " ends up with " + expressions_.text(expression) + ", rank " +
           std::to_string(order_rank_) + " with " + expressions_.text(found->second) +
           ", which rounds differently";
  }

  std::string order_text() const {
    std::string text;
    for (auto first = orders_.begin(); first != orders_.end();) {
      auto last = first, next = std::next(first);
      for (; next != orders_.end() && next->second == first->second; ++next) last = next;
      if (first == orders_.begin() && next == orders_.end())
        return expressions_.text(first->second);
      if (!text.empty()) text += "; ";
      text += place_text(first->first) + (last == first ? "" : " to " + place_text(last->first)) +
              ": " + expressions_.text(first->second);
      first = next;
    }
    return text;
  }

  using BlockAndTile = std::pair<std::uint32_t, std::uint32_t>;

  static std::string place_text(const BlockAndTile& place) {
    const std::string tile = "tile " + std::to_string(place.second);
    return place.first ? "block " + std::to_string(place.first) + " " + tile : tile;
  }

  const Plan& plan_;
  const Postcondition& postcondition_;
  Brought brought_;
  Expressions expressions_;
  Execution execution_;
  Proof proof_;
  std::uint64_t repeated_accesses_ = 0;  ///< in executions that show only who starts alone
  Rank order_rank_ = ~Rank{0};
  std::map<BlockAndTile, Expressions::Id> orders_;
  std::map<std::pair<Expressions::Id, const Terms*>, bool> verdicts_;
  std::set<std::vector<bool>> aliasings_, reaches_;
};

bool has(const std::vector<Rank>& ranks, Rank rank) {
  return std::find(ranks.begin(), ranks.end(), rank) != ranks.end();
}

/// Checks what the contract of `rank` claims against what this execution shows.
Fault check_contract(const Plan& plan, const Execution& execution, Rank rank,
                     const CallContract& contract) {
  const std::string who = "the contract of rank " + std::to_string(rank);
  const VectorClock known = execution.at_return(rank);
  if (contract.hears_all && !execution.hears_all(rank)) {
    const auto unheard = std::find(known.begin(), known.end(), 0u) - known.begin();
    return who + " claims that it hears from all, but it may return before rank " +
           std::to_string(unheard) + " has entered";
  }
  if (contract.line_readers.size() != plan.lines)
    return who + " speaks of " + std::to_string(contract.line_readers.size()) + " lines, not of " +
           std::to_string(plan.lines);
  for (Rank reader = 0; reader < plan.ranks; ++reader) {
    const std::string left_out =
        who + " leaves out that rank " + std::to_string(reader) + " may still be reading its ";
    if (execution.last_touch(rank, reader) > known[reader] &&
        !has(contract.scratch_readers, reader))
      return left_out + "scratch when it returns";
    for (std::uint32_t line = 0; line < plan.lines; ++line)
      if (execution.last_look(rank, line, reader) > known[reader] &&
          !has(contract.line_readers[line], reader))
        return left_out + "line " + std::to_string(line) + " when it returns";
  }
  return std::nullopt;
}

Fault check_starts_alone(Execution& execution, const Circumstances& circumstances, Rank rank) {
  const Fault fault = execution.run(circumstances, rank);
  if (!fault) return std::nullopt;
  return "the contract of rank " + std::to_string(rank) + " claims that it starts alone, but " +
         *fault;
}

Error failure(const Plan& plan, const std::string& fault, const Circumstances& circumstances) {
  return {ErrorCode::unsupported,
          "plan " + plan.name + ": " + fault + " (" + to_text(circumstances, plan) + ")"};
}

}  // namespace

Result<Proof> verify(const Plan& plan, const Postcondition& postcondition,
                     const VerifyOptions& options) {
  if (Result<bool> playable = check_is_playable(plan, options); !playable) return playable.error();
  if (postcondition.outputs.size() != plan.ranks)
    return Error{ErrorCode::argument, "plan " + plan.name + " has " + std::to_string(plan.ranks) +
                                          " ranks, the collective's promise speaks of " +
                                          std::to_string(postcondition.outputs.size())};
  Verifier verifier(plan, postcondition);
  for (const Circumstances& circumstances : circumstances_of(plan, options)) {
    if (!postcondition.may_be_in_place && has_any(circumstances.in_place)) continue;
    if (Fault fault = verifier.play(circumstances)) return failure(plan, *fault, circumstances);
  }
  return verifier.proof();
}

Result<bool> verify_contracts(const Plan& plan, std::span<const CallContract> contracts,
                              const VerifyOptions& options) {
  if (Result<bool> playable = check_is_playable(plan, options); !playable) return playable.error();
  if (contracts.size() != plan.ranks)
    return Error{ErrorCode::argument, "plan " + plan.name + " has " + std::to_string(plan.ranks) +
                                          " ranks, and " + std::to_string(contracts.size()) +
                                          " contracts are given"};
  const Brought brought = everything(plan);  // contracts belong to the plan, not to a collective
  Expressions expressions;
  Execution execution(plan, brought, expressions);
  for (const Circumstances& circumstances : circumstances_of(plan, options)) {
    // Waits do not depend on which buffers coincide, nor does who touches whose lines and scratch.
    if (has_any(circumstances.in_place)) continue;
    Fault fault = execution.run(circumstances);
    for (Rank rank = 0; rank < plan.ranks && !fault; ++rank)
      fault = check_contract(plan, execution, rank, contracts[rank]);
    for (Rank rank = 0; rank < plan.ranks && !fault && show_who_starts_alone(circumstances); ++rank)
      if (contracts[rank].starts_alone) fault = check_starts_alone(execution, circumstances, rank);
    if (fault) return failure(plan, *fault, circumstances);
  }
  return true;
}

}  // namespace terrace
