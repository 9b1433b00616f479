// SPDX-License-Identifier: BSD-3-Clause
// Executes a lowered plan once, under given circumstances, by its waits alone: each rank does its
// steps in its own order, a step as soon as its waits are met. Waits name steps, so the happens-
// before order is the same in every schedule, and one schedule shows all races.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plan/plan.hpp"
#include "verify/model_memory.hpp"

namespace terrace {

/// The buffers that a call brings, read off its postcondition: a rank of which nothing is asked may
/// have no output at all, and one whose input is not asked for no input.
struct Brought {
  std::uint32_t blocks = 1;
  bool moves_something = false;               ///< false: a barrier, called with no bytes
  std::vector<std::vector<bool>> has_input;   ///< [rank][block]
  std::vector<std::vector<bool>> has_output;  ///< [rank][block]
};
Brought brought_by(const Plan& plan, const Postcondition& postcondition);
/// All buffers, whatever collective the plan serves.
Brought everything(const Plan& plan);

class Execution {
 public:
  Execution(const Plan& plan, const Brought& brought, Expressions& expressions);

  /// Plays the plan; says what went wrong, as a sentence without its end, or nothing if all is
  /// well. `leaver`: a rank that stops before its first wait, met or not, while all others go on.
  std::optional<std::string> run(const Circumstances& circumstances,
                                 std::optional<Rank> leaver = {});

  // After a run that went well:
  const ModelMemory& memory() const { return memory_; }
  bool is_empty(std::uint32_t tile, std::uint32_t strip) const;
  /// Returns how many events of each rank had finished for certain when `rank` returned.
  VectorClock at_return(Rank rank) const { return clock_after(rank, event_count(rank)); }
  /// Returns how many had when `rank` did its `event`-th event.
  VectorClock clock_after(Rank rank, std::uint32_t event) const {
    return full_clock_after(rank, event).first(plan_.ranks);
  }
  bool hears_all(Rank rank) const;
  /// The first and the last event in which `reader` touched `owner`'s scratch; 0: none.
  std::uint32_t first_touch(Rank owner, Rank reader) const {
    return first_touches_[touch(owner, reader)];
  }
  std::uint32_t last_touch(Rank owner, Rank reader) const { return touches_[touch(owner, reader)]; }
  /// The last event in which `reader` looked at one of `owner`'s lines; 0: none.
  std::uint32_t last_look(Rank owner, std::uint32_t line, Rank reader) const {
    return looks_[look(owner, line, reader)];
  }
  std::uint64_t accesses() const { return accesses_; }

 private:
  /// The current step and its time.
  struct Now {
    const Step* step = nullptr;  ///< null: the return to the caller
    MemoryEvent event;
    std::uint32_t strip = 0;
    VectorClock clock;
  };
  using Fault = std::optional<std::string>;

  void start(const Circumstances& circumstances);
  void fill_inputs();

  /// An event that a rank waits for.
  struct Awaited {
    Rank rank = 0;
    std::uint32_t event = 0;
  };
  /// The `number`-th step of `rank` in each strip, from 1, is one half of a message.
  struct Half {
    Rank rank = 0;
    std::uint32_t number = 0;
  };
  /// All messages of one rank to another, in order.
  struct Channel {
    std::vector<Half> sends, receives;
    std::vector<std::vector<SymbolicValue>> values;  ///< of each message sent so far
  };

  // The order of events.
  void pair_messages();
  Fault check_pairs() const;
  std::uint32_t event_count(Rank rank) const;
  const Step* step_at(Rank rank, std::uint32_t event) const;
  std::uint32_t strip_at(Rank rank, std::uint32_t event) const;
  std::uint32_t awaited_event(const Wait& wait, std::uint32_t strip) const;
  bool applies(const Wait& wait, Rank rank) const;
  std::optional<Awaited> first_unmet(Rank rank) const;
  bool waits(Rank rank) const;
  Fault play(Rank rank, bool leaves, bool& has_moved);
  std::optional<Awaited> unreceived(Rank rank, std::uint32_t event) const;
  std::uint32_t other_half(Rank rank, std::uint32_t event) const;
  VectorClock full_clock_after(Rank rank, std::uint32_t event) const {
    return VectorClock(clocks_[rank]).subspan(std::size_t{event} * width_, width_);
  }
  Rank messenger_of(Rank rank) const { return rank + plan_.ranks; }
  Fault advance(Rank rank);
  void learn(const Now& now);
  std::string deadlock() const;
  std::string stuck_without(Rank leaver) const;

  // Performs a step.
  Fault perform(const Now& now);
  Fault expose(const Now& now);
  Fault reduce(const Now& now);
  Fault copy_pairs(const Now& now);
  Fault send(const Now& now);
  Fault receive(const Now& now);
  Fault return_to_caller(const Now& now);
  Fault check_messages_have_gone(const Now& now) const;
  Fault read(const Now& now, const Region& region, std::uint32_t tile, SymbolicValue& value);
  Fault write(const Now& now, const Region& region, std::uint32_t tile, const SymbolicValue& value);
  Fault touch_exposed(const Now& now, const Region& region, std::uint32_t tile);
  Fault combine(const Now& now, std::uint32_t tile_offset);
  Fault access(const Now& now, ModelMemory::Place place, const Region& region,
               const SymbolicValue* value);
  bool is_skipped(const Now& now, const Region& target) const;
  bool is_there(const Now& now, const Region& from, const Region& to, std::uint32_t tile) const;
  ModelMemory::Place place_of(const Region& region, std::uint32_t tile, std::uint32_t strip) const;
  Region users_region(const Region& region) const;
  void note_looks(const Now& now);
  void note_touch(Rank owner, MemoryEvent by);

  // Sentences.
  std::string name(Rank rank, std::uint32_t event) const;
  std::string name(const Region& region, std::uint32_t tile) const;
  std::string race_text(const Now& now, const Race& race, const Region& region, bool writes) const;

  std::size_t touch(Rank owner, Rank reader) const {
    return std::size_t{owner} * plan_.ranks + reader;
  }
  std::size_t look(Rank owner, std::uint32_t line, Rank reader) const {
    return (std::size_t{owner} * plan_.lines + line) * plan_.ranks + reader;
  }

  const Plan& plan_;
  const Brought& brought_;
  Expressions& expressions_;
  /// Clocks count the events of ranks, and then those of their messengers, who read what a message
  /// carries some time after it was sent. Only a rank that waits for its messengers knows when.
  std::uint32_t width_;
  std::map<std::pair<Rank, Rank>, Channel> channels_;
  Circumstances circumstances_;
  ModelMemory memory_;
  std::vector<std::vector<const Step*>> body_, closing_;  ///< per rank
  std::vector<std::uint32_t> done_;                       ///< events so far, per rank
  std::vector<std::vector<std::uint32_t>> clocks_;        ///< per rank: after event 0, 1, 2, ...
  std::vector<std::uint32_t> first_touches_, touches_, looks_;
  std::vector<Expressions::Id> parts_;  ///< room for the operands of one step
  std::uint64_t accesses_ = 0;
};

}  // namespace terrace
