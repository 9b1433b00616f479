// SPDX-License-Identifier: BSD-3-Clause
// The stages of a round, as its two ranks play them. See network_probe.hpp.
#include "measure/network_probe.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/ticks.hpp"
#include "measure/median.hpp"

namespace terrace::measure {

namespace {

using Clock = KernelClock;

constexpr std::size_t kShortBytes = 8;
constexpr std::size_t kMostBytes = std::size_t{1} << 20;
/// Longer than what an MPI sends eagerly, so that all go the same way.
constexpr std::size_t kLongBytes[] = {4 * kMostBytes / 16, 6 * kMostBytes / 16, 8 * kMostBytes / 16,
                                      12 * kMostBytes / 16, kMostBytes};
constexpr int kWarmUps = 2, kExchanges = 15, kStreams = 5, kMessages = 16, kOfEachLength = 3;
constexpr std::size_t kRoundsToWarmUp = 2, kLeastMessageRounds = 6, kMostMessageRounds = 400;
constexpr int kEagerTrials = 3;

/// The request of the rank that begins to another.
enum class ProbeRequest : std::uint32_t { end, round, eager };

struct ProbeWord {
  ProbeRequest request = ProbeRequest::end;
  std::uint32_t bytes = 0;  ///< for `eager`
};

/// Busy, and not with messages. Returns for how long.
double delay(double ns) {
  const std::uint64_t begin = ticks();
  double passed = 0;
  while (passed < ns) passed = ns_since(begin);
  return passed;
}

template <class Measure>
double median_of(int times, const Measure& measure) {
  std::vector<double> ns;
  for (int i = 0; i < times; ++i) ns.push_back(measure());
  return median(std::move(ns));
}

/// One end of messages between two ranks.
class End {
 public:
  End(MessageExchange& messages, int other)
      : messages_(messages), other_(other), bytes_(kMostBytes) {}

  /// Sends bytes that have just been written, as in programs.
  void send(std::size_t count) {
    rewrite(count);
    messages_.send(other_, MessageKind::content, bytes_.data(), count);
  }
  void receive(std::size_t count) {
    messages_.receive(other_, MessageKind::content, bytes_.data(), count);
  }
  void rewrite(std::size_t count) { std::memset(bytes_.data(), ++value_ & 0xff, count); }

  // The rank that begins.
  void ask(ProbeWord word) { messages_.send(other_, MessageKind::word, &word, sizeof word); }
  MessageRound round();
  double longest_eager();

  // The other.
  void answer_round();
  void answer_eager(std::size_t count);

 private:
  // Nanoseconds.
  double round_trip();
  double busy(double until_it_has_arrived);
  double stream();
  double long_message(std::size_t count);
  bool is_eager(std::size_t count, std::chrono::nanoseconds patience);

  MessageExchange& messages_;
  int other_;
  int value_ = 0;
  std::vector<std::byte> bytes_;
};

double End::round_trip() {
  const std::uint64_t begin = ticks();
  send(kShortBytes);
  receive(kShortBytes);
  return ns_since(begin);
}

double End::busy(double until_it_has_arrived) {
  const std::uint64_t begin = ticks();
  send(kShortBytes);
  const double waited = delay(until_it_has_arrived);
  receive(kShortBytes);
  return ns_since(begin) - waited;
}

double End::stream() {
  const std::uint64_t begin = ticks();
  for (int i = 0; i < kMessages; ++i) send(kShortBytes);
  receive(kShortBytes);
  return ns_since(begin);
}

/// Not counted: the time to write what is sent.
double End::long_message(std::size_t count) {
  rewrite(count);
  const std::uint64_t begin = ticks();
  messages_.send(other_, MessageKind::content, bytes_.data(), count);
  receive(kShortBytes);
  return ns_since(begin);
}

/// Medians, as a rank that is put aside for a moment must not spoil the round.
MessageRound End::round() {
  MessageRound found;
  found.messages = kMessages;
  for (int i = 0; i < kWarmUps; ++i) round_trip();
  found.round_trip = median_of(kExchanges, [&] { return round_trip(); });
  const double until_it_has_arrived = std::clamp(2 * found.round_trip, 1e3, 1e6);
  found.busy = median_of(kExchanges, [&] { return busy(until_it_has_arrived); });
  found.streamed = median_of(kStreams, [&] { return stream(); });
  for (const std::size_t count : kLongBytes)
    found.long_messages.push_back({static_cast<double>(count),
                                   median_of(kOfEachLength, [&] { return long_message(count); })});
  return found;
}

void End::answer_round() {
  const auto take_and_answer = [&](int times, int messages, std::size_t count) {
    for (int time = 0; time < times; ++time) {
      for (int i = 0; i < messages; ++i) receive(count);
      send(kShortBytes);
    }
  };
  take_and_answer(kWarmUps + 2 * kExchanges, 1, kShortBytes);
  take_and_answer(kStreams, kMessages, kShortBytes);
  for (const std::size_t count : kLongBytes) take_and_answer(kOfEachLength, 1, count);
}

/// The word that the receiver waits for comes after the message has had time to leave.
bool End::is_eager(std::size_t count, std::chrono::nanoseconds patience) {
  ask({ProbeRequest::eager, static_cast<std::uint32_t>(count)});
  rewrite(count);
  const bool has_left =
      messages_.begin_sending(other_, MessageKind::content, bytes_.data(), count, patience);
  ask({ProbeRequest::eager, 0});
  messages_.end_sending();
  receive(kShortBytes);
  return has_left;
}

void End::answer_eager(std::size_t count) {
  ProbeWord word;
  messages_.receive(other_, MessageKind::word, &word, sizeof word);
  receive(count);
  send(kShortBytes);
}

double End::longest_eager() {
  constexpr std::chrono::microseconds kToLeave{500};
  std::size_t longest = 0;
  for (std::size_t count = kShortBytes; count <= kMostBytes; count *= 2) {
    int left = 0;
    for (int trial = 0; trial < kEagerTrials; ++trial) left += is_eager(count, kToLeave);
    if (2 * left < kEagerTrials) break;
    longest = count;
  }
  return static_cast<double>(longest);
}

}  // namespace

NetworkFindings measure_network(MessageExchange& messages, std::span<const int> partners,
                                double seconds, const std::atomic<bool>& is_stopped) {
  NetworkFindings found;
  std::vector<LogGP> rounds;
  for (const int partner : partners) {
    End end(messages, partner);
    const auto begin = Clock::now();
    const std::chrono::duration<double> share(seconds / static_cast<double>(partners.size()));
    // relaxed: a flag that orders nothing. Partner: its writer.
    const auto goes_on = [&](std::size_t done) {
      return !is_stopped.load(std::memory_order_relaxed) &&
             done < kRoundsToWarmUp + kMostMessageRounds &&
             (done < kRoundsToWarmUp + kLeastMessageRounds || Clock::now() - begin < share);
    };
    for (std::size_t done = 0; goes_on(done); ++done) {
      end.ask({ProbeRequest::round, 0});
      const LogGP one = loggp_of(end.round());
      if (done >= kRoundsToWarmUp) rounds.push_back(one);
      // Now that the two are connected, and no more than once.
      if (done == 0 && partner == partners.front()) found.eager = end.longest_eager();
    }
  }
  found.loggp = summary_of(rounds);
  return found;
}

void end_network(MessageExchange& messages, std::span<const int> others) {
  const ProbeWord word{ProbeRequest::end, 0};
  for (const int other : others) messages.send(other, MessageKind::word, &word, sizeof word);
}

void answer_network(MessageExchange& messages, int beginner) {
  End end(messages, beginner);
  while (true) {
    ProbeWord word;
    messages.receive_quietly(beginner, MessageKind::word, &word, sizeof word);
    if (word.request == ProbeRequest::end) return;
    if (word.request == ProbeRequest::round) end.answer_round();
    if (word.request == ProbeRequest::eager) end.answer_eager(word.bytes);
  }
}

}  // namespace terrace::measure
