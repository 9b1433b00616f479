// SPDX-License-Identifier: BSD-3-Clause
// Atomics and plain places in the machine's memory, with the names of the standard's, so that the
// functions under src/ that take `std::atomic` by a template take these as well.
#pragma once

#include <atomic>
#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>

#include "unit/litmus/machine.hpp"

namespace terrace::litmus {

template <class T>
Value to_value(const T& what) {
  static_assert(sizeof(T) <= sizeof(Value));
  Value value = 0;
  std::memcpy(&value, &what, sizeof what);
  return value;
}

template <class T>
T from_value(Value value) {
  T what;
  std::memcpy(&what, &value, sizeof what);
  return what;
}

/// Where an access stands in the code: in each function's default arguments, since only there it is
/// the caller's place.
#define TERRACE_LITMUS_SITE                                                         \
  const char *file = __builtin_FILE(), const char *function = __builtin_FUNCTION(), \
             int line = __builtin_LINE()

template <class T>
class Atomic {
 public:
  Atomic(T first = T{}) : location_(machine().new_location(to_value(first))) {}
  Atomic(const Atomic&) = delete;
  Atomic& operator=(const Atomic&) = delete;

  T load(Order order, TERRACE_LITMUS_SITE) const {
    return from_value<T>(machine().load(location_, order, {file, function, line}));
  }
  void store(T value, Order order, TERRACE_LITMUS_SITE) {
    machine().store(location_, to_value(value), order, {file, function, line});
  }
  T exchange(T value, Order order, TERRACE_LITMUS_SITE) {
    return update([&](T) { return value; }, order, {file, function, line});
  }
  T fetch_add(T more, Order order, TERRACE_LITMUS_SITE) {
    return update([&](T old) { return static_cast<T>(old + more); }, order, {file, function, line});
  }
  T fetch_sub(T less, Order order, TERRACE_LITMUS_SITE) {
    return update([&](T old) { return static_cast<T>(old - less); }, order, {file, function, line});
  }
  T fetch_or(T more, Order order, TERRACE_LITMUS_SITE) {
    return update([&](T old) { return static_cast<T>(old | more); }, order, {file, function, line});
  }
  T fetch_and(T mask, Order order, TERRACE_LITMUS_SITE) {
    return update([&](T old) { return static_cast<T>(old & mask); }, order, {file, function, line});
  }
  bool compare_exchange_strong(T& expected, T value, Order order, Order failure,
                               TERRACE_LITMUS_SITE) {
    const Value wanted = to_value(expected);
    const auto change = [&](Value old) {
      return old == wanted ? std::optional(to_value(value)) : std::nullopt;
    };
    const Value old = machine().update(location_, change, order, failure, {file, function, line});
    expected = from_value<T>(old);
    return old == wanted;
  }
  /// Never fails without a reason, which would only begin a loop again.
  bool compare_exchange_weak(T& expected, T value, Order order, Order failure,
                             TERRACE_LITMUS_SITE) {
    return compare_exchange_strong(expected, value, order, failure, file, function, line);
  }
  std::size_t location() const { return location_; }

 private:
  static Machine& machine() { return *Machine::here(); }
  template <class Change>
  T update(Change&& change, Order order, Site site) {
    const auto compute = [&](Value old) {
      return std::optional(to_value(static_cast<T>(change(from_value<T>(old)))));
    };
    // The failure's order is no site of its own: nothing fails.
    return from_value<T>(machine().update(location_, compute, order, std::nullopt, site));
  }

  std::size_t location_;
};

/// A place that is not atomic: two accesses that are not ordered, one of which writes, are a race.
template <class T>
class Plain {
 public:
  Plain(T value = T{}) : plain_(Machine::here()->new_plain()), value_(value) {}
  Plain& operator=(const T& value) {
    Machine::here()->write_plain(plain_);
    value_ = value;
    return *this;
  }
  operator T() const {
    Machine::here()->read_plain(plain_);
    return value_;
  }
  Plain(const Plain&) = delete;
  Plain& operator=(const Plain& other) { return *this = static_cast<T>(other); }

 private:
  std::size_t plain_;
  T value_;
};

inline void fence(Order order, TERRACE_LITMUS_SITE) {
  Machine::here()->fence(order, {file, function, line});
}
template <class T>
void light_fence(const Atomic<T>&, TERRACE_LITMUS_SITE) {
  Machine::here()->light_fence({file, function, line});
}
template <class T>
bool heavy_fence(const Atomic<T>&, TERRACE_LITMUS_SITE) {
  Machine::here()->heavy_fence({file, function, line});
  return true;
}
/// Instead of looking again at once.
template <class T>
void rest_before_look(const Atomic<T>& atomic) {
  Machine::here()->await_change(atomic.location());
}
template <class T>
void wake(Atomic<T>& atomic) {
  Machine::here()->wake(atomic.location());
}
template <class T>
void sleep(Atomic<T>& atomic, T seen) {
  Machine::here()->sleep(atomic.location(), to_value(seen));
}
inline void require(bool holds, const char* what) {
  Machine::here()->require(holds, what);
}

}  // namespace terrace::litmus
