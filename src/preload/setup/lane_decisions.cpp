// SPDX-License-Identifier: BSD-3-Clause
// Writes decisions to shared memory, and reads them.
#include "preload/setup/lane_decisions.hpp"

#include "base/contract.hpp"
#include "base/hash.hpp"

namespace terrace::preload {

namespace {

// Flags of a decision.
constexpr std::uint32_t kStreams = 1, kStreamsScratch = 2, kAvoidsLines = 4, kIsOwn = 8;

std::uint64_t hash_of_class(const ClassOfCalls& calls) {
  return Hash()
      .add(static_cast<std::uint64_t>(calls.collective))
      .add(calls.bytes)
      .add(static_cast<std::uint64_t>(calls.order))
      .add(calls.is_exact)
      .value();
}

void write(SharedDecision& shared, const ClassOfCalls& calls, const std::optional<Choice>& choice) {
  shared.calls = hash_of_class(calls);
  if (choice) {
    const auto rows = algorithms();
    const Algorithm* const row = find_algorithm(choice->algorithm);
    TERRACE_REQUIRE(row >= rows.data() && row < rows.data() + rows.size());
    shared.algorithm = static_cast<std::uint32_t>(row - rows.data());
    shared.radix = choice->radix;
    shared.ring = choice->ring;
    shared.depth = choice->depth;
    shared.strip_bytes = choice->strip_bytes;
    shared.scratch_span = choice->scratch_span;
    shared.flags = (choice->streams ? kStreams : 0) |
                   (choice->streams_scratch ? kStreamsScratch : 0) |
                   (choice->avoids_lines ? kAvoidsLines : 0);
  } else {
    shared.flags = kIsOwn;
  }
  // release: pairs with the acquire in `is_known`.
  shared.is_made.store(1, std::memory_order_release);
}

Choice read(const SharedDecision& shared) {
  TERRACE_REQUIRE(shared.algorithm < algorithms().size(), shared.algorithm);
  TERRACE_REQUIRE(shared.radix >= 2 && shared.ring >= 1, shared.radix, shared.ring);
  Choice choice;
  choice.algorithm = algorithms()[shared.algorithm].name;
  choice.radix = shared.radix;
  choice.ring = shared.ring;
  choice.depth = shared.depth;
  choice.strip_bytes = shared.strip_bytes;
  choice.scratch_span = shared.scratch_span;
  choice.streams = (shared.flags & kStreams) != 0;
  choice.streams_scratch = (shared.flags & kStreamsScratch) != 0;
  choice.avoids_lines = (shared.flags & kAvoidsLines) != 0;
  return choice;
}

}  // namespace

std::shared_ptr<LaneDecision> LaneDecisions::for_calls(
    const ClassOfCalls& calls, const std::function<std::optional<Choice>()>& decide) {
  std::shared_ptr<LaneDecision>& decision = by_class_[calls];
  if (decision) return decision;
  decision = std::make_shared<LaneDecision>();
  decision->calls = calls;
  decision->number = next_++;
  decision->is_known = decision->number >= kMostLaneDecisions;
  if (rank_ == 0 && !decision->is_known) write(shared_[decision->number], calls, decide());
  is_known(*decision);
  return decision;
}

bool LaneDecisions::is_known(LaneDecision& decision) {
  if (decision.is_known) return true;
  const SharedDecision& shared = shared_[decision.number];
  // acquire: pairs with the release in `write`.
  if (shared.is_made.load(std::memory_order_acquire) == 0) return false;
  decision.is_known = true;
  decision.is_of_others = shared.calls != hash_of_class(decision.calls);
  if ((shared.flags & kIsOwn) == 0) decision.choice = read(shared);
  return true;
}

}  // namespace terrace::preload
