// SPDX-License-Identifier: BSD-3-Clause
// Private copies: a rank's own program and libraries, as memory files whose only name is their file
// descriptor. The loader finds them by that number, in the folder of this process's open files,
// which `terrace run` has put into LD_LIBRARY_PATH.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "launcher/elf/program.hpp"

namespace terrace {

struct PrivateCopy {
  int file = -1;
  std::string name;  ///< for the loader: the file's number
  std::string path;  ///< of what it is a copy
  std::string path_without_links;
  /// File of which the copy has parts as soon as it is loaded. What the loader does not read is not
  /// in the copy.
  std::shared_ptr<const SourceFile> source;
  std::vector<FilePart> parts;
  /// Constructors of a library that is opened: the launcher calls them, when the copy has those
  /// parts.
  Constructors constructors;
};

struct PrivateCopies {
  PrivateCopy program;
  std::vector<PrivateCopy> libraries;  ///< the rank's part of libc is the first
  /// Names for the loader, by those of the libraries that program and libraries need.
  std::map<std::string, std::string> names;

  void close();  ///< when they are loaded
};

/// The first file number above those that the program opens in its constructors. Numbers from here
/// on are names of copies, and of the MPI that the ranks share.
inline constexpr int kFirstNumber = 200;

/// Uses numbers that no copy had before: the loader remembers names.
class Copier {
 public:
  /// Edits the images. `rank_libc`: the library that each rank loads before libc. `mpi`: the number
  /// by which the loader knows the MPI that all ranks share; "": they have none. `are_whole`:
  /// copies have nothing from the files.
  Copier(Program& program, RankLibrary& rank_libc, const std::string& mpi, bool are_whole);

  /// Errors: system, if there are not enough files or memory; unsupported.
  Result<PrivateCopies> copies_for_next_rank();
  /// Copies libraries that a rank loads later, the first one for itself and the others because it
  /// needs them, by name. The loader does not call their constructors. They find the rank's program
  /// and what has a name in `names`, which grows by theirs. Errors as above.
  Result<std::vector<PrivateCopy>> copies_for(
      const PrivateCopies& rank, std::map<std::string, std::string>& names,
      std::vector<std::pair<std::string, RankLibrary>>& libraries);

 private:
  Result<PrivateCopy> place(const std::string& path);
  /// Returns the parts, the same for each rank.
  const std::vector<FilePart>& parts_of(const RankLibrary& library);
  /// Returns the parts of a library whose code runs before the launcher maps what is the file's.
  static std::vector<FilePart> whole_parts_of(const RankLibrary& library);
  Result<bool> fill(PrivateCopy& copy, const RankLibrary& from, std::vector<FilePart> parts);

  Program& program_;
  RankLibrary& rank_libc_;
  const bool are_whole_;
  /// Parts by path, of the libraries that all ranks have alike.
  std::map<std::string, std::vector<FilePart>> parts_;
  std::map<std::string, std::string> paths_without_links_;  ///< by path, likewise
  int next_number_;
};

}  // namespace terrace
