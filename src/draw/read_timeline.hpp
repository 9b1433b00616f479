// SPDX-License-Identifier: BSD-3-Clause
// Timelines from files.
#pragma once

#include <string>

#include "base/result.hpp"
#include "base/timeline.hpp"

namespace terrace {

/// A larger file would draw a picture too dense to read.
inline constexpr std::size_t kMostTimelineBytes = std::size_t{256} << 20;

/// Reads what `to_json` has written, and other files in Chrome's trace format whose events say
/// their rank. Errors: argument, with line and column where the text is no JSON, else with the
/// number of the event that is wrong.
Result<Timeline> timeline_from_json(const std::string& text);

}  // namespace terrace
