// SPDX-License-Identifier: BSD-3-Clause
// Blocks along the edges of a graph: of any lengths, which only their givers know. A giver leaves
// them with their lengths where its takers look, call by call in the shortest way:
//
//     carried   line     [head | ends of blocks | blocks]
//     bounced   line     [head]       scratch [ends of blocks | blocks]
//     direct    line     [head | address of the giver's table of blocks]
//     pulled    line     [head | places and lengths of blocks]    scratch [short blocks]
//               line     [head]       scratch [places and lengths of blocks | short blocks]
//
// Threads of one process leave blocks direct if they are long together. Processes leave each block
// in scratch if it is short, and pulled if it is long, so that its taker knows beforehand which. A
// giver waits for those who take a long one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "base/rank.hpp"

namespace terrace {

class Puller;

/// A block that need not lie in one piece.
struct LaidOutBlock {
  std::byte* at = nullptr;       ///< if it lies in one piece
  std::size_t bytes = 0;         ///< packed
  const void* layout = nullptr;  ///< otherwise, for a BlockCopier; null: it lies in one piece
};

/// Copies blocks that do not lie in one piece. A rank's copier also reads what peers show direct.
class BlockCopier {
 public:
  virtual ~BlockCopier() = default;
  virtual void pack(const LaidOutBlock& from, std::byte* to) noexcept = 0;
  /// The first `bytes` of the block.
  virtual void unpack(const std::byte* from, const LaidOutBlock& to,
                      std::size_t bytes) noexcept = 0;
  virtual void copy(const LaidOutBlock& from, const LaidOutBlock& to,
                    std::size_t bytes) noexcept = 0;
};

/// The place where a giver leaves its blocks.
enum class Deposit : std::uint32_t { carried, bounced, direct, pulled };

/// Whether a giver waits for takers of such a deposit.
inline bool is_left_in_place(Deposit deposit) {
  return deposit == Deposit::direct || deposit == Deposit::pulled;
}

/// One rank's blocks in a call, by their numbers in the plan. Blocks without an edge are empty.
struct EdgeBlocks {
  std::span<const LaidOutBlock> given, taken;
  BlockCopier* copier = nullptr;  ///< null: all blocks of all ranks lie in one piece
  /// Reads peers' memory, where ranks are processes: then all blocks lie in one piece. Null: they
  /// are threads of one.
  Puller* puller = nullptr;
  /// The longest block that processes leave in scratch, in bytes; the same on all ranks.
  std::size_t most_left = 0;
  /// The bytes that have come for each of `taken`. Empty: they are not counted.
  std::span<std::size_t> came = {};
  /// The ranks that take `given`, where ranks are processes. Empty: all takers take the one block.
  std::span<const Rank> takers = {};
  Deposit deposit = Deposit::carried;
  std::size_t scratch_bytes = 0;  ///< that the deposit takes
  bool is_truncated = false;      ///< a block that came was longer than its place
};

/// Bytes of all blocks that a rank gives.
std::size_t given_bytes(const EdgeBlocks& blocks);
/// Whether so many blocks, of so many bytes together, travel in the line that announces them.
bool fits_announcement(std::size_t count, std::size_t bytes);
/// Decides where to leave blocks, if each rank has so many bytes of scratch for them: so that their
/// giver need not wait, as long as a second copy costs less than that.
void choose_deposit(EdgeBlocks& blocks, std::size_t scratch_bytes);
/// The most blocks that a process may have, with so much scratch for them.
std::size_t most_pulled_blocks(std::size_t scratch_bytes);
/// The longest block that is left in that scratch by processes with up to `most_blocks` of them.
std::size_t most_left_in_scratch(std::size_t scratch_bytes, std::size_t most_blocks);
/// Whether a giver that has left blocks in place waits for that taker.
bool waits_for_taker(const EdgeBlocks& own, Rank taker);
/// Whether givers may wait for this rank to copy what they have left pulled.
bool is_awaited_by_givers(const EdgeBlocks& own);

/// A giver's deposit: its line's payload, and its scratch, of which such a call may use so much.
struct DepositOfGiver {
  Rank giver = 0;
  const std::byte* payload = nullptr;
  const std::byte* scratch = nullptr;
  std::size_t scratch_bytes = 0;
};

/// Writes the payload of the announcing line.
void write_line(const EdgeBlocks& blocks, std::byte* payload);
/// Writes blocks to scratch, of a deposit there.
void write_scratch(const EdgeBlocks& blocks, std::byte* scratch);
/// Fetches the beginning of what lies in a giver's scratch, if anything does.
void ask_for_deposit(const DepositOfGiver& deposit);
/// Copies a giver's block to this rank's block `to`, as much as fits. Returns where the giver had
/// left it; nothing: it could not be read, which the user has been told.
std::optional<Deposit> take_block(const DepositOfGiver& deposit, std::size_t number,
                                  EdgeBlocks& own, std::size_t to);
/// Copies a block of this rank's likewise.
void take_own_block(EdgeBlocks& own, std::size_t from, std::size_t to);

}  // namespace terrace
