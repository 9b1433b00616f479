// SPDX-License-Identifier: BSD-3-Clause
// Has work done in a child process whose crash leaves this one as it was: for libraries that trust
// what users give them.
#pragma once

#include <functional>
#include <string>

#include "base/result.hpp"

namespace terrace {

/// Returns what `work` returns in a child process of a minute of processor time and two minutes in
/// all at most, which has this thread alone and no standard error. Errors, as half a sentence:
/// system, if there can be no child ("cannot have a process of its own: ..."); argument, if it
/// crashed or was ended ("was ended by signal 11 (Segmentation fault)").
Result<std::string> child_answer(const std::function<std::string()>& work);

}  // namespace terrace
