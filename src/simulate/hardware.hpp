// SPDX-License-Identifier: BSD-3-Clause
// Hardware: a machine model as the simulator uses it, looked up once for the ranks of one node:
// the distance of any two, the caches that they share, and what a transfer between two places
// occupies.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/locality.hpp"
#include "base/rank.hpp"
#include "base/result.hpp"
#include "model/machine_model.hpp"
#include "simulate/flows.hpp"

namespace terrace::simulate {

/// Ranks that share a cache of the last level. A number on the node.
using Domain = std::uint32_t;

class Hardware {
 public:
  /// Sharers of a value are a word of one bit a domain.
  static constexpr Domain kMostDomains = 64;

  /// Errors: argument, if the model says nothing of caches or distances, or has more domains.
  static Result<Hardware> of(const model::MachineModel& model, std::span<const Locality> ranks);

  Rank rank_count() const { return static_cast<Rank>(domain_of_.size()); }
  Domain domain_count() const { return static_cast<Domain>(members_of_.size()); }
  Domain domain_of(Rank rank) const { return domain_of_[rank]; }
  std::span<const Rank> members_of(Domain domain) const { return members_of_[domain]; }

  /// Index into `distances`.
  std::uint32_t distance(Rank a, Rank b) const { return between_[a * rank_count() + b]; }
  const model::Distance& distance_at(std::uint32_t index) const { return model_.distances[index]; }
  std::uint32_t distance_count() const {
    return static_cast<std::uint32_t>(model_.distances.size());
  }
  /// The other domains in the order in which a rank of `domain` would ask them for a line.
  std::span<const Domain> nearest_to(Domain domain) const { return nearest_[domain]; }

  const model::MachineModel& model() const { return model_; }
  double line_bytes() const { return model_.line_bytes; }
  /// Lines that `bytes` take, begun ones included.
  double lines(double bytes) const;

  /// Room for values in a rank's own caches, and in those of a domain, in lines.
  double private_lines() const { return private_lines_; }
  double domain_lines() const { return domain_lines_; }
  /// The cost of reading `lines` lines that lie in a rank's own caches: the first, and each of the
  /// others.
  const model::Cache& private_cache(double lines) const;
  const model::Cache& last_cache() const { return model_.caches.back(); }

  std::uint32_t resource_count() const {
    return static_cast<std::uint32_t>(resource_names_.size());
  }
  const std::string& resource_name(std::uint32_t resource) const {
    return resource_names_[resource];
  }
  /// Adds to `shares` what `bytes` bytes from one domain's caches to a rank keep busy (in ns).
  void add_transfer(Rank from, Rank to, double bytes, std::vector<ResourceShare>& shares) const;
  /// Bytes of the own domain's last cache.
  void add_cache(Domain domain, double bytes, std::vector<ResourceShare>& shares) const;
  /// Bytes that the memory near `home` gives or takes, for `rank`.
  void add_memory(Rank home, Rank rank, double bytes, std::vector<ResourceShare>& shares) const;

 private:
  explicit Hardware(const model::MachineModel& model) : model_(model) {}
  void find_domains(std::span<const Locality> ranks);
  void find_distances(std::span<const Locality> ranks);
  void find_links(std::span<const Locality> ranks);
  void find_memories(std::span<const Locality> ranks);
  void measure_caches();
  std::uint32_t resource_named(const std::string& name);
  void add_link(const model::Distance& distance, const Locality& from, const Locality& to,
                std::vector<ResourceShare>& link);
  void add_ports(const Locality& from, const Locality& to, std::vector<ResourceShare>& link);
  static void add(std::uint32_t resource, double ns, std::vector<ResourceShare>& shares);

  model::MachineModel model_;
  std::vector<Domain> domain_of_;
  std::vector<std::vector<Rank>> members_of_;
  std::vector<std::vector<Domain>> nearest_;
  std::vector<std::uint8_t> between_;
  std::vector<std::vector<ResourceShare>>
      links_;                          ///< from domain to domain: what a line keeps busy
  std::vector<std::uint32_t> cache_;   ///< each domain's last cache
  std::vector<std::uint32_t> memory_;  ///< near each rank
  std::vector<std::string> resource_names_;
  std::unordered_map<std::string, std::uint32_t> resources_;
  double private_lines_ = 0, domain_lines_ = 0;
};

}  // namespace terrace::simulate
