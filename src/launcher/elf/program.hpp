// SPDX-License-Identifier: BSD-3-Clause
// Program: a program that is to run as thread ranks, with the libraries of which each rank gets a
// copy; or the reason why it cannot run so.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "launcher/elf/elf_image.hpp"

namespace terrace {

/// A file that stays open: copies have parts of it.
class SourceFile {
 public:
  explicit SourceFile(int number) : number_(number) {}
  ~SourceFile();
  SourceFile(const SourceFile&) = delete;
  SourceFile& operator=(const SourceFile&) = delete;
  int number() const { return number_; }

 private:
  int number_;
};

/// A program or library.
struct RankLibrary {
  std::string path;
  ElfImage image;
  std::shared_ptr<const SourceFile> file;
};

struct Program : RankLibrary {
  std::map<std::string, RankLibrary> libraries;  ///< those that each rank has, by name
  std::set<std::string> shared;                  ///< paths of those that the process has
  std::set<std::string> mpi;                     ///< names by which it wants an MPI
  /// Names of MPIs whose files have others than usual, as in a wheel or on a Cray: ours takes their
  /// place.
  std::set<std::string> mpi_by_other_names;
  std::vector<std::string> folders;  ///< of Terrace's own libraries
};

/// The initial value of a variable for which the program reserves a place (copy relocation). The
/// loader does not copy it there, since it takes the copy of a program for a library.
struct FirstValue {
  Symbol variable;
  int library = -1;  ///< by its place in `PrivateCopies::libraries`; -1: one of the process's
  std::uint64_t address = 0;  ///< in that library
  std::uint64_t bytes = 0;
};
std::vector<FirstValue> first_values(const Program&, const RankLibrary& rank_libc);

/// The reserve that a launcher can provide: size and alignment of a program's thread-local
/// variables.
struct Reserve {
  std::size_t bytes = 0;
  std::size_t alignment = 0;
};

/// Whether it is an interpreter of Python, whose extension modules may need an MPI later.
bool is_python(const std::string& path, const ElfImage&);

/// Why a program's ranks cannot be threads, as the end of a sentence that begins with its path; ""
/// if they can. Examines the file alone.
std::string obstacle_in(const std::string& path, const ElfImage&, const Reserve&);

/// `folders`: where Terrace's own libraries lie, some of which come in place of an MPI's. Errors:
/// unsupported, with the obstacle; argument, if there is no such file, or a library is missing;
/// system.
Result<Program> read_program(const std::string& path, const Reserve&,
                             const std::vector<std::string>& folders);

/// Errors: argument, naming the file.
Result<RankLibrary> read_library(const std::string& path);

/// The path of a library that a program, or a library of it, needs by this name; `paths`: the
/// loader's (libraries_of). "": there is none.
std::string library_path(const Program& user, const std::map<std::string, std::string>& paths,
                         const std::string& name);

/// The usual name of the MPI that a library is, whatever the name of its file; "": it is none.
/// Errors: unsupported, if it is one of an ABI that Terrace does not provide.
Result<std::string> mpi_in(const RankLibrary& library);

}  // namespace terrace
