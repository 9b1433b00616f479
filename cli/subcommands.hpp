// SPDX-License-Identifier: BSD-3-Clause
// The subcommands of `terrace`, one source file each. Each function adds a subcommand, whose
// callback does the work. A wrong argument is reported by throwing CLI::ValidationError, any other
// failure by CLI::RuntimeError with exit code 1; `main` turns every CLI::ParseError into one line
// and the exit status (2 for wrong arguments).
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

/// Adds the subcommands that this build has. `command`: the words that only the program (`exec`,
/// `run`), Python (`plot`) or the compiler (`cc`, `c++`, `fc`) reads.
void add_subcommands(CLI::App& app, const std::vector<std::string>& command);

/// `terrace machine`: the machine, our binding on it, and the hierarchy of ranks.
void add_machine_subcommand(CLI::App& app);

/// `terrace hierarchy`: how communicators divide, and why a rank is where it is.
void add_hierarchy_subcommand(CLI::App& app);

/// `terrace plan`: the plan of an algorithm as text, or the proof of a user's own.
void add_plan_subcommand(CLI::App& app);

/// `terrace plot`: what Python's matplotlib plots. `words`: those behind the verb, not parsed.
void add_plot_subcommand(CLI::App& app, const std::vector<std::string>& words);

/// `terrace verify`: proves algorithms on many machines.
void add_verify_subcommand(CLI::App& app);

/// `terrace draw`: machines, hierarchies, plans and timelines as SVG and text.
void add_draw_subcommand(CLI::App& app);

/// `terrace exec`: one rank of an MPI program with Terrace in it. `command`: the program and its
/// arguments, which are not parsed.
void add_exec_subcommand(CLI::App& app, const std::vector<std::string>& command);

/// `terrace run`: a program whose ranks are threads of one process. `command`: as above.
void add_run_subcommand(CLI::App& app, const std::vector<std::string>& command);

/// `terrace cc`, `terrace c++`, `terrace fc`: the compiler, for programs of our MPI. `words`: as
/// with plot.
void add_compiler_subcommands(CLI::App& app, const std::vector<std::string>& words);

/// `terrace explain`: which algorithm for a call, why, and where the answer changes.
void add_explain_subcommand(CLI::App& app);

/// `terrace search`: the best of all plans in a family, proved.
void add_search_subcommand(CLI::App& app);

/// `terrace doctor`: what of this system is in Terrace's way, and what to change.
void add_doctor_subcommand(CLI::App& app);

/// `terrace cost`: what a call would cost on a machine model, and why.
void add_cost_subcommand(CLI::App& app);

/// `terrace measure`: what this machine costs, as a machine file.
void add_measure_subcommand(CLI::App& app);

/// `terrace tune`: times ways to make calls, and writes which are to be taken.
void add_tune_subcommand(CLI::App& app);

/// `terrace bench`: times the collectives against floors and peers.
void add_bench_subcommand(CLI::App& app);

/// `terrace simulate`: plays an algorithm on a machine model.
void add_simulate_subcommand(CLI::App& app);

/// `terrace reproduce`: what the papers claim, against what our models say.
void add_reproduce_subcommand(CLI::App& app);

/// `terrace completion`: what makes bash and zsh complete the command.
void add_completion_subcommand(CLI::App& app);

/// `terrace manual`: the pages of this command for man.
void add_manual_subcommand(CLI::App& app);
