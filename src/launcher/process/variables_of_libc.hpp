// SPDX-License-Identifier: BSD-3-Clause
// Variables that the process's libc has once, and each rank for itself: what libc reads is set
// while a rank calls it, and what it writes is told to the rank (launcher_api.h).
#pragma once

namespace terrace {

/// The process's environment as it is now, and as ranks start with it. From now on it also has a
/// place for the time zone in which libc is called. Once per process.
char** take_variables();

/// No other thread is in a function of libc that uses them: around a fork, whose child may call it.
class LibcHeld {
 public:
  LibcHeld();
  ~LibcHeld();
  LibcHeld(const LibcHeld&) = delete;
  LibcHeld& operator=(const LibcHeld&) = delete;
};

}  // namespace terrace
