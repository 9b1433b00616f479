// SPDX-License-Identifier: BSD-3-Clause
// The JSON form of tunings: docs/reference/tuning-files.md.
#pragma once

#include <string>

#include "base/result.hpp"
#include "choose/tuning.hpp"

namespace terrace {

/// No tuning that `terrace tune` writes is longer.
inline constexpr std::size_t kMostTuningBytes = std::size_t{4} << 20;

/// Errors: argument, with `origin` and the place of what is no JSON, or the row and key of what is
/// missing, unknown, of the wrong kind, out of bounds, or names no algorithm of that collective.
Result<Tuning> tuning_from_text(const std::string& text, const std::string& origin);

/// A line for each row.
std::string to_json(const Tuning& tuning);

}  // namespace terrace
