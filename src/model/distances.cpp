// SPDX-License-Identifier: BSD-3-Clause
// Looks up the ranks' places, level by level.
#include "model/distances.hpp"

#include <algorithm>
#include <map>
#include <string>

#include "base/contract.hpp"

namespace terrace::model {

namespace {

/// Numbers for the resources of a level that the ranks are in, in order of the ranks. Ranks that
/// are in none of that level share what they are in on their node.
std::vector<std::uint32_t> numbered(std::span<const Locality> ranks, const std::string& level) {
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint32_t> numbers;
  std::vector<std::uint32_t> result;
  for (const Locality& rank : ranks) {
    const LevelPlace* node = place_at(rank, "node");
    const LevelPlace* place = place_at(rank, level);
    const std::pair key(node == nullptr ? 0 : node->index, place == nullptr ? 0 : place->index + 1);
    result.push_back(
        numbers.try_emplace(key, static_cast<std::uint32_t>(numbers.size())).first->second);
  }
  return result;
}

std::uint32_t count_of(const std::vector<std::uint32_t>& numbers) {
  std::uint32_t most = 0;
  for (std::uint32_t number : numbers) most = std::max(most, number + 1);
  return most;
}

}  // namespace

RankDistances::RankDistances(const MachineModel& model, std::span<const Locality> ranks)
    : model_(model), localities_(ranks), rank_count_(static_cast<Rank>(ranks.size())) {
  TERRACE_ASSERT(!model.distances.empty() && model.distances.size() <= 256, model.distances.size());
  find_domains(ranks);
  find_distances(ranks);
  find_links(ranks);
  memory_ = numbered(ranks, model.memory.level);
  for (Server& memory : memory_) memory += server_count_;
  server_count_ += count_of(memory_);
  first_cache_ = server_count_;
  server_count_ += domain_count();
  first_node_ = server_count_;
  server_count_ += 2 * count_of(node_);
}

void RankDistances::find_domains(std::span<const Locality> ranks) {
  const std::string level = model_.caches.empty() ? "node" : model_.caches.back().shared_by;
  domain_ = numbered(ranks, level);
  node_ = numbered(ranks, "node");
  first_of_.assign(count_of(domain_), rank_count_);
  std::vector<std::uint32_t> first_of_node(count_of(node_), ~0u);
  last_of_.assign(first_of_.size(), 0);
  for (Rank rank = 0; rank < rank_count_; ++rank) {
    last_of_[domain_[rank]] = rank;
    first_of_[domain_[rank]] = std::min(first_of_[domain_[rank]], rank);
    std::uint32_t& first = first_of_node[node_[rank]];
    first = std::min(first, domain_[rank]);
  }
  for (Rank rank = 0; rank < rank_count_; ++rank) {
    first_domain_.push_back(first_of_node[node_[rank]]);
    domain_on_node_.push_back((domain_[rank] - first_domain_[rank]) % 64);
  }
}

/// Finds all distances, as `distance_between` does, with each rank's places looked up once.
void RankDistances::find_distances(std::span<const Locality> ranks) {
  constexpr std::uint64_t kNowhere = ~std::uint64_t{0};
  const auto indices = [&](const std::string& level) {
    std::vector<std::uint64_t> result;
    for (const Locality& rank : ranks) {
      const LevelPlace* place = place_at(rank, level);
      result.push_back(place == nullptr ? kNowhere : place->index);
    }
    return result;
  };
  const auto last = static_cast<std::uint8_t>(model_.distances.size() - 1);
  distance_.assign(std::size_t{rank_count_} * rank_count_, last);
  for (std::uint8_t index = last; index-- > 0;) {
    const Distance& distance = model_.distances[index];
    const std::vector<std::uint64_t> at = indices(distance.level), part = indices(distance.part);
    for (Rank a = 0; a < rank_count_; ++a)
      for (Rank b = 0; b < rank_count_; ++b) {
        const bool is_in = at[a] == at[b] && at[a] != kNowhere && node_[a] == node_[b];
        if (is_in && has_pair(distance, part[a], part[b])) distance_[a * rank_count_ + b] = index;
      }
  }
}

void RankDistances::find_links(std::span<const Locality> ranks) {
  for (const Distance& distance : model_.distances) {
    Links links;
    links.first = server_count_;
    links.part = numbered(ranks, distance.part.empty() ? distance.level : distance.part);
    links.part_count = count_of(links.part);
    const bool is_pairwise = !distance.part.empty() && distance.link == LinkSharing::between_two;
    server_count_ += is_pairwise ? links.part_count * links.part_count : 2 * links.part_count;
    links_.push_back(std::move(links));
  }
}

std::uint32_t RankDistances::network(Rank a, Rank b) const {
  return network_between(model_, localities_[a], localities_[b]);
}

ServerPath RankDistances::way(Rank from, Rank to) const {
  const std::uint32_t index = distance(from, to);
  TERRACE_ASSERT(index < links_.size(), from, to, index);
  const Links& links = links_[index];
  const Distance& distance = model_.distances[index];
  const std::uint32_t out = links.part[from], in = links.part[to];
  TERRACE_ASSERT(out < links.part_count && in < links.part_count, out, in);
  if (distance.part.empty()) return {{links.first + out, 0}, 1};
  if (distance.link == LinkSharing::between_two)
    return {{links.first + out * links.part_count + in, 0}, 1};
  return {{links.first + out, links.first + links.part_count + in}, 2};
}

}  // namespace terrace::model
