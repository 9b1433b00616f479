// SPDX-License-Identifier: BSD-3-Clause
// LogGP (Alexandrov, Ionescu, Schauser and Scheiman, SPAA'95) from timed series of messages, by the
// method of Culler, Liu, Martin and Yoshikawa (IEEE Micro 16(1), 1996): delays separate the time
// that the two ends are busy from the time in flight. One clock is enough, as each series ends with
// an answer (Hoefler, Lichei and Rehm, IPDPS'07).
#pragma once

#include <cstddef>
#include <vector>

#include "measure/summary.hpp"

namespace terrace::measure {

/// A message of `bytes` bytes there, and a short one back.
struct LongMessage {
  double bytes = 0;
  double ns = 0;
};

/// Times of one round, in nanoseconds, by the clock of the rank that begins. Messages are short but
/// for `long_messages`.
struct MessageRound {
  double round_trip = 0;  ///< a message there, and one back
  double busy = 0;   ///< a send and a receive, by a rank that did otherwise until the answer came
  int messages = 0;  ///< of the stream, at least 2
  double streamed = 0;                     ///< this many there, one after the other, and one back
  std::vector<LongMessage> long_messages;  ///< of two lengths at least
};

/// One message of m bytes takes L + 2 o + G m from end to end, the next one comes g later.
/// Nanoseconds; G per byte.
struct LogGP {
  double L = 0, o = 0, g = 0, G = 0;
};

/// Nothing is below 0, though differences of times may be, and L + 2 o is half a round trip.
LogGP loggp_of(const MessageRound& round);

/// Medians over all rounds.
struct LogGPSummary {
  Summary L, o, g, G;
};
LogGPSummary summary_of(const std::vector<LogGP>& rounds);

}  // namespace terrace::measure
