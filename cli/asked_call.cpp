// SPDX-License-Identifier: BSD-3-Clause
// Which call on which machine model. See asked_call.hpp.
#include "asked_call.hpp"

#include <CLI/CLI.hpp>

#include "base/bytes.hpp"
#include "model/read_machine_model.hpp"
#include "placing.hpp"

namespace terrace {

namespace {

Collective collective_of(const std::string& text, const Verb& verb) {
  if (const auto collective = collective_from_text(text)) return *collective;
  verb.refuse("'" + text + "' given, expected barrier, bcast, reduce, allreduce, allgather, ...");
}

std::size_t bytes_of(const AskedCall& options, const Verb& verb) {
  const bool has_none = options.size.empty() && options.collective == "barrier";
  return has_none ? 0 : verb.bytes(options.size);
}

model::Account account_of(const std::string& mode, const Verb& verb) {
  if (mode == "real") return model::Account::all;
  if (mode == "paper") return model::Account::paper;
  verb.refuse("--mode '" + mode + "' given, expected paper or real");
}

}  // namespace

std::shared_ptr<AskedCall> add_asked_call(CLI::App& verb) {
  auto asked = std::make_shared<AskedCall>();
  verb.add_option("collective", asked->collective, "barrier, bcast, reduce, allreduce, ...");
  verb.add_option("size", asked->size, "bytes of a rank's vector or block: 8, 64KiB");
  verb.add_option("--machine", asked->machine, "a machine model, by name or file");
  verb.add_option("--ranks", asked->ranks, "how many, one on a core");
  verb.add_option("--nodes", asked->nodes, "nodes: \"2\", or the ranks of each: \"4,4,2\"");
  verb.add_option("--root", asked->root, "of rooted collectives [0]");
  verb.add_flag("--bounced", asked->is_bounced,
                "users' buffers are copied to scratch first, as between processes");
  verb.add_option("--mode", asked->mode,
                  "paper: synchronization costs nothing; real: it does [real]");
  return asked;
}

std::unique_ptr<Asked> asked(const AskedCall& options, Rank most_ranks, const Verb& verb) {
  if (options.collective.empty() || options.machine.empty() || options.ranks.empty())
    verb.refuse(std::string("expected a collective, a size, --machine and --ranks; see `") +
                verb.name + " --help`");
  auto asked = std::make_unique<Asked>();
  asked->machine = verb.value(model::read_machine_model(options.machine));
  const Rank ranks = number_of(options.ranks, "--ranks", 2, most_ranks);
  asked->scene = std::make_unique<Scene>(
      asked->machine, verb.value(model::localities_on(asked->machine, ranks, options.nodes)));
  asked->call.collective = collective_of(options.collective, verb);
  asked->call.bytes = bytes_of(options, verb);
  asked->call.root = number_of(options.root, "--root", 0, ranks - 1);
  asked->call.is_direct = !options.is_bounced;
  asked->call.account = account_of(options.mode, verb);
  return asked;
}

std::string title_of(const Asked& asked) {
  std::string text = to_text(asked.call.collective);
  if (asked.call.bytes > 0) text += " of " + bytes_text(asked.call.bytes);
  text += " by " + std::to_string(asked.scene->places.size()) + " ranks on " + asked.machine.title;
  return text + (asked.call.is_direct ? "" : ", through scratch");
}

}  // namespace terrace
