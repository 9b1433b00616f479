// SPDX-License-Identifier: BSD-3-Clause
// A lane: ranks of different nodes that talk to each other for their nodes. Lane p has the p-th
// rank of each node. Each message begins with a header that says in which call its sender is, so
// a rank compares calls with each rank that it hears from before it gives the program anything.
//
//     node 0   node 1   node 2        messages of an allreduce, header and payload together
//     rank 0   rank 1   rank 2  lane 0     node 0 <--> node 1
//     rank 3   rank 4   rank 5  lane 1     node 2 ---> node 0,  node 2 <--- node 0 (the sum)
//
// Ranks whose calls differ may wait for each other for ever. So a rank that has waited for 50 ms
// sends its header alone, as an inquiry, to the rank that it waits for. A waiting rank compares
// each inquiry with its own call, and ends the job with both calls if they differ.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/handles.hpp"
#include "engine/team_endpoint.hpp"
#include "preload/nodes/call_log.hpp"
#include "team/call_identity.hpp"

namespace terrace::preload {

/// A message on its way.
struct Transfer {
  static constexpr std::uint32_t kWhole = UINT32_MAX;
  Handle request = 0;
  std::uint32_t pieces = kWhole;  ///< the transport's number of a message that is cut
  bool is_over = true;
};

/// Carries messages between the ranks of a lane, in order for each pair. False: refused.
class LaneTransport {
 public:
  virtual ~LaneTransport() = default;
  virtual Rank rank_count() const = 0;
  virtual Rank rank() const = 0;
  /// Buffers must stay as they are until the transfer is over.
  virtual bool begin_send(const void* bytes, std::size_t count, Rank to, Transfer& transfer) = 0;
  /// `most`: a message may be shorter, but not longer.
  virtual bool begin_receive(void* bytes, std::size_t most, Rank from, Transfer& transfer) = 0;
  /// Looks whether a transfer that is not over is over now.
  virtual bool look(Transfer& transfer) = 0;
  /// Whether a message has come that no `begin_receive` waits for, which is then in `bytes`.
  virtual bool take_unexpected(void* bytes, std::size_t most) = 0;
  // Inquiries overtake messages.
  virtual bool begin_inquiry(const void* bytes, std::size_t count, Rank to, Transfer& transfer) = 0;
  /// Whether an inquiry has come, which is then in `bytes`.
  virtual bool take_inquiry(void* bytes, std::size_t count) = 0;
};

/// The owner of a lane as the lane sees it: what it is told, and asked.
class LaneObserver {
 public:
  virtual ~LaneObserver() = default;
  /// A rank of the lane makes another call than this rank, which gives its call up.
  virtual void mismatched(Rank peer, const CallIdentity& mine, const CallIdentity& theirs) = 0;
  /// This rank has waited for `seconds`; called again each time that has doubled.
  virtual void stalled(Rank peer, double seconds) = 0;
  /// This rank waits long, and ranks that it does not wait for may ask for its call elsewhere.
  virtual void waits_long() {}
  virtual std::uint64_t now_ns() = 0;
  virtual void yield() = 0;
};

class Lane {
 public:
  /// The observer must outlive the calls. `stall_seconds`: 0 or infinite: never.
  Lane(std::unique_ptr<LaneTransport> transport, double stall_seconds);
  ~Lane();
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  Rank rank_count() const { return transport_->rank_count(); }
  Rank rank() const { return transport_->rank(); }
  /// Null: of none, while it is in no use.
  void report_to(LaneObserver* observer) { observer_ = observer; }

  /// The next call begins on all ranks of the lane, whether or not they talk in it.
  void begin(const CallIdentity& identity);
  std::uint64_t calls() const { return log_.calls(); }
  /// Compares the inquiries that have come. False: one does not match, which the observer has been
  /// told.
  bool answer_inquiries();
  /// After the last call of a communicator: a message that has come is of a call that this rank has
  /// not made, and is told to the observer.
  void compare_last_calls();

  // Collectives of the lane's ranks, by their numbers in it. False: the transport refused, or the
  // calls do not match, which the observer has been told.
  bool barrier();
  bool bcast(void* bytes, std::size_t count, Rank root);
  /// Reduces by an operator that commutes. `sum` holds this rank's operand, and then the result at
  /// `root`; elsewhere it is overwritten.
  bool reduce(void* sum, const Elements& elements, Rank root);
  /// Reduces to the same bits on all ranks.
  bool allreduce(void* sum, const Elements& elements);
  // Blocks by rank of the lane. This rank's own among them is not touched. An empty block takes a
  // header only.
  bool gather(const Block& own, std::span<const Block> all, Rank root);
  bool scatter(std::span<const Block> all, const Block& own, Rank root);
  bool move_in_pairs(std::span<const Block> out, std::span<const Block> in);

 private:
  using Header = MessageHeader;
  struct Outgoing {
    Rank to;
    const void* bytes = nullptr;
    std::size_t count = 0;
  };
  struct Incoming {
    Rank from;
    void* bytes = nullptr;
    std::size_t count = 0;
  };
  /// A payload of up to this many bytes travels in the header's message.
  static constexpr std::size_t kMostJoined = 4096;
  static constexpr std::size_t kSlotBytes = sizeof(Header) + kMostJoined;

  bool talk(std::span<const Outgoing> out, std::span<const Incoming> in);
  bool begin_all(std::span<const Outgoing> out, std::span<const Incoming> in);
  bool wait(std::span<const Incoming> in);
  bool take(const Incoming& one, std::size_t index);
  bool matches(const Header& theirs);
  void inquire(Rank peer);
  void combine(const void* lower, const void* upper, void* sum, const Elements& elements);

  std::unique_ptr<LaneTransport> transport_;
  LaneObserver* observer_ = nullptr;
  double stall_seconds_;
  CallLog log_;
  std::vector<std::byte> slots_;     ///< headers with joined payloads
  std::vector<Transfer> transfers_;  ///< two for each message: what is joined, and a long payload
  std::vector<Rank> peers_;          ///< of each message
  std::vector<std::byte> operand_;   ///< that has come to be combined
  Header inquiry_;                   ///< on its way
  Transfer inquiring_;
};

}  // namespace terrace::preload
