// SPDX-License-Identifier: BSD-3-Clause
// Where a plan's regions lie in one rank's call: in the user's buffers, its own or a peer's, in
// scratch, or in a line.
#include <algorithm>
#include <cstring>

#include "execute/run.hpp"

namespace terrace {

Announcement Run::announcement_of(Rank rank) const noexcept {
  Announcement announcement;
  std::memcpy(&announcement, member_.line(rank, lease_.first_line).payload, sizeof announcement);
  if (announcement.reach == Reach::direct) {
    announcement.input += member_.memory().ranks[rank].shift;
    announcement.output += member_.memory().ranks[rank].shift;
  }
  return announcement;
}

std::byte* Run::address(const PartRegion& region) noexcept {
  if (call_.tables != nullptr) [[unlikely]]
    if (const Block* block = own_block(region);
        block != nullptr && region.buffer != Buffer::exposed)
      return block->at + (strip_begin_ + tile_begin(region.first_tile)) * call_.element_bytes;
  // Inputs are never written: all writing goes through targets, and no target is an input.
  const auto users = [&](Buffer buffer, const void* input, void* output) {
    void* base = buffer == Buffer::input ? const_cast<void*>(input) : output;
    return static_cast<std::byte*>(base) + users_offset(region);
  };
  switch (region.buffer) {
    case Buffer::input:
    case Buffer::output:
      return users(region.buffer, call_.input, call_.output);
    case Buffer::scratch:
      return scratch_address(region.rank, region.block, region);
    case Buffer::mailbox: {
      const std::size_t begin = region.pocket * strip_size_ * call_.element_bytes;
      return begin + (region.rank == part_.rank
                          ? work_.drafts[region.block].data()
                          : member_.line(region.rank, lease_.first_line + region.block).payload);
    }
    case Buffer::exposed:
      break;
  }
  if (region.rank == part_.rank)
    return bounces() ? scratch_address(region.rank, region.stand_in, region)
                     : users(region.exposed_buffer, call_.input, call_.output);
  const Announcement shown = announcement_of(region.rank);
  if (shown.reach == Reach::bounced) return scratch_address(region.rank, region.stand_in, region);
  std::byte* const there = users(region.exposed_buffer, shown.input, shown.output);
  return shown.reach == Reach::attached ? attached(region, there) : there;
}

/// Where what a peer has there is here.
std::byte* Run::attached(const PartRegion& region, const std::byte* there) noexcept {
  const std::size_t bytes = element_count(region) * call_.element_bytes;
  const Attacher::Place place = call_.attacher->attach(region.rank, there, bytes);
  is_cut_off_ = is_cut_off_ || !place.is_right;
  return place.at;
}

/// Whether `address` is one in the peer's process, where the kernel alone can read.
bool Run::has_to_pull(const PartRegion& region) const noexcept {
  return call_.puller != nullptr && part_.can_be_pulled && region.buffer == Buffer::exposed &&
         region.rank != part_.rank && announcement_of(region.rank).reach == Reach::pulled;
}

std::byte* Run::scratch_address(Rank rank, std::uint32_t block, const PartRegion& region) const {
  const std::size_t slot = strip_ % part_.ring;
  return member_.memory().ranks[rank].scratch + lease_.scratch_begin + slot * slot_stride_ +
         block * scratch_stride_ + tile_begin(region.first_tile) * call_.element_bytes;
}

/// The block of this rank's that a region is, or shows; null if it is none.
const Block* Run::own_block(const PartRegion& region) const {
  if (region.rank != part_.rank) return nullptr;
  const Buffer buffer = region.buffer == Buffer::exposed ? region.exposed_buffer : region.buffer;
  if (buffer == Buffer::input) return call_.tables->input + region.block;
  return buffer == Buffer::output ? call_.tables->output + region.block : nullptr;
}

/// How long a value is, both who gives it and who takes it know: it is a block of theirs.
void Run::measure(std::span<const PartRegion> from, std::span<const PartRegion> to) noexcept {
  const Block* block = nullptr;
  for (std::size_t i = 0; block == nullptr && i < from.size(); ++i) block = own_block(from[i]);
  for (std::size_t i = 0; block == nullptr && i < to.size(); ++i) block = own_block(to[i]);
  const std::size_t elements = block->bytes / call_.element_bytes;
  block_size_ = elements > strip_begin_ ? std::min(strip_size_, elements - strip_begin_) : 0;
}

std::size_t Run::users_offset(const PartRegion& region) const {
  const std::size_t elements =
      region.block * call_.block_elements + strip_begin_ + tile_begin(region.first_tile);
  return elements * call_.element_bytes;
}

/// Where a tile of the block at hand begins in this strip, in elements: at a multiple of a line and
/// of the element.
std::size_t Run::tile_begin(std::uint32_t tile) const {
  if (tile == 0) return 0;
  if (tile == part_.tiles) return block_size_;
  const std::size_t unit = tile_unit(call_.element_bytes);
  return block_size_ * tile / part_.tiles / unit * unit;
}

std::size_t Run::element_count(const PartRegion& region) const {
  return tile_begin(region.first_tile + region.tile_count) - tile_begin(region.first_tile);
}

/// Showing is one step, the first.
const Instruction* Run::showing_step() const noexcept {
  if (part_.lowering != Lowering::owner || part_.instructions.empty()) return nullptr;
  const Instruction& first = part_.instructions.front();
  return first.kind == StepKind::expose ? &first : nullptr;
}

bool Run::shows_only(const Reachable& memory) const noexcept {
  const Instruction* const step = showing_step();
  // What lies in tables is only ever copied.
  if (step == nullptr || call_.tables != nullptr) return false;
  for (const PartRegion& target : part_.targets_of(*step)) {
    const void* const base = target.exposed_buffer == Buffer::input ? call_.input : call_.output;
    if (!memory.covers(static_cast<const std::byte*>(base) + users_offset(target),
                       element_count(target) * call_.element_bytes))
      return false;
  }
  return true;
}

}  // namespace terrace
