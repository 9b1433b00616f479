// SPDX-License-Identifier: BSD-3-Clause
// Which call on which machine model. See asked_call.hpp.
#include "asked_call.hpp"

#include <CLI/CLI.hpp>

#include "base/bytes.hpp"
#include "model/read_machine_model.hpp"
#include "placing.hpp"

namespace terrace {

namespace {

constexpr std::uint32_t kMostRadix = 1024;

/// Name and explanation of what a verb is about.
std::pair<const char*, const char*> words_for(Subject subject) {
  switch (subject) {
    case Subject::collective:
      return {"collective", "barrier, bcast, reduce, allreduce, ..."};
    case Subject::algorithm:
      return {"algorithm", "one of `terrace plan --list`"};
    case Subject::either:
      break;
  }
  return {"what", "an algorithm, or a collective for what would be chosen"};
}

Collective collective_of(const AskedCall& options, const Algorithm* row, const Verb& verb) {
  if (options.subject != Subject::collective && row != nullptr) return row->collective;
  const auto collective = collective_from_text(options.what);
  if (options.subject != Subject::algorithm && collective) return planned_as(*collective);
  const std::string given = "'" + options.what + "'";
  if (options.subject == Subject::algorithm)
    verb.refuse(given + " is no algorithm; see terrace plan --list");
  if (options.subject == Subject::either)
    verb.refuse(given + " is neither an algorithm (terrace plan --list) nor a collective");
  verb.refuse(given + " given, expected barrier, bcast, reduce, allreduce, allgather, ...");
}

model::Account account_of(const std::string& mode, const Verb& verb) {
  if (mode == "real") return model::Account::all;
  if (mode == "paper") return model::Account::paper;
  verb.refuse("--mode '" + mode + "' given, expected paper or real");
}

/// A barrier has no size.
bool needs_size(const std::string& what) {
  return what != "barrier" && !what.starts_with("barrier.");
}

/// "expected a collective, a size and --ranks": as many of them as are missing.
void refuse_what_is_missing(const AskedCall& options, const Verb& verb) {
  const std::string first = words_for(options.subject).first;
  const bool begins_with_vowel = first.front() == 'a';
  std::vector<std::string> missing;
  if (options.what.empty())
    missing.push_back(options.subject == Subject::either
                          ? "an algorithm or a collective"
                          : (begins_with_vowel ? "an " : "a ") + first);
  if (options.size.empty() && needs_size(options.what)) missing.emplace_back("a size");
  if (options.machine.empty()) missing.emplace_back("--machine");
  if (options.ranks.empty()) missing.emplace_back("--ranks");
  if (missing.empty()) return;
  std::string text = missing.front();
  for (std::size_t i = 1; i < missing.size(); ++i)
    text += (i + 1 == missing.size() ? " and " : ", ") + missing[i];
  verb.refuse("expected " + text + "; see `" + verb.name + " --help`");
}

}  // namespace

std::shared_ptr<AskedCall> add_asked_call(CLI::App& verb, Subject subject) {
  auto asked = std::make_shared<AskedCall>();
  asked->subject = subject;
  const auto [name, help] = words_for(subject);
  verb.add_option(name, asked->what, help);
  verb.add_option("size", asked->size, "bytes of a rank's vector or block: 8, 64KiB");
  verb.add_option("--machine", asked->machine,
                  "a machine model: a name of `terrace cost --list`, or a file");
  verb.add_option("--ranks", asked->ranks, "how many, one on a core");
  verb.add_option("--nodes", asked->nodes,
                  "nodes: \"2\", or the ranks of each: \"4,4,2\" [as few as have room]");
  verb.add_option("--root", asked->root, "of rooted collectives [0]");
  verb.add_flag("--bounced", asked->is_bounced,
                "users' buffers are copied to scratch first, as between processes");
  verb.add_option("--mode", asked->mode,
                  "paper: synchronization costs nothing; real: it does [real]");
  return asked;
}

std::shared_ptr<AskedWay> add_asked_way(CLI::App& verb) {
  auto way = std::make_shared<AskedWay>();
  verb.add_option("--radix", way->radix, "how many operands a rank reads at once");
  verb.add_option("--strip", way->strip, "bytes that go through the plan at a time");
  verb.add_flag("--stream", way->streams, "store results past the caches");
  return way;
}

std::optional<std::uint32_t> radix_of(const AskedWay& way) {
  if (way.radix.empty()) return std::nullopt;
  return number_of(way.radix, "--radix", 2, kMostRadix);
}

std::optional<std::size_t> strip_of(const AskedWay& way, const Verb& verb) {
  if (way.strip.empty()) return std::nullopt;
  const std::size_t bytes = verb.bytes(way.strip, "--strip ");
  if (bytes == 0) verb.refuse("--strip '" + way.strip + "' given, expected at least a byte");
  return bytes;
}

std::unique_ptr<Asked> asked(const AskedCall& options, Rank least_ranks, Rank most_ranks,
                             const Verb& verb) {
  refuse_what_is_missing(options, verb);
  auto asked = std::make_unique<Asked>();
  asked->row = options.subject == Subject::collective ? nullptr : find_algorithm(options.what);
  asked->call.collective = collective_of(options, asked->row, verb);
  asked->call.bytes = needs_size(options.what) ? verb.bytes(options.size) : 0;
  asked->call.is_direct = !options.is_bounced;
  asked->call.account = account_of(options.mode, verb);
  asked->machine = verb.value(model::read_machine_model(options.machine));
  const Rank ranks = number_of(options.ranks, "--ranks", least_ranks, most_ranks);
  const Placing typed{{{"TERRACE_NODES", options.nodes}}};
  asked->scene = std::make_unique<Scene>(
      asked->machine,
      verb.value(typed.as_typed(model::localities_on(asked->machine, ranks, options.nodes))));
  asked->call.root = number_of(options.root, "--root", 0, ranks - 1);
  return asked;
}

std::string title_of(const Asked& asked) {
  std::string text = to_text(asked.call.collective);
  if (asked.call.bytes > 0) text += " of " + bytes_text(asked.call.bytes);
  text += " by " + std::to_string(asked.scene->places.size()) + " ranks on " + asked.machine.title;
  return text + (asked.call.is_direct ? "" : ", through scratch");
}

}  // namespace terrace
