// SPDX-License-Identifier: BSD-3-Clause
// Reductions of elements that no instruction set has vectors of: long double, pairs of a value and
// its index, and complex numbers in the portable set. Compiled once.
#include <cfloat>
#include <complex>
#include <cstdint>
#include <cstring>

#include "kernels/kernel_set.hpp"

namespace terrace {
namespace {

/// Bytes that hold something: a long double of x86 has ten of sixteen.
template <class T>
constexpr std::size_t kValueBytes = sizeof(T);
#if LDBL_MANT_DIG == 64
template <>
constexpr std::size_t kValueBytes<long double> = 10;
#endif

template <class T>
T load(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

template <class T>
void store(const T& value, std::byte* to) {
  std::memset(to, 0, sizeof value);
  std::memcpy(to, &value, kValueBytes<T>);
}

template <class T>
struct PlainNumber {
  static constexpr std::size_t kBytes = sizeof(T);
  T value;

  static PlainNumber from(const std::byte* bytes) { return {load<T>(bytes)}; }
  void to(std::byte* bytes) const { store(value, bytes); }
};

template <class T>
struct Complex {
  static constexpr std::size_t kBytes = 2 * sizeof(T);
  std::complex<T> value;

  static Complex from(const std::byte* bytes) {
    return {{load<T>(bytes), load<T>(bytes + sizeof(T))}};
  }
  void to(std::byte* bytes) const {
    store(value.real(), bytes);
    store(value.imag(), bytes + sizeof(T));
  }
};

template <class Value, class Index>
struct Pair {
  static constexpr std::size_t kBytes = sizeof(Value) + sizeof(Index);
  Value value;
  Index index;

  static Pair from(const std::byte* bytes) {
    return {load<Value>(bytes), load<Index>(bytes + sizeof(Value))};
  }
  void to(std::byte* bytes) const {
    store(value, bytes);
    store(index, bytes + sizeof(Value));
  }
};

struct Sum {
  template <class Element>
  static Element apply(const Element& a, const Element& b) {
    return {a.value + b.value};
  }
};

struct Product {
  template <class Element>
  static Element apply(const Element& a, const Element& b) {
    return {a.value * b.value};
  }
};

struct Minimum {
  template <class Element>
  static Element apply(const Element& a, const Element& b) {
    return b.value < a.value ? b : a;
  }
};

struct Maximum {
  template <class Element>
  static Element apply(const Element& a, const Element& b) {
    return b.value > a.value ? b : a;
  }
};

/// `Extreme` decides between values, the index between equal ones.
template <class Extreme>
struct Location {
  template <class Element>
  static Element apply(const Element& a, const Element& b) {
    if (a.value == b.value) return {a.value, b.index < a.index ? b.index : a.index};
    return Extreme::apply(a, b);
  }
};

/// See Reduction. A target may be an operand: an element is read from all before it is written.
template <class Element, class Combine>
void reduce(const void* const* operands, std::size_t operand_count, void* const* targets,
            std::size_t target_count, std::size_t element_count, Stores) noexcept {
  const std::size_t bytes = element_count * Element::kBytes;
  for (std::size_t i = 0; i < bytes; i += Element::kBytes) {
    Element all = Element::from(static_cast<const std::byte*>(operands[0]) + i);
    for (std::size_t j = 1; j < operand_count; ++j)
      all = Combine::apply(all, Element::from(static_cast<const std::byte*>(operands[j]) + i));
    for (std::size_t t = 0; t < target_count; ++t) all.to(static_cast<std::byte*>(targets[t]) + i);
  }
}

template <class Value, class Index>
void add_pair(Type type, KernelSet& kernels) {
  using Element = Pair<Value, Index>;
  kernels.at(type, Operator::minimum_location) = reduce<Element, Location<Minimum>>;
  kernels.at(type, Operator::maximum_location) = reduce<Element, Location<Maximum>>;
}

}  // namespace

void add_plain(KernelSet& kernels) {
  using LongDouble = PlainNumber<long double>;
  kernels.at(Type::long_double, Operator::sum) = reduce<LongDouble, Sum>;
  kernels.at(Type::long_double, Operator::product) = reduce<LongDouble, Product>;
  kernels.at(Type::long_double, Operator::minimum) = reduce<LongDouble, Minimum>;
  kernels.at(Type::long_double, Operator::maximum) = reduce<LongDouble, Maximum>;
  kernels.at(Type::complex64, Operator::product) = reduce<Complex<float>, Product>;
  kernels.at(Type::complex128, Operator::product) = reduce<Complex<double>, Product>;
  kernels.at(Type::complex_long_double, Operator::sum) = reduce<Complex<long double>, Sum>;
  kernels.at(Type::complex_long_double, Operator::product) = reduce<Complex<long double>, Product>;
  add_pair<std::int16_t, std::int32_t>(Type::int16_int32, kernels);
  add_pair<std::int32_t, std::int32_t>(Type::int32_int32, kernels);
  add_pair<std::int64_t, std::int32_t>(Type::int64_int32, kernels);
  add_pair<float, std::int32_t>(Type::float32_int32, kernels);
  add_pair<double, std::int32_t>(Type::float64_int32, kernels);
  add_pair<long double, std::int32_t>(Type::long_double_int32, kernels);
  add_pair<float, float>(Type::float32_float32, kernels);
  add_pair<double, double>(Type::float64_float64, kernels);
}

}  // namespace terrace
