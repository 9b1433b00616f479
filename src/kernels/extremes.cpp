// SPDX-License-Identifier: BSD-3-Clause
// Minima and maxima, per type and instruction set; kernels.hpp defines them for floats.
#include "kernels/targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/extremes.cpp"
#include "hwy/foreach_target.h"
// Highway wants its headers in this order.
#include "kernels/kernel_set.hpp"
#include "kernels/reduce_inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace terrace {
namespace HWY_NAMESPACE {

// x86 defines MINPS(x, y) as x < y ? x : y, which is our definition with the arguments swapped.
// Elsewhere a minimum of floats treats NaN and signed zeros in its own way, so we compare.
template <class V>
constexpr bool kCompares = hwy::IsFloat<hn::TFromV<V>>() &&
                           (!HWY_ARCH_X86 || HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128);

struct Minimum {
  template <class Tag, class V>
  static HWY_INLINE V apply(Tag, V accumulated, V next) {
    if constexpr (kCompares<V>)
      return hn::IfThenElse(hn::Lt(next, accumulated), next, accumulated);
    else
      return hn::Min(next, accumulated);
  }
};

struct Maximum {
  template <class Tag, class V>
  static HWY_INLINE V apply(Tag, V accumulated, V next) {
    if constexpr (kCompares<V>)
      return hn::IfThenElse(hn::Gt(next, accumulated), next, accumulated);
    else
      return hn::Max(next, accumulated);
  }
};

void add_these_extremes(KernelSet& kernels) {
  kernels.at(Type::int8, Operator::minimum) = reduce<Minimum, std::int8_t>;
  kernels.at(Type::int16, Operator::minimum) = reduce<Minimum, std::int16_t>;
  kernels.at(Type::int32, Operator::minimum) = reduce<Minimum, std::int32_t>;
  kernels.at(Type::int64, Operator::minimum) = reduce<Minimum, std::int64_t>;
  kernels.at(Type::uint8, Operator::minimum) = reduce<Minimum, std::uint8_t>;
  kernels.at(Type::uint16, Operator::minimum) = reduce<Minimum, std::uint16_t>;
  kernels.at(Type::uint32, Operator::minimum) = reduce<Minimum, std::uint32_t>;
  kernels.at(Type::uint64, Operator::minimum) = reduce<Minimum, std::uint64_t>;
  kernels.at(Type::float32, Operator::minimum) = reduce<Minimum, float>;
  kernels.at(Type::float64, Operator::minimum) = reduce<Minimum, double>;
  kernels.at(Type::int8, Operator::maximum) = reduce<Maximum, std::int8_t>;
  kernels.at(Type::int16, Operator::maximum) = reduce<Maximum, std::int16_t>;
  kernels.at(Type::int32, Operator::maximum) = reduce<Maximum, std::int32_t>;
  kernels.at(Type::int64, Operator::maximum) = reduce<Maximum, std::int64_t>;
  kernels.at(Type::uint8, Operator::maximum) = reduce<Maximum, std::uint8_t>;
  kernels.at(Type::uint16, Operator::maximum) = reduce<Maximum, std::uint16_t>;
  kernels.at(Type::uint32, Operator::maximum) = reduce<Maximum, std::uint32_t>;
  kernels.at(Type::uint64, Operator::maximum) = reduce<Maximum, std::uint64_t>;
  kernels.at(Type::float32, Operator::maximum) = reduce<Maximum, float>;
  kernels.at(Type::float64, Operator::maximum) = reduce<Maximum, double>;
}

}  // namespace HWY_NAMESPACE
}  // namespace terrace
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace terrace {

bool add_extremes(InstructionSet set, KernelSet& kernels) {
  constexpr void (*kAdd[kInstructionSets])(KernelSet&) = TERRACE_FOR_EACH_SET(add_these_extremes);
  const auto add = kAdd[static_cast<std::size_t>(set)];
  if (add != nullptr) add(kernels);
  return add != nullptr;
}

}  // namespace terrace
#endif
