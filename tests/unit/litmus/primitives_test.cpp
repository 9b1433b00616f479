// SPDX-License-Identifier: BSD-3-Clause
// The functions by which ranks hear of each other, run by the machine: with their orders nothing
// goes wrong in any execution, and with each of them weakened something does, but where the table
// says so. docs/design/weak-memory.md has the table as this test finds it.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/atomic_stack.hpp"
#include "fibres/hand_over.hpp"
#include "team/call_identity.hpp"
#include "team/signals.hpp"
#include "threadranks/matching/tickets.hpp"
#include "unit/litmus/atomic.hpp"

namespace terrace::litmus {
namespace {

/// A line, or a word, with what lies before it; then its owner writes there again, when the
/// reader's own word says that it has read.
struct Publishing : Scenario {
  Atomic<std::uint64_t> line, word;
  Atomic<std::uint32_t> sleepers, no_sleepers;
  Plain<int> payload;

  void run(std::size_t thread) override {
    if (thread == 0) {
      payload = 7;
      publish(line, sleepers, 1);
      if (last_published(word) == 1) payload = 8;
    } else if (last_published(line) == 1) {
      require(payload == 7, "wrong payload");
      publish(word, no_sleepers, 1);
    }
  }
};

/// The owner announces where its buffer lies; a peer fills it, and says so by its word.
struct Announcing : Scenario {
  Atomic<std::uint64_t> line, word;
  Atomic<std::uint32_t> sleepers, no_sleepers;
  Plain<int> buffer{1};
  Plain<Plain<int>*> announced{nullptr};

  void run(std::size_t thread) override {
    if (thread == 0) {
      buffer = 2;
      announced = &buffer;
      publish(line, sleepers, 1);
      if (last_published(word) == 1) require(buffer == 3, "wrong buffer");
    } else if (last_published(line) == 1) {
      Plain<int>& theirs = *static_cast<Plain<int>*>(announced);
      require(theirs == 2, "wrong buffer");
      theirs = 3;
      publish(word, no_sleepers, 1);
    }
  }
};

/// A third rank hears from the second what the first has done.
struct PassingOn : Scenario {
  Atomic<std::uint64_t> first, second;
  Atomic<std::uint32_t> sleepers, no_sleepers;
  Plain<int> payload;

  std::size_t threads() const override { return 3; }
  void run(std::size_t thread) override {
    if (thread == 0) {
      payload = 7;
      publish(first, sleepers, 1);
    } else if (thread == 1) {
      if (last_published(first) == 1) publish(second, no_sleepers, 1);
    } else if (last_published(second) == 1) {
      require(payload == 7, "wrong payload");
    }
  }
};

/// Who is seen to sleep on a line is woken. One that is not may miss the waking, and has its nap.
struct SleepingOnAWord : Scenario {
  Atomic<std::uint64_t> line;
  Atomic<std::uint32_t> sleepers;
  bool is_over = false;

  void run(std::size_t thread) override {
    if (thread == 0) return publish(line, sleepers, 1);
    sleep_unless(
        line, sleepers, [&] { return is_over = last_published(line) == 1; },
        [&](std::uint64_t seen) { sleep(line, seen); });
  }
};

/// A sender puts an envelope into the mailbox of an owner that goes to sleep.
struct SleepingOnAMailbox : Scenario {
  Atomic<std::uint64_t> sequence, counter;
  Atomic<std::uint32_t> sleepers;
  Plain<int> envelope;

  void run(std::size_t thread) override {
    if (thread == 0) {
      envelope = 7;
      threadranks::say_filled(sequence, 0);
      threadranks::notify_sleeper(counter, sleepers);
      return;
    }
    const auto is_there = [&] { return threadranks::is_filled(sequence, 0); };
    sleep_unless(counter, sleepers, is_there, [&](std::uint64_t seen) { sleep(counter, seen); });
    if (is_there()) require(envelope == 7, "wrong envelope");
  }
};

/// Two senders and the owner of a ring of one slot.
struct TakingTickets : Scenario {
  Atomic<bool> has_more;
  Atomic<std::uint64_t> tail, taken, sequence;
  Plain<int> envelope;

  std::size_t threads() const override { return 3; }
  void run(std::size_t thread) override {
    if (thread < 2) {
      std::uint64_t ticket = 0;
      if (!threadranks::take_ticket(has_more, tail, taken, 1, ticket)) return;
      envelope = static_cast<int>(ticket) + 7;
      threadranks::say_filled(sequence, ticket);
      return;
    }
    for (std::uint64_t next = 0; next < 2 && threadranks::is_filled(sequence, next);) {
      require(envelope == static_cast<int>(next) + 7, "wrong envelope");
      threadranks::say_taken(taken, ++next);
    }
  }
};

/// A sender whose first envelope fills the ring puts the second one aside, and the third where it
/// finds room; the owner, who looks a few times, must read them in this order.
struct PuttingAside : Scenario {
  static constexpr bool kHasManyRepeats = true;
  Atomic<bool> has_more;
  Atomic<std::uint64_t> tail{1}, taken, sequence{1};
  Atomic<bool> lock;
  Plain<int> envelope{1}, aside{0};
  std::uint64_t next = 0;  ///< the owner's
  int last_read = 0;

  void run(std::size_t thread) override {
    if (thread == 0) {
      put(2);
      put(3);
    } else {
      for (int look = 0; look < 2; ++look) take_all();
    }
  }
  void put(int number) {
    std::uint64_t ticket = 0;
    if (threadranks::take_ticket(has_more, tail, taken, 1, ticket)) {
      envelope = number;
      threadranks::say_filled(sequence, ticket);
      return;
    }
    take_lock();
    aside = 10 * aside + number;
    threadranks::say_aside(has_more);
    give_lock();
  }
  void take_all() {
    if (threadranks::is_filled(sequence, next)) read_ring();
    if (!threadranks::are_aside(has_more)) return;
    take_lock();
    const int found = aside;
    aside = 0;
    give_lock();
    threadranks::read_tickets(
        tail, next, [&](std::uint64_t) -> auto& { return sequence; },
        [&](std::uint64_t) { read_ring(); });
    if (found >= 10) read(found / 10);
    if (found != 0) read(found % 10);
    take_lock();
    if (aside == 0) threadranks::say_none_aside(has_more);
    give_lock();
  }
  void read_ring() {
    read(envelope);
    threadranks::say_taken(taken, ++next);
  }
  void read(int number) {
    require(number == last_read + 1, "overtaken");
    last_read = number;
  }
  void take_lock() {
    while (lock.exchange(true, Order::acquire)) rest_before_look(lock);
  }
  void give_lock() { lock.store(false, Order::release); }
};

/// As CallRecord, with what is left of a call.
struct Record {
  Atomic<std::uint64_t> check, bytes, what, lengths;

  Record() = default;
  explicit Record(std::uint64_t call)
      : check(40 + call), bytes(10 + call), what(20 + call), lengths(30 + call) {}
};
CallIdentity identity_of(std::uint64_t call) {
  return {10 + call, 20 + call, 30 + call};
}

/// A rank leaves the record of its first call, and begins it.
struct Recording : Scenario {
  Record record;
  Atomic<std::uint64_t> beside, last_call;

  void run(std::size_t thread) override {
    if (thread == 0) {
      leave_record(record, 41, identity_of(1));
      say_begun(beside, last_call, 41, 1);
    } else if (last_begun(last_call) == 1) {
      require(check_in(record) == 41 && identity_in(record) == identity_of(1), "wrong record");
    }
  }
};

/// A rank has room for the records of two calls. It begins its second call, and writes the record
/// of the third over that of the first, which a peer reads.
struct WritingOver : Scenario {
  Record record{1};
  Atomic<std::uint64_t> beside, last_call{1};

  void run(std::size_t thread) override {
    if (thread == 0) {
      say_begun(beside, last_call, 42, 2);
      leave_record(record, 43, identity_of(3));
      return;
    }
    const std::uint64_t check = check_in(record);
    const CallIdentity found = identity_in(record);
    if (!is_remembered(last_begun(last_call), 1, 2)) return;
    require(check == 41 && found == identity_of(1), "wrong record");
  }
};

/// A peer that waits for a rank's word reads the check beside it.
struct ToldBesideTheWord : Scenario {
  Atomic<std::uint64_t> beside, last_call, word;
  Atomic<std::uint32_t> sleepers;

  void run(std::size_t thread) override {
    if (thread == 0) {
      say_begun(beside, last_call, 41, 1);
      publish(word, sleepers, 1);
    } else if (last_published(word) == 1) {
      require(check_beside(beside) == 41, "wrong check");
    }
  }
};

/// Two ranks have made their last call; at least one of them sees that the other has made one.
struct LastCalls : Scenario {
  Atomic<std::uint64_t> beside[2], last_call[2];
  bool sees[2] = {};

  void run(std::size_t thread) override {
    say_begun(beside[thread], last_call[thread], 41, 1);
    say_last(last_call[thread]);
    sees[thread] = last_begun(last_call[1 - thread]) == 1;
  }
  std::string outcome() override { return sees[0] || sees[1] ? "" : "neither sees the other's"; }
};

/// The monitor takes the worker from a fibre, which uses it whenever it switches.
struct HandingOver : Scenario {
  Atomic<bool> is_switching;
  Atomic<FibreHold> hold;
  Plain<int> ring;

  void run(std::size_t thread) override {
    if (thread == 0) return switch_twice();
    if (!claim(hold, FibreHold::free)) return;
    const bool is_given = is_claimed(is_switching);
    if (is_given) ring = 2;
    end_claim(hold, is_given ? FibreHold::detached : FibreHold::free);
  }
  void switch_twice() {
    for (int turn = 0; turn < 2; ++turn) {
      if (begin_switching(is_switching, hold) == FibreHold::detached) {
        require(ring == 2, "joins before it is detached");
        return;
      }
      ring = 1;
      end_switching(is_switching);
    }
  }
};

/// A detached fibre goes home while the monitor interrupts its kernel thread for a signal: the
/// fibre runs there, and is detached, until the claim ends.
struct TakingBack : Scenario {
  Atomic<bool> is_switching;
  Atomic<FibreHold> hold{FibreHold::detached};
  Plain<int> runs_there{1}, detached_on{1};

  void run(std::size_t thread) override {
    if (thread == 0) return go_home();
    const bool is_detached = claim(hold, FibreHold::detached);
    if (!is_detached && !claim(hold, FibreHold::free)) return;
    if (is_detached) require(detached_on == 1, "not detached");
    if (is_claimed(is_switching)) require(runs_there == 1, "interrupts another fibre");
    end_claim(hold, is_detached ? FibreHold::detached : FibreHold::free);
  }
  void go_home() {
    begin_switching(is_switching, hold);
    runs_there = 0;
    take_back(hold);
    detached_on = 0;
  }
};

/// A fibre that stops switching just before a signal is sent; the sender's monitor delivers it, or
/// the fibre sees it.
struct Signalling : Scenario {
  Atomic<bool> is_switching{true};
  Atomic<FibreHold> hold;
  Atomic<int> pending;
  bool is_seen = false, is_left = false;

  void run(std::size_t thread) override {
    if (thread == 0) {
      end_switching(is_switching);
      is_seen = pending.load(Order::relaxed) != 0;
      return;
    }
    pending.store(1, Order::relaxed);
    is_left = !is_claimed(is_switching);
  }
  std::string outcome() override { return is_left && !is_seen ? "nobody delivers" : ""; }
};

struct Arrival {
  Plain<int> context;
  Plain<Arrival*> below{nullptr};
};

/// Two fibres arrive at a worker.
struct Arriving : Scenario {
  Arrival fibres[2];
  Atomic<Arrival*> arrivals{nullptr};
  int taken = 0;

  std::size_t threads() const override { return 3; }
  void run(std::size_t thread) override {
    if (thread < 2) {
      fibres[thread].context = 7;
      push_onto(arrivals, fibres[thread]);
      return;
    }
    for (Arrival* fibre = take_all_from(arrivals); fibre != nullptr; fibre = fibre->below) {
      require(fibre->context == 7, "context not saved");
      ++taken;
    }
  }
  std::string outcome() override { return std::to_string(taken); }
};

/// Weaker by one step; `relaxed` where there is none, or where a fence is taken away.
std::vector<Order> weaker_than(Access access, Order order) {
  if (access >= Access::fence) return {Order::relaxed};
  if (order == Order::relaxed) return {};
  if (order == Order::acq_rel) return {Order::acquire, Order::release};
  if (order != Order::seq_cst) return {Order::relaxed};
  if (access == Access::update) return {Order::acq_rel};
  return {access == Access::load ? Order::acquire : Order::release};
}

/// Also compares what is found when nothing is skipped, unless that takes minutes.
template <class Test>
Exploration explored(const std::vector<Change>& changes) {
  const Exploration found = explore<Test>(changes);
  if constexpr (requires { Test::kHasManyRepeats; }) return found;
  const Exploration slow = explore<Test>(changes, false);
  EXPECT_EQ(found.wrong, slow.wrong);
  EXPECT_EQ(found.outcomes, slow.outcomes);
  return found;
}

/// An order of the code, one that is weaker, and the tests that find that out.
struct Weakening {
  Access access;
  Order order, weaker;
  std::vector<std::string> found_by;
};

struct Table {
  std::map<std::pair<Site, Order>, Weakening> weakenings;
  std::map<std::string, Exploration> as_they_are;

  /// The sites of `raised` are seq_cst throughout.
  template <class Test>
  void add(const std::string& name, const std::set<std::string>& raised = {}) {
    std::vector<Change> always;
    for (const auto& [site, how] : explore<Test>().sites)
      if (raised.count(std::string(site.name())) != 0 && how.first != Access::update)
        always.push_back({site, Order::seq_cst});
    const Exploration whole = explored<Test>(always);
    as_they_are.emplace(name, whole);
    for (const auto& [site, how] : whole.sites)
      if (raised.count(std::string(site.name())) == 0) try_weaker<Test>(name, site, how, always);
  }

 private:
  template <class Test>
  void try_weaker(const std::string& name, const Site& site, std::pair<Access, Order> how,
                  const std::vector<Change>& always) {
    for (const Order weaker : weaker_than(how.first, how.second)) {
      std::vector<Change> changes = always;
      changes.push_back({site, weaker});
      const Exploration found = explored<Test>(changes);
      const Exploration& whole = as_they_are.at(name);
      const Weakening empty{how.first, how.second, weaker, {}};
      Weakening& row = weakenings.emplace(std::pair(site, weaker), empty).first->second;
      if (found.wrong != whole.wrong || found.outcomes != whole.outcomes)
        row.found_by.push_back(name);
    }
  }
};

const Table& table() {
  static const Table made = [] {
    Table all;
    all.add<Publishing>("line used again");
    all.add<Announcing>("announced buffer");
    all.add<PassingOn>("passing on");
    all.add<SleepingOnAWord>("sleeping, publisher in order", {"publish"});
    all.add<SleepingOnAMailbox>("sleeping on a mailbox");
    all.add<TakingTickets>("tickets");
    all.add<PuttingAside>("beside the ring");
    all.add<Recording>("call record");
    all.add<WritingOver>("call record written over");
    all.add<ToldBesideTheWord>("check beside the word");
    all.add<LastCalls>("last calls");
    all.add<TakingBack>("taking back");
    all.add<HandingOver>("hand-over");
    all.add<Signalling>("signal");
    all.add<Arriving>("arrivals");
    return all;
  }();
  return made;
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text.empty() ? "not found" : text;
}

std::string row_of(const Site& site, const Weakening& row) {
  std::string text = "| `" + std::string(site.name()) + "` | " + to_text(row.access) + " | ";
  const bool is_fence = row.access >= Access::fence;
  text += is_fence ? "" : to_text(row.order);
  text += std::string(" | ") + (is_fence ? "none" : to_text(row.weaker));
  return text + " | " + joined(row.found_by) + " |\n";
}

std::string text_of(const Table& all) {
  std::string text = "| test | executions |\n|---|---|\n";
  for (const auto& [name, whole] : all.as_they_are)
    text += "| " + name + " | " + std::to_string(whole.executions) + " |\n";
  text += "\n| function | access | order | weakened to | found by |\n|---|---|---|---|---|\n";
  for (const auto& [key, row] : all.weakenings) text += row_of(key.first, row);
  return text;
}

TEST(Primitives, GoWrongInNoExecution) {
  for (const auto& [name, whole] : table().as_they_are) {
    const bool may_be_missed = name == "sleeping on a mailbox";
    EXPECT_EQ(whole.wrong,
              may_be_missed ? std::set<std::string>{"sleeps for ever"} : std::set<std::string>{})
        << name;
    EXPECT_GT(whole.executions, 1u) << name;
  }
}

/// No order of the sleeper's makes up for the fence that `publish` does without.
TEST(Primitives, MissASleeperWhoRegistersAtThatMoment) {
  EXPECT_EQ(explore<SleepingOnAWord>().wrong, std::set<std::string>{"sleeps for ever"});
}

TEST(Primitives, NeedEachOfTheirOrders) {
  std::vector<std::string> not_found;
  for (const auto& [key, row] : table().weakenings)
    if (row.found_by.empty())
      not_found.push_back(std::string(key.first.name()) + ": " + to_text(row.access) + " " +
                          to_text(row.order));
  EXPECT_EQ(not_found, std::vector<std::string>{});
}

/// The machine has no load buffering: the page says of each load that could come after a store
/// which follows it why it does not, or does no harm.
TEST(Primitives, HaveNoRelaxedLoadThatThePageLeavesOut) {
  std::set<std::string> rows, argued;
  for (const auto& [name, whole] : table().as_they_are)
    for (const auto& [site, how] : whole.sites)
      if (site.is_tried() && how.second == Order::relaxed &&
          (how.first == Access::load || how.first == Access::update))
        rows.insert("| `" + std::string(site.name()) + "` | " + to_text(how.first) + " |");
  std::ifstream file(TERRACE_SOURCE_DIR "/docs/design/weak-memory.md");
  std::string line;
  while (std::getline(file, line) && line != "## Load buffering") continue;
  while (std::getline(file, line))
    if (line.starts_with("| `"))
      argued.insert(line.substr(0, line.find('|', line.find('|', 1) + 1) + 1));
  EXPECT_EQ(rows, argued);
}

TEST(Primitives, AreInTheTableOfThePage) {
  std::ifstream file(TERRACE_SOURCE_DIR "/docs/design/weak-memory.md");
  std::stringstream page;
  page << file.rdbuf();
  EXPECT_NE(page.str().find(text_of(table())), std::string::npos) << text_of(table());
}

}  // namespace
}  // namespace terrace::litmus
