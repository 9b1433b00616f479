// SPDX-License-Identifier: BSD-3-Clause
// A communicator whose ranks are on several nodes: which ranks are together, and the communicator
// of the nodes' leaders, by which composed calls cross the network. See docs/design/nodes.md.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "preload/mpi/underlying_mpi.hpp"
#include "preload/setup/rank_info.hpp"
#include "preload/setup/resting.hpp"
#include "preload/setup/settings.hpp"

namespace terrace::preload {

/// Where the ranks of a communicator are. Nodes are numbered by their first ranks, which lead them.
struct NodeLayout {
  std::vector<Rank> node_of;                ///< by rank
  std::vector<Rank> place_of;               ///< by rank: its number among the ranks of its node
  std::vector<std::vector<Rank>> ranks_of;  ///< by node, ascending

  std::size_t nodes() const { return ranks_of.size(); }
  Rank leader_of(Rank rank) const { return ranks_of[node_of[rank]].front(); }
  bool is_leader(Rank rank) const { return place_of[rank] == 0; }
};

/// The same on all ranks, as they are told the same.
NodeLayout layout_of_nodes(std::span<const RankInfo> ranks);

/// Why calls on these nodes are not composed: half a sentence; "" if they are.
std::string objection_to(const NodeLayout& layout, std::size_t most_ranks_on_node);

/// A communicator of the leaders of several nodes.
struct Leaders {
  Handle communicator = 0;
};

/// Communicators of leaders that no communicator of the program's uses now. They are never freed
/// before MPI ends, which frees them: freeing is collective, and the MPI deletes what is attached
/// to the program's communicators in an order that differs from rank to rank.
Resting<Leaders>& resting_leaders();

/// What a rank knows of the nodes of its communicator.
struct OverNodes {
  OverNodes(NodeLayout its_layout, Rank its_rank, std::span<const int> world_ranks);
  /// Lets another communicator of these nodes have the leaders' communicator.
  ~OverNodes();
  OverNodes(const OverNodes&) = delete;
  OverNodes& operator=(const OverNodes&) = delete;

  bool is_leader() const { return layout.is_leader(rank); }
  Rank node() const { return layout.node_of[rank]; }
  Rank ranks_on_node() const { return static_cast<Rank>(layout.ranks_of[node()].size()); }

  const NodeLayout layout;
  const Rank rank;
  const std::vector<int> leaders_in_world;  ///< their numbers in MPI_COMM_WORLD, by node
  TeamSettings settings;                    ///< rank 0's
  std::unique_ptr<Leaders> leaders;         ///< on leaders alone
  Ticket ticket;                            ///< of `leaders`, to rest
};

}  // namespace terrace::preload
