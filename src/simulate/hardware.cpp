// SPDX-License-Identifier: BSD-3-Clause
// Looks up a machine model for the ranks of a node.
#include "simulate/hardware.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

namespace terrace::simulate {

namespace {

/// "package 1"; the whole node where there is no such level.
std::string name_of(const Locality& rank, const std::string& level) {
  const LevelPlace* place = model::place_at(rank, level);
  return place == nullptr ? "node" : place->level + " " + std::to_string(place->index);
}

}  // namespace

Result<Hardware> Hardware::of(const model::MachineModel& model, std::span<const Locality> ranks) {
  if (model.caches.empty() || model.distances.empty())
    return Error{ErrorCode::argument,
                 "machine model '" + model.name + "' has no caches or no distances"};
  Hardware hardware(model);
  hardware.find_domains(ranks);
  if (hardware.domain_count() > kMostDomains)
    return Error{ErrorCode::argument, "machine model '" + model.name + "' has " +
                                          std::to_string(hardware.domain_count()) +
                                          " caches of the last level on a node, and at most " +
                                          std::to_string(kMostDomains) + " can be simulated"};
  hardware.find_distances(ranks);
  hardware.find_links(ranks);
  hardware.find_memories(ranks);
  hardware.measure_caches();
  return hardware;
}

double Hardware::lines(double bytes) const {
  return std::ceil(bytes / line_bytes());
}

void Hardware::find_domains(std::span<const Locality> ranks) {
  std::map<std::string, Domain> numbers;
  for (Rank rank = 0; rank < ranks.size(); ++rank) {
    const auto next = static_cast<Domain>(members_of_.size());
    const std::string name = name_of(ranks[rank], last_cache().shared_by);
    const auto [found, is_new] = numbers.try_emplace(name, next);
    if (is_new) members_of_.emplace_back();
    members_of_[found->second].push_back(rank);
    domain_of_.push_back(found->second);
  }
}

void Hardware::find_distances(std::span<const Locality> ranks) {
  for (const Locality& a : ranks)
    for (const Locality& b : ranks)
      between_.push_back(static_cast<std::uint8_t>(model::distance_between(model_, a, b)));
  nearest_.resize(domain_count());
  for (Domain domain = 0; domain < domain_count(); ++domain) {
    for (Domain other = 0; other < domain_count(); ++other)
      if (other != domain) nearest_[domain].push_back(other);
    const Rank here = members_of_[domain].front();
    std::stable_sort(nearest_[domain].begin(), nearest_[domain].end(), [&](Domain a, Domain b) {
      return distance(here, members_of_[a].front()) < distance(here, members_of_[b].front());
    });
  }
}

std::uint32_t Hardware::resource_named(const std::string& name) {
  const auto [found, is_new] = resources_.try_emplace(name, resource_count());
  if (is_new) resource_names_.push_back(name);
  return found->second;
}

/// Within one resource of the level, all who read share it. Between two parts of it: the link of
/// the two in this direction, if they have one.
void Hardware::add_link(const model::Distance& distance, const Locality& from, const Locality& to,
                        std::vector<ResourceShare>& link) {
  const std::string a = name_of(from, distance.part), b = name_of(to, distance.part);
  if (distance.part.empty() || a == b)
    add(resource_named("inside " + name_of(to, distance.level)), distance.B, link);
  else if (distance.link == model::LinkSharing::between_two)
    add(resource_named("from " + a + " to " + b), distance.B, link);
}

/// Adds the ports of the places that are left and entered: a place that has a port sends everything
/// through it, however far it goes.
void Hardware::add_ports(const Locality& from, const Locality& to,
                         std::vector<ResourceShare>& link) {
  for (const model::Distance& distance : model_.distances) {
    const std::string a = name_of(from, distance.part), b = name_of(to, distance.part);
    if (distance.link != model::LinkSharing::at_each || a == b) continue;
    add(resource_named("out of " + a), distance.B, link);
    add(resource_named("into " + b), distance.B, link);
  }
}

void Hardware::find_links(std::span<const Locality> ranks) {
  for (Domain from = 0; from < domain_count(); ++from)
    for (Domain to = 0; to < domain_count(); ++to) {
      // Of two ranks of one domain, if it has two.
      const Rank giver = members_of_[from].front(), taker = members_of_[to].back();
      links_.emplace_back();
      add_link(distance_at(distance(giver, taker)), ranks[giver], ranks[taker], links_.back());
      add_ports(ranks[giver], ranks[taker], links_.back());
    }
  for (Domain domain = 0; domain < domain_count(); ++domain)
    cache_.push_back(resource_named(
        "last cache of " + name_of(ranks[members_of_[domain].front()], last_cache().shared_by)));
}

void Hardware::find_memories(std::span<const Locality> ranks) {
  for (const Locality& rank : ranks)
    memory_.push_back(resource_named("memory of " + name_of(rank, model_.memory.level)));
}

/// Computes the lines that caches hold: what those of one core hold is also in the last one, or
/// adds to it.
void Hardware::measure_caches() {
  double own = 0;
  for (std::size_t i = 0; i + 1 < model_.caches.size(); ++i)
    own = std::max(own, model_.caches[i].bytes);
  private_lines_ = own / line_bytes();
  domain_lines_ = last_cache().bytes / line_bytes();
  std::size_t most = 1;
  for (const auto& members : members_of_) most = std::max(most, members.size());
  if (!last_cache().is_inclusive) domain_lines_ += private_lines_ * static_cast<double>(most);
  if (model_.caches.size() == 1) private_lines_ = domain_lines_;
}

const model::Cache& Hardware::private_cache(double lines) const {
  for (std::size_t i = 0; i + 1 < model_.caches.size(); ++i)
    if (model_.caches[i].bytes >= lines * line_bytes()) return model_.caches[i];
  return model_.caches.size() > 1 ? model_.caches[model_.caches.size() - 2] : last_cache();
}

void Hardware::add(std::uint32_t resource, double ns, std::vector<ResourceShare>& shares) {
  if (ns <= 0) return;
  for (ResourceShare& share : shares)
    if (share.resource == resource) {
      share.busy += ns;
      return;
    }
  shares.push_back({resource, ns});
}

void Hardware::add_transfer(Rank from, Rank to, double bytes,
                            std::vector<ResourceShare>& shares) const {
  for (const ResourceShare& share : links_[domain_of_[from] * domain_count() + domain_of_[to]])
    add(share.resource, share.busy * bytes / line_bytes(), shares);
}

void Hardware::add_cache(Domain domain, double bytes, std::vector<ResourceShare>& shares) const {
  add(cache_[domain], bytes / line_bytes() * last_cache().shared_line, shares);
}

void Hardware::add_memory(Rank home, Rank rank, double bytes,
                          std::vector<ResourceShare>& shares) const {
  if (model_.memory.bandwidth > 0) add(memory_[home], bytes / model_.memory.bandwidth, shares);
  if (domain_of_[home] != domain_of_[rank]) add_transfer(home, rank, bytes, shares);
}

}  // namespace terrace::simulate
