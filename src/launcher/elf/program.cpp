// SPDX-License-Identifier: BSD-3-Clause
// Examines programs, and gathers what their copies need.
#include "launcher/elf/program.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "base/contract.hpp"
#include "launcher/elf/libraries.hpp"
#include "launcher/elf/processor.hpp"

namespace terrace {

namespace {

namespace files = std::filesystem;

/// Interpreters load most of their code later, which the loader's list does not show.
std::string interpreter_in(const std::string& path, const ElfImage& image) {
  for (const std::string& name : image.needed()) {
    if (name.starts_with("libjli.so") || name.starts_with("libjvm.so")) return "Java";
    if (name.starts_with("libjulia.so")) return "Julia";
    if (name.starts_with("libperl.so")) return "Perl";
  }
  const std::string name = files::path(path).filename().string();
  for (const char* one : {"java", "julia", "perl"})
    if (name.starts_with(one)) return one;
  return "";
}

/// Boehm's garbage collector takes the process's signals, and looks for memory in use in all of the
/// process. Where each rank has a copy of it, now and then a program crashes.
bool has_collector(const ElfImage& image) {
  const std::vector<std::string> needed = image.needed();
  return std::any_of(needed.begin(), needed.end(), [](const std::string& name) {
    return name.starts_with("libgc.so") || name.starts_with("libguile-");
  });
}

std::string obstacle_in_thread_locals(const ThreadLocals& locals, const Reserve& reserve) {
  if (const std::size_t bytes = reserve_for(locals, kThisProcessor); bytes > reserve.bytes)
    return "has " + std::to_string(bytes) + " bytes of thread-local variables, of which " +
           std::to_string(reserve.bytes) + " are possible";
  if (locals.alignment > reserve.alignment)
    return "has thread-local variables aligned to " + std::to_string(locals.alignment) +
           " bytes, of which " + std::to_string(reserve.alignment) + " are possible";
  return "";
}

/// MPI's library for Fortran is the program's own, unlike MPI itself.
std::string advice_about(const std::string& missing) {
  if (!missing.starts_with("libmpifort.") && !missing.starts_with("libmpichfort.")) return "";
  return "; it belongs to the MPI whose compiler has made the program: set LD_LIBRARY_PATH to the "
         "folder where that has it";
}

Error about(const std::string& path, const Error& error) {
  return {error.code, path + " " + error.sentence};
}

}  // namespace

bool is_python(const std::string& path, const ElfImage& image) {
  const std::vector<std::string> needed = image.needed();
  return files::path(path).filename().string().starts_with("python") ||
         std::any_of(needed.begin(), needed.end(),
                     [](const std::string& name) { return name.starts_with("libpython"); });
}

std::string obstacle_in(const std::string& path, const ElfImage& image, const Reserve& reserve) {
  if (image.machine() != kThisProcessor) return "is for another kind of machine";
  const std::string interpreter = interpreter_in(path, image);
  if (!interpreter.empty())
    return "is an interpreter (" + interpreter + "), which loads the rest later";
  if (has_collector(image))
    return "uses a garbage collector (libgc) that assumes it has the process to itself";
  if (image.interpreter().empty() || !image.is_dynamic())
    return "is linked statically, so no rank can have libraries of its own";
  if (!image.is_position_independent())
    return is_python(path, image) ? "is not position-independent (those of conda, uv and pyenv are)"
                                  : "is not position-independent (compile with -fPIE, link with "
                                    "-pie)";
  if (image.imports("__monstartup"))
    return "is made for gprof (-pg), which counts in one program of a process (compile it without "
           "-pg, or profile it by perf)";
  for (const std::string& name : image.needed())
    if (std::string obstacle = obstacle_in_name(name); !obstacle.empty()) return obstacle;
  return image.thread_locals() ? obstacle_in_thread_locals(*image.thread_locals(), reserve) : "";
}

std::vector<FirstValue> first_values(const Program& program, const RankLibrary& rank_libc) {
  std::vector<FirstValue> values;
  for (const Symbol& variable : program.image.copied_variables()) {
    FirstValue value{variable};
    const auto look_in = [&](const ElfImage& image, int place) {
      const auto found = value.library < 0 ? image.defined(variable.name) : std::nullopt;
      if (found) value = {variable, place, found->address, std::min(found->bytes, variable.bytes)};
    };
    int place = 0;
    for (const auto& [name, library] : program.libraries) look_in(library.image, ++place);
    look_in(rank_libc.image, 0);
    TERRACE_ASSERT(value.library < 0 || value.bytes <= value.variable.bytes, value.bytes);
    values.push_back(value);
  }
  return values;
}

SourceFile::~SourceFile() {
  close(number_);
}

Result<RankLibrary> read_library(const std::string& path) {
  const auto cannot_be_read = [&] {
    return Error{ErrorCode::argument, path + " cannot be read: " + std::strerror(errno)};
  };
  std::error_code failure;
  if (!files::is_regular_file(path, failure))
    return Error{ErrorCode::argument, path + " is not a regular file"};
  const int number = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (number < 0) return cannot_be_read();
  auto file = std::make_shared<const SourceFile>(number);
  std::optional<FileBytes> bytes = FileBytes::map(number);
  if (!bytes) return cannot_be_read();
  if (bytes->view().starts_with("#!"))
    return Error{ErrorCode::unsupported, path + " is a script, which another program runs"};
  Result<ElfImage> image = ElfImage::from_bytes(std::move(*bytes));
  if (!image) return about(path, image.error());
  return RankLibrary{path, std::move(image).value(), std::move(file)};
}

namespace {

bool has_major(std::string_view file, std::string_view major) {
  const std::size_t at = file.find(".so." + std::string(major));
  if (at == file.npos) return false;
  const std::size_t end = at + 4 + major.size();
  return end == file.size() || file[end] == '.';
}

std::string found_path(const std::map<std::string, std::string>& paths, const std::string& name) {
  if (const auto found = paths.find(name); found != paths.end()) return found->second;
  // One that was preloaded by another name: the loader takes it for this one.
  for (const auto& [other, path] : paths)
    if (const auto library = read_library(path); library && library.value().image.name() == name)
      return path;
  return "";
}

/// Gathers a program's libraries, and those that they need.
class Gathering {
 public:
  Gathering(Program& program, std::map<std::string, std::string> paths)
      : program_(program), paths_(std::move(paths)) {}

  Result<bool> all();

 private:
  Result<bool> take(const std::string& name, const std::string& user);
  Result<bool> take_for_rank(const std::string& name, const std::string& file,
                             const std::string& user);
  void want_all_of(const RankLibrary& user) {
    for (const std::string& name : user.image.needed()) wanted_.emplace_back(name, user.path);
  }

  Program& program_;
  const std::map<std::string, std::string> paths_;
  std::vector<std::pair<std::string, std::string>> wanted_;  ///< names, and the paths of users
};

Result<bool> Gathering::all() {
  want_all_of(program_);
  while (!wanted_.empty()) {
    const auto [name, user] = wanted_.back();
    wanted_.pop_back();
    if (const auto taken = take(name, user); !taken) return taken;
  }
  return true;
}

Result<bool> Gathering::take(const std::string& name, const std::string& user) {
  if (const std::string obstacle = obstacle_in_name(name); !obstacle.empty())
    return Error{ErrorCode::unsupported, user + " " + obstacle};
  const LibraryOwner owner = owner_of(name);
  if (owner == LibraryOwner::mpi) program_.mpi.insert(name);
  if (owner == LibraryOwner::mpi || program_.libraries.count(name) != 0 ||
      program_.mpi_by_other_names.count(name) != 0)
    return true;
  const std::string file = library_path(program_, paths_, name);
  if (owner == LibraryOwner::rank) return take_for_rank(name, file, user);
  if (!file.empty()) program_.shared.insert(file);
  return true;
}

Result<bool> Gathering::take_for_rank(const std::string& name, const std::string& file,
                                      const std::string& user) {
  if (file.empty())
    return Error{ErrorCode::argument,
                 user + " needs " + name + ", which the loader cannot find" + advice_about(name)};
  Result<RankLibrary> library = read_library(file);
  if (!library) return library.error();
  const auto mpi = mpi_in(library.value());
  if (!mpi) return mpi.error();
  if (!mpi.value().empty()) {
    program_.mpi.insert(mpi.value());
    program_.mpi_by_other_names.insert(name);
    return true;
  }
  want_all_of(library.value());
  program_.libraries.emplace(name, std::move(library).value());
  return true;
}

}  // namespace

std::string library_path(const Program& user, const std::map<std::string, std::string>& paths,
                         const std::string& name) {
  return is_replaced(name) ? file_in(user.folders, name) : found_path(paths, name);
}

Result<std::string> mpi_in(const RankLibrary& library) {
  const ElfImage& image = library.image;
  // Tools, and the mock MPIs of serial programs, define the first name alone.
  if (!image.defined("MPI_Init") || !image.defined("PMPI_Init")) return std::string();
  const std::string file = files::path(library.path).filename().string();
  const auto is = [&](const char* symbol, const char* major) {
    return image.defined(symbol) && (has_major(file, major) || has_major(image.name(), major));
  };
  if (is("ompi_mpi_comm_world", "40")) return std::string("libmpi.so.40");
  if (is("MPIR_Dup_fn", "12")) return std::string("libmpi.so.12");
  if (is("MPI_Abi_get_version", "1") && file.starts_with("libmpi_abi"))
    return std::string("libmpi_abi.so.1");
  return Error{ErrorCode::unsupported,
               library.path +
                   " is an MPI of another ABI; thread ranks need that of Open MPI 3 or later "
                   "(libmpi.so.40), MPICH's (libmpi.so.12), or the standard one (libmpi_abi.so.1)"};
}

Result<Program> read_program(const std::string& path, const Reserve& reserve,
                             const std::vector<std::string>& folders) {
  Result<RankLibrary> executable = read_library(path);
  if (!executable) return executable.error();
  const ElfImage& image = executable.value().image;
  const std::string obstacle = obstacle_in(path, image, reserve);
  if (!obstacle.empty()) return Error{ErrorCode::unsupported, path + " " + obstacle};
  auto paths = libraries_of(image.interpreter(), path);
  if (!paths) return paths.error();
  Program program{std::move(executable).value(), {}, {}, {}, {}, folders};
  if (const auto gathered = Gathering(program, std::move(paths).value()).all(); !gathered)
    return gathered.error();
  return program;
}

}  // namespace terrace
