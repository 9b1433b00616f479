// SPDX-License-Identifier: BSD-3-Clause
// Terrace for threads in C++20: spans instead of addresses and counts, types deduced, errors
// thrown. Nothing but a thin layer over <terrace/terrace.h>, which says what each call does.
//
//   terrace::team team(4);
//   ... in each thread:
//   terrace::member me = team.join(rank);
//   double total = me.allreduce(mine, terrace::sum);
#pragma once

#if __cplusplus < 202002L
#error "terrace/terrace.hpp needs C++20: -std=c++20, or terrace::cpp in CMake; terrace.h needs C99"
#endif

#include <concepts>
#include <cstddef>
#include <memory>
#include <ranges>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "terrace/terrace.h"

namespace terrace {

/// The exception that every call throws when it fails: the C status, and its sentence as `what()`.
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

/// Types that can be elements: integers and floats of 1 to 8 bytes, but not bool.
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

/// Readable elements that are not const.
template <class Elements>
concept writable = readable<Elements> &&
    std::assignable_from<std::ranges::range_reference_t<Elements>, value_in<Elements>>;

template <class Elements>
inline constexpr bool is_span = false;
template <class Element, std::size_t extent>
inline constexpr bool is_span<std::span<Element, extent>> = true;

/// Readable elements whose memory is there after the statement: not a container made in it.
template <class Elements>
concept lasting_readable = readable<Elements> &&
    (std::is_lvalue_reference_v<Elements> || is_span<std::remove_cvref_t<Elements>>);
template <class Elements>
concept lasting_writable = writable<Elements> && lasting_readable<Elements>;

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

/// A call that was started. The thread that started it completes it; the destructor waits for it,
/// so declare it after its buffers. Must not outlive its team.
class request {
 public:
  request() noexcept = default;
  explicit request(terrace_call* call) noexcept : call_(call) {}
  request(request&& other) noexcept : call_(std::exchange(other.call_, nullptr)) {}
  /// Waits for the call that was here.
  request& operator=(request&& other) noexcept {
    if (this == &other) return *this;
    if (is_pending()) terrace_wait(&call_);
    call_ = std::exchange(other.call_, nullptr);
    return *this;
  }
  ~request() {
    if (is_pending()) terrace_wait(&call_);
  }

  /// Whether the call has not been completed by `wait` or `test`.
  bool is_pending() const noexcept { return call_ != nullptr; }
  /// Whether the call is over, for a pending one. Never waits.
  bool test() {
    int is_done = 0;
    throw_unless_ok(terrace_test(&call_, &is_done));
    return is_done != 0;
  }
  void wait() { throw_unless_ok(terrace_wait(&call_)); }

 private:
  terrace_call* call_ = nullptr;
};

/// A call that can be started often, with what its buffers hold then. The destructor waits for it
/// if it is active, and frees it; otherwise as a request.
class prepared_call {
 public:
  prepared_call() noexcept = default;
  explicit prepared_call(terrace_call* call) noexcept : call_(call) {}
  prepared_call(prepared_call&& other) noexcept
      : call_(std::exchange(other.call_, nullptr)),
        is_active_(std::exchange(other.is_active_, false)) {}
  prepared_call& operator=(prepared_call&& other) noexcept {
    if (this == &other) return *this;
    free();
    call_ = std::exchange(other.call_, nullptr);
    is_active_ = std::exchange(other.is_active_, false);
    return *this;
  }
  ~prepared_call() { free(); }

  bool is_active() const noexcept { return is_active_; }
  void start() {
    throw_unless_ok(terrace_start(call_));
    is_active_ = true;
  }
  /// Whether the call is over, for an active one. Never waits.
  bool test() {
    int is_done = 0;
    const terrace_status status = terrace_test(&call_, &is_done);
    if (is_done != 0) is_active_ = false;
    throw_unless_ok(status);
    return is_done != 0;
  }
  void wait() {
    const terrace_status status = terrace_wait(&call_);
    if (status != TERRACE_ERR_ARGUMENT) is_active_ = false;
    throw_unless_ok(status);
  }

 private:
  void free() noexcept {
    if (call_ == nullptr) return;
    if (is_active_) terrace_wait(&call_);
    terrace_call_free(&call_);
  }

  terrace_call* call_ = nullptr;
  bool is_active_ = false;
};

/// One rank of a team, to be used by one thread at a time. Small, to be copied; must not outlive
/// its team.
class member {
 public:
  member(terrace_team* team, int rank) noexcept : team_(team), rank_(rank) {}

  int rank() const noexcept { return rank_; }
  int ranks() const noexcept { return terrace_team_ranks(team_); }
  std::string last_plan() const { return terrace_last_plan(team_, rank_); }

  void barrier() const { throw_unless_ok(terrace_barrier(team_, rank_)); }

  /// Copies the root's elements to all ranks.
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

  /// `input` of every rank in `output` of every rank, one block after the other.
  template <readable Input, writable Output>
  void allgather(const Input& input, Output&& output) const {
    const std::span from(input);
    const std::span to(output);
    throw_unless_block<Input, Output>(from.size(), to.size());
    throw_unless_ok(
        terrace_allgather(from.data(), to.data(), from.size(), type_in<Input>(), team_, rank_));
  }

  /// Gathers `input` of every rank at the root; other ranks' outputs are not looked at and may be
  /// empty.
  template <readable Input, writable Output>
  void gather(const Input& input, Output&& output, int root) const {
    const std::span from(input);
    const std::span to(output);
    if (rank_ == root) throw_unless_block<Input, Output>(from.size(), to.size());
    throw_unless_ok(
        terrace_gather(from.data(), to.data(), from.size(), type_in<Input>(), root, team_, rank_));
  }

  /// A block of the root's `input` in each rank's `output`; other ranks' inputs are not looked at.
  template <readable Input, writable Output>
  void scatter(const Input& input, Output&& output, int root) const {
    const std::span from(input);
    const std::span to(output);
    if (rank_ == root) throw_unless_block<Input, Output>(to.size(), from.size());
    throw_unless_ok(
        terrace_scatter(from.data(), to.data(), to.size(), type_in<Output>(), root, team_, rank_));
  }

  /// Block b of rank r's `input` in block r of rank b's `output`.
  template <readable Input, writable Output>
  void alltoall(const Input& input, Output&& output) const {
    const std::span from(input);
    const std::span to(output);
    throw_unless_alike<Input, Output>(from.size(), to.size());
    throw_unless_ok(terrace_alltoall(from.data(), to.data(), block_size(to.size()),
                                     type_in<Output>(), team_, rank_));
  }
  /// In place.
  template <writable Values>
  void alltoall(Values&& values) const {
    const std::span all(values);
    throw_unless_ok(terrace_alltoall(TERRACE_IN_PLACE, all.data(), block_size(all.size()),
                                     type_in<Values>(), team_, rank_));
  }

  /// Block r of the combined inputs in rank r's `output`.
  template <readable Input, writable Output, combines<value_in<Output>> Op>
  void reduce_scatter_block(const Input& input, Output&& output, Op) const {
    const std::span from(input);
    const std::span to(output);
    throw_unless_block<Input, Output>(to.size(), from.size());
    throw_unless_ok(terrace_reduce_scatter_block(from.data(), to.data(), to.size(),
                                                 type_in<Output>(), Op::value, team_, rank_));
  }

  /// The combination of the inputs of ranks 0 to this one in `output`.
  template <readable Input, writable Output, combines<value_in<Output>> Op>
  void scan(const Input& input, Output&& output, Op) const {
    const std::span from(input);
    const std::span to(output);
    throw_unless_alike<Input, Output>(from.size(), to.size());
    throw_unless_ok(terrace_scan(from.data(), to.data(), to.size(), type_in<Output>(), Op::value,
                                 team_, rank_));
  }
  template <element T, combines<T> Op>
  T scan(T value, Op op) const {
    scan(std::span<const T>(&value, 1), std::span(&value, 1), op);
    return value;
  }

  /// The combination of the inputs of the ranks before this one; rank 0's `output` stays.
  template <readable Input, writable Output, combines<value_in<Output>> Op>
  void exscan(const Input& input, Output&& output, Op) const {
    const std::span from(input);
    const std::span to(output);
    throw_unless_alike<Input, Output>(from.size(), to.size());
    throw_unless_ok(terrace_exscan(from.data(), to.data(), to.size(), type_in<Output>(), Op::value,
                                   team_, rank_));
  }
  /// Rank 0 gets `value` back.
  template <element T, combines<T> Op>
  T exscan(T value, Op op) const {
    exscan(std::span<const T>(&value, 1), std::span(&value, 1), op);
    return value;
  }

  // Started and prepared calls, with the arguments of the blocking ones. Buffers must be there
  // until the call is over, so no container may be made in the statement.

  [[nodiscard]] request start_barrier() const { return request(made(terrace_start_barrier)); }

  [[nodiscard]] prepared_call prepare_barrier() const {
    return prepared_call(made(terrace_prepare_barrier));
  }

  template <lasting_writable Values>
  [[nodiscard]] request start_bcast(Values&& elements, int root) const {
    return request(made_bcast(terrace_start_bcast, elements, root));
  }

  template <lasting_writable Values>
  [[nodiscard]] prepared_call prepare_bcast(Values&& elements, int root) const {
    return prepared_call(made_bcast(terrace_prepare_bcast, elements, root));
  }

  template <lasting_readable Input, lasting_writable Output, combines<value_in<Output>> Op>
  [[nodiscard]] request start_allreduce(Input&& input, Output&& output, Op op) const {
    return request(made_alike(terrace_start_allreduce, input, output, op));
  }

  template <lasting_readable Input, lasting_writable Output, combines<value_in<Output>> Op>
  [[nodiscard]] prepared_call prepare_allreduce(Input&& input, Output&& output, Op op) const {
    return prepared_call(made_alike(terrace_prepare_allreduce, input, output, op));
  }

  template <lasting_writable Values, combines<value_in<Values>> Op>
  [[nodiscard]] request start_allreduce(Values&& values, Op op) const {
    return request(made_in_place(terrace_start_allreduce, values, op));
  }

  template <lasting_writable Values, combines<value_in<Values>> Op>
  [[nodiscard]] prepared_call prepare_allreduce(Values&& values, Op op) const {
    return prepared_call(made_in_place(terrace_prepare_allreduce, values, op));
  }

  template <lasting_readable Input, lasting_writable Output, combines<value_in<Output>> Op>
  [[nodiscard]] request start_reduce(Input&& input, Output&& output, Op op, int root) const {
    return request(made_reduce(terrace_start_reduce, input, output, op, root));
  }

  template <lasting_readable Input, lasting_writable Output, combines<value_in<Output>> Op>
  [[nodiscard]] prepared_call prepare_reduce(Input&& input, Output&& output, Op op,
                                             int root) const {
    return prepared_call(made_reduce(terrace_prepare_reduce, input, output, op, root));
  }

  template <lasting_writable Values, combines<value_in<Values>> Op>
  [[nodiscard]] request start_reduce(Values&& values, Op op, int root) const {
    return request(made_reduce_in_place(terrace_start_reduce, values, op, root));
  }

  template <lasting_writable Values, combines<value_in<Values>> Op>
  [[nodiscard]] prepared_call prepare_reduce(Values&& values, Op op, int root) const {
    return prepared_call(made_reduce_in_place(terrace_prepare_reduce, values, op, root));
  }

  template <lasting_readable Input, lasting_writable Output>
  [[nodiscard]] request start_allgather(Input&& input, Output&& output) const {
    return request(made_allgather(terrace_start_allgather, input, output));
  }

  template <lasting_readable Input, lasting_writable Output>
  [[nodiscard]] prepared_call prepare_allgather(Input&& input, Output&& output) const {
    return prepared_call(made_allgather(terrace_prepare_allgather, input, output));
  }

  template <lasting_readable Input, lasting_writable Output>
  [[nodiscard]] request start_gather(Input&& input, Output&& output, int root) const {
    return request(made_gather(terrace_start_gather, input, output, root));
  }

  template <lasting_readable Input, lasting_writable Output>
  [[nodiscard]] prepared_call prepare_gather(Input&& input, Output&& output, int root) const {
    return prepared_call(made_gather(terrace_prepare_gather, input, output, root));
  }

  template <lasting_readable Input, lasting_writable Output>
  [[nodiscard]] request start_scatter(Input&& input, Output&& output, int root) const {
    return request(made_scatter(terrace_start_scatter, input, output, root));
  }

  template <lasting_readable Input, lasting_writable Output>
  [[nodiscard]] prepared_call prepare_scatter(Input&& input, Output&& output, int root) const {
    return prepared_call(made_scatter(terrace_prepare_scatter, input, output, root));
  }

  template <lasting_readable Input, lasting_writable Output>
  [[nodiscard]] request start_alltoall(Input&& input, Output&& output) const {
    return request(made_alltoall(terrace_start_alltoall, input, output));
  }

  template <lasting_readable Input, lasting_writable Output>
  [[nodiscard]] prepared_call prepare_alltoall(Input&& input, Output&& output) const {
    return prepared_call(made_alltoall(terrace_prepare_alltoall, input, output));
  }

  template <lasting_writable Values>
  [[nodiscard]] request start_alltoall(Values&& values) const {
    return request(made_alltoall_in_place(terrace_start_alltoall, values));
  }

  template <lasting_writable Values>
  [[nodiscard]] prepared_call prepare_alltoall(Values&& values) const {
    return prepared_call(made_alltoall_in_place(terrace_prepare_alltoall, values));
  }

  template <lasting_readable Input, lasting_writable Output, combines<value_in<Output>> Op>
  [[nodiscard]] request start_reduce_scatter_block(Input&& input, Output&& output, Op op) const {
    return request(
        made_reduce_scatter_block(terrace_start_reduce_scatter_block, input, output, op));
  }

  template <lasting_readable Input, lasting_writable Output, combines<value_in<Output>> Op>
  [[nodiscard]] prepared_call prepare_reduce_scatter_block(Input&& input, Output&& output,
                                                           Op op) const {
    return prepared_call(
        made_reduce_scatter_block(terrace_prepare_reduce_scatter_block, input, output, op));
  }

  template <lasting_readable Input, lasting_writable Output, combines<value_in<Output>> Op>
  [[nodiscard]] request start_scan(Input&& input, Output&& output, Op op) const {
    return request(made_alike(terrace_start_scan, input, output, op));
  }

  template <lasting_readable Input, lasting_writable Output, combines<value_in<Output>> Op>
  [[nodiscard]] prepared_call prepare_scan(Input&& input, Output&& output, Op op) const {
    return prepared_call(made_alike(terrace_prepare_scan, input, output, op));
  }

  template <lasting_readable Input, lasting_writable Output, combines<value_in<Output>> Op>
  [[nodiscard]] request start_exscan(Input&& input, Output&& output, Op op) const {
    return request(made_alike(terrace_start_exscan, input, output, op));
  }

  template <lasting_readable Input, lasting_writable Output, combines<value_in<Output>> Op>
  [[nodiscard]] prepared_call prepare_exscan(Input&& input, Output&& output, Op op) const {
    return prepared_call(made_alike(terrace_prepare_exscan, input, output, op));
  }

 private:
  /// Starts or prepares a call by that C function.
  template <class Function, class... Arguments>
  terrace_call* made(Function* function, Arguments... arguments) const {
    terrace_call* call = nullptr;
    throw_unless_ok(function(arguments..., team_, rank_, &call));
    return call;
  }
  template <class Function, class Elements>
  terrace_call* made_bcast(Function* function, Elements& elements, int root) const {
    const std::span all(elements);
    return made(function, all.data(), all.size(), type_in<Elements>(), root);
  }
  template <class Function, class Input, class Output, class Op>
  terrace_call* made_alike(Function* function, Input& input, Output& output, Op) const {
    const std::span from(input);
    const std::span to(output);
    throw_unless_alike<Input, Output>(from.size(), to.size());
    return made(function, from.data(), to.data(), to.size(), type_in<Output>(), Op::value);
  }
  template <class Function, class Values, class Op>
  terrace_call* made_in_place(Function* function, Values& values, Op) const {
    const std::span all(values);
    return made(function, TERRACE_IN_PLACE, all.data(), all.size(), type_in<Values>(), Op::value);
  }
  template <class Function, class Input, class Output, class Op>
  terrace_call* made_reduce(Function* function, Input& input, Output& output, Op, int root) const {
    const std::span from(input);
    const std::span to(output);
    if (rank_ == root) throw_unless_alike<Input, Output>(from.size(), to.size());
    return made(function, from.data(), to.data(), from.size(), type_in<Input>(), Op::value, root);
  }
  template <class Function, class Values, class Op>
  terrace_call* made_reduce_in_place(Function* function, Values& values, Op, int root) const {
    const std::span all(values);
    const void* input = rank_ == root ? TERRACE_IN_PLACE : all.data();
    return made(function, input, all.data(), all.size(), type_in<Values>(), Op::value, root);
  }
  template <class Function, class Input, class Output>
  terrace_call* made_allgather(Function* function, Input& input, Output& output) const {
    const std::span from(input);
    const std::span to(output);
    throw_unless_block<Input, Output>(from.size(), to.size());
    return made(function, from.data(), to.data(), from.size(), type_in<Input>());
  }
  template <class Function, class Input, class Output>
  terrace_call* made_gather(Function* function, Input& input, Output& output, int root) const {
    const std::span from(input);
    const std::span to(output);
    if (rank_ == root) throw_unless_block<Input, Output>(from.size(), to.size());
    return made(function, from.data(), to.data(), from.size(), type_in<Input>(), root);
  }
  template <class Function, class Input, class Output>
  terrace_call* made_scatter(Function* function, Input& input, Output& output, int root) const {
    const std::span from(input);
    const std::span to(output);
    if (rank_ == root) throw_unless_block<Input, Output>(to.size(), from.size());
    return made(function, from.data(), to.data(), to.size(), type_in<Output>(), root);
  }
  template <class Function, class Input, class Output>
  terrace_call* made_alltoall(Function* function, Input& input, Output& output) const {
    const std::span from(input);
    const std::span to(output);
    throw_unless_alike<Input, Output>(from.size(), to.size());
    return made(function, from.data(), to.data(), block_size(to.size()), type_in<Output>());
  }
  template <class Function, class Values>
  terrace_call* made_alltoall_in_place(Function* function, Values& values) const {
    const std::span all(values);
    return made(function, TERRACE_IN_PLACE, all.data(), block_size(all.size()), type_in<Values>());
  }
  template <class Function, class Input, class Output, class Op>
  terrace_call* made_reduce_scatter_block(Function* function, Input& input, Output& output,
                                          Op) const {
    const std::span from(input);
    const std::span to(output);
    throw_unless_block<Input, Output>(to.size(), from.size());
    return made(function, from.data(), to.data(), to.size(), type_in<Output>(), Op::value);
  }

  std::size_t blocks() const { return static_cast<std::size_t>(ranks()); }
  std::size_t block_size(std::size_t elements) const {
    if (elements % blocks() != 0)
      throw std::invalid_argument(std::to_string(elements) + " elements are no whole blocks for " +
                                  std::to_string(blocks()) + " ranks");
    return elements / blocks();
  }

  /// `all` elements must be one block per rank.
  template <class Input, class Output>
  void throw_unless_block(std::size_t block, std::size_t all) const {
    static_assert(type_in<Input>() == type_in<Output>(), "input and output differ in type");
    if (block * blocks() != all)
      throw std::invalid_argument("a block has " + std::to_string(block) + " elements, the " +
                                  std::to_string(blocks()) + " ranks' buffer has " +
                                  std::to_string(all) + ": expected a block for each rank");
  }
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
