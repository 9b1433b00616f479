// SPDX-License-Identifier: BSD-3-Clause
// Flows: long transfers, modelled as a fluid. All active flows share caches, links and memory
// fairly: each gets as much as the others at the place that limits it (rates.hpp).
//
// Flows that use the same places in the same way form one class: they advance alike, so a class has
// one rate, one count of the bytes that each member has moved, and its members end in the order of
// that count. That is why a start or an end costs the work of a few classes, however many flows
// there are; and a class is updated only when its rate changes, or its members do.
#pragma once

#include <cstdint>
#include <limits>
#include <unordered_map>
#include <vector>

#include "simulate/earliest.hpp"
#include "simulate/rates.hpp"

namespace terrace::simulate {

class Flows {
 public:
  static constexpr double kNever = std::numeric_limits<double>::infinity();

  explicit Flows(std::uint32_t resources) : rates_(resources) {}

  /// Starts a flow: from `now` on, `bytes` are moved, at most `cap` of them a ns. `owner` is told
  /// at the end.
  void start(double now, std::uint32_t owner, double bytes, double cap,
             const std::vector<ResourceShare>& shares);

  /// When the next flow ends, if none starts before; kNever: none is under way.
  double next_end();

  /// The owners of the flows that end at `now`, which is `next_end`, in the order of their starts.
  void end(double now, std::vector<std::uint32_t>& owners);

  /// Returns for how many ns a resource has been kept busy so far.
  double busy(std::uint32_t resource) const;
  /// Memory taken.
  std::size_t bytes() const;

 private:
  struct Member {
    double end = 0;  ///< in bytes of the class
    std::uint64_t order = 0;
    std::uint32_t owner = 0;
  };
  struct Kind {
    double cap = 0;
    std::vector<ResourceShare> shares;

    bool operator==(const Kind&) const = default;
  };
  struct KindHash {
    std::size_t operator()(const Kind& kind) const;
  };
  struct Class {
    double rate = 0;
    double since = 0;  ///< when the next two were true
    double done = 0;   ///< bytes that a member has moved that has been here from the beginning
    double moved = 0;  ///< bytes of all that have been members
    std::vector<Member> members;  ///< a heap, the next to end first
  };

  std::uint32_t class_of(double cap, const std::vector<ResourceShare>& shares);
  void advance(double now);
  void bring_forward(Class& one) const;
  void share_out();
  void foresee(std::uint32_t number);
  void end_some(std::uint32_t number, double tolerance);
  static bool ends_later(const Member& a, const Member& b);

  Rates rates_;
  std::vector<Class> classes_;
  std::unordered_map<Kind, std::uint32_t, KindHash> index_;
  Earliest endings_;  ///< by class: when its next member ends, as foreseen
  double time_ = 0;
  std::uint64_t order_ = 0;
  bool is_stale_ = false;  ///< flows have come or gone since rates were worked out
  // Kept for their room.
  Kind asked_;
  std::vector<std::uint32_t> changed_;
  std::vector<Member> ended_;
};

}  // namespace terrace::simulate
