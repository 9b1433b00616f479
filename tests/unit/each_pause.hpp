// SPDX-License-Identifier: BSD-3-Clause
// Runs a test with each kind of pause.
#pragma once

#include "base/pause.hpp"

namespace terrace {

/// Of those that may be chosen here. An emulator's `wfe` ends at once, so it is tried there as
/// well.
template <class Try>
void with_each_pause(Try&& try_it) {
#ifdef TERRACE_IS_EMULATED
  const std::size_t kinds = 3;
#else
  const std::size_t kinds = pause_kind_count();
#endif
  const PauseKind usual = pause_kind();
  for (std::size_t kind = 0; kind < kinds; ++kind) {
    set_pause_kind(static_cast<PauseKind>(kind));
    try_it();
  }
  set_pause_kind(usual);
}

}  // namespace terrace
