// SPDX-License-Identifier: BSD-3-Clause
// Calls of user-defined functions.
#include "threadranks/ranks/user_combiner.hpp"

#include <cstdlib>
#include <utility>
#include <vector>

#include "threadranks/ranks/rank_state.hpp"

namespace terrace::threadranks {

namespace {

/// Elements as the type lays them out, far enough from others.
class Place {
 public:
  Place(const Datatype& type, std::size_t count)
      : memory_(static_cast<std::size_t>(std::abs(type.extent())) * count +
                static_cast<std::size_t>(type.true_extent()) + 64) {
    const std::ptrdiff_t last = type.extent() * (static_cast<std::ptrdiff_t>(count) - 1);
    lowest_ = type.true_lower() + (last < 0 ? last : 0);
  }
  void* origin() { return memory_.data() - lowest_; }

 private:
  std::vector<std::byte> memory_;
  std::ptrdiff_t lowest_;
};

}  // namespace

/// MPI's functions store "in op inout" in inout, so the next operand is a copy, and the sum swaps
/// places with it.
void UserCombiner::combine(const void* const* operands, std::size_t operand_count,
                           void* const* targets, std::size_t target_count,
                           std::size_t element_count) noexcept {
  Place sum(type_, element_count), next(type_, element_count);
  const std::size_t bytes = element_count * type_.size();
  Place* of_sum = &sum;
  Place* of_next = &next;
  for (std::size_t i = 0; i < operand_count; ++i) {
    const Layout place{of_next->origin(), element_count, &type_};
    unpack(static_cast<const std::byte*>(operands[i]), place, bytes);
    if (i > 0) apply(of_sum->origin(), of_next->origin(), element_count);
    std::swap(of_sum, of_next);
  }
  const Layout result{of_sum->origin(), element_count, &type_};
  for (std::size_t t = 0; t < target_count; ++t)
    pack(result, static_cast<std::byte*>(targets[t]), bytes);
}

/// Peers wait for a result that a rank whose function throws cannot give.
void UserCombiner::apply(const void* in, void* inout, std::size_t element_count) noexcept {
  try {
    op_.apply(op_, in, inout, element_count, type_);
  } catch (...) {
    rank_of_caller().end_job(1,
                             "an operator of the program has thrown an exception in a collective, "
                             "for whose result other ranks wait");
  }
}

}  // namespace terrace::threadranks
