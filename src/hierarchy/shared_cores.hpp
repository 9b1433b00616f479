// SPDX-License-Identifier: BSD-3-Clause
// The hierarchy that plans are made for where ranks take turns on cores.
#pragma once

#include "hierarchy/hierarchy.hpp"

namespace terrace {

/// Removes the groups beside one of ranks that share a core: each stage of a plan costs such ranks
/// a turn, and only one of them runs at a time.
Hierarchy without_shared_cores(Hierarchy hierarchy);

/// Adds a group for each core, where the innermost groups have ranks of several: rank `i` takes
/// turns on core `cores[i]`. For ranks that get turns for next to nothing.
Hierarchy with_shared_cores(Hierarchy hierarchy, std::span<const std::uint32_t> cores);

}  // namespace terrace
