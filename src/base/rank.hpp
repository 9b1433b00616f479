// SPDX-License-Identifier: BSD-3-Clause
// Rank: one participant of a team, a process or a thread, numbered from 0.
#pragma once

#include <cstdint>

namespace terrace {

using Rank = std::uint32_t;

}  // namespace terrace
