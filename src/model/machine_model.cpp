// SPDX-License-Identifier: BSD-3-Clause
// Finds which of a model's distances applies to two ranks.
#include "model/machine_model.hpp"

#include <algorithm>

namespace terrace::model {

namespace {

bool share(const Locality& a, const Locality& b, std::string_view level) {
  const LevelPlace* one = place_at(a, level);
  const LevelPlace* other = place_at(b, level);
  return one != nullptr && other != nullptr && *one == *other;
}

bool fits(const Distance& distance, const Locality& a, const Locality& b) {
  if (!share(a, b, distance.level)) return false;
  if (distance.pairs.empty()) return true;
  const LevelPlace* one = place_at(a, distance.part);
  const LevelPlace* other = place_at(b, distance.part);
  return one != nullptr && other != nullptr && has_pair(distance, one->index, other->index);
}

template <class Levels, class Fits>
std::uint32_t first_that(const Levels& levels, Fits fits) {
  const auto found = std::find_if(levels.begin(), levels.end(), fits);
  const auto index = static_cast<std::uint32_t>(found - levels.begin());
  return found == levels.end() && !levels.empty() ? index - 1 : index;
}

}  // namespace

bool has_pair(const Distance& distance, std::uint64_t one, std::uint64_t other) {
  if (distance.pairs.empty()) return true;
  return std::any_of(distance.pairs.begin(), distance.pairs.end(), [&](const auto& pair) {
    return pair == std::pair(one, other) || pair == std::pair(other, one);
  });
}

const LevelPlace* place_at(const Locality& locality, std::string_view level) {
  for (const LevelPlace& place : locality.places)
    if (place.level == level) return &place;
  return nullptr;
}

bool on_one_node(const Locality& a, const Locality& b) {
  return share(a, b, "node");
}

std::uint32_t distance_between(const MachineModel& model, const Locality& a, const Locality& b) {
  return first_that(model.distances, [&](const Distance& one) { return fits(one, a, b); });
}

std::uint32_t network_between(const MachineModel& model, const Locality& a, const Locality& b) {
  return first_that(model.networks, [&](const NetworkLevel& one) {
    return one.level == kAnyTwoNodes || share(a, b, one.level);
  });
}

}  // namespace terrace::model
