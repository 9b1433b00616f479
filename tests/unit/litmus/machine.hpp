// SPDX-License-Identifier: BSD-3-Clause
// An abstract machine with the memory of C++: it runs the threads of a litmus test in all ways that
// release, acquire, relaxed and sequentially consistent accesses and fences allow, one after the
// other, and finds data races.
//
// A location has a history: its values, in modification order. A thread has a view: how far into
// each history it has seen. A load reads any value that its view has not passed; a store puts its
// value anywhere behind the view. A store with release leaves the thread's view with the value, and
// a load with acquire takes it over. A read-modify-write puts its value right behind the one that
// it read, and passes on the view that lies there (a release sequence). Fences of release, acquire
// and seq_cst are those of Kang et al., "A promising semantics for relaxed-memory concurrency"
// (POPL 2017), without promises. An access with seq_cst takes part in a global view of its own
// location, which is as weak as C++20 allows where orders are mixed, or weaker.
//
// A fence of a processor that another thread calls for (membarrier) is `heavy`; its partners, which
// are compiler's fences, are `light`: each light one lies before or after each heavy one, as two
// seq_cst fences would, but light ones are not ordered among each other.
//
// Not covered: a load that comes after a store which follows it in its own thread (load buffering).
// C++ allows that for relaxed loads; here a load always comes before the stores that follow it.
// An exploration says nothing about threads that depend on its absence.
#pragma once

#include <ucontext.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

namespace terrace::litmus {

using Order = std::memory_order;
using Value = std::uint64_t;

inline constexpr std::size_t kMostLocations = 16, kMostThreads = 4;
inline constexpr std::size_t kStackBytes = 64 << 10;

/// An order in the code: that of an access, or of a failed exchange.
struct Site {
  const char* file = "";
  const char* function = "";
  int line = 0;
  int which = 0;

  /// Without what it is a template of.
  std::string_view name() const {
    const std::string_view whole(function);
    return whole.substr(0, whole.find('<'));
  }
  auto key() const { return std::tuple(name(), line, which); }
  bool operator<(const Site& other) const { return key() < other.key(); }
  bool operator==(const Site& other) const { return key() == other.key(); }
  /// Of the code that is tried, and not of the test.
  bool is_tried() const {
    return std::string_view(file).find("tests/unit/") == std::string_view::npos;
  }
};

enum class Access : std::uint8_t { load, store, update, fence, light_fence, heavy_fence };

inline constexpr const char* to_text(Access access) {
  constexpr const char* kTexts[] = {"load",  "store",       "read-modify-write",
                                    "fence", "light fence", "heavy fence"};
  return kTexts[static_cast<std::size_t>(access)];
}

inline constexpr const char* to_text(Order order) {
  switch (order) {
    case Order::acquire:
      return "acquire";
    case Order::release:
      return "release";
    case Order::acq_rel:
      return "acq_rel";
    case Order::seq_cst:
      return "seq_cst";
    default:
      return "relaxed";
  }
}

inline constexpr bool acquires(Order order) {
  return order == Order::acquire || order == Order::acq_rel || order == Order::seq_cst;
}
inline constexpr bool releases(Order order) {
  return order == Order::release || order == Order::acq_rel || order == Order::seq_cst;
}

/// An order of the code that is replaced by another; a fence with `relaxed` is none.
struct Change {
  Site site;
  Order order;
};

/// What a thread knows, or leaves with a value.
struct View {
  std::array<double, kMostLocations> seen{};        ///< by location: a place in its history
  std::array<std::uint32_t, kMostThreads> clock{};  ///< by thread: what happens before

  void join_seen(const View& other) {
    for (std::size_t i = 0; i < seen.size(); ++i) seen[i] = std::max(seen[i], other.seen[i]);
  }
  void join(const View& other) {
    join_seen(other);
    for (std::size_t i = 0; i < clock.size(); ++i) clock[i] = std::max(clock[i], other.clock[i]);
  }
};

/// The decisions of an execution, so that the next one can differ in the last.
class Choices {
 public:
  std::size_t choose(std::size_t count) {
    if (at_ == taken_.size()) taken_.push_back({0, count});
    return taken_[at_++].first;
  }
  /// False: all have been tried.
  bool advance() {
    at_ = 0;
    while (!taken_.empty() && taken_.back().first + 1 == taken_.back().second) taken_.pop_back();
    if (taken_.empty()) return false;
    ++taken_.back().first;
    return true;
  }

 private:
  std::vector<std::pair<std::size_t, std::size_t>> taken_;
  std::size_t at_ = 0;
};

/// A litmus test: made anew for each execution, its threads run, then its outcome is asked for.
class Scenario {
 public:
  virtual ~Scenario() = default;
  virtual std::size_t threads() const { return 2; }
  virtual void run(std::size_t thread) = 0;
  /// What the threads have seen. "" where only `require` and races tell.
  virtual std::string outcome() { return ""; }
};

/// What has been found in all executions.
struct Exploration {
  std::uint64_t executions = 0;
  std::set<std::string> outcomes;
  std::set<std::string> wrong;  ///< what went wrong, each once
  std::map<Site, std::pair<Access, Order>> sites;
};

class Machine {
 public:
  Machine(Choices& choices, const std::vector<Change>& changes, Exploration& all,
          bool skips_repeats)
      : choices_(choices), changes_(changes), all_(all), skips_repeats_(skips_repeats) {}

  /// Of the execution at hand.
  static Machine*& here() {
    static Machine* machine = nullptr;
    return machine;
  }

  std::size_t new_location(Value value);
  std::size_t new_plain();
  Value load(std::size_t location, Order order, const Site& site);
  void store(std::size_t location, Value value, Order order, const Site& site);
  /// `change` has the new value, or nothing where an exchange fails.
  using Compute = std::function<std::optional<Value>(Value)>;
  Value update(std::size_t location, const Compute& change, Order order,
               std::optional<Order> failure, const Site& site);
  void fence(Order order, const Site& site);
  void light_fence(const Site& site);
  void heavy_fence(const Site& site);
  /// The caller has read what lies there in vain, and goes on only when there is more to read.
  void await_change(std::size_t location);
  /// As the kernel's futex: returns at once if the location no longer has that value. The look, and
  /// the waking, are as ordered as by fences.
  void sleep(std::size_t location, Value value);
  void wake(std::size_t location);
  void read_plain(std::size_t plain);
  void write_plain(std::size_t plain);
  void require(bool holds, const char* what) {
    if (!holds) wrong_.insert(what);
  }

  /// Runs all threads to their ends. False: another execution has shown the same.
  bool run(Scenario& scenario);
  const std::set<std::string>& wrong() const { return wrong_; }

 private:
  struct Message {
    Value value = 0;
    double at = 0;
    View left;
    bool is_followed = false;  ///< by a read-modify-write that read it
  };
  /// A location that is not atomic.
  struct Plain {
    std::size_t writer = 0;
    std::uint32_t written = 0;
    std::array<std::uint32_t, kMostThreads> read{};
  };
  struct Step {
    Access access = Access::load;
    std::size_t location = 0;
    bool is_in_total_order = false;
  };
  struct Thread {
    ucontext_t context{};
    View now, acquirable, released;
    View at_light_fence;
    Step next;
    bool is_over = false, awaits_change = false, sleeps = false;
  };

  enum class Turn : std::uint8_t { taken, repeated, over };

  void begin(Scenario& scenario);
  Turn take_turn();
  static void begin_thread();
  Thread& own() { return threads_[current_]; }
  Order order_at(Site site, int which, Access access, Order order);
  void pause_before(Step step);
  bool can_go_on(const Thread& thread) const;
  static bool are_independent(const Step& one, const Step& other);
  void resume(std::size_t thread);
  std::size_t first_visible(std::size_t location, Order order);
  void take(Thread& thread, const Message& message, std::size_t location, Order order);
  double place_behind(std::size_t location, std::size_t index) const;
  void put(std::size_t location, std::size_t behind, Value value, Order order, const View* passed);
  void order_totally(View& view) {
    view.join_seen(total_);
    total_.join_seen(view);
  }

  Choices& choices_;
  const std::vector<Change>& changes_;
  Exploration& all_;
  const bool skips_repeats_;
  std::vector<std::vector<Message>> histories_;
  std::vector<Plain> plains_;
  std::array<Thread, kMostThreads> threads_;
  std::size_t thread_count_ = 0, current_ = 0;
  bool is_running_ = false;
  std::uint32_t wakings_ = 0;
  std::uint32_t idle_ = 0;  ///< threads whose next step needs no try here: another order had it
  View total_, heavy_;
  ucontext_t main_{};
  Scenario* scenario_ = nullptr;
  std::set<std::string> wrong_;
};

/// All executions of a litmus test, with these orders changed; `skips_repeats`: but for those that
/// differ from others only in the order of independent steps.
template <class Test>
Exploration explore(const std::vector<Change>& changes = {}, bool skips_repeats = true) {
  Exploration all;
  Choices choices;
  do {
    Machine machine(choices, changes, all, skips_repeats);
    Machine::here() = &machine;
    Test test;
    if (!machine.run(test)) continue;
    ++all.executions;
    all.outcomes.insert(test.outcome());
    all.wrong.insert(machine.wrong().begin(), machine.wrong().end());
  } while (choices.advance());
  return all;
}

inline std::size_t Machine::new_location(Value value) {
  histories_.push_back({Message{value, 0, {}, false}});
  return histories_.size() - 1;
}

inline std::size_t Machine::new_plain() {
  plains_.emplace_back();
  return plains_.size() - 1;
}

inline Order Machine::order_at(Site site, int which, Access access, Order order) {
  if (!site.is_tried()) return order;
  site.which = 2 * static_cast<int>(access) + which;
  all_.sites.emplace(site, std::pair(access, order));
  for (const Change& change : changes_)
    if (change.site == site) return change.order;
  return order;
}

inline void Machine::pause_before(Step step) {
  if (!is_running_) return;
  own().next = step;
  swapcontext(&own().context, &main_);
}

inline std::size_t Machine::first_visible(std::size_t location, Order order) {
  double& seen = own().now.seen[location];
  if (order == Order::seq_cst) seen = std::max(seen, total_.seen[location]);
  const std::vector<Message>& history = histories_[location];
  std::size_t first = 0;
  while (history[first].at < seen) ++first;
  return first;
}

inline void Machine::take(Thread& thread, const Message& message, std::size_t location,
                          Order order) {
  thread.now.seen[location] = message.at;
  thread.acquirable.join(message.left);
  if (acquires(order)) thread.now.join(message.left);
  if (order == Order::seq_cst) total_.seen[location] = std::max(total_.seen[location], message.at);
}

inline Value Machine::load(std::size_t location, Order order, const Site& site) {
  order = order_at(site, 0, Access::load, order);
  pause_before({Access::load, location, order == Order::seq_cst});
  const std::size_t first = first_visible(location, order);
  const std::vector<Message>& history = histories_[location];
  // The newest first.
  const std::size_t index = history.size() - 1 - choices_.choose(history.size() - first);
  take(own(), history[index], location, order);
  return history[index].value;
}

inline double Machine::place_behind(std::size_t location, std::size_t index) const {
  const std::vector<Message>& history = histories_[location];
  if (index + 1 == history.size()) return history[index].at + 1;
  return (history[index].at + history[index + 1].at) / 2;
}

inline void Machine::put(std::size_t location, std::size_t behind, Value value, Order order,
                         const View* passed) {
  Thread& thread = own();
  Message message{value, place_behind(location, behind), {}, false};
  thread.now.seen[location] = message.at;
  message.left = releases(order) ? thread.now : thread.released;
  message.left.seen[location] = message.at;
  if (passed != nullptr) message.left.join(*passed);
  ++thread.now.clock[current_];
  if (order == Order::seq_cst) total_.seen[location] = std::max(total_.seen[location], message.at);
  std::vector<Message>& history = histories_[location];
  history.insert(history.begin() + static_cast<std::ptrdiff_t>(behind) + 1, message);
}

inline void Machine::store(std::size_t location, Value value, Order order, const Site& site) {
  order = order_at(site, 0, Access::store, order);
  pause_before({Access::store, location, order == Order::seq_cst});
  const std::size_t first = first_visible(location, order);
  const std::vector<Message>& history = histories_[location];
  std::vector<std::size_t> places;
  for (std::size_t i = history.size(); i-- > first;)
    if (!history[i].is_followed) places.push_back(i);
  put(location, places[choices_.choose(places.size())], value, order, nullptr);
}

inline Value Machine::update(std::size_t location, const Compute& change, Order order,
                             std::optional<Order> failure, const Site& site) {
  order = order_at(site, 0, Access::update, order);
  if (failure) failure = order_at(site, 1, Access::load, *failure);
  pause_before({Access::update, location, order == Order::seq_cst});
  const std::size_t first = first_visible(location, order);
  std::vector<Message>& history = histories_[location];
  std::vector<std::size_t> places;
  for (std::size_t i = history.size(); i-- > first;)
    if (!change(history[i].value) || !history[i].is_followed) places.push_back(i);
  const std::size_t index = places[choices_.choose(places.size())];
  const Message read = history[index];
  const std::optional<Value> value = change(read.value);
  take(own(), read, location, value ? order : *failure);
  if (!value) return read.value;
  history[index].is_followed = true;
  put(location, index, *value, order, &read.left);
  return read.value;
}

inline void Machine::fence(Order order, const Site& site) {
  order = order_at(site, 0, Access::fence, order);
  if (order == Order::relaxed) return;
  pause_before({Access::fence, 0, true});
  Thread& thread = own();
  if (acquires(order)) thread.now.join(thread.acquirable);
  if (order == Order::seq_cst) order_totally(thread.now);
  if (releases(order)) thread.released = thread.now;
  ++thread.now.clock[current_];
}

inline void Machine::light_fence(const Site& site) {
  if (order_at(site, 0, Access::light_fence, Order::seq_cst) == Order::relaxed) return;
  pause_before({Access::light_fence, 0, true});
  own().now.join_seen(heavy_);
  own().at_light_fence = own().now;
}

inline void Machine::heavy_fence(const Site& site) {
  if (order_at(site, 0, Access::heavy_fence, Order::seq_cst) == Order::relaxed) return;
  pause_before({Access::heavy_fence, 0, true});
  Thread& thread = own();
  thread.now.join(thread.acquirable);
  for (const Thread& other : threads_) thread.now.join_seen(other.at_light_fence);
  order_totally(thread.now);
  heavy_.join_seen(thread.now);
  thread.released = thread.now;
  ++thread.now.clock[current_];
}

inline void Machine::await_change(std::size_t location) {
  own().awaits_change = true;
  pause_before({Access::load, location, false});
  own().awaits_change = false;
  double& seen = own().now.seen[location];
  const auto is_newer = [&](const Message& message) { return message.at > seen; };
  seen = std::find_if(histories_[location].begin(), histories_[location].end(), is_newer)->at;
}

inline void Machine::sleep(std::size_t location, Value value) {
  pause_before({Access::fence, location, true});
  order_totally(own().now);
  // A look under the kernel's lock: no older than what a waker before has stored.
  const std::size_t first = first_visible(location, Order::relaxed);
  const std::vector<Message>& history = histories_[location];
  const std::size_t index = history.size() - 1 - choices_.choose(history.size() - first);
  own().now.seen[location] = history[index].at;
  if (history[index].value != value) return;
  own().sleeps = true;
  pause_before({Access::fence, location, true});
}

inline void Machine::wake(std::size_t location) {
  pause_before({Access::fence, location, true});
  order_totally(own().now);
  ++wakings_;
  for (Thread& thread : threads_)
    if (thread.next.location == location) thread.sleeps = false;
}

inline void Machine::read_plain(std::size_t plain) {
  if (!is_running_) return;
  Plain& place = plains_[plain];
  require(own().now.clock[place.writer] >= place.written, "race");
  place.read[current_] = own().now.clock[current_];
}

inline void Machine::write_plain(std::size_t plain) {
  if (!is_running_) return;
  Plain& place = plains_[plain];
  require(own().now.clock[place.writer] >= place.written, "race");
  for (std::size_t i = 0; i < thread_count_; ++i)
    require(own().now.clock[i] >= place.read[i], "race");
  place.writer = current_;
  place.written = own().now.clock[current_];
}

inline bool Machine::can_go_on(const Thread& thread) const {
  if (thread.is_over || thread.sleeps) return false;
  const std::size_t location = thread.next.location;
  return !thread.awaits_change || histories_[location].back().at > thread.now.seen[location];
}

/// Whether their order makes no difference.
inline bool Machine::are_independent(const Step& one, const Step& other) {
  if (one.is_in_total_order && other.is_in_total_order) return false;
  const auto is_fence = [](const Step& step) { return step.access >= Access::fence; };
  if (is_fence(one) || is_fence(other)) return true;
  return one.location != other.location ||
         (one.access == Access::load && other.access == Access::load);
}

inline void Machine::begin_thread() {
  Machine& machine = *here();
  machine.scenario_->run(machine.current_);
  machine.own().is_over = true;
  swapcontext(&machine.own().context, &machine.main_);
}

inline void Machine::resume(std::size_t thread) {
  current_ = thread;
  swapcontext(&main_, &threads_[thread].context);
}

inline void Machine::begin(Scenario& scenario) {
  static std::array<std::array<char, kStackBytes>, kMostThreads> stacks;
#if defined(__SANITIZE_ADDRESS__)
  // Executions that were given up have left marks there.
  __asan_unpoison_memory_region(&stacks, sizeof stacks);
#endif
  scenario_ = &scenario;
  thread_count_ = scenario.threads();
  is_running_ = true;
  for (std::size_t i = 0; i < thread_count_; ++i) {
    Thread& thread = threads_[i];
    thread.now.clock[i] = 1;
    getcontext(&thread.context);
    thread.context.uc_stack.ss_sp = stacks[i].data();
    thread.context.uc_stack.ss_size = kStackBytes;
    makecontext(&thread.context, begin_thread, 0);
    resume(i);
  }
}

/// One thread of those that can go on, none of which would only repeat what was seen.
inline Machine::Turn Machine::take_turn() {
  std::vector<std::size_t> candidates;
  bool is_over = true;
  for (std::size_t i = 0; i < thread_count_; ++i) {
    if (!can_go_on(threads_[i])) continue;
    is_over = false;
    if ((idle_ >> i & 1) == 0) candidates.push_back(i);
  }
  if (is_over) return Turn::over;
  if (candidates.empty()) return Turn::repeated;
  const std::size_t index = choices_.choose(candidates.size()), chosen = candidates[index];
  for (std::size_t i = 0; i < index && skips_repeats_; ++i) idle_ |= 1u << candidates[i];
  for (std::size_t i = 0; i < thread_count_; ++i)
    if (!are_independent(threads_[i].next, threads_[chosen].next)) idle_ &= ~(1u << i);
  resume(chosen);
  return Turn::taken;
}

inline bool Machine::run(Scenario& scenario) {
  begin(scenario);
  Turn turn = Turn::taken;
  while (turn == Turn::taken) turn = take_turn();
  is_running_ = false;
  if (turn == Turn::repeated) return false;
  for (std::size_t i = 0; i < thread_count_; ++i) {
    const Thread& thread = threads_[i];
    if (!thread.sleeps)
      require(thread.is_over, "waits for ever");
    else
      require(false, wakings_ == 0 ? "sleeps for ever" : "sleeps for ever after a waking");
  }
  return true;
}

}  // namespace terrace::litmus
