// SPDX-License-Identifier: BSD-3-Clause
// Rates: how places are shared, max-min fair, between flows that come and go. A flow runs at its
// own cap, or one of its places is full and no flow there is faster.
//
// Flows that use the same places in the same way form one class, with one rate. A flow that starts
// or ends changes the rates of the flows that share a full place with it, of those that share one
// with these, and so on, as far as rates change. Only these rates are computed again.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace terrace::simulate {

/// A flow's load on one place that it shares with others.
struct ResourceShare {
  std::uint32_t resource = 0;
  double busy = 0;  ///< ns for each byte of the flow; a resource can be busy for 1 ns each ns

  bool operator==(const ResourceShare&) const = default;
};

class Rates {
 public:
  explicit Rates(std::uint32_t resources) : resources_(resources) {}

  /// Flows that use places so, each at most `cap` bytes a ns. Classes are numbered from 0.
  std::uint32_t add_class(double cap, std::span<const ResourceShare> shares);
  /// Sets the number of flows of the class that are under way.
  void set_members(std::uint32_t number, std::size_t members);

  /// Works out what has changed since the last time; `changed` gets the classes with another rate
  /// or another number of members, but for those without.
  void share_out(std::vector<std::uint32_t>& changed);
  /// Works out all classes anew, whatever has changed: what `share_out` is tested against.
  void share_out_anew();

  /// Bytes a ns of each flow of the class, when they were shared out last; 0 without members.
  double rate(std::uint32_t number) const { return classes_[number].rate; }
  std::span<const ResourceShare> shares(std::uint32_t number) const {
    return {shares_.data() + classes_[number].first_share, classes_[number].share_count};
  }
  /// Memory taken.
  std::size_t bytes() const;

 private:
  struct Class {
    double cap = 0;
    double rate = 0;
    double found = 0;  ///< the rate while rates are worked out
    double members = 0;
    std::uint32_t first_share = 0, share_count = 0;
    bool is_touched = false;  ///< members have come or gone
    bool is_taken = false;    ///< its rate is being worked out
    bool is_settled = false;  ///< and is found
  };
  struct User {
    std::uint32_t number = 0;  ///< of a class with members
    double busy = 0;
  };
  struct Resource {
    std::vector<User> users;
    bool is_full = false;
    // While rates are computed: the capacity left, the demand of classes without a rate, per byte
    // of a flow, the number of these classes, and the rate at which the resource became full.
    bool is_used = false;
    double left = 1, wanted = 0, level = 0;
    std::uint32_t classes = 0;
  };
  /// A limit that stops rates from rising: a class's cap, or a full resource.
  struct Stop {
    double level = 0;
    std::uint32_t number = 0;
    bool is_cap = false;
  };

  void take(std::uint32_t number);
  void take_users(const Resource& resource);
  void take_touched();
  void take_all();
  void work_out();
  void fill();
  void use(std::uint32_t number);
  void stop_at(const Stop& stop, double& level);
  void settle(Class& one, double rate);
  bool spread();
  bool reaches_others(const Resource& resource) const;
  void adopt(std::vector<std::uint32_t>& changed);
  void remove_user(std::uint32_t resource, std::uint32_t number);

  std::vector<Class> classes_;
  std::vector<ResourceShare> shares_;  ///< of all classes, one after the other
  std::vector<Resource> resources_;
  std::vector<std::uint32_t> touched_, taken_;
  std::vector<std::uint32_t> used_;  ///< resources of the classes that are taken
  std::vector<Stop> stops_;          ///< a heap, the lowest first
  std::size_t settled_ = 0;
};

}  // namespace terrace::simulate
