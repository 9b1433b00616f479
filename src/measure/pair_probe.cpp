// SPDX-License-Identifier: BSD-3-Clause
// Two ranks take turns: one stores a value and raises its turn, the other copies the value and
// raises its own. The first one's clock measures the whole, the second one's only the copying.
//
//     first    store into shared ─┐                        ┌─ sees it: whole
//     second                      └─ sees it, copies: read ─┘
//
//     write = whole - read - 2 signals
#include "measure/pair_probe.hpp"

#include <hwy/cache_control.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <vector>

#include "base/contract.hpp"
#include "base/pause.hpp"
#include "base/ticks.hpp"
#include "kernels/kernels.hpp"
#include "measure/core_probe.hpp"
#include "measure/median.hpp"
#include "team/waiting.hpp"

namespace terrace::measure {

namespace {

/// A peer that has not come by then will not come: a core may be another program's for some
/// milliseconds.
constexpr double kPatienceNs = 1e9;
constexpr std::uint64_t kLooksBetweenTimes = 1 << 8;
/// A peer that does not answer within these has no core: perhaps it needs this one.
constexpr double kNsBeforeYields = 50e3;

/// Rewrites memory as a program makes its next vector: by stores that leave it in the caches, which
/// memset need not.
void rewrite(std::byte* at, std::size_t bytes, int value) {
  for (std::size_t i = 0; i < bytes; i += sizeof(double)) {
    const double element = value + static_cast<double>(i);
    std::memcpy(at + i, &element, sizeof element);
  }
}

void copy_value(const std::byte* from, std::byte* to, std::size_t bytes, Stores stores) {
  void* const target = to;
  copy_to_all(from, &target, 1, bytes, stores);
}

constexpr Stores kByPages = Stores::cached.copied_by(CopyBy::pages);

/// The way in which calls store long values to scratch.
Stores scratch_stores(bool streams) {
  return streams ? Stores::streaming : kByPages.prefetching();
}

}  // namespace

PairProbe::PairProbe(const ProbeRoom& mine, const ProbeRoom& theirs, bool is_first)
    : mine_(mine), theirs_(theirs), is_first_(is_first), look_ticks_(~std::uint64_t{0}) {
  for (int i = 0; i < 8; ++i) {
    const std::uint64_t begin = ticks();
    look_ticks_ = std::min(look_ticks_, ticks_after_loads() - begin);
  }
}

double PairProbe::ns_since(std::uint64_t begin) const {
  const std::uint64_t passed = ticks_after_loads() - begin;
  return passed < look_ticks_ ? 0 : static_cast<double>(passed - look_ticks_) * ns_per_tick();
}

void PairProbe::raise() {
  // release: pairs with the acquire in `await`.
  mine_.board->turn.store(++turn_, std::memory_order_release);
}

void PairProbe::await() {
  std::uint64_t begin = 0;
  bool yields = false;
  // acquire: pairs with the release in `raise`.
  std::uint64_t seen = 0;
  for (std::uint64_t looks = 1;
       (seen = theirs_.board->turn.load(std::memory_order_acquire)) < turn_; ++looks) {
    if (has_failed_) return;
    pause_until_changed(theirs_.board->turn, seen);
    if (!yields && looks % kLooksBetweenTimes != 0) continue;
    if (begin == 0) begin = ticks();
    const double waited_ns = ns_since(begin);
    has_failed_ = waited_ns > kPatienceNs;
    yields = waited_ns > kNsBeforeYields;
    if (yields) sched_yield();
  }
}

void PairProbe::meet() {
  raise();
  await();
}

double PairProbe::told(bool tells, double mine) {
  // relaxed, both: ordered by the meetings around them.
  if (tells)
    mine_.board->result.store(static_cast<std::uint64_t>(std::max(0.0, mine) * 1e3),
                              std::memory_order_relaxed);
  meet();
  const ProbeBoard& board = tells ? *mine_.board : *theirs_.board;
  // relaxed: the meeting before has ordered it after its store above.
  const auto picoseconds = board.result.load(std::memory_order_relaxed);
  meet();
  return static_cast<double>(picoseconds) * 1e-3;
}

bool PairProbe::both(bool is_so) {
  const double first = told(is_first_, is_so ? 1 : 0), second = told(!is_first_, is_so ? 1 : 0);
  return first > 0 && second > 0;
}

double PairProbe::signal(int tries, int throws) {
  double best = 1e9;
  for (int i = 0; i < tries; ++i) {
    meet();
    const std::uint64_t begin = ticks();
    for (int k = 0; k < throws; ++k) {
      if (is_first_) raise();
      if (!is_first_) ++turn_;
      await();
      // relaxed: this rank's own. The partner of the store is in `raise`.
      if (!is_first_) mine_.board->turn.store(turn_, std::memory_order_release);
    }
    best = std::min(best, ns_since(begin) / (2 * throws));
  }
  return told(is_first_, best);
}

/// Copies shared memory, unless this rank no longer waits for its peer, which may be at it.
void PairProbe::copy_together(const std::byte* from, std::byte* to, std::size_t bytes,
                              Stores stores) const {
  if (!has_failed_) copy_value(from, to, bytes, stores);
}

void PairProbe::go_round(std::size_t span, bool streams) {
  const std::size_t piece = std::min(mine_.own_bytes, span);
  TERRACE_REQUIRE(span <= mine_.shared_bytes, span, mine_.shared_bytes);
  for (std::size_t at = 0; at + piece <= span; at += piece) {
    if (is_first_) copy_together(mine_.source, mine_.shared + at, piece, scratch_stores(streams));
    meet();
    if (!is_first_) copy_together(theirs_.shared + at, mine_.target, piece, kByPages);
  }
  meet();
}

model::ScratchCopy PairProbe::copy(std::size_t bytes, std::size_t span, bool streams, int repeats,
                                   double signal) {
  const std::size_t places = std::max<std::size_t>(1, span / bytes);
  TERRACE_REQUIRE(bytes <= mine_.own_bytes && places * bytes <= mine_.shared_bytes, bytes, places,
                  mine_.own_bytes, mine_.shared_bytes);
  // At once, what was there before is forgotten after a few.
  const int first = places == 1 ? std::max(1, repeats / 3) : 1;
  if (places > 1) go_round(span, streams);
  std::vector<double> wholes, reads;
  for (int i = 0; i < first + repeats; ++i) {
    const std::size_t place = static_cast<std::size_t>(i) % places * bytes;
    if (is_first_) rewrite(mine_.source, bytes, i);
    meet();
    const std::uint64_t begin = ticks();
    if (is_first_)
      copy_together(mine_.source, mine_.shared + place, bytes, scratch_stores(streams));
    if (is_first_) raise();
    if (!is_first_) ++turn_;
    await();
    if (!is_first_) {
      const std::uint64_t seen = ticks();
      copy_together(theirs_.shared + place, mine_.target, bytes, kByPages);
      if (i >= first) reads.push_back(ns_since(seen));
      // release: pairs with the acquire in `await`.
      mine_.board->turn.store(turn_, std::memory_order_release);
    } else if (i >= first) {
      wholes.push_back(ns_since(begin));
    }
  }
  const double read = told(!is_first_, lower_quartile(reads));
  const double whole = told(is_first_, lower_quartile(wholes));
  const double lines = static_cast<double>(bytes) / static_cast<double>(kLineBytes);
  const double write = std::max(0.0, whole - read - 2 * signal);
  return {static_cast<double>(bytes), static_cast<double>(span), streams, write / lines,
          read / lines};
}

// A walk over lines in an order that no prefetcher follows: each says where the next one is.

std::uint32_t* PairProbe::link_at(bool is_mine, std::uint32_t line) const {
  std::byte* const shared = is_mine ? mine_.shared : theirs_.shared;
  return reinterpret_cast<std::uint32_t*>(shared + std::size_t{line} * 4 * kLinePairBytes);
}

void PairProbe::write_chain(std::uint32_t lines, LineState state) {
  if (has_failed_) return;  // the peer may still read
  // Triangular numbers cover all remainders of a power of two, in steps that differ.
  const auto at = [lines](std::uint32_t k) { return k * (k + 1) / 2 % lines; };
  for (std::uint32_t k = 0; k < lines; ++k) *link_at(true, at(k)) = at((k + 1) % lines);
  if (state == LineState::modified) return;
  for (std::uint32_t k = 0; k < lines; ++k) hwy::FlushCacheline(link_at(true, k));
  // A locked exchange waits for the flushes, as a fence would, which ThreadSanitizer does not know.
  std::atomic<int> barrier{0};
  barrier.exchange(1, std::memory_order_seq_cst);  // no partner
  if (state == LineState::in_memory) return;
  for (std::uint32_t k = 0; k < lines; ++k)
    static_cast<void>(*static_cast<volatile std::uint32_t*>(link_at(true, k)));
}

/// Returns what `read` says of the lines that the first has written, once they have met.
template <class Read>
std::vector<double> PairProbe::read_written(std::uint32_t lines, LineState state, int repeats,
                                            Read read) {
  std::vector<double> times;
  for (int i = 0; i < repeats; ++i) {
    if (is_first_) write_chain(lines, state);
    meet();
    if (!is_first_) times.push_back(has_failed_ ? 0 : read());
    meet();
  }
  return times;
}

std::vector<double> PairProbe::read_lines(LineState state, int lines, int repeats) {
  const auto count = static_cast<std::uint32_t>(lines);
  return read_written(count, state, repeats, [&] {
    const std::uint64_t begin = ticks();
    std::uint32_t next = 0;
    for (std::uint32_t k = 0; k < count; ++k)
      next = *static_cast<volatile std::uint32_t*>(link_at(false, next % count));
    return ns_since(begin) / lines;
  });
}

std::vector<double> PairProbe::read_together(int lines, int repeats) {
  const auto count = static_cast<std::uint32_t>(lines);
  const auto took = [&](std::uint32_t from, std::uint32_t to) {
    const std::uint64_t begin = ticks();
    std::uint32_t sum = 0;
    for (std::uint32_t k = from; k < to; ++k) sum += *link_at(false, k);
    static_cast<void>(*static_cast<volatile std::uint32_t*>(&sum));
    return ns_since(begin);
  };
  return read_written(2 * count, LineState::modified, repeats, [&] {
    const double one = took(0, 1), many = took(count, 2 * count);
    return std::max(0.0, many - one) / (lines - 1);
  });
}

std::vector<double> PairProbe::own_lines(int lines, int repeats) {
  const auto count = static_cast<std::uint32_t>(lines);
  std::vector<double> times;
  for (int i = 0; i < repeats; ++i) {
    if (is_first_) write_chain(count, LineState::modified);
    meet();
    if (!is_first_ && !has_failed_)
      for (std::uint32_t k = 0; k < count; ++k)
        static_cast<void>(*static_cast<volatile std::uint32_t*>(link_at(false, k)));
    meet();
    if (!is_first_) continue;
    if (has_failed_) {
      times.push_back(0);
      continue;
    }
    const std::uint64_t begin = ticks();
    // relaxed: ordered by the meetings around. An addition is over when the line is there.
    for (std::uint32_t k = 0; k < count; ++k)
      std::atomic_ref(*link_at(true, k)).fetch_add(1, std::memory_order_relaxed);
    times.push_back(ns_since(begin) / lines);
  }
  meet();
  return times;
}

double PairProbe::read_modified(int lines, int repeats) {
  return told(!is_first_, median(read_lines(LineState::modified, lines, repeats)));
}

model::LinkCosts measure_link(PairProbe& pair, const ProbeRoom& mine, const LinkEffort& effort) {
  constexpr std::size_t KiB = 1024;
  constexpr int kTries = 4, kThrows = 20, kLines = 32;
  model::LinkCosts link;
  link.signal = pair.signal(kTries, kThrows);
  // A walk over lines knows nothing of what overlaps with the flag's own way.
  link.modified =
      std::clamp(pair.read_modified(kLines, effort.repeats), 0.3 * link.signal, 0.7 * link.signal);
  const std::size_t cache = effort.cache_bytes;
  std::vector<std::size_t> spans = {0, cache, 4 * cache};
  if (cache >= 2 * model::kPastFirstCaches)
    spans.insert(spans.begin() + 1, model::kPastFirstCaches);  // in order, as the model has them
  for (const bool streams : {false, true})
    for (const std::size_t span : spans) {
      const bool is_wide = span != 0;
      if (is_wide && (span < 64 * KiB || span > mine.shared_bytes)) continue;
      // What goes past the caches does not care how far it has left them.
      if (is_wide && streams && span != cache) continue;
      for (const std::size_t bytes : {1 * KiB, 8 * KiB, 64 * KiB, 512 * KiB}) {
        if (bytes > mine.own_bytes || bytes > mine.shared_bytes) continue;
        if (is_wide && span < 2 * bytes) continue;
        const int times = bytes <= 8 * KiB ? 3 : bytes <= 64 * KiB ? 2 : 1;
        const int repeats = times * effort.repeats;
        link.copies.push_back(pair.copy(bytes, span, streams, repeats, link.signal));
      }
    }
  if (pair.has_failed()) link.copies.clear();
  return link;
}

}  // namespace terrace::measure
