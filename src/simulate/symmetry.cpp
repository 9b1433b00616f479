// SPDX-License-Identifier: BSD-3-Clause
// Classes by refinement: nodes start in one class if their programs are the same up to the numbers
// of ranks; classes split until all nodes of one have messages to and from the same classes.
#include "simulate/symmetry.hpp"

#include <algorithm>
#include <iterator>
#include <map>

namespace terrace::simulate {

namespace {

using Words = std::vector<std::uint64_t>;

/// Finds where the other half of a message stands in its rank's part.
std::size_t other_half(std::span<const RankProgram> programs, Rank rank, std::size_t index) {
  const Instruction& half = programs[rank].instructions[index];
  std::size_t before = 0;
  for (std::size_t i = 0; i < index; ++i) {
    const Instruction& step = programs[rank].instructions[i];
    before += step.kind == half.kind && step.peer == half.peer;
  }
  const StepKind other = half.kind == StepKind::send ? StepKind::receive : StepKind::send;
  const std::vector<Instruction>& steps = programs[half.peer].instructions;
  for (std::size_t i = 0; i < steps.size(); ++i)
    if (steps[i].kind == other && steps[i].peer == rank && before-- == 0) return i;
  return steps.size();
}

/// All that a node does by itself, as numbers; no two that differ have the same.
class Description {
 public:
  explicit Description(const SymmetryQuestion& job) : job_(job) {}

  Words of(std::uint32_t node) {
    words_.clear();
    blocks_.clear();
    marks_.clear();
    for (const Rank rank : job_.nodes.ranks[node]) {
      mark(rank, "place on its node");
      add(job_.localities[rank]);
      add(job_.programs[rank], rank);
      mark(rank, "order of messages");
      for (std::size_t i = 0; i < job_.programs[rank].instructions.size(); ++i)
        if (is_half_of_message(job_.programs[rank].instructions[i].kind))
          add_all(other_half(job_.programs, rank, i));
    }
    return words_;
  }

  /// Names what a word of the last description is about: "rank 3's step 7".
  std::string about(std::size_t word) const {
    const auto after =
        std::upper_bound(marks_.begin(), marks_.end(), word,
                         [](std::size_t wanted, const Mark& mark) { return wanted < mark.first; });
    const Mark& found = after == marks_.begin() ? marks_.front() : *std::prev(after);
    return "rank " + std::to_string(found.rank) + "'s " + found.what;
  }

 private:
  template <class... Numbers>
  void add_all(Numbers... numbers) {
    (words_.push_back(static_cast<std::uint64_t>(numbers)), ...);
  }

  /// Places on the node; which node it is does not matter.
  void add(const Locality& locality) {
    bool is_inside = false;
    for (const LevelPlace& place : locality.places) {
      if (is_inside) add_all(place.index);
      is_inside |= place.level == "node";
    }
    add_all(~std::uint64_t{0});
  }

  void mark(Rank rank, std::string what) {
    marks_.push_back({words_.size(), rank, std::move(what)});
  }

  void add(const RankProgram& program, Rank rank) {
    mark(rank, "number of steps");
    add_all(program.instructions.size(), program.body_count);
    for (const Instruction& step : program.instructions) {
      mark(rank, "step " + std::to_string(&step - program.instructions.data()));
      add_all(step.kind, step.publishes_word, step.operand_count, step.target_count,
              step.wait_count);
      if (!is_idle(program, step)) {
        for (const ProgramRegion& region : program.operands_of(step)) add(region);
        for (const ProgramRegion& region : program.targets_of(step)) add(region);
      }
      for (const ProgramWait& wait : program.waits_of(step))
        add_all(job_.nodes.number_of[wait.rank], wait.signal, wait.when, wait.lag, wait.line,
                wait.steps, wait.steps_per_strip);
    }
    mark(rank, "contract");
    add_all(program.contract.hears_all);
    add(program.contract.scratch_readers);
    for (const std::vector<Rank>& readers : program.contract.line_readers) add(readers);
  }

  /// Buffers that are exposed where they are move nothing, whichever blocks they have.
  bool is_idle(const RankProgram& program, const Instruction& step) const {
    return job_.is_direct && program.lowering == Lowering::owner &&
           (step.kind == StepKind::expose || step.kind == StepKind::deliver);
  }

  /// Adds a region. Where collectives have a block for each rank, nodes that do the same do it with
  /// other blocks.
  void add(const ProgramRegion& region) {
    const Rank rank = job_.nodes.number_of[region.rank];
    const bool is_exposed = region.buffer == Buffer::exposed;
    const Buffer buffer = is_exposed ? region.exposed_buffer : region.buffer;
    const std::uint32_t block =
        buffer == Buffer::mailbox ? region.block : numbered(rank, buffer, region.block);
    const std::uint32_t bounce_block =
        is_exposed && !job_.is_direct ? numbered(rank, Buffer::scratch, region.bounce_block) : 0;
    add_all(rank, region.buffer, region.exposed_buffer, block, region.pocket, region.completes,
            bounce_block, region.first_tile, region.tile_count);
  }

  /// Numbers the blocks of a rank's buffer in the order of first use in the node: all cost the
  /// same.
  std::uint32_t numbered(Rank rank, Buffer buffer, std::uint32_t block) {
    auto& known = blocks_[{rank, buffer}];
    return known.try_emplace(block, static_cast<std::uint32_t>(known.size())).first->second;
  }

  /// Readers on other nodes, whom messages tell of, are none of this node's.
  void add(const std::vector<Rank>& readers) {
    add_all(readers.size());
    for (const Rank reader : readers) add_all(job_.nodes.number_of[reader]);
  }

  const SymmetryQuestion& job_;
  /// A place in a description: from this word on, it is about something else.
  struct Mark {
    std::size_t first = 0;
    Rank rank = 0;
    std::string what;
  };

  Words words_;
  std::vector<Mark> marks_;
  std::map<std::pair<Rank, Buffer>, std::map<std::uint32_t, std::uint32_t>> blocks_;
};

/// Whom a node has messages with: of which class, who there, and across which level.
Words partners_of(std::uint32_t node, const SymmetryQuestion& job,
                  const std::vector<std::uint32_t>& classes) {
  Words words = {classes[node]};
  for (const Rank rank : job.nodes.ranks[node])
    for (const Instruction& step : job.programs[rank].instructions)
      if (is_half_of_message(step.kind))
        for (const std::uint32_t word :
             {classes[job.nodes.node_of[step.peer]], job.nodes.number_of[step.peer],
              model::network_between(job.model, job.localities[rank], job.localities[step.peer])})
          words.push_back(word);
  return words;
}

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
    const LevelPlace* place = model::place_at(localities[rank], "node");
    const auto next = static_cast<std::uint32_t>(nodes.ranks.size());
    const auto [found, is_new] = numbers.try_emplace(place == nullptr ? 0 : place->index, next);
    if (is_new) nodes.ranks.emplace_back();
    nodes.node_of.push_back(found->second);
    nodes.number_of.push_back(static_cast<std::uint32_t>(nodes.ranks[found->second].size()));
    nodes.ranks[found->second].push_back(rank);
  }
  return nodes;
}

std::vector<std::uint32_t> classes_of(const SymmetryQuestion& job) {
  Description description(job);
  std::vector<Words> descriptions;
  for (std::uint32_t node = 0; node < job.nodes.count(); ++node)
    descriptions.push_back(description.of(node));
  std::vector<std::uint32_t> classes = numbered(descriptions);
  for (;;) {
    for (std::uint32_t node = 0; node < job.nodes.count(); ++node)
      descriptions[node] = partners_of(node, job, classes);
    std::vector<std::uint32_t> finer = numbered(descriptions);
    if (finer == classes) return classes;
    classes = std::move(finer);
  }
}

std::string why_not_symmetric(std::uint32_t node, const SymmetryQuestion& job) {
  const Nodes& nodes = job.nodes;
  const std::string both = "nodes 0 and " + std::to_string(node) + " differ: ";
  if (nodes.ranks[node].size() != nodes.ranks[0].size())
    return both + "one has " + std::to_string(nodes.ranks[0].size()) + " ranks, the other " +
           std::to_string(nodes.ranks[node].size());
  Description description(job);
  const Words first = description.of(0), other = description.of(node);
  const auto differ = std::mismatch(first.begin(), first.end(), other.begin(), other.end()).second;
  const Rank counterpart = nodes.ranks[0].front();
  if (differ != other.end() || first.size() != other.size())
    return both + description.about(static_cast<std::size_t>(differ - other.begin())) +
           " is not that of its counterpart on the node of rank " + std::to_string(counterpart);
  const std::vector<std::uint32_t> one_class(nodes.count(), 0);
  if (partners_of(0, job, one_class) != partners_of(node, job, one_class))
    return both + "their messages cross other levels of the network, or go to other ranks of nodes";
  return both + "they have messages with nodes that differ";
}

std::vector<RankProgram> programs_on_node(const Nodes& nodes, std::uint32_t node,
                                          std::span<const RankProgram> programs) {
  const auto is_here = [&](Rank rank) { return nodes.node_of[rank] == node; };
  const auto renumber = [&](std::vector<Rank>& readers) {
    std::erase_if(readers, [&](Rank rank) { return !is_here(rank); });
    for (Rank& reader : readers) reader = nodes.number_of[reader];
  };
  std::vector<RankProgram> result;
  for (const Rank rank : nodes.ranks[node]) {
    RankProgram program = programs[rank];
    program.rank = nodes.number_of[rank];
    program.ranks = static_cast<Rank>(nodes.ranks[node].size());
    for (auto* regions : {&program.operands, &program.targets})
      for (ProgramRegion& region : *regions)
        region.rank = static_cast<std::uint16_t>(nodes.number_of[region.rank]);
    for (ProgramWait& wait : program.waits)
      wait.rank = static_cast<std::uint16_t>(nodes.number_of[wait.rank]);
    renumber(program.contract.scratch_readers);
    for (std::vector<Rank>& readers : program.contract.line_readers) renumber(readers);
    result.push_back(std::move(program));
  }
  return result;
}

}  // namespace terrace::simulate
