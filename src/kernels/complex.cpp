// SPDX-License-Identifier: BSD-3-Clause
// Products of complex numbers, per instruction set: real and imaginary part are lanes side by side.
// The portable set has no such neighbours, and keeps the loops of plain.cpp.
#include <complex>

#include "kernels/targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/complex.cpp"
#include "hwy/foreach_target.h"
// Highway wants its headers in this order.
#include "kernels/kernel_set.hpp"
#include "kernels/reduce_inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace terrace {
namespace HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR

void add_these_complex(KernelSet&) {}

#else

// C makes infinities of some products whose parts are NaN by the formula: number by number, rarely.
template <class Tag, class V>
HWY_NOINLINE V multiply_as_c(Tag tag, V a, V b) {
  using T = hn::TFromD<Tag>;
  T x[hn::MaxLanes(Tag())], y[hn::MaxLanes(Tag())];
  store(a, tag, x);
  store(b, tag, y);
  for (std::size_t i = 0; i < hn::Lanes(tag); i += 2) {
    const std::complex<T> product =
        std::complex<T>(x[i], x[i + 1]) * std::complex<T>(y[i], y[i + 1]);
    x[i] = product.real();
    x[i + 1] = product.imag();
  }
  return load(tag, x);
}

struct ComplexProduct {
  static constexpr std::size_t kLeastLanes = 2;

  //  a              re, im, ...      b swapped      im, re, ...
  //  straight       a.re b.re        a.re b.im
  //  crossed        a.im b.im        a.im b.re
  //  product        their difference in even lanes, their sum in odd ones
  template <class Tag, class V>
  static HWY_INLINE V apply(Tag tag, V a, V b) {
    const V straight = hn::Mul(hn::DupEven(a), b);
    const V crossed = hn::Mul(hn::DupOdd(a), hn::Reverse2(tag, b));
    const V product = hn::OddEven(hn::Add(straight, crossed), hn::Sub(straight, crossed));
    if (HWY_LIKELY(hn::AllFalse(tag, hn::IsNaN(product)))) return product;
    return multiply_as_c(tag, a, b);
  }
};

template <class T>
void multiply_complex(const void* const* operands, std::size_t operand_count, void* const* targets,
                      std::size_t target_count, std::size_t element_count, Stores stores) noexcept {
  reduce<ComplexProduct, T>(operands, operand_count, targets, target_count, 2 * element_count,
                            stores);
}

void add_these_complex(KernelSet& kernels) {
  kernels.at(Type::complex64, Operator::product) = multiply_complex<float>;
  kernels.at(Type::complex128, Operator::product) = multiply_complex<double>;
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace terrace
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace terrace {

bool add_complex(InstructionSet set, KernelSet& kernels) {
  constexpr void (*kAdd[kInstructionSets])(KernelSet&) = TERRACE_FOR_EACH_SET(add_these_complex);
  const auto add = kAdd[static_cast<std::size_t>(set)];
  if (add != nullptr) add(kernels);
  return add != nullptr;
}

}  // namespace terrace
#endif
