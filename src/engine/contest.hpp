// SPDX-License-Identifier: BSD-3-Clause
// A contest: the ways to make a class of calls, and the trial that finds the fastest of them.
#pragma once

#include <algorithm>
#include <compare>
#include <map>
#include <string>
#include <vector>

#include "base/contract.hpp"
#include "choose/chooser.hpp"
#include "engine/trial.hpp"
#include "kernels/kernels.hpp"

namespace terrace {

/// One of several ways to make a call.
struct Contender {
  enum class How : std::uint8_t {
    planned,         ///< by one of our plans
    pulled,          ///< by one whose steps read peers' memory through the kernel
    composed,        ///< of calls on each node and messages between nodes
    uneven,          ///< with blocks of different length
    underlying_mpi,  ///< by the underlying MPI
  };
  How how = How::planned;
  CopyBy copies = CopyBy::pages;  ///< where it is planned
  Choice choice = {};
  double predicted_ns = 0;  ///< the same on all ranks

  bool operator==(const Contender&) const = default;
};

/// The way in which composed calls are made, for reports.
inline constexpr const char* kComposed = "node, network, node";

inline bool is_fallback(const Contender& one) {
  return one.how == Contender::How::underlying_mpi;
}
/// Whether it is made as its choice says.
inline bool is_chosen(const Contender& one) {
  return one.how == Contender::How::planned;
}

/// "allreduce.tree, strips of 64 KiB, to scratch past the caches", "the MPI".
std::string to_text(const Contender&);

/// Calls that share a decision.
struct ClassOfCalls {
  Collective collective;
  std::size_t bytes;  ///< as `length_class` has it
  Order order;
  bool is_exact;

  auto operator<=>(const ClassOfCalls&) const = default;
};

ClassOfCalls class_of(const Question& question);

struct Contest {
  Contest(const ClassOfCalls& of, std::vector<Contender> all, Trial its_trial)
      : calls(of),
        ways(std::move(all)),
        trial(std::move(its_trial)),
        rest(trial.calls_of_rest()),
        touch_ns(ways.size()) {
    TERRACE_ASSERT(!ways.empty() && std::none_of(ways.begin(), ways.end() - 1, is_fallback));
  }

  /// Whether the next call simply goes the trial's way. Ask exactly once for each call.
  bool passes() { return is_settled || (rest > 0 && rest-- > 0); }
  /// The way of calls that are not timed by themselves.
  const Contender& way() const { return ways[trial.way()]; }
  const Contender& standing() const { return ways[trial.standing()]; }
  const Contender& next() const { return ways[trial.next()]; }

  ClassOfCalls calls;
  std::vector<Contender> ways;  ///< the first choice first, the MPI last
  Trial trial;
  bool is_settled = false;              ///< there is nothing to try
  bool leaves_out_mpi = false;          ///< there is an MPI, but its sums might have other bits
  std::uint32_t rest;                   ///< calls until the next timed one
  std::uint64_t fallback_begin_ns = 0;  ///< when the MPI's timed call began
  /// Times to touch buffers after timed calls, smoothed, by way; 0: not known, as of the MPI's.
  std::vector<double> touch_ns;
};

/// The outcome of a trial, for reports.
std::string outcome_of(const Contest& contest);

/// Contests by class; a contest's address does not change.
using Contests = std::map<ClassOfCalls, Contest>;

}  // namespace terrace
