// SPDX-License-Identifier: BSD-3-Clause
// Long messages over another MPI travel in pieces that it sends at once. Before a longer one the
// receiver must say that it is ready, and over TCP that word waits behind the data that goes its
// way: under Open MPI 5, two nodes that sent each other 1 MiB over 1 Gbit/s took 15.5 ms, and 8.7
// in pieces of 32 KiB, which is what the wire takes; over a wire as fast as memory, 0.85 and
// 0.40 ms (`./dev nodes`, Zen 5; docs/design/nodes.md). Measured on that machine alone.
#pragma once

#include <cstddef>

namespace terrace {

/// Below the limits of Open MPI, MPICH and Intel MPI for messages that are sent at once over TCP.
inline constexpr std::size_t kMessagePieceBytes = std::size_t{32} << 10;

}  // namespace terrace
