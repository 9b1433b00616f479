// SPDX-License-Identifier: BSD-3-Clause
// The lengths up to which messages are sent eagerly: copied before their receive is known. Longer
// ones wait for it (rendezvous). An envelope's line has room for `kEnvelopeBytes` (mailbox.hpp).
#pragma once

#include <cstddef>

namespace terrace::threadranks {

/// The room in a block of a rank's pool (copied_messages.hpp).
inline constexpr std::size_t kMostEagerInBlock = 1024;
/// Up to this length a blocking send copies its message rather than wait long for the receiver.
inline constexpr std::size_t kMostEagerOfBlocking = 8192;
/// Up to this length a nonblocking send copies its message, though its sender does not wait yet.
inline constexpr std::size_t kMostEagerOfNonblocking = 512;
/// Up to this length, messages to other processes travel with their envelope and are copied at both
/// ends; longer ones go straight to their buffer.
inline constexpr std::size_t kMostEagerBetweenProcesses = 8192;

}  // namespace terrace::threadranks
