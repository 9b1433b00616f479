// SPDX-License-Identifier: BSD-3-Clause
// The command `terrace` without what starts no program: builds of some rooms' tests need no more,
// and to compile the rest takes as long as a quarter of them.
#include "../../cli/subcommands.hpp"

void add_machine_subcommand(CLI::App&) {}
void add_hierarchy_subcommand(CLI::App&) {}
void add_plan_subcommand(CLI::App&) {}
void add_plot_subcommand(CLI::App&, const std::vector<std::string>&) {}
void add_verify_subcommand(CLI::App&) {}
void add_draw_subcommand(CLI::App&) {}
void add_explain_subcommand(CLI::App&) {}
void add_search_subcommand(CLI::App&) {}
void add_doctor_subcommand(CLI::App&) {}
void add_cost_subcommand(CLI::App&) {}
void add_measure_subcommand(CLI::App&) {}
void add_tune_subcommand(CLI::App&) {}
void add_bench_subcommand(CLI::App&) {}
void add_simulate_subcommand(CLI::App&) {}
void add_reproduce_subcommand(CLI::App&) {}
void add_completion_subcommand(CLI::App&) {}
void add_manual_subcommand(CLI::App&) {}
