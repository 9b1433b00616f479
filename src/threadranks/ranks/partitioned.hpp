// SPDX-License-Identifier: BSD-3-Clause
// Partitioned messages (MPI 4.0, chapter 4): threads hand over a message's partitions one by one,
// without a lock. Both sides meet once, when they are initialized. A partition is copied by the
// thread that declares it ready, or, if that comes first, by the receiver when it starts.
//
//     sender                   PartitionedTransfer              receiver
//     MPI_Psend_init  ----- address, as a message -----------> MPI_Precv_init
//     MPI_Start                                                 MPI_Start: round 1 is awaited
//     MPI_Pready(2)   partition 2: ready, claimed, copied ---> buffer;  MPI_Parrived(2): yes
//     MPI_Pready(0)   partition 0: ready, claimed, copied ---> buffer
//
// Traffic: each byte is copied once; each partition has one word. The two sides may have different
// numbers of partitions and different types. Where a sender's partition does not end where an
// element of the receiver ends, the message is copied whole, when all of it is ready.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "threadranks/matching/match_queues.hpp"

namespace terrace::threadranks {

class Communicator;

/// A message of equal partitions, as one side sees it: `layout` is of all of them.
struct Partitions {
  Layout layout;
  std::size_t count = 0;

  /// Elements per partition.
  std::size_t elements() const { return count != 0 ? layout.count / count : 0; }
  std::size_t bytes_each() const { return elements() * layout.type->size(); }
};

/// State that a sender and a receiver share. Rounds are counted from 1 on both sides.
class PartitionedTransfer {
 public:
  PartitionedTransfer(const Partitions& from, Mailbox& sender);

  /// Called by a thread of the sender. False: it was ready already in this round.
  bool declare_ready(std::size_t partition, std::uint64_t round);
  /// Called by the receiver, once, before its first round.
  void attach(const Partitions& to, Mailbox& receiver);
  /// Called by the receiver: its buffer may be written from now on.
  void await_round(std::uint64_t round);

  bool is_over(std::uint64_t round) const {
    // acquire: pairs with the release in `count_copied`; the partitions are in the buffer.
    return copied_.load(std::memory_order_acquire) >= round * from_.count;
  }
  /// Whether one of the receiver's partitions has been copied.
  bool has_arrived(std::size_t partition, std::uint64_t round) const;
  bool is_too_long() const { return is_too_long_; }
  std::uint64_t bytes() const { return bytes_; }

 private:
  // A partition's word in round r: 3 (r - 1) as the round before has left it, then ready, then
  // claimed by the thread that copies it, and 3 r when it has been copied.
  static std::uint64_t ready_in(std::uint64_t round) { return 3 * round - 2; }
  static std::uint64_t copied_in(std::uint64_t round) { return 3 * round; }
  void copy_whole_if_ready(std::uint64_t round);
  void copy_if_ready(std::size_t partition, std::uint64_t round);
  void count_copied(std::size_t partitions, std::uint64_t round);

  const Partitions from_;  ///< whose type may be gone when a round is over
  const std::uint64_t bytes_;
  const std::size_t bytes_each_;
  Mailbox& sender_;
  // Set when the receiver attaches, and published by the round that it awaits first.
  Partitions to_;
  Mailbox* receiver_ = nullptr;
  bool is_whole_ = false;     ///< copied as one
  bool is_too_long_ = false;  ///< for the receiver's buffer

  std::vector<std::atomic<std::uint64_t>> words_;  ///< by the sender's partition
  std::atomic<std::uint64_t> ready_{0};            ///< partitions so far, in all rounds
  std::atomic<std::uint64_t> whole_rounds_claimed_{0};
  alignas(kLinePairBytes) std::atomic<std::uint64_t> awaited_{0};  ///< the receiver's round
  alignas(kLinePairBytes) std::atomic<std::uint64_t> copied_{0};   ///< partitions, in all rounds
};

/// The meeting at which a receiver waits for its sender's message, which brings the transfer. It
/// may outlive the receiver: senders and receivers meet in the order in which both were
/// initialized, and so those that are freed before they meet must.
struct PartitionedMeeting {
  PostedRecv receiving;
  std::shared_ptr<PartitionedTransfer>* brought = nullptr;

  PartitionedMeeting() = default;
  ~PartitionedMeeting() { delete brought; }
  PartitionedMeeting(const PartitionedMeeting&) = delete;
  PartitionedMeeting& operator=(const PartitionedMeeting&) = delete;
};

/// One side of a partitioned message, of a request. Between processes a message travels whole, when
/// all partitions are ready, and is matched when it is started.
class PartitionedSide {
 public:
  static std::unique_ptr<PartitionedSide> sender(Communicator& communicator, int to, int tag,
                                                 const Partitions& from);
  static std::unique_ptr<PartitionedSide> receiver(Communicator& communicator, int from, int tag,
                                                   const Partitions& to);
  ~PartitionedSide();
  PartitionedSide(const PartitionedSide&) = delete;
  PartitionedSide& operator=(const PartitionedSide&) = delete;

  bool is_sender() const { return is_sender_; }
  std::size_t partitions() const { return partitions_.count; }
  /// Called by the rank, as all but `declare_ready`.
  void start();
  bool is_over();
  Status outcome() const;
  /// Whether the receiver's partition has arrived; any thread may ask, with the rank's lock.
  bool has_arrived(std::size_t partition);
  /// Called by a receiver's rank until it is true: the receiver has met its sender.
  bool attach_if_matched();
  /// Called by any thread of the sender, without a lock. False: it was ready already.
  bool declare_ready(std::size_t partition);

 private:
  PartitionedSide(Communicator& communicator, int peer, int tag, const Partitions& partitions,
                  bool is_sender);
  bool is_nowhere() const { return peer_ == kProcNull; }
  bool is_attached() const { return transfer_ != nullptr; }
  Address address() const;
  MatchQueues& match_queues() const;
  void send_whole();

  Communicator& communicator_;
  const int peer_, tag_;
  const Partitions partitions_;
  const bool is_sender_;
  bool is_remote_ = false;  ///< the other side is in another process
  std::uint64_t round_ = 0;
  std::shared_ptr<PartitionedTransfer> transfer_;  ///< null: not matched yet, or remote
  std::unique_ptr<PartitionedMeeting> meeting_;    ///< a receiver's, until it has met its sender
  // State of remote rounds:
  PostedRecv receiving_;
  RendezvousSend* sending_ = nullptr;
  std::atomic<std::uint64_t> ready_{0};
  std::atomic<bool> is_sent_{false};
};

}  // namespace terrace::threadranks
