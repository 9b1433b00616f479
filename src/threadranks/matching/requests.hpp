// SPDX-License-Identifier: BSD-3-Clause
// Requests: pending messages and collectives, and persistent ones.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "threadranks/matching/match_queues.hpp"
#include "threadranks/ranks/communicator.hpp"

namespace terrace::threadranks {

/// What a persistent request begins when it is started, beside messages.
using Restart = std::function<std::shared_ptr<Operation>()>;

/// A request whose end the program tells itself, as the adapter knows it.
class General {
 public:
  virtual ~General() = default;
  virtual void cancel() = 0;
  bool is_complete = false;
};

struct Request : Numbered<ObjectKind::request> {
  enum class Kind : std::uint8_t { nothing, send, receive, collective, general };

  Kind kind = Kind::nothing;
  bool is_persistent = false;
  bool is_active = false;
  SendMode mode = SendMode::standard;
  KeptCommunicator communicator;  ///< which the program may free before the request is over
  int peer = kProcNull;           ///< of a send: to whom
  int tag = 0;
  Layout layout;
  RendezvousSend* sending = nullptr;
  PostedRecv receiving;
  std::shared_ptr<Operation> operation;
  Restart restart;
  std::shared_ptr<void> kept;  ///< what a restart needs
  std::unique_ptr<General> general;
  std::unique_ptr<Request> also;      ///< a send that a receive is over together with
  std::unique_ptr<std::byte[]> copy;  ///< what a send is made from

  Request() = default;
  ~Request();
  static void* operator new(std::size_t bytes) {
    return take_from<&FreeListsOfRank::requests>(bytes);
  }
  static void operator delete(void* block) { give_to<&FreeListsOfRank::requests>(block); }
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;

  /// Sends, receives, or begins a collective. The request has kind and communicator, and peer, tag
  /// and layout, or how to restart.
  void start();
  /// Whether waiting for it would be over. An inactive one is.
  bool is_over() const;
  /// Once it is over: what came of it.
  Status outcome() const;
  /// The same, and the request is inactive then.
  Status finish();
  void cancel();
  /// What lies there is not to go away before the request.
  void hold(const Layout& what) {
    layout = what;
    layout.type->retain();
  }
};

}  // namespace terrace::threadranks
