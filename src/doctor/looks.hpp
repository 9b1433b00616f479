// SPDX-License-Identifier: BSD-3-Clause
// The checks that findings.cpp runs. Each adds its findings.
#pragma once

#include "doctor/findings.hpp"

namespace terrace {

/// The program that has set the limits around this process, and can change them.
enum class Keeper : std::uint8_t { none, docker, podman, kubernetes, slurm };
Keeper keeper_of(const SystemView& system);
/// How it lets processes of one user trace, and so read, each other.
std::string tracing_option(Keeper keeper);

struct Patient {
  const SystemView& system;
  const Trials& trials;
  Keeper keeper = Keeper::none;
  std::uint32_t ranks = 0;  ///< 0: as many as can run at the same time
};

// looks_at_isolation.cpp: what keeps processes from each other.
void look_at_kernel(const Patient& patient, std::vector<Finding>& findings);
void look_at_sharing(const Patient& patient, std::vector<Finding>& findings);
void look_at_proc(const Patient& patient, std::vector<Finding>& findings);
void look_at_namespaces(const Patient& patient, std::vector<Finding>& findings);
void look_at_seccomp(const Patient& patient, std::vector<Finding>& findings);
void look_at_ptrace(const Patient& patient, std::vector<Finding>& findings);
void look_at_copying(const Patient& patient, std::vector<Finding>& findings);

// looks_at_memory.cpp
void look_at_shm(const Patient& patient, std::vector<Finding>& findings);
void look_at_memory_limit(const Patient& patient, std::vector<Finding>& findings);
void look_at_file_limits(const Patient& patient, std::vector<Finding>& findings);
void look_at_huge_pages(const Patient& patient, std::vector<Finding>& findings);

// looks_at_cores.cpp
void look_at_quota(const Patient& patient, std::vector<Finding>& findings);
void look_at_ranks(const Patient& patient, std::vector<Finding>& findings);
void look_at_autogroup(const Patient& patient, std::vector<Finding>& findings);
void look_at_numa(const Patient& patient, std::vector<Finding>& findings);

/// How many ranks there will be, or can run at the same time.
std::uint32_t ranks_of(const Patient& patient);
/// How many of its PUs the process may really use at the same time.
std::uint32_t usable_pus_of(const Patient& patient);

}  // namespace terrace
