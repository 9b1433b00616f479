// SPDX-License-Identifier: BSD-3-Clause
// Match queues: a communicator's posted receives and unexpected messages, matched in MPI's order,
// in which messages were sent and receives posted. Small messages go into the receiver's mailbox;
// the receiver copies long ones once, from the sender's buffer; both copy very long ones together.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <unordered_map>

#include "base/rank.hpp"
#include "threadranks/handles/free_lists.hpp"
#include "threadranks/matching/mailbox.hpp"
#include "threadranks/types/datatype.hpp"

namespace terrace::threadranks {

inline constexpr int kAnySource = -1;
inline constexpr int kAnyTag = -2;
inline constexpr int kProcNull = -3;

/// The outcome of a message or another request.
enum class Completion : std::uint8_t {
  done,
  truncated,
  cancelled,
  no_memory,
  not_attached  ///< a one-sided call, for memory that the dynamic window does not have
};

struct Status {
  int source = kAnySource;
  int tag = kAnyTag;
  Completion outcome = Completion::done;
  std::uint64_t bytes = 0;
};

/// Bytes that both sides copy, piece by piece.
struct SharedCopy {
  const std::byte* from = nullptr;
  std::byte* to = nullptr;
  std::uint64_t bytes = 0;
  std::uint64_t piece_bytes = 1;
  std::atomic<std::uint64_t> begun{0};  ///< pieces that one side has begun to copy
  std::atomic<std::uint64_t> done{0};
};

/// A message that lies in the sender's buffer, or in a copy that the sender has left. Owned by the
/// sender's request and by the envelope that announces it; a second envelope asks for help.
struct RendezvousSend {
  enum class State : std::uint32_t { waiting, left, taken, cancelled };

  Layout layout;
  Mailbox* sender = nullptr;  ///< to wake when the message has been copied
  bool may_buffer = false;    ///< the sender must not wait long for the receiver
  // The rest is for a message to another process:
  int process = -1;            ///< the receiver's; negative: this one
  Rank to = 0;                 ///< the receiver's rank in the job
  std::uint32_t context = 0;   ///< of the communicator
  bool asks_back = false;      ///< the sender wants to cancel it
  std::byte* copy = nullptr;   ///< once it is left
  bool was_left = false;       ///< set when it is taken, for the taker
  bool was_cancelled = false;  ///< the sender's
  std::atomic<State> state{State::waiting};
  std::atomic<int> references{2};
  /// On its own line, since the sender polls it while the receiver works above.
  alignas(kLinePairBytes) std::atomic<bool> is_read{false};
  alignas(kLinePairBytes) SharedCopy together;

  RendezvousSend() = default;
  ~RendezvousSend();
  RendezvousSend(const RendezvousSend&) = delete;
  RendezvousSend& operator=(const RendezvousSend&) = delete;
  static void* operator new(std::size_t bytes) {
    return take_from<&FreeListsOfRank::sendings>(bytes);
  }
  static void operator delete(void* block) { give_to<&FreeListsOfRank::sendings>(block); }

  /// Whether the receiver may copy it now: it has not been cancelled.
  bool take() noexcept;
  /// Called by the sender: puts a copy in its place, so that the sender may reuse its buffer and
  /// forget this rendezvous send. False: a receiver has taken it already, or there is no memory.
  bool buffer_send() noexcept;
  /// Called by the sender; whether it came before any receiver took the message.
  bool cancel() noexcept;
  bool is_cancelled() const noexcept {
    // relaxed: nothing else is read then. Partners: the exchange in `cancel`, and of a message to
    // another process the store in `ProcessNetwork::end`, seen by who has seen `is_read`.
    return state.load(std::memory_order_relaxed) == State::cancelled;
  }
  /// The sender's question, once it is done.
  bool has_been_cancelled() const noexcept {
    return was_cancelled || (process >= 0 && is_cancelled());
  }
  bool is_done() const noexcept {
    // acquire: pairs with the release in `deliver`; the buffer has been read.
    return was_cancelled || is_read.load(std::memory_order_acquire);
  }
  void release() noexcept;
  /// Copies pieces until all have been begun.
  void copy_pieces() noexcept;
};

/// A message that has arrived.
struct ArrivedMessage {
  int source = 0;
  int tag = 0;
  Protocol kind = Protocol::eager;
  std::uint64_t bytes = 0;
  std::array<std::byte, kEnvelopeBytes> whole;
  void* address = nullptr;

  explicit ArrivedMessage(const Envelope& envelope);
  ArrivedMessage(ArrivedMessage&& other) noexcept;
  ArrivedMessage& operator=(ArrivedMessage&&) = delete;
  ~ArrivedMessage();

  /// Whether its sender has cancelled it by now.
  bool is_cancelled() const;
  /// Whether a receive gets the message. Call it once; false: its sender has cancelled it.
  bool take();
  /// Copies it to its destination, and tells the sender. After `take`.
  Status deliver(const Layout& to, Mailbox& receiver);
  /// Delivers it in memory that the receiver owns from now on: the sender's memory, or a new copy.
  /// After `take`. `room`: the number of bytes expected.
  Status hand_over(std::uint64_t room, void*& memory, Mailbox& receiver);

 private:
  [[gnu::cold]] void free_address() noexcept;
  /// The memory that came with the message; null if none did.
  void* take_memory();
  void copy_together(RendezvousSend& sending, const Layout& to, std::uint64_t bytes);
};

/// A message in another process, which keeps it for its receiver; the number is its sender's.
struct RemoteSend {
  int process = 0;
  std::uint64_t number = 0;

  bool operator==(const RemoteSend&) const = default;
};

/// The outcome of a message that lies in its envelope.
Status deliver_eager(const Envelope& envelope, const Layout& to);

/// Whether a receive from `source` with `tag`, either of which may be a wildcard, matches a
/// message.
inline bool matches(int source, int tag, int message_source, int message_tag) {
  return (source == kAnySource || source == message_source) &&
         (tag == kAnyTag ? message_tag >= 0 : tag == message_tag);
}

/// A posted receive that waits for its message.
struct PostedRecv {
  int source = kAnySource;
  int tag = kAnyTag;
  Layout to;
  void** memory = nullptr;  ///< of MPIX_Take: receives the message's address; `to` has no place
  Status status;
  bool is_done = false;
  bool is_landing = false;       ///< has its message, which is on its way from another process
  PostedRecv* before = nullptr;  ///< in its queues
  PostedRecv* behind = nullptr;

  bool wants(int from, int its_tag) const { return matches(source, tag, from, its_tag); }
};

/// A message on its way from another process. Belongs to the receive that has it.
struct Landing {
  Landing(PostedRecv& its_receiving, Mailbox& its_own, const Status& its_status)
      : receiving(its_receiving), own(its_own), status(its_status) {}
  virtual ~Landing() = default;
  Landing(const Landing&) = delete;
  Landing& operator=(const Landing&) = delete;
  /// Called by the receiving rank, when the bytes are there.
  void finish();

  PostedRecv& receiving;
  Mailbox& own;
  Status status;
  std::unique_ptr<std::byte[]> packed;  ///< if they must be unpacked
  void* memory = nullptr;               ///< of MPIX_Take
};

/// The unexpected messages and posted receives of one communicator at one rank.
class MatchQueues {
 public:
  using Arrived =
      std::list<ArrivedMessage, FreeListAllocator<ArrivedMessage, &FreeListsOfRank::unexpected>>;

  /// Matches a message that has arrived, or posts the receive, in the order of calls.
  void receive(PostedRecv& receiving, Mailbox& own);
  void arrive(const Envelope& envelope, Mailbox& own);
  /// The first message that such a receive would match; end(): none has arrived.
  Arrived::iterator find(int source, int tag);
  Arrived::iterator none() { return unexpected_.end(); }
  void forget(Arrived::iterator message) { unexpected_.erase(message); }
  /// Removes it from the queue, for a receive of exactly that message.
  void move_out(Arrived::iterator message, Arrived& to) {
    to.splice(to.end(), unexpected_, message);
  }
  /// Whether the receive was still posted.
  bool withdraw(PostedRecv& receiving);
  /// Gives the message to that receive, which is posted nowhere. After `take`.
  static void deliver(ArrivedMessage& message, PostedRecv& receiving, Mailbox& own);
  /// Drops that message if no receive has it yet; whether it did.
  bool drop(const RemoteSend& cancelled);
  bool has_posted() const { return first_posted_ != nullptr; }
  bool is_empty() const { return first_posted_ == nullptr && unexpected_.empty(); }

 private:
  [[gnu::noinline]] void arrive_unexpected(const Envelope& envelope);
  /// A message that does not lie in its envelope, or is to be handed over.
  [[gnu::noinline]] void arrive_longer(const Envelope& envelope, PostedRecv& wanting, Mailbox& own);
  void post(PostedRecv& receiving);
  void unpost(PostedRecv& receiving);

  PostedRecv* first_posted_ = nullptr;  ///< in the order of calls
  PostedRecv* last_posted_ = nullptr;
  Arrived unexpected_;
};

enum class SendMode : std::uint8_t {
  standard,     ///< returns when the buffer may be used again
  buffered,     ///< always copies, whatever the length
  synchronous,  ///< completes when the receive has begun
};

/// The destination of a message.
struct Address {
  Mailbox* mailbox = nullptr;  ///< null: the destination is in another process
  std::uint32_t context = 0;
  int source = 0;  ///< the sender's rank in that communicator
  int tag = 0;
  Rank to = 0;  ///< the destination's rank in the job
};

/// The way to ranks in other processes, in which messages are matched as well.
class MessageNetwork {
 public:
  /// Sends as `threadranks::send` does, to a rank of another process.
  virtual RendezvousSend* send(const Address& address, const Layout& from, SendMode mode,
                               Mailbox& sender) = 0;
  virtual void give(const Address& address, void* memory, std::uint64_t bytes) = 0;
  /// Asks for a message for that receive, which is done some time after.
  virtual void fetch(const RemoteSend& sending, std::uint64_t bytes, const Status& status,
                     PostedRecv& receiving, Mailbox& own) = 0;
  /// Tries to cancel a message: it ends as cancelled, or as received.
  virtual void ask_back(RendezvousSend& sending) = 0;
  /// The answer, where no receive has had it.
  virtual void tell_cancelled(const RemoteSend& sending) = 0;

 protected:
  ~MessageNetwork() = default;
};

/// Sends. Null: the message is on its way, and the buffer may be used again; otherwise it lies in
/// the buffer until the rendezvous send is done, or a copy is left. `may_copy`: copies a message of
/// middle length rather than let the caller wait long for its receiver.
RendezvousSend* send(const Address& address, const Layout& from, SendMode mode, Mailbox& sender,
                     bool may_copy);

/// Sends memory from malloc with a message in it; the receiver owns it from now on.
void give(const Address& address, void* memory, std::uint64_t bytes, Mailbox& sender);

/// The messages of one rank: its mailbox, and its match queues by context.
class RankMessages {
 public:
  Mailbox& mailbox() { return mailbox_; }
  bool has_network() const { return mailbox_.network != nullptr; }
  MatchQueues& match_queues(std::uint32_t context) {
    if (recent_ == nullptr || recent_context_ != context) {
      recent_ = &match_queues_[context];
      recent_context_ = context;
    }
    return *recent_;
  }
  void forget(std::uint32_t context);
  bool has_posted_receives() const {
    return std::any_of(match_queues_.begin(), match_queues_.end(),
                       [](const auto& queues) { return queues.second.has_posted(); });
  }
  /// Drops all messages that have not been received.
  void forget_all() {
    recent_ = nullptr;
    match_queues_.clear();
  }
  /// Takes in arrived envelopes.
  void progress() {
    mailbox_.take_all([this](const Envelope& envelope) { take(envelope); });
  }
  /// Makes progress until that receive has its message: later ones stay in the mailbox, from where
  /// they go straight to their own receives.
  void progress_until_done(const PostedRecv& receiving) {
    mailbox_.take_until([&] { return receiving.is_done; },
                        [this](const Envelope& envelope) { take(envelope); });
  }

 private:
  void take(const Envelope& envelope);

  Mailbox mailbox_;
  std::unordered_map<std::uint32_t, MatchQueues> match_queues_;
  MatchQueues* recent_ = nullptr;  ///< the last one looked up
  std::uint32_t recent_context_ = 0;
};

}  // namespace terrace::threadranks
