// SPDX-License-Identifier: BSD-3-Clause
// Sums, per type and instruction set. Signed integers are added as unsigned: the bits are the
// same, and overflow wraps.
#include "kernels/targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/sums.cpp"
#include "hwy/foreach_target.h"
// Highway wants its headers in this order.
#include "kernels/kernel_set.hpp"
#include "kernels/reduce_inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace terrace {
namespace HWY_NAMESPACE {

struct Sum {
  template <class Tag, class V>
  static HWY_INLINE V apply(Tag, V accumulated, V next) {
    return hn::Add(accumulated, next);
  }
};

// Complex numbers are added part by part.
template <class T>
void add_parts(const void* const* operands, std::size_t operand_count, void* const* targets,
               std::size_t target_count, std::size_t element_count, Stores stores) noexcept {
  reduce<Sum, T>(operands, operand_count, targets, target_count, 2 * element_count, stores);
}

void add_these_sums(KernelSet& kernels) {
  kernels.at(Type::int8, Operator::sum) = reduce<Sum, std::uint8_t>;
  kernels.at(Type::int16, Operator::sum) = reduce<Sum, std::uint16_t>;
  kernels.at(Type::int32, Operator::sum) = reduce<Sum, std::uint32_t>;
  kernels.at(Type::int64, Operator::sum) = reduce<Sum, std::uint64_t>;
  kernels.at(Type::uint8, Operator::sum) = reduce<Sum, std::uint8_t>;
  kernels.at(Type::uint16, Operator::sum) = reduce<Sum, std::uint16_t>;
  kernels.at(Type::uint32, Operator::sum) = reduce<Sum, std::uint32_t>;
  kernels.at(Type::uint64, Operator::sum) = reduce<Sum, std::uint64_t>;
  kernels.at(Type::float32, Operator::sum) = reduce<Sum, float>;
  kernels.at(Type::float64, Operator::sum) = reduce<Sum, double>;
  kernels.at(Type::complex64, Operator::sum) = add_parts<float>;
  kernels.at(Type::complex128, Operator::sum) = add_parts<double>;
}

}  // namespace HWY_NAMESPACE
}  // namespace terrace
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace terrace {

bool add_sums(InstructionSet set, KernelSet& kernels) {
  constexpr void (*kAdd[kInstructionSets])(KernelSet&) = TERRACE_FOR_EACH_SET(add_these_sums);
  const auto add = kAdd[static_cast<std::size_t>(set)];
  if (add != nullptr) add(kernels);
  return add != nullptr;
}

}  // namespace terrace
#endif
