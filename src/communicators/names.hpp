// SPDX-License-Identifier: BSD-3-Clause
// Names of resources for users of MPI: hwloc's types ("L3Cache", "NUMANode"), which the MPI
// standard uses in its examples, and the papers' strings where hwloc has none.
#pragma once

#include <string>
#include <string_view>

namespace terrace::communicators {

/// Name of what several nodes share if we know of no switch (ParCo section 4.1.4).
inline constexpr const char* kCluster = "System - Cluster";

/// The answer about ranks other than the caller, and about communicators that were not made by one
/// of our splits (ParCo sections 3.3.2 and 4.1.4).
inline constexpr const char* kUnknown = "Unknown";

/// "L3Cache" for the level "l3", "Machine" for "node"; levels of the network, which are named by
/// sites, begin with a capital: "Switch".
std::string type_of(std::string_view level);

/// The level that a type names, in any case of letters: "l3" for "L3Cache", "l3cache", "L3" and
/// "hwloc://L3Cache". What is no type of hwloc's is taken for a level of the network, but for
/// "hwloc://" before it: then nothing, "".
std::string level_of(std::string_view type);

/// Returns the level of a name in a split that MPI defines, as above: also what MPIs call a
/// resource and hwloc does not ("cpu", "hwthread", "host").
std::string level_of_mpis_name(std::string_view name);

/// Whether a name may mean something to an MPI that is no level: devices, and how MPICH calls a
/// binding.
bool is_mpis_own(std::string_view name);

/// Writes a level as a URI, as MPI 5.0 recommends: "hwloc://L3Cache"; levels of the network stay
/// names.
std::string uri_of(std::string_view level);

}  // namespace terrace::communicators
