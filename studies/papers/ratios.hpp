// SPDX-License-Identifier: BSD-3-Clause
// Speed-ups over other programs on clusters of 2013. Their code and machines decide them; what can
// be counted without these is counted here, and is no verdict.
#pragma once

#include "papers/claim.hpp"

namespace terrace::papers {

/// Bytes loaded and stored by all cores, per byte of the vector, of an allreduce of p ranks.
double moved_directly(double p);     ///< a reduction and a broadcast in the ranks' own buffers
double moved_by_staging(double p);   ///< copied to shared memory, combined there, copied back
double moved_by_messages(double p);  ///< recursive doubling, each message copied in and out

ClaimAnswer order_of_mpis();         // A15
ClaimAnswer speed_up_over_mpis();    // A16
ClaimAnswer speed_up_over_openmp();  // A19
ClaimAnswer not_computed();          // the others

}  // namespace terrace::papers
