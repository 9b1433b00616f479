// SPDX-License-Identifier: BSD-3-Clause
// What the tests of the C library share: threads that are the ranks of a team, and what each
// element must come to, computed one by one.
#pragma once

#include <terrace/terrace.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

namespace terrace::testing_api {

/// Runs `work(rank)` on a thread for each rank; returns the first complaint, "" if none.
inline std::string on_each_rank(int ranks, const std::function<std::string(int)>& work) {
  std::vector<std::string> complaints(static_cast<std::size_t>(ranks));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank)
    threads.emplace_back([&, rank] { complaints[static_cast<std::size_t>(rank)] = work(rank); });
  for (std::thread& thread : threads) thread.join();
  for (const std::string& complaint : complaints)
    if (!complaint.empty()) return complaint;
  return "";
}

/// A team for the length of a test.
struct Team {
  explicit Team(int rank_count, const terrace_team_options& options = {}) : ranks(rank_count) {
    status = terrace_team_create(ranks, &options, &team);
  }
  ~Team() { terrace_team_destroy(team); }
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  std::string each(const std::function<std::string(int)>& work) const {
    return on_each_rank(ranks, work);
  }

  int ranks;
  terrace_team* team = nullptr;
  terrace_status status;
};

template <class T>
constexpr terrace_type type_number() {
  if (std::is_same_v<T, float>) return TERRACE_FLOAT32;
  if (std::is_same_v<T, double>) return TERRACE_FLOAT64;
  const int size = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
  return static_cast<terrace_type>(size + (std::is_signed_v<T> ? TERRACE_INT8 : TERRACE_UINT8));
}

/// Small whole numbers, so that floats are exact in any order.
template <class T>
T element(std::uint64_t seed, int rank, std::size_t i) {
  std::uint64_t x = seed * 0x9e3779b97f4a7c15u + static_cast<std::uint64_t>(rank) * 1000003u + i;
  x ^= x >> 29;
  x *= 0xbf58476d1ce4e5b9u;
  return static_cast<T>((x >> 32) % 4);
}

template <class T>
T combined(terrace_operator op, T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    if (op == TERRACE_BITWISE_AND) return static_cast<T>(a & b);
    if (op == TERRACE_BITWISE_OR) return static_cast<T>(a | b);
    if (op == TERRACE_BITWISE_XOR) return static_cast<T>(a ^ b);
    if (op == TERRACE_LOGICAL_AND) return static_cast<T>(a != 0 && b != 0);
    if (op == TERRACE_LOGICAL_OR) return static_cast<T>(a != 0 || b != 0);
    if (op == TERRACE_LOGICAL_XOR) return static_cast<T>((a != 0) != (b != 0));
  }
  if (op == TERRACE_MINIMUM) return b < a ? b : a;
  if (op == TERRACE_MAXIMUM) return b > a ? b : a;
  return static_cast<T>(op == TERRACE_PRODUCT ? a * b : a + b);
}

/// What element `i` of the result is, over all ranks in turn. One rank's is a copy.
template <class T>
T result(terrace_operator op, std::uint64_t seed, int ranks, std::size_t i) {
  T all = element<T>(seed, 0, i);
  for (int rank = 1; rank < ranks; ++rank) all = combined(op, all, element<T>(seed, rank, i));
  return all;
}

template <class T>
std::vector<T> input_of(std::uint64_t seed, int rank, std::size_t count) {
  std::vector<T> input(count);
  for (std::size_t i = 0; i < count; ++i) input[i] = element<T>(seed, rank, i);
  return input;
}

/// "" if `found` is `expected(i)` everywhere.
template <class T>
std::string compare(const std::string& what, int rank, const std::vector<T>& found,
                    const std::function<T(std::size_t)>& expected) {
  for (std::size_t i = 0; i < found.size(); ++i)
    if (found[i] != expected(i))
      return what + ", rank " + std::to_string(rank) + ": element " + std::to_string(i) + " of " +
             std::to_string(found.size()) + " is wrong";
  return "";
}

inline std::string failure(const std::string& what, int rank) {
  return what + ", rank " + std::to_string(rank) + ": " + terrace_last_error();
}

/// One rank's allreduce, checked.
template <class T>
std::string allreduce(const Team& team, int rank, terrace_operator op, std::size_t count,
                      bool in_place, std::uint64_t seed) {
  const std::string what =
      "allreduce of type " + std::to_string(type_number<T>()) + ", operator " + std::to_string(op);
  const std::vector<T> input = input_of<T>(seed, rank, count);
  std::vector<T> output = in_place ? input : std::vector<T>(count, T(99));
  if (terrace_allreduce(in_place ? TERRACE_IN_PLACE : input.data(), output.data(), count,
                        type_number<T>(), op, team.team, rank) != TERRACE_OK)
    return failure(what, rank);
  if (input != input_of<T>(seed, rank, count)) return what + ": the input has changed";
  return compare<T>(what, rank, output,
                    [&](std::size_t i) { return result<T>(op, seed, team.ranks, i); });
}

/// One rank's reduce, checked; ranks but the root must find their outputs untouched.
template <class T>
std::string reduce(const Team& team, int rank, terrace_operator op, std::size_t count, int root,
                   bool in_place, std::uint64_t seed) {
  const std::string what = "reduce of type " + std::to_string(type_number<T>()) + ", operator " +
                           std::to_string(op) + " to rank " + std::to_string(root);
  const bool is_root = rank == root;
  const std::vector<T> input = input_of<T>(seed, rank, count);
  std::vector<T> output = in_place && is_root ? input : std::vector<T>(count, T(99));
  if (terrace_reduce(in_place && is_root ? TERRACE_IN_PLACE : input.data(), output.data(), count,
                     type_number<T>(), op, root, team.team, rank) != TERRACE_OK)
    return failure(what, rank);
  if (input != input_of<T>(seed, rank, count)) return what + ": the input has changed";
  return compare<T>(what, rank, output, [&](std::size_t i) {
    return is_root ? result<T>(op, seed, team.ranks, i) : T(99);
  });
}

/// One rank's bcast, checked.
template <class T>
std::string bcast(const Team& team, int rank, std::size_t count, int root, std::uint64_t seed) {
  const std::string what =
      "bcast of type " + std::to_string(type_number<T>()) + " from rank " + std::to_string(root);
  std::vector<T> buffer =
      rank == root ? input_of<T>(seed, root, count) : std::vector<T>(count, T(99));
  if (terrace_bcast(buffer.data(), count, type_number<T>(), root, team.team, rank) != TERRACE_OK)
    return failure(what, rank);
  return compare<T>(what, rank, buffer, [&](std::size_t i) { return element<T>(seed, root, i); });
}

/// The collectives with blocks, and the scans.
enum class Kind { allgather, gather, scatter, alltoall, reduce_scatter_block, scan, exscan };
inline constexpr Kind kKinds[] = {
    Kind::allgather, Kind::gather, Kind::scatter, Kind::alltoall, Kind::reduce_scatter_block,
    Kind::scan,      Kind::exscan};
inline constexpr const char* kKindNames[] = {
    "allgather", "gather", "scatter", "alltoall", "reduce_scatter_block", "scan", "exscan"};

/// One rank's call of any of them, of blocks of `count` elements, whose result is checked.
/// In each rank's input, element i is `element(seed, rank, i)`, over all its blocks.
template <class T>
class BlockCall {
 public:
  BlockCall(const Team& team, int rank, Kind kind, std::size_t count, int root, bool in_place,
            std::uint64_t seed)
      : team_(team), kind_(kind), rank_(rank), root_(root), count_(count), seed_(seed) {
    const std::size_t ranks = static_cast<std::size_t>(team.ranks);
    const bool one_in = kind == Kind::allgather || kind == Kind::gather || kind >= Kind::scan;
    const bool one_out =
        kind == Kind::scatter || kind == Kind::reduce_scatter_block || kind >= Kind::scan;
    const bool is_rooted = kind == Kind::gather || kind == Kind::scatter;
    in_place_ = in_place && (!is_rooted || rank == root);
    input_ = input_of<T>(seed, rank, one_in ? count : count * ranks);
    output_.assign(one_out ? count : count * ranks, T(99));
    if (in_place_) take_place(one_in, one_out);
  }

  std::string run() {
    const std::string what = kKindNames[static_cast<int>(kind_)];
    const std::vector<T> before = input_;
    if (call(in_place_ && kind_ != Kind::scatter ? TERRACE_IN_PLACE : input_.data(),
             in_place_ && kind_ == Kind::scatter ? const_cast<void*>(TERRACE_IN_PLACE)
                                                 : output_.data()) != TERRACE_OK)
      return failure(what, rank_);
    if (input_ != before) return what + ": the input has changed";
    return compare<T>(what, rank_, output_, [this](std::size_t i) { return expected(i); });
  }

 private:
  std::size_t own() const { return static_cast<std::size_t>(rank_) * count_; }

  /// The input to where the result will be; of several blocks to the beginning, of one to its own.
  void take_place(bool one_in, bool one_out) {
    if (kind_ == Kind::scatter) return output_.clear();
    if (!one_in && output_.size() < input_.size()) output_.resize(input_.size());
    const std::size_t begin = one_in && !one_out ? own() : 0;
    std::copy(input_.begin(), input_.end(), output_.begin() + static_cast<std::ptrdiff_t>(begin));
  }

  terrace_status call(const void* in, void* out) {
    const terrace_type type = type_number<T>();
    switch (kind_) {
      case Kind::allgather:
        return terrace_allgather(in, out, count_, type, team_.team, rank_);
      case Kind::gather:
        return terrace_gather(in, out, count_, type, root_, team_.team, rank_);
      case Kind::scatter:
        return terrace_scatter(in, out, count_, type, root_, team_.team, rank_);
      case Kind::alltoall:
        return terrace_alltoall(in, out, count_, type, team_.team, rank_);
      case Kind::reduce_scatter_block:
        return terrace_reduce_scatter_block(in, out, count_, type, TERRACE_SUM, team_.team, rank_);
      case Kind::scan:
        return terrace_scan(in, out, count_, type, TERRACE_SUM, team_.team, rank_);
      case Kind::exscan:
        return terrace_exscan(in, out, count_, type, TERRACE_SUM, team_.team, rank_);
    }
    return TERRACE_ERR_UNSUPPORTED;
  }

  T sum(int ranks, std::size_t i) const { return result<T>(TERRACE_SUM, seed_, ranks, i); }

  /// What element `i` of the output is; what the call leaves alone stays as it was.
  T expected(std::size_t i) const {
    const int block = count_ == 0 ? 0 : static_cast<int>(i / count_);
    const std::size_t within = count_ == 0 ? 0 : i % count_;
    const T untouched = in_place_ ? element<T>(seed_, rank_, i) : T(99);
    switch (kind_) {
      case Kind::allgather:
        return element<T>(seed_, block, within);
      case Kind::gather:
        return rank_ == root_ ? element<T>(seed_, block, within) : T(99);
      case Kind::scatter:
        return element<T>(seed_, root_, own() + i);
      case Kind::alltoall:
        return element<T>(seed_, block, own() + within);
      case Kind::reduce_scatter_block:
        return block == 0 ? sum(team_.ranks, own() + i) : untouched;
      case Kind::scan:
        return sum(rank_ + 1, i);
      case Kind::exscan:
        return rank_ > 0 ? sum(rank_, i) : untouched;
    }
    return untouched;
  }

  const Team& team_;
  Kind kind_;
  int rank_, root_;
  std::size_t count_;
  std::uint64_t seed_;
  bool in_place_ = false;
  std::vector<T> input_, output_;
};

template <class T>
std::string block_call(const Team& team, int rank, Kind kind, std::size_t count, int root,
                       bool in_place, std::uint64_t seed) {
  return BlockCall<T>(team, rank, kind, count, root, in_place, seed).run();
}

}  // namespace terrace::testing_api
