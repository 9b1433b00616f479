// SPDX-License-Identifier: BSD-3-Clause
// Graph topologies: those that every rank knows as a whole, and distributed ones, of which each
// rank knows its own edges.
#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "base/contract.hpp"
#include "threadranks/mpi/group/attributes.hpp"

namespace terrace::threadranks::mpi {
namespace {

template <class Kind>
const Kind* topology(Caller& caller) {
  if (caller.error()) return nullptr;
  const auto* const found = dynamic_cast<const Kind*>(caller.communicator().topology());
  if (found == nullptr) caller.fail(MPI_ERR_TOPOLOGY, "the communicator has no such graph");
  return found;
}

int graph(MPI_Comm comm, int count, const int* ends, const int* edges, MPI_Comm* made) {
  Caller caller("MPI_Graph_create", comm);
  caller.check_intracomm();
  if (caller.error()) return caller.error();
  Communicator& old = caller.communicator();
  if (count < 0 || count > old.size())
    return caller.fail(MPI_ERR_ARG, "the graph has " + std::to_string(count) +
                                        " nodes, the communicator " + std::to_string(old.size()) +
                                        " ranks");
  for (int i = 0; i < count; ++i)
    if (ends[i] < (i == 0 ? 0 : ends[i - 1]))
      return caller.fail(MPI_ERR_ARG, "the nodes' last edges are not in order");
  const int edge_count = count == 0 ? 0 : ends[count - 1];
  for (int i = 0; i < edge_count; ++i)
    if (edges[i] < 0 || edges[i] >= count)
      return caller.fail(MPI_ERR_ARG, "an edge goes to node " + std::to_string(edges[i]) +
                                          ", which does not exist");
  Communicator* const members = threadranks::split(old, old.rank() < count ? 0 : -1, old.rank());
  if (members != nullptr) {
    auto topology = std::make_unique<GraphTopology>();
    topology->ends.assign(ends, ends + count);
    topology->edges.assign(edges, edges + edge_count);
    members->set_topology(std::move(topology));
  }
  return put_new(old, members, made);
}

/// Puts as many entries of a list as fit the program's array.
void put_list(const std::vector<int>& from, int room, int* to) {
  std::copy_n(from.begin(), std::min(from.size(), static_cast<std::size_t>(std::max(room, 0))), to);
}

bool has_weights(const int* weights) {
  return weights != MPI_UNWEIGHTED && weights != MPI_WEIGHTS_EMPTY;
}

std::vector<int> weights_of(const int* weights, int count) {
  return has_weights(weights) ? std::vector<int>(weights, weights + count)
                              : std::vector<int>(static_cast<std::size_t>(count), 1);
}

int adjacent(MPI_Comm comm, int in_count, const int* sources, const int* in_weights, int out_count,
             const int* targets, const int* out_weights, MPI_Comm* made) {
  Caller caller("MPI_Dist_graph_create_adjacent", comm);
  caller.check_intracomm();
  if (!caller.error() && (in_count < 0 || out_count < 0))
    caller.fail(MPI_ERR_ARG, "a negative number of neighbours");
  for (int i = 0; i < in_count; ++i) caller.check_member(sources[i]);
  for (int i = 0; i < out_count; ++i) caller.check_member(targets[i]);
  if (caller.error()) return caller.error();
  auto graph = std::make_unique<DistributedGraph>();
  graph->sources.assign(sources, sources + in_count);
  graph->targets.assign(targets, targets + out_count);
  graph->source_weights = weights_of(in_weights, in_count);
  graph->target_weights = weights_of(out_weights, out_count);
  graph->is_weighted = in_weights != MPI_UNWEIGHTED && out_weights != MPI_UNWEIGHTED;
  Communicator* const copy = threadranks::duplicate(caller.communicator());
  copy->set_topology(std::move(graph));
  return put_new(caller.communicator(), copy, made);
}

struct Edge {
  int from, to, weight;
};

/// The edges from and to this rank, in the order of the ranks that gave them. Each rank receives
/// only its own edges, as one rank may give all of them.
std::vector<Edge> edges_of_caller(Communicator& communicator, const std::vector<Edge>& given) {
  std::vector<std::vector<std::byte>> sent(static_cast<std::size_t>(communicator.size()));
  const auto send = [&](int rank, const Edge& edge) {
    auto& block = sent[static_cast<std::size_t>(rank)];
    const auto* const bytes = reinterpret_cast<const std::byte*>(&edge);
    block.insert(block.end(), bytes, bytes + sizeof edge);
  };
  for (const Edge& edge : given) {
    send(edge.from, edge);
    if (edge.to != edge.from) send(edge.to, edge);
  }
  std::vector<Edge> all;
  for (const auto& block : threadranks::alltoallv(communicator, std::move(sent))) {
    TERRACE_REQUIRE(block.size() % sizeof(Edge) == 0, block.size());
    const std::size_t before = all.size();
    all.resize(before + block.size() / sizeof(Edge));
    if (!block.empty()) std::memcpy(&all[before], block.data(), block.size());
  }
  return all;
}

int distributed(MPI_Comm comm, int count, const int* sources, const int* degrees,
                const int* targets, const int* weights, MPI_Comm* made) {
  Caller caller("MPI_Dist_graph_create", comm);
  caller.check_intracomm();
  std::vector<Edge> own;
  std::size_t next = 0;
  for (int i = 0; i < count && !caller.error(); ++i) {
    caller.check_member(sources[i]);
    if (degrees[i] < 0) caller.fail(MPI_ERR_ARG, "a negative degree");
    for (int k = 0; k < degrees[i] && !caller.error(); ++k, ++next) {
      caller.check_member(targets[next]);
      own.push_back({sources[i], targets[next], has_weights(weights) ? weights[next] : 1});
    }
  }
  if (caller.error()) return caller.error();
  Communicator& old = caller.communicator();
  auto graph = std::make_unique<DistributedGraph>();
  graph->is_weighted = weights != MPI_UNWEIGHTED;
  for (const Edge& edge : edges_of_caller(old, own)) {
    if (edge.to == old.rank()) {
      graph->sources.push_back(edge.from);
      graph->source_weights.push_back(edge.weight);
    }
    if (edge.from == old.rank()) {
      graph->targets.push_back(edge.to);
      graph->target_weights.push_back(edge.weight);
    }
  }
  Communicator* const copy = threadranks::duplicate(old);
  copy->set_topology(std::move(graph));
  return put_new(old, copy, made);
}

}  // namespace
}  // namespace terrace::threadranks::mpi

namespace mpi = terrace::threadranks::mpi;
using terrace::threadranks::Cartesian;
using terrace::threadranks::DistributedGraph;
using terrace::threadranks::GraphTopology;

TERRACE_MPI(int, Graph_create,
            (MPI_Comm comm, int count, const int* ends, const int* edges, int, MPI_Comm* made)) {
  return mpi::graph(comm, count, ends, edges, made);
}
TERRACE_MPI(int, Graphdims_get, (MPI_Comm comm, int* nodes, int* edges)) {
  mpi::Caller caller("MPI_Graphdims_get", comm);
  const GraphTopology* const graph = mpi::topology<GraphTopology>(caller);
  if (graph == nullptr) return caller.error();
  *nodes = static_cast<int>(graph->ends.size());
  *edges = static_cast<int>(graph->edges.size());
  return MPI_SUCCESS;
}
TERRACE_MPI(int, Graph_get, (MPI_Comm comm, int end_room, int edge_room, int* ends, int* edges)) {
  mpi::Caller caller("MPI_Graph_get", comm);
  const GraphTopology* const graph = mpi::topology<GraphTopology>(caller);
  if (graph == nullptr) return caller.error();
  mpi::put_list(graph->ends, end_room, ends);
  mpi::put_list(graph->edges, edge_room, edges);
  return MPI_SUCCESS;
}
TERRACE_MPI(int, Graph_neighbors_count, (MPI_Comm comm, int rank, int* count)) {
  mpi::Caller caller("MPI_Graph_neighbors_count", comm);
  caller.check_member(rank);
  if (const GraphTopology* const graph = mpi::topology<GraphTopology>(caller))
    *count = graph->edge_count_of(rank);
  return caller.error();
}
TERRACE_MPI(int, Graph_neighbors, (MPI_Comm comm, int rank, int room, int* neighbours)) {
  mpi::Caller caller("MPI_Graph_neighbors", comm);
  caller.check_member(rank);
  if (const GraphTopology* const graph = mpi::topology<GraphTopology>(caller))
    std::copy_n(graph->edges_of(rank), std::min(room, graph->edge_count_of(rank)), neighbours);
  return caller.error();
}
TERRACE_MPI(int, Graph_map, (MPI_Comm comm, int count, const int*, const int*, int* rank)) {
  mpi::Caller caller("MPI_Graph_map", comm);
  if (caller.error()) return caller.error();
  const int own = caller.communicator().rank();
  *rank = own < count ? own : MPI_UNDEFINED;
  return MPI_SUCCESS;
}

TERRACE_MPI(int, Dist_graph_create_adjacent,
            (MPI_Comm comm, int in_count, const int* sources, const int* in_weights, int out_count,
             const int* targets, const int* out_weights, MPI_Info, int, MPI_Comm* made)) {
  return mpi::adjacent(comm, in_count, sources, in_weights, out_count, targets, out_weights, made);
}
TERRACE_MPI(int, Dist_graph_create,
            (MPI_Comm comm, int count, const int* sources, const int* degrees, const int* targets,
             const int* weights, MPI_Info, int, MPI_Comm* made)) {
  return mpi::distributed(comm, count, sources, degrees, targets, weights, made);
}
TERRACE_MPI(int, Dist_graph_neighbors_count,
            (MPI_Comm comm, int* in_count, int* out_count, int* is_weighted)) {
  mpi::Caller caller("MPI_Dist_graph_neighbors_count", comm);
  const auto* const graph = mpi::topology<DistributedGraph>(caller);
  if (graph == nullptr) return caller.error();
  *in_count = static_cast<int>(graph->sources.size());
  *out_count = static_cast<int>(graph->targets.size());
  *is_weighted = graph->is_weighted;
  return MPI_SUCCESS;
}
TERRACE_MPI(int, Dist_graph_neighbors,
            (MPI_Comm comm, int in_room, int* sources, int* in_weights, int out_room, int* targets,
             int* out_weights)) {
  mpi::Caller caller("MPI_Dist_graph_neighbors", comm);
  const auto* const graph = mpi::topology<DistributedGraph>(caller);
  if (graph == nullptr) return caller.error();
  mpi::put_list(graph->sources, in_room, sources);
  mpi::put_list(graph->targets, out_room, targets);
  if (!graph->is_weighted) return MPI_SUCCESS;
  if (mpi::has_weights(in_weights)) mpi::put_list(graph->source_weights, in_room, in_weights);
  if (mpi::has_weights(out_weights)) mpi::put_list(graph->target_weights, out_room, out_weights);
  return MPI_SUCCESS;
}

TERRACE_MPI(int, Topo_test, (MPI_Comm comm, int* status)) {
  mpi::Caller caller("MPI_Topo_test", comm);
  if (caller.error()) return caller.error();
  const auto* const topology = caller.communicator().topology();
  *status = dynamic_cast<const Cartesian*>(topology)          ? int{MPI_CART}
            : dynamic_cast<const GraphTopology*>(topology)    ? int{MPI_GRAPH}
            : dynamic_cast<const DistributedGraph*>(topology) ? int{MPI_DIST_GRAPH}
                                                              : int{MPI_UNDEFINED};
  return MPI_SUCCESS;
}
