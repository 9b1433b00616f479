// SPDX-License-Identifier: BSD-3-Clause
// Logical and bitwise operators, per width and instruction set. Signed integers share the kernels
// of unsigned ones, and all widths share the long loops of the bitwise operators.
#include "kernels/targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/logic.cpp"
#include "hwy/foreach_target.h"
// Highway wants its headers in this order.
#include "kernels/kernel_set.hpp"
#include "kernels/reduce_inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace terrace {
namespace HWY_NAMESPACE {

// Logical operators take any non-zero value as true and yield 0 or 1.
template <class Tag, class V>
HWY_INLINE V truth(Tag tag, V v) {
  return hn::Min(v, hn::Set(tag, 1));
}

struct LogicalAnd {
  template <class Tag, class V>
  static HWY_INLINE V apply(Tag tag, V accumulated, V next) {
    return hn::And(truth(tag, accumulated), truth(tag, next));
  }
};

struct LogicalOr {
  template <class Tag, class V>
  static HWY_INLINE V apply(Tag tag, V accumulated, V next) {
    return truth(tag, hn::Or(accumulated, next));
  }
};

struct LogicalXor {
  template <class Tag, class V>
  static HWY_INLINE V apply(Tag tag, V accumulated, V next) {
    return hn::Xor(truth(tag, accumulated), truth(tag, next));
  }
};

struct BitwiseAnd {
  template <class Tag, class V>
  static HWY_INLINE V apply(Tag, V accumulated, V next) {
    return hn::And(accumulated, next);
  }
};

struct BitwiseOr {
  template <class Tag, class V>
  static HWY_INLINE V apply(Tag, V accumulated, V next) {
    return hn::Or(accumulated, next);
  }
};

struct BitwiseXor {
  template <class Tag, class V>
  static HWY_INLINE V apply(Tag, V accumulated, V next) {
    return hn::Xor(accumulated, next);
  }
};

template <class T>
void add_type(Type type, KernelSet& kernels) {
  kernels.at(type, Operator::logical_and) = reduce<LogicalAnd, T>;
  kernels.at(type, Operator::logical_or) = reduce<LogicalOr, T>;
  kernels.at(type, Operator::logical_xor) = reduce<LogicalXor, T>;
  kernels.at(type, Operator::bitwise_and) = reduce<BitwiseAnd, T, std::uint8_t>;
  kernels.at(type, Operator::bitwise_or) = reduce<BitwiseOr, T, std::uint8_t>;
  kernels.at(type, Operator::bitwise_xor) = reduce<BitwiseXor, T, std::uint8_t>;
}

void add_these_logic(KernelSet& kernels) {
  add_type<std::uint8_t>(Type::int8, kernels);
  add_type<std::uint16_t>(Type::int16, kernels);
  add_type<std::uint32_t>(Type::int32, kernels);
  add_type<std::uint64_t>(Type::int64, kernels);
  add_type<std::uint8_t>(Type::uint8, kernels);
  add_type<std::uint16_t>(Type::uint16, kernels);
  add_type<std::uint32_t>(Type::uint32, kernels);
  add_type<std::uint64_t>(Type::uint64, kernels);
}

}  // namespace HWY_NAMESPACE
}  // namespace terrace
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace terrace {

bool add_logic(InstructionSet set, KernelSet& kernels) {
  constexpr void (*kAdd[kInstructionSets])(KernelSet&) = TERRACE_FOR_EACH_SET(add_these_logic);
  const auto add = kAdd[static_cast<std::size_t>(set)];
  if (add != nullptr) add(kernels);
  return add != nullptr;
}

}  // namespace terrace
#endif
