// SPDX-License-Identifier: BSD-3-Clause
// Products, per type and instruction set. Signed integers are multiplied as unsigned: the bits are
// the same, and overflow wraps.
#include "kernels/targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/products.cpp"
#include "hwy/foreach_target.h"
// Highway wants its headers in this order.
#include "kernels/kernel_set.hpp"
#include "kernels/reduce_inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace terrace {
namespace HWY_NAMESPACE {

// The lanes of the portable set are scalars, and C++ would promote narrow ones to int.
constexpr bool kScalarLanes = HWY_TARGET == HWY_SCALAR;

// No instruction set multiplies bytes: even and odd bytes are multiplied as 16 bits each.
template <class Tag, class V>
HWY_INLINE V multiply_bytes(Tag tag, V a, V b) {
  const hn::RepartitionToWide<Tag> pairs;
  const auto a16 = hn::BitCast(pairs, a);
  const auto b16 = hn::BitCast(pairs, b);
  const auto even = hn::And(hn::Mul(a16, b16), hn::Set(pairs, 0xFF));
  const auto odd = hn::Mul(hn::ShiftRight<8>(a16), hn::ShiftRight<8>(b16));
  return hn::BitCast(tag, hn::Or(even, hn::ShiftLeft<8>(odd)));
}

struct Product {
  template <class Tag, class V>
  static HWY_INLINE V apply(Tag tag, V accumulated, V next) {
    using T = hn::TFromD<Tag>;
    constexpr bool kOneByte = sizeof(T) == 1 && hn::MaxLanes(Tag()) == 1;
    if constexpr (kOneByte || (kScalarLanes && !hwy::IsFloat<T>()))
      return hn::Set(tag, static_cast<T>(std::uint64_t{hn::GetLane(accumulated)} *
                                         std::uint64_t{hn::GetLane(next)}));
    else if constexpr (sizeof(T) == 1)
      return multiply_bytes(tag, accumulated, next);
    else
      return hn::Mul(accumulated, next);
  }
};

void add_these_products(KernelSet& kernels) {
  kernels.at(Type::int8, Operator::product) = reduce<Product, std::uint8_t>;
  kernels.at(Type::int16, Operator::product) = reduce<Product, std::uint16_t>;
  kernels.at(Type::int32, Operator::product) = reduce<Product, std::uint32_t>;
  kernels.at(Type::int64, Operator::product) = reduce<Product, std::uint64_t>;
  kernels.at(Type::uint8, Operator::product) = reduce<Product, std::uint8_t>;
  kernels.at(Type::uint16, Operator::product) = reduce<Product, std::uint16_t>;
  kernels.at(Type::uint32, Operator::product) = reduce<Product, std::uint32_t>;
  kernels.at(Type::uint64, Operator::product) = reduce<Product, std::uint64_t>;
  kernels.at(Type::float32, Operator::product) = reduce<Product, float>;
  kernels.at(Type::float64, Operator::product) = reduce<Product, double>;
}

}  // namespace HWY_NAMESPACE
}  // namespace terrace
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace terrace {

bool add_products(InstructionSet set, KernelSet& kernels) {
  constexpr void (*kAdd[kInstructionSets])(KernelSet&) = TERRACE_FOR_EACH_SET(add_these_products);
  const auto add = kAdd[static_cast<std::size_t>(set)];
  if (add != nullptr) add(kernels);
  return add != nullptr;
}

}  // namespace terrace
#endif
