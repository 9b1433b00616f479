// SPDX-License-Identifier: BSD-3-Clause
// Times ways to make a call on this machine, for subcommands that print predictions next to them.
#pragma once

#include <vector>

#include "call_options.hpp"
#include "measure.hpp"

namespace terrace {

/// Times of ways here, in their order.
struct Timed {
  std::vector<double> signals;  ///< ns, from near to far, while they were timed
  std::vector<bench::Median> us;
};

/// Times such a call made by threads, or by processes if buffers are to be bounced, of this
/// machine, in that sight of the machine of which there is most. Refuses as `verb` does what cannot
/// be timed.
Timed timed_here(const Asked& asked, const std::vector<Choice>& ways, double seconds,
                 const Verb& verb);

}  // namespace terrace
