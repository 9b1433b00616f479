// SPDX-License-Identifier: BSD-3-Clause
// The executor. Each rank counts its finished steps where only it writes; a step starts when its
// peers' counts are high enough; nothing is ever reset between calls.
#include "execute/run.hpp"

#include <algorithm>
#include <cstring>

namespace terrace {

namespace {

std::size_t round_up(std::size_t value, std::size_t unit) {
  return (value + unit - 1) / unit * unit;
}

void prefetch_for_writing(const void* line) {
#if defined(__x86_64__)
  asm volatile("prefetchw %0" : : "m"(*static_cast<const char*>(line)));  // a hint, nothing else
#else
  __builtin_prefetch(line, 1);
#endif
}

/// Copies no more than was just written, in pieces no wider: a wider load would have to wait until
/// the narrower store before it has left the store buffer.
void copy_in_pieces(const std::byte* from, std::byte* to, std::size_t bytes) {
  std::size_t done = 0;
  for (; done + 8 <= bytes; done += 8) std::memcpy(to + done, from + done, 8);
  for (; done + 4 <= bytes; done += 4) std::memcpy(to + done, from + done, 4);
  for (; done < bytes; ++done) to[done] = from[done];
}

/// Elements that tiles are cut at multiples of: those in a line, where they divide it.
std::size_t tile_unit(std::size_t element_bytes) {
  return 64 % element_bytes == 0 ? 64 / element_bytes : 1;
}

}  // namespace

std::size_t strip_elements(const Part& part, std::size_t element_count, std::size_t element_bytes,
                           std::size_t strip_bytes, std::size_t scratch_bytes) {
  // A line is written once per call.
  if (part.lowering == Lowering::lines) return std::max<std::size_t>(element_count, 1);
  if (part.scratch_blocks != 0) {
    const std::size_t blocks = std::size_t{part.scratch_blocks} * part.ring;
    strip_bytes = std::min(strip_bytes, scratch_bytes / blocks / kLinePairBytes * kLinePairBytes);
  }
  std::size_t elements = strip_bytes / element_bytes;
  const std::size_t unit = tile_unit(element_bytes);
  if (elements > unit) elements = elements / unit * unit;
  return std::max<std::size_t>(std::min(elements, element_count), 1);
}

std::size_t most_elements(const Part& part, std::size_t strip_elements) {
  // Step numbers of a call have 24 bits.
  const std::size_t most_strips = (kDoneSteps - 1) / (part.most_steps_per_strip + 1);
  return most_strips * strip_elements;
}

Run::Run(Member& member, const Part& part, const Call& call)
    : member_(member),
      part_(part),
      call_(call),
      number_(++member.call_),
      first_use_(member.use_),
      strip_count_(static_cast<std::uint32_t>(call.element_count == 0
                                                  ? 1
                                                  : (call.element_count + call.strip_elements - 1) /
                                                        call.strip_elements)),
      strip_size_(std::min(call.element_count, call.strip_elements)),
      scratch_stride_(round_up(strip_size_ * call.element_bytes, kLinePairBytes)) {
  member.use_ += part.lines;
  std::size_t most_operands = 1, most_targets = 1;
  for (const Instruction& step : part.instructions) {
    most_operands = std::max<std::size_t>(most_operands, step.operand_count);
    most_targets = std::max<std::size_t>(most_targets, step.target_count);
  }
  if (member.operands_.size() < most_operands) member.operands_.resize(most_operands);
  if (member.targets_.size() < most_targets) member.targets_.resize(most_targets);
}

Progress Run::advance(std::uint32_t most_steps) noexcept {
  if (!has_entered_ && !(has_entered_ = entry_is_free())) return Progress::blocked;
  const auto count = static_cast<std::uint32_t>(part_.instructions.size());
  for (std::uint32_t steps = 0; position_ < count; ++steps) {
    if (steps == most_steps) return Progress::blocked;
    const Instruction& step = part_.instructions[position_];
    if (!is_met(step)) return is_overrun_ ? Progress::overrun : Progress::blocked;
    perform(step);
    publish(step);
    next();
  }
  if (!has_finished_) finish();
  return Progress::done;
}

/// Contracts are enforced here, before anything shared is written for this call.
bool Run::entry_is_free() noexcept {
  for (std::uint32_t i = 0; i < part_.lines; ++i)
    if (!member_.is_free(member_.line_claims_[(first_use_ + i) % kLineSlots])) return false;
  return part_.scratch_blocks == 0 || member_.is_free(member_.scratch_claim_);
}

std::uint32_t Run::waiting_strip() const {
  return position_ < part_.body_count ? strip_ : strip_count_ - 1;
}

std::uint64_t Run::word_target(const PartWait& wait) const {
  const std::uint64_t strip = waiting_strip() - wait.lag;
  return word_at(number_, strip * wait.steps_per_strip + wait.steps);
}

bool Run::has_come(const Line& line, std::uint64_t sequence) noexcept {
  // acquire: pairs with the store in `ring`; the payload was written before it.
  const std::uint64_t seen = line.sequence.load(std::memory_order_acquire);
  if (seen != sequence && has_reached(seen, sequence)) is_overrun_ = true;
  return seen == sequence;
}

bool Run::is_met(const PartWait& wait) noexcept {
  if (wait.when == When::if_direct && call_.reach != Reach::direct) return true;
  if (wait.when == When::if_bounced && call_.reach != Reach::bounced) return true;
  const std::uint32_t strip = waiting_strip();
  if (wait.lag > strip) return true;
  if (wait.signal == Signal::line)
    return has_come(member_.line(wait.rank, first_use_ + wait.line), first_use_ + wait.line + 1);
  if (wait.signal == Signal::announce && wait.lag == strip)
    return has_come(member_.line(wait.rank, first_use_), first_use_ + 1);
  // acquire: pairs with the store in `ring`; what the peer's step read and wrote lies before it.
  const Word& word = *member_.memory_.ranks[wait.rank].word;
  return has_reached(word.value.load(std::memory_order_acquire), word_target(wait));
}

/// All waits are looked at, met or not, so that the misses overlap.
bool Run::is_met(const Instruction& step) noexcept {
  if (step.wait_count == 0) return true;
  // A line on its way out is not overtaken by a look that takes a peer's line from its writer
  // (docs/design/waiting.md).
  if (has_just_sent_) pause();
  has_just_sent_ = false;
  bool all = true;
  for (const PartWait& wait : part_.waits_of(step)) all &= is_met(wait);
  return all;
}

bool Run::holds() noexcept {
  if (!has_entered_) return entry_is_free();
  if (position_ == part_.instructions.size()) return true;
  return is_met(part_.instructions[position_]) || is_overrun_;
}

const PartWait* Run::first_unmet() noexcept {
  if (!has_entered_ || position_ == part_.instructions.size()) return nullptr;
  for (const PartWait& wait : part_.waits_of(part_.instructions[position_]))
    if (!is_met(wait)) return &wait;
  return nullptr;
}

Bell Run::bell_of(const PartWait& wait) const {
  Word& word = *member_.memory_.ranks[wait.rank].word;
  const bool on_line = wait.signal == Signal::line ||
                       (wait.signal == Signal::announce && wait.lag == waiting_strip());
  if (on_line) {
    const std::uint64_t line = wait.signal == Signal::line ? wait.line : 0;
    return {&member_.line(wait.rank, first_use_ + line).sequence, &word.sleepers};
  }
  return {&word.value, &word.sleepers};
}

/// At entry a rank waits for "call done", which is published without a look at sleepers.
Bell Run::missing() noexcept {
  if (const PartWait* wait = first_unmet()) return bell_of(*wait);
  return {&member_.memory_.ranks[missing_rank()].word->value, nullptr};
}

Rank Run::missing_rank() noexcept {
  if (const PartWait* wait = first_unmet()) return wait->rank;
  for (Rank rank = 0; rank < member_.rank_count() && !has_entered_; ++rank)
    if (rank != member_.rank() && !member_.has_finished(rank, number_ - 1)) return rank;
  return member_.rank();
}

void Run::perform(const Instruction& step) noexcept {
  switch (step.kind) {
    case StepKind::expose:
      expose(step);
      break;
    case StepKind::reduce:
      reduce(step);
      break;
    case StepKind::deliver:
      deliver(step);
      break;
    case StepKind::hold:
      break;  // its waits are its work
  }
}

/// Copies what peers will read, unless they may read the user's buffer itself.
void Run::expose(const Instruction& step) noexcept {
  const bool copies = part_.lowering == Lowering::lines || call_.reach == Reach::bounced;
  for (std::uint32_t i = 0; copies && i < step.operand_count; ++i)
    copy(part_.operands[step.first_operand + i], part_.targets[step.first_target + i]);
  if (part_.lowering == Lowering::owner && strip_ == 0) announce();
}

void Run::announce() noexcept {
  const Announcement announcement{call_.reach, static_cast<const std::byte*>(call_.input),
                                  static_cast<std::byte*>(call_.output)};
  std::memcpy(member_.drafts_[0].data(), &announcement, sizeof announcement);
}

/// Peers have written what they could reach: the user's buffer itself, or its stand-in.
void Run::deliver(const Instruction& step) noexcept {
  if (call_.reach == Reach::direct) return;
  for (std::uint32_t i = 0; i < step.operand_count; ++i)
    copy(part_.operands[step.first_operand + i], part_.targets[step.first_target + i]);
}

void Run::copy(const PartRegion& from, const PartRegion& to) noexcept {
  const std::size_t bytes = element_count(from) * call_.element_bytes;
  void* target = address(to);
  if (bytes != 0) copy_to_all(address(from), &target, 1, bytes, Stores::cached);
}

void Run::reduce(const Instruction& step) noexcept {
  const std::size_t elements = element_count(part_.operands[step.first_operand]);
  if (elements == 0) return;
  std::size_t operand_count = 0, target_count = 0;
  for (const PartRegion& operand : part_.operands_of(step))
    member_.operands_[operand_count++] = address(operand);
  for (const PartRegion& target : part_.targets_of(step)) {
    const bool is_same_as_output = target.buffer == Buffer::exposed && target.rank == part_.rank &&
                                   call_.reach == Reach::direct;
    if (!is_same_as_output) member_.targets_[target_count++] = address(target);
  }
  if (operand_count == 1)
    copy_to_all(member_.operands_[0], member_.targets_.data(), target_count,
                elements * call_.element_bytes, call_.stores);
  else
    call_.reduction(member_.operands_.data(), operand_count, member_.targets_.data(), target_count,
                    elements, call_.stores);
}

/// Lines carry their own flag; a word is rung only for steps that somebody awaits.
void Run::publish(const Instruction& step) noexcept {
  for (const PartRegion& target : part_.targets_of(step))
    if (target.buffer == Buffer::mailbox) send_line(target.block);
  if (step.kind == StepKind::expose && part_.lowering == Lowering::owner && strip_ == 0)
    send_line(0);
  if (!step.publishes_word) return;
  Word& word = *member_.memory_.ranks[part_.rank].word;
  const std::uint64_t steps = std::uint64_t{strip_} * part_.body_count + position_ + 1;
  ring(word.value, word.sleepers, word_at(number_, steps));
}

/// Payload and flag are stored back to back: a peer that polls takes the line away in between if
/// it can, and then it has to be fetched twice.
void Run::send_line(std::uint32_t line) noexcept {
  Line& place = member_.line(part_.rank, first_use_ + line);
  const bool announces = part_.lowering == Lowering::owner;
  copy_in_pieces(member_.drafts_[line].data(), place.payload,
                 announces ? sizeof(Announcement) : strip_size_ * call_.element_bytes);
  ring(place.sequence, member_.memory_.ranks[part_.rank].word->sleepers, first_use_ + line + 1);
  has_just_sent_ = true;
}

void Run::next() noexcept {
  ++position_;
  if (position_ != part_.body_count || strip_ + 1 == strip_count_) return;
  position_ = 0;
  ++strip_;
  strip_begin_ += strip_size_;
  strip_size_ = std::min(call_.strip_elements, call_.element_count - strip_begin_);
}

/// Publishes "call done", also with zero steps, and records who may still read what was shown.
void Run::finish() noexcept {
  has_finished_ = true;
  for (std::uint32_t i = 0; i < part_.lines; ++i)
    if (const std::vector<Rank>& readers = part_.contract.line_readers[i]; !readers.empty())
      member_.line_claims_[(first_use_ + i) % kLineSlots] = {number_, &readers};
  if (const std::vector<Rank>& readers = part_.contract.scratch_readers; !readers.empty())
    member_.scratch_claim_ = {number_, &readers};
  // What this rank writes next is asked for now, while nobody waits for it yet.
  prefetch_for_writing(&member_.line(part_.rank, member_.use_));
  if (part_.contract.hears_all) member_.all_done_ = std::max(member_.all_done_, number_ - 1);
  // release: pairs with the acquire in `Member::has_finished`. Nobody sleeps on it unbounded, so
  // a plain store does.
  member_.memory_.ranks[part_.rank].word->value.store(word_done(number_),
                                                      std::memory_order_release);
}

Announcement Run::announcement_of(Rank rank) const noexcept {
  Announcement announcement;
  std::memcpy(&announcement, member_.line(rank, first_use_).payload, sizeof announcement);
  return announcement;
}

std::byte* Run::address(const PartRegion& region) const noexcept {
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
    case Buffer::mailbox:
      return region.rank == part_.rank
                 ? member_.drafts_[region.block].data()
                 : member_.line(region.rank, first_use_ + region.block).payload;
    case Buffer::exposed:
      break;
  }
  if (region.rank == part_.rank)
    return call_.reach == Reach::direct ? users(region.exposed_buffer, call_.input, call_.output)
                                        : scratch_address(region.rank, region.stand_in, region);
  const Announcement shown = announcement_of(region.rank);
  return shown.reach == Reach::direct ? users(region.exposed_buffer, shown.input, shown.output)
                                      : scratch_address(region.rank, region.stand_in, region);
}

std::byte* Run::scratch_address(Rank rank, std::uint32_t block, const PartRegion& region) const {
  const std::size_t slot = strip_ % part_.ring;
  return member_.memory_.ranks[rank].scratch +
         (slot * part_.scratch_blocks + block) * scratch_stride_ +
         tile_begin(region.first_tile) * call_.element_bytes;
}

std::size_t Run::users_offset(const PartRegion& region) const {
  const std::size_t elements =
      region.block * call_.element_count + strip_begin_ + tile_begin(region.first_tile);
  return elements * call_.element_bytes;
}

/// Where a tile of this strip begins, in elements: at a multiple of a line and of the element.
std::size_t Run::tile_begin(std::uint32_t tile) const {
  if (tile == 0) return 0;
  if (tile == part_.tiles) return strip_size_;
  const std::size_t unit = tile_unit(call_.element_bytes);
  return strip_size_ * tile / part_.tiles / unit * unit;
}

std::size_t Run::element_count(const PartRegion& region) const {
  return tile_begin(region.first_tile + region.tile_count) - tile_begin(region.first_tile);
}

Progress complete(Run& run, const WaitPolicy& policy, World& world) noexcept {
  for (;;) {
    const Progress progress = run.advance();
    if (progress != Progress::blocked) return progress;
    wait_until(run, policy, world);
  }
}

}  // namespace terrace
