// SPDX-License-Identifier: BSD-3-Clause
// PlacementOptions: the options of subcommands that select a machine and the ranks' places on it.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hierarchy/hierarchy.hpp"
#include "machine/pretend.hpp"
#include "refusals.hpp"

namespace CLI {
class App;
}

namespace terrace {

/// TERRACE_X -> the value given for its option.
struct PlacementOptions {
  std::map<std::string, std::string> variables;

  /// A sentence about variables, with the names of the options that were given for them.
  std::string as_typed(std::string sentence) const;

  template <class T>
  Result<T> as_typed(Result<T> result) const {
    if (result) return result;
    return Error{result.error().code, as_typed(result.error().sentence)};
  }
};

/// The machine models that have a name, in order: "a64fx, genoa-2x96, ...".
std::string known_models();

/// Adds --machine, --nodes and --bind to the verb. With `machines`, --machine may come several
/// times: these are all of them as typed, and the first stands for the others.
std::shared_ptr<PlacementOptions> add_placement_options(
    CLI::App& verb, std::vector<std::string>* machines = nullptr);

/// Returns a placement with the machine replaced.
PlacementOptions on_machine(PlacementOptions placement, const std::string& machine);

/// Whether a machine so named has costs, rather than a shape alone.
bool names_model(const std::string& machine);

/// The options, and behind them the environment.
Environment environment_of(const PlacementOptions& placement);

/// The hierarchy of `ranks` ranks on the machine that options or environment name; nothing if they
/// name none. Reports errors as `verb` does.
std::optional<Hierarchy> hierarchy_at(const PlacementOptions& placement, Rank ranks,
                                      const Verb& verb);

/// Bound of `--depth`.
inline constexpr std::uint32_t kMostDepth = 64;
inline constexpr const char* kDepthHelp =
    "of the machine's groups the algorithm sees those of this depth alone: of packages with L3s in "
    "them the L3s at 2; 0: all [0]";

/// A number from `least` to `most`, or an exception that says what was expected of `option`.
std::uint32_t number_of(const std::string& text, const std::string& option, std::uint32_t least,
                        std::uint32_t most);

}  // namespace terrace
