// SPDX-License-Identifier: BSD-3-Clause
// The settings that `terrace run` passes to the launcher, by environment variables, because the
// command line holds the ranks' arguments, as their constructors and `ps` expect.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "os/pu_set.hpp"

namespace terrace {

/// Bytes of the loader's static thread-local memory for the libraries of a rank: enough for those
/// that take some if it is there.
inline constexpr std::size_t kLibraryLocalBytes = 1024;

struct LaunchSettings {
  int ranks = 1;
  std::size_t library_local_bytes = kLibraryLocalBytes;  ///< for each rank's libraries
  std::size_t stack_bytes = 0;                           ///< of each rank
  std::vector<PuSet> bindings;                           ///< by rank; empty: not bound
  std::vector<int> workers;       ///< of fibres, by their PUs, -1: any; empty: ranks are threads
  bool tells_obstacle = false;    ///< says why, where there can be no fibres
  bool labels = false;            ///< lines of output begin with their rank
  std::string program;            ///< path
  std::size_t reserve_bytes = 0;  ///< of thread-local memory, that this launcher has
  // Known once the processes of the job have met:
  int first_rank = 0;       ///< of this process, in the job
  bool has_others = false;  ///< the job has other processes
  std::string over;         ///< the MPI between processes, or its folder; "": to be found
};

/// The variables' names. Those that the loader reads at the start are restored before any rank is
/// loaded.
inline constexpr const char* kSettingsVariable = "TERRACE_RUN";
inline constexpr const char* kProgramVariable = "TERRACE_RUN_PROGRAM";
inline constexpr const char* kOverVariable = "TERRACE_RUN_OVER";
inline constexpr const char* kKeptPrefix = "TERRACE_RUN_KEPT_";
inline constexpr const char* kLibraryPath = "LD_LIBRARY_PATH";
inline constexpr const char* kTunables = "GLIBC_TUNABLES";
inline constexpr const char* kPreload = "LD_PRELOAD";

/// Bytes that the loader must keep free in each thread for thread-local variables of the ranks'
/// libraries.
inline std::size_t room_for_libraries(const LaunchSettings& settings) {
  return 4096 + static_cast<std::size_t>(settings.ranks) * settings.library_local_bytes;
}
/// The loader's setting for that, in GLIBC_TUNABLES.
inline constexpr const char* kRoomTunable = "glibc.rtld.optional_static_tls=";

/// Stack bytes of a kernel thread of the launcher's own, beside `room_beside_stack`.
inline constexpr std::size_t kWorkerStackBytes = std::size_t{256} << 10;

std::string to_text(const LaunchSettings&);

/// All but the two paths. Errors: argument.
Result<LaunchSettings> launch_settings_from_text(const std::string& text);

}  // namespace terrace
