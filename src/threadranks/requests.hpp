// SPDX-License-Identifier: BSD-3-Clause
// Requests: messages and collectives that are on their way, and those that can be started again.
#pragma once

#include <memory>

#include "threadranks/communicator.hpp"
#include "threadranks/messages.hpp"

namespace terrace::threadranks {

struct Request : Numbered<ObjectKind::request> {
  enum class Kind : std::uint8_t { nothing, send, receive, collective };

  Kind kind = Kind::nothing;
  bool is_persistent = false;
  bool is_active = false;
  SendMode mode = SendMode::standard;
  Communicator* communicator = nullptr;
  int peer = kNobody;  ///< of a send: to whom
  int tag = 0;
  Layout layout;
  Sending* sending = nullptr;
  Receiving receiving;
  std::shared_ptr<Operation> operation;

  Request() = default;
  ~Request();
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;

  /// Sends, or receives. The request has kind, communicator, peer, tag and layout.
  void start();
  /// Whether waiting for it would be over. An inactive one is.
  bool is_over() const;
  /// Once it is over: what came of it.
  Status outcome() const;
  /// The same, and the request is inactive then.
  Status finish();
  void cancel();
  /// What lies there is not to go away before the request.
  void hold(const Layout& what);
};

}  // namespace terrace::threadranks
