// SPDX-License-Identifier: BSD-3-Clause
// A class's time advances when something happens to it: its progress since the last event is its
// rate times the elapsed time.
#include "simulate/flows.hpp"

#include <algorithm>
#include <bit>

#include "base/contract.hpp"

namespace terrace::simulate {

namespace {

/// Flows that would end within that of each other, in ns, end together.
constexpr double kTogether = 1e-6;
/// Times are exact to that share of them, and more.
constexpr double kRounding = 1e-14;

}  // namespace

std::size_t Flows::KindHash::operator()(const Kind& kind) const {
  std::uint64_t hash = std::bit_cast<std::uint64_t>(kind.cap);
  const auto mix = [&hash](std::uint64_t word) {
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 29;
  };
  for (const ResourceShare& share : kind.shares) {
    mix(share.resource);
    mix(std::bit_cast<std::uint64_t>(share.busy));
  }
  return hash;
}

bool Flows::ends_later(const Member& a, const Member& b) {
  return a.end != b.end ? a.end > b.end : a.order > b.order;
}

std::uint32_t Flows::class_of(double cap, const std::vector<ResourceShare>& shares) {
  asked_.cap = cap;
  asked_.shares.assign(shares.begin(), shares.end());
  if (const auto found = index_.find(asked_); found != index_.end()) return found->second;
  const std::uint32_t number = rates_.add_class(cap, shares);
  classes_.emplace_back();
  index_.emplace(asked_, number);
  return number;
}

void Flows::start(double now, std::uint32_t owner, double bytes, double cap,
                  const std::vector<ResourceShare>& shares) {
  advance(now);
  TERRACE_ASSERT(bytes > 0 && cap > 0, owner);
  const std::uint32_t number = class_of(cap, shares);
  Class& one = classes_[number];
  bring_forward(one);
  if (one.members.empty()) one.done = 0;
  one.members.push_back({one.done + bytes, order_++, owner});
  std::push_heap(one.members.begin(), one.members.end(), ends_later);
  rates_.set_members(number, one.members.size());
  is_stale_ = true;
}

/// Rates are worked out here, once for all that have come and gone at the same time.
double Flows::next_end() {
  if (is_stale_) share_out();
  return std::max(time_, endings_.time());
}

void Flows::end(double now, std::vector<std::uint32_t>& owners) {
  advance(now);
  const double tolerance = kTogether + now * kRounding;
  ended_.clear();
  while (endings_.time() <= now + tolerance) end_some(endings_.which(), tolerance);
  std::sort(ended_.begin(), ended_.end(),
            [](const Member& a, const Member& b) { return a.order < b.order; });
  for (const Member& member : ended_) owners.push_back(member.owner);
}

/// The next member of the class, and those that end with it.
void Flows::end_some(std::uint32_t number, double tolerance) {
  Class& one = classes_[number];
  bring_forward(one);
  const double end =
      std::max(one.members.front().end, one.done + one.rate * tolerance + one.done * 1e-12);
  while (!one.members.empty() && one.members.front().end <= end) {
    ended_.push_back(one.members.front());
    std::pop_heap(one.members.begin(), one.members.end(), ends_later);
    one.members.pop_back();
  }
  endings_.set(number, kNever);  // until rates have been shared out
  rates_.set_members(number, one.members.size());
  is_stale_ = true;
}

void Flows::advance(double now) {
  TERRACE_ASSERT(now >= time_);
  if (now == time_) return;
  if (is_stale_) share_out();
  time_ = now;
}

void Flows::bring_forward(Class& one) const {
  TERRACE_ASSERT(time_ >= one.since);
  const double bytes = one.rate * (time_ - one.since);
  one.done += bytes;
  one.moved += bytes * static_cast<double>(one.members.size());
  one.since = time_;
}

void Flows::share_out() {
  changed_.clear();
  rates_.share_out(changed_);
  for (const std::uint32_t number : changed_) {
    bring_forward(classes_[number]);
    classes_[number].rate = rates_.rate(number);
    foresee(number);
  }
  is_stale_ = false;
}

void Flows::foresee(std::uint32_t number) {
  const Class& one = classes_[number];
  TERRACE_ASSERT(!one.members.empty() && one.rate > 0, number);
  endings_.set(number, time_ + (one.members.front().end - one.done) / one.rate);
}

double Flows::busy(std::uint32_t resource) const {
  double busy = 0;
  for (std::uint32_t number = 0; number < classes_.size(); ++number) {
    Class one = classes_[number];
    bring_forward(one);
    for (const ResourceShare& share : rates_.shares(number))
      if (share.resource == resource) busy += share.busy * one.moved;
  }
  return busy;
}

std::size_t Flows::bytes() const {
  std::size_t total = classes_.capacity() * sizeof(Class) + endings_.bytes() + rates_.bytes();
  for (const Class& one : classes_) total += one.members.capacity() * sizeof(Member);
  for (const auto& [kind, number] : index_) total += kind.shares.capacity() * sizeof(ResourceShare);
  return total;
}

}  // namespace terrace::simulate
