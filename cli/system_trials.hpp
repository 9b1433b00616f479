// SPDX-License-Identifier: BSD-3-Clause
// Finds out by trying what a system's files do not tell.
#pragma once

#include "doctor/system_view.hpp"

/// Shares and copies memory between short-lived children of this process, as ranks would.
terrace::Trials try_this_system();
