// SPDX-License-Identifier: BSD-3-Clause
// Which operators go with which types, and calls of the program's operators.
#include "threadranks/types/operators.hpp"

#include <cstring>
#include <utility>
#include <vector>

namespace terrace::threadranks {

namespace {

bool is_bitwise(Operator op) {
  return op == Operator::bitwise_and || op == Operator::bitwise_or || op == Operator::bitwise_xor;
}

bool is_logical(Operator op) {
  return op == Operator::logical_and || op == Operator::logical_or || op == Operator::logical_xor;
}

bool goes_with(Operator op, BasicClass kind) {
  switch (kind) {
    case BasicClass::integer:
      return true;
    case BasicClass::logical:
      return is_logical(op);
    case BasicClass::byte:
      return is_bitwise(op);
    case BasicClass::opaque:
      return false;
    default:
      return !is_bitwise(op) && !is_logical(op);  // the kernels know the rest
  }
}

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

Reduction kernel_for(const Datatype& type, Operator op) {
  const Predefined* const predefined = type.predefined();
  if (predefined == nullptr || !predefined->kernel || !goes_with(op, predefined->kind))
    return nullptr;
  return find_reduction(*predefined->kernel, op);
}

Combination combination_of(const Datatype& type, Operator op) {
  return Combination(*type.predefined()->kernel, op);
}

bool is_integer(const Datatype& type) {
  const Predefined* const predefined = type.predefined();
  return predefined != nullptr && predefined->kernel && terrace::is_integer(*predefined->kernel);
}

/// MPI's functions put "in op inout" in place of inout, so the next operand is a copy, and the sum
/// changes places with it.
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
    if (i > 0) op_.apply(op_, of_sum->origin(), of_next->origin(), element_count, type_);
    std::swap(of_sum, of_next);
  }
  const Layout result{of_sum->origin(), element_count, &type_};
  for (std::size_t t = 0; t < target_count; ++t)
    pack(result, static_cast<std::byte*>(targets[t]), bytes);
}

}  // namespace terrace::threadranks
