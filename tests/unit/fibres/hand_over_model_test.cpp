// SPDX-License-Identifier: BSD-3-Clause
// A model of how the monitor takes a worker from a fibre (worker.hpp, scheduler.cpp, monitor.cpp):
// all interleavings of the two, with stores that become visible late, as processors keep them back.
//
//   fibre:    S  is_switching = 1    H  read hold: 0 go on, 1 read again, 2 join the queue
//             U  use the worker      E  is_switching = 0      (then the program's code, and again)
//   monitor:  C  hold = 1            B  membarrier            R  read is_switching
//             R = 0: T  take the worker, D  hold = 2          R = 1: W  hold = 0
//
// And of how it delivers a signal to a fibre that was detached, while that comes back:
//
//   fibre:    S, H as above: 2 join    T  hold 2 -> 0, again while it is 1     Q  in the ring
//   monitor:  C  hold 2 -> 1 or 0 -> 1   B   R   R = 0: K  interrupt its kernel thread   W  hold as
//             it was
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

namespace terrace {
namespace {

enum class Step : std::uint8_t { store_switching, read_hold, use, end_switching, over };
enum class Look : std::uint8_t { claim, barrier, read_switching, take, detach, withdraw, over };

/// What of the protocol is left out.
enum class Fault : std::uint8_t { none, no_barrier, read_before_barrier, no_claim, no_look_again };

struct State {
  Step fibre = Step::store_switching;
  Look monitor = Look::claim;
  int switching = 0, hold = 0;                   ///< as all see them
  std::optional<int> late_switching, late_hold;  ///< stored, and not visible to others yet
  int turns = 0;                                 ///< switches of the fibre that are over
  bool is_fibres = true;                         ///< the worker
  bool is_in_use = false, has_joined = false, is_wrong = false;

  auto key() const {
    return std::tuple(fibre, monitor, switching, hold, late_switching, late_hold, turns, is_fibres,
                      is_in_use, has_joined, is_wrong);
  }
  bool operator<(const State& other) const { return key() < other.key(); }
};

constexpr int kTurns = 2;

/// A step of the fibre; nothing if it waits for its own store.
std::optional<State> fibre_goes_on(State now, Fault fault) {
  switch (now.fibre) {
    case Step::store_switching:
      if (now.late_switching) return std::nullopt;  // one place in the buffer
      now.late_switching = 1;
      now.fibre = Step::read_hold;
      return now;
    case Step::read_hold:
      if (now.hold == 1 && fault != Fault::no_look_again) return now;
      if (now.hold == 2) {
        now.has_joined = true;
        now.fibre = Step::over;
        return now;
      }
      now.is_in_use = true;
      now.is_wrong |= !now.is_fibres;
      now.fibre = Step::use;
      return now;
    case Step::use:
      now.is_wrong |= !now.is_fibres;
      now.is_in_use = false;
      now.fibre = Step::end_switching;
      return now;
    case Step::end_switching:
      if (now.late_switching) return std::nullopt;
      now.late_switching = 0;
      now.fibre = ++now.turns == kTurns ? Step::over : Step::store_switching;
      return now;
    case Step::over:
      return std::nullopt;
  }
  return std::nullopt;
}

void make_visible(std::optional<int>& late, int& place) {
  if (late) place = *late;
  late.reset();
}

State after_look(State now, Fault fault) {
  const bool is_kept = fault == Fault::read_before_barrier ? false : now.switching != 0;
  now.monitor = is_kept ? Look::withdraw : Look::take;
  return now;
}

std::optional<State> monitor_goes_on(State now, Fault fault) {
  switch (now.monitor) {
    case Look::claim:
      if (fault != Fault::no_claim) now.late_hold = 1;
      // The look comes too early: what it has seen then is what counts.
      if (fault == Fault::read_before_barrier && now.switching != 0) return std::nullopt;
      now.monitor = Look::barrier;
      return now;
    case Look::barrier:
      if (fault != Fault::no_barrier) {
        make_visible(now.late_switching, now.switching);
        make_visible(now.late_hold, now.hold);
      }
      now.monitor = Look::read_switching;
      return now;
    case Look::read_switching:
      return after_look(now, fault);
    case Look::take:
      now.is_wrong |= now.is_in_use;
      now.is_fibres = false;
      now.monitor = Look::detach;
      return now;
    case Look::detach:
      make_visible(now.late_hold, now.hold);
      now.hold = 2;
      now.monitor = Look::over;
      return now;
    case Look::withdraw:
      make_visible(now.late_hold, now.hold);
      now.hold = 0;
      now.monitor = Look::over;
      return now;
    case Look::over:
      return std::nullopt;
  }
  return std::nullopt;
}

struct Exploration {
  std::set<State> seen;
  bool is_wrong = false;  ///< both had the worker, or the fibre used it when it was gone
  bool has_taken = false, has_withdrawn = false, has_joined = false;
};

void explore(const State& now, Fault fault, Exploration& all) {
  if (!all.seen.insert(now).second) return;
  all.is_wrong |= now.is_wrong;
  all.has_taken |= !now.is_fibres;
  all.has_withdrawn |= now.monitor == Look::withdraw;
  all.has_joined |= now.has_joined;
  if (const auto next = fibre_goes_on(now, fault)) explore(*next, fault, all);
  if (const auto next = monitor_goes_on(now, fault)) explore(*next, fault, all);
  if (State next = now; next.late_switching) {
    make_visible(next.late_switching, next.switching);
    explore(next, fault, all);
  }
  if (State next = now; next.late_hold) {
    make_visible(next.late_hold, next.hold);
    explore(next, fault, all);
  }
}

Exploration explored(Fault fault) {
  Exploration all;
  State first;
  // The fibre runs the program's code; the monitor has seen that.
  explore(first, fault, all);
  return all;
}

TEST(HandOverModel, NeverGivesAWorkerToTwo) {
  const Exploration all = explored(Fault::none);
  EXPECT_FALSE(all.is_wrong);
  EXPECT_TRUE(all.has_taken);
  EXPECT_TRUE(all.has_withdrawn);
  EXPECT_TRUE(all.has_joined);
  EXPECT_GT(all.seen.size(), 50u);
}

TEST(HandOverModel, NeedsEachOfItsParts) {
  for (const Fault fault :
       {Fault::no_barrier, Fault::read_before_barrier, Fault::no_claim, Fault::no_look_again})
    EXPECT_TRUE(explored(fault).is_wrong) << static_cast<int>(fault);
}

/// The fibre leaves its kernel thread with `switch_over`; who runs there takes it back.
enum class Return : std::uint8_t { store_switching, read_hold, switch_over, take_back, in_ring };
enum class Delivery : std::uint8_t { claim, barrier, read_switching, interrupt, restore, over };
enum class SignalFault : std::uint8_t { none, no_barrier, takes_back_at_once, comes_back_claimed };

struct SignalState {
  Return fibre = Return::store_switching;
  Delivery monitor = Delivery::claim;
  int switching = 0, hold = 2, before = 2;
  std::optional<int> late_switching;
  bool is_on_its_thread = true, is_wrong = false;

  auto key() const {
    return std::tuple(fibre, monitor, switching, hold, before, late_switching, is_on_its_thread,
                      is_wrong);
  }
  bool operator<(const SignalState& other) const { return key() < other.key(); }
};

std::optional<SignalState> returns_on(SignalState now, SignalFault fault) {
  switch (now.fibre) {
    case Return::store_switching:
      now.late_switching = 1;
      now.fibre = Return::read_hold;
      return now;
    case Return::read_hold:
      if (now.hold == 1 && fault != SignalFault::comes_back_claimed) return now;
      now.fibre = Return::switch_over;
      return now;
    case Return::switch_over:
      now.is_on_its_thread = false;
      now.fibre = Return::take_back;
      return now;
    case Return::take_back:
      if (now.hold != 2 && fault != SignalFault::takes_back_at_once) return now;
      make_visible(now.late_switching, now.switching);  // an exchange, or in order after the stores
      now.hold = 0;
      now.fibre = Return::in_ring;
      return now;
    case Return::in_ring:
      return std::nullopt;
  }
  return std::nullopt;
}

std::optional<SignalState> delivers_on(SignalState now, SignalFault fault) {
  switch (now.monitor) {
    case Delivery::claim:
      now.before = now.hold;
      now.hold = 1;
      now.monitor = Delivery::barrier;
      return now;
    case Delivery::barrier:
      if (fault != SignalFault::no_barrier) make_visible(now.late_switching, now.switching);
      now.monitor = Delivery::read_switching;
      return now;
    case Delivery::read_switching:
      now.monitor = now.switching == 0 ? Delivery::interrupt : Delivery::restore;
      return now;
    case Delivery::interrupt:
      now.is_wrong |= !now.is_on_its_thread;
      now.monitor = Delivery::restore;
      return now;
    case Delivery::restore:
      now.hold = now.before;
      // One in the ring is nobody's but its worker's.
      now.is_wrong |= now.fibre == Return::in_ring && now.hold == 2;
      now.monitor = Delivery::over;
      return now;
    case Delivery::over:
      return std::nullopt;
  }
  return std::nullopt;
}

struct Deliveries {
  std::set<SignalState> seen;
  bool is_wrong = false, has_interrupted = false, has_come_too_late = false;
};

void explore(const SignalState& now, SignalFault fault, Deliveries& all) {
  if (!all.seen.insert(now).second) return;
  all.is_wrong |= now.is_wrong;
  all.has_interrupted |= now.monitor == Delivery::interrupt;
  all.has_come_too_late |= now.monitor == Delivery::over && now.before == 0;
  if (const auto next = returns_on(now, fault)) explore(*next, fault, all);
  if (const auto next = delivers_on(now, fault)) explore(*next, fault, all);
  if (SignalState next = now; next.late_switching) {
    make_visible(next.late_switching, next.switching);
    explore(next, fault, all);
  }
}

Deliveries delivered(SignalFault fault) {
  Deliveries all;
  explore(SignalState{}, fault, all);
  return all;
}

TEST(DeliveryModel, InterruptsTheFibresOwnThreadAndLeavesTheRingAlone) {
  const Deliveries all = delivered(SignalFault::none);
  EXPECT_FALSE(all.is_wrong);
  EXPECT_TRUE(all.has_interrupted);
  EXPECT_TRUE(all.has_come_too_late);
  EXPECT_GT(all.seen.size(), 30u);
}

TEST(DeliveryModel, NeedsEachOfItsParts) {
  for (const SignalFault fault :
       {SignalFault::no_barrier, SignalFault::takes_back_at_once, SignalFault::comes_back_claimed})
    EXPECT_TRUE(delivered(fault).is_wrong) << static_cast<int>(fault);
}

}  // namespace
}  // namespace terrace
