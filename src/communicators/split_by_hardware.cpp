// SPDX-License-Identifier: BSD-3-Clause
// Reads what a rank asks for, and divides its communicator.
#include "communicators/split_by_hardware.hpp"

#include "communicators/names.hpp"

namespace terrace::communicators {

namespace {

/// One child for all ranks, or one for each.
std::vector<Child> set_of(const std::string& name, std::size_t ranks) {
  std::vector<Child> children;
  for (Rank rank = 0; rank < ranks; ++rank) {
    if (children.empty() || name == kSelfSet) children.push_back({name, {}});
    children.back().ranks.push_back(rank);
  }
  return children;
}

}  // namespace

bool is_guided(int split_type) {
  return split_type == kHwGuided || split_type == kResourceGuided;
}

void read_guidance(SplitWish& wish, const std::optional<std::string>& type,
                   std::optional<std::string> set) {
  if (wish.split_type != kResourceGuided) set.reset();
  if (type && set)
    wish.reject(std::string("the info object has both ") + kResourceKey + " and " + kSetKey +
                ": give one of them");
  if (!type && !set) wish.is_out = true;
  if (wish.is_out || wish.failure != Failure::none) return;
  const std::string& name = type ? *type : *set;
  const bool is_kept =
      (type && name == kSharedMemory) || (set && (name == kWorldSet || name == kSelfSet));
  // Process sets have URIs; those of hwloc's are the instances of its types.
  const bool is_name = type || name.starts_with("hwloc://");
  const std::string level = is_name ? level_of_mpis_name(name) : "";
  wish.request.level = is_kept ? name : level.empty() ? kNoLevel : level;
}

std::vector<Child> guided_children(std::span<const Record> records, const SplitRequest& request) {
  if (request.level == kWorldSet || request.level == kSelfSet)
    return set_of(request.level, records.size());
  return instances_of(localities_of(records, Unbound::are_in_instances), request.level);
}

void leave_out(std::span<const Record> records, std::vector<Child>& children) {
  for (Child& child : children)
    std::erase_if(child.ranks, [&](Rank rank) { return records[rank].is_out != 0; });
  std::erase_if(children, [](const Child& child) { return child.ranks.empty(); });
}

}  // namespace terrace::communicators
