// SPDX-License-Identifier: BSD-3-Clause
// Variables that the process's libc has once, and each rank for itself: what libc reads is set
// while a rank calls it, and what it writes is told to the rank (launcher_api.h).
#pragma once

namespace terrace {

/// Returns the process's environment as it is now, with which ranks start. From now on it also has
/// a place for the time zone in which libc is called. Once per process.
char** take_variables();

/// Keeps other threads out of functions of libc that use them: around a fork, whose child may call
/// these.
class LibcHeld {
 public:
  LibcHeld();
  ~LibcHeld();
  LibcHeld(const LibcHeld&) = delete;
  LibcHeld& operator=(const LibcHeld&) = delete;
};

}  // namespace terrace
