// SPDX-License-Identifier: BSD-3-Clause
// `terrace cc`, `terrace c++` and `terrace fc`: run the system's compiler with the flags for
// Terrace's MPI. The arguments are the compiler's.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <initializer_list>
#include <iostream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/own_program.hpp"
#include "base/paths.hpp"
#include "fortran_module.hpp"
#include "refusals.hpp"
#include "subcommands.hpp"
#include "usage.hpp"

namespace cc_verb {
namespace {

using terrace::Verb;
namespace files = std::filesystem;
using Words = std::vector<std::string>;

struct Language {
  Verb verb;
  const char* compiler;
  const char* variable;  ///< of the environment: another compiler
  const char* example;
  bool is_fortran = false;  ///< of MPICH's ABI; the others are of MPI 5.0's
};
constexpr int kFirstWithF08 = 12;  ///< of gfortran
constexpr Language kC{{"terrace cc"}, "cc", "TERRACE_CC", "app.c"};
constexpr Language kCpp{{"terrace c++"}, "c++", "TERRACE_CXX", "app.cpp"};
constexpr Language kFortran{{"terrace fc"}, "gfortran", "TERRACE_FC", "app.f90", true};

bool has_any(const Words& words, std::initializer_list<const char*> wanted) {
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
    return std::find(wanted.begin(), wanted.end(), word) != wanted.end();
  });
}

/// The compiler may have words of its own: "ccache gcc".
Words compiler_of(const Language& language) {
  const char* const chosen = std::getenv(language.variable);
  std::istringstream text(chosen != nullptr ? chosen : "");
  Words words;
  for (std::string word; text >> word;) words.push_back(word);
  if (words.empty()) words.emplace_back(language.compiler);
  return words;
}

/// A question such as --version names no file.
bool has_file(const Words& words) {
  return std::any_of(words.begin(), words.end(),
                     [](const std::string& word) { return word == "-" || word[0] != '-'; });
}

bool only_compiles(const Words& words) {
  return has_any(words, {"-c", "-S", "-E", "-M", "-MM", "-fsyntax-only"});
}

/// Programs and libraries that are not meant to be run anywhere in memory say so.
bool may_be_anywhere(const Words& words) {
  return !has_any(words, {"-shared", "-static", "-static-pie", "-r", "-no-pie"});
}

/// Returns the version of GNU Fortran; 0: it is another compiler.
int gnu_fortran_of(const std::string& version) {
  const std::size_t behind = version.rfind(' ');
  const bool is_gnu = version.find("GNU Fortran") != version.npos && behind != version.npos;
  return is_gnu ? std::atoi(version.c_str() + behind) : 0;
}

/// The folders for Fortran, where the modules fit the compiler. Before the user's words there is
/// one of the compiler's: MPI's functions in mpif.h take arguments of several types, for which
/// gfortran 10 and newer would end. mpi_f08 passes arrays as gfortran 12 describes them.
Words headers_of_fortran(const Language& language, Words& command, const std::string& include) {
  const std::string version = language.verb.value(terrace::version_of(command));
  const int gnu = gnu_fortran_of(version);
  Words modules = {"mpi"};
  if (gnu >= kFirstWithF08) modules.emplace_back("mpi_f08");
  const std::string folder =
      language.verb.value(terrace::folder_of_modules(command, version, include, modules));
  if (gnu >= 10) command.emplace_back("-fallow-argument-mismatch");
  return {"-I" + include, "-I" + folder};
}

/// `has_work`: there is something to compile or link. Where each rank runs a copy of the program,
/// it must be position-independent; arguments after ours may override that.
Words command_for(const Language& language, const Words& words, bool has_work) {
  const files::path prefix = terrace::own_prefix();
  const std::string headers = (prefix / TERRACE_MPI_HEADERS).string();
  const std::string include = headers + (language.is_fortran ? "/fortran" : "");
  const std::string libraries = (prefix / TERRACE_MPI_LIBRARIES).string();
  for (const std::string& needed :
       {include + (language.is_fortran ? "/mpif.h" : "/mpi.h"),
        libraries + (language.is_fortran ? "/libmpifort.so.12" : "/libmpi_abi.so.1")})
    if (!terrace::is_there(needed))
      language.verb.fail("'" + needed + "' does not exist; with packages, terrace-mpi-dev or " +
                         "terrace-mpi-devel brings it" +
                         (language.is_fortran ? "; a build brings it where there is Python" : ""));

  const bool links = has_work && !only_compiles(words);
  Words command = compiler_of(language);
  Words folders;
  if (has_work && language.is_fortran)
    folders = headers_of_fortran(language, command, include);
  else if (has_work)
    folders = {"-I" + include, "-I" + (prefix / TERRACE_HEADERS).string()};
  if (has_work) command.emplace_back("-fPIE");
  if (links && may_be_anywhere(words)) command.emplace_back("-pie");
  command.insert(command.end(), words.begin(), words.end());
  command.insert(command.end(), folders.begin(), folders.end());
  // If the user sets LD_LIBRARY_PATH, another MPI of this ABI may take our library's place.
  if (links)
    command.insert(command.end(),
                   {"-L" + libraries, "-Wl,--enable-new-dtags", "-Wl,-rpath," + libraries});
  if (links && language.is_fortran)
    command.insert(command.end(), {"-lmpifort", "-lmpi"});
  else if (links)
    command.emplace_back("-lmpi_abi");
  return command;
}

/// Quotes a word as a shell reads it.
std::string quoted(const std::string& word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=+,:@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == word.npos) return word;
  std::string text = "'";
  for (const char letter : word) text += letter == '\'' ? "'\\''" : std::string(1, letter);
  return text + "'";
}

void show(const Words& command) {
  for (const std::string& word : command)
    std::cout << (&word == &command.front() ? "" : " ") << quoted(word);
  std::cout << '\n';
}

void compile(const Language& language, Words words) {
  const std::size_t given = words.size();
  std::erase(words, "-show");
  if (given == 0)
    language.verb.refuse(std::string("expected what to compile, as in `") + language.verb.name +
                         " " + language.example + " -o app`");
  const bool shows = words.size() < given;
  Words command = command_for(language, words, shows || has_file(words));
  if (shows) return show(command);
  std::vector<char*> arguments;
  for (std::string& word : command) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  language.verb.fail("cannot run " + command[0] + ": " + std::strerror(errno) + "; " +
                     language.variable + " names another compiler");
}

constexpr const char* kFooter = R"text(
All arguments go to the compiler, with the folder of mpi.h (the ABI of MPI 5.0) and, when linking,
Terrace's library of that ABI; also -fPIE and -pie, because each rank of `terrace run` runs a copy.
`terrace fc` has mpif.h and the modules mpi and, for gfortran 12 and newer, mpi_f08 instead, of
MPICH's ABI.
  -show          print the command instead
  TERRACE_CC, TERRACE_CXX, TERRACE_FC    another compiler: TERRACE_CC="ccache clang"

Examples:
  terrace cc app.c -o app && terrace run -n 4 ./app
  terrace c++ -O2 -c part.cpp

Exit status: the compiler's; 1 if it cannot be started.
)text";

void add(CLI::App& app, const Language& language, const std::string& what, const Words& words) {
  CLI::App* verb = app.add_subcommand(std::string(language.verb.name).substr(8), what);
  verb->formatter(std::make_shared<terrace::Usage>("[-show] ARGUMENTS OF THE COMPILER"));
  verb->footer(kFooter);
  verb->callback([language, words] { compile(language, words); });
}

}  // namespace
}  // namespace cc_verb

void add_compiler_subcommands(CLI::App& app, const std::vector<std::string>& words) {
  using namespace cc_verb;
  add(app, kC, "Compile a C program for thread ranks, or any MPI of the ABI of MPI 5.0", words);
  add(app, kCpp, "The same for C++", words);
  add(app, kFortran, "Compile a Fortran program for thread ranks, or any MPI of MPICH's ABI",
      words);
}
