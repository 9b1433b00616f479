// SPDX-License-Identifier: BSD-3-Clause
// AskedCall: the options by which `explain` and `search` say which call on which machine model they
// are about.
#pragma once

#include <memory>
#include <string>

#include "api/prediction.hpp"
#include "refusals.hpp"

namespace CLI {
class App;
}

namespace terrace {

struct AskedCall {
  std::string collective, size, machine, ranks, nodes, root = "0", mode = "real";
  bool is_bounced = false;
};

/// Adds COLLECTIVE, SIZE, --machine, --ranks, --nodes, --root, --bounced and --mode.
std::shared_ptr<AskedCall> add_asked_call(CLI::App& verb);

/// A machine model, ranks on it, and a call.
struct Asked {
  model::MachineModel machine;
  std::unique_ptr<Scene> scene;  ///< on that machine
  Predicted call;

  Asked() = default;
  Asked(const Asked&) = delete;  // the scene refers to the machine
  Asked& operator=(const Asked&) = delete;
};

/// Refuses as `verb` does.
std::unique_ptr<Asked> asked(const AskedCall& options, Rank most_ranks, const Verb& verb);

/// "allreduce of 64 KiB by 32 ranks on 4 AMD Opteron 6100 ..."
std::string title_of(const Asked&);

}  // namespace terrace
