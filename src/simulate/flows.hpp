// SPDX-License-Identifier: BSD-3-Clause
// Flows: long transfers as a fluid. All that are under way share caches, links and memory fairly:
// each gets as much as the others at the place that holds it up (max-min fair).
//
// Flows that use the same places alike are one class: they advance alike, so a class has one rate,
// one count of the bytes that each member has moved, and ends in the order of that count. That is
// why a start or an end costs a few classes' work, however many flows there are.
#pragma once

#include <cstdint>
#include <limits>
#include <unordered_map>
#include <vector>

namespace terrace::simulate {

/// What a flow does to one place that it shares with others.
struct Share {
  std::uint32_t resource = 0;
  double busy = 0;  ///< ns for each byte of the flow; a resource can be busy for 1 ns each ns

  bool operator==(const Share&) const = default;
};

class Flows {
 public:
  static constexpr double kNever = std::numeric_limits<double>::infinity();

  explicit Flows(std::uint32_t resources) : resources_(resources) {}

  /// From `now` on, `bytes` are moved, at most `cap` of them a ns. `owner` is told at the end.
  void start(double now, std::uint32_t owner, double bytes, double cap,
             const std::vector<Share>& shares);

  /// When the next flow ends, if none starts before; kNever: none is under way.
  double next_end();

  /// The owners of the flows that end at `now`, which is `next_end`, in the order of their starts.
  void end(double now, std::vector<std::uint32_t>& owners);

  /// How long a resource has been kept busy so far, in ns.
  double busy(std::uint32_t resource) const { return resources_[resource].busy; }
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
    std::vector<Share> shares;

    bool operator==(const Kind&) const = default;
  };
  struct KindHash {
    std::size_t operator()(const Kind& kind) const;
  };
  struct Class {
    Kind kind;
    double rate = 0;
    double done = 0;  ///< bytes that a member has moved that has been here from the beginning
    std::vector<Member> members;  ///< a heap, the next to end first
    bool is_settled = false;
  };
  struct Resource {
    double busy = 0;
    // While rates are worked out: what is left of it, what it is wanted for by classes that have
    // no rate yet, for each byte of a flow, and how many classes these are.
    double left = 1, wanted = 0;
    std::uint32_t classes = 0;
  };

  Class& class_of(double cap, const std::vector<Share>& shares);
  void advance(double now);
  void share_out();
  void want_all();
  double next_level(std::uint32_t& tightest) const;
  void settle(Class& one, double rate);
  static bool ends_later(const Member& a, const Member& b);

  std::vector<Class> classes_;
  std::unordered_map<Kind, std::uint32_t, KindHash> index_;
  std::vector<std::uint32_t> active_;  ///< classes with members
  std::vector<Resource> resources_;
  std::vector<std::uint32_t> wanted_;  ///< resources that active classes use
  double time_ = 0;
  std::uint64_t order_ = 0;
  bool is_stale_ = false;  ///< flows have come or gone since rates were worked out
};

}  // namespace terrace::simulate
