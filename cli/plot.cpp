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

#include "subcommands.hpp"

namespace plot_verb {
namespace {

namespace files = std::filesystem;

/// Installed, or in the clone in which this program was built.
std::optional<files::path> module_folder(const files::path& program) {
  std::error_code ignored;
  for (files::path folder = program.parent_path(); folder != folder.root_path();
       folder = folder.parent_path())
    for (const char* below : {"lib/python3/dist-packages", "python"})
      if (files::exists(folder / below / "terrace" / "plot.py", ignored)) return folder / below;
  return std::nullopt;
}

[[noreturn]] void fail(const std::string& sentence) {
  throw CLI::RuntimeError("terrace plot: " + sentence, 1);
}

[[noreturn]] void run(std::vector<std::string> words) {
  const files::path program = files::read_symlink("/proc/self/exe");
  const auto folder = module_folder(program);
  if (!folder)
    fail("terrace/plot.py is not beside '" + program.string() +
         "': expected it in lib/python3/dist-packages of the place of installation");
  const char* const before = std::getenv("PYTHONPATH");
  const std::string path = folder->string() + (before ? ":" + std::string(before) : "");
  setenv("PYTHONPATH", path.c_str(), 1);
  setenv("TERRACE_COMMAND", program.c_str(), 1);
  words.insert(words.begin(), {"python3", "-m", "terrace.plot"});
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  execvp("python3", arguments.data());
  fail("cannot start python3: " + std::string(std::strerror(errno)));
}

}  // namespace
}  // namespace plot_verb

void add_plot_subcommand(CLI::App& app, const std::vector<std::string>& words) {
  using namespace plot_verb;
  CLI::App* verb =
      app.add_subcommand("plot", "Plot latencies, speed-ups, predictions, choices (matplotlib)");
  verb->callback([words] { run(words); });
}
