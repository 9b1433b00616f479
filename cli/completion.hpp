// SPDX-License-Identifier: BSD-3-Clause
// What a shell can complete of a command: its verbs, their options, and which values those take;
// and the scripts that tell bash and zsh.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace terrace {

/// The kind of a value, as far as a shell can offer some.
enum class Offered {
  nothing,
  choices,  ///< the words that the option itself lists
  files,
  machines,    ///< of `terrace cost --list`, or files
  algorithms,  ///< of `terrace plan --list`, or files
  collectives,
  calls,  ///< algorithms or collectives
};

struct CompletedOption {
  std::vector<std::string> names;  ///< "-n", "--ranks"; one name without a dash: an argument
  std::string description;
  bool takes_value = false;
  bool takes_several = false;
  Offered offer = Offered::nothing;
  std::vector<std::string> choices;
};

struct CompletedVerb {
  std::vector<std::string> path;  ///< empty: the command itself; "draw", "plan"
  std::string description;
  std::vector<CompletedOption> options;
  std::vector<CompletedOption> arguments;
  std::vector<CompletedVerb> verbs;
  /// Its arguments are a program, and those of the program.
  bool starts_program = false;
};

CompletedVerb completed_verb(const CLI::App& app);

std::string bash_completion(const CompletedVerb& command);
std::string zsh_completion(const CompletedVerb& command);

}  // namespace terrace
