// SPDX-License-Identifier: BSD-3-Clause
// How far the clock of another node is ahead, by messages: monotonic clocks of nodes count from
// each node's start. For timelines alone.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "preload/nodes/lane.hpp"

namespace terrace::preload {

/// Returns by how many ns the clock of a lane's first rank is ahead of this rank's, collectively
/// over the lane; 0 at the first rank. As Cristian (1989) does: this rank asks, the first one
/// answers with its time, which was read halfway between question and answer, give or take half the
/// time between them. The shortest of 20 round trips counts, or of up to 400 until one is
/// short, as on busy machines. Nothing: the transport refuses.
std::optional<std::int64_t> clock_offset(LaneTransport& transport,
                                         const std::function<std::uint64_t()>& now_ns);

}  // namespace terrace::preload
