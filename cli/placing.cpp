// SPDX-License-Identifier: BSD-3-Clause
// Where ranks are: options first, and behind them the environment. See placing.hpp.
#include "placing.hpp"

#include <CLI/CLI.hpp>

#include "base/number.hpp"
#include "machine/machine.hpp"

namespace terrace {

namespace {

template <class T>
T value_or_throw(Result<T> result, const std::string& verb) {
  if (result) return std::move(result).value();
  if (result.error().code == ErrorCode::argument)
    throw CLI::ValidationError(verb, result.error().sentence);
  throw CLI::RuntimeError(verb + ": " + result.error().sentence, 1);
}

}  // namespace

std::shared_ptr<Placing> add_placing(CLI::App& verb) {
  auto placing = std::make_shared<Placing>();
  const auto stands_for = [&](const char* option, const char* variable, const char* help) {
    verb.add_option_function<std::string>(
        option,
        [placing, variable](const std::string& value) { placing->variables[variable] = value; },
        help);
  };
  stands_for("--machine", "TERRACE_MACHINE", "a machine in hwloc's words, or a file of lstopo");
  stands_for("--nodes", "TERRACE_NODES", "nodes: \"2\", or the ranks of each: \"4,4,2\"");
  stands_for("--bind", "TERRACE_BIND",
             "a level (core, pu, l3, numa, package), none, or PUs per rank: \"0,1,2-3,8+9\"");
  return placing;
}

Environment environment_of(const Placing& placing) {
  return [variables = placing.variables,
          behind = process_environment()](const std::string& name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? behind(name) : std::optional<std::string>(found->second);
  };
}

std::optional<Hierarchy> hierarchy_at(const Placing& placing, Rank ranks, const std::string& verb) {
  const Environment environment = environment_of(placing);
  if (announcement_of(environment).empty()) return std::nullopt;
  const Machine machine = value_or_throw(machine_of(environment), verb);
  return hierarchy_of(value_or_throw(localities_on(machine, environment, ranks), verb));
}

std::uint32_t number_of(const std::string& text, const std::string& option, std::uint32_t least,
                        std::uint32_t most) {
  if (const auto number = number_from_text(text, least, most)) return *number;
  throw CLI::ValidationError(option, "'" + text + "' given, expected a number from " +
                                         std::to_string(least) + " to " + std::to_string(most));
}

}  // namespace terrace
