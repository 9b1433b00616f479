// SPDX-License-Identifier: BSD-3-Clause
// Measures the costs of messages between two ranks, by LogGP (loggp.hpp). One rank begins and keeps
// the time; the others answer when it addresses them, and are quiet otherwise.
#pragma once

#include <atomic>
#include <optional>
#include <span>
#include <vector>

#include "measure/loggp.hpp"
#include "measure/messages.hpp"

namespace terrace::measure {

struct NetworkFindings {
  LogGPSummary loggp;
  /// Bytes of the longest message, of powers of two up to 1 MiB, that left before its receiver
  /// asked for it; 0 if none did. Nothing where it was not reached.
  std::optional<double> eager;
};

/// Measures what lies between this rank and those `partners`, which share its time; all rounds
/// together. Takes about `seconds`, but six rounds with each at least, unless stopped. No round has
/// been ended if a count is 0.
NetworkFindings measure_network(MessageExchange&, std::span<const int> partners, double seconds,
                                const std::atomic<bool>& is_stopped);

/// Tells these ranks that nothing more will come.
void end_network(MessageExchange&, std::span<const int> others);

/// Answers, as each other rank does, until `beginner` has called `end_network`.
void answer_network(MessageExchange&, int beginner);

}  // namespace terrace::measure
