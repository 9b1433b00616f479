// SPDX-License-Identifier: BSD-3-Clause
// What all collectives that combine elements have in common.
#pragma once

#include <optional>

#include "engine/team_endpoint.hpp"
#include "preload/dispatch/run_or_fall_back.hpp"
#include "preload/mpi/calls.hpp"

namespace terrace::preload {

inline constexpr const char* kRefused = "a type and operator that the MPI does not combine";

/// Finds how a kernel combines elements of this type by this operator; null if none does.
const PredefinedReduction* find_kernel(Dispatch& dispatch, Handle type, Handle op);

/// Whether the MPI would accept the buffers of a reduction with elements.
bool takes_buffers(Dispatch& dispatch, const MpiCall& call, bool is_predefined = true);

/// The layout of `count` elements that only the MPI can combine: by the program's operators, of the
/// program's types, or of its own types without a kernel here. Nothing: the MPI refuses, and the
/// call falls back.
std::optional<TypeLayout> find_local(Dispatch& dispatch, const MpiCall& call, std::int64_t count,
                                     Elements& elements);

}  // namespace terrace::preload
