// SPDX-License-Identifier: BSD-3-Clause
// Asks the first rank of a lane for its time.
#include "preload/nodes/clock_offset.hpp"

#include <sched.h>

#include "base/contract.hpp"

namespace terrace::preload {

namespace {

constexpr int kFewestTrips = 20, kMostTrips = 400;
/// A trip that is short enough: a timeline shows no finer.
constexpr std::uint64_t kShortTripNs = 200'000;
/// A question that is none: no clock shows this time.
constexpr std::uint64_t kNoMore = 0;

class Talk {
 public:
  explicit Talk(LaneTransport& transport) : transport_(transport) {}

  bool send(std::uint64_t time, Rank to) {
    Transfer transfer{.is_over = false};
    return transport_.begin_send(&time, sizeof time, to, transfer) && finish(transfer);
  }
  bool receive(std::uint64_t& time, Rank from) {
    Transfer transfer{.is_over = false};
    return transport_.begin_receive(&time, sizeof time, from, transfer) && finish(transfer);
  }

 private:
  bool finish(Transfer& transfer) {
    while (!transfer.is_over) {
      if (!transport_.look(transfer)) return false;
      if (!transfer.is_over) sched_yield();
    }
    return true;
  }

  LaneTransport& transport_;
};

}  // namespace

std::optional<std::int64_t> clock_offset(LaneTransport& transport,
                                         const std::function<std::uint64_t()>& now_ns) {
  Talk talk(transport);
  std::uint64_t theirs = 0, shortest = UINT64_MAX;
  if (transport.rank() == 0) {
    for (Rank peer = 1; peer < transport.rank_count(); ++peer) {
      std::uint64_t before = 0;
      for (;;) {
        if (!talk.receive(theirs, peer)) return std::nullopt;
        if (theirs == kNoMore) break;
        TERRACE_REQUIRE(theirs >= before, theirs, before, peer);  // a clock does not go back
        before = theirs;
        if (!talk.send(now_ns(), peer)) return std::nullopt;
      }
    }
    return 0;
  }
  std::int64_t ahead = 0;
  for (int i = 0; i < kFewestTrips || (i < kMostTrips && shortest > kShortTripNs); ++i) {
    const std::uint64_t begin = now_ns();
    if (!talk.send(begin, 0) || !talk.receive(theirs, 0)) return std::nullopt;
    const std::uint64_t took = now_ns() - begin;
    if (took >= shortest) continue;
    shortest = took;
    ahead = static_cast<std::int64_t>(theirs - (begin + took / 2));
  }
  return talk.send(kNoMore, 0) ? std::optional(ahead) : std::nullopt;
}

}  // namespace terrace::preload
