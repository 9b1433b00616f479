// SPDX-License-Identifier: BSD-3-Clause
// Reads programs and libraries, and looks for the launcher among this process's ancestors.
#include "mpi_of_program.hpp"

#include <elf.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <optional>
#include <sstream>
#include <string_view>
#include <vector>

#include "base/file_descriptor.hpp"
#include "base/own_program.hpp"
#include "base/paths.hpp"

namespace terrace {

namespace {

namespace files = std::filesystem;

/// The header of a 64-bit program that needs no interpreter of another language.
std::optional<Elf64_Ehdr> header_in(std::ifstream& file) {
  Elf64_Ehdr header{};
  file.read(reinterpret_cast<char*>(&header), sizeof header);
  const bool is_ours = file && std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
                       header.e_ident[EI_CLASS] == ELFCLASS64 &&
                       header.e_phentsize == sizeof(Elf64_Phdr);
  return is_ours ? std::optional(header) : std::nullopt;
}

/// Opening what is no file, such as a pipe, may wait for ever.
std::ifstream opened(const std::string& path) {
  std::error_code unknown;
  return files::is_regular_file(path, unknown) ? std::ifstream(path, std::ios::binary)
                                               : std::ifstream();
}

/// The dynamic loader that a 64-bit program asks for; "" for scripts and static programs.
std::string loader_of(const std::string& path) {
  std::ifstream file = opened(path);
  const std::optional<Elf64_Ehdr> header = header_in(file);
  if (!header) return "";
  for (unsigned i = 0; i < header->e_phnum; ++i) {
    Elf64_Phdr segment{};
    file.seekg(static_cast<std::streamoff>(header->e_phoff + i * sizeof segment));
    file.read(reinterpret_cast<char*>(&segment), sizeof segment);
    if (!file || segment.p_type != PT_INTERP || segment.p_filesz > 4096) continue;
    std::string loader(segment.p_filesz, '\0');
    file.seekg(static_cast<std::streamoff>(segment.p_offset));
    file.read(loader.data(), static_cast<std::streamsize>(loader.size()));
    return file ? loader.c_str() : "";
  }
  return "";
}

/// Runs a program and returns what it prints; "" if it cannot be run.
std::string output_of(std::vector<std::string> command) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return "";
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::vector<char*> words;
  for (std::string& word : command) words.push_back(word.data());
  words.push_back(nullptr);
  pid_t child = 0;
  const int failure = posix_spawn(&child, words[0], &actions, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string output = failure == 0 ? read_to_end(ends[0]) : "";
  close(ends[0]);
  if (failure == 0) waitpid(child, nullptr, 0);
  return output;
}

/// Returns the path in "NAME => PATH (ADDRESS)", a line of the loader's list.
std::string path_in_line(const std::string& line) {
  const std::size_t begin = line.find("=> /");
  return begin == line.npos ? "" : line.substr(begin + 3, line.find(" (", begin) - begin - 3);
}

/// Reads a table of an object file's; empty if the file is not as it says.
template <class Row>
std::vector<Row> table_at(std::ifstream& file, std::uint64_t offset, std::uint64_t bytes) {
  constexpr std::uint64_t kMostBytes = 1 << 26;
  if (bytes > kMostBytes) return {};
  std::vector<Row> rows(bytes / sizeof(Row));
  file.seekg(static_cast<std::streamoff>(offset));
  file.read(reinterpret_cast<char*>(rows.data()),
            static_cast<std::streamsize>(rows.size() * sizeof(Row)));
  return file ? rows : std::vector<Row>();
}

/// Whether a symbol is defined by the dynamic symbol table `symbols`, one of `sections`.
bool defines_in(std::ifstream& file, const std::vector<Elf64_Shdr>& sections,
                const Elf64_Shdr& symbols, const std::string& name) {
  if (symbols.sh_link >= sections.size()) return false;
  const Elf64_Shdr& texts = sections[symbols.sh_link];
  std::vector<char> names = table_at<char>(file, texts.sh_offset, texts.sh_size);
  names.push_back('\0');
  const auto rows = table_at<Elf64_Sym>(file, symbols.sh_offset, symbols.sh_size);
  return std::any_of(rows.begin(), rows.end(), [&](const Elf64_Sym& row) {
    return row.st_shndx != SHN_UNDEF && row.st_name < names.size() && &names[row.st_name] == name;
  });
}

bool defines(const std::string& library, const std::string& name) {
  std::ifstream file(library, std::ios::binary);
  const std::optional<Elf64_Ehdr> header = header_in(file);
  if (!header || header->e_shentsize != sizeof(Elf64_Shdr)) return false;
  const auto sections =
      table_at<Elf64_Shdr>(file, header->e_shoff, header->e_shnum * sizeof(Elf64_Shdr));
  return std::any_of(sections.begin(), sections.end(), [&](const Elf64_Shdr& section) {
    return section.sh_type == SHT_DYNSYM && defines_in(file, sections, section, name);
  });
}

/// Lists the folders where an installation keeps its libraries: lib, lib64, and folders like
/// lib/x86_64-linux-gnu.
std::vector<files::path> library_folders(const files::path& prefix) {
  std::error_code failure;
  std::vector<files::path> folders = {prefix / "lib", prefix / "lib64"};
  for (const std::string& path : paths_in((prefix / "lib").string()))
    if (files::is_directory(path, failure)) folders.emplace_back(path);
  return folders;
}

/// The first of these files that an installation has; "" if it has none.
std::string library_in(const files::path& prefix, std::initializer_list<const char*> names) {
  std::error_code failure;
  for (const files::path& folder : library_folders(prefix))
    for (const char* name : names) {
      if (!files::exists(folder / name, failure)) continue;
      const files::path whole = files::canonical(folder / name, failure);
      return (failure ? folder / name : whole).string();
    }
  return "";
}

/// The file of the program that a process runs; "" if we may not know.
files::path program_of(const std::string& process) {
  std::error_code failure;
  return files::read_symlink("/proc/" + process + "/exe", failure);
}

/// The folder above the one in which a program lies.
files::path prefix_of(const files::path& program) {
  return program.parent_path().parent_path();
}

/// The process above, as /proc tells in "NUMBER (PROGRAM) STATE PARENT ..."; 0 if it does not.
int parent_of(int process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string line;
  std::getline(file, line);
  const std::size_t end = line.rfind(')');
  if (end == line.npos) return 0;
  char state = 0;
  int parent = 0;
  std::istringstream(line.substr(end + 1)) >> state >> parent;
  return parent;
}

/// The first of these libraries beside the nearest of these programs that this process descends
/// from; "" if there is none.
std::string library_of_ancestor(std::initializer_list<std::string_view> programs,
                                std::initializer_list<const char*> libraries) {
  constexpr int kMostAncestors = 64;
  int process = getppid();
  for (int i = 0; i < kMostAncestors && process > 1; ++i, process = parent_of(process)) {
    const files::path program = program_of(std::to_string(process));
    if (std::find(programs.begin(), programs.end(), program.filename().string()) != programs.end())
      return library_in(prefix_of(program), libraries);
  }
  return "";
}

}  // namespace

std::string path_of_program(const std::string& program) {
  if (program.find('/') != std::string::npos) return program;
  const char* const path_variable = std::getenv("PATH");
  std::istringstream folders(path_variable == nullptr ? "" : path_variable);
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string path = (folder.empty() ? "." : folder) + "/" + program;
    std::error_code unknown;
    if (access(path.c_str(), X_OK) == 0 && !files::is_directory(path, unknown)) return path;
  }
  return "";
}

bool is_binary(const std::string& path) {
  std::ifstream file = opened(path);
  return header_in(file).has_value();
}

bool is_dynamic(const std::string& path) {
  return !loader_of(path).empty();
}

/// Opens as many files as a look needs at the same time: a pipe to the loader, and what that opens.
std::string obstacle_to_looking() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return std::strerror(errno);
  const int file = open("/dev/null", O_RDONLY | O_CLOEXEC);
  const std::string why = file < 0 ? std::strerror(errno) : "";
  for (const int one : {ends[0], ends[1], file})
    if (one >= 0) close(one);
  return why;
}

LinkedMpi mpi_linked_to(const std::string& program) {
  const std::string loader = loader_of(program);
  if (loader.empty()) return {};
  const std::string list = output_of({loader, "--list", program});
  const char* const names[][2] = {{"libmpi_abi.so", "standard"},
                                  {"libmpi.so.12", "mpich"},
                                  {"libmpich.so.12", "mpich"},
                                  {"libmpi.so.40", "openmpi"}};
  for (const auto& [name, abi] : names) {
    std::istringstream lines(list);
    for (std::string line; std::getline(lines, line);)
      if (line.find(name) != line.npos) return {abi, path_in_line(line)};
  }
  return {};
}

bool defines_large_counts(const std::string& library) {
  return defines(library, "MPI_Allreduce_c");
}

bool defines_persistent_collectives(const std::string& library) {
  return defines(library, "MPI_Allreduce_init");
}

/// Beside the first `mpiexec` on the PATH: srun, which belongs to no MPI, started this process.
std::string library_under_slurm() {
  if (std::getenv("SLURM_PROCID") == nullptr) return "";
  std::error_code failure;
  const files::path program = files::canonical(path_of_program("mpiexec"), failure);
  return failure ? ""
                 : library_in(prefix_of(program), {"libmpi.so.40", "libmpi.so.12", "libmpich.so.12",
                                                   "libmpi_abi.so.1"});
}

std::string library_of_mpis_launcher() {
  const std::string library = library_of_ancestor(
      {"hydra_pmi_proxy"}, {"libmpi.so.12", "libmpich.so.12", "libmpi_abi.so.1"});
  if (!library.empty()) return library;
  return library_of_ancestor({"orterun", "orted", "prterun", "prted"}, {"libmpi.so.40"});
}

std::string library_of_launcher() {
  const std::string library = library_of_mpis_launcher();
  return library.empty() ? library_under_slurm() : library;
}

std::string path_of_library(const std::string& name) {
  return library_in(own_prefix(), {name.c_str()});
}

}  // namespace terrace
