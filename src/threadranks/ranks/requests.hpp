// SPDX-License-Identifier: BSD-3-Clause
// Requests: pending messages and collectives, and persistent ones.
#pragma once

#include <cstddef>
#include <memory>

#include "threadranks/matching/match_queues.hpp"
#include "threadranks/ranks/communicator.hpp"
#include "threadranks/ranks/partitioned.hpp"

namespace terrace::threadranks {

/// A generalized request, which the program completes; the adapter knows its functions.
class GeneralizedRequest {
 public:
  virtual ~GeneralizedRequest() = default;
  /// The error of the program's function; 0: none.
  virtual int cancel() = 0;
  bool is_complete = false;
};

/// A copy of the program's buffer, with which a request works instead of the buffer.
class BufferCopy {
 public:
  virtual ~BufferCopy() = default;
  /// Copies the buffer, before a persistent request starts.
  virtual void read() = 0;
  /// Copies what the request has written into the buffer.
  virtual void write_back() = 0;
  std::unique_ptr<BufferCopy> next;  ///< of the request's other buffer
};

struct Request;

/// Parts that most requests for messages do not have.
struct ColdRequestParts {
  std::shared_ptr<Operation> operation;
  std::shared_ptr<void> kept;  ///< of a one-sided call its RemoteProgress
  std::unique_ptr<GeneralizedRequest> general;
  std::unique_ptr<PartitionedSide> partitioned;
  std::unique_ptr<Request> also;      ///< a send that completes together with this receive
  std::unique_ptr<std::byte[]> copy;  ///< the copy that a send reads
  std::unique_ptr<BufferCopy> copies;
  bool has_written_back = false;
};

struct Request : Numbered<ObjectKind::request> {
  enum class Kind : std::uint8_t {
    nothing,
    send,
    receive,
    collective,
    general,
    partitioned,
    one_sided
  };

  Kind kind = Kind::nothing;
  bool is_persistent = false;
  bool is_active = false;
  /// Whether this is the request of all sends which were over at once: always active, never freed.
  bool is_shared = false;
  SendMode mode = SendMode::standard;
  KeptCommunicator communicator;  ///< which the program may free before the request is over
  int peer = kProcNull;           ///< of a send: its destination
  int tag = 0;
  Layout layout;
  RendezvousSend* sending = nullptr;
  PostedRecv receiving;
  StartedCollective started;               ///< of a collective that is no operation now
  std::unique_ptr<ColdRequestParts> rare;  ///< null: it has none

  Request() = default;
  ~Request() {
    if (sending != nullptr || rare != nullptr || (is_active && !receiving.is_done)) give_up();
    if (layout.type != nullptr) layout.type->release();
  }
  static void* operator new(std::size_t bytes) {
    return take_from<&FreeListsOfRank::requests>(bytes);
  }
  static void operator delete(void* block) { give_to<&FreeListsOfRank::requests>(block); }
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;

  /// Sends, receives, or begins a collective. The request must have kind and communicator, and
  /// peer, tag and layout, or an operation.
  void start();
  /// Whether a wait would return at once, as for an inactive request.
  bool is_over() const {
    if (!is_active) return true;
    if (kind == Kind::receive) return receiving.is_done && (rare == nullptr || is_rest_over());
    return kind == Kind::send ? sending == nullptr || sending->is_done() : is_rest_over();
  }
  /// Brings the program's buffers up to date, where the request has copies of them. It must be
  /// over.
  void write_back();
  /// The outcome of a complete request.
  Status outcome() const;
  /// Returns the outcome; the request becomes inactive.
  Status finish() {
    if (kind != Kind::receive || rare != nullptr) return finish_all();
    is_active = false;
    return receiving.status;
  }
  /// The error of the program's function, of a generalized request; otherwise 0.
  int cancel();
  /// Its rare parts, which it has from now on.
  ColdRequestParts& parts() {
    if (!rare) rare = std::make_unique<ColdRequestParts>();
    return *rare;
  }
  /// Keeps the type of a layout alive for as long as the request lives.
  void hold(const Layout& what) {
    layout = what;
    layout.type->retain();
  }

 private:
  /// Whether that is over which an active request has beyond a message.
  bool is_rest_over() const;
  Status finish_all();
  /// Before it is destroyed.
  void give_up();
};

}  // namespace terrace::threadranks
