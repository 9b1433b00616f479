// SPDX-License-Identifier: BSD-3-Clause
// Random programs of one-sided calls, and a model that knows each element that they leave or bring.
// All members of a communicator draw the same calls, play all of them in the model, and make their
// own. Within an epoch each stretch of a window's memory is used in a way whose outcome MPI
// defines: by one origin in order, by all with one operator, read only, as a counter, or under an
// exclusive lock. Any MPI's mpi.h will do.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "unit/threadranks/random_calls.hpp"

namespace terrace::random_programs {

/// Runs `work(0)` to `work(count - 1)` as threads of the calling rank.
using RunThreads = std::function<void(int count, const std::function<void(int)>& work)>;

enum class CallKind {
  put,
  get,
  accumulate,
  get_accumulate,
  fetch_and_op,
  compare_and_swap,
  store,          ///< by the processor, without a call
  add_by_swaps,   ///< compare_and_swap until it has worked
  add_under_lock  ///< get and put under an exclusive lock
};
enum class After { nothing, flush, flush_all };

struct RandomCall {
  CallKind kind = CallKind::put;
  Operator how = Operator::replace;
  int target = 0;
  Pattern at;                ///< of the target's memory
  std::vector<Bits> given;   ///< what it brings there
  std::vector<Bits> result;  ///< what it gets; empty: the model cannot know
  Bits compare = 0;
  int counter = -1;  ///< the result is the next number of this counter
  After after = After::nothing;
};

/// Calls of one origin that must be in order.
struct Queue {
  int target;
  bool needs_exclusive = false;
  std::vector<RandomCall> calls;
};

enum class EpochKind { fence, post_start, lock, lock_all };

/// A call on its way, with its memory.
struct Flight {
  const RandomCall* call;
  Memory out, in;
  MPI_Request request = MPI_REQUEST_NULL;
};

class RandomWindow {
 public:
  enum class Flavor { create, allocate, shared, dynamic };

  /// Collective, with the same numbers at all members of `comm`.
  RandomWindow(Random& random, MPI_Comm comm, bool may_share) : element_(draw_element(random)) {
    MPI_Comm_rank(comm, &rank_);
    int size = 0;
    MPI_Comm_size(comm, &size);
    constexpr int kLengths[] = {0, 1, 7, 40, 150, 150, 600, 9000};
    for (int i = 0; i < size; ++i) {
      const int length = kLengths[below(random, below(random, 4) == 0 ? 8 : 7)];
      std::vector<Bits> memory(static_cast<std::size_t>(length));
      for (Bits& bits : memory) bits = element_.draw(random);
      model_.push_back(std::move(memory));
      units_.push_back(below(random, 2) != 0 ? 1 : static_cast<int>(element_.bytes));
    }
    flavor_ = static_cast<Flavor>(below(random, 4));
    if (flavor_ == Flavor::shared && !may_share) flavor_ = Flavor::allocate;
    make(comm, below(random, 3) == 0);
    for (std::size_t i = 0; i < own().size(); ++i) store(own()[i], address(i), element_);
    MPI_Barrier(comm);
  }

  /// Collective.
  void free() {
    if (flavor_ == Flavor::dynamic && !own().empty()) MPI_Win_detach(win_, base_);
    MPI_Win_free(&win_);
  }

  MPI_Win win() const { return win_; }
  const Element& element() const { return element_; }
  int size() const { return static_cast<int>(model_.size()); }
  std::vector<Bits>& model(int member) { return model_[static_cast<std::size_t>(member)]; }
  bool is_shared() const { return flavor_ == Flavor::shared; }
  /// Its memory is the program's, and there after the window.
  bool has_memory_left() const { return flavor_ == Flavor::create || flavor_ == Flavor::dynamic; }
  std::string name() const {
    constexpr const char* kNames[] = {"created", "allocated", "shared", "dynamic"};
    return kNames[static_cast<int>(flavor_)];
  }

  /// Of an element, as a call wants it.
  MPI_Aint displacement(int target, int element) const {
    const auto bytes = element * static_cast<MPI_Aint>(element_.bytes);
    if (flavor_ == Flavor::dynamic) return bases_[static_cast<std::size_t>(target)] + bytes;
    return bytes / units_[static_cast<std::size_t>(target)];
  }

  /// Where this member's processor finds an element of its own, or of any member if `is_shared`.
  std::byte* stored_at(int target, int element) const {
    std::byte* base = base_;
    if (target != rank_) {
      MPI_Aint bytes = 0;
      int unit = 0;
      MPI_Win_shared_query(win_, target, &bytes, &unit, &base);
    }
    return base + static_cast<std::size_t>(element) * element_.bytes;
  }

  /// "" if this member's memory is as the model has it.
  std::string compare() {
    for (std::size_t i = 0; i < own().size(); ++i)
      if (const Bits found = load(address(i), element_); found != own()[i])
        return "element " + std::to_string(i) + " of " + std::to_string(own().size()) + " is " +
               std::to_string(found) + " instead of " + std::to_string(own()[i]);
    return "";
  }

 private:
  std::vector<Bits>& own() { return model_[static_cast<std::size_t>(rank_)]; }
  std::byte* address(std::size_t i) const { return base_ + i * element_.bytes; }

  void make(MPI_Comm comm, bool is_apart) {
    const std::size_t bytes = own().size() * element_.bytes;
    const int unit = units_[static_cast<std::size_t>(rank_)];
    const auto length = static_cast<MPI_Aint>(bytes);
    MPI_Info info = MPI_INFO_NULL;
    if (is_apart) {
      MPI_Info_create(&info);
      MPI_Info_set(info, "alloc_shared_noncontig", "true");
    }
    memory_.resize(bytes + 2 * kEdge, Memory::kMark);
    base_ = memory_.data() + kEdge;
    switch (flavor_) {
      case Flavor::create:
        MPI_Win_create(base_, length, unit, info, comm, &win_);
        break;
      case Flavor::allocate:
        MPI_Win_allocate(length, unit, info, comm, &base_, &win_);
        break;
      case Flavor::shared:
        MPI_Win_allocate_shared(length, unit, info, comm, &base_, &win_);
        break;
      case Flavor::dynamic:
        MPI_Win_create_dynamic(info, comm, &win_);
        if (bytes > 0) MPI_Win_attach(win_, base_, length);
        bases_.resize(model_.size());
        MPI_Aint mine = 0;
        MPI_Get_address(base_, &mine);
        MPI_Allgather(&mine, 1, MPI_AINT, bases_.data(), 1, MPI_AINT, comm);
    }
    if (is_apart) MPI_Info_free(&info);
  }

  static constexpr std::size_t kEdge = 64;

  Element element_;
  Flavor flavor_ = Flavor::create;
  int rank_ = 0;
  MPI_Win win_ = MPI_WIN_NULL;
  std::byte* base_ = nullptr;
  std::vector<std::byte> memory_;
  std::vector<std::vector<Bits>> model_;  ///< of all members
  std::vector<int> units_;
  std::vector<MPI_Aint> bases_;
};

/// Draws the calls of an epoch, and plays them in the model.
class EpochDraft {
 public:
  /// `may_access(origin, target)`
  EpochDraft(Random& random, RandomWindow& window, EpochKind kind,
             const std::function<bool(int origin, int target)>& may_access)
      : random_(random), window_(window), kind_(kind) {
    queues.resize(static_cast<std::size_t>(window.size()));
    for (int target = 0; target < window.size(); ++target) {
      origins_.clear();
      for (int origin = 0; origin < window.size(); ++origin)
        if (may_access(origin, target)) origins_.push_back(origin);
      const int length = static_cast<int>(window.model(target).size());
      for (int begin = 0; begin < length;) {
        const int end =
            below(random_, 3) == 0 ? length : begin + 1 + below(random_, length - begin);
        draw_stretch(target, begin, end);
        begin = end;
      }
    }
  }

  std::vector<std::vector<Queue>> queues;  ///< by origin
  struct Counter {
    Bits first;
    std::vector<int> calls;  ///< by origin
  };
  std::vector<Counter> counters;

 private:
  bool is_passive() const { return kind_ == EpochKind::lock || kind_ == EpochKind::lock_all; }

  void draw_stretch(int target, int begin, int end) {
    target_ = target, begin_ = begin, end_ = end;
    const int way = below(random_, 8);
    if (way == 0 || origins_.empty()) return;  // stays as it is
    if (way <= 2) return draw_one_origin();
    if (way == 3) return draw_sums();
    if (way == 4) return draw_readers();
    if (way == 5) return draw_counter();
    if (way == 6 && is_passive() && !window_.element().is_float) return draw_swaps();
    if (way == 7 && kind_ == EpochKind::lock) return draw_locked();
    draw_sums();
  }

  Pattern draw_place() {
    const int room = end_ - begin_;
    Pattern place = draw_pattern(random_, 1 + below(random_, room), room);
    place.begin += begin_;
    return place;
  }

  Queue& new_queue(int origin) {
    auto& all = queues[static_cast<std::size_t>(origin)];
    all.push_back({target_, false, {}});
    return all.back();
  }

  /// Draws what it brings.
  RandomCall draw_call(CallKind kind, Operator how, const Pattern& at) {
    RandomCall call;
    call.kind = kind, call.how = how, call.target = target_, call.at = at;
    for (int i = 0; i < at.size(); ++i)
      call.given.push_back(draw_given(random_, window_.element(), how));
    return call;
  }

  /// In the model. `is_certain`: that no other origin is between.
  void play(RandomCall& call, bool is_certain) {
    std::vector<Bits>& memory = window_.model(target_);
    for (int i = 0; i < call.at.size(); ++i) {
      Bits& kept = memory[static_cast<std::size_t>(call.at.at(i))];
      if (is_certain) call.result.push_back(kept);
      const Bits given = call.given[static_cast<std::size_t>(i)];
      if (call.kind != CallKind::compare_and_swap || kept == call.compare)
        kept = window_.element().combine(call.how, kept, given);
    }
  }

  int draw_origin() {
    return origins_[static_cast<std::size_t>(below(random_, static_cast<int>(origins_.size())))];
  }

  Pattern one_element() {
    Pattern one;
    one.begin = begin_ + below(random_, end_ - begin_);
    one.starts = {0};
    return one;
  }

  /// Accumulates are in order by themselves; others where a flush is between.
  void draw_one_origin() {
    const int origin = draw_origin();
    Queue& queue = new_queue(origin);
    const int rounds = is_passive() ? 1 + below(random_, 4) : 1;
    for (int round = 0; round < rounds; ++round) {
      const int way = below(random_, window_.element().is_float ? 5 : 6);
      if (way == 0)
        add(queue, draw_call(CallKind::put, Operator::replace, draw_place()));
      else if (way == 1)
        add(queue, draw_call(CallKind::get, Operator::no_op, draw_place()));
      else if (way == 2 && (origin == target_ || window_.is_shared()))
        add(queue, draw_call(CallKind::store, Operator::replace, draw_place()));
      else
        for (int more = 1 + below(random_, 4); more > 0; --more) add(queue, draw_ordered());
      queue.calls.back().after = below(random_, 2) != 0 ? After::flush : After::flush_all;
    }
  }

  RandomCall draw_ordered() {
    const bool is_combined = below(random_, 3) != 0;
    const Operator how = is_combined              ? draw_operator(random_, window_.element())
                         : below(random_, 2) != 0 ? Operator::replace
                                                  : Operator::no_op;
    const int way = below(random_, window_.element().is_float ? 4 : 5);
    if (way < 2) return draw_call(CallKind::get_accumulate, how, draw_place());
    if (way == 2 && how != Operator::no_op)
      return draw_call(CallKind::accumulate, how, draw_place());
    if (way <= 3) return draw_call(CallKind::fetch_and_op, how, one_element());
    RandomCall swap = draw_call(CallKind::compare_and_swap, Operator::replace, one_element());
    const Bits kept = window_.model(target_)[static_cast<std::size_t>(swap.at.begin)];
    swap.compare = below(random_, 2) != 0 ? kept : window_.element().draw(random_);
    return swap;
  }

  void add(Queue& queue, RandomCall call) {
    play(call, true);
    queue.calls.push_back(std::move(call));
  }

  /// By all with one operator, in any order.
  void draw_sums() {
    const Operator how = draw_operator(random_, window_.element());
    for (const int origin : origins_) {
      Queue& queue = new_queue(origin);
      for (int more = below(random_, 3); more > 0; --more) {
        const bool is_one = below(random_, 3) == 0;
        const auto kind = below(random_, 3) != 0 ? CallKind::accumulate
                          : is_one               ? CallKind::fetch_and_op
                                                 : CallKind::get_accumulate;
        RandomCall call =
            draw_call(kind, how, kind == CallKind::fetch_and_op ? one_element() : draw_place());
        play(call, false);
        queue.calls.push_back(std::move(call));
      }
    }
  }

  void draw_readers() {
    for (const int origin : origins_)
      for (int more = below(random_, 3); more > 0; --more) {
        const auto kind = below(random_, 2) != 0 ? CallKind::get : CallKind::get_accumulate;
        add(new_queue(origin), draw_call(kind, Operator::no_op, draw_place()));
      }
  }

  /// Each number once: all origins add one to the same element, and get what was there.
  void draw_counter() {
    const Pattern at = one_element();
    Bits& kept = window_.model(target_)[static_cast<std::size_t>(at.begin)];
    Counter counter{kept, std::vector<int>(queues.size())};
    for (const int origin : origins_) {
      Queue& queue = new_queue(origin);
      for (int more = 1 + below(random_, 8); more > 0; --more) {
        RandomCall call;
        call.kind = CallKind::fetch_and_op, call.how = Operator::sum, call.target = target_;
        call.at = at, call.given = {window_.element().one};
        call.counter = static_cast<int>(counters.size());
        ++counter.calls[static_cast<std::size_t>(origin)];
        play(call, false);
        queue.calls.push_back(std::move(call));
      }
    }
    counters.push_back(std::move(counter));
  }

  void draw_swaps() { draw_additions(CallKind::add_by_swaps, false); }
  void draw_locked() { draw_additions(CallKind::add_under_lock, true); }

  void draw_additions(CallKind kind, bool needs_exclusive) {
    const Pattern at = kind == CallKind::add_by_swaps ? one_element() : draw_place();
    for (const int origin : origins_) {
      Queue& queue = new_queue(origin);
      queue.needs_exclusive = needs_exclusive;
      RandomCall call = draw_call(kind, Operator::sum, at);
      play(call, false);
      queue.calls.push_back(std::move(call));
    }
  }

  Random& random_;
  RandomWindow& window_;
  EpochKind kind_;
  std::vector<int> origins_;
  int target_ = 0, begin_ = 0, end_ = 0;
};

/// Makes calls of one origin by one thread, and keeps their memory until the epoch is over.
class CallMaker {
 public:
  CallMaker(RandomWindow& window, std::uint64_t seed, bool is_passive)
      : window_(window), random_(seed), is_passive_(is_passive) {}

  void make(const std::vector<const Queue*>& queues) {
    std::vector<std::size_t> next(queues.size());
    std::vector<std::size_t> left(queues.size());
    for (std::size_t i = 0; i < left.size(); ++i) left[i] = i;
    while (!left.empty()) {
      const auto chosen = static_cast<std::size_t>(below(random_, static_cast<int>(left.size())));
      const std::size_t at = left[chosen];
      if (next[at] < queues[at]->calls.size())
        make(queues[at]->calls[next[at]++]);
      else
        left.erase(left.begin() + static_cast<std::ptrdiff_t>(chosen));
    }
    finish_requests();
  }

  /// Once the epoch is over: "" if all got what the model says.
  std::string compare() const {
    for (const Flight& flight : flights_) {
      if (flight.in.bytes.empty() || flight.call->result.empty()) continue;
      if (!flight.in.has(flight.call->result, window_.element()))
        return "a call of kind " + std::to_string(static_cast<int>(flight.call->kind)) +
               " with operator " + std::to_string(static_cast<int>(flight.call->how)) + " of " +
               std::to_string(flight.call->at.size()) + " elements from " +
               std::to_string(flight.call->target) + " got something else";
    }
    return complaint_;
  }

  /// What it got of a counter.
  void numbers_of(int counter, std::vector<Bits>& numbers) {
    for (Flight& flight : flights_)
      if (flight.call->counter == counter)
        numbers.push_back(load(flight.in.at(0, window_.element()), window_.element()));
  }

 private:
  void make(const RandomCall& call) {
    if (call.kind == CallKind::store) return store_all(call);
    if (call.kind == CallKind::add_by_swaps) return add_by_swaps(call);
    if (call.kind == CallKind::add_under_lock) return add_under_lock(call);
    const Element& element = window_.element();
    flights_.push_back({&call, {}, {}});
    Flight& flight = flights_.back();
    const bool gives = call.kind != CallKind::get;
    const bool gets = call.kind != CallKind::put && call.kind != CallKind::accumulate;
    if (gives) flight.out = Memory(random_, element, call.at.size());
    if (gives) flight.out.put(call.given, element);
    if (gets) flight.in = Memory(random_, element, call.at.size());
    begin(flight);
    if (is_passive_) come_after(call);
  }

  void come_after(const RandomCall& call) {
    if (call.after == After::flush) MPI_Win_flush(call.target, window_.win());
    if (call.after == After::flush_all) MPI_Win_flush_all(window_.win());
    if (below(random_, 6) == 0) MPI_Win_flush_local(call.target, window_.win());
  }

  struct Side {
    void* at;
    MadeType type;
  };
  Side side(Memory& memory) {
    if (memory.bytes.empty()) return {nullptr, {window_.element().type, 0, false}};
    return {memory.begin(window_.element()), make_type(memory.pattern, window_.element())};
  }
  static void release(MadeType& made) {
    if (made.is_derived) MPI_Type_free(&made.type);
  }

  void begin(Flight& flight) {
    Side from = side(flight.out), to = side(flight.in);
    MadeType at = make_type(flight.call->at, window_.element());
    const MPI_Aint where = window_.displacement(flight.call->target, flight.call->at.begin);
    if (is_passive_ && below(random_, 3) == 0)
      begin_with_request(flight, from, to, at, where);
    else
      begin_without(flight, from, to, at, where);
    release(from.type);
    release(to.type);
    release(at);
  }

  void begin_without(Flight& flight, const Side& from, const Side& to, const MadeType& at,
                     MPI_Aint where) {
    const RandomCall& call = *flight.call;
    const MPI_Datatype one = window_.element().type;
    const MPI_Op how = mpi_op(call.how);
    MPI_Win const win = window_.win();
    switch (call.kind) {
      case CallKind::put:
        MPI_Put(from.at, from.type.count, from.type.type, call.target, where, at.count, at.type,
                win);
        return;
      case CallKind::get:
        MPI_Get(to.at, to.type.count, to.type.type, call.target, where, at.count, at.type, win);
        return;
      case CallKind::accumulate:
        MPI_Accumulate(from.at, from.type.count, from.type.type, call.target, where, at.count,
                       at.type, how, win);
        return;
      case CallKind::get_accumulate:
        MPI_Get_accumulate(from.at, from.type.count, from.type.type, to.at, to.type.count,
                           to.type.type, call.target, where, at.count, at.type, how, win);
        return;
      case CallKind::fetch_and_op:
        MPI_Fetch_and_op(from.at, to.at, one, call.target, where, how, win);
        return;
      default: {
        flight.out.bytes.insert(flight.out.bytes.end(), 8, Memory::kMark);
        auto* const compare = &flight.out.bytes[flight.out.bytes.size() - 8];
        store(call.compare, compare, window_.element());
        MPI_Compare_and_swap(flight.out.begin(window_.element()), compare, to.at, one, call.target,
                             where, win);
      }
    }
  }

  void begin_with_request(Flight& flight, const Side& from, const Side& to, const MadeType& at,
                          MPI_Aint where) {
    const RandomCall& call = *flight.call;
    MPI_Win const win = window_.win();
    switch (call.kind) {
      case CallKind::put:
        MPI_Rput(from.at, from.type.count, from.type.type, call.target, where, at.count, at.type,
                 win, &flight.request);
        return;
      case CallKind::get:
        MPI_Rget(to.at, to.type.count, to.type.type, call.target, where, at.count, at.type, win,
                 &flight.request);
        break;
      case CallKind::accumulate:
        MPI_Raccumulate(from.at, from.type.count, from.type.type, call.target, where, at.count,
                        at.type, mpi_op(call.how), win, &flight.request);
        return;
      case CallKind::get_accumulate:
        MPI_Rget_accumulate(from.at, from.type.count, from.type.type, to.at, to.type.count,
                            to.type.type, call.target, where, at.count, at.type, mpi_op(call.how),
                            win, &flight.request);
        break;
      default:
        return begin_without(flight, from, to, at, where);
    }
    if (below(random_, 2) == 0) return;
    // What is got is there when its request is complete.
    MPI_Wait(&flight.request, MPI_STATUS_IGNORE);
    if (!call.result.empty() && !flight.in.has(call.result, window_.element()))
      complaint_ = "a request was complete before its result was there";
  }

  void finish_requests() {
    std::vector<MPI_Request> requests;
    for (Flight& flight : flights_)
      requests.push_back(std::exchange(flight.request, MPI_REQUEST_NULL));
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  }

  void store_all(const RandomCall& call) {
    const Element& element = window_.element();
    for (int i = 0; i < call.at.size(); ++i)
      store(call.given[static_cast<std::size_t>(i)], window_.stored_at(call.target, call.at.at(i)),
            element);
    if (is_passive_) MPI_Win_sync(window_.win());
  }

  void add_by_swaps(const RandomCall& call) {
    const Element& element = window_.element();
    const MPI_Aint where = window_.displacement(call.target, call.at.begin);
    std::byte kept[8] = {}, sum[8] = {}, found[8] = {}, unused[8] = {};
    MPI_Win const win = window_.win();
    MPI_Fetch_and_op(unused, kept, element.type, call.target, where, MPI_NO_OP, win);
    MPI_Win_flush(call.target, win);
    for (;;) {
      store(element.combine(call.how, load(kept, element), call.given[0]), sum, element);
      MPI_Compare_and_swap(sum, kept, found, element.type, call.target, where, win);
      MPI_Win_flush(call.target, win);
      if (load(found, element) == load(kept, element)) return;
      std::memcpy(kept, found, sizeof kept);
    }
  }

  void add_under_lock(const RandomCall& call) {
    const Element& element = window_.element();
    MadeType at = make_type(call.at, element);
    const MPI_Aint where = window_.displacement(call.target, call.at.begin);
    MPI_Win const win = window_.win();
    flights_.push_back({&call, {}, {}});
    Memory& memory = flights_.back().out;
    memory = Memory(random_, element, call.at.size());
    Side from = side(memory);
    MPI_Get(from.at, from.type.count, from.type.type, call.target, where, at.count, at.type, win);
    MPI_Win_flush(call.target, win);
    for (int i = 0; i < call.at.size(); ++i) {
      const Bits kept = load(memory.at(i, element), element);
      store(element.combine(call.how, kept, call.given[static_cast<std::size_t>(i)]),
            memory.at(i, element), element);
    }
    MPI_Put(from.at, from.type.count, from.type.type, call.target, where, at.count, at.type, win);
    release(from.type);
    release(at);
  }

  RandomWindow& window_;
  Random random_;
  bool is_passive_;
  std::deque<Flight> flights_;
  std::string complaint_;
};

/// One member of a communicator that plays random epochs on its windows.
class WindowPlayer {
 public:
  /// `threads`: of each rank that make its calls; one: none but the caller.
  WindowPlayer(std::uint64_t seed, MPI_Comm comm, int threads, const RunThreads& run_threads)
      : random_(seed), comm_(comm), threads_(threads), run_threads_(run_threads) {
    MPI_Comm_rank(comm, &rank_);
    MPI_Comm_size(comm, &size_);
    own_.seed(seed * 7919 + static_cast<unsigned>(rank_) + 1);
    MPI_Comm shared;
    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &shared);
    int near = 0;
    MPI_Comm_size(shared, &near);
    may_share_ = near == size_;
    MPI_Comm_free(&shared);
  }

  /// "" if all was as the model says. Goes on when it was not, as others wait for this rank.
  std::string play(int steps) {
    for (step_ = 1; step_ <= steps; ++step_) act();
    while (!windows_.empty()) free_window(0);
    return complaint_;
  }

 private:
  void act() {
    const int chosen = below(random_, 12);
    if (windows_.empty() || (chosen == 0 && windows_.size() < 3)) {
      windows_.push_back(std::make_unique<RandomWindow>(random_, comm_, may_share_));
      return;
    }
    const auto at = static_cast<std::size_t>(below(random_, static_cast<int>(windows_.size())));
    if (chosen == 1) return free_window(at);
    RandomWindow& window = *windows_[at];
    switch (chosen % 4) {
      case 0:
        return fences(window);
      case 1:
        return post_and_start(window);
      case 2:
        return locks(window);
      default:
        return lock_all(window);
    }
  }

  void complain(const RandomWindow& window, const char* epoch, const std::string& what) {
    if (what.empty() || !complaint_.empty()) return;
    complaint_ = "step " + std::to_string(step_) + ", rank " + std::to_string(rank_) + ", " +
                 window.name() + " window, " + epoch + ": " + what;
  }

  void free_window(std::size_t at) {
    RandomWindow& window = *windows_[at];
    window.free();
    if (window.has_memory_left()) complain(window, "freed", window.compare());
    windows_.erase(windows_.begin() + static_cast<std::ptrdiff_t>(at));
  }

  using Makers = std::deque<CallMaker>;

  /// By this rank's threads, or by the caller.
  void make_calls(RandomWindow& window, const std::vector<Queue>& queues, int target,
                  bool is_passive, Makers& makers) {
    const int threads = threads_ > 1 && below(own_, 2) != 0 ? threads_ : 1;
    std::vector<std::vector<const Queue*>> of_thread(static_cast<std::size_t>(threads));
    for (const Queue& queue : queues)
      if (target < 0 || queue.target == target)
        of_thread[static_cast<std::size_t>(below(own_, threads))].push_back(&queue);
    const std::size_t first = makers.size();
    for (int i = 0; i < threads; ++i) makers.emplace_back(window, own_(), is_passive);
    const auto work = [&](int thread) {
      const auto i = static_cast<std::size_t>(thread);
      makers[first + i].make(of_thread[i]);
    };
    if (threads == 1)
      work(0);
    else
      run_threads_(threads, work);
  }

  void compare_calls(RandomWindow& window, const char* epoch, const Makers& makers) {
    for (const CallMaker& maker : makers) complain(window, epoch, maker.compare());
  }

  /// Collective: each number of a counter was got once.
  void compare_counters(RandomWindow& window, const char* epoch, const EpochDraft& draft,
                        Makers& makers) {
    for (std::size_t i = 0; i < draft.counters.size(); ++i) {
      const EpochDraft::Counter& counter = draft.counters[i];
      std::vector<Bits> mine;
      for (CallMaker& maker : makers) maker.numbers_of(static_cast<int>(i), mine);
      std::vector<int> from{0};
      for (const int calls : counter.calls) from.push_back(from.back() + calls);
      std::vector<Bits> all(static_cast<std::size_t>(from.back())), expected;
      MPI_Allgatherv(mine.data(), static_cast<int>(mine.size()), MPI_UINT64_T, all.data(),
                     counter.calls.data(), from.data(), MPI_UINT64_T, comm_);
      Bits next = counter.first;
      for (int number = 0; number < from.back(); ++number) {
        expected.push_back(next);
        next = window.element().combine(Operator::sum, next, window.element().one);
      }
      std::sort(all.begin(), all.end());
      std::sort(expected.begin(), expected.end());
      if (all != expected) complain(window, epoch, "a counter gave a number twice, or not at all");
    }
  }

  const std::vector<Queue>& own_queues(const EpochDraft& draft) const {
    return draft.queues[static_cast<std::size_t>(rank_)];
  }

  void fences(RandomWindow& window) {
    MPI_Win_fence(below(random_, 2) != 0 ? MPI_MODE_NOPRECEDE : 0, window.win());
    for (int more = 1 + below(random_, 3); more > 0; --more) {
      const EpochDraft draft(random_, window, EpochKind::fence, [](int, int) { return true; });
      Makers makers;
      make_calls(window, own_queues(draft), -1, false, makers);
      MPI_Win_fence(more == 1 ? MPI_MODE_NOSUCCEED : 0, window.win());
      compare_calls(window, "fence", makers);
      compare_counters(window, "fence", draft, makers);
    }
    complain(window, "fence", window.compare());
    MPI_Barrier(comm_);
  }

  MPI_Group group_of(const std::vector<int>& ranks) const {
    MPI_Group all, made;
    MPI_Comm_group(comm_, &all);
    MPI_Group_incl(all, static_cast<int>(ranks.size()), ranks.data(), &made);
    MPI_Group_free(&all);
    return made;
  }

  void post_and_start(RandomWindow& window) {
    std::vector<int> origins, targets;
    std::vector<bool> graph;
    for (int i = 0; i < size_ * size_; ++i) graph.push_back(below(random_, 2) != 0);
    const auto accesses = [&](int origin, int target) {
      return static_cast<bool>(graph[static_cast<std::size_t>(origin * size_ + target)]);
    };
    for (int other = 0; other < size_; ++other) {
      if (accesses(other, rank_)) origins.push_back(other);
      if (accesses(rank_, other)) targets.push_back(other);
    }
    std::shuffle(targets.begin(), targets.end(), own_);
    const EpochDraft draft(random_, window, EpochKind::post_start, accesses);
    MPI_Group from = group_of(origins), to = group_of(targets);
    Makers makers;
    MPI_Win_post(from, 0, window.win());
    MPI_Win_start(to, 0, window.win());
    make_calls(window, own_queues(draft), -1, false, makers);
    MPI_Win_complete(window.win());
    compare_calls(window, "post and start", makers);
    if (below(own_, 2) != 0)
      for (int is_over = 0; !is_over;) MPI_Win_test(window.win(), &is_over);
    else
      MPI_Win_wait(window.win());
    complain(window, "post and start", window.compare());
    MPI_Group_free(&from);
    MPI_Group_free(&to);
    compare_counters(window, "post and start", draft, makers);
  }

  void locks(RandomWindow& window) {
    MPI_Barrier(comm_);  // all have compared what was there
    const EpochDraft draft(random_, window, EpochKind::lock, [](int, int) { return true; });
    std::vector<int> order;
    for (int target = 0; target < size_; ++target) order.push_back(target);
    std::shuffle(order.begin(), order.end(), own_);
    Makers makers;
    for (const int target : order) {
      bool is_exclusive = below(own_, 4) == 0;
      for (const Queue& queue : own_queues(draft))
        if (queue.target == target && queue.needs_exclusive) is_exclusive = true;
      MPI_Win_lock(is_exclusive ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, target, 0, window.win());
      make_calls(window, own_queues(draft), target, true, makers);
      MPI_Win_unlock(target, window.win());
    }
    end_passive(window, "lock", draft, makers);
  }

  void lock_all(RandomWindow& window) {
    MPI_Barrier(comm_);
    const EpochDraft draft(random_, window, EpochKind::lock_all, [](int, int) { return true; });
    Makers makers;
    MPI_Win_lock_all(0, window.win());
    make_calls(window, own_queues(draft), -1, true, makers);
    MPI_Win_unlock_all(window.win());
    end_passive(window, "lock_all", draft, makers);
  }

  void end_passive(RandomWindow& window, const char* epoch, const EpochDraft& draft,
                   Makers& makers) {
    compare_calls(window, epoch, makers);
    compare_counters(window, epoch, draft, makers);
    MPI_Barrier(comm_);
    MPI_Win_lock(MPI_LOCK_SHARED, rank_, 0, window.win());
    complain(window, epoch, window.compare());
    MPI_Win_unlock(rank_, window.win());
    MPI_Barrier(comm_);
  }

  Random random_;  ///< the same at all members
  Random own_;
  MPI_Comm comm_;
  int threads_;
  const RunThreads& run_threads_;
  int rank_ = 0, size_ = 0;
  int step_ = 0;
  bool may_share_ = false;
  std::vector<std::unique_ptr<RandomWindow>> windows_;
  std::string complaint_;
};

}  // namespace terrace::random_programs
