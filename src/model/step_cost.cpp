// SPDX-License-Identifier: BSD-3-Clause
// The rules of docs/design/costs.md, one function for each.
#include "model/step_cost.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace terrace::model {

namespace {

/// The scratch of this many calls lies side by side, unless the choice says otherwise; this many
/// bytes are prefetched for the next call.
constexpr double kPieces = 8, kAskedForAhead = 4096;

/// Bytes of its scratch that a rank stores to before it reuses a line.
double span_of(const RankProgram& part, const CostQuestion& question, const StripSizes& cut) {
  const double slots = std::min<double>(part.ring, cut.strips);
  const double blocks = part.scratch_blocks - (question.is_direct ? part.bounce_blocks : 0u);
  const double call = blocks * cut.strip_bytes * slots;
  if (cut.strips > part.ring) return call;
  const double way = question.scratch_span == 0 ? kPieces * call : question.scratch_span;
  const double room = question.scratch_bytes == 0 ? way : question.scratch_bytes;
  return std::max(call, std::min(way, room));
}

/// The share of a working set of `touched` bytes that a cache of `capacity` bytes misses.
double share_missing(double touched, double capacity) {
  return touched <= capacity ? 0 : 1 - capacity / touched;
}

}  // namespace

/// Returns the bytes of a strip; in a vector with more strips than are played, all are full.
double StripSizes::size(std::uint32_t strip) const {
  return std::min(strip_bytes, std::max(0.0, bytes - strip_bytes * strip));
}

StepCost::StepCost(const RankDistances& distances, std::span<const RankProgram> parts,
                   const CostQuestion& question, StripSizes cut, std::uint32_t slots)
    : bytes(distances.model().distances.size()),
      distances_(distances),
      model_(distances.model()),
      question_(question),
      cut_(cut),
      values_(parts, distances, question.is_direct, slots),
      free_(distances.server_count()),
      span_(span_of(parts.front(), question, cut)) {
  const double scratch_slots = std::min<double>(parts.front().ring, cut.strips);
  const double capacity = model_.caches.empty() ? 0 : model_.caches.back().bytes;
  for (std::uint32_t domain = 0; domain < distances.domain_count(); ++domain) {
    const CostValues::Touched& touched = values_.touched_by_domain(domain);
    const double scratch = touched.scratch * cut.strip_bytes * scratch_slots;
    call_missing_.push_back(share_missing(touched.users * cut.bytes + scratch, capacity));
    strip_missing_.push_back(
        share_missing((touched.users + touched.scratch) * cut.strip_bytes, capacity));
  }
  for (Rank rank = 0; rank < distances.rank_count(); ++rank) {
    own_line_.push_back(own_line(rank));
    find_kept(rank);
  }
  asked_.assign(distances.rank_count(), kAskedForAhead / model_.line_bytes);
}

/// Successive calls use different pieces of scratch, so that it takes more room than one has.
void StepCost::find_kept(Rank rank) {
  const CostValues::Touched& touched = values_.touched_by_rank(rank);
  const double first = model_.caches.empty() ? 0 : model_.caches.front().bytes;
  const double users = touched.users * cut_.strip_bytes;
  const double scratch = touched.scratch * cut_.strip_bytes;
  users_kept_.push_back(1 - share_missing(users + scratch, first));
  scratch_kept_.push_back(1 - share_missing(users + kPieces * scratch, first));
}

/// Takes from the lines that a call before has asked for already, as it returned.
double StepCost::asked_for(Rank rank, double lines) {
  if (cut_.strips != 1) return 0;
  const double asked = std::min(lines, asked_[rank]);
  asked_[rank] -= asked;
  return asked;
}

/// A line of those that a rank goes over again and again, by which of them each cache keeps.
double StepCost::own_line(Rank rank) const {
  const CostValues::Touched& touched = values_.touched_by_rank(rank);
  const double in_use = (touched.users + touched.scratch) * cut_.strip_bytes;
  double kept = 0, line = model_.core.copy;
  double sum = 0;
  for (const Cache& cache : model_.caches) {
    const double here = 1 - share_missing(in_use, cache.bytes);
    line = cache.line;
    sum += std::max(0.0, here - kept) * line;
    kept = std::max(kept, here);
  }
  return sum + (1 - kept) * line;
}

double StepCost::own_first(Rank) const {
  return model_.distances.front().modified;
}

double StepCost::lines_of(const ProgramRegion& region, std::uint32_t strip) const {
  const double size = cut_.size(strip);
  if (size == 0 || region.tile_count == 0) return 0;
  const std::uint32_t tiles = values_.tile_count();
  if (region.tile_count == tiles) return std::ceil(size / model_.line_bytes);
  // As the executor cuts: at multiples of a line.
  const double line = model_.line_bytes;
  const auto cut = [&](std::uint32_t tile) {
    return tile == tiles ? size : std::floor(size * tile / tiles / line) * line;
  };
  return std::ceil((cut(region.first_tile + region.tile_count) - cut(region.first_tile)) / line);
}

/// Returns the share of lines that miss: what is touched for the first time in a call was last
/// touched a call ago, everything else a strip ago at most. Scratch goes around and stays.
double StepCost::missing(Rank rank, const CostValue& value, bool is_users) const {
  if (!counts_all()) return 0;
  const std::uint32_t domain = distances_.domain(rank);
  return is_users && !value.was_touched ? call_missing_[domain] : strip_missing_[domain];
}

Rank StepCost::nearest_holder(Rank reader, const CostValue& value) const {
  Rank nearest = value.writer;
  std::uint32_t least = distances_.distance(reader, nearest);
  for (std::uint64_t rest = value.domains; rest != 0; rest &= rest - 1) {
    const std::uint32_t domain = distances_.first_domain_of_node(reader) +
                                 static_cast<std::uint32_t>(std::countr_zero(rest));
    if (domain >= distances_.domain_count()) continue;
    const Rank first = distances_.first_of(domain);
    const Rank holder = first == reader ? distances_.last_of(domain) : first;
    if (holder == reader || distances_.distance(reader, holder) >= least) continue;
    nearest = holder;
    least = distances_.distance(reader, holder);
  }
  return nearest;
}

void StepCost::read(const ProgramRegion& region, std::uint32_t strip, Work& work) {
  if (region.buffer == Buffer::mailbox) {
    read_line(region, cut_.size(strip), work);
    return;
  }
  const double lines = lines_of(region, strip);
  if (lines == 0) return;
  work.value_lines = std::max(work.value_lines, lines);
  const CostValues::Tiles tiles = values_.tiles_of(region);
  const double each = lines / (tiles.last - tiles.first + 1);
  const std::size_t place = values_.place(region, strip);
  // Neighbouring tiles of one writer are one value.
  double together = 0;
  for (std::uint32_t tile = tiles.first; tile <= tiles.last; ++tile) {
    CostValue& value = values_.at(place + tile, region.rank, strip);
    together += each;
    const bool is_last = tile == tiles.last;
    if (!is_last) {
      const CostValue& next = values_.at(place + tile + 1, region.rank, strip);
      if (next.writer == value.writer && next.is_modified == value.is_modified &&
          next.domains == value.domains && next.was_touched == value.was_touched) {
        mark_read(value, work);
        continue;
      }
    }
    read_value(value, region, together, work);
    together = 0;
  }
}

/// It has come with its flag, but for what lies in the neighbouring line.
void StepCost::read_line(const ProgramRegion& region, double size, Work& work) {
  constexpr double kBesideFlag = 48;
  const std::uint32_t index = distances_.distance(work.rank, region.rank);
  bytes[index] += size;
  work.own += model_.core.copy * std::ceil(size / model_.line_bytes);
  const bool is_alone = (region.pocket + 1) * size <= kBesideFlag || region.rank == work.rank;
  if (is_alone || !counts_all()) return;
  const double latency = model_.distances[index].modified;
  work.further += std::min({latency, work.longest, model_.distances[index].further_line});
  if (latency > work.longest) work.far = index;
  work.longest = std::max(work.longest, latency);
}

/// Marks a value as read: ranks that read before the first copy has come also read from the writer.
void StepCost::mark_read(CostValue& value, const Work& work) const {
  value.was_touched = true;
  if (value.writer == work.rank) return;
  if (value.is_modified)
    value.copies_from = work.begin + distances_.between(work.rank, value.writer).modified;
  value.is_modified = false;
  value.domains |= std::uint64_t{1} << distances_.domain_on_node(work.rank);
  value.domains |= std::uint64_t{1} << distances_.domain_on_node(value.writer);
}

void StepCost::read_value(CostValue& value, const ProgramRegion& region, double lines, Work& work) {
  const double in_memory = missing(work.rank, value, values_.is_users(region));
  if (value.writer == work.rank) {
    bytes[0] += lines * model_.line_bytes;
    work.first_own += own_first(work.rank);
    // What was stored past the caches is in none.
    const bool is_streamed =
        question_.streams_scratch && !values_.is_users(region) && value.was_touched && counts_all();
    if (is_streamed)
      work.lines += lines * model_.line_bytes / model_.memory.core_bandwidth;
    else
      work.own += (lines - 1) * own_line_[work.rank];
    if (in_memory > 0) from_memory(region.rank, lines * in_memory, work);
  } else {
    // The paper reads modified lines only.
    const bool is_modified = !counts_all() || value.is_modified || work.begin < value.copies_from;
    fetch(is_modified ? value.writer : nearest_holder(work.rank, value), is_modified, lines,
          in_memory, values_.is_users(region), value, work);
    if (in_memory > 0) from_memory(region.rank, lines * in_memory, work);
  }
  mark_read(value, work);
}

/// One line takes the latency, m lines a + b m. Of several values the first lines overlap, unless
/// the paper counts.
void StepCost::fetch(Rank supplier, bool is_modified, double lines, double in_memory, bool is_users,
                     CostValue& value, Work& work) {
  const std::uint32_t index = distances_.distance(work.rank, supplier);
  const Distance& distance = model_.distances[index];
  bytes[index] += lines * model_.line_bytes;
  double latency = is_modified ? distance.modified : distance.shared;
  if (lines > 1) latency = std::max(0.0, distance.a - distance.modified + latency);
  if (in_memory > 0) latency += in_memory * std::max(0.0, distance.memory - latency);
  if (counts_all()) {
    const double waits = std::max(0.0, value.next_reader - work.begin);
    work.readers = std::max(work.readers, waits);
    value.next_reader = work.begin + waits + distance.further_reader;
    work.further += std::min({latency, work.longest, distance.further_line});
  } else {
    work.further += std::min(latency, work.longest);
  }
  if (latency > work.longest) work.far = index;
  work.longest = std::max(work.longest, latency);
  if (lines > 1) {
    work.lines += lines_behind(distance, supplier, lines, is_users, latency) * (1 - in_memory);
    work.lines_far = std::max(work.lines_far, index);
  }
  if (lines > 1 || counts_all())
    pass(distances_.way(supplier, work.rank), distance, lines * (1 - in_memory), latency, work);
}

PassageCost StepCost::passage(const Distance& distance, double lines, bool is_users,
                              bool streams) const {
  const Passage how{lines * model_.line_bytes, is_users ? 0 : span_, streams};
  return passage_cost(distance, how, model_.line_bytes);
}

/// Returns the time of the lines that follow the first: as measured, or by b.
double StepCost::lines_behind(const Distance& distance, Rank supplier, double lines, bool is_users,
                              double latency) const {
  if (counts_all() && knows_passages(distance)) {
    const bool streams = !is_users && question_.streams_scratch;
    return std::max(0.0, passage(distance, lines, is_users, streams).read - latency);
  }
  if (!is_users && question_.streams_scratch)
    return lines * model_.line_bytes / model_.memory.core_bandwidth;
  const double kept = users_kept_[supplier];
  const double b = kept * distance.b + (1 - kept) * distance.b_outer;
  return b * lines;
}

/// A later reader of a link gets what is left of it: d that begin together with m lines each
/// are done after a + B d m.
void StepCost::pass(ServerPath way, const Distance& distance, double lines, double latency,
                    Work& work) {
  for (std::uint32_t i = 0; i < way.count; ++i) {
    double& free = free_[way.servers[i]];
    free = std::max(free, work.begin) + distance.B * lines;
    work.links_free = std::max(work.links_free, free + latency);
  }
}

void StepCost::from_memory(Rank home, double lines, Work& work) {
  const double moved = lines * model_.line_bytes;
  memory_bytes += moved;
  work.memory += moved / model_.memory.core_bandwidth;
  occupy_memory(home, lines, work);
}

/// Lines of one's own that peers have read must be taken back; those of a peer come as if read.
void StepCost::write(const ProgramRegion& region, std::uint32_t strip, Work& work) {
  const double lines = region.buffer == Buffer::mailbox
                           ? std::ceil(cut_.size(strip) / model_.line_bytes)
                           : lines_of(region, strip);
  // What is shown directly is the user's buffer, which the step writes anyway.
  const bool is_shown_too =
      region.buffer == Buffer::exposed && region.rank == work.rank && question_.is_direct;
  if (lines == 0 || is_shown_too) return;
  if (region.buffer == Buffer::mailbox || !counts_all()) {
    work.first_own += counts_all() ? model_.core.copy : own_first(work.rank);
    work.own += (lines - 1) * model_.core.copy;
    if (region.buffer != Buffer::mailbox) mark_written(region, strip, work.rank);
    return;
  }
  const bool is_users = values_.is_users(region);
  const CostValues::Tiles tiles = values_.tiles_of(region);
  CostValue& value = values_.at(values_.place(region, strip) + tiles.first, region.rank, strip);
  const double in_memory = missing(work.rank, value, is_users);
  const bool streams =
      is_users ? question_.streams && region.buffer != Buffer::input : question_.streams_scratch;
  const bool is_all = own_lines(value, region, lines, is_users, streams, work);
  if (streams && !is_all) {
    memory_bytes += lines * model_.line_bytes;
    work.own += lines * model_.memory.streamed_store;
    occupy_memory(region.rank, lines, work);
  } else if (!streams) {
    if (!is_all) work.own += lines * std::max(model_.core.copy, own_line_[work.rank]);
    // Read before it is written, if the machine does so, and written back some time.
    const double times = model_.memory.allocates_on_write ? 2 : 1;
    if (in_memory > 0) from_memory(region.rank, times * lines * in_memory, work);
  }
  mark_written(region, strip, work.rank);
}

void StepCost::occupy_memory(Rank home, double lines, Work& work) {
  double& free = free_[distances_.memory_of(home)];
  free = std::max(free, work.begin) + lines * model_.line_bytes / model_.memory.bandwidth;
  work.links_free = std::max(work.links_free, free);
}

/// Adds a write across a distance. The measured write time includes its loads; prefetching saves
/// only the transfer of ownership.
void StepCost::own_passage(const Distance& distance, double lines, bool is_users, bool streams,
                           double asked, Work& work) {
  const double all = passage(distance, lines, is_users, streams).write;
  const double own = asked / lines * all;
  const double first = std::min(all - own, distance.ownership);
  if (first > work.ownership) work.owned_far = distances_.index_of(distance);
  work.ownership = std::max(work.ownership, first);
  work.owned_lines += all - own - first;
  work.passed_on += all - own;
  work.own += asked * std::max(model_.core.copy, own_line_[work.rank]);
}

/// Whether all that the storing takes is counted by that.
bool StepCost::own_lines(const CostValue& value, const ProgramRegion& region, double lines,
                         bool is_users, bool streams, Work& work) {
  const double all = lines;
  const bool is_scratch = !is_users;
  if (is_scratch && value.writer == work.rank && !streams) lines -= asked_for(work.rank, lines);
  if (lines == 0) return false;
  std::uint32_t index = 0;
  if (value.writer != work.rank) {
    index = distances_.distance(work.rank, value.writer);
  } else if (!value.is_modified) {
    for (std::uint64_t rest = value.domains; rest != 0; rest &= rest - 1)
      index = std::max(index, distance_to_domain(work.rank, std::countr_zero(rest)));
  } else if (!value.was_touched) {
    index = values_.furthest_peer(region);  // who read it in the call before
  }
  if (index == 0) return false;
  const Distance& distance = model_.distances[index];
  if (knows_passages(distance)) {
    own_passage(distance, all, is_users, streams, all - lines, work);
    return true;
  }
  if (streams && is_scratch) return false;  // nothing is taken away before
  if (distance.ownership > work.ownership) work.owned_far = index;
  work.ownership = std::max(work.ownership, distance.ownership);
  // For each place that is written to: with one's own lines nothing has to come, those of a peer
  // come as if read, unless one wrote them in the call before.
  const bool was_mine = distance.has_w && !value.was_touched && region.buffer != Buffer::input;
  const bool is_mine = value.writer == work.rank || was_mine;
  const Rank holder = is_mine ? region.rank : value.writer;
  const double kept = is_users ? users_kept_[holder] : scratch_kept_[holder];
  const double inner = is_mine ? distance.w : distance.b;
  const double outer = is_mine ? distance.w_outer : distance.b_outer;
  work.owned_lines += (lines - 1) * (kept * inner + (1 - kept) * outer);
  if (!is_mine)
    pass(distances_.way(value.writer, work.rank), distance, lines, distance.ownership, work);
  return false;
}

std::uint32_t StepCost::distance_to_domain(Rank rank, int domain) const {
  const std::uint32_t index =
      distances_.first_domain_of_node(rank) + static_cast<std::uint32_t>(domain);
  if (index >= distances_.domain_count()) return 0;
  const Rank first = distances_.first_of(index);
  return distances_.distance(rank, first == rank ? distances_.last_of(index) : first);
}

void StepCost::mark_written(const ProgramRegion& region, std::uint32_t strip, Rank writer) {
  const CostValues::Tiles tiles = values_.tiles_of(region);
  const std::size_t place = values_.place(region, strip);
  for (std::uint32_t tile = tiles.first; tile <= tiles.last; ++tile) {
    CostValue& value = values_.at(place + tile, region.rank, strip);
    value.writer = writer;
    value.is_modified = true;
    value.was_touched = true;
    value.domains = 0;
    value.next_reader = 0;
  }
}

/// Own work hides behind lines on their way, but for the first ones.
double StepCost::finish(Work& work, std::vector<CostPart>& spent) const {
  const auto spend = [&](Cause cause, std::uint32_t distance, double ns) {
    if (ns > 0) spent.push_back({cause, distance, ns});
    return std::max(ns, 0.0);
  };
  double now = work.begin;
  now += spend(Cause::readers, work.far, work.readers);
  now += spend(Cause::latency, work.far, work.longest);
  now += spend(Cause::latency, work.far, work.further);
  now += spend(Cause::lines, work.lines_far, work.lines);
  now += spend(Cause::memory, 0, work.memory);
  const double hidden = work.lines + work.memory + work.passed_on;
  // Both kinds of misses take the same buffers of a core, so that only the first line hides.
  now += spend(Cause::ownership, work.owned_far,
               std::max(0.0, work.ownership - work.lines - work.memory) + work.owned_lines);
  now += spend(Cause::own, 0, work.first_own);
  const double own = counts_all() ? work.own : 0;
  now += spend(Cause::own, 0, own - hidden);
  now += spend(Cause::link, work.lines_far, work.links_free - now);
  return now;
}

double StepCost::bytes_of(const RankProgram& part, const Instruction& step,
                          std::uint32_t strip) const {
  double sum = 0;
  for (const ProgramRegion& operand : part.operands_of(step))
    sum += cut_.size(strip) * operand.tile_count / values_.tile_count();
  return sum;
}

/// A message puts its values where they belong while it arrives.
double StepCost::receive(const RankProgram& part, const Instruction& step, std::uint32_t strip,
                         double begin, std::vector<CostPart>& spent) {
  for (const ProgramRegion& target : part.targets_of(step))
    if (target.buffer != Buffer::mailbox) mark_written(target, strip, part.rank);
  const std::uint32_t index = distances_.network(step.peer, part.rank);
  const double o = model_.networks[index].o;
  spent.push_back({Cause::message, index, o});
  return begin + o;
}

double StepCost::perform(const RankProgram& part, const Instruction& step, std::uint32_t strip,
                         double begin, std::vector<CostPart>& spent) {
  if (step.kind == StepKind::receive) return receive(part, step, strip, begin, spent);
  Work work;
  work.rank = part.rank;
  work.begin = begin;
  const bool copies_own = step.kind == StepKind::expose || step.kind == StepKind::deliver;
  const bool is_idle = step.kind == StepKind::hold ||
                       (copies_own && question_.is_direct && part.lowering == Lowering::owner);
  if (is_idle) return begin;
  for (const ProgramRegion& operand : part.operands_of(step)) read(operand, strip, work);
  // Of outputs that are shown it is only said where they are.
  const auto targets = part.targets_of(step);
  const std::size_t written =
      step.kind == StepKind::expose ? part.operands_of(step).size() : targets.size();
  for (const ProgramRegion& target : targets.first(written)) write(target, strip, work);
  if (step.kind == StepKind::reduce && step.operand_count > 1 && counts_all())
    work.own += (step.operand_count - 1) * work.value_lines * model_.core.combine;
  return finish(work, spent);
}

}  // namespace terrace::model
