// SPDX-License-Identifier: BSD-3-Clause
// TERRACE_CHECK: also runs the MPI's collective, on copies, names the first difference, and lets
// the program continue with the MPI's result. The MPI's collective runs after Terrace's, which has
// verified by then that all ranks make the same call (EndpointOptions::confirms_calls), so no rank
// waits in the MPI for a rank that does not arrive. Integers, and floating-point sums without
// rounding (whole numbers small enough), must agree bit by bit; other floating-point sums within
// twice the error bound of any order, 2 (p - 1) eps sum |x|; products likewise, relative to the
// product. Complex numbers are compared part by part; pairs with gaps are not compared, nor are
// minima and maxima of elements where a rank has a NaN, for they depend on the order.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "engine/team_endpoint.hpp"
#include "preload/mpi/calls.hpp"
#include "preload/setup/comm_state.hpp"

namespace terrace::preload {

class BcastCheck {
 public:
  /// Before Terrace's call.
  BcastCheck(UnderlyingMpi& underlying, CommState& comm_state, const void* bytes, std::size_t count,
             int root);
  /// Runs the MPI's bcast.
  void compare(void* bytes);

 private:
  UnderlyingMpi& underlying_;
  CommState& comm_state_;
  int root_;
  std::vector<std::byte> expected_;
};

class ReductionCheck {
 public:
  /// Before Terrace's call. `input` has `blocks` blocks of `elements`. `call` must outlive this.
  ReductionCheck(UnderlyingMpi& underlying, CommState& comm_state, Collective collective,
                 const MpiCall& call, const Elements& elements, const void* input,
                 std::size_t blocks);
  /// Runs the MPI's call. `output` is null if this rank has no result.
  void compare(void* output) { compare(output, 0, elements_.count); }
  /// Compares where only these elements of the MPI's result are this rank's `output`.
  void compare(void* output, std::size_t first, std::size_t count);

 private:
  void run_the_mpis();
  void find_nans();
  bool is_nan(const std::byte* element) const;
  bool is_compared(std::size_t element) const { return nans_.empty() || nans_[element] == 0; }
  template <class Real>
  void find_limits(std::span<const Real> input);
  void narrow_to(std::size_t first, std::size_t count);
  template <class Real>
  std::size_t first_difference(const void* output) const;
  std::size_t first_difference(const void* output) const;
  std::size_t number_bytes() const;

  UnderlyingMpi& underlying_;
  CommState& comm_state_;
  Collective collective_;
  const MpiCall& call_;
  Elements elements_;
  std::vector<std::byte> given_;
  bool is_floating_ = false;
  bool is_complex_ = false;
  Operator op_ = Operator::sum;
  std::vector<std::byte> expected_;
  std::size_t value_bytes_ = 0;  ///< of the floating-point number that a minimum is one of
  std::vector<double> limits_;   ///< per number
  std::vector<int> nans_;        ///< of how many ranks, per element; empty: of none
};

/// Checks calls that move blocks; they must agree byte by byte.
class ExchangeCheck {
 public:
  /// Before Terrace's call.
  ExchangeCheck(UnderlyingMpi& underlying, CommState& comm_state, Collective collective, int root,
                std::vector<Block> given);
  /// Runs the MPI's call, which must give the contents of `outputs`.
  void compare(const std::vector<Block>& outputs);

 private:
  UnderlyingMpi& underlying_;
  CommState& comm_state_;
  Collective collective_;
  int root_;
  std::vector<Block> given_;
  std::vector<std::byte> copy_;  ///< of the input
};

}  // namespace terrace::preload
