// SPDX-License-Identifier: BSD-3-Clause
// The ways in which a rank can reach another process's buffers on this system
// (docs/design/reach.md), for `terrace machine`.
#pragma once

#include <string>
#include <vector>

#include "doctor/system_view.hpp"

namespace terrace {

struct ReachHere {
  std::string name;  ///< "pulled"
  bool is_possible = false;
  std::string found;     ///< by what means, or why not
  std::string change{};  ///< the setting that would make it possible; "" where there is none
};

/// Bounced, direct, pulled, XPMEM.
std::vector<ReachHere> reaches_on(const SystemView& system, const Trials& trials);

/// The pages of long vectors, which decide what reach pays.
struct Pages {
  std::string own;     ///< huge ones for a process's own memory: "always", "madvise", "never"
  std::string shared;  ///< and for memory that processes share; "" as above where not known
};
Pages pages_on(const SystemView& system);
std::string to_text(const Pages& pages);

}  // namespace terrace
