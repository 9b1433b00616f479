// SPDX-License-Identifier: BSD-3-Clause
// Runs the compiler, and lets the module appear at once, as other processes may want it, too.
#include "fortran_module.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>

namespace terrace {
namespace fortran_module {
namespace {

namespace files = std::filesystem;
using Words = std::vector<std::string>;

struct Said {
  std::string text;
  bool is_well = false;
};

/// Runs a command and returns what it prints, on both streams. Errors: it cannot be started.
Result<Said> ask(Words words) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return Error{ErrorCode::system, std::strerror(errno)};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t child = 0;
  const int failure =
      posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  Said said;
  char part[4096];
  for (ssize_t got = 0; failure == 0 && (got = read(ends[0], part, sizeof part)) > 0;)
    said.text.append(part, static_cast<std::size_t>(got));
  close(ends[0]);
  if (failure != 0)
    return Error{ErrorCode::system, "cannot run " + words[0] + ": " + std::strerror(failure)};
  int status = 0;
  waitpid(child, &status, 0);
  said.is_well = status == 0;
  return said;
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

/// Turns a version into the name of a folder.
std::string name_of(const std::string& version) {
  std::string name = version;
  for (char& letter : name)
    if (!std::isalnum(static_cast<unsigned char>(letter)) && letter != '.') letter = '_';
  return name;
}

/// "": neither variable is set.
std::string cache() {
  const char* const chosen = std::getenv("XDG_CACHE_HOME");
  if (chosen != nullptr && *chosen == '/') return chosen;
  const char* const home = std::getenv("HOME");
  return home != nullptr && *home == '/' ? std::string(home) + "/.cache" : "";
}

Error refused(const std::string& name, const std::string& folder, const std::string& why) {
  return {ErrorCode::system, "cannot make the module " + name + " in '" + folder + "': " + why +
                                 "; XDG_CACHE_HOME names another place for it"};
}

bool is_newer(const files::path& module, const files::path& source) {
  std::error_code failure;
  const auto made = files::last_write_time(module, failure);
  return !failure && made >= files::last_write_time(source, failure);
}

/// Compiles a module in a folder of this process, and then puts it into `folder`.
std::optional<Error> make(Words compiler, const std::string& name, const files::path& sources,
                          const files::path& folder) {
  std::error_code failure;
  const files::path making = folder / ("making." + std::to_string(getpid()));
  files::create_directories(making, failure);
  if (failure) return refused(name, folder.string(), failure.message());
  compiler.insert(compiler.end(), {"-fsyntax-only", "-J" + making.string(), "-I" + sources.string(),
                                   (sources / (name + ".f90")).string()});
  const Result<Said> said = ask(std::move(compiler));
  std::optional<Error> error;
  if (!said)
    error = said.error();
  else if (!said.value().is_well)
    error = refused(name, folder.string(), first_line(said.value().text));
  const std::string module = name + ".mod";
  if (!error) files::rename(making / module, folder / module, failure);
  if (!error && failure) error = refused(name, folder.string(), failure.message());
  files::remove_all(making, failure);
  return error;
}

}  // namespace
}  // namespace fortran_module

using namespace fortran_module;

Result<std::string> version_of(const std::vector<std::string>& compiler) {
  Words words = compiler;
  words.emplace_back("--version");
  const Result<Said> said = ask(std::move(words));
  if (!said) return said.error();
  return first_line(said.value().text);
}

Result<std::string> folder_of_modules(const std::vector<std::string>& compiler,
                                      const std::string& version, const std::string& sources,
                                      const std::vector<std::string>& names) {
  const std::string place = cache();
  if (place.empty())
    return refused(names.front(), "~/.cache", "neither HOME nor XDG_CACHE_HOME is set");
  const files::path folder = files::path(place) / "terrace/fortran" / name_of(version);
  for (const std::string& name : names) {
    if (is_newer(folder / (name + ".mod"), files::path(sources) / (name + ".f90"))) continue;
    if (const std::optional<Error> error = make(compiler, name, sources, folder)) return *error;
  }
  return folder.string();
}

}  // namespace terrace
