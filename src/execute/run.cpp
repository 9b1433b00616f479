// SPDX-License-Identifier: BSD-3-Clause
// The executor. Each rank counts its finished steps where only it writes; a step starts when its
// peers' counts are high enough; nothing is ever reset between calls.
#include "execute/run.hpp"

#include <algorithm>
#include <cstring>

namespace terrace {

namespace {

/// Copies into scratch ask for their lines beforehand, up to here; longer ones keep enough misses
/// in flight by themselves. And as much is asked for before the call that may want it.
constexpr std::size_t kAskedFor = 8192, kAskedForAhead = 4096;

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

/// Lines of scratch that peers have read are theirs, too, and each has to come back before it can
/// be written: together they come sooner than one after the other. Of a long value the first.
void prefetch_for_writing(const std::byte* place, std::size_t bytes, std::size_t most) {
  constexpr std::size_t kLine = 64;
  for (std::size_t i = 0; i < std::min(bytes, most); i += kLine) prefetch_for_writing(place + i);
}

/// The rest of a long value is the business of the hardware's prefetchers.
void ask_for(const void* value, std::size_t bytes) {
  constexpr std::size_t kLine = 64, kMost = 256;
  for (std::size_t i = 0; i < std::min(bytes, kMost); i += kLine)
    __builtin_prefetch(static_cast<const char*>(value) + i);
}

/// Copies no more than was just written, in pieces no wider: a wider load would have to wait until
/// the narrower store before it has left the store buffer.
void copy_in_pieces(const std::byte* from, std::byte* to, std::size_t bytes) {
  std::size_t done = 0;
  for (; done + 8 <= bytes; done += 8) std::memcpy(to + done, from + done, 8);
  for (; done + 4 <= bytes; done += 4) std::memcpy(to + done, from + done, 4);
  for (; done < bytes; ++done) to[done] = from[done];
}

}  // namespace

Run::Run(Member& member, const Part& part, const Call& call)
    : member_(member),
      work_(member.workspace()),
      part_(part),
      call_(call),
      strip_count_(static_cast<std::uint32_t>(call.element_count == 0
                                                  ? 1
                                                  : (call.element_count + call.strip_elements - 1) /
                                                        call.strip_elements)),
      strip_begin_(call.first_element),
      strip_size_(std::min(call.element_count, call.strip_elements)),
      block_size_(strip_size_),
      scratch_stride_(round_up(strip_size_ * call.element_bytes, kLinePairBytes)),
      slot_stride_(blocks_per_slot(part, call.is_direct_everywhere) * scratch_stride_),
      lease_(member.lease(part.lines, slot_stride_ * part.ring)) {
  if (work_.operands.size() < part.most_operands) work_.operands.resize(part.most_operands);
  if (work_.targets.size() < part.most_targets) work_.targets.resize(part.most_targets);
  tell_signature();
}

void Run::tell_signature() noexcept {
  Word& word = *member_.memory().ranks[part_.rank].word;
  // release, both: pair with the acquires in `find_mismatch`.
  word.signatures[lease_.call % kRememberedCalls].store(call_.signature, std::memory_order_release);
  word.call.store(lease_.call, std::memory_order_release);
}

Progress Run::advance(std::uint32_t most_steps) noexcept {
  if (is_cut_off_) return Progress::unreachable;
  if (!has_entered_ && !(has_entered_ = entry_is_free())) return Progress::blocked;
  const auto count = static_cast<std::uint32_t>(part_.instructions.size());
  for (std::uint32_t steps = 0; position_ < count; ++steps) {
    if (steps == most_steps) return Progress::blocked;
    const Instruction& step = part_.instructions[position_];
    if (!is_met(step)) {
      if (mismatch_) return Progress::mismatched;
      return is_overrun_ ? Progress::overrun : Progress::blocked;
    }
    perform(step);
    if (is_cut_off_) return Progress::unreachable;
    publish(step);
    next();
  }
  if (!has_finished_) finish();
  return Progress::done;
}

/// Contracts are enforced here, before anything shared is written for this call.
bool Run::entry_is_free() noexcept {
  return !member_.reader_of(lease_);
}

std::uint32_t Run::waiting_strip() const {
  return position_ < part_.body_count ? strip_ : strip_count_ - 1;
}

std::uint64_t Run::word_target(const PartWait& wait) const {
  const std::uint64_t strip = waiting_strip() - wait.lag;
  return word_at(lease_.call, strip * wait.steps_per_strip + wait.steps);
}

bool Run::has_come(Rank rank, std::uint64_t use) noexcept {
  const Line& line = member_.line(rank, use);
  // acquire: pairs with the store in `raise_signal`; the payload was written before it.
  const std::uint64_t seen = line.sequence.load(std::memory_order_acquire);
  if (seen == use + 1) {
    if (line.signature != call_.signature) mismatch_ = {rank, line.signature, call_.signature};
    return !mismatch_;
  }
  if (has_reached(seen, use + 1)) is_overrun_ = true;
  return false;
}

bool Run::is_met(const PartWait& wait) noexcept {
  // Pulled and attached are as direct: peers use the user's buffer itself, at the same steps.
  if (wait.when == When::if_direct && bounces()) return true;
  if (wait.when == When::if_bounced && !bounces()) return true;
  const std::uint32_t strip = waiting_strip();
  if (wait.lag > strip) return true;
  if (wait.signal == Signal::line) return has_come(wait.rank, lease_.first_line + wait.line);
  if (wait.signal == Signal::announce && wait.lag == strip)
    return has_come(wait.rank, lease_.first_line);
  // acquire: pairs with the store in `raise_signal`; what the peer's step read and wrote lies
  // before it.
  const Word& word = *member_.memory().ranks[wait.rank].word;
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
  return is_met(part_.instructions[position_]) || is_broken();
}

const PartWait* Run::first_unmet() noexcept {
  if (!has_entered_ || position_ == part_.instructions.size()) return nullptr;
  for (const PartWait& wait : part_.waits_of(part_.instructions[position_]))
    if (!is_met(wait)) return &wait;
  return nullptr;
}

Bell Run::bell_of(const PartWait& wait) const {
  Word& word = *member_.memory().ranks[wait.rank].word;
  const bool on_line = wait.signal == Signal::line ||
                       (wait.signal == Signal::announce && wait.lag == waiting_strip());
  if (on_line) {
    const std::uint64_t line = wait.signal == Signal::line ? wait.line : 0;
    return {&member_.line(wait.rank, lease_.first_line + line).sequence, &word.sleepers};
  }
  return {&word.value, &word.sleepers};
}

/// At entry a rank waits for a reader's "call done".
Bell Run::missing() noexcept {
  if (const PartWait* wait = first_unmet()) return bell_of(*wait);
  const auto reader = has_entered_ ? std::nullopt : member_.reader_of(lease_);
  Word& word = *member_.memory().ranks[reader.value_or(member_.rank())].word;
  return {&word.value, &word.sleepers};
}

void Run::perform(const Instruction& step) noexcept {
  switch (step.kind) {
    case StepKind::expose:
      expose(step);
      break;
    case StepKind::reduce:
      reduce(step);
      break;
    case StepKind::copy:
      copy_each(step);
      break;
    case StepKind::deliver:
      deliver(step);
      break;
    case StepKind::hold:
      break;  // its waits are its work
    case StepKind::send:
    case StepKind::receive:
      break;  // `check_runs_here` keeps such plans away
  }
}

/// Copies what peers will read, unless they may read the user's buffer itself.
void Run::expose(const Instruction& step) noexcept {
  const bool copies = part_.lowering == Lowering::lines || bounces();
  for (std::uint32_t i = 0; copies && i < step.operand_count; ++i)
    copy(part_.operands[step.first_operand + i], part_.targets[step.first_target + i]);
  if (part_.lowering == Lowering::owner && strip_ == 0) announce();
}

void Run::announce() noexcept {
  const Announcement announcement{call_.reach, static_cast<const std::byte*>(call_.input),
                                  static_cast<std::byte*>(call_.output)};
  std::memcpy(work_.drafts[0].data(), &announcement, sizeof announcement);
}

/// Peers have written what they could reach: the user's buffer itself, or its stand-in.
void Run::deliver(const Instruction& step) noexcept {
  if (!bounces()) return;
  for (std::uint32_t i = 0; i < step.operand_count; ++i)
    copy(part_.operands[step.first_operand + i], part_.targets[step.first_target + i]);
}

void Run::copy(const PartRegion& from, const PartRegion& to) noexcept {
  const std::size_t bytes = bytes_of(from, to);
  if (bytes == 0) return;
  void* target = address(to);
  if (is_own_scratch(to)) fill_soon(target, bytes);
  copy_to_all(address(from), &target, 1, bytes, Stores::cached);
}

void Run::reduce(const Instruction& step) noexcept {
  if (call_.tables != nullptr) [[unlikely]]
    measure(part_.operands_of(step), part_.targets_of(step));
  const std::size_t elements = element_count(part_.operands[step.first_operand]);
  if (elements == 0) return;
  std::size_t operand_count = 0, target_count = 0;
  for (const PartRegion& operand : part_.operands_of(step))
    work_.operands[operand_count++] = address(operand);
  for (const PartRegion& target : part_.targets_of(step))
    if (!is_own_output(target)) work_.targets[target_count++] = address(target);
  if (operand_count == 1)
    fetch(part_.operands[step.first_operand], work_.targets.data(), target_count,
          elements * call_.element_bytes);
  else if (call_.combiner != nullptr)
    call_.combiner->combine(work_.operands.data(), operand_count, work_.targets.data(),
                            target_count, elements);
  else
    call_.reduction(work_.operands.data(), operand_count, work_.targets.data(), target_count,
                    elements, call_.stores);
}

/// A pulled value crosses once, and is copied on from its first target.
void Run::fetch(const PartRegion& from, void* const* targets, std::size_t target_count,
                std::size_t bytes) noexcept {
  const void* source = address(from);
  if (has_to_pull(from)) [[unlikely]] {
    if (target_count == 0) return;
    is_cut_off_ = is_cut_off_ || !call_.puller->pull(from.rank, source, targets[0], bytes);
    if (is_cut_off_) return;
    source = targets[0];
    ++targets;
    --target_count;
  }
  copy_to_all(source, targets, target_count, bytes, call_.stores);
}

/// One's own exposed buffer, if not bounced: the step writes it anyway.
bool Run::is_own_output(const PartRegion& target) const {
  return target.buffer == Buffer::exposed && target.rank == part_.rank && !bounces();
}

bool Run::is_own_scratch(const PartRegion& target) const {
  if (target.rank != part_.rank) return false;
  return target.buffer == Buffer::scratch || (target.buffer == Buffer::exposed && bounces());
}

void Run::fill_soon(const void* scratch, std::size_t bytes) noexcept {
  has_filled_scratch_ = true;
  if (bytes <= kAskedFor)
    prefetch_for_writing(static_cast<const std::byte*>(scratch), bytes, kAskedFor);
}

/// The beginnings of all values are asked for before the first is copied, so that the misses of
/// peers overlap; what lines carry has come with their flags.
void Run::copy_each(const Instruction& step) noexcept {
  const std::span<const PartRegion> operands = part_.operands_of(step);
  const std::span<const PartRegion> targets = part_.targets_of(step);
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const bool is_elsewhere = operands[i].rank != part_.rank && part_.lowering == Lowering::owner &&
                              !has_to_pull(operands[i]);
    if (const std::size_t bytes = is_elsewhere ? bytes_of(operands[i], targets[i]) : 0; bytes != 0)
      ask_for(address(operands[i]), bytes);
  }
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const std::size_t bytes = bytes_of(operands[i], targets[i]);
    if (bytes == 0 || is_own_output(targets[i])) continue;
    void* target = address(targets[i]);
    if (is_own_scratch(targets[i])) fill_soon(target, bytes);
    fetch(operands[i], &target, 1, bytes);
  }
}

/// Of a value that one region hands to another.
std::size_t Run::bytes_of(const PartRegion& from, const PartRegion& to) noexcept {
  if (call_.tables != nullptr) [[unlikely]]
    measure({&from, 1}, {&to, 1});
  return element_count(from) * call_.element_bytes;
}

/// Lines carry their own flag; a word is rung only for steps that somebody awaits.
void Run::publish(const Instruction& step) noexcept {
  send_lines(step);
  if (step.kind == StepKind::expose && part_.lowering == Lowering::owner && strip_ == 0)
    send_line(0, sizeof(Announcement));
  if (!step.publishes_word) return;
  Word& word = *member_.memory().ranks[part_.rank].word;
  const std::uint64_t steps = std::uint64_t{strip_} * part_.body_count + position_ + 1;
  raise_signal(word.value, word.sleepers, word_at(lease_.call, steps));
}

/// As much of a line as has been filled.
void Run::send_lines(const Instruction& step) noexcept {
  for (const PartRegion& target : part_.targets_of(step))
    if (target.completes != 0)
      send_line(target.block, target.completes * strip_size_ * call_.element_bytes);
}

/// Payload and flag are stored back to back: a peer that polls takes the line away in between if
/// it can, and then it has to be fetched twice.
void Run::send_line(std::uint32_t line, std::size_t bytes) noexcept {
  Line& place = member_.line(part_.rank, lease_.first_line + line);
  copy_in_pieces(work_.drafts[line].data(), place.payload, bytes);
  place.signature = call_.signature;
  raise_signal(place.sequence, member_.memory().ranks[part_.rank].word->sleepers,
               lease_.first_line + line + 1);
  has_just_sent_ = true;
}

void Run::next() noexcept {
  ++position_;
  if (position_ != part_.body_count || strip_ + 1 == strip_count_) return;
  position_ = 0;
  ++strip_;
  strip_begin_ += strip_size_;
  strip_size_ =
      std::min(call_.strip_elements, call_.first_element + call_.element_count - strip_begin_);
  block_size_ = strip_size_;
}

/// Publishes "call done", also with zero steps, and records who may still read what was shown.
void Run::finish() noexcept {
  has_finished_ = true;
  member_.give_back(lease_, part_.contract);
  // What this rank writes next is asked for now, while nobody waits for it yet.
  prefetch_for_writing(&member_.next_line());
  // Partner of its release: the acquire in `Member::has_returned`.
  Word& word = *member_.memory().ranks[part_.rank].word;
  raise_signal(word.value, word.sleepers, word_done(lease_.call));
  if (has_filled_scratch_ && strip_count_ == 1)
    prefetch_for_writing(member_.next_scratch(lease_.scratch_end - lease_.scratch_begin),
                         slot_stride_, kAskedForAhead);
}

Progress complete(Run& run, const WaitPolicy& policy, World& world) noexcept {
  for (;;) {
    const Progress progress = run.advance();
    if (progress != Progress::blocked) return progress;
    wait_until(run, policy, world);
  }
}

}  // namespace terrace
