// SPDX-License-Identifier: BSD-3-Clause
// Compares the accesses of successive calls. See sequences.hpp.
#include "verify/sequences.hpp"

#include <algorithm>
#include <set>

#include "base/contract.hpp"
#include "verify/circumstances.hpp"

namespace terrace {

namespace {

constexpr std::uint64_t bit(Rank rank) {
  TERRACE_ASSERT(rank < Sequences::kMostRanks, rank);
  return std::uint64_t{1} << rank;
}

std::uint64_t bits(const std::vector<Rank>& ranks) {
  std::uint64_t result = 0;
  for (const Rank rank : ranks) result |= bit(rank);
  return result;
}

/// Returns the ranks of whose steps at least one is known to be done.
std::uint64_t entered(VectorClock clock) {
  std::uint64_t result = 0;
  for (Rank rank = 0; rank < clock.size(); ++rank)
    if (clock[rank] != 0) result |= bit(rank);
  return result;
}

/// The circumstances that order the steps of a call: which buffers coincide does not.
struct Playing {
  std::uint32_t strips = 1;
  bool is_empty = false;
  std::vector<bool> direct;

  auto operator<=>(const Playing&) const = default;
};

std::set<Playing> playings_of(const Plan& plan, const VerifyOptions& options) {
  std::set<Playing> result;
  for (const Circumstances& circumstances : circumstances_of(plan, options)) {
    result.insert({circumstances.strips, false, circumstances.direct});
    result.insert({1, false, circumstances.direct});
    result.insert({1, true, circumstances.direct});
  }
  return result;
}

/// "bcast.tree, root 1 (2 strips, not in place, direct on all ranks)"
std::string name_of(const Plan& plan, const VerifyOptions& options,
                    const Circumstances& circumstances, bool is_empty) {
  return plan.name + ", root " + std::to_string(options.root) + " (" +
         (is_empty ? "no bytes" : to_text(circumstances, plan)) + ")";
}

bool fits(const Plan& plan, std::span<const CallContract> contracts, Rank ranks) {
  const auto is_for_plan = [&](const CallContract& contract) {
    return contract.line_readers.size() == plan.lines;
  };
  return plan.ranks == ranks && ranks <= Sequences::kMostRanks && contracts.size() == ranks &&
         std::all_of(contracts.begin(), contracts.end(), is_for_plan);
}

}  // namespace

Sequences::Sequences(Rank ranks) : ranks_(ranks) {}

Result<bool> Sequences::add(const Plan& plan, std::span<const CallContract> contracts,
                            const VerifyOptions& options) {
  if (!fits(plan, contracts, ranks_))
    return Error{ErrorCode::argument,
                 "plan " + plan.name + " and its contracts are not for a team of " +
                     std::to_string(ranks_) + " ranks, of at most " + std::to_string(kMostRanks)};
  const Brought all = everything(plan), nothing = brought_by(plan, {});
  Expressions expressions;
  Execution moving(plan, all, expressions), empty(plan, nothing, expressions);
  std::set<std::vector<bool>> reaches;
  for (const Playing& playing : playings_of(plan, options)) {
    const Circumstances circumstances{playing.strips, false, std::vector<bool>(ranks_),
                                      playing.direct};
    const std::string call = name_of(plan, options, circumstances, playing.is_empty);
    Execution& execution = playing.is_empty ? empty : moving;
    if (auto fault = execution.run(circumstances))
      return Error{ErrorCode::unsupported, call + ": " + *fault};
    note(plan, execution, contracts, call);
    reaches.insert(playing.direct);
  }
  calls_ += reaches.size() + 1;
  return true;
}

void Sequences::note(const Plan& plan, const Execution& execution,
                     std::span<const CallContract> contracts, const std::string& call) {
  Hearing hearing;
  for (Rank rank = 0; rank < ranks_; ++rank) {
    hearing.entered.push_back(entered(execution.at_return(rank)) | bit(rank));
    if (contracts[rank].hears_all) hearing.claims_all |= bit(rank);
    note_lines(plan, execution, contracts[rank], rank, call);
    if (plan.scratch_blocks != 0) note_scratch(execution, contracts[rank], rank, call);
  }
  hearings_.try_emplace(hearing, call);
}

/// Only its owner writes a line.
void Sequences::note_lines(const Plan& plan, const Execution& execution,
                           const CallContract& contract, Rank owner, const std::string& call) {
  if (plan.lines == 0) return;
  rewritings_.try_emplace({{owner, true}, owner, bit(owner)}, call);
  for (std::uint32_t line = 0; line < plan.lines; ++line)
    for (Rank reader = 0; reader < ranks_; ++reader)
      note_touch(execution, {{owner, true}, reader, 0, bits(contract.line_readers[line])},
                 execution.last_look(owner, line, reader), call);
}

/// Peers may push into scratch, once its owner has exposed it.
void Sequences::note_scratch(const Execution& execution, const CallContract& contract, Rank owner,
                             const std::string& call) {
  const Place place{owner, false};
  rewritings_.try_emplace({place, owner, bit(owner)}, call);
  for (Rank peer = 0; peer < ranks_; ++peer) {
    const std::uint32_t first = execution.first_touch(owner, peer);
    if (first == 0) continue;
    // A rank that has heard of the owner's entry knows no less than the owner, which writes as
    // well.
    const Ranks before = entered(execution.clock_after(peer, first)) | bit(peer);
    if (!(before & bit(owner))) rewritings_.try_emplace({place, peer, before}, call);
    note_touch(execution, {place, peer, 0, bits(contract.scratch_readers)},
               execution.last_touch(owner, peer), call);
  }
}

void Sequences::note_touch(const Execution& execution, Touch touch, std::uint32_t last,
                           const std::string& call) {
  if (last == 0) return;
  touch.known_to = bit(touch.by);
  for (Rank rank = 0; rank < ranks_; ++rank)
    if (execution.at_return(rank)[touch.by] >= last) touch.known_to |= bit(rank);
  touches_[touch.place].try_emplace(touch, call);
}

bool Sequences::is_ordered(const Touch& touch, const Rewriting& rewriting, const Between& between) {
  if (between.heard & touch.known_to) return true;
  const bool owner_has_entered = rewriting.entered & bit(rewriting.place.owner);
  return owner_has_entered && !between.claims_all && (touch.awaited & touch.known_to);
}

const Sequences::Touches& Sequences::touches_of(const Place& place) const {
  static const Touches none;
  const auto found = touches_.find(place);
  return found == touches_.end() ? none : found->second;
}

std::string Sequences::fault(const Entry<Touch>& touch, const Entry<Rewriting>& rewriting) const {
  const Place& place = touch.first.place;
  return "rank " + std::to_string(rewriting.first.by) + " may write rank " +
         std::to_string(place.owner) + "'s " + (place.is_line ? "line" : "scratch") + " for " +
         rewriting.second + " while rank " + std::to_string(touch.first.by) +
         " still touches it for " + touch.second;
}

Result<std::uint64_t> Sequences::prove_pairs() const {
  for (const auto& rewriting : rewritings_)
    for (const auto& touch : touches_of(rewriting.first.place))
      if (!is_ordered(touch.first, rewriting.first, {rewriting.first.entered, false}))
        return Error{ErrorCode::unsupported, fault(touch, rewriting) + " right before"};
  return calls_ * calls_;
}

/// All that a call in between can change for a rewriting, with the name of one that does.
std::map<Sequences::Between, std::string> Sequences::betweens(const Rewriting& rewriting) const {
  std::map<Between, std::string> result;
  for (const auto& [hearing, call] : hearings_) {
    Between between{0, (hearing.claims_all & bit(rewriting.place.owner)) != 0};
    for (Rank rank = 0; rank < ranks_; ++rank)
      if (rewriting.entered & bit(rank)) between.heard |= hearing.entered[rank];
    result.try_emplace(between, call);
  }
  return result;
}

Result<std::uint64_t> Sequences::prove_triples() const {
  for (const auto& rewriting : rewritings_)
    for (const auto& [between, call] : betweens(rewriting.first))
      for (const auto& touch : touches_of(rewriting.first.place))
        if (!is_ordered(touch.first, rewriting.first, between))
          return Error{ErrorCode::unsupported,
                       fault(touch, rewriting) + ", with " + call + " between"};
  return calls_ * calls_ * calls_;
}

}  // namespace terrace
