// SPDX-License-Identifier: BSD-3-Clause
// Writes copies into memory, and changes the names by which they need each other.
#include "threadranks/elf/private_copies.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <utility>

#include "base/contract.hpp"
#include "threadranks/elf/libraries.hpp"

namespace terrace {

namespace {

/// File numbers from here on are above those that the program opens in its constructors.
constexpr int kFirstNumber = 200;

Error refused(const std::string& what, const std::string& path) {
  const std::string remedy = errno == EMFILE || errno == EINVAL ? "; raise `ulimit -n`" : "";
  return {ErrorCode::system,
          "cannot " + what + " a copy of " + path + ": " + std::strerror(errno) + remedy};
}

/// The bytes from `begin` to `end`, at their place.
bool write_range(int file, const std::string& bytes, std::uint64_t begin, std::uint64_t end) {
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

Copier::Copier(Program& program, RankLibrary& rank_libc, bool are_whole)
    : program_(program), rank_libc_(rank_libc), are_whole_(are_whole), next_number_(kFirstNumber) {
  program.image.make_private();
  for (auto& [name, library] : program.libraries) library.image.make_private();
  rank_libc.image.make_private();
  // What it uses is global: another rank's names must not come in.
  rank_libc.image.forget_needed();
}

Result<PrivateCopies> Copier::copies_for_next_rank() {
  PrivateCopies copies;
  std::map<std::string, std::string> names;
  const auto add = [&](const std::string& path) -> Result<bool> {
    Result<PrivateCopy> copy = place(path);
    if (!copy) return copy.error();
    copies.libraries.push_back(std::move(copy).value());
    return true;
  };
  if (const auto added = add(rank_libc_.path); !added) return added.error();
  for (const auto& [name, library] : program_.libraries) {
    if (const auto added = add(library.path); !added) return added.error();
    names[name] = copies.libraries.back().name;
  }
  Result<PrivateCopy> program = place(program_.path);
  if (!program) return program.error();
  copies.program = std::move(program).value();

  const std::string& rank_libc = copies.libraries.front().name;
  const auto renamed = [&](ElfImage image) -> Result<ElfImage> {
    std::map<std::string, std::string> all = names;
    // What the process has, all find; and before it, the rank's part of libc.
    for (const std::string& name : image.needed())
      if (owner_of(name) != LibraryOwner::rank) all[name] = rank_libc;
    if (const auto done = image.rename_needed(all); !done) return done.error();
    return image;
  };
  if (const auto filled = fill(copies.libraries.front(), rank_libc_, rank_libc_.image); !filled)
    return filled.error();
  std::size_t at = 1;
  for (const auto& [name, library] : program_.libraries) {
    Result<ElfImage> image = renamed(library.image);
    if (!image) return Error{image.error().code, library.path + " " + image.error().sentence};
    if (const auto filled = fill(copies.libraries[at++], library, image.value()); !filled)
      return filled.error();
  }
  Result<ElfImage> image = renamed(program_.image);
  TERRACE_ASSERT(at == copies.libraries.size(), at, copies.libraries.size());
  if (!image) return Error{image.error().code, program_.path + " " + image.error().sentence};
  if (const auto filled = fill(copies.program, program_, image.value()); !filled)
    return filled.error();
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
  return copy;
}

Result<bool> Copier::fill(PrivateCopy& copy, const RankLibrary& from, const ElfImage& image) {
  const std::string& bytes = image.bytes();
  if (!are_whole_) {
    const auto [known, is_new] = parts_.try_emplace(from.file.get());
    if (is_new) known->second = image.parts_of_file();
    // Who brings the parts lies in the first copy.
    const bool is_first = &from == &rank_libc_;
    copy.source = from.file;
    copy.parts = known->second;
    for (FilePart& part : copy.parts) part.is_for_loader |= is_first;
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
