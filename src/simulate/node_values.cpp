// SPDX-License-Identifier: BSD-3-Clause
// The costs of a step's values: where each lies, the time of its first line and of the others, and
// which places they occupy.
#include <algorithm>
#include <bit>

#include "execute/call.hpp"
#include "simulate/node.hpp"

namespace terrace::simulate {

// ---------------------------------------------------------------------------------------------
// Places.

/// Users' buffers stand for a few strips at a time, since what a rank does in one strip does not
/// touch another's; scratch is there as often as leases and ring say.
void NodeSimulation::place_values() {
  constexpr std::uint32_t kMostKeptStrips = 8;
  kept_strips_ = std::min(strips_, kMostKeptStrips);
  const RankProgram& any = programs_.front();
  std::vector<std::array<std::vector<bool>, 2>> touched(players_.size());
  for (const RankProgram& program : programs_)
    for (const auto* regions : {&program.operands, &program.targets})
      for (const ProgramRegion& region : *regions) {
        const Buffer buffer =
            region.buffer == Buffer::exposed ? region.exposed_buffer : region.buffer;
        if (buffer != Buffer::input && buffer != Buffer::output) continue;
        const auto which = static_cast<std::size_t>(buffer == Buffer::output);
        blocks_[which] = std::max(blocks_[which], region.block + 1u);
        auto& blocks = touched[region.rank][which];
        if (blocks.size() <= region.block) blocks.resize(region.block + 1u);
        blocks[region.block] = true;
      }
  const double block_lines =
      hardware_->lines(static_cast<double>(setting_->element_count * setting_->element_bytes));
  users_lines_.resize(players_.size());
  users_lines_near_.resize(hardware_->domain_count());
  for (Rank rank = 0; rank < players_.size(); ++rank)
    for (std::size_t which = 0; which < 2; ++which) {
      const auto& blocks = touched[rank][which];
      const auto count = static_cast<double>(std::count(blocks.begin(), blocks.end(), true));
      users_lines_[rank][which] = block_lines * count;
      users_lines_near_[hardware_->domain_of(rank)][which] += block_lines * count;
    }
  const std::size_t slot = blocks_per_slot(any, setting_->is_direct) *
                           ((strip_size_ * setting_->element_bytes + kLinePairBytes - 1) /
                            kLinePairBytes * kLinePairBytes);
  if (const std::size_t piece = slot * any.ring; piece != 0)
    leases_ = static_cast<std::uint32_t>(
        std::clamp<std::size_t>(setting_->scratch_bytes / piece, 1, pieces_in_a_row(piece)));
  // Leases that no call uses take no room.
  kept_leases_ = std::min(leases_, setting_->calls);
  kept_slots_ = std::min<std::uint32_t>(any.ring, strips_);
  scratch_blocks_ = static_cast<std::uint32_t>(blocks_per_slot(any, setting_->is_direct));
  for (Rank rank = 0; rank < players_.size(); ++rank)
    pieces_.push_back(
        {values_.add(rank, blocks_[0] * kept_strips_ * any.tiles),
         values_.add(rank, blocks_[1] * kept_strips_ * any.tiles),
         values_.add(rank, kept_leases_ * kept_slots_ * scratch_blocks_ * any.tiles)});
}

/// The piece of the region's first tile; those of the others follow.
PieceIndex NodeSimulation::place_of(const ProgramRegion& region, const Player& player) const {
  const RankProgram& any = programs_.front();
  if (is_in_scratch(region)) {
    const std::uint32_t slot = (player.call - 1) % leases_ * kept_slots_ + player.strip % any.ring;
    const std::uint32_t block =
        region.buffer == Buffer::exposed ? region.bounce_block : region.block;
    return pieces_[region.rank][2] + (slot * scratch_blocks_ + block) * any.tiles +
           region.first_tile;
  }
  return pieces_[region.rank][is_output(region) ? 1 : 0] +
         (region.block * kept_strips_ + player.strip % kept_strips_) * any.tiles +
         region.first_tile;
}

PieceIndex NodeSimulation::first_piece(const ProgramRegion& region, const Player& player) {
  const PieceIndex first = place_of(region, player);
  if (is_in_scratch(region)) return first;
  for (std::uint32_t tile = 0; tile < region.tile_count; ++tile)
    renew(first + tile, region, tile, is_output(region) ? 1 : 0, player);
  return first;
}

bool NodeSimulation::is_in_scratch(const ProgramRegion& region) const {
  return region.buffer == Buffer::scratch ||
         (region.buffer == Buffer::exposed && !setting_->is_direct);
}

bool NodeSimulation::is_output(const ProgramRegion& region) {
  const bool is_exposed = region.buffer == Buffer::exposed;
  return (is_exposed ? region.exposed_buffer : region.buffer) == Buffer::output;
}

/// Prefetches, on the machine that this runs on, what is needed soon: pieces lie far apart.
void NodeSimulation::expect(Rank rank, std::span<const ProgramRegion> regions,
                            std::size_t index) const {
  constexpr std::size_t kAhead = 6;
  if (index + kAhead >= regions.size()) return;
  const ProgramRegion& region = regions[index + kAhead];
  if (region.buffer != Buffer::mailbox) values_.expect(place_of(region, players_[rank]));
}

/// Before each call a rank has touched its output and then written its input. In a long vector,
/// what came later has driven out what came first.
void NodeSimulation::renew(PieceIndex piece, const ProgramRegion& region, std::uint32_t tile,
                           std::size_t which, const Player& reader) {
  const std::uint64_t strip = std::uint64_t{reader.call} << 32 | (reader.strip + 1);
  std::uint64_t& known = values_.strip_of(piece);
  if (known >= strip) return;
  known = strip;
  const RankProgram& any = programs_.front();
  const double into_strip = static_cast<double>(region.first_tile + tile) / any.tiles;
  const double left = 1 - (reader.strip + into_strip) / strips_;
  const Rank owner = region.rank;
  const auto since = [&](const std::array<double, 2>& lines) {
    return static_cast<std::int64_t>(which == 0 ? lines[0] * left : lines[0] + lines[1] * left);
  };
  const Player& player = players_[owner];
  values_.touch(piece, values_.own_lines(owner) - player.own_lines + since(users_lines_[owner]),
                values_.domain_lines(owner) - player.domain_lines +
                    since(users_lines_near_[hardware_->domain_of(owner)]));
}

std::size_t NodeSimulation::strip_elements(std::uint32_t strip) const {
  return std::min(strip_size_, setting_->element_count - strip_size_ * strip);
}

std::size_t NodeSimulation::tile_begin(std::size_t elements, std::uint32_t tile) const {
  const std::uint32_t tiles = programs_.front().tiles;
  if (tile == tiles) return elements;
  const std::size_t unit = tile_unit(setting_->element_bytes);
  return tile == 0 ? 0 : elements * tile / tiles / unit * unit;
}

/// All strips have as many elements, but for the last.
void NodeSimulation::measure_tiles() {
  for (const std::uint32_t strip : {0u, strips_ - 1}) {
    const std::size_t elements = strip_elements(strip);
    std::vector<double>& bytes = tile_bytes_[strip + 1 == strips_ ? 1 : 0];
    bytes.clear();
    for (std::uint32_t tile = 0; tile < programs_.front().tiles; ++tile)
      bytes.push_back(static_cast<double>(
          (tile_begin(elements, tile + 1) - tile_begin(elements, tile)) * setting_->element_bytes));
  }
}

/// One's own exposed buffer, if direct: the step writes it anyway.
bool NodeSimulation::is_own_output(Rank rank, const ProgramRegion& region) const {
  return region.buffer == Buffer::exposed && region.rank == rank && setting_->is_direct;
}

// ---------------------------------------------------------------------------------------------
// Steps.

void NodeSimulation::work_out(Rank rank, const Instruction& step, double now, Work& work) {
  const RankProgram& program = programs_[rank];
  const bool moves = step.kind == StepKind::reduce || step.kind == StepKind::copy ||
                     (step.kind == StepKind::expose &&
                      (program.lowering == Lowering::lines || !setting_->is_direct)) ||
                     (step.kind == StepKind::deliver && !setting_->is_direct);
  if (!moves || setting_->element_count == 0) return;
  const auto operands = program.operands_of(step);
  const auto targets = program.targets_of(step);
  const bool is_by_pairs = step.kind != StepKind::reduce;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    expect(rank, operands, i);
    if (!is_by_pairs || !is_own_output(rank, targets[i])) read(rank, operands[i], now, work);
  }
  const bool streams =
      setting_->streams && (step.kind == StepKind::reduce || step.kind == StepKind::copy);
  for (std::size_t i = 0; i < std::min(targets.size(), is_by_pairs ? operands.size() : ~0u); ++i) {
    expect(rank, targets, i);
    if (!is_own_output(rank, targets[i])) write(rank, targets[i], streams, now, work);
  }
  if (is_by_pairs || is_paper()) return;
  double bytes = 0;
  for (std::uint32_t tile = 0; tile < operands.front().tile_count; ++tile)
    bytes += tile_bytes(players_[rank].strip, operands.front().first_tile + tile);
  work.lines += hardware_->model().core.combine * hardware_->lines(bytes) *
                static_cast<double>(operands.size() - 1);
}

double NodeSimulation::bytes_of(Rank rank, const Instruction& send) const {
  double bytes = 0;
  for (const ProgramRegion& region : programs_[rank].operands_of(send))
    for (std::uint32_t tile = 0; tile < region.tile_count; ++tile)
      bytes += tile_bytes(players_[rank].strip, region.first_tile + tile);
  return bytes;
}

/// The network has put the values where they belong, as if their rank had just written them.
void NodeSimulation::put(Rank rank, const Instruction& receive, double now) {
  if (setting_->element_count == 0) return;
  for (const ProgramRegion& region : programs_[rank].targets_of(receive)) {
    if (region.buffer == Buffer::mailbox) continue;
    const PieceIndex first = first_piece(region, players_[rank]);
    for (std::uint32_t tile = 0; tile < region.tile_count; ++tile)
      if (const double bytes = tile_bytes(players_[rank].strip, region.first_tile + tile);
          bytes > 0)
        values_.write(first + tile, rank, static_cast<std::int64_t>(hardware_->lines(bytes)),
                      values_.find(first + tile, rank, now), now);
  }
}

void NodeSimulation::read(Rank rank, const ProgramRegion& region, double now, Work& work) {
  if (region.buffer == Buffer::mailbox) return read_line(rank, region, now, work);
  const Player& me = players_[rank];
  const PieceIndex first = first_piece(region, me);
  bool is_first = true;
  for (std::uint32_t tile = 0; tile < region.tile_count; ++tile) {
    const double bytes = tile_bytes(me.strip, region.first_tile + tile);
    if (bytes == 0) continue;
    fetch(rank, first + tile, bytes, is_first, now, work);
    is_first = false;
  }
}

/// Reads a line of values, which has come with its flag; the paper knows no flags.
void NodeSimulation::read_line(Rank rank, const ProgramRegion& region, double now, Work& work) {
  const double hit = hardware_->model().caches.front().latency;
  const Player& me = players_[rank];
  const std::uint64_t use = std::uint64_t{me.call - 1} * programs_[rank].lines + region.block;
  if (region.rank == rank || !is_paper()) {
    work.hits += hit;
    return;
  }
  const Fetched fetched = signals_.fetch_alone(
      signals_.number(region.rank, 1 + static_cast<std::uint32_t>(use % kLineSlots)), rank, now);
  if (fetched.is_hit) {
    work.hits += hit;
    return;
  }
  add_miss(fetched.latency, fetched.further, work);
}

/// The first misses of a step are under way together.
void NodeSimulation::add_miss(double latency, double further, Work& work) {
  if (work.has_missed) work.issue += further;
  work.has_missed = true;
  work.latency = std::max(work.latency, latency);
}

void NodeSimulation::fetch(Rank rank, PieceIndex piece, double bytes, bool is_first, double now,
                           Work& work) {
  const FoundValue found = values_.find(piece, rank, now);
  const double latency = bring(found, piece, rank, bytes, is_first, now, work);
  values_.read(piece, rank, static_cast<std::int64_t>(hardware_->lines(bytes)), found,
               now + latency);
}

/// Fetches a piece; returns how long the first line takes.
double NodeSimulation::bring(const FoundValue& found, PieceIndex piece, Rank rank, double bytes,
                             bool is_first, double now, Work& work) {
  const double lines = hardware_->lines(bytes);
  const model::MachineModel& machine = hardware_->model();
  const std::uint32_t far_index = hardware_->distance(rank, found.from);
  const model::Distance& far = hardware_->distance_at(far_index);
  count(found, far_index, bytes, work);
  if (found.where == FoundValue::Where::own) {
    const model::Cache& cache = hardware_->private_cache(lines);
    if (is_first) work.hits += cache.latency;
    if (!is_paper()) work.lines += (lines - (is_first ? 1 : 0)) * cache.line;
    return 0;
  }
  double first = 0, further = far.b;
  switch (found.where) {
    case FoundValue::Where::own:
      break;
    case FoundValue::Where::domain:
      first = hardware_->last_cache().latency;
      further = hardware_->last_cache().line;
      hardware_->add_cache(hardware_->domain_of(rank), bytes, work.shares);
      break;
    case FoundValue::Where::modified:
      first = far.modified;
      hardware_->add_transfer(found.from, rank, bytes, work.shares);
      break;
    case FoundValue::Where::shared:
      first = far.shared > 0 ? far.shared : far.modified;
      hardware_->add_transfer(found.from, rank, bytes, work.shares);
      break;
    case FoundValue::Where::memory:
      first = far.memory > 0 ? far.memory : machine.memory.latency;
      if (machine.memory.core_bandwidth > 0)
        further = std::max(further, machine.line_bytes / machine.memory.core_bandwidth);
      hardware_->add_memory(found.from, rank, bytes, work.shares);
      break;
  }
  work.bytes += bytes;
  work.lines += (lines - (is_first ? 1 : 0)) * further;
  if (!is_first) return first;
  const bool is_short = lines < kFlowLines && !is_paper();
  if (is_short) first += values_.queue(piece, now, far.further_reader * lines);
  add_miss(first, far.further_line, work);
  return first;
}

void NodeSimulation::count(const FoundValue& found, std::uint32_t distance, double bytes,
                           Work& work) {
  const bool is_elsewhere =
      found.where == FoundValue::Where::modified || found.where == FoundValue::Where::shared;
  const std::size_t place = found.where == FoundValue::Where::own      ? 0
                            : found.where == FoundValue::Where::domain ? 1
                            : is_elsewhere                             ? distance + 2
                                           : outcome_.bytes_from.size() - 1;
  outcome_.bytes_from[place] += bytes;
  if (!is_elsewhere || (work.peer != kNoRank && work.peer_distance >= distance)) return;
  work.peer = found.from;
  work.peer_distance = distance;
}

void NodeSimulation::write(Rank rank, const ProgramRegion& region, bool streams, double now,
                           Work& work) {
  if (region.buffer == Buffer::mailbox) {
    work.hits +=
        is_paper() ? hardware_->model().caches.front().latency : hardware_->model().core.copy;
    return;
  }
  const Player& me = players_[rank];
  const PieceIndex first = first_piece(region, me);
  bool is_first = true;
  for (std::uint32_t tile = 0; tile < region.tile_count; ++tile) {
    const double bytes = tile_bytes(me.strip, region.first_tile + tile);
    if (bytes == 0) continue;
    if (streams)
      stream(rank, first + tile, bytes, work);
    else
      store(rank, first + tile, bytes, is_first, now, work);
    is_first = false;
  }
}

/// Stores a piece. A store first fetches its line, unless the model has no write-allocate; a line
/// from memory evicts one that is written back.
void NodeSimulation::store(Rank rank, PieceIndex piece, double bytes, bool is_first, double now,
                           Work& work) {
  const model::MachineModel& machine = hardware_->model();
  const double lines = hardware_->lines(bytes);
  const FoundValue found = values_.find(piece, rank, now);
  const bool is_mine = found.where == FoundValue::Where::own;
  if (is_mine && is_paper()) {
    if (is_first) work.hits += machine.caches.front().latency;
    count(found, 0, bytes, work);
  } else if (is_mine) {
    count(found, 0, bytes, work);
  } else if (found.where == FoundValue::Where::memory) {
    if (machine.memory.allocates_on_write)
      bring(found, piece, rank, bytes, is_first, now, work);
    else
      work.bytes += bytes;
    hardware_->add_memory(found.from, rank, bytes, work.shares);
  } else {
    bring(found, piece, rank, bytes, is_first, now, work);
  }
  if (!is_paper()) {
    work.lines += lines * machine.core.copy;
    if (found.is_shared) work.ownership = std::max(work.ownership, ownership(rank, piece));
  }
  values_.write(piece, rank, static_cast<std::int64_t>(lines), found, now);
}

void NodeSimulation::stream(Rank rank, PieceIndex piece, double bytes, Work& work) {
  work.bytes += bytes;
  work.lines += hardware_->lines(bytes) * hardware_->model().memory.streamed_store;
  hardware_->add_memory(values_.home(piece), rank, bytes, work.shares);
  count({FoundValue::Where::memory, values_.home(piece), false, false},
        hardware_->distance(rank, values_.home(piece)), bytes, work);
  values_.stream(piece);
}

/// Taking a piece from the farthest who has a copy.
double NodeSimulation::ownership(Rank rank, PieceIndex piece) const {
  double longest = 0;
  for (std::uint64_t domains = values_.domains(piece); domains != 0; domains &= domains - 1) {
    const auto domain = static_cast<Domain>(std::countr_zero(domains));
    const std::span<const Rank> members = hardware_->members_of(domain);
    const Rank holder = members.front() == rank ? members.back() : members.front();
    longest =
        std::max(longest, hardware_->distance_at(hardware_->distance(rank, holder)).ownership);
  }
  return longest;
}

}  // namespace terrace::simulate
