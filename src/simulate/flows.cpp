// SPDX-License-Identifier: BSD-3-Clause
// Rates by progressive filling: all flows' rates rise together; when a place is full, the flows
// through it keep their rate, and the others go on rising; a flow at its own cap stays there.
#include "simulate/flows.hpp"

#include <algorithm>
#include <bit>

namespace terrace::simulate {

namespace {

constexpr std::uint32_t kNone = ~0u;

/// Flows that would end within that of each other, in ns, end together.
constexpr double kTogether = 1e-6;

}  // namespace

std::size_t Flows::KindHash::operator()(const Kind& kind) const {
  std::uint64_t hash = std::bit_cast<std::uint64_t>(kind.cap);
  const auto mix = [&hash](std::uint64_t word) {
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 29;
  };
  for (const Share& share : kind.shares) {
    mix(share.resource);
    mix(std::bit_cast<std::uint64_t>(share.busy));
  }
  return hash;
}

bool Flows::ends_later(const Member& a, const Member& b) {
  return a.end != b.end ? a.end > b.end : a.order > b.order;
}

Flows::Class& Flows::class_of(double cap, const std::vector<Share>& shares) {
  const auto next = static_cast<std::uint32_t>(classes_.size());
  const auto [found, is_new] = index_.try_emplace({cap, shares}, next);
  if (is_new) {
    classes_.emplace_back();
    classes_.back().kind = found->first;
  }
  Class& one = classes_[found->second];
  if (one.members.empty()) {
    active_.push_back(found->second);
    one.done = 0;
    one.rate = 0;
  }
  return one;
}

void Flows::start(double now, std::uint32_t owner, double bytes, double cap,
                  const std::vector<Share>& shares) {
  advance(now);
  Class& one = class_of(cap, shares);
  one.members.push_back({one.done + bytes, order_++, owner});
  std::push_heap(one.members.begin(), one.members.end(), ends_later);
  is_stale_ = true;
}

/// Rates are worked out here, once for all that have come and gone at the same time.
double Flows::next_end() {
  if (is_stale_) share_out();
  double next = kNever;
  for (const std::uint32_t index : active_) {
    const Class& one = classes_[index];
    next = std::min(next, time_ + (one.members.front().end - one.done) / one.rate);
  }
  return next;
}

void Flows::end(double now, std::vector<std::uint32_t>& owners) {
  advance(now);
  std::vector<std::pair<std::uint64_t, std::uint32_t>> ended;
  for (const std::uint32_t index : active_) {
    Class& one = classes_[index];
    while (!one.members.empty() &&
           one.members.front().end - one.done <= one.rate * kTogether + one.done * 1e-12) {
      ended.emplace_back(one.members.front().order, one.members.front().owner);
      std::pop_heap(one.members.begin(), one.members.end(), ends_later);
      one.members.pop_back();
    }
  }
  std::erase_if(active_, [this](std::uint32_t index) { return classes_[index].members.empty(); });
  std::sort(ended.begin(), ended.end());
  for (const auto& [order, owner] : ended) owners.push_back(owner);
  is_stale_ = is_stale_ || !ended.empty();
}

void Flows::advance(double now) {
  if (now == time_) return;
  if (is_stale_) share_out();
  const double passed = now - time_;
  for (const std::uint32_t index : active_) {
    Class& one = classes_[index];
    one.done += one.rate * passed;
    for (const Share& share : one.kind.shares)
      resources_[share.resource].busy +=
          share.busy * one.rate * passed * static_cast<double>(one.members.size());
  }
  time_ = now;
}

void Flows::share_out() {
  want_all();
  double level = 0;
  for (std::size_t settled = 0; settled < active_.size();) {
    std::uint32_t tightest = kNone;
    level = std::max(level, next_level(tightest));  // rounding must not make a rate of 0
    for (const std::uint32_t index : active_) {
      Class& one = classes_[index];
      const auto uses_tightest = [&](const Share& share) { return share.resource == tightest; };
      if (one.is_settled ||
          (one.kind.cap > level &&
           std::none_of(one.kind.shares.begin(), one.kind.shares.end(), uses_tightest)))
        continue;
      settle(one, std::min(level, one.kind.cap));
      ++settled;
    }
  }
  is_stale_ = false;
}

void Flows::want_all() {
  for (const std::uint32_t resource : wanted_) {
    resources_[resource].left = 1;
    resources_[resource].wanted = 0;
    resources_[resource].classes = 0;
  }
  wanted_.clear();
  for (const std::uint32_t index : active_) {
    Class& one = classes_[index];
    one.is_settled = false;
    for (const Share& share : one.kind.shares) {
      Resource& resource = resources_[share.resource];
      if (resource.classes++ == 0) wanted_.push_back(share.resource);
      resource.wanted += share.busy * static_cast<double>(one.members.size());
    }
  }
}

/// How far rates can rise before a class reaches its cap, or a resource is full: the `tightest`.
double Flows::next_level(std::uint32_t& tightest) const {
  double level = kNever;
  for (const std::uint32_t index : active_)
    if (!classes_[index].is_settled) level = std::min(level, classes_[index].kind.cap);
  for (const std::uint32_t index : wanted_) {
    const Resource& resource = resources_[index];
    if (resource.classes == 0) continue;
    const double full = std::max(resource.left, 0.0) / resource.wanted;
    if (full >= level) continue;
    level = full;
    tightest = index;
  }
  return level;
}

void Flows::settle(Class& one, double rate) {
  one.is_settled = true;
  one.rate = rate;
  for (const Share& share : one.kind.shares) {
    Resource& resource = resources_[share.resource];
    const double wanted = share.busy * static_cast<double>(one.members.size());
    resource.left -= wanted * rate;
    resource.wanted -= wanted;
    --resource.classes;
  }
}

std::size_t Flows::bytes() const {
  std::size_t total =
      classes_.capacity() * sizeof(Class) + resources_.capacity() * sizeof(Resource);
  for (const Class& one : classes_)
    total += one.members.capacity() * sizeof(Member) +
             2 * one.kind.shares.capacity() * sizeof(Share);  // here and in the index
  return total;
}

}  // namespace terrace::simulate
