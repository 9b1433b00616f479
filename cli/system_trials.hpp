// SPDX-License-Identifier: BSD-3-Clause
// Finds out what a system's own files do not tell: by trying, and from what earlier jobs kept.
#pragma once

#include "doctor/system_view.hpp"

/// Shares and copies memory between short-lived children of this process, as ranks would; and reads
/// the costs that the user's jobs have measured.
terrace::Trials try_this_system();
