// SPDX-License-Identifier: BSD-3-Clause
// Lays out deposits, and takes blocks out of them.
#include "execute/edge_blocks.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>

#include "base/contract.hpp"
#include "kernels/kernels.hpp"
#include "team/memory.hpp"
#include "team/puller.hpp"

namespace terrace {

namespace {

/// The longest deposits that are bounced: longer ones are over sooner if takers copy from where
/// they lie, though givers wait for them. From a block with gaps, takers would fetch the gaps as
/// well.
constexpr std::size_t kMostBounced = 1024, kMostBouncedWithGaps = std::size_t{48} << 10;
/// The longest block that processes leave in scratch: the kernel's copies begin late.
constexpr std::size_t kMostLeftByProcesses = std::size_t{16} << 10;

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

/// A block in its giver's memory, or in its scratch.
struct PulledBlock {
  std::uint64_t place = 0;  ///< its address there; in scratch, bytes from the beginning
  std::uint64_t bytes = 0;
};

/// Whether the table of so many fits the line.
constexpr bool is_table_in_line(std::size_t count) {
  return sizeof(DepositHead) + count * sizeof(PulledBlock) <= kPayloadBytes;
}
/// Bytes before the blocks in scratch.
constexpr std::size_t pulled_table_bytes(std::size_t count) {
  return is_table_in_line(count) ? 0 : rounded_up(count * sizeof(PulledBlock), kLineBytes);
}

DepositHead head_of(const std::byte* payload) {
  DepositHead head;
  std::memcpy(&head, payload, sizeof head);
  return head;
}

void put_bytes(const LaidOutBlock& block, std::byte* to) {
  if (block.bytes == sizeof(std::uint64_t))
    std::memcpy(to, block.at, sizeof(std::uint64_t));
  else if (block.bytes > 0)
    std::memcpy(to, block.at, block.bytes);
}

void put_block(const LaidOutBlock& block, BlockCopier* copier, std::byte* to) {
  if (block.layout == nullptr) return put_bytes(block, to);
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

/// A block of a table of ends. Behind the table there is room for so many bytes of blocks.
template <class End>
Piece piece_in(const std::byte* table, std::size_t table_bytes, std::size_t room,
               std::size_t number) {
  End begin = 0, end = 0;
  if (number > 0) std::memcpy(&begin, table + (number - 1) * sizeof(End), sizeof begin);
  std::memcpy(&end, table + number * sizeof(End), sizeof end);
  TERRACE_REQUIRE(begin <= end && end <= room, begin, end, room);
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

/// Bytes of a block that fit its place, which have come when they are copied.
std::size_t fitting(EdgeBlocks& own, std::size_t given, std::size_t to) {
  const std::size_t room = own.taken[to].bytes, bytes = std::min(given, room);
  if (given > room) own.is_truncated = true;
  if (!own.came.empty()) own.came[to] = bytes;
  return bytes;
}

void take_piece(const Piece& from, EdgeBlocks& own, std::size_t to) {
  const LaidOutBlock& place = own.taken[to];
  const std::size_t bytes = fitting(own, from.bytes, to);
  if (place.layout == nullptr) return copy_piece_to(from.at, place.at, bytes);
  if (bytes > 0) own.copier->unpack(from.at, place, bytes);
}

void take_laid_out(const LaidOutBlock& from, EdgeBlocks& own, std::size_t to) {
  if (from.layout == nullptr) return take_piece({from.at, from.bytes}, own, to);
  TERRACE_ASSERT(own.copier != nullptr);
  const std::size_t bytes = fitting(own, from.bytes, to);
  if (bytes > 0) own.copier->copy(from, own.taken[to], bytes);
}

/// Decides where processes leave blocks that do not fit a line.
void choose_scratch_or_memory(EdgeBlocks& blocks, std::size_t scratch_bytes) {
  const std::size_t count = blocks.given.size();
  TERRACE_REQUIRE(count <= most_pulled_blocks(scratch_bytes), count, scratch_bytes);
  std::size_t left = 0;
  bool are_all_left = true;
  for (const LaidOutBlock& block : blocks.given) {
    TERRACE_ASSERT(block.layout == nullptr);
    const bool is_left = block.bytes <= blocks.most_left;
    are_all_left &= is_left;
    if (is_left) left += block.bytes;
  }
  blocks.deposit = are_all_left ? Deposit::bounced : Deposit::pulled;
  blocks.scratch_bytes =
      left + (are_all_left ? bounced_table_bytes(count) : pulled_table_bytes(count));
  TERRACE_REQUIRE(blocks.scratch_bytes <= scratch_bytes, blocks.scratch_bytes, scratch_bytes);
}

/// The table of a giver that leaves blocks pulled, to its line or to scratch.
void write_table_of_pulled(const EdgeBlocks& blocks, std::byte* table) {
  std::uint64_t end = pulled_table_bytes(blocks.given.size());
  for (const LaidOutBlock& block : blocks.given) {
    PulledBlock told{reinterpret_cast<std::uint64_t>(block.at), block.bytes};
    if (block.bytes <= blocks.most_left) told.place = std::exchange(end, end + block.bytes);
    std::memcpy(table, &told, sizeof told);
    table += sizeof told;
  }
}

void write_scratch_of_pulled(const EdgeBlocks& blocks, std::byte* scratch) {
  const std::size_t count = blocks.given.size();
  if (!is_table_in_line(count)) write_table_of_pulled(blocks, scratch);
  std::byte* at = scratch + pulled_table_bytes(count);
  for (const LaidOutBlock& block : blocks.given) {
    if (block.bytes > blocks.most_left) continue;
    put_bytes(block, at);
    at += block.bytes;
  }
}

/// False: it could not be read.
bool take_pulled(const PulledBlock& from, const DepositOfGiver& deposit, EdgeBlocks& own,
                 std::size_t to) {
  TERRACE_REQUIRE(own.puller != nullptr && own.taken[to].layout == nullptr, deposit.giver, to);
  if (from.bytes <= own.most_left) {
    TERRACE_REQUIRE(from.place <= deposit.scratch_bytes, from.place, deposit.scratch_bytes);
    TERRACE_REQUIRE(from.place + from.bytes <= deposit.scratch_bytes, from.place, from.bytes,
                    deposit.scratch_bytes);
    take_piece({deposit.scratch + from.place, from.bytes}, own, to);
    return true;
  }
  const auto* const there = reinterpret_cast<const std::byte*>(from.place);
  const std::size_t bytes = fitting(own, from.bytes, to);
  return bytes == 0 || own.puller->pull(deposit.giver, there, own.taken[to].at, bytes);
}

}  // namespace

std::size_t given_bytes(const EdgeBlocks& blocks) {
  std::size_t bytes = 0;
  for (const LaidOutBlock& block : blocks.given) bytes += block.bytes;
  return bytes;
}

bool fits_announcement(std::size_t count, std::size_t bytes) {
  return bytes <= std::numeric_limits<CarriedEnd>::max() &&
         sizeof(DepositHead) + carried_table_bytes(count) + bytes <= kPayloadBytes;
}

void choose_deposit(EdgeBlocks& blocks, std::size_t scratch_bytes) {
  const std::size_t count = blocks.given.size(), bytes = given_bytes(blocks);
  blocks.scratch_bytes = 0;
  if (fits_announcement(count, bytes)) {
    blocks.deposit = Deposit::carried;
    return;
  }
  if (blocks.puller != nullptr) return choose_scratch_or_memory(blocks, scratch_bytes);
  blocks.deposit = Deposit::direct;
  const bool has_gaps =
      std::any_of(blocks.given.begin(), blocks.given.end(),
                  [](const LaidOutBlock& block) { return block.layout != nullptr; });
  if (bytes > (has_gaps ? kMostBouncedWithGaps : kMostBounced)) return;
  if (bounced_table_bytes(count) + bytes > scratch_bytes) return;
  blocks.deposit = Deposit::bounced;
  blocks.scratch_bytes = bounced_table_bytes(count) + bytes;
}

std::size_t most_pulled_blocks(std::size_t scratch_bytes) {
  constexpr std::size_t kInLine = (kPayloadBytes - sizeof(DepositHead)) / sizeof(PulledBlock);
  return std::max(scratch_bytes / sizeof(PulledBlock), kInLine);
}

std::size_t most_left_in_scratch(std::size_t scratch_bytes, std::size_t most_blocks) {
  const std::size_t table =
      std::max(bounced_table_bytes(most_blocks), pulled_table_bytes(most_blocks));
  if (most_blocks == 0 || table >= scratch_bytes) return 0;
  return std::min(kMostLeftByProcesses, (scratch_bytes - table) / most_blocks);
}

bool waits_for_taker(const EdgeBlocks& own, Rank taker) {
  if (own.deposit != Deposit::pulled || own.takers.empty()) return is_left_in_place(own.deposit);
  TERRACE_ASSERT(own.takers.size() >= own.given.size(), own.takers.size(), own.given.size());
  for (std::size_t i = 0; i < own.given.size(); ++i)
    if (own.takers[i] == taker && own.given[i].bytes > own.most_left) return true;
  return false;
}

bool is_awaited_by_givers(const EdgeBlocks& own) {
  return own.puller != nullptr &&
         std::any_of(own.taken.begin(), own.taken.end(),
                     [&](const LaidOutBlock& block) { return block.bytes > own.most_left; });
}

void write_line(const EdgeBlocks& blocks, std::byte* payload) {
  const DepositHead head{blocks.deposit, static_cast<std::uint32_t>(blocks.given.size())};
  std::memcpy(payload, &head, sizeof head);
  if (blocks.deposit == Deposit::carried)
    return put_all<CarriedEnd>(blocks, payload + sizeof head,
                               carried_table_bytes(blocks.given.size()));
  const LaidOutBlock* const table = blocks.given.data();
  if (blocks.deposit == Deposit::direct) std::memcpy(payload + sizeof head, &table, sizeof table);
  if (blocks.deposit == Deposit::pulled && is_table_in_line(blocks.given.size()))
    write_table_of_pulled(blocks, payload + sizeof head);
}

void write_scratch(const EdgeBlocks& blocks, std::byte* scratch) {
  TERRACE_ASSERT(blocks.scratch_bytes > 0);
  if (blocks.deposit == Deposit::pulled) return write_scratch_of_pulled(blocks, scratch);
  put_all<BouncedEnd>(blocks, scratch, bounced_table_bytes(blocks.given.size()));
}

void ask_for_deposit(const DepositOfGiver& deposit) {
  constexpr std::size_t kAskedFor = 512;
  const Deposit kind = head_of(deposit.payload).deposit;
  if (kind != Deposit::bounced && kind != Deposit::pulled) return;
  for (std::size_t i = 0; i < kAskedFor; i += kLineBytes) __builtin_prefetch(deposit.scratch + i);
}

std::optional<Deposit> take_block(const DepositOfGiver& deposit, std::size_t number,
                                  EdgeBlocks& own, std::size_t to) {
  const DepositHead head = head_of(deposit.payload);
  const std::byte* const behind_head = deposit.payload + sizeof head;
  TERRACE_REQUIRE(number < head.count, number, head.count);
  TERRACE_REQUIRE(to < own.taken.size(), to, own.taken.size());
  TERRACE_REQUIRE(head.deposit <= Deposit::pulled, head.deposit, deposit.giver);
  switch (head.deposit) {
    case Deposit::carried: {
      const std::size_t table = carried_table_bytes(head.count);
      TERRACE_REQUIRE(sizeof head + table <= kPayloadBytes, head.count);
      const std::size_t room = kPayloadBytes - sizeof head - table;
      take_piece(piece_in<CarriedEnd>(behind_head, table, room, number), own, to);
      break;
    }
    case Deposit::bounced: {
      const std::size_t table = bounced_table_bytes(head.count);
      TERRACE_REQUIRE(table <= deposit.scratch_bytes, head.count, deposit.scratch_bytes);
      const std::size_t room = deposit.scratch_bytes - table;
      take_piece(piece_in<BouncedEnd>(deposit.scratch, table, room, number), own, to);
      break;
    }
    case Deposit::direct: {
      TERRACE_REQUIRE(own.puller == nullptr, deposit.giver);
      const LaidOutBlock* table = nullptr;
      std::memcpy(&table, behind_head, sizeof table);
      take_laid_out(table[number], own, to);
      break;
    }
    case Deposit::pulled: {
      TERRACE_REQUIRE(pulled_table_bytes(head.count) <= deposit.scratch_bytes, head.count,
                      deposit.scratch_bytes);
      const std::byte* const table = is_table_in_line(head.count) ? behind_head : deposit.scratch;
      PulledBlock block;
      std::memcpy(&block, table + number * sizeof block, sizeof block);
      if (!take_pulled(block, deposit, own, to)) return std::nullopt;
      break;
    }
  }
  return head.deposit;
}

void take_own_block(EdgeBlocks& own, std::size_t from, std::size_t to) {
  TERRACE_REQUIRE(from < own.given.size() && to < own.taken.size(), from, to);
  take_laid_out(own.given[from], own, to);
}

}  // namespace terrace
