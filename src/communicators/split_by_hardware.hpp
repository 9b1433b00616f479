// SPDX-License-Identifier: BSD-3-Clause
// The splits along the hardware that MPI defines (MPI 5.0, section 7.4.2): what a rank asks for,
// and into what its communicator is divided. Pure functions, as all ranks must conclude the same.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "communicators/record.hpp"

namespace terrace::communicators {

/// Split types such as MPIX_COMM_TYPE_PHYSICAL_TOPOLOGY: no MPI has any of these numbers.
inline constexpr int kPhysicalTopology = 7301;
inline constexpr int kHwGuided = 7302;
inline constexpr int kHwUnguided = 7303;
inline constexpr int kResourceGuided = 7304;

/// Keys of the info object, the one resource that is every MPI's own, and the process sets.
inline constexpr const char* kResourceKey = "mpi_hw_resource_type";
inline constexpr const char* kSetKey = "mpi_pset_name";
inline constexpr const char* kSharedMemory = "mpi_shared_memory";
inline constexpr const char* kWorldSet = "mpi://WORLD";
inline constexpr const char* kSelfSet = "mpi://SELF";

/// A level that is none: it splits nothing.
inline constexpr const char* kNoLevel = "?";

/// Whether the info object says what to split along.
bool is_guided(int split_type);

/// Completes a guided wish from the info object's values, of which the set counts for
/// `kResourceGuided` alone. A rank that names no resource gets no communicator, which is no error.
void read_guidance(SplitWish& wish, const std::optional<std::string>& type,
                   std::optional<std::string> set);

/// The parts of a guided split, among which not all ranks need to be.
std::vector<Child> guided_children(std::span<const Record> records, const SplitRequest& request);

/// Ranks that want no communicator are in no part; the others keep their level.
void leave_out(std::span<const Record> records, std::vector<Child>& children);

}  // namespace terrace::communicators
