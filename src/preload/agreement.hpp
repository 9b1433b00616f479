// SPDX-License-Identifier: BSD-3-Clause
// The agreement: the ranks of a communicator decide together, by a few small collectives of the
// MPI below, whether they become a team, and become it. Whatever fails, fails on all of them.
#pragma once

#include <memory>
#include <string>

#include "preload/team.hpp"

namespace terrace::preload {

/// Collective over the communicator. Null: no team; `why` then holds half a sentence.
std::unique_ptr<Team> agree_on_team(MpiBelow& below, const Membership& membership,
                                    std::string& why);

}  // namespace terrace::preload
