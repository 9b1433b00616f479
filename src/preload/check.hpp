// SPDX-License-Identifier: BSD-3-Clause
// TERRACE_CHECK: the MPI's collective runs as well, on copies; the first difference is named, and
// the program goes on with the MPI's result. Integers, and floating-point sums without rounding
// (whole numbers small enough), must agree bit by bit; other floating-point sums within twice the
// error bound of any order, 2 (p - 1) eps sum |x|; products likewise, relative to the product.
// Complex numbers are compared part by part; pairs with gaps are not compared.
#pragma once

#include <cstddef>
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
  /// Runs the MPI's reduce or allreduce (the collective of `call`), before ours.
  ReductionCheck(MpiBelow& below, Membership& membership, const Call& call,
                 const Elements& elements, const void* input, bool is_rooted);
  void compare(void* output);

 private:
  template <class Real>
  void find_limits(MpiBelow& below, const Call& call, const Real* input);
  template <class Real>
  std::size_t first_difference(const void* output) const;
  std::size_t first_difference(const void* output) const;
  std::size_t number_bytes() const;

  Membership& membership_;
  Elements elements_;
  bool is_rooted_;
  bool is_floating_ = false;
  bool is_complex_ = false;
  Operator op_ = Operator::sum;
  std::vector<std::byte> expected_;
  std::vector<double> limits_;  ///< per number
};

}  // namespace terrace::preload
