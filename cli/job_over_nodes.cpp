// SPDX-License-Identifier: BSD-3-Clause
// Gathers localities at rank 0. See job_over_nodes.hpp.
#include "job_over_nodes.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>

#include "base/fixed_text.hpp"
#include "base/host.hpp"
#include "interruption.hpp"
#include "messages/job_messages.hpp"
#include "os/binding.hpp"

namespace terrace {

namespace {

/// Sent as bytes. A locality that is longer loses its innermost places.
struct Told {
  std::array<char, 256> host{};
  std::array<char, 768> locality{};
};

Told own(const Machine& machine, const Verb& verb) {
  const PuSet binding = verb.value(binding_of_process(getpid()));
  Told told;
  put_text(told.host, host_name());
  put_text(told.locality,
           cut_to(told.locality.size() - 1, to_text(locality_of(machine, binding, 0))));
  return told;
}

RanksOverNodes put_together(const std::vector<Told>& all, const std::vector<int>& first_on_nodes,
                            const Verb& verb) {
  RanksOverNodes ranks;
  std::vector<int> nodes;
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    Locality locality = verb.value(locality_from_text(terrace::text_in(all[rank].locality)));
    auto node = std::find(nodes.begin(), nodes.end(), first_on_nodes[rank]);
    if (node == nodes.end()) node = nodes.insert(node, first_on_nodes[rank]);
    locality.places.front().index = static_cast<std::uint64_t>(node - nodes.begin());
    ranks.localities.push_back(std::move(locality));
    ranks.hosts.push_back(terrace::text_in(all[rank].host));
  }
  return ranks;
}

}  // namespace

std::optional<RanksOverNodes> ranks_over_nodes(const Machine& machine, const std::string& library,
                                               const Verb& verb) {
  std::vector<Told> all = {own(machine, verb)};  // before the MPI may bind this process
  const std::unique_ptr<messages::JobMessages> job =
      verb.value(messages::begin_messages(library, is_interrupted));
  const std::vector<int> first_on_nodes = job->first_on_nodes();
  const auto content = measure::MessageKind::content;
  if (job->rank() != 0) {
    job->send(0, content, all.data(), sizeof all.front());
    job->end();
    return std::nullopt;
  }
  all.resize(static_cast<std::size_t>(job->size()));
  for (std::size_t rank = 1; rank < all.size(); ++rank)
    job->receive_quietly(static_cast<int>(rank), content, &all[rank], sizeof all[rank]);
  job->end();
  return put_together(all, first_on_nodes, verb);
}

}  // namespace terrace
