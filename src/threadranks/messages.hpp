// SPDX-License-Identifier: BSD-3-Clause
// Messages between two ranks: small ones go in the receiver's mailbox, long ones are copied once,
// by the receiver, from where the sender has them, very long ones by both together. Matching is
// MPI's: in the order in which messages were sent and receives posted.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <unordered_map>

#include "threadranks/datatype.hpp"
#include "threadranks/mailbox.hpp"

namespace terrace::threadranks {

inline constexpr int kAnySource = -1;
inline constexpr int kAnyTag = -2;
inline constexpr int kNobody = -3;

/// What came of a message or another request.
enum class Outcome : std::uint8_t { done, truncated, cancelled, failed };

struct Status {
  int source = kAnySource;
  int tag = kAnyTag;
  Outcome outcome = Outcome::done;
  std::uint64_t bytes = 0;
};

/// Bytes that both sides copy, piece by piece.
struct SharedCopy {
  const std::byte* from = nullptr;
  std::byte* to = nullptr;
  std::uint64_t bytes = 0;
  std::atomic<std::uint64_t> begun{0};  ///< pieces that somebody copies
  std::atomic<std::uint64_t> done{0};
};

/// A message that lies where the sender has it. Belongs to the sender's request and to the letter
/// that tells of it; a second letter asks for help.
struct Sending {
  enum class State : std::uint32_t { waiting, taken, done, cancelled };

  Layout layout;
  Mailbox* sender = nullptr;  ///< whom to ring when it has been copied
  std::atomic<State> state{State::waiting};
  std::atomic<int> references{2};
  SharedCopy together;

  /// Whether it may be copied now: it has not been cancelled.
  bool take() noexcept;
  /// Whether that came before anybody took it.
  bool cancel() noexcept;
  bool is_done() const noexcept;
  void release() noexcept;
  /// Copies pieces until none is left that nobody has begun.
  void copy_pieces() noexcept;
};

/// A message that is there.
struct Message {
  int source = 0;
  int tag = 0;
  LetterKind kind = LetterKind::whole;
  std::uint64_t bytes = 0;
  std::array<std::byte, kLetterBytes> whole;
  void* address = nullptr;

  explicit Message(const Letter& letter);
  Message(Message&& other) noexcept;
  Message& operator=(Message&&) = delete;
  ~Message();

  /// Whether a receive gets it. Once only; false: its sender has cancelled it.
  bool take();
  /// Puts it where it belongs, and tells the sender. After `take`.
  Status deliver(const Layout& to, Mailbox& receiver);

 private:
  void copy_together(Sending& sending, const Layout& to, std::uint64_t bytes);
};

/// A receive that waits for its message.
struct Receiving {
  int source = kAnySource;
  int tag = kAnyTag;
  Layout to;
  Status status;
  bool is_done = false;

  bool wants(int from, int its_tag) const {
    return (source == kAnySource || source == from) &&
           (tag == kAnyTag ? its_tag >= 0 : tag == its_tag);
  }
};

/// What has come and not been received, and what is to be received and has not come, of one
/// communicator at one rank.
class Channel {
 public:
  using Messages = std::list<Message>;

  /// Gets its message now if that is there, or waits for it in the order of calls.
  void receive(Receiving& receiving, Mailbox& own);
  void arrive(const Letter& letter, Mailbox& own);
  /// The first message that such a receive would get; end(): it is not there.
  Messages::iterator find(int source, int tag);
  Messages::iterator none() { return unexpected_.end(); }
  /// Takes it out, for a receive of that very message.
  void move_out(Messages::iterator message, Messages& to) {
    to.splice(to.end(), unexpected_, message);
  }
  /// Whether the receive was still waiting.
  bool withdraw(Receiving& receiving);
  bool is_empty() const { return posted_.empty() && unexpected_.empty(); }

 private:
  std::list<Receiving*> posted_;
  Messages unexpected_;
};

enum class SendMode : std::uint8_t {
  standard,     ///< returns when the buffer may be used again
  buffered,     ///< copies, however long
  synchronous,  ///< is done when the receive has begun
};

/// Where a message goes.
struct Address {
  Mailbox* mailbox = nullptr;
  std::uint32_t context = 0;
  int source = 0;  ///< the sender's rank in that communicator
  int tag = 0;
};

/// Sends. Null: the message is on its way, and the buffer may be used again; otherwise it lies in
/// the buffer until the sending is done. `may_copy`: rather copy a message of middle length than
/// let the caller wait for its receiver.
Sending* send(const Address& address, const Layout& from, SendMode mode, Mailbox& sender,
              bool may_copy);

/// The messages of one rank: its mailbox, and its channels by context.
class Messages {
 public:
  Mailbox& mailbox() { return mailbox_; }
  Channel& channel(std::uint32_t context) { return channels_[context]; }
  void forget(std::uint32_t context);
  /// Takes what has come.
  void progress() {
    mailbox_.take_all([this](const Letter& letter) { take(letter); });
  }

 private:
  void take(const Letter& letter);

  Mailbox mailbox_;
  std::unordered_map<std::uint32_t, Channel> channels_;
};

}  // namespace terrace::threadranks
