// SPDX-License-Identifier: BSD-3-Clause
// Writes copies into memory, and changes the names by which they need each other.
#include "launcher/elf/private_copies.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <string_view>
#include <utility>

#include "base/contract.hpp"
#include "launcher/elf/libraries.hpp"

namespace terrace {

namespace {

Error refused(const std::string& what, const std::string& path) {
  const bool has_too_few = errno == EMFILE || errno == EINVAL;  // the latter of fcntl alone
  return {ErrorCode::system, "cannot " + what + " a copy of " + path + ": " +
                                 (has_too_few ? "too few files may be open; raise `ulimit -n`"
                                              : std::strerror(errno))};
}

bool needs_the_process(const ElfImage& image) {
  const std::vector<std::string> needed = image.needed();
  return std::any_of(needed.begin(), needed.end(),
                     [](const std::string& name) { return owner_of(name) != LibraryOwner::rank; });
}

/// The loader's names for what a copy needs: what the process has, all find, and before it the
/// rank's part of libc, which takes its name.
std::map<std::string, std::string> with_rank_libc(std::map<std::string, std::string> names,
                                                  const ElfImage& image,
                                                  const PrivateCopy& rank_libc) {
  for (const std::string& name : image.needed())
    if (owner_of(name) != LibraryOwner::rank) names[name] = rank_libc.name;
  return names;
}

/// Gives the rank's part of libc libc's place in the order in which the loader looks for symbols,
/// not that of libm or of an MPI: a library between them may have functions of libc's names.
void put_behind_libc(ElfImage& image) {
  std::vector<std::string> needed = image.needed();
  const auto libc = std::find_if(needed.begin(), needed.end(), [](const std::string& name) {
    return name.starts_with("libc.so.");
  });
  if (libc == needed.end()) return;
  std::stable_partition(needed.begin(), libc + 1, [](const std::string& name) {
    return owner_of(name) == LibraryOwner::rank || name.starts_with("libc.so.");
  });
  image.order_needed(needed);
}

Result<bool> rename_needed(RankLibrary& library, const std::map<std::string, std::string>& names) {
  const Result<bool> done = library.image.rename_needed(names);
  return done ? done : Error{done.error().code, library.path + " " + done.error().sentence};
}

/// Lets a library find the program's symbols: the program takes the place of a library that it
/// needs itself, or of the library's name. Extension modules of Python have neither.
void put_program_behind(ElfImage& image, const PrivateCopies& rank,
                        std::map<std::string, std::string>& names) {
  const std::vector<std::string> needed = image.needed();
  const auto replaceable = std::find_if(needed.begin(), needed.end(), [&](const auto& name) {
    return owner_of(name) != LibraryOwner::rank || rank.names.count(name) != 0;
  });
  if (replaceable != needed.end())
    names[*replaceable] = rank.program.name;
  else if (!image.need_instead_of_name(rank.program.name))
    image.need_instead_of_weak_symbol(rank.program.name);
}

/// The bytes from `begin` to `end`, at their place.
bool write_range(int file, std::string_view bytes, std::uint64_t begin, std::uint64_t end) {
  while (begin < end) {
    const ssize_t written =
        pwrite(file, bytes.data() + begin, end - begin, static_cast<off_t>(begin));
    if (written <= 0) return false;
    begin += static_cast<std::uint64_t>(written);
  }
  return true;
}

}  // namespace

void PrivateCopies::close() {
  ::close(program.file);
  for (const PrivateCopy& copy : libraries) ::close(copy.file);
}

Copier::Copier(Program& program, RankLibrary& rank_libc, const std::string& mpi, bool are_whole)
    : program_(program),
      rank_libc_(rank_libc),
      are_whole_(are_whole),
      next_number_(mpi.empty() ? kFirstNumber : std::stoi(mpi) + 1) {
  program.image.make_private();
  put_behind_libc(program.image);
  for (auto& [name, library] : program.libraries) {
    library.image.make_private();
    put_behind_libc(library.image);
  }
  rank_libc.image.make_private();
  // What it uses is global: another rank's names must not come in. But the MPI is for ranks alone,
  // which find it behind all that they need themselves.
  if (mpi.empty()) rank_libc.image.forget_needed();
  const bool finds_mpi = mpi.empty() || rank_libc.image.need_only(mpi);
  TERRACE_REQUIRE(finds_mpi, next_number_);
}

Result<PrivateCopies> Copier::copies_for_next_rank() {
  PrivateCopies copies;
  std::map<std::string, std::string>& names = copies.names;
  const auto add = [&](const std::string& path) -> Result<bool> {
    Result<PrivateCopy> copy = place(path);
    if (!copy) return copy.error();
    copies.libraries.push_back(std::move(copy).value());
    return true;
  };
  if (const auto added = add(rank_libc_.path); !added) return added.error();
  for (const std::string& name : program_.mpi_by_other_names)
    names[name] = copies.libraries.front().name;
  for (const auto& [name, library] : program_.libraries) {
    if (const auto added = add(library.path); !added) return added.error();
    names[name] = copies.libraries.back().name;
  }
  Result<PrivateCopy> program = place(program_.path);
  if (!program) return program.error();
  copies.program = std::move(program).value();

  const auto renamed = [&](RankLibrary& one) {
    return rename_needed(one, with_rank_libc(names, one.image, copies.libraries.front()));
  };
  if (const auto filled = fill(copies.libraries.front(), rank_libc_, whole_parts_of(rank_libc_));
      !filled)
    return filled.error();
  std::size_t at = 1;
  for (auto& [name, library] : program_.libraries) {
    if (const auto done = renamed(library); !done) return done.error();
    // What does not need the rank's part of libc may run before that has arrived.
    auto parts = needs_the_process(library.image) ? parts_of(library) : whole_parts_of(library);
    if (const auto filled = fill(copies.libraries[at++], library, std::move(parts)); !filled)
      return filled.error();
  }
  TERRACE_ASSERT(at == copies.libraries.size(), at, copies.libraries.size());
  if (const auto done = renamed(program_); !done) return done.error();
  if (const auto filled = fill(copies.program, program_, parts_of(program_)); !filled)
    return filled.error();
  return copies;
}

Result<std::vector<PrivateCopy>> Copier::copies_for(
    const PrivateCopies& rank, std::map<std::string, std::string>& names,
    std::vector<std::pair<std::string, RankLibrary>>& libraries) {
  std::vector<PrivateCopy> copies;
  const auto failed = [&](const Error& error) {
    for (const PrivateCopy& copy : copies) ::close(copy.file);
    return error;
  };
  for (const auto& [name, library] : libraries) {
    Result<PrivateCopy> copy = place(library.path);
    if (!copy) return failed(copy.error());
    copies.push_back(std::move(copy).value());
    names[name] = copies.back().name;
    if (!library.image.name().empty()) names[library.image.name()] = copies.back().name;
  }
  for (std::size_t i = 0; i < libraries.size(); ++i) {
    RankLibrary& library = libraries[i].second;
    put_behind_libc(library.image);
    auto all = with_rank_libc(names, library.image, rank.libraries.front());
    if (i == 0) put_program_behind(library.image, rank, all);
    library.image.make_private();
    if (const auto done = rename_needed(library, all); !done) return failed(done.error());
    copies[i].constructors = library.image.take_constructors();
    auto parts = library.image.parts_of_file();
    if (const auto filled = fill(copies[i], library, std::move(parts)); !filled)
      return failed(filled.error());
  }
  return copies;
}

Result<PrivateCopy> Copier::place(const std::string& path) {
  const std::string name = std::filesystem::path(path).filename().string();
  const int file = memfd_create(name.c_str(), MFD_CLOEXEC);
  if (file < 0) return refused("make", path);
  const int number = fcntl(file, F_DUPFD_CLOEXEC, next_number_);
  const Error error = refused("number", path);
  ::close(file);
  if (number < 0) return error;
  next_number_ = number + 1;
  TERRACE_ASSERT(number >= kFirstNumber, number);
  PrivateCopy copy;
  copy.file = number;
  copy.name = std::to_string(number);
  copy.path = path;
  const auto [known, is_new] = paths_without_links_.try_emplace(path);
  if (is_new) known->second = without_links(path);
  copy.path_without_links = known->second;
  return copy;
}

const std::vector<FilePart>& Copier::parts_of(const RankLibrary& library) {
  const auto [known, is_new] = parts_.try_emplace(library.path);
  if (is_new) known->second = library.image.parts_of_file();
  return known->second;
}

std::vector<FilePart> Copier::whole_parts_of(const RankLibrary& library) {
  std::vector<FilePart> parts = library.image.parts_of_file();
  for (FilePart& part : parts) part.is_for_loader = true;
  return parts;
}

Result<bool> Copier::fill(PrivateCopy& copy, const RankLibrary& from, std::vector<FilePart> parts) {
  const std::string_view bytes = from.image.bytes();
  if (!are_whole_) {
    copy.source = from.file;
    copy.parts = std::move(parts);
  }
  if (ftruncate(copy.file, static_cast<off_t>(bytes.size())) != 0)
    return refused("write", copy.path);
  std::uint64_t done = 0;
  for (const FilePart& part : copy.parts) {
    if (part.is_for_loader) continue;
    if (!write_range(copy.file, bytes, done, part.offset)) return refused("write", copy.path);
    done = std::max(done, part.offset + part.bytes);
  }
  if (!write_range(copy.file, bytes, done, bytes.size())) return refused("write", copy.path);
  return true;
}

}  // namespace terrace
