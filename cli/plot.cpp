// SPDX-License-Identifier: BSD-3-Clause
// `terrace plot`: passes its arguments to the Python module terrace.plot, which lies beside this
// program.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/own_program.hpp"
#include "base/paths.hpp"
#include "subcommands.hpp"

namespace plot_verb {
namespace {

namespace files = std::filesystem;

/// Lists where modules may lie below a folder: those of packages, of the clone in which this
/// program was built, and of Python environments.
std::vector<files::path> places_below(const files::path& folder) {
  std::vector<files::path> places = {folder / "lib/python3/dist-packages", folder / "python"};
  for (const files::path entry : terrace::paths_in((folder / "lib").string()))
    if (entry.filename().string().starts_with("python3")) places.push_back(entry / "site-packages");
  return places;
}

std::optional<files::path> module_folder(const files::path& program) {
  std::error_code ignored;
  for (files::path folder = program.parent_path(); folder != folder.root_path();
       folder = folder.parent_path())
    for (files::path place : places_below(folder))
      if (files::exists(place / "terrace" / "plot.py", ignored)) return place;
  return std::nullopt;
}

/// Returns the Python of the environment in which this program lies, else the first on the PATH.
std::string python_of(const files::path& program) {
  std::error_code ignored;
  const bool is_environment =
      files::exists(program.parent_path().parent_path() / "pyvenv.cfg", ignored);
  return is_environment ? (program.parent_path() / "python3").string() : "python3";
}

[[noreturn]] void fail(const std::string& sentence) {
  throw CLI::RuntimeError("terrace plot: " + sentence, 1);
}

[[noreturn]] void run(std::vector<std::string> words) {
  const files::path program = terrace::own_program();
  const auto folder = module_folder(program);
  if (!folder)
    fail("terrace/plot.py is not beside '" + program.string() +
         "': expected it in lib/python3/dist-packages of the place of installation");
  const char* const before = std::getenv("PYTHONPATH");
  const std::string path = folder->string() + (before ? ":" + std::string(before) : "");
  setenv("PYTHONPATH", path.c_str(), 1);
  setenv("TERRACE_COMMAND", program.c_str(), 1);
  words.insert(words.begin(), {python_of(program), "-m", "terrace.plot"});
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  fail("cannot start " + words[0] + ": " + std::string(std::strerror(errno)));
}

}  // namespace
}  // namespace plot_verb

void add_plot_subcommand(CLI::App& app, const std::vector<std::string>& words) {
  using namespace plot_verb;
  CLI::App* verb =
      app.add_subcommand("plot", "Plot latencies, speed-ups, predictions, choices (matplotlib)");
  verb->footer(
      "`terrace plot --help` explains kinds of plots and their options, which Python reads.");
  verb->callback([words] { run(words); });
}
