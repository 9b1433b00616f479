// SPDX-License-Identifier: BSD-3-Clause
// Messages of plans, between any two ranks of a communicator on several nodes. As in a lane, each
// begins with a header that says in which call its sender is, and a rank that has waited for 50 ms
// asks the rank that it waits for.
//
//     short     | header, values |           one message of the MPI
//     long      | header |  | value |  ...   one for each; values are not copied
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "preload/nodes/lane.hpp"
#include "team/messenger.hpp"

namespace terrace::preload {

class PlanMessenger final : public Messenger {
 public:
  /// Over all ranks of the communicator, by their numbers in it. `stall_seconds` as of a lane.
  PlanMessenger(std::unique_ptr<LaneTransport> transport, double stall_seconds);
  ~PlanMessenger() override;
  PlanMessenger(const PlanMessenger&) = delete;
  PlanMessenger& operator=(const PlanMessenger&) = delete;

  // Functions as a lane has them.
  void report_to(LaneObserver* observer) { observer_ = observer; }
  void begin(const CallIdentity& identity);
  bool answer_inquiries();
  void compare_last_calls();

  // A failure is for good: what a call has begun cannot be given up.
  void send(Rank to, std::span<const MessageValue> values) noexcept override;
  void expect(Rank from, std::span<const MessageValue> places) noexcept override;
  MessageState look_for_expected() noexcept override;
  MessageState look_for_gone(std::uint32_t newest) noexcept override;

 private:
  /// Values of up to this many bytes in total travel in the header's message.
  static constexpr std::size_t kMostJoined = 4096;
  static constexpr std::size_t kSlotBytes = sizeof(MessageHeader) + kMostJoined;

  /// A message's parts: its header, with the values if they are joined; then long values.
  struct Parts {
    std::vector<std::byte> slot;
    std::vector<Transfer> transfers;
    Rank peer = 0;
  };
  /// The wait of this rank for one message.
  struct Wait {
    std::uint32_t looks = 0;
    std::uint64_t began_ns = 0, inquires_ns = 0, stalls_ns = 0;
  };

  static std::size_t bytes_of(std::span<const MessageValue> values);
  template <class Begin>
  void begin_long(std::span<const MessageValue> values, Parts& parts, Begin begin);
  /// Whether transfers from this one on are over.
  bool are_over(Parts& parts, std::size_t first);
  bool take_header();
  bool matches(const MessageHeader& theirs);
  void inquire(Rank peer);
  MessageState wait_for(Rank peer);
  MessageState end_wait();

  std::unique_ptr<LaneTransport> transport_;
  LaneObserver* observer_ = nullptr;
  double stall_seconds_;
  CallLog log_;
  bool has_failed_ = false;
  std::deque<Parts> sent_;   ///< that may not have gone
  std::vector<Parts> idle_;  ///< memory for the next ones
  Parts expected_;
  std::vector<MessageValue> places_;
  bool has_header_ = false;  ///< of the expected one
  Wait wait_;
  MessageHeader inquiry_;  ///< on its way
  Transfer inquiring_;
};

}  // namespace terrace::preload
