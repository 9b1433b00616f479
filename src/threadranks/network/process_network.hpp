// SPDX-License-Identifier: BSD-3-Clause
// Messages between the processes of a job, over a transport that the launcher brings. Only packets
// and bytes cross; they are matched by the receiving rank, like all others, in its mailbox.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "threadranks/matching/eager_limits.hpp"
#include "threadranks/matching/match_queues.hpp"
#include "threadranks/network/network_helper.hpp"
#include "threadranks/rank_abi.h"

namespace terrace::threadranks {

/// Bytes from another process that have been asked for.
struct Arrival {
  virtual ~Arrival() = default;
  /// They are there. Called by the rank that drives; the arrival looks after itself from then on.
  virtual void arrive() = 0;

  std::byte* at = nullptr;  ///< where the bytes arrive
  std::uint64_t bytes = 0;
};

/// A message's bytes, which go to the receive that has the message.
struct MessageArrival final : Arrival, Landing {
  using Landing::Landing;
  void arrive() override;
};

/// Carries out what ranks of other processes want of this one without the help of a certain rank.
class RemoteCalls {
 public:
  virtual ~RemoteCalls() = default;
  /// Called by the rank that drives, or the helper: it must not wait, and may post calls itself.
  virtual void take(int process, const std::byte* call, std::size_t bytes) = 0;
};

/// The processes of a job, and the way to them.
class ProcessNetwork final : public MessageNetwork {
 public:
  enum class PacketKind : std::uint32_t {
    message,    ///< with its bytes
    announced,  ///< a message that its sender keeps
    wanted,     ///< its receiver is ready for so many bytes
    cancel,     ///< its sender wants it back
    cancelled,  ///< its receiver has dropped it
    call,       ///< for `remote_calls`
    left,       ///< all ranks of the process have ended; the tag tells whether they had begun
  };
  /// A packet without its payload, as it crosses from process to process.
  struct PacketHeading {
    EnvelopeHeading envelope;
    PacketKind kind = PacketKind::message;
    Rank to = 0;                ///< the receiver's rank in the job
    int process = 0;            ///< that the packet is from
    std::uint64_t sending = 0;  ///< its sender's number of a message that is kept
  };

  ProcessNetwork(const terrace_ranks_settings& settings, std::vector<Mailbox*> mailboxes);
  ~ProcessNetwork();
  ProcessNetwork(const ProcessNetwork&) = delete;
  ProcessNetwork& operator=(const ProcessNetwork&) = delete;

  RendezvousSend* send(const Address& address, const Layout& from, SendMode mode,
                       Mailbox& sender) override;
  void give(const Address& address, void* memory, std::uint64_t bytes) override;
  void fetch(const RemoteSend& sending, std::uint64_t bytes, const Status& status,
             PostedRecv& receiving, Mailbox& own) override;
  void ask_back(RendezvousSend& sending) override;
  void tell_cancelled(const RemoteSend& sending) override;

  /// Sends a call of `bytes` bytes, kMostEagerBetweenProcesses at most, which `write(place)` fills
  /// in. Calls from one process to another are taken in their order. The receive of an arrival is
  /// posted before.
  template <class Write>
  void call(int process, std::size_t bytes, Write&& write,
            std::unique_ptr<Arrival> arrival = nullptr) {
    PacketPointer packet = packet_for(PacketKind::call, {}, bytes, bytes);
    write(packet->payload());
    post(process, std::move(packet), std::move(arrival));
  }
  /// Sends bytes to a process that asked for them by a call with an arrival. Called while that call
  /// is taken; `then()` runs when the buffer may be reused.
  void send_bytes(int process, const std::byte* from, std::uint64_t bytes,
                  std::function<void()> then);
  RemoteCalls* remote_calls = nullptr;

  /// Moves what can be moved, for all ranks of the process; returns at once where another rank is
  /// at it.
  void drive() noexcept;
  /// A thread drives where no rank has for a while, as long as `need_helper` was called more often
  /// than `need_no_helper`.
  void need_helper();
  void need_no_helper();
  // Functions for the helper:
  /// Whether a rank, or the helper, has driven since the last question; `seen` is for the next one.
  bool has_been_driven(std::uint32_t& seen) const;
  /// Drives until all processes have been asked. Whether packets had come, or bytes are on their
  /// way.
  bool finds_something();

  /// When all ranks of this process have left: returns when all of the other processes have.
  /// `has_begun`: some rank has called MPI_Init.
  void disconnect(bool has_begun);
  /// A process whose ranks have ended without MPI_Init; negative: none so far.
  int absent_process() const noexcept {
    // seq_cst: of a rank that begins and the end of a process, one sees the other. Partners: the
    // stores in `take` and `RankState::begin`.
    return absent_.load();
  }
  /// Called when a process's end without MPI_Init has come.
  std::atomic<bool>* has_begun_here = nullptr;

 private:
  struct Packet : PacketHeading {
    std::byte* payload() { return reinterpret_cast<std::byte*>(this + 1); }
  };
  struct FreePacket {
    void operator()(Packet* packet) const noexcept { ::operator delete(packet); }
  };
  using PacketPointer = std::unique_ptr<Packet, FreePacket>;

  /// An order of a rank to move something. An arrival's receive is posted before its packet goes.
  struct Order {
    int process = 0;
    PacketPointer packet;
    std::unique_ptr<Arrival> arrival;
  };
  struct PacketOnItsWay {
    PacketPointer packet;
    terrace_ranks_request request{};
  };
  /// Bytes that move from or into a buffer.
  struct Transfer {
    RendezvousSend* sending = nullptr;
    std::unique_ptr<Arrival> arrival;
    std::function<void()> then;  ///< of bytes that a call has asked for
    std::unique_ptr<std::byte[]> packed;
    std::vector<terrace_ranks_request> pieces;
    std::size_t over = 0;  ///< of them, from the first on
  };
  struct Incoming {
    PacketPointer packet;
    terrace_ranks_request request{};
  };
  /// The receives that are posted for packets of one process.
  struct PacketsFrom {
    int process = 0;
    std::vector<Incoming> receives;
    std::size_t next = 0;  ///< the one that was posted first
  };

  static PacketPointer new_packet(PacketKind kind, std::size_t payload_bytes);
  static std::size_t bytes_of(const Packet& packet);
  PacketPointer packet_for(PacketKind kind, const Address& address, std::uint64_t bytes,
                           std::size_t payload_bytes) const;
  int process_of(Rank rank) const { return process_of_[rank]; }
  RendezvousSend* announce(const Address& address, const Layout& from, Mailbox* sender);
  void post(int process, PacketPointer packet, std::unique_ptr<Arrival> arrival = nullptr);

  // Used by the thread that drives.
  void issue_orders();
  void take_packets();
  void take(Packet& packet);
  void put_in_mailbox(Packet& packet);
  void begin_sending(RendezvousSend& sending, std::uint64_t bytes);
  void begin_arrival(int process, std::unique_ptr<Arrival> arrival);
  void end(RendezvousSend& sending, bool is_cancelled);
  void end_transfers();
  bool is_over(Transfer& transfer);
  void add_pieces(Transfer& transfer, int process, std::byte* at, std::uint64_t bytes);
  void take_packets_of(PacketsFrom& from);
  void post_receive(int process, Incoming& incoming);
  bool is_quiet();
  void note_absent(int process);

  const terrace_ranks_transport transport_;
  const int process_;
  const int process_count_;
  std::vector<int> process_of_;      ///< by rank in the job
  std::vector<Mailbox*> mailboxes_;  ///< likewise; null elsewhere
  void (*abort_)(int rank, int code, const char* why);
  int first_rank_ = 0;

  std::mutex mutex_;
  std::vector<Order> orders_;
  std::atomic<bool> has_orders_{false};
  std::atomic<bool> is_driven_{false};  ///< some rank has what follows for itself
  std::vector<Order> issued_;
  std::deque<PacketOnItsWay> packets_;
  std::vector<Transfer> transfers_;
  std::vector<PacketsFrom> incoming_;  ///< of the other processes
  std::size_t next_asked_ = 0;         ///< the one of them that is looked at next
  int left_ = 0;                       ///< processes whose ranks have ended
  std::atomic<int> absent_{-1};

  std::atomic<std::uint32_t> drives_{0};  ///< for the helper
  std::atomic<std::uint32_t> taken_{0};   ///< packets, likewise
  std::atomic<bool> moves_bytes_{false};  ///< long messages, likewise
  std::mutex helper_mutex_;
  std::unique_ptr<NetworkHelper> helper_;
};

}  // namespace terrace::threadranks
