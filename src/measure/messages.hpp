// SPDX-License-Identifier: BSD-3-Clause
// The interface for messages between the ranks of a job, by which a network is measured.
#pragma once

#include <chrono>
#include <cstddef>

namespace terrace::measure {

/// Messages of different kinds do not overtake each other, those of one kind come in order.
enum class MessageKind : int { content = 7001, word = 7002 };

/// Called by one thread of each rank. Whatever goes wrong ends the job.
class MessageExchange {
 public:
  MessageExchange() = default;
  virtual ~MessageExchange() = default;
  MessageExchange(const MessageExchange&) = delete;
  MessageExchange& operator=(const MessageExchange&) = delete;

  /// Returns when the bytes may be written to again.
  virtual void send(int to, MessageKind kind, const void* bytes, std::size_t count) = 0;
  /// Waits without giving the core away, as programs do.
  virtual void receive(int from, MessageKind kind, void* bytes, std::size_t count) = 0;
  /// Waits and leaves the core to others most of the time.
  virtual void receive_quietly(int from, MessageKind kind, void* bytes, std::size_t count) = 0;

  /// Whether `count` bytes leave the sender although no rank receives them, within some time. They
  /// are in transit until `end_sending`, which waits for the receiver.
  virtual bool begin_sending(int to, MessageKind kind, const void* bytes, std::size_t count,
                             std::chrono::nanoseconds patience) = 0;
  virtual void end_sending() = 0;
};

}  // namespace terrace::measure
