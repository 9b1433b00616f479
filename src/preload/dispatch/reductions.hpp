// SPDX-License-Identifier: BSD-3-Clause
// What all collectives that combine elements have in common.
#pragma once

#include <optional>

#include "engine/team_endpoint.hpp"
#include "preload/dispatch/calls.hpp"
#include "preload/dispatch/dispatch.hpp"

namespace terrace::preload {

inline constexpr const char* kRefused = "a type and operator that the MPI does not combine";
inline constexpr const char* kLongElement = "an element longer than the team's memory takes";

/// How a kernel combines elements of this type by this operator; null if none does.
const PredefinedReduction* find_kernel(Dispatch& dispatch, Handle type, Handle op);

inline std::size_t bytes_of(const Elements& elements) {
  return elements.count * elements.bytes;
}

}  // namespace terrace::preload
