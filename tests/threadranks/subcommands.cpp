// SPDX-License-Identifier: BSD-3-Clause
// The subcommands that start programs: builds of some rooms' tests need no more, and to compile the
// rest takes as long as a quarter of them.
#include "../../cli/subcommands.hpp"

void add_subcommands(CLI::App& app, const std::vector<std::string>& command) {
  add_compiler_subcommands(app, command);
  add_exec_subcommand(app, command);
  add_run_subcommand(app, command);
}
