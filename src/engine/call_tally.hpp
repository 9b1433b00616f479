// SPDX-License-Identifier: BSD-3-Clause
// The report (TERRACE_REPORT): what ran, what fell back to the MPI, and why. Counted per
// communicator by the calling thread, added up when the communicator is freed, printed at the end.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "collectives/collectives.hpp"
#include "team/memory.hpp"

namespace terrace {

/// The kinds of calls of a collective: MPI_X, MPI_IX, and MPI_X_init.
enum class CallKind : std::uint8_t { blocking, nonblocking, persistent };
inline constexpr std::size_t kCallKinds = 3;

class CallTally {
 public:
  /// `reach`: how peers reached this rank's buffers; nothing if it had no choice.
  void count_run(Collective collective, std::size_t bytes, const std::string& plan,
                 std::optional<Reach> reach, CallKind kind = CallKind::blocking);
  void count_fallback(Collective collective, std::size_t bytes, const std::string& why,
                      CallKind kind = CallKind::blocking) {
    ++cell(collective, kind, bytes).fallen_back[why];
  }
  // Threads that wait for different calls of a communicator may count at the same time.
  // relaxed, both: counts that order nothing. No partner.
  void count_difference(Collective collective) {
    std::atomic_ref(differences_[index(collective)]).fetch_add(1, std::memory_order_relaxed);
  }
  void count_checked() { std::atomic_ref(checked_).fetch_add(1, std::memory_order_relaxed); }
  /// Adds a line once; only the first lines of many are kept.
  void note(const std::string& sentence) {
    if (notes_.size() < kMostNotes) notes_.insert(sentence);
  }

  void add(const CallTally& other);
  /// The report's lines, each with its newline; "" if nothing was counted.
  std::string text() const;

 private:
  struct Cell {
    std::map<std::string, std::uint64_t> by_plan;
    std::map<std::string, std::uint64_t> fallen_back;
  };
  static constexpr std::size_t kMostNotes = 256;

  static std::size_t index(Collective collective) { return static_cast<std::size_t>(collective); }
  Cell& cell(Collective collective, CallKind kind, std::size_t bytes);
  std::string lines_of(Collective collective, CallKind kind) const;

  /// Cells by size: class 0 holds 0 bytes, class k 2^(k-1) to 2^k - 1 bytes.
  using Cells = std::array<std::map<std::size_t, Cell>, kAllCollectives>;
  std::array<Cells, kCallKinds> cells_;  ///< by kind
  std::array<std::uint64_t, kAllCollectives> differences_{};
  std::uint64_t checked_ = 0;
  std::set<std::string> notes_;
};

}  // namespace terrace
