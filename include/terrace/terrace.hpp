// SPDX-License-Identifier: BSD-3-Clause
// Terrace for threads in C++20: spans instead of addresses and counts, types deduced, errors
// thrown. Nothing but a thin layer over <terrace/terrace.h>, which says what each call does.
//
//   terrace::team team(4);
//   ... in each thread:
//   terrace::member me = team.join(rank);
//   double total = me.allreduce(mine, terrace::sum);
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <ranges>
#include <span>
#include <stdexcept>
#include <string>

#include "terrace/terrace.h"

namespace terrace {

/// What every call throws when it fails: the C status, and its sentence as `what()`.
class error : public std::runtime_error {
 public:
  explicit error(terrace_status status) : runtime_error(terrace_last_error()), status_(status) {}
  terrace_status status() const noexcept { return status_; }

 private:
  terrace_status status_;
};

inline void throw_unless_ok(terrace_status status) {
  if (status != TERRACE_OK) throw error(status);
}

/// What can be an element: integers and floats of 1 to 8 bytes, but not bool.
template <class T>
concept element = (std::integral<T> && sizeof(T) <= 8 && !std::same_as<T, bool>) ||
                  std::same_as<T, float> || std::same_as<T, double>;

/// The terrace_type of an element.
template <element T>
constexpr terrace_type type_of() {
  if constexpr (std::same_as<T, float>) return TERRACE_FLOAT32;
  if constexpr (std::same_as<T, double>) return TERRACE_FLOAT64;
  constexpr int log_bytes = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
  const int first = std::signed_integral<T> ? TERRACE_INT8 : TERRACE_UINT8;
  return static_cast<terrace_type>(first + log_bytes);
}

template <class Elements>
using value_in = std::ranges::range_value_t<Elements>;

/// Elements side by side in memory: a std::vector, std::array, std::span, or an array.
template <class Elements>
concept readable = std::ranges::contiguous_range<Elements> && std::ranges::sized_range<Elements> &&
    element<value_in<Elements>>;

/// The same, and not const.
template <class Elements>
concept writable = readable<Elements> &&
    std::assignable_from<std::ranges::range_reference_t<Elements>, value_in<Elements>>;

template <readable Elements>
constexpr terrace_type type_in() {
  return type_of<value_in<Elements>>();
}

template <terrace_operator op>
struct operator_tag {
  static constexpr terrace_operator value = op;
  static constexpr bool takes_floats = op <= TERRACE_MAXIMUM;
};

inline constexpr operator_tag<TERRACE_SUM> sum;
inline constexpr operator_tag<TERRACE_PRODUCT> product;
inline constexpr operator_tag<TERRACE_MINIMUM> minimum;
inline constexpr operator_tag<TERRACE_MAXIMUM> maximum;
inline constexpr operator_tag<TERRACE_LOGICAL_AND> logical_and;
inline constexpr operator_tag<TERRACE_LOGICAL_OR> logical_or;
inline constexpr operator_tag<TERRACE_LOGICAL_XOR> logical_xor;
inline constexpr operator_tag<TERRACE_BITWISE_AND> bitwise_and;
inline constexpr operator_tag<TERRACE_BITWISE_OR> bitwise_or;
inline constexpr operator_tag<TERRACE_BITWISE_XOR> bitwise_xor;

/// An operator that can combine T: what is not defined does not compile.
template <class Op, class T>
concept combines = requires {
  { Op::value } -> std::convertible_to<terrace_operator>;
}
&&(Op::takes_floats || std::integral<T>);

/// One rank of a team, to be used by one thread at a time. Small, to be copied; must not outlive
/// its team.
class member {
 public:
  member(terrace_team* team, int rank) noexcept : team_(team), rank_(rank) {}

  int rank() const noexcept { return rank_; }
  int ranks() const noexcept { return terrace_team_ranks(team_); }
  std::string last_plan() const { return terrace_last_plan(team_, rank_); }

  void barrier() const { throw_unless_ok(terrace_barrier(team_, rank_)); }

  /// From the root's elements to everybody's.
  template <writable Elements>
  void bcast(Elements&& elements, int root) const {
    const std::span all(elements);
    throw_unless_ok(terrace_bcast(all.data(), all.size(), type_in<Elements>(), root, team_, rank_));
  }
  template <element T>
  T bcast(T value, int root) const {
    bcast(std::span(&value, 1), root);
    return value;
  }

  /// The result in `output` on every rank; `input` has as many elements of the same type.
  template <readable Input, writable Output, combines<value_in<Output>> Op>
  void allreduce(const Input& input, Output&& output, Op) const {
    const std::span from(input);
    const std::span to(output);
    throw_unless_alike<Input, Output>(from.size(), to.size());
    throw_unless_ok(terrace_allreduce(from.data(), to.data(), to.size(), type_in<Output>(),
                                      Op::value, team_, rank_));
  }
  /// In place.
  template <writable Values, combines<value_in<Values>> Op>
  void allreduce(Values&& values, Op) const {
    const std::span all(values);
    throw_unless_ok(terrace_allreduce(TERRACE_IN_PLACE, all.data(), all.size(), type_in<Values>(),
                                      Op::value, team_, rank_));
  }
  template <element T, combines<T> Op>
  T allreduce(T value, Op op) const {
    allreduce(std::span(&value, 1), op);
    return value;
  }

  /// The result in the root's `output`; other ranks' outputs are not looked at and may be empty.
  template <readable Input, writable Output, combines<value_in<Output>> Op>
  void reduce(const Input& input, Output&& output, Op, int root) const {
    const std::span from(input);
    const std::span to(output);
    if (rank_ == root) throw_unless_alike<Input, Output>(from.size(), to.size());
    throw_unless_ok(terrace_reduce(from.data(), to.data(), from.size(), type_in<Input>(), Op::value,
                                   root, team_, rank_));
  }
  /// In place at the root; other ranks' values stay as they are.
  template <writable Values, combines<value_in<Values>> Op>
  void reduce(Values&& values, Op, int root) const {
    const std::span all(values);
    const void* input = rank_ == root ? TERRACE_IN_PLACE : all.data();
    throw_unless_ok(terrace_reduce(input, all.data(), all.size(), type_in<Values>(), Op::value,
                                   root, team_, rank_));
  }

 private:
  template <class Input, class Output>
  static void throw_unless_alike(std::size_t input, std::size_t output) {
    static_assert(type_in<Input>() == type_in<Output>(), "input and output differ in type");
    if (input != output)
      throw std::invalid_argument("input has " + std::to_string(input) + " elements, output " +
                                  std::to_string(output) + ": expected as many");
  }

  terrace_team* team_;
  int rank_;
};

/// Threads that make collective calls together.
class team {
 public:
  explicit team(int ranks, const terrace_team_options& options = {}) {
    terrace_team* made = nullptr;
    throw_unless_ok(terrace_team_create(ranks, &options, &made));
    team_.reset(made);
  }

  int ranks() const noexcept { return terrace_team_ranks(team_.get()); }
  std::string hierarchy() const { return terrace_team_hierarchy(team_.get()); }
  /// Takes this thread's place; returns when all ranks have.
  member join(int rank) const {
    throw_unless_ok(terrace_team_join(team_.get(), rank));
    return {team_.get(), rank};
  }
  terrace_team* get() const noexcept { return team_.get(); }

 private:
  struct destroy {
    void operator()(terrace_team* team) const noexcept { terrace_team_destroy(team); }
  };
  std::unique_ptr<terrace_team, destroy> team_;
};

}  // namespace terrace
