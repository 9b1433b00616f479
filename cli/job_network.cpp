// SPDX-License-Identifier: BSD-3-Clause
// Chooses the pairs of ranks that measure. See job_network.hpp.
#include "job_network.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>
#include <vector>

#include "interruption.hpp"
#include "machine/machine.hpp"
#include "machine/pretend.hpp"
#include "messages/job_messages.hpp"
#include "mpi_of_program.hpp"

namespace terrace {

namespace {

using messages::JobMessages;

constexpr const char* kNodes = "TERRACE_NODES";
constexpr std::size_t kMostPartners = 3;

/// Returns the node that each rank is on, if that is pretended; nothing else is.
std::optional<std::vector<int>> pretended_nodes(Rank ranks, const Verb& verb) {
  const std::optional<std::string> nodes = process_environment()(kNodes);
  if (!nodes || nodes->empty()) return std::nullopt;
  const Environment alone = [&](const std::string& name) {
    return name == kNodes ? nodes : std::optional<std::string>();
  };
  const Machine machine = verb.value(read_this_machine());
  std::vector<int> all;
  for (const Locality& place : verb.value(localities_on(machine, alone, ranks)))
    all.push_back(static_cast<int>(place.places.front().index));
  return all;
}

/// The first ranks of the other nodes: of few, all; of many, some from near to far.
std::vector<int> partners_of(const std::vector<int>& nodes, int& node_count) {
  std::vector<int> seen = {nodes.front()}, others;
  for (std::size_t rank = 1; rank < nodes.size(); ++rank)
    if (std::find(seen.begin(), seen.end(), nodes[rank]) == seen.end()) {
      seen.push_back(nodes[rank]);
      others.push_back(static_cast<int>(rank));
    }
  node_count = static_cast<int>(seen.size());
  std::vector<int> partners;
  const std::size_t count = std::min(others.size(), kMostPartners);
  for (std::size_t i = 0; i < count; ++i)
    partners.push_back(others[count < 2 ? 0 : i * (others.size() - 1) / (count - 1)]);
  return partners;
}

/// The side of rank 0, which measures. However that ends, the other ranks are told, and end MPI as
/// well.
class Beginner {
 public:
  explicit Beginner(JobMessages& job) : job_(job) {}
  Beginner(const Beginner&) = delete;
  Beginner& operator=(const Beginner&) = delete;
  ~Beginner() {
    std::vector<int> others;
    for (int rank = 1; rank < job_.size(); ++rank) others.push_back(rank);
    measure::end_network(job_, others);
    heed_interruptions();
    job_.end();
  }

  /// `nodes` says which node each rank is on. Nothing where there is one.
  std::optional<JobNetwork> measure(const std::vector<int>& nodes, double seconds) {
    JobNetwork network;
    const std::vector<int> partners = partners_of(nodes, network.nodes);
    if (partners.empty()) return std::nullopt;
    network.library = job_.library();
    network.found = measure::measure_network(job_, partners, seconds, is_interrupted);
    return network;
  }

 private:
  JobMessages& job_;
};

void say(const std::optional<JobNetwork>& network, Rank ranks) {
  if (!network) {
    std::cout << "All " << ranks
              << " ranks of this job are on one node: there is no network to measure, and rank 0 "
                 "measures the node.\n";
  } else if (network->is_pretended) {
    std::cout << kNodes << " pretends " << network->nodes
              << " nodes: what is measured as their network is how " << network->library
              << " carries messages within nodes.\n";
  }
  std::cout.flush();
}

}  // namespace

std::optional<JobNetwork> measure_network_of_job(const Launch& launch, const std::string& library,
                                                 double seconds, const Verb& verb,
                                                 const std::function<void()>& prepare) {
  const std::string path = library.empty() ? library_of_launcher() : library;
  if (path.empty()) {
    if (launch.rank > 0) return std::nullopt;
    std::cerr << verb.name
              << ": no MPI lies beside what started this job, so its network is not measured: name "
                 "the MPI's library with --mpi, such as --mpi /opt/mpich/lib/libmpi.so.12\n";
    prepare();
    return std::nullopt;
  }
  const std::unique_ptr<JobMessages> job =
      verb.value(messages::begin_messages(path, is_interrupted));
  const std::vector<int> real = job->first_on_nodes();
  note_interruptions();
  if (job->rank() != 0) {
    measure::answer_network(*job, 0);
    heed_interruptions();
    job->end();
    return std::nullopt;
  }
  Beginner beginner(*job);
  prepare();
  const auto ranks = static_cast<Rank>(job->size());
  const auto pretended = pretended_nodes(ranks, verb);
  std::optional<JobNetwork> network = beginner.measure(pretended.value_or(real), seconds);
  if (network) network->is_pretended = pretended.has_value();
  say(network, ranks);
  const bool has_ended_a_round = network && network->found.loggp.L.count > 0;
  return has_ended_a_round ? std::move(network) : std::nullopt;
}

}  // namespace terrace
