// SPDX-License-Identifier: BSD-3-Clause
// AskedCall: the options of `cost`, `simulate`, `explain` and `search` that select a call and a
// machine model.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "choose/chooser.hpp"
#include "refusals.hpp"

namespace CLI {
class App;
}

namespace terrace {

/// What a verb can be asked about.
enum class Subject : std::uint8_t { collective, algorithm, either };

struct AskedCall {
  Subject subject = Subject::collective;
  std::string what;  ///< where algorithms can be asked about, also a file with somebody's own plan
  std::string size, machine, ranks, nodes, root = "0", mode = "real";
  std::string collective;  ///< of a plan in a file; "": the first word of its name
  bool is_bounced = false;
};

/// The machine that this user has measured, by name; "" if none.
std::string default_machine();

/// Adds WHAT, SIZE, --machine, --ranks, --nodes, --root, --bounced and --mode, and --collective
/// where plans of files can be asked about.
std::shared_ptr<AskedCall> add_asked_call(CLI::App& verb, Subject subject);

/// How a plan is to run, where the verb does not try all ways.
struct AskedWay {
  std::string radix, depth, strip, lowering;  ///< "": as would be chosen
  bool streams = false;
};

/// Adds --radix, --depth, --strip, --lower and --stream.
std::shared_ptr<AskedWay> add_asked_way(CLI::App& verb);

std::optional<std::uint32_t> radix_of(const AskedWay&);
std::optional<std::uint32_t> depth_of(const AskedWay&);
std::optional<std::size_t> strip_of(const AskedWay&, const Verb& verb);

/// A machine model, ranks on it, and a call.
struct Asked {
  const Algorithm* row = nullptr;  ///< null: a collective or a file was named, and no algorithm
  model::MachineModel machine;
  std::unique_ptr<Scene> scene;  ///< on that machine
  Predicted call;

  Asked() = default;
  Asked(const Asked&) = delete;  // the scene refers to the machine
  Asked& operator=(const Asked&) = delete;
};

/// From so many ranks to so many; without a way, all ways are compared. Refuses as `verb` does.
std::unique_ptr<Asked> asked(const AskedCall& options, Rank least_ranks, Rank most_ranks,
                             const Verb& verb, const AskedWay* way = nullptr);

/// The plan as it would run; somebody's own is proved before. Refuses as `verb` does, and fails
/// with what the proof says.
Draft draft_of(const AskedCall& options, const Asked& asked, const Choice& choice, Drafts& drafts,
               const Verb& verb);

/// "allreduce of 64 KiB by 32 ranks on 4 AMD Opteron 6100 ..."
std::string title_of(const Asked&);

}  // namespace terrace
