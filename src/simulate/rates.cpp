// SPDX-License-Identifier: BSD-3-Clause
// Progressive filling: the rates of all given classes rise together; when a place is full, the
// classes that use it keep their rate, and the others go on rising; a class at its own cap stays
// there. Other classes keep their rates. If that turns out to be unfair, they are added, and all is
// filled again.
#include "simulate/rates.hpp"

#include <algorithm>
#include <cmath>

#include "base/contract.hpp"

namespace terrace::simulate {

namespace {

/// Two rates are the same if they differ by rounding only.
constexpr double kSame = 1e-12;
/// A place is full if no more than that is left of it.
constexpr double kFull = 1e-9;
/// After this many fillings all classes have a rate.
constexpr int kMostFillings = 6;

constexpr double kNever = std::numeric_limits<double>::infinity();

bool differs(double rate, double other) {
  return std::abs(rate - other) > kSame * std::max(rate, other);
}

}  // namespace

std::uint32_t Rates::add_class(double cap, std::span<const ResourceShare> shares) {
  TERRACE_ASSERT(std::all_of(shares.begin(), shares.end(), [&](const ResourceShare& share) {
    return share.resource < resources_.size() && share.busy >= 0;
  }));
  Class one;
  one.cap = cap;
  one.first_share = static_cast<std::uint32_t>(shares_.size());
  one.share_count = static_cast<std::uint32_t>(shares.size());
  shares_.insert(shares_.end(), shares.begin(), shares.end());
  classes_.push_back(one);
  return static_cast<std::uint32_t>(classes_.size() - 1);
}

void Rates::set_members(std::uint32_t number, std::size_t members) {
  TERRACE_ASSERT(number < classes_.size(), number, classes_.size());
  Class& one = classes_[number];
  const bool was_there = one.members != 0;
  one.members = static_cast<double>(members);
  if (!one.is_touched) touched_.push_back(number);
  one.is_touched = true;
  if (was_there == (members != 0)) return;
  one.rate = 0;
  for (const ResourceShare& share : shares(number))
    if (was_there)
      remove_user(share.resource, number);
    else
      resources_[share.resource].users.push_back({number, share.busy});
}

void Rates::remove_user(std::uint32_t resource, std::uint32_t number) {
  std::vector<User>& users = resources_[resource].users;
  const auto found = std::find_if(users.begin(), users.end(),
                                  [number](const User& user) { return user.number == number; });
  TERRACE_REQUIRE(found != users.end(), resource, number);
  *found = users.back();
  users.pop_back();
}

void Rates::share_out(std::vector<std::uint32_t>& changed) {
  take_touched();
  for (int fillings = 0;; ++fillings) {
    if (fillings == kMostFillings) take_all();
    fill();
    if (!spread()) break;
  }
  adopt(changed);
}

void Rates::share_out_anew() {
  std::vector<std::uint32_t> changed;
  take_touched();
  take_all();
  fill();
  adopt(changed);
}

// ---------------------------------------------------------------------------------------------
// The classes at hand.

void Rates::take(std::uint32_t number) {
  Class& one = classes_[number];
  if (one.is_taken) return;
  one.is_taken = true;
  taken_.push_back(number);
}

void Rates::take_users(const Resource& resource) {
  for (const User& user : resource.users) take(user.number);
}

void Rates::take_all() {
  for (std::uint32_t number = 0; number < classes_.size(); ++number)
    if (classes_[number].members != 0) take(number);
}

/// Takes the classes that have come and gone, and those that share a full place with them.
void Rates::take_touched() {
  for (const std::uint32_t number : touched_) {
    if (classes_[number].members != 0) take(number);
    for (const ResourceShare& share : shares(number)) {
      Resource& resource = resources_[share.resource];
      if (resource.is_full) take_users(resource);
      if (resource.users.empty()) resource.is_full = false;
    }
  }
}

/// Marks the classes whose rates must change. False if there are none.
bool Rates::spread() {
  const std::size_t before = taken_.size();
  for (const std::uint32_t index : used_)
    if (reaches_others(resources_[index])) take_users(resources_[index]);
  return taken_.size() != before;
}

/// Whether the taken classes reach others: they take a place from others who go faster; or they
/// leave or take something of one that was full, which may be what held up the others.
bool Rates::reaches_others(const Resource& resource) const {
  bool has_changed = false;
  double fastest = 0;
  for (const User& user : resource.users) {
    const Class& one = classes_[user.number];
    if (one.is_taken)
      has_changed = has_changed || differs(one.found, one.rate);
    else
      fastest = std::max(fastest, one.rate);
  }
  if (fastest == 0) return false;
  return (resource.is_full && has_changed) || resource.level * (1 + kSame) < fastest;
}

// ---------------------------------------------------------------------------------------------
// Filling.

void Rates::fill() {
  used_.clear();
  stops_.clear();
  for (const std::uint32_t number : taken_) use(number);
  for (const std::uint32_t index : used_)
    stops_.push_back({resources_[index].left / resources_[index].wanted, index, false});
  for (const std::uint32_t index : used_) resources_[index].is_used = false;
  const auto is_higher = [](const Stop& a, const Stop& b) { return a.level > b.level; };
  std::make_heap(stops_.begin(), stops_.end(), is_higher);
  double level = 0;
  for (settled_ = 0; settled_ < taken_.size();) {
    std::pop_heap(stops_.begin(), stops_.end(), is_higher);
    Stop& stop = stops_.back();
    const Resource& resource = resources_[stop.is_cap ? 0 : stop.number];
    // Others have found their rates since, so that it takes longer to be full.
    if (!stop.is_cap && resource.classes != 0 && resource.left / resource.wanted > stop.level) {
      stop.level = resource.left / resource.wanted;
      std::push_heap(stops_.begin(), stops_.end(), is_higher);
      continue;
    }
    const Stop next = stop;
    stops_.pop_back();
    stop_at(next, level);
  }
}

void Rates::use(std::uint32_t number) {
  Class& one = classes_[number];
  one.is_settled = false;
  stops_.push_back({one.cap, number, true});
  for (const ResourceShare& share : shares(number)) {
    Resource& resource = resources_[share.resource];
    if (resource.is_used) continue;
    resource.is_used = true;
    used_.push_back(share.resource);
    resource.left = 1;
    resource.wanted = 0;
    resource.classes = 0;
    resource.level = kNever;
    for (const User& user : resource.users) {
      const Class& its = classes_[user.number];
      const double wanted = user.busy * its.members;
      if (!its.is_taken) {
        resource.left -= wanted * its.rate;
        continue;
      }
      resource.wanted += wanted;
      ++resource.classes;
    }
    resource.left = std::max(resource.left, 0.0);
  }
}

/// Rounding must not make a rate of 0, so levels do not fall.
void Rates::stop_at(const Stop& stop, double& level) {
  if (stop.is_cap) {
    Class& one = classes_[stop.number];
    if (one.is_settled) return;
    level = std::max(level, stop.level);
    return settle(one, one.cap);
  }
  Resource& resource = resources_[stop.number];
  if (resource.classes == 0) return;
  level = std::max(level, stop.level);
  resource.level = level;
  for (const User& user : resource.users) {
    Class& one = classes_[user.number];
    if (one.is_taken && !one.is_settled) settle(one, std::min(level, one.cap));
  }
}

void Rates::settle(Class& one, double rate) {
  one.is_settled = true;
  one.found = rate;
  ++settled_;
  for (std::uint32_t i = 0; i < one.share_count; ++i) {
    const ResourceShare& share = shares_[one.first_share + i];
    Resource& resource = resources_[share.resource];
    const double wanted = share.busy * one.members;
    resource.left = std::max(resource.left - wanted * rate, 0.0);
    resource.wanted -= wanted;
    --resource.classes;
  }
}

void Rates::adopt(std::vector<std::uint32_t>& changed) {
  for (const std::uint32_t number : taken_) {
    Class& one = classes_[number];
    if (one.is_touched || differs(one.found, one.rate)) changed.push_back(number);
    if (differs(one.found, one.rate)) one.rate = one.found;
    one.is_taken = false;
  }
  for (const std::uint32_t index : used_)
    resources_[index].is_full = resources_[index].left < kFull;
  for (const std::uint32_t number : touched_) classes_[number].is_touched = false;
  taken_.clear();
  touched_.clear();
}

std::size_t Rates::bytes() const {
  std::size_t total = classes_.capacity() * sizeof(Class) +
                      shares_.capacity() * sizeof(ResourceShare) +
                      resources_.capacity() * sizeof(Resource);
  for (const Resource& one : resources_) total += one.users.capacity() * sizeof(User);
  return total;
}

}  // namespace terrace::simulate
