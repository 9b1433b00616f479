// SPDX-License-Identifier: BSD-3-Clause
// Lays out deposits, and takes blocks out of them.
#include "execute/edge_blocks.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>

#include "base/contract.hpp"
#include "kernels/kernels.hpp"
#include "team/memory.hpp"

namespace terrace {

namespace {

/// The longest deposits that are bounced: longer ones are over sooner if takers copy from where
/// they lie, though givers wait for them. From a block with gaps, takers would fetch the gaps as
/// well.
constexpr std::size_t kMostBounced = 1024, kMostBouncedWithGaps = std::size_t{48} << 10;

/// The beginning of each deposit's line.
struct DepositHead {
  Deposit deposit = Deposit::carried;
  std::uint32_t count = 0;  ///< of blocks
};

// The place where a block ends, in bytes behind the table.
using CarriedEnd = std::uint8_t;
using BouncedEnd = std::uint64_t;

constexpr std::size_t rounded_up(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

/// Bytes before the blocks, which begin at a word of the line, or at a line of scratch.
constexpr std::size_t carried_table_bytes(std::size_t count) {
  return rounded_up(count * sizeof(CarriedEnd), sizeof(std::uint64_t));
}
constexpr std::size_t bounced_table_bytes(std::size_t count) {
  return rounded_up(count * sizeof(BouncedEnd), kLineBytes);
}

DepositHead head_of(const std::byte* payload) {
  DepositHead head;
  std::memcpy(&head, payload, sizeof head);
  return head;
}

void put_block(const LaidOutBlock& block, BlockCopier* copier, std::byte* to) {
  if (block.layout == nullptr) {
    if (block.bytes == sizeof(std::uint64_t))
      std::memcpy(to, block.at, sizeof(std::uint64_t));
    else if (block.bytes > 0)
      std::memcpy(to, block.at, block.bytes);
    return;
  }
  TERRACE_ASSERT(copier != nullptr);
  copier->pack(block, to);
}

/// A table of ends, then the blocks.
template <class End>
void put_all(const EdgeBlocks& blocks, std::byte* table, std::size_t table_bytes) {
  std::byte* const begin = table + table_bytes;
  std::size_t end = 0;
  for (std::size_t i = 0; i < blocks.given.size(); ++i) {
    const LaidOutBlock& block = blocks.given[i];
    put_block(block, blocks.copier, begin + end);
    end += block.bytes;
    TERRACE_ASSERT(end <= std::numeric_limits<End>::max(), end);
    const auto told = static_cast<End>(end);
    std::memcpy(table + i * sizeof(End), &told, sizeof told);
  }
}

/// Bytes that lie in one piece.
struct Piece {
  const std::byte* at = nullptr;
  std::size_t bytes = 0;
};

template <class End>
Piece piece_in(const std::byte* table, std::size_t table_bytes, std::size_t number) {
  End begin = 0, end = 0;
  if (number > 0) std::memcpy(&begin, table + (number - 1) * sizeof(End), sizeof begin);
  std::memcpy(&end, table + number * sizeof(End), sizeof end);
  TERRACE_ASSERT(begin <= end, begin, end);
  return {table + table_bytes + begin, static_cast<std::size_t>(end - begin)};
}

void copy_piece_to(const std::byte* from, std::byte* to, std::size_t bytes) {
  constexpr std::size_t kShort = 256;
  if (bytes == sizeof(std::uint64_t)) {
    std::memcpy(to, from, sizeof(std::uint64_t));
  } else if (bytes <= kShort) {
    if (bytes > 0) std::memcpy(to, from, bytes);
  } else {
    void* const target = to;
    copy_to_all(from, &target, 1, bytes, Stores::cached);
  }
}

/// Bytes of a block that fit its place.
std::size_t fitting(EdgeBlocks& own, std::size_t given, const LaidOutBlock& place) {
  if (given > place.bytes) own.is_truncated = true;
  return std::min(given, place.bytes);
}

void take_piece(const Piece& from, EdgeBlocks& own, const LaidOutBlock& to) {
  const std::size_t bytes = fitting(own, from.bytes, to);
  if (to.layout == nullptr) return copy_piece_to(from.at, to.at, bytes);
  if (bytes > 0) own.copier->unpack(from.at, to, bytes);
}

void take_laid_out(const LaidOutBlock& from, EdgeBlocks& own, const LaidOutBlock& to) {
  if (from.layout == nullptr) return take_piece({from.at, from.bytes}, own, to);
  TERRACE_ASSERT(own.copier != nullptr);
  const std::size_t bytes = fitting(own, from.bytes, to);
  if (bytes > 0) own.copier->copy(from, to, bytes);
}

}  // namespace

void choose_deposit(EdgeBlocks& blocks, std::size_t scratch_bytes) {
  blocks.deposit = Deposit::direct;
  blocks.scratch_bytes = 0;
  const std::size_t count = blocks.given.size();
  std::size_t bytes = 0;
  bool has_gaps = false;
  for (const LaidOutBlock& block : blocks.given) {
    bytes += block.bytes;
    has_gaps |= block.layout != nullptr;
  }
  if (bytes > (has_gaps ? kMostBouncedWithGaps : kMostBounced)) return;
  if (bytes <= std::numeric_limits<CarriedEnd>::max() &&
      sizeof(DepositHead) + carried_table_bytes(count) + bytes <= kPayloadBytes) {
    blocks.deposit = Deposit::carried;
    return;
  }
  if (bounced_table_bytes(count) + bytes > scratch_bytes) return;
  blocks.deposit = Deposit::bounced;
  blocks.scratch_bytes = bounced_table_bytes(count) + bytes;
}

void write_line(const EdgeBlocks& blocks, std::byte* payload) {
  const DepositHead head{blocks.deposit, static_cast<std::uint32_t>(blocks.given.size())};
  std::memcpy(payload, &head, sizeof head);
  if (blocks.deposit == Deposit::carried)
    return put_all<CarriedEnd>(blocks, payload + sizeof head,
                               carried_table_bytes(blocks.given.size()));
  const LaidOutBlock* const table = blocks.given.data();
  if (blocks.deposit == Deposit::direct) std::memcpy(payload + sizeof head, &table, sizeof table);
}

void write_scratch(const EdgeBlocks& blocks, std::byte* scratch) {
  TERRACE_ASSERT(blocks.deposit == Deposit::bounced);
  put_all<BouncedEnd>(blocks, scratch, bounced_table_bytes(blocks.given.size()));
}

void ask_for_deposit(const std::byte* payload, const std::byte* scratch) {
  constexpr std::size_t kAskedFor = 512;
  if (head_of(payload).deposit != Deposit::bounced) return;
  for (std::size_t i = 0; i < kAskedFor; i += kLineBytes) __builtin_prefetch(scratch + i);
}

Deposit take_block(const std::byte* payload, const std::byte* scratch, std::size_t number,
                   EdgeBlocks& own, std::size_t to) {
  const DepositHead head = head_of(payload);
  TERRACE_REQUIRE(number < head.count, number, head.count);
  TERRACE_REQUIRE(to < own.taken.size(), to, own.taken.size());
  const LaidOutBlock& place = own.taken[to];
  if (head.deposit == Deposit::carried) {
    const std::byte* const ends = payload + sizeof head;
    take_piece(piece_in<CarriedEnd>(ends, carried_table_bytes(head.count), number), own, place);
  } else if (head.deposit == Deposit::bounced) {
    take_piece(piece_in<BouncedEnd>(scratch, bounced_table_bytes(head.count), number), own, place);
  } else {
    const LaidOutBlock* table = nullptr;
    std::memcpy(&table, payload + sizeof head, sizeof table);
    take_laid_out(table[number], own, place);
  }
  return head.deposit;
}

void take_own_block(EdgeBlocks& own, std::size_t from, std::size_t to) {
  TERRACE_REQUIRE(from < own.given.size() && to < own.taken.size(), from, to);
  take_laid_out(own.given[from], own, own.taken[to]);
}

}  // namespace terrace
