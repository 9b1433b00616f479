// SPDX-License-Identifier: BSD-3-Clause
// Quota: how much of its PUs a job may really use. A container with "2 CPUs" on a machine of 64
// sees all 64 and is bound to none; only its cgroup shows the limit.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace terrace {

/// The places of the files; tests put others in their place.
struct CgroupFiles {
  std::string membership = "/proc/self/cgroup";  ///< which groups this process is in
  std::string mount = "/sys/fs/cgroup";          ///< where cgroups v2, or those of v1, are mounted
};

struct Quota {
  double pus = std::numeric_limits<double>::infinity();  ///< PU seconds per second; infinity: none
  std::string file;                                      ///< which file sets it; "" if none

  bool is_limited() const { return !file.empty(); }
  bool operator==(const Quota&) const = default;
};

/// The tightest quota of this process's cgroup and those around it, v1 and v2. What cannot be read
/// sets no limit: most systems have no such files, and then there is none.
Quota cpu_quota(const CgroupFiles& = {});

/// A limit on the memory of a cgroup, and what of it is in use.
struct MemoryLimit {
  std::uint64_t limit = 0;
  std::uint64_t used = 0;
  std::string file;  ///< which file sets it
};

/// Lists the limits of this process's cgroup and of those around it, v1 and v2; empty if there are
/// none.
std::vector<MemoryLimit> memory_limits(const CgroupFiles& = {});

/// The groups by which the kernel shares CPU time out among processes, v1 and v2, that this process
/// is in, as their file names them: processes with the same text are in the same. "" if there are
/// none.
std::string cpu_groups(const CgroupFiles& = {});

/// Returns how many ranks can run at the same time on `bound_pus` PUs (all that the ranks of a job
/// on this node may use together) under a quota: whole PUs, at least 1. More ranks than this take
/// turns.
std::uint32_t usable_pus(std::uint32_t bound_pus, const Quota&);

}  // namespace terrace
