// SPDX-License-Identifier: BSD-3-Clause
// Reads the options for the call and the machine model. See call_options.hpp.
#include "call_options.hpp"

#include <CLI/CLI.hpp>
#include <iostream>

#include "base/bytes.hpp"
#include "base/paths.hpp"
#include "execute/edge_blocks.hpp"
#include "graph_call.hpp"
#include "machine_files/read_machine_model.hpp"
#include "placement_options.hpp"
#include "written_plan.hpp"

namespace terrace {

namespace {

constexpr std::uint32_t kMostRadix = 1024;

/// Name and explanation of what a verb is about.
std::pair<const char*, const char*> words_for(Subject subject) {
  switch (subject) {
    case Subject::collective:
      return {"collective", "barrier, bcast, reduce, allreduce, ..."};
    case Subject::algorithm:
      return {"algorithm", "one of `terrace plan --list`, or a file with a plan of your own"};
    case Subject::either:
      break;
  }
  return {"what",
          "an algorithm, a file with a plan of your own, or a collective for what would be chosen"};
}

/// A file with a plan is whatever is neither of our algorithms nor, where these can be asked about,
/// a collective.
bool names_file(const CallOptions& options) {
  if (options.subject == Subject::collective || options.what.empty()) return false;
  if (find_algorithm(options.what) != nullptr) return false;
  return options.subject == Subject::algorithm || !collective_from_text(options.what);
}

/// Refuses what means nothing to the plan of a graph.
void check_options_for_graph(const CallOptions& options, const RunOptions* way, const Verb& verb) {
  if (options.root != "0") refuse_with_graph("--root", verb);
  if (!options.collective.empty()) refuse_with_graph("--collective", verb);
  if (way == nullptr) return;
  if (!way->radix.empty()) refuse_with_graph("--radix", verb);
  if (!way->depth.empty()) refuse_with_graph("--depth", verb);
  if (!way->strip.empty()) refuse_with_graph("--strip", verb);
  if (way->lowering == "lines") refuse_with_graph("--lower lines", verb);
}

/// Warns that calls of short blocks are faster than predicted.
void warn_of_short_blocks(const Plan& plan, std::size_t bytes, const Verb& verb) {
  const std::size_t blocks = std::max<std::size_t>(plan.scratch_blocks, 1);
  if (fits_announcement(blocks, blocks * bytes))
    std::cerr << verb.name << ": blocks of " << bytes_text(bytes)
              << " travel with their announcement, but are predicted as copied apart: real calls "
                 "are faster\n";
}

std::shared_ptr<const Plan> graph_plan(const CallOptions& options, Rank most_ranks,
                                       const Verb& verb) {
  const GraphCall call =
      call_on_graph(options.what, {options.graph, options.ranks}, most_ranks, verb);
  return std::make_shared<const Plan>(verb.value(lower_neighbours(call.written())));
}

/// The plan in a file; null: none is named.
std::shared_ptr<const Plan> plan_of_file(const CallOptions& options, const Verb& verb) {
  if (!names_file(options)) {
    if (!options.collective.empty())
      verb.refuse("--collective is for files; an algorithm has its own");
    return nullptr;
  }
  if (options.subject == Subject::either && !is_there(options.what))
    verb.refuse("'" + options.what +
                "' is neither an algorithm (terrace plan --list), a collective nor a file");
  return std::make_shared<const Plan>(plan_in_file(options.what, verb));
}

Collective collective_of(const CallOptions& options, const Asked& asked, const Verb& verb) {
  if (asked.is_on_graph) return find_graph_algorithm(options.what)->collective;
  if (asked.call.own)
    return planned_as(terrace::collective_of(*asked.call.own, options.collective, verb));
  if (asked.row != nullptr) return asked.row->collective;
  if (const auto collective = collective_from_text(options.what)) {
    const Collective planned = planned_as(*collective);
    if (planned != *collective)
      std::cerr << verb.name << ": " << to_text(*collective) << " runs the plans of "
                << to_text(planned) << "; this is for blocks that all have one length\n";
    return planned;
  }
  if (const Algorithm* row = find_algorithm(options.what))
    verb.refuse("'" + options.what + "' is an algorithm, and all of its collective are compared: " +
                "expected " + to_text(row->collective));
  verb.refuse("'" + options.what +
              "' given, expected barrier, bcast, reduce, allreduce, allgather, ...");
}

model::Account account_of(const std::string& mode, const Verb& verb) {
  if (mode == "real") return model::Account::all;
  if (mode == "paper") return model::Account::paper;
  verb.refuse("--mode '" + mode + "' given, expected paper or real");
}

/// A shape alone does not say what anything costs.
model::MachineModel model_of(const std::string& text, const Verb& verb) {
  const bool is_path = text.find('/') != std::string::npos || text.ends_with(".json");
  const bool is_shape = text.ends_with(".xml") || (!is_path && text.find(':') != std::string::npos);
  if (is_shape)
    verb.refuse("--machine '" + text +
                "' is the shape of a machine, without costs: expected a machine model, which is a "
                "file that ends with .json, or one of " +
                known_models());
  return verb.value(model::read_machine_model(text));
}

/// A barrier has no size.
bool needs_size(const CallOptions& options, const Plan* own) {
  const std::string& name = own == nullptr               ? options.what
                            : options.collective.empty() ? own->name
                                                         : options.collective;
  return name != "barrier" && !name.starts_with("barrier.");
}

/// "expected a collective, a size and --ranks": as many of them as are missing.
void refuse_what_is_missing(const CallOptions& options, const Plan* own, const Verb& verb) {
  const std::string first = words_for(options.subject).first;
  const bool begins_with_vowel = first.front() == 'a';
  std::vector<std::string> missing;
  if (options.what.empty())
    missing.push_back(options.subject == Subject::either
                          ? "an algorithm or a collective"
                          : (begins_with_vowel ? "an " : "a ") + first);
  if (options.size.empty() && needs_size(options, own)) missing.emplace_back("a size");
  if (options.machine.empty()) missing.emplace_back("--machine");
  if (options.ranks.empty() && own == nullptr) missing.emplace_back("--ranks");
  if (missing.empty()) return;
  std::string text = missing.front();
  for (std::size_t i = 1; i < missing.size(); ++i)
    text += (i + 1 == missing.size() ? " and " : ", ") + missing[i];
  verb.refuse("expected " + text + "; see `" + verb.name + " --help`" +
              (options.machine.empty() ? ". Without --machine it is this one, once "
                                         "`terrace measure` has measured it"
                                       : ""));
}

/// A user's plan says how many ranks it has.
Rank ranks_of(const CallOptions& options, const Plan* own, Rank least, Rank most,
              const Verb& verb) {
  if (own == nullptr) return number_of(options.ranks, "--ranks", least, most);
  if (own->ranks > most)
    verb.refuse(options.what + ": `ranks " + std::to_string(own->ranks) + "` given, expected " +
                std::to_string(most) + " at most");
  const bool is_other = !options.ranks.empty() && options.ranks != std::to_string(own->ranks);
  if (is_other)
    verb.refuse("--ranks " + options.ranks + " given, and the plan in " + options.what +
                " is for " + std::to_string(own->ranks) + ": leave --ranks out");
  return own->ranks;
}

/// "4,4,2": how many ranks each node of the plan has.
std::string nodes_of(const CallOptions& options, const Plan* own, const Verb& verb) {
  if (own == nullptr || own->nodes.empty() || !options.nodes.empty()) return options.nodes;
  std::vector<Rank> counts;
  for (Rank rank = 0; rank < own->ranks; ++rank) {
    if (rank > 0 && own->nodes[rank] < own->nodes[rank - 1])
      verb.refuse(options.what +
                  ": the nodes of a machine model are filled one after the other, and " + "rank " +
                  std::to_string(rank) + " is on an earlier node than the one before it");
    if (rank == 0 || own->nodes[rank] != own->nodes[rank - 1]) counts.push_back(0);
    ++counts.back();
  }
  std::string text;
  for (const Rank count : counts) text += (text.empty() ? "" : ",") + std::to_string(count);
  return text;
}

}  // namespace

std::string default_machine() {
  const std::string path = model::this_machine_path();
  return !path.empty() && is_there(path) ? model::kThisMachine : "";
}

std::shared_ptr<CallOptions> add_call_options(CLI::App& verb, Subject subject) {
  auto asked = std::make_shared<CallOptions>();
  asked->subject = subject;
  const auto [name, help] = words_for(subject);
  verb.add_option(name, asked->what, help);
  verb.add_option("size", asked->size, "bytes of a rank's vector or block: 8, 64KiB");
  asked->machine = default_machine();
  verb.add_option("--machine", asked->machine,
                  "a machine model: a name of `terrace cost --list`, or a file [this machine, once "
                  "`terrace measure` has measured it]");
  verb.add_option("--ranks", asked->ranks, "how many ranks, one per core");
  verb.add_option("--nodes", asked->nodes,
                  "nodes: \"2\", or the ranks of each: \"4,4,2\" [as few as have room]");
  verb.add_option("--root", asked->root, "root of rooted collectives [0]");
  verb.add_flag("--bounced", asked->is_bounced,
                "users' buffers are copied to scratch first, as between processes");
  verb.add_option("--mode", asked->mode,
                  "paper: synchronization costs nothing; real: it does [real]");
  if (subject != Subject::collective)
    verb.add_option("--collective", asked->collective,
                    "the collective of a file's plan [the first word of its name]");
  return asked;
}

std::shared_ptr<RunOptions> add_run_options(CLI::App& verb) {
  auto way = std::make_shared<RunOptions>();
  verb.add_option("--radix", way->radix, "how many operands a rank reads at once");
  verb.add_option("--depth", way->depth, kDepthHelp);
  verb.add_option("--strip", way->strip, "bytes of a strip, which goes through the plan at a time");
  verb.add_option("--lower", way->lowering,
                  "lines: small values in mailbox lines; owner: exposed buffers [lines where a "
                  "value fits one]");
  verb.add_flag("--stream", way->streams, "store results past the caches");
  return way;
}

std::optional<std::uint32_t> radix_of(const RunOptions& way) {
  if (way.radix.empty()) return std::nullopt;
  return number_of(way.radix, "--radix", 2, kMostRadix);
}

std::optional<std::uint32_t> depth_of(const RunOptions& way) {
  if (way.depth.empty()) return std::nullopt;
  return number_of(way.depth, "--depth", 0, kMostDepth);
}

std::optional<std::size_t> strip_of(const RunOptions& way, const Verb& verb) {
  if (way.strip.empty()) return std::nullopt;
  const std::size_t bytes = verb.bytes(way.strip, "--strip ");
  if (bytes == 0) verb.refuse("--strip '" + way.strip + "' given, expected at least a byte");
  return bytes;
}

std::unique_ptr<Asked> asked(const CallOptions& options, Rank least_ranks, Rank most_ranks,
                             const Verb& verb, const RunOptions* way) {
  auto asked = std::make_unique<Asked>();
  asked->is_on_graph = options.subject != Subject::collective && !options.what.empty() &&
                       runs_on_graph(options.what, {options.graph, options.ranks}, verb);
  if (asked->is_on_graph) check_options_for_graph(options, way, verb);
  asked->call.own =
      asked->is_on_graph ? graph_plan(options, most_ranks, verb) : plan_of_file(options, verb);
  const Plan* const own = asked->call.own.get();
  refuse_what_is_missing(options, own, verb);
  if (own != nullptr && way != nullptr && !(way->radix.empty() && way->depth.empty()))
    verb.refuse((way->radix.empty() ? "--depth" : "--radix") +
                std::string(" is for algorithms; a file contains the whole plan"));
  const bool names_algorithm = options.subject != Subject::collective && own == nullptr;
  asked->row = names_algorithm ? find_algorithm(options.what) : nullptr;
  asked->call.collective = collective_of(options, *asked, verb);
  asked->call.bytes = needs_size(options, own) ? verb.bytes(options.size) : 0;
  asked->call.is_direct = !options.is_bounced;
  asked->call.account = account_of(options.mode, verb);
  if (way != nullptr) asked->call.lowering = lowering_from(way->lowering, verb);
  asked->machine = model_of(options.machine, verb);
  const Rank ranks =
      asked->is_on_graph ? own->ranks : ranks_of(options, own, least_ranks, most_ranks, verb);
  const std::string nodes = nodes_of(options, own, verb);
  const PlacementOptions typed{{{"TERRACE_NODES", nodes}}};
  asked->platform = std::make_unique<RankPlatform>(
      asked->machine,
      verb.value(typed.as_typed(model::localities_on(asked->machine, ranks, nodes))));
  asked->call.root = number_of(options.root, "--root", 0, ranks - 1);
  if (asked->is_on_graph) warn_of_short_blocks(*own, asked->call.bytes, verb);
  return asked;
}

Draft draft_of(const CallOptions& options, const Asked& asked, const Choice& choice, Drafts& drafts,
               const Verb& verb) {
  const bool is_own = asked.call.own != nullptr;
  Draft draft = verb.value(drafts.find(asked.call, choice), is_own ? options.what : "");
  if (!is_own || asked.is_on_graph) return draft;
  const PlanVerdict verdict = judge(*draft.lowered, asked.call.collective, asked.call.root, verb);
  if (!verdict.complaint.empty()) verb.fail(options.what + ": " + verdict.complaint);
  return draft;
}

simulate::SimulationSetting setting_of(const Asked& asked, const RunOptions& way,
                                       const Verb& verb) {
  const Predicted& call = asked.call;
  simulate::SimulationSetting setting;
  setting.element_bytes = call.bytes % 8 == 0 ? 8 : 1;
  setting.element_count = call.bytes / setting.element_bytes;
  const bool is_papers = call.account == model::Account::paper;
  setting.mode = is_papers ? simulate::Mode::paper : simulate::Mode::real;
  setting.is_direct = call.is_direct;
  setting.strip_bytes =
      asked.is_on_graph ? kWhole : strip_of(way, verb).value_or(setting.strip_bytes);
  setting.streams = way.streams;
  // The ring of lines has been round once, and caches are what the calls before have made them.
  setting.calls = is_papers ? 1 : 20;
  return setting;
}

std::string title_of(const Asked& asked) {
  std::string text = to_text(asked.call.collective);
  if (asked.call.bytes > 0) text += " of " + bytes_text(asked.call.bytes);
  text +=
      " by " + std::to_string(asked.platform->places.size()) + " ranks on " + asked.machine.title;
  return text + (asked.call.is_direct ? "" : ", through scratch");
}

}  // namespace terrace
