// SPDX-License-Identifier: BSD-3-Clause
// Reads JSON that users write, naming mistakes, and quotes text so that a terminal can print it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "base/result.hpp"

namespace terrace::model {

/// Errors: argument, with `origin` and line and column of what is no JSON, or with the key that
/// comes twice in an object.
Result<nlohmann::json> json_from(const std::string& text, const std::string& origin);

/// Returns the first letters of a value, for complaints.
std::string shortened(const nlohmann::json& value);

/// Replaces control characters, which a terminal would interpret.
std::string printable(std::string text);

}  // namespace terrace::model
