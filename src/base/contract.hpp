// SPDX-License-Identifier: BSD-3-Clause
// Contracts in code: conditions that hold unless Terrace itself is wrong. What a user can get wrong
// is a Result or an error of MPI instead.
//
//     TERRACE_REQUIRE(end <= bytes_, end, bytes_);  in every build: memory or data would go wrong
//     TERRACE_ASSERT(is_sorted(rows));              in debug and sanitizer builds only
//
// The first argument is the condition; the report prints the values of the others, which are
// numbers, pointers or enumerators. Required conditions belong where a call is prepared: they cost
// a compare and a branch, and the code that reports them lies out of the way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace terrace::contract {

/// A value of a broken condition, as the report prints it.
struct Value {
  std::uint64_t bits = 0;
  bool is_negative = false;  ///< `bits` are then those of its absolute value

  template <class Number>
  static Value of(Number number) {
    if constexpr (std::is_pointer_v<Number>)
      return {reinterpret_cast<std::uintptr_t>(number)};
    else if constexpr (std::is_signed_v<Number>)
      return {
          number < 0 ? 0 - static_cast<std::uint64_t>(number) : static_cast<std::uint64_t>(number),
          number < 0};
    else
      return {static_cast<std::uint64_t>(number)};
  }
};

/// Prints the sentence, then ends the job. `text`: the condition and, after its null character, the
/// expressions whose values these are.
[[noreturn]] void report(const char* text, const char* function, const Value* values,
                         std::size_t count) noexcept;

template <class... Values>
[[noreturn, gnu::cold, gnu::noinline]] void broken(const char* text, const char* function,
                                                   Values... values) noexcept {
  const Value all[] = {Value::of(values)..., Value{}};
  report(text, function, all, sizeof...(values));
}

/// Ends the job after the report, instead of abort: MPI's launchers may drop the output of a
/// process that dies at once. Must not return.
using JobEnd = void (*)() noexcept;
void set_job_end(JobEnd end) noexcept;

}  // namespace terrace::contract

#define TERRACE_REQUIRE(condition, ...)                                                           \
  (__builtin_expect(static_cast<bool>(condition), 1)                                              \
       ? static_cast<void>(0)                                                                     \
       : ::terrace::contract::broken(#condition "\0" #__VA_ARGS__,                                \
                                     static_cast<const char*>(__PRETTY_FUNCTION__) __VA_OPT__(, ) \
                                         __VA_ARGS__))

#if defined(TERRACE_ASSERTIONS) || !defined(NDEBUG)
#define TERRACE_ASSERT(...) TERRACE_REQUIRE(__VA_ARGS__)
#else
#define TERRACE_ASSERT(...) static_cast<void>(0)
#endif
