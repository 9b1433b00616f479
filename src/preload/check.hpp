// SPDX-License-Identifier: BSD-3-Clause
// TERRACE_CHECK: the MPI's collective runs as well, on copies; the first difference is named, and
// the program goes on with the MPI's result. Integers, and floating-point sums without rounding
// (whole numbers small enough), must agree bit by bit; other floating-point sums within twice the
// error bound of any order, 2 (p - 1) eps sum |x|; products likewise, relative to the product.
// Complex numbers are compared part by part; pairs with gaps are not compared.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "api/seat.hpp"
#include "preload/calls.hpp"
#include "preload/team.hpp"

namespace terrace::preload {

class BcastCheck {
 public:
  /// Runs the MPI's, before ours.
  BcastCheck(MpiBelow& below, Membership& membership, const void* bytes, std::size_t count,
             int root);
  void compare(void* bytes);

 private:
  Membership& membership_;
  std::vector<std::byte> expected_;
};

class ReductionCheck {
 public:
  /// Runs the MPI's before ours. `input` has `blocks` blocks of `elements`.
  ReductionCheck(MpiBelow& below, Membership& membership, Collective collective, const Call& call,
                 const Elements& elements, const void* input, std::size_t blocks);
  /// Only these elements of the result are this rank's.
  void narrow_to(std::size_t first, std::size_t count);
  void compare(void* output);

 private:
  template <class Real>
  void find_limits(MpiBelow& below, const Call& call, std::span<const Real> input);
  template <class Real>
  std::size_t first_difference(const void* output) const;
  std::size_t first_difference(const void* output) const;
  std::size_t number_bytes() const;

  Membership& membership_;
  Collective collective_;
  Elements elements_;
  bool is_floating_ = false;
  bool is_complex_ = false;
  Operator op_ = Operator::sum;
  std::vector<std::byte> expected_;
  std::vector<double> limits_;  ///< per number
};

/// Of calls that move blocks; they must agree byte by byte.
class ExchangeCheck {
 public:
  /// Runs the MPI's before ours, on copies: what it is given, and as much as it is to give.
  ExchangeCheck(MpiBelow& below, Membership& membership, Collective collective, int root,
                const std::vector<Block>& given, const std::vector<Block>& wanted);
  void compare(const std::vector<Block>& outputs);

 private:
  Membership& membership_;
  Collective collective_;
  std::vector<std::byte> expected_;
};

}  // namespace terrace::preload
