// SPDX-License-Identifier: BSD-3-Clause
// The checks that findings.cpp runs. Each adds its findings.
#pragma once

#include "doctor/findings.hpp"

namespace terrace {

/// The program that has set the limits around this process, and can change them.
enum class Keeper : std::uint8_t { none, docker, podman, kubernetes, slurm };
Keeper keeper_of(const SystemView& system);
/// The system's rules for processes of one user that trace, and so read, each other.
std::string tracing_option(Keeper keeper);

struct CheckedSystem {
  const SystemView& system;
  const Trials& trials;
  Keeper keeper = Keeper::none;
  std::uint32_t ranks = 0;  ///< 0: as many as can run at the same time
};

// check_isolation.cpp: obstacles between processes.
void check_kernel(const CheckedSystem& checked, std::vector<Finding>& findings);
void check_sharing(const CheckedSystem& checked, std::vector<Finding>& findings);
void check_proc(const CheckedSystem& checked, std::vector<Finding>& findings);
void check_namespaces(const CheckedSystem& checked, std::vector<Finding>& findings);
void check_seccomp(const CheckedSystem& checked, std::vector<Finding>& findings);
void check_ptrace(const CheckedSystem& checked, std::vector<Finding>& findings);
void check_copying(const CheckedSystem& checked, std::vector<Finding>& findings);

// check_memory.cpp
void check_shm(const CheckedSystem& checked, std::vector<Finding>& findings);
void check_memory_limit(const CheckedSystem& checked, std::vector<Finding>& findings);
void check_file_limits(const CheckedSystem& checked, std::vector<Finding>& findings);
void check_huge_pages(const CheckedSystem& checked, std::vector<Finding>& findings);

// check_cores.cpp
void check_quota(const CheckedSystem& checked, std::vector<Finding>& findings);
void check_ranks(const CheckedSystem& checked, std::vector<Finding>& findings);
void check_autogroup(const CheckedSystem& checked, std::vector<Finding>& findings);
void check_cache_lines(const CheckedSystem& checked, std::vector<Finding>& findings);
void check_numa(const CheckedSystem& checked, std::vector<Finding>& findings);

// check_costs.cpp
void check_kept_costs(const CheckedSystem& checked, std::vector<Finding>& findings);

/// Ranks that there will be, or that can run at the same time.
std::uint32_t ranks_of(const CheckedSystem& checked);
/// PUs that the process may really use at the same time.
std::uint32_t usable_pus_of(const CheckedSystem& checked);

}  // namespace terrace
