// SPDX-License-Identifier: BSD-3-Clause
// Touches one byte of each line. See buffer_touch.hpp.
#include "engine/buffer_touch.hpp"

#include <algorithm>

#include "base/cache_aligned.hpp"
#include "base/contract.hpp"
#include "base/prefetch.hpp"

namespace terrace {

namespace {

/// Longer buffers leave the caches on their way, however they are copied.
constexpr std::size_t kMostTouched = std::size_t{1} << 20;

/// Blocks `first` and so many behind it.
ByteRange blocks_at(const void* block_0, std::size_t bytes, Rank first, Rank count) {
  return {static_cast<const std::byte*>(block_0) + first * bytes, count * bytes};
}

}  // namespace

TouchedBuffers touched_buffers(Collective collective, const void* input, const void* output,
                               std::size_t bytes, Rank root, Rank rank, Rank ranks) {
  TERRACE_REQUIRE(root < ranks && rank < ranks, root, rank, ranks);
  const ByteRange vector = {static_cast<const std::byte*>(input), bytes};
  const ByteRange result = {static_cast<const std::byte*>(output), bytes};
  const bool is_root = rank == root;
  switch (planned_as(collective)) {
    case Collective::bcast:
      return is_root ? TouchedBuffers{vector, {}} : TouchedBuffers{{}, result};
    case Collective::reduce:
      return {vector, is_root ? result : ByteRange{}};
    case Collective::allreduce:
    case Collective::scan:
      return {vector, result};
    case Collective::exscan:
      return {vector, rank > 0 ? result : ByteRange{}};
    case Collective::allgather:
      return {blocks_at(input, bytes, rank, 1), blocks_at(output, bytes, 0, ranks)};
    case Collective::gather:
      return {blocks_at(input, bytes, rank, 1),
              is_root ? blocks_at(output, bytes, 0, ranks) : ByteRange{}};
    case Collective::scatter:
      return {is_root ? blocks_at(input, bytes, 0, ranks) : ByteRange{},
              blocks_at(output, bytes, rank, 1)};
    case Collective::alltoall:
      return {blocks_at(input, bytes, 0, ranks), blocks_at(output, bytes, 0, ranks)};
    case Collective::reduce_scatter_block:
      return {blocks_at(input, bytes, 0, ranks), result};
    default:
      return {};
  }
}

void touch(const TouchedBuffers& call) {
  const std::size_t received_bytes = std::min(call.received.bytes, kMostTouched);
  const std::size_t given_bytes = std::min(call.given.bytes, kMostTouched);
  const volatile std::byte* const received = call.received.begin;
  for (std::size_t i = 0; i < received_bytes; i += kLineBytes) static_cast<void>(received[i]);
  for (std::size_t i = 0; i < given_bytes; i += kLineBytes)
    prefetch_for_writing(call.given.begin + i);
}

}  // namespace terrace
