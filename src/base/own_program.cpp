// SPDX-License-Identifier: BSD-3-Clause
// Asks /proc, then the auxiliary vector.
#include "base/own_program.hpp"

#include <sys/auxv.h>

#include <filesystem>
#include <system_error>

namespace terrace {

namespace {

namespace files = std::filesystem;

}  // namespace

std::string own_program() {
  std::error_code failure;
  const files::path linked = files::read_symlink("/proc/self/exe", failure);
  if (!failure) return linked.string();
  const auto* const given = reinterpret_cast<const char*>(getauxval(AT_EXECFN));
  if (given == nullptr || *given == '\0') return "";
  // Where links cannot be read, as under a filter of system calls, the path itself has to do.
  files::path whole = files::canonical(given, failure);
  if (failure) whole = files::absolute(given, failure);
  return failure ? "" : whole.lexically_normal().string();
}

std::string own_prefix() {
  return files::path(own_program()).parent_path().parent_path().string();
}

}  // namespace terrace
