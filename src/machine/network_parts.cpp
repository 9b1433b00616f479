// SPDX-License-Identifier: BSD-3-Clause
// Slices of a torus, and parts of a graph by recursive partitioning.
#include "machine/network_parts.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <utility>

#include "machine/scotch.hpp"

namespace terrace {
namespace {

std::string name_of_part(const std::string& around, std::size_t index) {
  return around + '.' + std::to_string(index);
}

class Torus {
 public:
  Torus(std::size_t line, const std::vector<std::uint64_t>& dimensions,
        const std::vector<std::string>& hosts)
      : line_(line), dimensions_(dimensions), hosts_(hosts) {}

  void add(const std::string& name, const std::string& level, std::size_t depth, std::size_t first,
           std::size_t count) {
    const std::size_t at = parts_.size();
    parts_.push_back({level, name, {}, line_});
    const std::uint64_t pieces = dimensions_[depth];
    const std::size_t each = count / pieces;
    for (std::size_t i = 0; i < pieces; ++i) {
      const bool is_host = depth + 1 == dimensions_.size();
      const std::string member = is_host ? hosts_[first + i] : name_of_part(name, i);
      parts_[at].members.push_back(member);
      if (!is_host)
        add(member, "slice" + std::to_string(depth + 1), depth + 1, first + i * each, each);
    }
  }

  std::vector<NetworkPart> take() { return std::move(parts_); }

 private:
  std::size_t line_;
  const std::vector<std::uint64_t>& dimensions_;
  const std::vector<std::string>& hosts_;
  std::vector<NetworkPart> parts_;
};

using Neighbours = std::vector<std::map<std::int32_t, std::uint64_t>>;

/// The weights such that all of them together are a number of Scotch's, which adds them up.
std::vector<std::map<std::int32_t, std::int32_t>> scaled(const Neighbours& neighbours) {
  constexpr std::uint64_t kMostWeight = std::numeric_limits<std::int32_t>::max() / 2;
  std::uint64_t sum = 0;
  for (const auto& of_one : neighbours)
    for (const auto& [to, weight] : of_one) sum += weight;
  const std::uint64_t divisor = sum / kMostWeight + 1;
  std::vector<std::map<std::int32_t, std::int32_t>> result(neighbours.size());
  for (std::size_t i = 0; i < neighbours.size(); ++i)
    for (const auto& [to, weight] : neighbours[i])
      result[i][to] = static_cast<std::int32_t>(std::max<std::uint64_t>(weight / divisor, 1));
  return result;
}

/// Vertices by number, hosts first, and the links between them, one for each pair. Errors:
/// argument, for a host that is there twice.
Result<WeightedGraph> numbered(const Graph& graph) {
  std::map<std::string, std::int32_t> numbers;
  for (const std::string& host : graph.hosts)
    if (!numbers.try_emplace(host, static_cast<std::int32_t>(numbers.size())).second)
      return Error{ErrorCode::argument,
                   "the host " + host + " appears twice in the graph " + graph.name};
  for (const Link& link : graph.links)
    for (const std::string& end : {link.from, link.to})
      numbers.try_emplace(end, static_cast<std::int32_t>(numbers.size()));
  WeightedGraph result;
  result.loads.assign(numbers.size(), 0);
  std::fill_n(result.loads.begin(), graph.hosts.size(), 1);
  Neighbours neighbours(numbers.size());
  for (const Link& link : graph.links) {
    const auto from = numbers.at(link.from), to = numbers.at(link.to);
    neighbours[static_cast<std::size_t>(from)][to] += link.weight;
    neighbours[static_cast<std::size_t>(to)][from] += link.weight;
  }
  result.neighbours = scaled(neighbours);
  return result;
}

/// Some of the vertices, renumbered in their order.
WeightedGraph some_of(const WeightedGraph& whole, const std::vector<std::size_t>& vertices) {
  std::map<std::size_t, std::int32_t> numbers;
  for (const std::size_t vertex : vertices)
    numbers.emplace(vertex, static_cast<std::int32_t>(numbers.size()));
  WeightedGraph result;
  for (const std::size_t vertex : vertices) {
    result.loads.push_back(whole.loads[vertex]);
    result.neighbours.emplace_back();
    for (const auto& [to, weight] : whole.neighbours[vertex])
      if (const auto found = numbers.find(static_cast<std::size_t>(to)); found != numbers.end())
        result.neighbours.back()[found->second] = weight;
  }
  return result;
}

class Partition {
 public:
  Partition(const Graph& graph, const WeightedGraph& numbers) : graph_(graph), numbers_(numbers) {}

  Result<bool> add(const std::string& name, const std::string& level, std::size_t depth,
                   const std::vector<std::size_t>& vertices) {
    const std::size_t at = parts_.size();
    parts_.push_back({level, name, {}, graph_.line});
    const std::vector<std::size_t> hosts = hosts_among(vertices);
    if (depth == graph_.parts.size() || hosts.size() <= 1) {
      for (const std::size_t host : hosts) parts_[at].members.push_back(graph_.hosts[host]);
      return true;
    }
    const auto pieces =
        static_cast<std::int32_t>(std::min<std::uint64_t>(graph_.parts[depth], hosts.size()));
    const Result<std::vector<std::int32_t>> piece_of =
        partition(some_of(numbers_, vertices), pieces);
    if (!piece_of) return piece_of.error();
    for (const auto& piece : in_order(vertices, piece_of.value())) {
      const std::string member = name_of_part(name, parts_[at].members.size());
      parts_[at].members.push_back(member);
      if (auto added = add(member, "part" + std::to_string(depth + 1), depth + 1, piece); !added)
        return added;
    }
    return true;
  }

  std::vector<NetworkPart> take() { return std::move(parts_); }

 private:
  std::vector<std::size_t> hosts_among(const std::vector<std::size_t>& vertices) const {
    std::vector<std::size_t> hosts;
    std::copy_if(vertices.begin(), vertices.end(), std::back_inserter(hosts),
                 [&](std::size_t vertex) { return vertex < graph_.hosts.size(); });
    return hosts;
  }

  /// Pieces that have hosts, by the first of them.
  std::vector<std::vector<std::size_t>> in_order(const std::vector<std::size_t>& vertices,
                                                 const std::vector<std::int32_t>& piece_of) const {
    std::map<std::int32_t, std::vector<std::size_t>> pieces;
    for (std::size_t i = 0; i < vertices.size(); ++i) pieces[piece_of[i]].push_back(vertices[i]);
    std::vector<std::vector<std::size_t>> result;
    for (auto& [number, piece] : pieces)
      if (!hosts_among(piece).empty()) result.push_back(std::move(piece));
    std::sort(result.begin(), result.end());  // hosts have the lowest numbers
    return result;
  }

  const Graph& graph_;
  const WeightedGraph& numbers_;
  std::vector<NetworkPart> parts_;
};

}  // namespace

std::vector<NetworkPart> parts_of_torus(const std::string& name, std::size_t line,
                                        const std::vector<std::uint64_t>& dimensions,
                                        const std::vector<std::string>& hosts) {
  Torus torus(line, dimensions, hosts);
  torus.add(name, "torus", 0, 0, hosts.size());
  return torus.take();
}

Result<std::vector<NetworkPart>> parts_of_graph(const Graph& graph) {
  const Result<WeightedGraph> numbers = numbered(graph);
  if (!numbers) return numbers.error();
  std::vector<std::size_t> all(numbers.value().loads.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  Partition partition(graph, numbers.value());
  if (const auto added = partition.add(graph.name, "graph", 0, all); !added) return added.error();
  return partition.take();
}

}  // namespace terrace
