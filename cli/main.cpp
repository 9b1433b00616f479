// SPDX-License-Identifier: BSD-3-Clause
// The command `terrace`: gathers the subcommands, and turns every failure into one line and a
// status.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <csignal>
#include <exception>
#include <iostream>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "base/host.hpp"
#include "launch.hpp"
#include "subcommands.hpp"

namespace {

constexpr int kFailure = 1, kWrongArgument = 2;

/// The arguments of `terrace`: our own, and those that only the program (`exec`, `run`), Python
/// (`plot`) or the compiler (`cc`, `c++`, `fc`) reads.
struct Words {
  std::vector<std::string> ours;
  std::vector<std::string> command;
};

/// Options of `exec` and `run` that a word of their own follows.
bool has_value(const std::string& option) {
  return option == "--mpi" || option == "-n" || option == "--ranks" || option == "--bind" ||
         option == "--stack" || option == "--over" || option == "--fibres";
}

/// Help on a compiler subcommand is printed by us.
bool hands_all_on(const std::vector<std::string>& all) {
  if (all.empty()) return false;
  const bool wants_help = all.size() == 2 && (all[1] == "--help" || all[1] == "-h");
  return all[0] == "plot" || ((all[0] == "cc" || all[0] == "c++" || all[0] == "fc") && !wants_help);
}

/// `exec` and `run` have options, then perhaps `--`, then the program and whatever it wants.
Words split(std::vector<std::string> all) {
  if (hands_all_on(all)) return {{all.front()}, {all.begin() + 1, all.end()}};
  if (all.empty() || (all.front() != "exec" && all.front() != "run")) return {std::move(all), {}};
  std::size_t end = 1;
  while (end < all.size() && all[end].size() > 1 && all[end].front() == '-' && all[end] != "--")
    end += has_value(all[end]) ? 2 : 1;
  end = std::min(end, all.size());
  const auto at = all.begin() + static_cast<std::ptrdiff_t>(end);
  Words words = {{all.begin(), at}, {at, all.end()}};
  if (!words.command.empty() && words.command.front() == "--")
    words.command.erase(words.command.begin());
  return words;
}

std::string names_of_verbs(const CLI::App& app) {
  std::string names;
  for (const CLI::App* verb : app.get_subcommands({}))
    names += (names.empty() ? "" : ", ") + verb->get_name();
  return names;
}

/// "see `terrace draw choices --help`": the innermost subcommand that was given.
std::string where_to_see(const CLI::App& verb) {
  std::string names = verb.get_name();
  const CLI::App* inner = &verb;
  while (!inner->get_subcommands().empty()) {
    inner = inner->get_subcommands().front();
    names += ' ' + inner->get_name();
  }
  return "; see `terrace " + names + " --help`";
}

/// Names arguments that no option takes.
std::string complaint_about_extra(const CLI::App& verb) {
  const std::vector<std::string> extras = verb.remaining(true);
  const std::string word = extras.empty() ? "" : extras.front();
  return (word.starts_with('-') ? "no option " + word : "'" + word + "' was not expected") +
         where_to_see(verb);
}

/// An option that comes twice, or without what belongs to it: "--ranks: 1 required TEXT missing".
std::string complaint_about_count(const CLI::ParseError& failure, const CLI::App& verb) {
  const std::string what = failure.what();
  const std::string option = what.substr(0, what.find(':'));
  const bool is_missing = what.find("missing") != std::string::npos;
  return option + (is_missing ? ": expected a value behind it" : " is given twice, expected once") +
         where_to_see(verb);
}

/// Whether what `exec` and `run` were to start would have been ranks of a job.
bool leaves_a_job(const Words& words) {
  const bool starts_ranks =
      !words.ours.empty() && (words.ours.front() == "exec" || words.ours.front() == "run");
  return starts_ranks && terrace::launch_of_this_rank().ranks > 1;
}

/// Ends the job by a signal, which every launcher takes for a failure. Waits first: MPICH 5.0.2's
/// launcher hung in 5 of 100 jobs over 2 nodes in which a rank died before the launcher had
/// connected all nodes.
void leave_job() {
  constexpr std::chrono::milliseconds kTimeToConnect{100};
  std::cerr << "terrace: ending the job: rank " << terrace::launch_of_this_rank().rank << " on "
            << terrace::host_name() << " cannot start\n";
  std::this_thread::sleep_for(kTimeToConnect);
  std::signal(SIGTERM, SIG_DFL);
  std::raise(SIGTERM);
}

/// Help goes to standard output with status 0; failures to standard error, in a line.
int report(const CLI::App& app, const CLI::ParseError& failure, const Words& words) {
  if (failure.get_exit_code() == 0) return app.exit(failure);
  if (app.get_subcommands().empty()) {
    const std::string given = words.ours.empty() ? "" : "'" + words.ours.front() + "' given, ";
    std::cerr << "terrace: " << given << "expected a subcommand (" << names_of_verbs(app)
              << "), see `terrace --help`\n";
    return kWrongArgument;
  }
  const CLI::App& verb = *app.get_subcommands().front();
  const bool is_extra = dynamic_cast<const CLI::ExtrasError*>(&failure) != nullptr;
  const bool is_mismatch = dynamic_cast<const CLI::ArgumentMismatch*>(&failure) != nullptr;
  const std::string sentence = is_extra      ? complaint_about_extra(verb)
                               : is_mismatch ? complaint_about_count(failure, verb)
                                             : failure.what();
  const std::string prefix = "terrace " + verb.get_name() + ": ";
  // What a proof says of a plan, whose name comes first, stays as it is.
  const bool is_runtime = dynamic_cast<const CLI::RuntimeError*>(&failure) != nullptr;
  std::cerr << (is_runtime || sentence.starts_with(prefix) ? "" : prefix) << sentence << '\n';
  return is_runtime ? failure.get_exit_code() : kWrongArgument;
}

/// The command's status. Errors that a subcommand does not report are exceptions.
int run(Words& words) {
  CLI::App app("Terrace: collectives that follow the machine they run on", "terrace");
  app.set_version_flag("--version", "terrace " TERRACE_VERSION);
  app.require_subcommand(1);
  add_subcommands(app, words.command);
  try {
    app.parse(std::vector<std::string>(words.ours.rbegin(), words.ours.rend()));  // last word first
  } catch (const CLI::ParseError& failure) {
    const int status = report(app, failure, words);
    if (status != 0 && leaves_a_job(words)) leave_job();
    return status;
  }
  if (std::cout.flush()) return 0;
  std::cerr << "terrace: cannot write to standard output: is the disk full?\n";
  return kFailure;
}

}  // namespace

int main(int argc, char** argv) {
  Words words;
  try {
    words = split({argv + 1, argv + argc});
    return run(words);
  } catch (const std::bad_alloc&) {
    std::cerr << "terrace: there is not enough memory for that: ask for fewer ranks, or for less\n";
  } catch (const std::exception& failure) {
    std::cerr << "terrace: " << failure.what() << '\n';
  }
  if (leaves_a_job(words)) leave_job();
  return kFailure;
}
