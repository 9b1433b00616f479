// SPDX-License-Identifier: BSD-3-Clause
// Balance: finds out from samples that one worker has more to compute than another that waits, and
// which fibre had better move there. Fibres have fixed homes otherwise, since neighbours call each
// other. Used by the monitor alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace terrace {

struct Fibre;

class Balance {
 public:
  /// The finding of a look at a worker.
  enum class Sample : std::uint8_t {
    computes,  ///< a fibre of it computes
    waits,     ///< none of its fibres can go on
    other
  };
  /// The state of a worker as the monitor sees it.
  struct Seen {
    bool has_current = false;          ///< a fibre runs, or waits on behalf of all
    bool is_switching = false;         ///< and is in this room's code
    std::uint64_t switches = 0;        ///< since the last look
    std::size_t fibres = 0;            ///< in the ring
    std::uint64_t passes_in_vain = 0;  ///< until the last switch
  };
  struct Move {
    std::size_t from = 0, to = 0;
    Fibre* fibre = nullptr;
  };

  explicit Balance(std::size_t workers) : samples_(workers) {}

  static Sample sample_of(const Seen& seen);

  /// `current`: the fibre that runs.
  void add(std::size_t worker, Sample sample, Fibre* current);
  /// After each worker has been looked at once more: a fibre that is to move, once in a while.
  std::optional<Move> next_move();

  /// Looks from one decision to the next. At first they are few, then more and more to a bound, so
  /// that what is lost until a fibre moves is a small part of the time that has passed.
  std::uint32_t window() const { return window_; }
  static constexpr std::uint32_t kFirstWindow = 10, kLongestWindow = 50;

 private:
  struct Samples {
    std::uint32_t computes = 0, waits = 0;
    std::vector<std::pair<Fibre*, std::uint32_t>> of_fibres;  ///< that computed
  };
  std::optional<Move> find_move() const;

  std::vector<Samples> samples_;
  std::uint32_t window_ = kFirstWindow;
  std::uint32_t looks_ = 0;                         ///< in this window
  std::pair<std::size_t, std::size_t> last_{0, 0};  ///< between which workers one would have moved
};

}  // namespace terrace
