// SPDX-License-Identifier: BSD-3-Clause
// Asks the operating system which host and process this is, and where it is bound.
#include "preload/setup/rank_info.hpp"

#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <fstream>

#include "base/contract.hpp"
#include "base/fixed_text.hpp"
#include "base/hash.hpp"
#include "base/host.hpp"
#include "base/locality.hpp"
#include "engine/machine_watch.hpp"
#include "os/quota.hpp"
#include "preload/lookup/symbol_lookup.hpp"
#include "preload/mpi/settings.hpp"
#include "preload/mpi/trace.hpp"
#include "preload/setup/job_ranks.hpp"
#include "preload/setup/short_lived_comms.hpp"
#include "preload/transport/device_memory.hpp"
#include "preload/transport/peer_heaps.hpp"

namespace terrace::preload {

namespace {

std::uint64_t process_namespace() {
  struct stat status {};
  return stat("/proc/self/ns/pid", &status) == 0 ? status.st_ino : 0;
}

std::array<std::uint64_t, 16> own_binding() {
  std::array<std::uint64_t, 16> binding{};
  cpu_set_t set;
  static_assert(sizeof set == sizeof binding);
  if (sched_getaffinity(0, sizeof set, &set) == 0) std::memcpy(&binding, &set, sizeof set);
  return binding;
}

std::string first_line_of(const char* path) {
  std::string line;
  std::getline(std::ifstream(path), line);
  return line;
}

/// A session, where the kernel groups tasks by these (CONFIG_SCHED_AUTOGROUP), and control groups.
std::uint64_t scheduling_group() {
  const bool has_autogroups = first_line_of("/proc/sys/kernel/sched_autogroup_enabled") == "1";
  const std::string session = has_autogroups ? first_line_of("/proc/self/autogroup") : "";
  return hash_of(session + "\n" + cpu_groups());
}

/// Fills in what stays as it is, in a rank info that has nothing else.
RankInfo info_of_system() {
  RankInfo system;
  put_text(system.stamp, build_stamp());
  put_text(system.host, host_name());
  put_text(system.boot, boot_id());
  system.process_space = process_namespace();
  system.scheduling_group = scheduling_group();
  return system;
}

std::string rank_text(std::size_t rank) {
  return "rank " + std::to_string(rank);
}

/// Why ranks of several nodes do not compose calls; "" if all of them ask for it.
std::string objection_across_nodes(std::span<const RankInfo> ranks) {
  const auto asks = [](const RankInfo& one) { return one.asks_across_nodes != 0; };
  const auto silent = std::find_if_not(ranks.begin(), ranks.end(), asks);
  const auto threaded = std::find_if(
      ranks.begin(), ranks.end(), [](const RankInfo& one) { return one.has_threads_in_mpi != 0; });
  if (silent == ranks.end() && threaded == ranks.end()) return "";
  const std::string why = kSeveralNodes;
  if (std::none_of(ranks.begin(), ranks.end(), asks)) return why;
  if (silent != ranks.end())
    return why + ", and " + rank_text(static_cast<std::size_t>(silent - ranks.begin())) +
           " is without TERRACE_ACROSS_NODES=1";
  return why + ", and " + rank_text(static_cast<std::size_t>(threaded - ranks.begin())) +
         " calls MPI in several threads";
}

}  // namespace

bool is_same_system(const RankInfo& a, const RankInfo& b) {
  return a.host == b.host && a.boot == b.boot && a.process_space == b.process_space;
}

RankInfo own_rank_info(const std::string& communicator) {
  RankInfo own;
  static const RankInfo system = info_of_system();
  own.stamp = system.stamp;
  own.host = system.host;
  own.boot = system.boot;
  own.process_space = system.process_space;
  own.scheduling_group = system.scheduling_group;
  own.process = getpid();
  own.is_off = is_switched_off();
  own.is_off_here = is_switched_off_for(communicator);
  own.is_virtual = is_virtual_machine();
  own.expects_short_life = are_lives_short() && are_trials_wanted();
  own.has_unknown_gpu = !unknown_device_runtime().empty();
  own.wants_plan = !plan_path().empty();
  own.is_recorded = recorder() != nullptr;
  own.asks_across_nodes = is_across_nodes_wanted();
  own.ranks_on_node = ranks_on_node();
  own.pus_of_job = pus_of_job();
  own.binding = own_binding();
  put_text(own.locality, cut_to(own.locality.size() - 1, locality_text()));
  own.heap = own_heap_address();
  own.proof = own_proof();
  return own;
}

void require_sound(const RankInfo& info) {
  TERRACE_REQUIRE(info.process > 0 && info.pus_of_job > 0, info.process, info.pus_of_job);
  TERRACE_REQUIRE(info.host.back() == '\0' && info.boot.back() == '\0', info.process);
  TERRACE_REQUIRE(info.stamp.back() == '\0' && info.locality.back() == '\0', info.process);
  TERRACE_REQUIRE(info.proof.address != 0, info.process, info.proof.value);
}

std::string objection(std::span<const RankInfo> ranks) {
  bool are_together = true;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    const RankInfo& one = ranks[rank];
    if (one.stamp != ranks[0].stamp) return rank_text(rank) + " has another build of Terrace";
    if (one.is_off) return "TERRACE=off at " + rank_text(rank);
    if (one.is_off_here) return "TERRACE_OFF_COMMUNICATORS at " + rank_text(rank);
    if (one.lacks_communicator)
      return "the MPI of " + rank_text(rank) + " has no communicator left for Terrace";
    if (one.has_unknown_gpu)
      return "a GPU runtime that Terrace cannot ask is loaded at " + rank_text(rank);
    are_together = are_together && is_same_system(one, ranks[0]);
  }
  return are_together ? "" : objection_across_nodes(ranks);
}

NodeLayout layout_of_nodes(std::span<const RankInfo> ranks) {
  NodeLayout layout;
  for (Rank rank = 0; rank < ranks.size(); ++rank) {
    auto& nodes = layout.ranks_of;
    auto node = std::find_if(nodes.begin(), nodes.end(), [&](const std::vector<Rank>& others) {
      return is_same_system(ranks[others.front()], ranks[rank]);
    });
    if (node == nodes.end()) {
      node = nodes.insert(nodes.end(), std::vector<Rank>());
      layout.hosts.push_back(text_in(ranks[rank].host));
    }
    layout.node_of.push_back(static_cast<Rank>(node - nodes.begin()));
    layout.place_of.push_back(static_cast<Rank>(node->size()));
    node->push_back(rank);
  }
  const auto [least, most] =
      std::minmax_element(layout.ranks_of.begin(), layout.ranks_of.end(),
                          [](const auto& a, const auto& b) { return a.size() < b.size(); });
  layout.least_ranks = least->size();
  layout.most_ranks = most->size();
  return layout;
}

bool are_recorded(std::span<const RankInfo> ranks) {
  return std::all_of(ranks.begin(), ranks.end(),
                     [](const RankInfo& one) { return one.is_recorded != 0; });
}

std::uint64_t facts_of(std::span<const RankInfo> ranks) {
  Hash facts;
  for (const RankInfo& one : ranks) {
    for (const std::uint64_t number :
         {one.scheduling_group, std::uint64_t{one.is_virtual}, std::uint64_t{one.ranks_on_node},
          std::uint64_t{one.pus_of_job}, static_cast<std::uint64_t>(one.process),
          hash_of(text_in(one.locality)), static_cast<std::uint64_t>(one.heap.file), one.heap.inode,
          one.heap.begin, one.heap.bytes})
      facts.add(number);
    for (const std::uint64_t word : one.binding) facts.add(word);
  }
  return facts.value();
}

Hierarchy hierarchy_of(std::span<const RankInfo> ranks) {
  std::vector<Locality> localities;
  for (const RankInfo& one : ranks) {
    const std::string text = text_in(one.locality);
    Result<Locality> locality = locality_from_text(text);
    if (text.empty() || !locality) return flat_hierarchy(static_cast<Rank>(ranks.size()));
    localities.push_back(std::move(locality).value());
  }
  return terrace::hierarchy_of(localities);
}

Hierarchy hierarchy_over_nodes(std::span<const RankInfo> ranks, std::span<const Rank> node_of) {
  std::vector<Locality> localities;
  bool all_know = true;
  for (const RankInfo& one : ranks) {
    const std::string text = text_in(one.locality);
    Result<Locality> locality = locality_from_text(text);
    all_know = all_know && !text.empty() && locality;
    localities.push_back(locality ? std::move(locality).value() : Locality{});
  }
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    std::vector<LevelPlace>& places = localities[rank].places;
    const auto node = std::find_if(places.begin(), places.end(),
                                   [](const LevelPlace& place) { return place.level == "node"; });
    if (!all_know) places.clear();
    if (all_know && node != places.end()) places.erase(places.begin(), node + 1);
    places.insert(places.begin(), {"node", node_of[rank]});
  }
  return terrace::hierarchy_of(localities);
}

CpuDemand cpu_demand_of(std::span<const RankInfo> ranks) {
  CpuDemand job{static_cast<std::uint32_t>(ranks.size()), ranks[0].pus_of_job};
  std::array<std::uint64_t, 16> together{};
  for (const RankInfo& one : ranks) {
    job.ranks = std::max(job.ranks, one.ranks_on_node);
    job.pus = std::min(job.pus, one.pus_of_job);
    for (std::size_t word = 0; word < together.size(); ++word) together[word] |= one.binding[word];
  }
  CpuDemand team{static_cast<std::uint32_t>(ranks.size()), 0};
  for (const std::uint64_t word : together)
    team.pus += static_cast<std::uint32_t>(std::popcount(word));
  const bool is_tighter = team.pus > 0 && team.is_oversubscribed() && !job.is_oversubscribed();
  return is_tighter ? team : job;
}

bool are_free_to_move(std::span<const RankInfo> ranks) {
  return std::any_of(ranks.begin(), ranks.end(), [](const RankInfo& one) {
    int pus = 0;
    for (const std::uint64_t word : one.binding) pus += std::popcount(word);
    return pus != 1 || one.is_virtual != 0;
  });
}

bool are_scheduled_together(std::span<const RankInfo> ranks) {
  return std::all_of(ranks.begin(), ranks.end(), [&](const RankInfo& one) {
    return one.scheduling_group == ranks.front().scheduling_group;
  });
}

}  // namespace terrace::preload
