// SPDX-License-Identifier: BSD-3-Clause
// Properties of a system that only trying can show.
#pragma once

#include "doctor/system_view.hpp"

/// Shares and copies memory between short-lived children of this process, as ranks would.
terrace::Trials try_this_system();
