// SPDX-License-Identifier: BSD-3-Clause
// What all collectives that combine elements have in common.
#pragma once

#include <optional>

#include "engine/team_endpoint.hpp"
#include "preload/dispatch/collective_calls.hpp"
#include "preload/dispatch/dispatch.hpp"

namespace terrace::preload {

inline constexpr const char* kRefused = "a type and operator that the MPI does not combine";

/// How a kernel combines elements of this type by this operator; null if none does.
const PredefinedReduction* find_kernel(Dispatch& dispatch, Handle type, Handle op);

/// So many elements that the MPI alone knows how to combine, by operators and on types of the
/// program's, and its own where we have no kernel. Nothing: it refuses, and the call is its own.
std::optional<TypeLayout> find_local(Dispatch& dispatch, const MpiCall& call, std::int64_t count,
                                     Elements& elements);

inline std::size_t bytes_of(const Elements& elements) {
  return elements.count * elements.bytes;
}

}  // namespace terrace::preload
