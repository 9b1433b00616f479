// SPDX-License-Identifier: BSD-3-Clause
// All subcommands. (Builds that test some rooms have tests/threadranks/subcommands.cpp instead.)
#include "subcommands.hpp"

void add_subcommands(CLI::App& app, const std::vector<std::string>& command) {
  add_bench_subcommand(app);
  add_compiler_subcommands(app, command);
  add_completion_subcommand(app);
  add_cost_subcommand(app);
  add_doctor_subcommand(app);
  add_draw_subcommand(app);
  add_exec_subcommand(app, command);
  add_explain_subcommand(app);
  add_hierarchy_subcommand(app);
  add_machine_subcommand(app);
  add_manual_subcommand(app);
  add_measure_subcommand(app);
  add_plan_subcommand(app);
  add_plot_subcommand(app, command);
  add_reproduce_subcommand(app);
  add_run_subcommand(app, command);
  add_search_subcommand(app);
  add_simulate_subcommand(app);
  add_tune_subcommand(app);
  add_verify_subcommand(app);
}
