// SPDX-License-Identifier: BSD-3-Clause
// TERRACE_CHECK: also runs the MPI's collective, on copies, names the first difference, and lets
// the program continue with the MPI's result.
//
//     blocking      copy ─ Terrace's call ─ the MPI's call ─ compare
//     nonblocking   copy ─ start of Terrace's ─ start of the MPI's ─ ... ─ both are over ─ compare
//
// After a blocking call of Terrace's it is known that all ranks make the same call
// (EndpointOptions::confirms_calls), so no rank waits in the MPI for a rank that does not arrive.
// A nonblocking one is over for the program when the MPI's is, too.
// Integers, and floating-point sums without rounding (whole numbers small enough), must agree bit
// by bit; other floating-point sums within twice the error bound of any order, 2 (p - 1) eps
// sum |x|; products likewise, relative to the product. Complex numbers are compared part by part;
// pairs with gaps are not compared, nor are minima and maxima of elements where a rank has a NaN,
// for they depend on the order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/team_endpoint.hpp"
#include "preload/mpi/calls.hpp"
#include "preload/setup/comm_state.hpp"

namespace terrace::preload {

/// A check of one call.
class MpiCheck {
 public:
  MpiCheck(UnderlyingMpi& underlying, CommState& comm_state, Collective collective);
  virtual ~MpiCheck() = default;
  MpiCheck(const MpiCheck&) = delete;
  MpiCheck& operator=(const MpiCheck&) = delete;

  /// Runs Terrace's call, and compares its result.
  template <class Run>
  bool around(Run run) {
    copy_input();
    const bool is_done = run();
    if (is_done) finish_calls();
    if (is_done) compare();
    return is_done;
  }

  // Parts of the same, of which a nonblocking call makes one after the other.

  /// Before Terrace's call, which may overwrite its input.
  virtual void copy_input() = 0;
  /// Begins the MPI's calls, which wait for no rank. All ranks do so at the same place among their
  /// nonblocking calls.
  void begin();
  /// Looks whether calls that have begun are over.
  bool are_calls_over();
  /// Runs the MPI's calls, or waits for them if they have begun.
  void finish_calls();
  /// Compares results. No thread may free the communicator meanwhile, unless this has left it.
  void compare();
  /// The communicator is freed: nothing is counted any more.
  void leave_communicator() { tally_ = nullptr; }

 protected:
  virtual void make_calls() = 0;
  virtual void compare_results() = 0;

  // The MPI's calls. What they refer to lasts as long as this.
  void bcast(void* bytes, std::size_t count, int root);
  void reduction(Collective collective, const void* input, void* output, std::size_t count,
                 Handle type, Handle op, int root);
  void exchange(const ByteBlocks& input, const ByteBlocks& output, int root);

  /// Names a difference. `call`: its name as the subject of a sentence.
  void say_difference(const std::string& call, const std::string& where);
  void count_checked();

  UnderlyingMpi& underlying_;
  Collective collective_;
  int ranks_, rank_;

 private:
  Handle* next_request() { return is_begun_ ? &requests_.emplace_back() : nullptr; }
  void note_call(bool is_made);

  Handle communicator_;
  CallTally* tally_;           ///< null: the communicator is freed
  MpiWaitEnvironment* peers_;  ///< null: none on this node
  bool is_begun_ = false, has_failed_ = false;
  std::vector<Handle> requests_;  ///< of calls that have begun
};

class BcastCheck final : public MpiCheck {
 public:
  BcastCheck(UnderlyingMpi& underlying, CommState& comm_state, void* bytes, std::size_t count,
             int root);
  void copy_input() override;

 private:
  void make_calls() override;
  void compare_results() override;

  std::byte* bytes_;
  int root_;
  std::vector<std::byte> expected_;
};

/// Vectors of a reduction that is checked.
struct ReducedVectors {
  const void* input = nullptr;
  std::size_t blocks = 1;        ///< of the input
  std::byte* output = nullptr;   ///< null: this rank has no result
  std::size_t first = 0;         ///< element of the MPI's result that is the output's first
  std::size_t count = SIZE_MAX;  ///< of the output's elements; the default: all
};

class ReductionCheck final : public MpiCheck {
 public:
  ReductionCheck(UnderlyingMpi& underlying, CommState& comm_state, Collective collective,
                 const MpiCall& call, const Elements& elements, const ReducedVectors& vectors);
  void copy_input() override;

 private:
  /// Numbers by which the rounding of a sum is bounded.
  struct Magnitudes {
    std::vector<std::byte> own, sums;  ///< |x| of the input, and their sums
    int has_fractions = 0;             ///< of this rank's input
    int ranks_with_fractions = 0;
  };

  void make_calls() override;
  void compare_results() override;
  bool is_nan(const std::byte* element) const;
  void find_nans();
  template <class Real>
  void find_magnitudes();
  template <class Real>
  void find_limits();
  bool is_compared(std::size_t element) const { return nans_.empty() || nans_[element] == 0; }
  template <class Real>
  std::size_t first_difference_of_numbers();
  bool are_alike(const std::byte* ours, const std::byte* theirs) const;
  std::size_t first_difference();
  std::size_t number_bytes() const;

  MpiCall call_;
  Elements elements_;
  ReducedVectors vectors_;
  bool is_floating_ = false;
  bool is_complex_ = false;
  Operator op_ = Operator::sum;
  std::size_t value_bytes_ = 0;  ///< of the floating-point number that a minimum is one of
  std::vector<std::byte> given_, expected_;
  std::vector<double> limits_;  ///< per number
  std::vector<int> own_nans_;   ///< of this rank's input, per element
  std::vector<int> nans_;       ///< of how many ranks, per element; empty: not asked
  Magnitudes magnitudes_;
};

/// Checks calls that move blocks; they must agree byte by byte.
class ExchangeCheck final : public MpiCheck {
 public:
  ExchangeCheck(UnderlyingMpi& underlying, CommState& comm_state, Collective collective, int root,
                std::vector<Block> given, std::vector<Block> outputs);
  void copy_input() override;

 private:
  void make_calls() override;
  void compare_results() override;

  int root_;
  std::vector<Block> given_, outputs_;
  std::vector<std::byte> input_, expected_;
  ByteBlocks input_row_, expected_row_;
};

}  // namespace terrace::preload
