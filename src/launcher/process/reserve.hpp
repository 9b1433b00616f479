// SPDX-License-Identifier: BSD-3-Clause
// How much thread-local memory a program whose ranks are threads may have. Every thread of the
// process has it, and libc writes to all of it, so there are executables with less and more.
#pragma once

#include <cstddef>

namespace terrace {

struct LauncherProgram {
  const char* name;  ///< in libexec/terrace
  std::size_t reserve_bytes;
};

// The launchers that CMakeLists.txt builds.
inline constexpr LauncherProgram kLauncherPrograms[] = {
    {"ranks", std::size_t{64} << 10},
    {"ranks-1m", std::size_t{1} << 20},
    {"ranks-16m", std::size_t{16} << 20},
};
inline constexpr std::size_t kReserveAlignment = 4096;
/// Alignment of the launcher's own thread-local variables. The thread pointer is aligned as the
/// largest of all: by the executable's, but on AArch64 (executable.c).
#if defined(__aarch64__)
inline constexpr std::size_t kAlignmentOfLauncher = kReserveAlignment;
#else
inline constexpr std::size_t kAlignmentOfLauncher = alignof(void*);
#endif

/// The smallest one with so much room; the largest one if there is none.
inline const LauncherProgram& launcher_with(std::size_t bytes) {
  for (const LauncherProgram& program : kLauncherPrograms)
    if (program.reserve_bytes >= bytes) return program;
  return kLauncherPrograms[2];
}

}  // namespace terrace
