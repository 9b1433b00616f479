// SPDX-License-Identifier: BSD-3-Clause
// Subtracts series of messages, so that what they have in common drops out. See loggp.hpp.
#include "measure/loggp.hpp"

#include <algorithm>

#include "measure/median.hpp"

namespace terrace::measure {

namespace {

/// The median of the slopes of all pairs (Theil and Sen): one message that was disturbed does not
/// matter.
double slope_of(const std::vector<LongMessage>& messages) {
  std::vector<double> slopes;
  for (std::size_t i = 0; i < messages.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (messages[i].bytes != messages[j].bytes)
        slopes.push_back((messages[i].ns - messages[j].ns) /
                         (messages[i].bytes - messages[j].bytes));
  return median(std::move(slopes));
}

}  // namespace

LogGP loggp_of(const MessageRound& round) {
  const double half_trip = round.round_trip / 2;
  LogGP found;
  found.o = std::clamp(round.busy / 2, 0.0, half_trip / 2);
  found.L = half_trip - 2 * found.o;
  // The last message of the stream and the answer to it are a round trip.
  found.g = std::max(0.0, (round.streamed - round.round_trip) / (round.messages - 1));
  found.G = std::max(0.0, slope_of(round.long_messages));
  return found;
}

LogGPSummary summary_of(const std::vector<LogGP>& rounds) {
  const auto of = [&](double LogGP::*number) {
    std::vector<double> values;
    for (const LogGP& round : rounds) values.push_back(round.*number);
    return summary_of(std::move(values));
  };
  return {of(&LogGP::L), of(&LogGP::o), of(&LogGP::g), of(&LogGP::G)};
}

}  // namespace terrace::measure
