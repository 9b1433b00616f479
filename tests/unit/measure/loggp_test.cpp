// SPDX-License-Identifier: BSD-3-Clause
// Goals and methods:
// - Series of messages that cost what LogGP says give its parameters back: series that are
// computed,
//   of a network that is slow and of one where the gap is shorter than the overhead.
// - Disturbed messages and rounds do not move medians: a third of the rounds is spoilt.
// - No parameter makes no sense: series whose differences are below 0.
// - The two ends of a measurement understand each other: two threads with messages that are copied,
//   each of which takes at least so long.
#include "measure/loggp.hpp"

#include <gtest/gtest.h>

#include <condition_variable>
#include <cstring>
#include <deque>
#include <mutex>
#include <thread>

#include "measure/network_probe.hpp"

namespace terrace::measure {
namespace {

/// As LogGP has it; a long message, which asks first, takes `asks` more.
MessageRound round_on(const LogGP& network, double asks = 0) {
  MessageRound round;
  const double one_way = network.L + 2 * network.o;
  round.round_trip = 2 * one_way;
  round.messages = 16;
  round.streamed = 15 * std::max(network.g, network.o) + round.round_trip;
  round.busy = 2 * network.o;
  for (const double bytes : {2.5e5, 4e5, 5e5, 7.5e5, 1e6})
    round.long_messages.push_back({bytes, asks + 2 * one_way + network.G * bytes});
  return round;
}

void expect_near(const LogGP& found, const LogGP& expected) {
  EXPECT_NEAR(found.L, expected.L, 1e-6 + 1e-6 * expected.L);
  EXPECT_NEAR(found.o, expected.o, 1e-6 + 1e-6 * expected.o);
  EXPECT_NEAR(found.g, expected.g, 1e-6 + 1e-6 * expected.g);
  EXPECT_NEAR(found.G, expected.G, 1e-6 + 1e-6 * expected.G);
}

TEST(LogGPParameters, are_those_of_the_network_that_the_series_come_from) {
  for (const LogGP& network : {LogGP{1200, 400, 900, 0.1}, LogGP{30000, 5000, 6000, 8},
                               LogGP{0, 150, 150, 0.25}, LogGP{700, 0, 300, 0}})
    for (const double asks : {0.0, 4000.0}) expect_near(loggp_of(round_on(network, asks)), network);
}

TEST(LogGPParameters, of_a_gap_below_the_overhead_show_the_overhead) {
  EXPECT_NEAR(loggp_of(round_on({1000, 400, 100, 0.1})).g, 400, 1e-6);
}

TEST(LogGPParameters, are_not_moved_by_disturbed_rounds) {
  const LogGP network{1200, 400, 900, 0.1};
  std::vector<LogGP> rounds;
  for (int i = 0; i < 90; ++i) {
    MessageRound round = round_on(network);
    if (i % 3 == 0) round.round_trip += 1e5, round.streamed += 3e6, round.busy += 1e5;
    round.long_messages[static_cast<std::size_t>(i) % 5].ns += 1e7;
    EXPECT_NEAR(loggp_of(round).G, 0.1, 1e-6);  // one message of five does not matter
    rounds.push_back(loggp_of(round));
  }
  const LogGPSummary all = summary_of(rounds);
  EXPECT_EQ(all.L.count, 90);
  EXPECT_NEAR(all.L.median, 1200, 1);
  EXPECT_NEAR(all.o.median, 400, 1);
  EXPECT_NEAR(all.g.median, 900, 1);
  EXPECT_NEAR(all.G.median, 0.1, 1e-4);
  EXPECT_LE(all.g.low, all.g.median);
  EXPECT_GE(all.g.high, all.g.median);
}

TEST(LogGPParameters, are_never_below_zero_and_make_half_a_round_trip) {
  MessageRound round = round_on({100, 400, 300, 0.1});
  round.busy *= 2;  // busier than the round trip leaves time for
  EXPECT_EQ(loggp_of(round).L, 0);
  EXPECT_NEAR(2 * loggp_of(round).o, round.round_trip / 2, 1e-6);
  round.busy = round.streamed = 0;
  for (LongMessage& message : round.long_messages) message.ns = 1e7 - message.bytes;
  const LogGP found = loggp_of(round);
  EXPECT_EQ(found.o, 0);
  EXPECT_EQ(found.g, 0);
  EXPECT_EQ(found.G, 0);
  EXPECT_NEAR(found.L, round.round_trip / 2, 1e-6);
}

/// What two ranks have sent each other and not received.
class Wire {
 public:
  void put(int to, MessageKind kind, const void* bytes, std::size_t count) {
    const std::lock_guard lock(mutex_);
    const auto* const first = static_cast<const std::byte*>(bytes);
    queues_[to][kind == MessageKind::word].emplace_back(first, first + count);
    changed_.notify_all();
  }
  /// False if it has not come in time.
  bool take(int to, MessageKind kind, void* bytes, std::size_t count,
            std::chrono::milliseconds patience) {
    std::unique_lock lock(mutex_);
    auto& queue = queues_[to][kind == MessageKind::word];
    if (!changed_.wait_for(lock, patience, [&] { return !queue.empty(); })) return false;
    EXPECT_EQ(queue.front().size(), count);
    std::memcpy(bytes, queue.front().data(), count);
    queue.pop_front();
    return true;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::vector<std::byte>> queues_[2][2];
};

constexpr std::size_t kEagerBytes = 4096;
constexpr double kNsPerByte = 1;

class ThreadMessages final : public MessageExchange {
 public:
  ThreadMessages(Wire& wire, int rank) : wire_(wire), rank_(rank) {}
  void send(int to, MessageKind kind, const void* bytes, std::size_t count) override {
    if (count > kEagerBytes)
      std::this_thread::sleep_for(
          std::chrono::nanoseconds(static_cast<long>(kNsPerByte * static_cast<double>(count))));
    wire_.put(to, kind, bytes, count);
  }
  void receive(int, MessageKind kind, void* bytes, std::size_t count) override {
    EXPECT_TRUE(wire_.take(rank_, kind, bytes, count, std::chrono::seconds(30)));
  }
  void receive_quietly(int from, MessageKind kind, void* bytes, std::size_t count) override {
    receive(from, kind, bytes, count);
  }
  bool begin_sending(int to, MessageKind kind, const void* bytes, std::size_t count,
                     std::chrono::nanoseconds) override {
    wire_.put(to, kind, bytes, count);
    return count <= kEagerBytes;
  }
  void end_sending() override {}

 private:
  Wire& wire_;
  int rank_;
};

TEST(NetworkProbe, measures_messages_that_threads_pass_on) {
  Wire wire;
  const std::atomic<bool> is_stopped{false};
  std::thread other([&] {
    ThreadMessages messages(wire, 1);
    answer_network(messages, 0);
  });
  ThreadMessages messages(wire, 0);
  const int partners[] = {1};
  const NetworkFindings found = measure_network(messages, partners, 0.01, is_stopped);
  end_network(messages, partners);
  other.join();
  EXPECT_EQ(found.eager, kEagerBytes);
  EXPECT_GE(found.loggp.L.count, 6);
  EXPECT_GT(found.loggp.L.median + 2 * found.loggp.o.median, 0);
  EXPECT_GT(found.loggp.G.median, 0.5 * kNsPerByte);
  EXPECT_LE(found.loggp.G.low, found.loggp.G.high);
}

TEST(NetworkProbe, does_nothing_once_it_is_stopped) {
  Wire wire;
  const std::atomic<bool> is_stopped{true};
  ThreadMessages messages(wire, 0);
  const int partners[] = {1};
  const NetworkFindings found = measure_network(messages, partners, 10, is_stopped);
  EXPECT_EQ(found.loggp.L.count, 0);
  EXPECT_FALSE(found.eager);
}

}  // namespace
}  // namespace terrace::measure
