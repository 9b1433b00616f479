// SPDX-License-Identifier: BSD-3-Clause
// Distances: the places of a call's ranks on a machine model, looked up once: how far any two are
// from each other, and what they share on the way. Only for this folder.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/locality.hpp"
#include "base/rank.hpp"
#include "model/machine_model.hpp"

namespace terrace::model {

/// Something that serves one after the other: when it is free again.
using Server = std::uint32_t;

/// The servers that a value passes on its way: none, one, or the ports of both ends.
struct ServerPath {
  Server servers[2];
  std::uint32_t count = 0;
};

class RankDistances {
 public:
  RankDistances(const MachineModel& model, std::span<const Locality> ranks);

  Rank rank_count() const { return rank_count_; }
  const MachineModel& model() const { return model_; }
  /// Index into the model's distances; of ranks of different nodes, the furthest.
  std::uint32_t distance(Rank a, Rank b) const { return distance_[a * rank_count_ + b]; }
  std::uint32_t index_of(const Distance& distance) const {
    return static_cast<std::uint32_t>(&distance - model_.distances.data());
  }
  const Distance& between(Rank a, Rank b) const { return model_.distances[distance(a, b)]; }
  std::uint32_t network(Rank a, Rank b) const;

  /// Ranks that share a cache of the last level; a number in the job.
  std::uint32_t domain(Rank rank) const { return domain_[rank]; }
  std::uint32_t domain_count() const { return static_cast<std::uint32_t>(first_of_.size()); }
  /// Within its node, below 64 as far as any machine has so few.
  std::uint32_t domain_on_node(Rank rank) const { return domain_on_node_[rank]; }
  Rank first_of(std::uint32_t domain) const { return first_of_[domain]; }
  Rank last_of(std::uint32_t domain) const { return last_of_[domain]; }
  std::uint32_t first_domain_of_node(Rank rank) const { return first_domain_[rank]; }
  std::uint32_t node(Rank rank) const { return node_[rank]; }

  ServerPath way(Rank from, Rank to) const;
  Server memory_of(Rank rank) const { return memory_[rank]; }
  Server cache_of(Rank rank) const { return first_cache_ + domain_[rank]; }
  Server sending(Rank rank) const { return first_node_ + 2 * node_[rank]; }
  Server receiving(Rank rank) const { return first_node_ + 2 * node_[rank] + 1; }
  std::uint32_t server_count() const { return server_count_; }

 private:
  void find_domains(std::span<const Locality> ranks);
  void find_distances(std::span<const Locality> ranks);
  void find_links(std::span<const Locality> ranks);

  /// The links of one distance, and in which of its parts each rank is.
  struct Links {
    Server first = 0;
    std::uint32_t part_count = 0;
    std::vector<std::uint32_t> part;
  };

  const MachineModel& model_;
  std::span<const Locality> localities_;
  Rank rank_count_;
  std::uint32_t server_count_ = 0;
  std::vector<std::uint8_t> distance_;
  std::vector<std::uint32_t> domain_, domain_on_node_, first_domain_, node_;
  std::vector<Rank> first_of_, last_of_;
  std::vector<Links> links_;
  std::vector<Server> memory_;
  Server first_cache_ = 0, first_node_ = 0;
};

}  // namespace terrace::model
