// SPDX-License-Identifier: BSD-3-Clause
// One rank's call of any collective with its buffers, which is made in any way and checked later.
#pragma once

#include <terrace/terrace.h>

#include <algorithm>
#include <string>
#include <vector>

#include "unit/api/threads.hpp"

namespace terrace::testing_api {

enum class Any {
  barrier,
  bcast,
  reduce,
  allreduce,
  allgather,
  gather,
  scatter,
  alltoall,
  reduce_scatter_block,
  scan,
  exscan
};
inline constexpr int kAnyCount = 11;
inline constexpr const char* kAnyNames[kAnyCount] = {
    "barrier",   "bcast",     "reduce",
    "allreduce", "allgather", "gather",
    "scatter",   "alltoall",  "reduce_scatter_block",
    "scan",      "exscan"};

enum class Way { blocking, started, prepared };

/// Doubles, summed; in each rank's input, element i is `element(seed, rank, i)`.
class AnyCall {
 public:
  AnyCall(const Team& team, int rank, Any kind, std::size_t count, int root, bool in_place)
      : team_(team), kind_(kind), rank_(rank), root_(root), count_(count) {
    const bool is_rooted = kind == Any::reduce || kind == Any::gather || kind == Any::scatter;
    in_place_ =
        in_place && kind != Any::barrier && kind != Any::bcast && (!is_rooted || rank == root);
    const auto blocks = static_cast<std::size_t>(team.ranks);
    const bool one_in =
        kind != Any::scatter && kind != Any::alltoall && kind != Any::reduce_scatter_block;
    const bool one_out = kind != Any::allgather && kind != Any::gather && kind != Any::alltoall;
    in_ = kind == Any::barrier ? 0 : one_in ? count : count * blocks;
    out_ = kind == Any::barrier ? 0 : one_out ? count : count * blocks;
  }
  AnyCall(const AnyCall&) = delete;
  AnyCall& operator=(const AnyCall&) = delete;

  /// Fills the buffers, which stay where they are.
  void fill(std::uint64_t seed) {
    seed_ = seed;
    const std::size_t room = std::max(in_, out_);
    input_.resize(room);
    output_.resize(room);
    for (std::size_t i = 0; i < in_; ++i) input_[i] = element<double>(seed, rank_, i);
    std::fill(output_.begin(), output_.end(), kUntouched);
    if (kind_ == Any::bcast && rank_ == root_) output_ = input_;
    if (in_place_ && kind_ != Any::scatter)
      std::copy_n(input_.begin(), in_, output_.begin() + static_cast<std::ptrdiff_t>(begin()));
  }

  /// Makes the call, or puts it in `call`.
  terrace_status make(Way way, terrace_call** call) {
    const void* const in = in_place_ && kind_ != Any::scatter ? TERRACE_IN_PLACE : input_.data();
    void* const out =
        in_place_ && kind_ == Any::scatter ? const_cast<void*>(TERRACE_IN_PLACE) : output_.data();
    constexpr terrace_type kType = TERRACE_DOUBLE;
    constexpr terrace_operator kSum = TERRACE_SUM;
    terrace_team* const team = team_.team;
#define TERRACE_MAKE(name, ...)                                            \
  case Any::name:                                                          \
    return way == Way::blocking  ? terrace_##name(__VA_ARGS__)             \
           : way == Way::started ? terrace_start_##name(__VA_ARGS__, call) \
                                 : terrace_prepare_##name(__VA_ARGS__, call);
    switch (kind_) {
      TERRACE_MAKE(barrier, team, rank_)
      TERRACE_MAKE(bcast, output_.data(), count_, kType, root_, team, rank_)
      TERRACE_MAKE(reduce, in, out, count_, kType, kSum, root_, team, rank_)
      TERRACE_MAKE(allreduce, in, out, count_, kType, kSum, team, rank_)
      TERRACE_MAKE(allgather, in, out, count_, kType, team, rank_)
      TERRACE_MAKE(gather, in, out, count_, kType, root_, team, rank_)
      TERRACE_MAKE(scatter, in, out, count_, kType, root_, team, rank_)
      TERRACE_MAKE(alltoall, in, out, count_, kType, team, rank_)
      TERRACE_MAKE(reduce_scatter_block, in, out, count_, kType, kSum, team, rank_)
      TERRACE_MAKE(scan, in, out, count_, kType, kSum, team, rank_)
      TERRACE_MAKE(exscan, in, out, count_, kType, kSum, team, rank_)
    }
#undef TERRACE_MAKE
    return TERRACE_ERR_UNSUPPORTED;
  }

  std::string check() const {
    for (std::size_t i = 0; i < in_; ++i)
      if (input_[i] != element<double>(seed_, rank_, i)) return what() + ": the input has changed";
    for (std::size_t i = 0; i < out_; ++i)
      if (!(in_place_ && kind_ == Any::scatter) && output_[i] != expected(i))
        return what() + ": element " + std::to_string(i) + " is " + std::to_string(output_[i]) +
               ", expected " + std::to_string(expected(i));
    return "";
  }

  std::string what() const {
    return std::string(kAnyNames[static_cast<int>(kind_)]) + " of " + std::to_string(count_) +
           (in_place_ ? " in place" : "") + ", rank " + std::to_string(rank_);
  }

 private:
  static constexpr double kUntouched = -99;

  std::size_t own() const {
    return static_cast<std::size_t>(rank_) * count_;
  }
  /// Where the input lies in the output, in place.
  std::size_t begin() const {
    return kind_ == Any::allgather || kind_ == Any::gather ? own() : 0;
  }
  double sum(int ranks, std::size_t i) const {
    return result<double>(TERRACE_SUM, seed_, ranks, i);
  }
  double expected(std::size_t i) const {
    const int block = static_cast<int>(i / count_);
    const std::size_t within = i % count_;
    const double untouched = in_place_ ? element<double>(seed_, rank_, i) : kUntouched;
    switch (kind_) {
      case Any::barrier:
        break;
      case Any::bcast:
        return element<double>(seed_, root_, i);
      case Any::reduce:
        return rank_ == root_ ? sum(team_.ranks, i) : untouched;
      case Any::allreduce:
        return sum(team_.ranks, i);
      case Any::allgather:
        return element<double>(seed_, block, within);
      case Any::gather:
        return rank_ == root_ ? element<double>(seed_, block, within) : untouched;
      case Any::scatter:
        return element<double>(seed_, root_, own() + i);
      case Any::alltoall:
        return element<double>(seed_, block, own() + within);
      case Any::reduce_scatter_block:
        return sum(team_.ranks, own() + i);
      case Any::scan:
        return sum(rank_ + 1, i);
      case Any::exscan:
        return rank_ > 0 ? sum(rank_, i) : untouched;
    }
    return untouched;
  }

  const Team& team_;
  Any kind_;
  int rank_, root_;
  std::size_t count_, in_, out_;
  bool in_place_;
  std::uint64_t seed_ = 0;
  std::vector<double> input_, output_;
};

}  // namespace terrace::testing_api
