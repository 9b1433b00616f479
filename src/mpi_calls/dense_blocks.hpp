// SPDX-License-Identifier: BSD-3-Clause
// Blocks of different length, packed as plans need them: without gaps.
#pragma once

#include <algorithm>
#include <memory>
#include <memory_resource>
#include <new>
#include <optional>
#include <utility>
#include <vector>

#include "base/contract.hpp"
#include "engine/team_endpoint.hpp"
#include "mpi_calls/buffers_and_in_place.hpp"

namespace terrace {

/// A block that is longer than its taker wants, by MPI an error.
struct Truncation {
  Rank giver = 0;
  std::size_t wanted = 0;  ///< in bytes, as what follows
  std::size_t given = 0;
  bool has_memory = true;  ///< to take it elsewhere; otherwise the call cannot go on
};

/// One of a rank's two buffers: its blocks, by their numbers, as they lie where they have no gaps,
/// packed where they have. `Elements` are those of a block in the user's memory:
///   std::byte* at() const, std::size_t bytes() const, bool is_dense() const;
///   bool pack(std::byte* to) const;
///   bool unpack(const std::byte* from, std::size_t bytes) const;  the first of them
/// Blocks that are not there are empty.
template <class Elements>
class DenseBlocks {
 public:
  using Memory = std::pmr::memory_resource;
  /// `memory`, for what is kept of each block, must outlive this.
  explicit DenseBlocks(std::size_t numbers = 0, Memory* memory = std::pmr::new_delete_resource())
      : table_(numbers, memory), users_(memory) {}
  void set_numbers(std::size_t numbers) { table_.resize(numbers); }
  void reserve(std::size_t blocks) { users_.reserve(blocks); }

  void add(std::size_t number, Elements elements) {
    add(number, Block{elements.at(), elements.bytes()});
    if (!elements.is_dense()) packed_bytes_ += elements.bytes();
    users_.push_back({number, std::move(elements)});
  }
  /// Bytes without gaps that lie somewhere for as long as these blocks do.
  void add(std::size_t number, const Block& block) {
    TERRACE_REQUIRE(number < table_.size(), number, table_.size());
    table_[number] = block;
    most_bytes_ = std::max(most_bytes_, block.bytes);
    is_empty_ = false;
  }

  std::size_t size() const { return table_.size(); }
  bool is_empty() const { return is_empty_; }
  /// Whether some are packed.
  bool have_packed() const { return packed_bytes_ > 0; }
  std::size_t most_bytes() const { return most_bytes_; }
  /// Whether none is longer now.
  bool are_within(std::size_t bytes) const {
    return std::all_of(table_.begin(), table_.end(),
                       [bytes](const Block& block) { return block.bytes <= bytes; });
  }
  const Block& operator[](std::size_t number) const {
    TERRACE_ASSERT(number < table_.size(), number, table_.size());
    return table_[number];
  }
  const Block* table() const { return table_.data(); }
  std::vector<Block> row(BlockNumbers which) const {
    TERRACE_REQUIRE(which.first <= table_.size() && which.count <= table_.size() - which.first,
                    which.first, which.count, table_.size());
    const auto begin = table_.begin() + static_cast<std::ptrdiff_t>(which.first);
    return {begin, begin + static_cast<std::ptrdiff_t>(which.count)};
  }
  /// Returns the elements of blocks that were added in a row.
  const Elements& elements(std::size_t number) const {
    TERRACE_REQUIRE(!users_.empty() && number - users_.front().number < users_.size(), number,
                    users_.size());
    return users_[number - users_.front().number].elements;
  }

  template <class Visit>
  void for_each_elements(const Visit& visit) {
    for (User& user : users_) visit(user.elements);
  }

  /// Room for what is to be packed, once all blocks are there. False: there is none.
  bool make_room() {
    if (packed_bytes_ == 0) return true;
    packed_.reset(new (std::nothrow) std::byte[packed_bytes_]);
    if (packed_ == nullptr) return false;
    restore();
    return true;
  }
  /// Undoes `fit_to` and `shorten`, for another call with the same blocks.
  void restore() {
    for (const Fitted& one : fitted_) table_[one.number] = one.wanted;
    fitted_.clear();
    diverted_.clear();
    std::byte* at = packed_.get();
    for (User& user : users_) {
      table_[user.number] = Block{user.elements.at(), user.elements.bytes()};
      user.is_packed = !user.elements.is_dense();
      if (!user.is_packed) continue;
      table_[user.number].at = at;
      at += table_[user.number].bytes;
    }
    TERRACE_ASSERT(at == packed_.get() + packed_bytes_, packed_bytes_);
  }
  /// Makes a block end after the bytes that have come.
  void shorten(std::size_t number, std::size_t bytes) {
    TERRACE_REQUIRE(number < table_.size() && bytes <= table_[number].bytes, number, bytes);
    table_[number].bytes = bytes;
  }
  /// False: one of them could not be packed.
  bool pack(BlockNumbers which) const {
    bool is_done = true;
    for (const User& user : users_) {
      const Block& block = table_[user.number];
      const bool is_meant = user.number >= which.first && user.number < which.first + which.count;
      if (is_meant && user.is_packed && block.bytes > 0) is_done &= user.elements.pack(block.at);
    }
    return is_done;
  }
  bool pack() const { return pack({0, table_.size()}); }
  /// Unpacks received blocks into the program's buffers. False: one of them could not be unpacked.
  bool unpack() const {
    bool is_done = true;
    for (const User& user : users_) {
      const Block& block = table_[user.number];
      if (user.is_packed && block.bytes > 0) is_done &= user.elements.unpack(block.at, block.bytes);
    }
    return is_done;
  }

  /// Shrinks blocks whose senders send less than this rank wants. A longer block is received into
  /// memory of its own, because its sender cannot know that it is too long; the last such
  /// truncation is returned. (What a rank sends itself was compared before, or is in place.)
  std::optional<Truncation> fit_to(const Lengths& lengths, const RankInCall& who) {
    const bool is_scatter = planned_as(who.collective) == Collective::scatter;
    if (planned_as(who.collective) == Collective::gather && !who.is_root()) return std::nullopt;
    TERRACE_REQUIRE((is_scatter ? who.rank : who.rank_count - 1) < table_.size(), who.rank,
                    who.rank_count, table_.size());
    TERRACE_ASSERT(fitted_.empty(), fitted_.size());
    std::optional<Truncation> truncation;
    for (Rank giver = 0; giver < who.rank_count; ++giver) {
      if (giver == who.rank || (is_scatter && giver != who.root)) continue;
      const Rank number = is_scatter ? who.rank : giver;
      Block& block = table_[number];
      const std::size_t wanted = block.bytes, given = lengths.given_by(giver);
      if (given == wanted) continue;
      fitted_.push_back({number, block});
      block.bytes = std::min(wanted, given);
      if (given < wanted) continue;
      diverted_.emplace_back(new (std::nothrow) std::byte[given]);
      const bool has_memory = diverted_.back() != nullptr;
      block = {diverted_.back().get(), given};
      truncation = {giver, wanted, given, has_memory && (!truncation || truncation->has_memory)};
      stop_packing(number);
    }
    return truncation;
  }

 private:
  struct User {
    std::size_t number;
    Elements elements;
    bool is_packed = false;
  };

  /// A block that `fit_to` has changed, as it was before.
  struct Fitted {
    std::size_t number;
    Block wanted;
  };

  void stop_packing(std::size_t number) {
    for (User& user : users_) user.is_packed = user.is_packed && user.number != number;
  }

  std::pmr::vector<Block> table_;  ///< by number
  std::pmr::vector<User> users_;
  std::vector<Fitted> fitted_;
  std::unique_ptr<std::byte[]> packed_;
  std::vector<std::unique_ptr<std::byte[]>> diverted_;
  std::size_t packed_bytes_ = 0;
  std::size_t most_bytes_ = 0;
  bool is_empty_ = true;
};

}  // namespace terrace
