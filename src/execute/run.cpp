// SPDX-License-Identifier: BSD-3-Clause
// The executor. Each rank counts its finished steps in a word that only it writes; a step starts
// when its peers' counts are high enough; nothing is reset between calls.
#include "execute/run.hpp"

#include <algorithm>
#include <cstring>
#include <new>

#include "base/contract.hpp"
#include "base/prefetch.hpp"
#include "kernels/overlap.hpp"
#include "kernels/string_copies.hpp"

namespace terrace {

namespace {

/// Copies into scratch ask for their lines beforehand, up to here; longer ones keep enough misses
/// in flight by themselves. And as much is asked for before the call that may want it.
constexpr std::size_t kAskedFor = 8192, kAskedForAhead = 4096;

/// Waits looked at together: about as many as a core has misses in flight.
constexpr std::uint32_t kTogether = 8;

/// While peers are ahead, lines of so many calls later are asked for. That many calls that find
/// their lines take about as long as a line between cores far from each other.
constexpr std::uint32_t kCallsAhead = 8;

bool awaits_line(const ProgramWait& wait) {
  return wait.signal == Signal::line || wait.signal == Signal::announce;
}

/// Whether some peer whose line this rank awaits may be further than the next call: none that reads
/// a line of this rank is. A few are asked for lines of later calls, so that no call has more
/// misses in flight than a core.
bool may_be_ahead(const RankProgram& program) {
  if (std::size_t{program.lines} * (kCallsAhead + 1) > kLineSlots) return false;
  if (std::count_if(program.waits.begin(), program.waits.end(), awaits_line) >
      std::ptrdiff_t{kTogether})
    return false;
  const auto& readers = program.contract.line_readers;
  return std::any_of(program.waits.begin(), program.waits.end(), [&](const ProgramWait& wait) {
    return awaits_line(wait) &&
           std::none_of(readers.begin(), readers.end(), [&](const std::vector<Rank>& of_line) {
             return std::find(of_line.begin(), of_line.end(), wait.rank) != of_line.end();
           });
  });
}

/// Peers that have read lines of scratch own them, and each line has to come back before it can be
/// written. Prefetched together they arrive sooner than one after the other. Of a long value, only
/// the first.
void prefetch_for_writing(const std::byte* place, std::size_t bytes, std::size_t most) {
  for (std::size_t i = 0; i < std::min(bytes, most); i += kLineBytes)
    terrace::prefetch_for_writing(place + i);
}

/// Prefetches the beginning of a value; hardware prefetchers fetch the rest.
void ask_for(const void* value, std::size_t bytes) {
  constexpr std::size_t kMost = 256;
  for (std::size_t i = 0; i < std::min(bytes, kMost); i += kLineBytes)
    __builtin_prefetch(static_cast<const char*>(value) + i);
}

template <class Piece>
void copy_piece(const std::byte* from, std::byte* to) {
  Piece piece;
  std::memcpy(&piece, from, sizeof piece);
  asm("" : "+r"(piece));  // compilers would put several together
  std::memcpy(to, &piece, sizeof piece);
}

/// Copies no more than was just written, in pieces no wider: a wider load would have to wait until
/// the narrower store before it has left the store buffer.
inline void copy_in_pieces(const std::byte* from, std::byte* to, std::size_t bytes) {
  if (bytes == 8) return copy_piece<std::uint64_t>(from, to);
  const std::byte* const end = to + bytes;
  for (; end - to >= 8; from += 8, to += 8) copy_piece<std::uint64_t>(from, to);
  if (end - to >= 4) {
    copy_piece<std::uint32_t>(from, to);
    from += 4;
    to += 4;
  }
  for (; to != end; ++from, ++to) copy_piece<std::uint8_t>(from, to);
}

/// Stores the line after the flag's first. A peer that polls takes the flag's line away after the
/// first store to it; it would have to come back if the other were fetched only then. On AArch64
/// stores may still pass each other. Speed alone depends on it, and no test sees it.
inline void copy_to_payload(const std::byte* from, std::byte* payload, std::size_t bytes) {
  if (bytes > kPayloadInFlagLine) {
    copy_in_pieces(from + kPayloadInFlagLine, payload + kPayloadInFlagLine,
                   bytes - kPayloadInFlagLine);
    std::atomic_signal_fence(std::memory_order_seq_cst);  // or compilers might change the order
    bytes = kPayloadInFlagLine;
  }
  copy_in_pieces(from, payload, bytes);
}

/// Copies to one place. A value that fits a line is copied here, without a call, and one that is
/// not much longer without asking for a kernel.
void copy_value(const std::byte* from, std::byte* to, std::size_t bytes, Stores stores) {
  constexpr std::size_t kShort = 256;
  if (bytes <= kPayloadBytes) {
    if (from != to) copy_in_pieces(from, to, bytes);
    return;
  }
  if (bytes <= kShort && !stores.streams(0)) {
    if (from != to) std::memcpy(to, from, bytes);
    return;
  }
  void* const target = to;
  copy_to_all(from, &target, 1, bytes, stores);
}

/// The line whose payload that is.
const Line& line_with(const std::byte* payload) {
  return *reinterpret_cast<const Line*>(payload - offsetof(Line, payload));
}

/// Segments a call in the room that its rank keeps for that.
Segmentation& segmentation_of(EndpointState& state, const RankProgram& program, const Call& call) {
  Segmentation& segmentation = state.workspace().segmentation;
  segment(program, call, segmentation);
  resolve_lines(program, call, segmentation);
  return segmentation;
}

}  // namespace

Run::Run(EndpointState& state, const RankProgram& program, const Call& call)
    : Run(state, program, call, segmentation_of(state, program, call)) {}

Run::Run(EndpointState& state, const RankProgram& program, const Call& call,
         Segmentation& segmentation)
    : state_(state),
      work_(state.workspace()),
      word_(state.word(program.rank)),
      own_lines_(&state.line_at(program.rank, 0)),
      program_(program),
      call_(call),
      segmentation_(segmentation),
      asks_ahead_(may_be_ahead(program)) {
  require_matching();
  for (LineProgram::PeerLine& peer : segmentation_.over_lines.peer_lines)
    peer.ring = &state_.line_at(peer.rank, 0);
  if (!segmentation_.over_lines.is_empty())
    segmentation_.over_lines.bases[LineProgram::kStaging] = work_.staging[0].data();
  begin_call();
}

/// Requires that the parts of a run belong together. Checked once, since restarting changes none of
/// it.
void Run::require_matching() const noexcept {
  TERRACE_REQUIRE(program_.rank == state_.rank(), program_.rank, state_.rank());
  TERRACE_REQUIRE(program_.ranks == state_.rank_count(), program_.ranks, state_.rank_count());
  TERRACE_REQUIRE(program_.lines <= kMostLines, program_.lines);
  TERRACE_REQUIRE(program_.contract.line_readers.size() == program_.lines,
                  program_.contract.line_readers.size(), program_.lines);
  TERRACE_REQUIRE(!program_.has_messages || call_.messenger != nullptr);
  TERRACE_REQUIRE(
      !program_.has_messages ||
          segmentation_.message.size() >= std::max(program_.most_operands, program_.most_targets),
      segmentation_.message.size());
  TERRACE_REQUIRE(segmentation_.steps == program_.instructions.size(), segmentation_.steps);
  TERRACE_REQUIRE(segmentation_.operands.size() >= program_.most_operands &&
                      segmentation_.targets.size() >= program_.most_targets,
                  segmentation_.operands.size(), segmentation_.targets.size());
  const std::uint64_t steps = std::uint64_t{segmentation_.strips} * program_.body_count +
                              segmentation_.steps - program_.body_count;
  TERRACE_REQUIRE(steps < kDoneSteps, steps, segmentation_.strips);
}

/// Takes the call's lease and tells peers of the call; `strip_` and `position_` are at its
/// beginning.
[[gnu::always_inline]] inline void Run::begin_call() noexcept {
  strip_ = position_ = met_waits_ = looks_in_vain_ = 0;
  next_look_ = kFirstLook;
  has_entered_ = has_finished_ = has_blocked_ = has_filled_scratch_ = false;
  has_just_sent_ = may_step_ = false;
  is_awaited_ = true;
  reach_ = call_.reach;
  state_.lease(lease_, program_.lines, segmentation_.scratch_bytes, call_.scratch_span);
  check_ = state_.tell(lease_, call_.identity);
  if (!segmentation_.over_lines.is_empty()) return find_line_bases();
  TERRACE_REQUIRE(!call_.is_direct_everywhere || !bounces());  // no room for bounce blocks
  // Peers read none of this rank's scratch, nor need it wait for those who do.
  if (call_.edges != nullptr && call_.edges->scratch_bytes == 0)
    lease_.scratch_end = lease_.scratch_begin;
  begin_strip();
}

void Run::restart() noexcept {
  TERRACE_ASSERT(has_finished_);
  begin_call();
}

[[gnu::always_inline]] inline void Run::find_line_bases() noexcept {
  LineProgram& program = segmentation_.over_lines;
  TERRACE_ASSERT(program.bases.size() == LineProgram::kFirstPeerLine + program.peer_lines.size(),
                 program.bases.size(), program.peer_lines.size());
  std::byte** const bases = program.bases.data();
  bases[LineProgram::kInput] = static_cast<std::byte*>(const_cast<void*>(call_.input));
  bases[LineProgram::kOutput] = static_cast<std::byte*>(call_.output);
  std::byte** base = bases + LineProgram::kFirstPeerLine;
  for (const LineProgram::PeerLine& peer : program.peer_lines)
    *base++ = peer.ring[slot_of(peer.number)].payload;
}

Announcement Run::announcement_of(Rank rank) const noexcept {
  Announcement announcement;
  std::memcpy(&announcement, line(rank, 0).payload, sizeof announcement);
  TERRACE_ASSERT(announcement.reach >= Reach::direct && announcement.reach <= Reach::attached, rank,
                 announcement.reach);
  if (announcement.reach == Reach::direct) {
    announcement.input += state_.memory().ranks[rank].shift;
    announcement.output += state_.memory().ranks[rank].shift;
  }
  return announcement;
}

std::byte* Run::address(const ResolvedRegion& resolved) noexcept {
  if (resolved.base <= Base::staging)
    return reinterpret_cast<std::byte*>(bases_[static_cast<std::size_t>(resolved.base)] +
                                        resolved.offset);
  if (resolved.base == Base::line)
    return line(resolved.rank, resolved.line).payload + resolved.offset;
  return resolved.base == Base::scratch ? scratch_address(resolved.rank, resolved.offset)
                                        : exposed_address(resolved);
}

std::byte* Run::exposed_address(const ResolvedRegion& resolved) noexcept {
  if (resolved.is_own)
    return bounces() ? scratch_address(resolved.rank, resolved.bounce_block)
                     : shown_address(resolved, call_.input, call_.output);
  const Announcement shown = announcement_of(resolved.rank);
  if (shown.reach == Reach::bounced) return scratch_address(resolved.rank, resolved.bounce_block);
  std::byte* const there = shown_address(resolved, shown.input, shown.output);
  return shown.reach == Reach::attached ? attached(resolved, there) : there;
}

/// Returns where a peer's memory at `there` is attached here.
std::byte* Run::attached(const ResolvedRegion& resolved, const std::byte* there) noexcept {
  const Attacher::Place place = call_.attacher->attach(resolved.rank, there, bytes_of(resolved));
  TERRACE_ASSERT(place.at != nullptr, resolved.rank);
  if (!place.is_right) stop_ = Stop::cut_off;
  return place.at;
}

std::byte* Run::shown_address(const ResolvedRegion& resolved, const void* input,
                              void* output) const {
  const void* const base = resolved.base == Base::shown_input ? input : output;
  return reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(base) + strip_begin_ +
                                      resolved.offset);
}

std::byte* Run::scratch_address(Rank rank, std::size_t offset) const {
  TERRACE_ASSERT(lease_.scratch_begin <= slot_begin_ && slot_begin_ + offset <= lease_.scratch_end,
                 slot_begin_, offset, lease_.scratch_end);
  return state_.scratch(rank) + slot_begin_ + offset;
}

/// Whether `address` is one in the peer's process, where the kernel alone can read.
bool Run::has_to_pull(const ResolvedRegion& resolved) const noexcept {
  return call_.puller != nullptr && program_.can_be_pulled && resolved.is_shown() &&
         !resolved.is_own && announcement_of(resolved.rank).reach == Reach::pulled;
}

/// A line on its way out is not overtaken by a look that takes a peer's line from its writer
/// (docs/design/waiting.md). Ranks that take turns look at lines of their own core.
inline void Run::pause_if_sent() noexcept {
  if (has_just_sent_ && state_.cores().empty()) pause();
  has_just_sent_ = false;
}

/// A peer whose line was there at once may have sent those of the next calls, too. If it has not,
/// this rank mostly still has the copy that it read last, and takes no line from its writer.
/// Inlined, since compilers drop calls that do nothing but prefetch.
[[gnu::always_inline]] inline void Run::ask_for_line_ahead(Rank rank,
                                                           std::uint32_t number) const noexcept {
  const std::uint64_t use = lease_.first_line + std::uint64_t{kCallsAhead} * lease_.lines + number;
  __builtin_prefetch(&state_.line_at(rank, line_slot(use)));
}

[[gnu::always_inline]] inline bool Run::has_arrived(const Line& line, Rank rank,
                                                    std::uint32_t number) noexcept {
  const std::uint64_t awaited = lease_.first_line + number + 1;
  TERRACE_ASSERT(rank != program_.rank && number < lease_.lines, rank, number);
  pause_if_sent();
  const std::uint64_t seen = last_published(line.sequence);  // the payload was written before
  if (seen == awaited) {
    if (line.check == check_) [[likely]] {
      if (asks_ahead_ && !has_blocked_) ask_for_line_ahead(rank, number);
      return true;
    }
    note_mismatch(rank);
    return false;
  }
  if (has_reached(seen, awaited)) is_overrun_ = true;
  return false;
}

[[gnu::always_inline]] inline bool Run::has_arrived(const AwaitedLine& wait) noexcept {
  return has_arrived(line_with(segmentation_.over_lines.bases[wait.base]), wait.rank, wait.number);
}

/// Judges as for an Instruction, but asks again when all has come: a line stays until this rank
/// returns.
inline bool Run::is_met(const LineStep& step) noexcept {
  if (step.wait_count == 0) return true;
  if (step.wait_count == 1) return has_arrived(*step.waits);
  bool all = true;
  for (std::uint32_t i = met_waits_; i < step.wait_count && (all || i < met_waits_ + kTogether);
       ++i) {
    all &= has_arrived(step.waits[i]);
    if (all) met_waits_ = i + 1;
  }
  if (all) met_waits_ = 0;
  return all;
}

/// Payload and flag are stored back to back: a peer that polls takes the line away in between if
/// it can, and then it has to be fetched twice. `fill` writes the payload.
template <class Fill>
[[gnu::always_inline]] inline void Run::send_line(std::uint32_t number, const Fill& fill) noexcept {
  Line& place = own_lines_[slot_of(number)];
  TERRACE_ASSERT(number < lease_.lines, number);
  // relaxed: only this rank writes it. A line is sent once a call, and sequences only grow.
  TERRACE_ASSERT(
      !has_reached(place.sequence.load(std::memory_order_relaxed), lease_.first_line + number + 1),
      number);
  fill(place.payload);
  place.check = check_;
  publish(place.sequence, word_.sleepers, lease_.first_line + number + 1);
  has_just_sent_ = true;
}

[[gnu::always_inline]] inline void Run::send_line(const SentLine& sent,
                                                  const std::byte* payload) noexcept {
  TERRACE_ASSERT(sent.bytes <= kPayloadBytes, sent.bytes);
  send_line(sent.number, [&](std::byte* place) { copy_to_payload(payload, place, sent.bytes); });
}

[[gnu::always_inline]] inline void Run::perform(const LineStep& step) noexcept {
  switch (step.work) {
    case LineStep::Work::none:
      break;
    case LineStep::Work::send: {
      const std::byte* const value = place_of(*step.operands);
      if (step.fills_staging) copy_in_pieces(value, place_of(*step.targets), step.sent->bytes);
      return send_line(*step.sent, value);
    }
    case LineStep::Work::copy:
      for (std::uint32_t i = 0; i < step.operand_count; ++i) {
        const std::size_t bytes = step.operands[i].elements * call_.element_bytes;
        copy_value(place_of(step.operands[i]), place_of(step.targets[i]), bytes, Stores::cached);
      }
      break;
    case LineStep::Work::combine_two: {
      TERRACE_ASSERT(step.operands[0].elements == step.operands[1].elements);
      TERRACE_ASSERT(step.operands[0].elements == step.targets[0].elements);
      const void* const from[] = {place_of(step.operands[0]), place_of(step.operands[1])};
      void* const to[] = {place_of(step.targets[0])};
      combine(from, 2, to, 1, step.operands->elements);
      break;
    }
    case LineStep::Work::combine: {
      std::byte* const* const bases = segmentation_.over_lines.bases.data();
      const void** const from = segmentation_.operands.data();
      void** const to = segmentation_.targets.data();
      const auto place = [bases](const LineValue& value) {
        return bases[value.base] + value.offset;
      };
      TERRACE_ASSERT(step.operand_count <= segmentation_.operands.size(), step.operand_count);
      TERRACE_ASSERT(step.target_count <= segmentation_.targets.size(), step.target_count);
      std::transform(step.operands, step.operands + step.operand_count, from, place);
      std::transform(step.targets, step.targets + step.target_count, to, place);
      combine(from, step.operand_count, to, step.target_count, step.operands->elements);
      break;
    }
  }
  for (std::uint32_t i = 0; i < step.sent_count; ++i)
    send_line(step.sent[i], work_.staging[step.sent[i].number].data());
}

inline void Run::combine(const void* const* operands, std::size_t operand_count,
                         void* const* targets, std::size_t target_count,
                         std::size_t elements) noexcept {
  TERRACE_ASSERT(call_.combiner != nullptr || call_.reduction != nullptr);
  TERRACE_ASSERT(std::none_of(targets, targets + target_count, [&](const void* target) {
    return std::any_of(operands, operands + operand_count, [&](const void* operand) {
      return overlap_partly(operand, target, elements * call_.element_bytes);
    });
  }));
  if (call_.combiner != nullptr) [[unlikely]]
    call_.combiner->combine(operands, operand_count, targets, target_count, elements);
  else
    call_.reduction(operands, operand_count, targets, target_count, elements, Stores::cached);
}

/// Publishes "call done", also with zero steps, and records who may still read what was shown.
[[gnu::always_inline]] inline void Run::finish() noexcept {
  TERRACE_ASSERT(!has_finished_ && has_entered_);
  TERRACE_ASSERT(position_ == segmentation_.steps, position_, segmentation_.steps);
  TERRACE_ASSERT(program_.body_count == 0 || strip_ + 1 == segmentation_.strips, strip_);
  has_finished_ = true;
  state_.give_back(lease_, program_.contract);
  // Prefetches what this rank writes next, while no peer waits for it yet.
  const auto* const next = reinterpret_cast<const std::byte*>(&state_.next_line());
  terrace::prefetch_for_writing(next);
  if constexpr (kLineBytes < sizeof(Line)) terrace::prefetch_for_writing(next + kLineBytes);
  // Partner of its release: the acquire in `EndpointState::has_returned`.
  publish(word_.value, word_.sleepers, word_done(lease_.call));
  if (has_filled_scratch_ && segmentation_.strips == 1)
    prefetch_for_writing(
        state_.next_scratch(lease_.scratch_end - lease_.scratch_begin, call_.scratch_span),
        call_.edges != nullptr ? call_.edges->scratch_bytes : segmentation_.slot_stride,
        kAskedForAhead);
}

/// Runs the loop of `advance` over steps that are resolved.
[[gnu::always_inline]] inline Progress Run::advance_over_lines(std::uint32_t most_steps) noexcept {
  const LineStep* const begin = segmentation_.over_lines.steps.data();
  TERRACE_ASSERT(segmentation_.over_lines.steps.size() == segmentation_.steps);
  TERRACE_ASSERT(position_ <= segmentation_.steps, position_, segmentation_.steps);
  const LineStep* step = begin + position_;
  const bool is_to_end = most_steps >= segmentation_.steps - position_;
  const LineStep* const end = is_to_end ? begin + segmentation_.steps : step + most_steps;
  for (; step != end; ++step) {
    if (!is_met(*step)) {
      position_ = static_cast<std::uint32_t>(step - begin);
      return blocked();
    }
    perform(*step);
    if (step->publishes_word) [[unlikely]] {
      position_ = static_cast<std::uint32_t>(step - begin);
      ring();
    }
  }
  if (!is_to_end) [[unlikely]] {
    position_ = static_cast<std::uint32_t>(step - begin);
    return Progress::blocked;
  }
  position_ = segmentation_.steps;
  if (!has_finished_) finish();
  return Progress::done;
}

/// Begins the next call. False: a peer may still read what its first steps would write.
[[gnu::always_inline]] inline bool Run::enter_call() noexcept {
  TERRACE_ASSERT(has_finished_);
  begin_call();
  return has_entered_ = entry_is_free();
}

/// A look at a peer's line right after this rank's has left would take it back, or find nothing.
Progress Run::start() noexcept {
  if (!enter_call()) [[unlikely]]
    return Progress::blocked;
  const Progress progress = advance(steps_before_waits());
  has_just_sent_ = false;  // the line is on its way before the call is looked at again
  return progress;
}

/// Steps of a start: those before the first wait where peers' lines bring all, otherwise as many as
/// can be done.
std::uint32_t Run::steps_before_waits() const noexcept {
  const LineProgram& lines = segmentation_.over_lines;
  if (!lines.is_empty()) return lines.steps_before_waits;
  if (call_.edges == nullptr || !bounces()) return ~0u;
  std::uint32_t steps = 0;
  for (const Instruction& step : program_.instructions) {
    if (step.kind == StepKind::copy && step.wait_count != 0) break;
    ++steps;
  }
  return steps;
}

void Run::prefetch_awaited() const noexcept {
  const LineProgram& lines = segmentation_.over_lines;
  if (lines.is_empty() || position_ == segmentation_.steps) return;
  const LineStep& step = lines.steps[position_];
  for (std::uint32_t i = met_waits_; i < std::min<std::uint32_t>(step.wait_count, kTogether); ++i)
    __builtin_prefetch(&line_with(lines.bases[step.waits[i].base]));
}

Progress Run::repeat(const WaitPolicy& policy, WaitEnvironment& wait_environment) noexcept {
  if (!enter_call() || segmentation_.over_lines.is_empty()) [[unlikely]]
    return complete(*this, policy, wait_environment);
  for (;;) {
    const Progress progress = advance_over_lines(~0u);
    if (progress != Progress::blocked) return progress;
    wait_until(*this, policy, wait_environment);
  }
}

Progress Run::advance(std::uint32_t most_steps) noexcept {
  if (is_cut_off()) return Progress::unreachable;
  if (!has_entered_ && !(has_entered_ = entry_is_free())) return blocked();
  if (!segmentation_.over_lines.is_empty()) return advance_over_lines(most_steps);
  for (std::uint32_t steps = 0; position_ < segmentation_.steps; ++steps) {
    if (steps == most_steps) return Progress::blocked;
    const Instruction& step = program_.instructions[position_];
    if (!may_step_ && !is_met(step)) {
      return blocked();
    }
    may_step_ = false;
    perform(step);
    if (stop_ != Stop::none) [[unlikely]]
      return stopped();
    // Lines carry their own flag; the word is published only for steps that a peer awaits.
    if (step.completes_lines) send_lines(step);
    // Along edges, only givers that have left blocks in place await the word.
    if (step.publishes_word && is_awaited_) ring();
    next();
  }
  if (!has_finished_) finish();
  return Progress::done;
}

Progress Run::blocked() noexcept {
  has_blocked_ = true;
  if (!is_broken()) waits_long(1);  // who polls waits here
  if (is_overrun_ && !mismatch_) mismatch_ = find_mismatch(state_.memory(), program_.rank);
  if (mismatch_) return Progress::mismatched;
  return is_overrun_ ? Progress::overrun : Progress::blocked;
}

/// A message that has not come is looked for again, and anything else is the end.
Progress Run::stopped() noexcept {
  if (is_cut_off()) return Progress::unreachable;
  stop_ = Stop::none;
  return blocked();
}

void Run::waits_long(std::uint32_t naps) noexcept {
  if ((looks_in_vain_ += naps) < next_look_) return;
  looks_in_vain_ = 0;
  next_look_ = std::min(2 * next_look_, kMostLooks);
  mismatch_ = find_mismatch(state_.memory(), program_.rank);
}

/// Contracts are enforced here, before anything shared is written for this call.
bool Run::entry_is_free() noexcept {
  return state_.is_unread(lease_);
}

std::uint32_t Run::waiting_strip() const {
  return position_ < program_.body_count ? strip_ : segmentation_.strips - 1;
}

std::uint64_t Run::word_target(const ProgramWait& wait) const {
  const std::uint64_t strip = waiting_strip() - wait.lag;
  TERRACE_ASSERT(wait.lag <= waiting_strip(), wait.lag, waiting_strip());
  TERRACE_ASSERT(wait.steps >= 1 && wait.steps <= wait.steps_per_strip, wait.steps);
  return word_at(lease_.call, strip * wait.steps_per_strip + wait.steps);
}

bool Run::has_arrived(Rank rank, std::uint32_t number) noexcept {
  return has_arrived(line(rank, number), rank, number);
}

void Run::note_mismatch(Rank rank) noexcept {
  TERRACE_ASSERT(rank != program_.rank, rank);
  mismatch_ = difference_between(state_.memory(), program_.rank, rank);
}

/// Whether a peer whose word has come makes the same call.
bool Run::is_told_by(Rank rank) noexcept {
  const std::uint64_t check =
      check_beside(state_.word(rank).checks[lease_.call % kCallsBesideWord]);
  return check == check_ || was_told_by(rank, check);
}

/// The peer has made more calls meanwhile, or another call. (If its record is overwritten already,
/// the next call shows the difference, since its check includes this one's.)
bool Run::was_told_by(Rank rank, std::uint64_t check) noexcept {
  if (!is_check_of(check, lease_.call)) {
    check = check_in(state_.memory().ranks[rank].records[lease_.call % kRememberedCalls]);
    if (check == check_ || !is_check_of(check, lease_.call)) return true;
  }
  note_mismatch(rank);
  return false;
}

bool Run::is_met(const ProgramWait& wait) noexcept {
  return wait.is_for_line ? has_arrived(wait.rank, wait.line) : is_met_by_word(wait);
}

bool Run::is_met_by_word(const ProgramWait& wait) noexcept {
  // Pulled and attached are as direct: peers use the user's buffer itself, at the same steps.
  if (wait.when == When::if_direct && bounces()) return true;
  // Along edges, some peers take blocks from scratch alone.
  if (wait.when == When::if_direct && call_.edges != nullptr &&
      !waits_for_taker(*call_.edges, wait.rank))
    return true;
  if (wait.when == When::if_bounced && !bounces()) return true;
  const std::uint32_t strip = waiting_strip();
  if (wait.lag > strip) return true;
  if (wait.signal != Signal::word) {
    if (wait.signal == Signal::line) return has_arrived(wait.rank, wait.line);
    if (wait.signal == Signal::messages) return have_gone(wait);
    if (wait.lag == strip) return has_arrived(wait.rank, 0);  // else its word
  }
  pause_if_sent();
  // What the peer's step read and wrote lies before its word.
  const ProgressWord& word = state_.word(wait.rank);
  return has_reached(last_published(word.value), word_target(wait)) && is_told_by(wait.rank);
}

/// Several waits are looked at together, met or not, so that their misses overlap; what has come is
/// not looked at again.
bool Run::is_met(const Instruction& step) noexcept {
  if (step.wait_count == 0) return true;
  const std::span<const ProgramWait> waits = program_.waits_of(step);
  TERRACE_ASSERT(met_waits_ <= waits.size(), met_waits_);
  bool all = true;
  for (std::uint32_t i = met_waits_; i < waits.size() && (all || i < met_waits_ + kTogether); ++i) {
    all &= is_met(waits[i]);
    if (all) met_waits_ = i + 1;
  }
  return all;
}

bool Run::holds() noexcept {
  if (is_broken()) return true;
  if (!has_entered_) return entry_is_free();
  if (position_ == segmentation_.steps) return true;
  if (segmentation_.over_lines.is_empty()) {
    const Instruction& step = program_.instructions[position_];
    may_step_ = is_met(step) && (step.kind != StepKind::receive || has_come(step));
  } else {
    may_step_ = is_met(segmentation_.over_lines.steps[position_]);
  }
  return may_step_ || is_broken() || is_cut_off();
}

/// Whether the messages that a wait is for have gone; also if one has failed, which ends the run.
bool Run::have_gone(const ProgramWait& wait) noexcept {
  return is_over(call_.messenger->look_for_gone(wait.newer_messages));
}

/// The waits of the step are met: its places are free, and the message may come into them. What it
/// brings for lines comes to the staging buffers; `send_lines` then shows flag and payload
/// together.
bool Run::has_come(const Instruction& receive) noexcept {
  if (receiving_ == Receiving::come) return true;
  if (receiving_ == Receiving::not_begun)
    call_.messenger->expect(receive.peer, message_of(targets_of(receive)));
  receiving_ = Receiving::expected;
  if (!is_over(call_.messenger->look_for_expected())) return false;
  receiving_ = Receiving::come;
  return true;
}

bool Run::is_over(MessageState state) noexcept {
  if (state == MessageState::failed) stop_ = Stop::cut_off;
  return state != MessageState::on_its_way;
}

const ProgramWait* Run::first_unmet() noexcept {
  if (!has_entered_ || position_ == segmentation_.steps) return nullptr;
  const Instruction& step = program_.instructions[position_];
  for (const ProgramWait& wait : program_.waits_of(step).subspan(met_waits_))
    if (!is_met(wait)) return &wait;
  return nullptr;
}

WaitTarget Run::wait_target_of(const ProgramWait& wait) const {
  ProgressWord& word = state_.word(wait.rank);
  const bool on_line = wait.signal == Signal::line ||
                       (wait.signal == Signal::announce && wait.lag == waiting_strip());
  if (on_line) {
    const std::uint32_t number = wait.signal == Signal::line ? wait.line : 0;
    return {&line(wait.rank, number).sequence, &word.sleepers};
  }
  return {&word.value, &word.sleepers};
}

/// At entry a rank waits for a reader's "call done".
WaitTarget Run::missing() noexcept {
  if (const ProgramWait* wait = first_unmet()) return wait_target_of(*wait);
  const auto reader = has_entered_ ? std::nullopt : state_.reader_of(lease_);
  ProgressWord& word = state_.word(reader.value_or(state_.rank()));
  return {&word.value, &word.sleepers};
}

bool Run::shows_only(const Reachable& memory) const noexcept {
  const Instruction* const step = program_.showing_step();
  // What lies in tables is only ever copied.
  if (step == nullptr || call_.tables != nullptr) return false;
  for (const ResolvedRegion& target : targets_of(*step))
    if (!memory.covers(shown_address(target, call_.input, call_.output), bytes_of(target)))
      return false;
  return true;
}

bool Run::awaits_another_core() noexcept {
  const std::span<const std::uint32_t> cores = state_.cores();
  if (cores.empty() || !has_entered_ || position_ == segmentation_.steps) return false;
  const auto waits = program_.waits_of(program_.instructions[position_]);
  return met_waits_ < waits.size() && cores[waits[met_waits_].rank] != cores[program_.rank];
}

std::optional<Rank> Run::awaited() noexcept {
  if (!has_entered_) return state_.reader_of(lease_);
  const ProgramWait* const wait = first_unmet();
  if (wait == nullptr || wait->signal == Signal::messages) return std::nullopt;
  return wait->rank;
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
      send(step);
      break;
    case StepKind::receive:
      receive(step);
      break;
  }
}

/// Copies what peers will read, unless they may read the user's buffer itself.
void Run::expose(const Instruction& step) noexcept {
  if (call_.edges != nullptr) [[unlikely]]
    return leave_blocks();
  if (program_.lowering == Lowering::lines || bounces()) copy_pairs(step);
  if (program_.lowering == Lowering::owner && strip_ == 0) announce();
}

/// Leaves the blocks that peers take along edges, and tells them where.
void Run::leave_blocks() noexcept {
  const EdgeBlocks& blocks = *call_.edges;
  TERRACE_ASSERT(program_.lowering == Lowering::owner && segmentation_.strips == 1);
  TERRACE_ASSERT(is_left_in_place(blocks.deposit) == !bounces(), blocks.deposit);
  if (blocks.scratch_bytes > 0) {
    write_scratch(blocks, scratch_address(program_.rank, 0));
    has_filled_scratch_ = true;
  }
  send_line(0, [&blocks](std::byte* payload) { write_line(blocks, payload); });
}

/// Takes the blocks of peers, or of this rank itself, out of what they have left.
void Run::take_blocks(const Instruction& step) noexcept {
  const auto operands = program_.operands_of(step), targets = program_.targets_of(step);
  TERRACE_ASSERT(operands.size() == targets.size(), operands.size(), targets.size());
  const auto deposit_of = [this](Rank giver) {
    return DepositOfGiver{giver, line(giver, 0).payload, scratch_address(giver, 0),
                          segmentation_.scratch_bytes};
  };
  for (const ProgramRegion& from : operands)
    if (from.rank != program_.rank) ask_for_deposit(deposit_of(from.rank));
  is_awaited_ = false;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const ProgramRegion& from = operands[i];
    if (from.rank == program_.rank) {
      take_own_block(*call_.edges, from.block, targets[i].block);
      continue;
    }
    const auto deposit =
        take_block(deposit_of(from.rank), from.block, *call_.edges, targets[i].block);
    if (!deposit) {
      stop_ = Stop::cut_off;
      return;
    }
    is_awaited_ |= is_left_in_place(*deposit);
  }
}

void Run::announce() noexcept {
  TERRACE_ASSERT(reach_ != Reach::direct || !program_.bounces_in_place ||
                 call_.input != call_.output);
  send_line(0, [this](std::byte* payload) {
    new (payload) Announcement{reach_, static_cast<const std::byte*>(call_.input),
                               static_cast<std::byte*>(call_.output)};
  });
}

/// Peers have written what they could reach: the user's buffer itself, or its bounce block.
void Run::deliver(const Instruction& step) noexcept {
  if (bounces()) copy_pairs(step);
}

std::span<const MessageValue> Run::message_of(std::span<const ResolvedRegion> values) noexcept {
  TERRACE_ASSERT(values.size() <= segmentation_.message.size(), values.size());
  const auto value = [this](const ResolvedRegion& at) {
    return MessageValue{address(at), bytes_of(at)};
  };
  std::transform(values.begin(), values.end(), segmentation_.message.begin(), value);
  return std::span(segmentation_.message).first(values.size());
}

void Run::send(const Instruction& step) noexcept {
  call_.messenger->send(step.peer, message_of(operands_of(step)));
}

/// The message's values lie in their places when it has come.
void Run::receive(const Instruction& step) noexcept {
  if (has_come(step))
    receiving_ = Receiving::not_begun;
  else
    stop_ = Stop::awaits_message;
}

void Run::copy_pairs(const Instruction& step) noexcept {
  const std::span<const ResolvedRegion> operands = operands_of(step), targets = targets_of(step);
  TERRACE_ASSERT(operands.size() <= targets.size(), operands.size(), targets.size());
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const std::size_t bytes = bytes_of(operands[i]);
    if (bytes != 0) fetch(operands[i], targets[i], bytes);
  }
}

void Run::reduce(const Instruction& step) noexcept {
  const std::span<const ResolvedRegion> operands = operands_of(step), targets = targets_of(step);
  TERRACE_ASSERT(!operands.empty() && !targets.empty());
  TERRACE_ASSERT(std::all_of(operands.begin(), operands.end(), [&](const ResolvedRegion& operand) {
    return operand.elements == operands.front().elements;
  }));
  const std::size_t elements = operands.front().elements;
  if (elements == 0) return;
  if (operands.size() == 1 && targets.size() == 1) {
    if (!is_own_output(targets.front()))
      fetch(operands.front(), targets.front(), bytes_of(operands.front()));
    return;
  }
  const Targets places = places_of(targets);
  if (operands.size() == 1) return fetch_to_all(operands.front(), places);
  std::size_t operand_count = 0;
  for (const ResolvedRegion& operand : operands)
    segmentation_.operands[operand_count++] = address(operand);
  TERRACE_ASSERT(call_.combiner != nullptr || call_.reduction != nullptr);
  TERRACE_ASSERT(operand_count <= segmentation_.operands.size(), operand_count);
  if (call_.combiner != nullptr)
    call_.combiner->combine(segmentation_.operands.data(), operand_count,
                            segmentation_.targets.data(), places.count, elements);
  else
    call_.reduction(segmentation_.operands.data(), operand_count, segmentation_.targets.data(),
                    places.count, elements, places.stores);
}

/// In the room that the segmentation has for them, those that are stored through the caches first.
Run::Targets Run::places_of(std::span<const ResolvedRegion> targets) noexcept {
  Targets places{.stores = Stores::cached.copied_by(call_.copies)};
  TERRACE_ASSERT(targets.size() <= segmentation_.targets.size(), targets.size());
  const auto put = [&](bool streamed) {
    for (const ResolvedRegion& target : targets)
      if (!is_own_output(target) && streams(target) == streamed)
        segmentation_.targets[places.count++] = address(target);
  };
  put(false);
  if (!call_.streams && !call_.streams_scratch) return places;
  places.stores = places.stores.streaming_from(places.count);
  put(true);
  return places;
}

/// Past the caches, or through them.
bool Run::streams(const ResolvedRegion& target) const noexcept {
  if (target.base == Base::output || target.base == Base::input) return call_.streams;
  if (target.base == Base::scratch) return call_.streams_scratch;
  return target.is_shown() && (is_bounced(target) ? call_.streams_scratch : call_.streams);
}

void Run::fetch(const ResolvedRegion& from, const ResolvedRegion& target,
                std::size_t bytes) noexcept {
  std::byte* const place = address(target);
  const bool streamed = streams(target);
  const bool by_string = call_.copies == CopyBy::string && !streamed && bytes > kAskedFor;
  const bool fills_scratch = !streamed && !by_string && is_own_scratch(target);
  if (fills_scratch) fill_soon(place, bytes);
  Stores stores = streamed ? Stores::streaming : Stores::cached;
  if (fills_scratch) stores = stores.prefetching();
  // What does not come from a peer or go to one stays in this rank's caches, quickest by lines.
  if (fills_scratch || !from.is_own) stores = stores.copied_by(call_.copies);
  if (has_to_pull(from)) [[unlikely]]
    pull(from, place, bytes);
  else if (by_string)
    copy_by_string(address(from), place, bytes);
  else
    copy_value(address(from), place, bytes, stores);
}

void Run::pull(const ResolvedRegion& from, void* place, std::size_t bytes) noexcept {
  if (!is_cut_off() && !call_.puller->pull(from.rank, address(from), place, bytes))
    stop_ = Stop::cut_off;
}

/// A pulled value crosses once, and is copied on from its first target.
void Run::fetch_to_all(const ResolvedRegion& from, Targets places) noexcept {
  const void* source = address(from);
  void* const* targets = segmentation_.targets.data();
  const std::size_t bytes = bytes_of(from);
  if (has_to_pull(from)) [[unlikely]] {
    if (places.count == 0) return;
    pull(from, targets[0], bytes);
    if (is_cut_off()) return;
    source = targets[0];  // and is left alone, as a target that is the source
  }
  copy_to_all(source, targets, places.count, bytes, places.stores);
}

/// One's own exposed buffer, if not bounced: the step writes it anyway.
bool Run::is_own_output(const ResolvedRegion& target) const {
  return target.is_own && target.is_shown() && !bounces();
}

bool Run::is_own_scratch(const ResolvedRegion& target) const {
  return target.is_own && (target.is_shown() ? bounces() : target.base == Base::scratch);
}

/// Whether the owner shows this region in a bounce block.
bool Run::is_bounced(const ResolvedRegion& shown) const noexcept {
  return shown.is_own ? bounces() : announcement_of(shown.rank).reach == Reach::bounced;
}

void Run::fill_soon(const void* scratch, std::size_t bytes) noexcept {
  has_filled_scratch_ = true;
  if (bytes <= kAskedFor)
    prefetch_for_writing(static_cast<const std::byte*>(scratch), bytes, kAskedFor);
}

/// The beginnings of all values are asked for before the first is copied, so that the misses of
/// peers overlap; what lines carry has come with their flags.
void Run::copy_each(const Instruction& step) noexcept {
  if (call_.edges != nullptr) [[unlikely]]
    return take_blocks(step);
  const std::span<const ResolvedRegion> operands = operands_of(step), targets = targets_of(step);
  TERRACE_ASSERT(operands.size() == targets.size(), operands.size(), targets.size());
  if (program_.lowering == Lowering::owner)
    for (const ResolvedRegion& operand : operands)
      if (!operand.is_own && operand.elements != 0 && !has_to_pull(operand))
        ask_for(address(operand), bytes_of(operand));
  for (std::size_t i = 0; i < operands.size() && !is_cut_off(); ++i) {
    const std::size_t bytes = bytes_of(operands[i]);
    if (bytes != 0 && !is_own_output(targets[i])) fetch(operands[i], targets[i], bytes);
  }
}

void Run::send_lines(const Instruction& step) noexcept {
  for (const ResolvedRegion& target : targets_of(step))
    if (target.completes_line)
      send_line({target.line, target.line_bytes}, work_.staging[target.line].data());
}

void Run::ring() noexcept {
  const std::uint64_t steps = std::uint64_t{strip_} * program_.body_count + position_ + 1;
  TERRACE_ASSERT(steps < kDoneSteps, steps);
  // relaxed: only this rank writes its word, which only grows.
  TERRACE_ASSERT(
      !has_reached(word_.value.load(std::memory_order_relaxed), word_at(lease_.call, steps)),
      steps);
  publish(word_.value, word_.sleepers, word_at(lease_.call, steps));
}

void Run::next() noexcept {
  TERRACE_ASSERT(position_ < segmentation_.steps, position_, segmentation_.steps);
  met_waits_ = 0;
  ++position_;
  if (position_ != program_.body_count || strip_ + 1 == segmentation_.strips) return;
  position_ = 0;
  ++strip_;
  begin_strip();
}

/// Begins a strip. Addresses of input and output are numbers: where blocks are in tables, these are
/// nothing, and offsets all of the address.
void Run::begin_strip() noexcept {
  TERRACE_ASSERT(strip_ < segmentation_.strips, strip_, segmentation_.strips);
  strip_begin_ = (call_.first_element + strip_ * call_.strip_elements) * call_.element_bytes;
  slot_begin_ =
      lease_.scratch_begin + (strip_ == 0 ? 0 : strip_ % program_.ring * segmentation_.slot_stride);
  const auto number = [](const void* address) { return reinterpret_cast<std::uintptr_t>(address); };
  bases_ = {number(call_.input) + strip_begin_, number(call_.output) + strip_begin_,
            number(work_.staging.data())};
  const bool is_shorter = segmentation_.has_short_last && strip_ + 1 == segmentation_.strips;
  resolved_regions_ = is_shorter ? &segmentation_.last : &segmentation_.resolved_regions;
  if (call_.tables != nullptr) [[unlikely]] {
    resolve_regions(program_, call_, segmentation_, strip_, work_.resolved_regions);
    resolved_regions_ = &work_.resolved_regions;
  }
}

Progress complete(Run& run, const WaitPolicy& policy, WaitEnvironment& wait_environment) noexcept {
  for (;;) {
    const Progress progress = run.advance();
    if (progress != Progress::blocked) return progress;
    wait_until(run, policy, wait_environment);
  }
}

}  // namespace terrace
