// SPDX-License-Identifier: BSD-3-Clause
// Compares how much workers compute, and finds the fibre that evens it out best.
#include "fibres/balance.hpp"

#include <algorithm>
#include <cstdlib>

#include "base/contract.hpp"
#include "fibres/worker.hpp"

namespace terrace {

namespace {

/// Returns how many of a window's looks have to find that one worker computes and another waits:
/// less is not worth a move, after which fibres that call each other may be further apart.
constexpr std::uint32_t least_difference(std::uint32_t window) {
  return window / 5;
}

/// Switches between two looks up to which a worker computes.
constexpr std::uint64_t kFewSwitches = 32;

}  // namespace

/// A fibre that computes comes first: the passes in vain may be those of a wait that is over.
Balance::Sample Balance::sample_of(const Seen& seen) {
  if (seen.has_current && !seen.is_switching && seen.switches < kFewSwitches)
    return Sample::computes;
  return seen.fibres == 0 || seen.passes_in_vain >= kPassesInVain ? Sample::waits : Sample::other;
}

void Balance::add(std::size_t worker, Sample sample, Fibre* current) {
  TERRACE_ASSERT(worker < samples_.size(), worker, samples_.size());
  Samples& all = samples_[worker];
  all.waits += sample == Sample::waits;
  if (sample != Sample::computes) return;
  ++all.computes;
  const auto found = std::find_if(all.of_fibres.begin(), all.of_fibres.end(),
                                  [&](const auto& one) { return one.first == current; });
  if (found != all.of_fibres.end())
    ++found->second;
  else
    all.of_fibres.emplace_back(current, 1);
}

/// The second time in a row that a fibre would move between the same workers.
std::optional<Balance::Move> Balance::next_move() {
  if (++looks_ < window_) return std::nullopt;
  std::optional<Move> move = find_move();
  looks_ = 0;
  window_ = std::min(window_ + window_ / 2, kLongestWindow);
  for (Samples& all : samples_) all = {};
  const std::pair<std::size_t, std::size_t> between =
      move ? std::pair{move->from, move->to} : std::pair<std::size_t, std::size_t>{0, 0};
  if (std::exchange(last_, between) != between) return std::nullopt;
  if (move) last_ = {0, 0};
  return move;
}

/// Finds a move from the worker that computes most to the one that waits most. What a fibre
/// computes is missing here and more there, so the best one has half the difference.
std::optional<Balance::Move> Balance::find_move() const {
  const auto from =
      std::max_element(samples_.begin(), samples_.end(),
                       [](const Samples& a, const Samples& b) { return a.computes < b.computes; });
  const auto to =
      std::max_element(samples_.begin(), samples_.end(),
                       [](const Samples& a, const Samples& b) { return a.waits < b.waits; });
  const std::uint32_t least = least_difference(window_);
  if (from == to || from->computes < to->computes + least || to->waits < least ||
      from->of_fibres.size() < 2)
    return std::nullopt;
  const auto difference = static_cast<std::int64_t>(from->computes - to->computes);
  const auto left = [&](const auto& one) { return std::abs(difference - 2 * one.second); };
  const auto best =
      std::min_element(from->of_fibres.begin(), from->of_fibres.end(),
                       [&](const auto& a, const auto& b) { return left(a) < left(b); });
  if (left(*best) > difference - static_cast<std::int64_t>(least) / 2) return std::nullopt;
  return Move{static_cast<std::size_t>(from - samples_.begin()),
              static_cast<std::size_t>(to - samples_.begin()), best->first};
}

}  // namespace terrace
