// SPDX-License-Identifier: BSD-3-Clause
// The command `terrace`: gathers the verbs, and turns every failure into one line and a status.
#include <CLI/CLI.hpp>
#include <iostream>

#include "verbs.hpp"

namespace {

constexpr int kWrongArgument = 2;

/// Help goes to standard output with status 0; failures to standard error, in a line.
int report(const CLI::App& app, const CLI::ParseError& failure) {
  if (failure.get_exit_code() == 0) return app.exit(failure);
  if (app.get_subcommands().empty()) {
    std::cerr << "terrace: expected a verb, see `terrace --help`\n";
    return kWrongArgument;
  }
  const bool is_runtime = dynamic_cast<const CLI::RuntimeError*>(&failure) != nullptr;
  std::cerr << failure.what() << '\n';
  return is_runtime ? failure.get_exit_code() : kWrongArgument;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Terrace: collectives that follow the machine they run on", "terrace");
  app.require_subcommand(1);
  add_bench_verb(app);
  add_exec_verb(app);
  add_machine_verb(app);
  add_plan_verb(app);
  add_verify_verb(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& failure) {
    return report(app, failure);
  }
  return 0;
}
