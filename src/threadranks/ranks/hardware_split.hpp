// SPDX-License-Identifier: BSD-3-Clause
// Splits of communicators along the hardware that ranks run on (MPI 5.0, section 7.4.2).
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "communicators/split_by_hardware.hpp"
#include "threadranks/ranks/communicator.hpp"

namespace terrace::threadranks {

struct HardwareSplit {
  Communicator* made = nullptr;  ///< null: the caller is in no part, or wants none
  std::string resource;          ///< what `made` shares, as a value of mpi_hw_resource_type
  /// An error of one rank, which all return; and what it was, for that rank to say.
  communicators::Failure failure = communicators::Failure::none;
  std::string sentence;
};

/// Collective: whether any member wants to split along the hardware.
bool is_any(Communicator& parent, bool is_wanted);

/// Collective over a communicator of one group, if any member wants it. `wish.is_out`: not the
/// caller.
HardwareSplit split_along_hardware(Communicator& parent, const communicators::SplitWish& wish);

/// The types of resource that the machine has, and whether the calling rank is restricted to one.
std::vector<std::pair<std::string, bool>> resources_of(const RankState& caller);

}  // namespace terrace::threadranks
