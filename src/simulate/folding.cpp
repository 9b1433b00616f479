// SPDX-License-Identifier: BSD-3-Clause
// Classes by refinement: nodes start in one class if their parts are the same but for the numbers
// of ranks; classes fall apart until all nodes of one have messages to and from the same classes.
#include "simulate/folding.hpp"

#include <algorithm>
#include <map>

namespace terrace::simulate {

namespace {

using Words = std::vector<std::uint64_t>;

/// Where the other half of a message stands in its rank's part.
std::size_t other_half(std::span<const Part> parts, Rank rank, std::size_t index) {
  const Instruction& half = parts[rank].instructions[index];
  std::size_t before = 0;
  for (std::size_t i = 0; i < index; ++i) {
    const Instruction& step = parts[rank].instructions[i];
    before += step.kind == half.kind && step.peer == half.peer;
  }
  const StepKind other = half.kind == StepKind::send ? StepKind::receive : StepKind::send;
  const std::vector<Instruction>& steps = parts[half.peer].instructions;
  for (std::size_t i = 0; i < steps.size(); ++i)
    if (steps[i].kind == other && steps[i].peer == rank && before-- == 0) return i;
  return steps.size();
}

/// All that a node does by itself, as numbers; no two that differ have the same.
class Description {
 public:
  Description(const Nodes& nodes, std::span<const Part> parts, std::span<const Locality> localities)
      : nodes_(nodes), parts_(parts), localities_(localities) {}

  Words of(std::uint32_t node) {
    words_.clear();
    for (const Rank rank : nodes_.ranks[node]) {
      add(localities_[rank]);
      add(parts_[rank]);
      for (std::size_t i = 0; i < parts_[rank].instructions.size(); ++i)
        if (is_half_of_message(parts_[rank].instructions[i].kind))
          add_all(other_half(parts_, rank, i));
    }
    return words_;
  }

 private:
  template <class... Numbers>
  void add_all(Numbers... numbers) {
    (words_.push_back(static_cast<std::uint64_t>(numbers)), ...);
  }

  /// Places on the node; which node it is does not matter.
  void add(const Locality& locality) {
    bool is_inside = false;
    for (const Place& place : locality.places) {
      if (is_inside) add_all(place.index);
      is_inside |= place.level == "node";
    }
    add_all(~std::uint64_t{0});
  }

  void add(const Part& part) {
    add_all(part.instructions.size(), part.body_count);
    for (const Instruction& step : part.instructions) {
      add_all(step.kind, step.publishes_word, step.operand_count, step.target_count,
              step.wait_count);
      for (const PartRegion& region : part.operands_of(step)) add(region);
      for (const PartRegion& region : part.targets_of(step)) add(region);
      for (const PartWait& wait : part.waits_of(step))
        add_all(nodes_.number_of[wait.rank], wait.signal, wait.when, wait.lag, wait.line,
                wait.steps, wait.steps_per_strip);
    }
    add_all(part.contract.hears_all);
    add(part.contract.scratch_readers);
    for (const std::vector<Rank>& readers : part.contract.line_readers) add(readers);
  }

  /// Blocks have the numbers of ranks, too, where collectives have a block for each; those are told
  /// apart here, so that such nodes are all played.
  void add(const PartRegion& region) {
    add_all(nodes_.number_of[region.rank], region.buffer, region.exposed_buffer, region.block,
            region.pocket, region.completes, region.stand_in, region.first_tile, region.tile_count);
  }

  /// Readers on other nodes, whom messages tell of, are none of this node's.
  void add(const std::vector<Rank>& readers) {
    add_all(readers.size());
    for (const Rank reader : readers) add_all(nodes_.number_of[reader]);
  }

  const Nodes& nodes_;
  std::span<const Part> parts_;
  std::span<const Locality> localities_;
  Words words_;
};

/// Numbers for what is the same, in order of appearance.
std::vector<std::uint32_t> numbered(const std::vector<Words>& descriptions) {
  std::map<Words, std::uint32_t> numbers;
  std::vector<std::uint32_t> result;
  for (const Words& one : descriptions)
    result.push_back(
        numbers.try_emplace(one, static_cast<std::uint32_t>(numbers.size())).first->second);
  return result;
}

}  // namespace

Nodes nodes_of(std::span<const Locality> localities) {
  Nodes nodes;
  std::map<std::uint64_t, std::uint32_t> numbers;
  for (Rank rank = 0; rank < localities.size(); ++rank) {
    const Place* place = model::place_at(localities[rank], "node");
    const auto next = static_cast<std::uint32_t>(nodes.ranks.size());
    const auto [found, is_new] = numbers.try_emplace(place == nullptr ? 0 : place->index, next);
    if (is_new) nodes.ranks.emplace_back();
    nodes.node_of.push_back(found->second);
    nodes.number_of.push_back(static_cast<std::uint32_t>(nodes.ranks[found->second].size()));
    nodes.ranks[found->second].push_back(rank);
  }
  return nodes;
}

std::vector<std::uint32_t> classes_of(const Nodes& nodes, std::span<const Part> parts,
                                      std::span<const Locality> localities,
                                      const model::MachineModel& model) {
  Description description(nodes, parts, localities);
  std::vector<Words> descriptions;
  for (std::uint32_t node = 0; node < nodes.count(); ++node)
    descriptions.push_back(description.of(node));
  std::vector<std::uint32_t> classes = numbered(descriptions);
  for (;;) {
    for (std::uint32_t node = 0; node < nodes.count(); ++node) {
      descriptions[node] = {classes[node]};
      for (const Rank rank : nodes.ranks[node])
        for (const Instruction& step : parts[rank].instructions)
          if (is_half_of_message(step.kind))
            for (const std::uint32_t word :
                 {classes[nodes.node_of[step.peer]], nodes.number_of[step.peer],
                  model::network_between(model, localities[rank], localities[step.peer])})
              descriptions[node].push_back(word);
    }
    std::vector<std::uint32_t> finer = numbered(descriptions);
    if (finer == classes) return classes;
    classes = std::move(finer);
  }
}

std::vector<Part> parts_on_node(const Nodes& nodes, std::uint32_t node,
                                std::span<const Part> parts) {
  const auto is_here = [&](Rank rank) { return nodes.node_of[rank] == node; };
  const auto renumber = [&](std::vector<Rank>& readers) {
    std::erase_if(readers, [&](Rank rank) { return !is_here(rank); });
    for (Rank& reader : readers) reader = nodes.number_of[reader];
  };
  std::vector<Part> result;
  for (const Rank rank : nodes.ranks[node]) {
    Part part = parts[rank];
    part.rank = nodes.number_of[rank];
    part.ranks = static_cast<Rank>(nodes.ranks[node].size());
    for (auto* regions : {&part.operands, &part.targets})
      for (PartRegion& region : *regions)
        region.rank = static_cast<std::uint16_t>(nodes.number_of[region.rank]);
    for (PartWait& wait : part.waits)
      wait.rank = static_cast<std::uint16_t>(nodes.number_of[wait.rank]);
    renumber(part.contract.scratch_readers);
    for (std::vector<Rank>& readers : part.contract.line_readers) renumber(readers);
    result.push_back(std::move(part));
  }
  return result;
}

}  // namespace terrace::simulate
