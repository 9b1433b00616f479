// SPDX-License-Identifier: BSD-3-Clause
// CallOptions: the options of `cost`, `simulate`, `explain` and `search` that select a call and a
// machine model.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "choose/chooser.hpp"
#include "refusals.hpp"
#include "simulate/outcome.hpp"

namespace CLI {
class App;
}

namespace terrace {

/// The subject of a question to a verb.
enum class Subject : std::uint8_t { collective, algorithm, either };

struct CallOptions {
  Subject subject = Subject::collective;
  std::string what;  ///< an algorithm or collective, or the file of a user's plan
  std::string size, machine, ranks, nodes, root = "0", mode = "real";
  std::string collective;  ///< of a plan in a file; "": the first word of its name
  std::string graph;       ///< on which a plan of neighbourhood collectives runs; "": not given
  bool is_bounced = false;
};

/// The machine that this user has measured, by name; "" if none.
std::string default_machine();

/// Adds WHAT, SIZE, --machine, --ranks, --nodes, --root, --bounced and --mode, and --collective
/// where plans of files can be asked about.
std::shared_ptr<CallOptions> add_call_options(CLI::App& verb, Subject subject);

/// The way a plan is to run, where the verb does not try all ways.
struct RunOptions {
  std::string radix, depth, strip, lowering;  ///< "": as would be chosen
  bool streams = false;
};

/// Adds --radix, --depth, --strip, --lower and --stream.
std::shared_ptr<RunOptions> add_run_options(CLI::App& verb);

std::optional<std::uint32_t> radix_of(const RunOptions&);
std::optional<std::uint32_t> depth_of(const RunOptions&);
std::optional<std::size_t> strip_of(const RunOptions&, const Verb& verb);

/// A machine model, ranks on it, and a call.
struct Asked {
  const Algorithm* row = nullptr;  ///< null: a collective or a file was named, and no algorithm
  model::MachineModel machine;
  std::unique_ptr<RankPlatform> platform;  ///< on that machine
  Predicted call;                          ///< its own plan: that of a graph, or in a file
  bool is_on_graph = false;                ///< a plan of a graph, run in one strip

  Asked() = default;
  Asked(const Asked&) = delete;  // the platform refers to the machine
  Asked& operator=(const Asked&) = delete;
};

/// Parses the options for between `least_ranks` and `most_ranks` ranks; without `way`, all ways are
/// compared. Reports errors as `verb` does.
std::unique_ptr<Asked> asked(const CallOptions& options, Rank least_ranks, Rank most_ranks,
                             const Verb& verb, const RunOptions* way = nullptr);

/// The plan as it would run; a user's plan is proved first. Reports errors as `verb` does, and
/// fails with the result of the proof.
Draft draft_of(const CallOptions& options, const Asked& asked, const Choice& choice, Drafts& drafts,
               const Verb& verb);

/// Returns how `simulate` plays such a call: the last of 20, or one as the paper counts.
simulate::SimulationSetting setting_of(const Asked& asked, const RunOptions& way, const Verb& verb);

/// "allreduce of 64 KiB by 32 ranks on 4 AMD Opteron 6100 ..."
std::string title_of(const Asked&);

}  // namespace terrace
