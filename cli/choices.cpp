// SPDX-License-Identifier: BSD-3-Clause
// `terrace draw choices`: a table in plain text, or JSON that `terrace plot choices` colours.
#include "choices.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "call_options.hpp"
#include "choose/chooser.hpp"
#include "execute/call.hpp"
#include "machine/machine.hpp"
#include "machine_files/read_machine_model.hpp"
#include "placement_options.hpp"

namespace choices_verb {
namespace {

using nlohmann::ordered_json;
using namespace terrace;

constexpr const char* kVerb = "terrace draw";
constexpr Verb kRefusals{kVerb};
constexpr Rank kUsualRanks = 128;
constexpr std::size_t kMostBytes = std::size_t{16} << 20;

struct Options {
  std::string collective, machine, ranks;
  bool are_threads = false, as_json = false;
};

struct Cell {
  Rank ranks;
  std::size_t bytes;
  std::string algorithm;  ///< "" where the underlying MPI is faster
};

std::vector<Rank> ranks_in(const std::string& list) {
  std::vector<Rank> ranks;
  std::istringstream words(list);
  for (std::string word; std::getline(words, word, ',');)
    ranks.push_back(number_of(word, "--ranks", 2, 1'000'000));
  if (ranks.empty()) throw CLI::ValidationError("--ranks", "expected numbers, as in 2,4,8");
  return ranks;
}

/// Powers of two up to 128, or to all cores of the machine that is given, and those of a node.
std::vector<Rank> usual_ranks(const Options& options) {
  Rank most = kUsualRanks;
  if (!options.machine.empty()) {
    const model::MachineModel machine = kRefusals.value(model::read_machine_model(options.machine));
    const std::uint64_t cores =
        resources_at(kRefusals.value(model::machine_of(machine)), "core").size();
    most = static_cast<Rank>(std::min<std::uint64_t>(cores * machine.nodes,
                                                     std::max<std::uint64_t>(cores, kUsualRanks)));
  }
  std::vector<Rank> ranks;
  for (Rank power = 2; power < most; power *= 2) ranks.push_back(power);
  ranks.push_back(std::max(most, Rank{2}));
  return ranks;
}

std::vector<Rank> ranks_for(const Options& options) {
  return options.ranks.empty() ? usual_ranks(options) : ranks_in(options.ranks);
}

std::vector<std::size_t> sizes() {
  std::vector<std::size_t> bytes;
  for (std::size_t size = 8; size <= kMostBytes; size *= 2) bytes.push_back(size);
  return bytes;
}

/// Makes a chooser for ranks on a machine model, or on cores of which nothing is known.
std::shared_ptr<Chooser> chooser_of(const Options& options, Rank ranks) {
  if (!options.machine.empty()) {
    const model::MachineModel machine = kRefusals.value(model::read_machine_model(options.machine));
    const RankPlatform platform(machine, kRefusals.value(model::localities_on(machine, ranks)));
    return chooser_for(platform, options.are_threads);
  }
  TeamTraits traits;
  traits.ranks = ranks;
  traits.can_be_direct = options.are_threads;
  traits.scratch_bytes = usual_scratch_bytes(ranks);
  return Chooser::shared(traits, flat_hierarchy(ranks), model::assumed_costs());
}

std::vector<Cell> cells_of(Collective collective, const Options& options) {
  std::vector<Cell> cells;
  for (const Rank ranks : ranks_for(options)) {
    const std::shared_ptr<Chooser> chooser = chooser_of(options, ranks);
    for (const std::size_t bytes : sizes())
      cells.push_back({ranks, bytes, std::string(chooser->choose({collective, bytes}).algorithm)});
  }
  return cells;
}

/// In the order in which they are met; a letter for each.
std::vector<std::string> algorithms_in(const std::vector<Cell>& cells) {
  std::vector<std::string> names;
  for (const Cell& cell : cells)
    if (!cell.algorithm.empty() &&
        std::find(names.begin(), names.end(), cell.algorithm) == names.end())
      names.push_back(cell.algorithm);
  return names;
}

std::string padded(std::string text, std::size_t width) {
  text.resize(std::max(width, text.size()), ' ');
  return text;
}

void print_table(Collective collective, const Options& options, const std::vector<Cell>& cells) {
  const std::vector<std::string> names = algorithms_in(cells);
  std::cout << to_text(collective) << " of " << (options.are_threads ? "threads" : "processes")
            << ": what runs, by ranks and bytes\n\nranks ";
  for (const std::size_t bytes : sizes()) {
    std::string size = bytes_text(bytes);
    std::erase(size, ' ');
    std::cout << ' ' << padded(size.substr(0, size.find("iB")), 4);
  }
  Rank ranks = 0;
  for (const Cell& cell : cells) {
    if (cell.ranks != ranks) std::cout << '\n' << padded(std::to_string(cell.ranks), 6);
    ranks = cell.ranks;
    const auto name = std::find(names.begin(), names.end(), cell.algorithm);
    std::cout << ' '
              << padded(name == names.end()
                            ? "-"
                            : std::string(1, static_cast<char>('A' + (name - names.begin()))),
                        4);
  }
  std::cout << "\n\n";
  for (std::size_t i = 0; i < names.size(); ++i)
    std::cout << static_cast<char>('A' + i) << "  " << names[i] << '\n';
  if (std::any_of(cells.begin(), cells.end(),
                  [](const Cell& one) { return one.algorithm.empty(); }))
    std::cout << "-  the MPI, which is faster there\n";
}

void print_json(Collective collective, const Options& options, const std::vector<Cell>& cells) {
  ordered_json choices = ordered_json::array();
  for (const Cell& cell : cells)
    choices.push_back(
        {{"ranks", cell.ranks}, {"bytes", cell.bytes}, {"algorithm", cell.algorithm}});
  std::cout << ordered_json({{"collective", to_text(collective)},
                             {"threads", options.are_threads},
                             {"ranks", ranks_for(options)},
                             {"bytes", sizes()},
                             {"choices", choices}})
                   .dump()
            << '\n';
}

void run(const Options& options) {
  const auto collective = collective_from_text(options.collective);
  if (!collective || is_vector(*collective) || *collective == Collective::barrier)
    throw CLI::ValidationError(
        kVerb, "'" + options.collective +
                   "' given, expected a collective with bytes: bcast, reduce, allreduce, "
                   "allgather, gather, scatter, alltoall, reduce_scatter_block, scan or exscan");
  const std::vector<Cell> cells = cells_of(*collective, options);
  (options.as_json ? print_json : print_table)(*collective, options, cells);
}

}  // namespace
}  // namespace choices_verb

void add_choices_kind(CLI::App& draw) {
  using namespace choices_verb;
  auto options = std::make_shared<Options>();
  CLI::App* kind = draw.add_subcommand("choices", "which algorithm runs, by ranks and bytes");
  kind->add_option("collective", options->collective, "allreduce, bcast, ...");
  kind->add_option(
      "--ranks", options->ranks,
      "numbers of ranks, such as 2,4,8 [powers of two up to 128 or to the machine's cores]");
  options->machine = default_machine();
  kind->add_option(
      "--machine", options->machine,
      "a machine model: a name of `terrace cost --list`, or a file [this machine, once "
      "`terrace measure` has measured it]");
  kind->add_flag("--threads", options->are_threads, "for a team of threads instead of processes");
  kind->add_flag("--json", options->as_json, "print JSON");
  kind->callback([options] { run(*options); });
}
