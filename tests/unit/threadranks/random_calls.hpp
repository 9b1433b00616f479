// SPDX-License-Identifier: BSD-3-Clause
// What random one-sided calls are made of: elements with a model of what operators do to them, and
// patterns of elements in memory with the datatypes that describe them. Any MPI's mpi.h will do.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <type_traits>
#include <vector>

namespace terrace::random_programs {

using Random = std::mt19937_64;

inline int below(Random& random, int end) {
  return static_cast<int>(random() % static_cast<unsigned>(end));
}

enum class Operator { sum, prod, min, max, band, bor, bxor, land, lor, lxor, replace, no_op };

inline MPI_Op mpi_op(Operator how) {
  switch (how) {
    case Operator::sum:
      return MPI_SUM;
    case Operator::prod:
      return MPI_PROD;
    case Operator::min:
      return MPI_MIN;
    case Operator::max:
      return MPI_MAX;
    case Operator::band:
      return MPI_BAND;
    case Operator::bor:
      return MPI_BOR;
    case Operator::bxor:
      return MPI_BXOR;
    case Operator::land:
      return MPI_LAND;
    case Operator::lor:
      return MPI_LOR;
    case Operator::lxor:
      return MPI_LXOR;
    case Operator::replace:
      return MPI_REPLACE;
    case Operator::no_op:
      return MPI_NO_OP;
  }
  return MPI_OP_NULL;
}

/// A value of any type, as its bits; those beyond the type's are 0.
using Bits = std::uint64_t;

template <class T>
T value_of(Bits bits) {
  T value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
template <class T>
Bits bits_of(T value) {
  Bits bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  return bits;
}

template <class T>
Bits combined_integers(Operator how, T kept, T given) {
  const auto a = static_cast<std::uint64_t>(kept), b = static_cast<std::uint64_t>(given);
  switch (how) {
    case Operator::sum:
      return bits_of(static_cast<T>(a + b));
    case Operator::prod:
      return bits_of(static_cast<T>(a * b));
    case Operator::band:
      return bits_of(static_cast<T>(a & b));
    case Operator::bor:
      return bits_of(static_cast<T>(a | b));
    case Operator::bxor:
      return bits_of(static_cast<T>(a ^ b));
    case Operator::land:
      return bits_of(static_cast<T>(a != 0 && b != 0));
    case Operator::lor:
      return bits_of(static_cast<T>(a != 0 || b != 0));
    default:
      return bits_of(static_cast<T>((a != 0) != (b != 0)));
  }
}

/// What is in memory once `given` has come to `kept`.
template <class T>
Bits combined(Operator how, Bits kept_bits, Bits given_bits) {
  const T kept = value_of<T>(kept_bits), given = value_of<T>(given_bits);
  if (how == Operator::replace) return given_bits;
  if (how == Operator::no_op) return kept_bits;
  if (how == Operator::min) return bits_of(std::min(kept, given));
  if (how == Operator::max) return bits_of(std::max(kept, given));
  if constexpr (std::is_integral_v<T>)
    return combined_integers(how, kept, given);
  else
    return bits_of(how == Operator::sum ? kept + given : kept * given);
}

/// Any value, if sums of it are defined; otherwise a small one, whose sums are exact.
template <class T>
Bits drawn(Random& random) {
  if constexpr (std::is_unsigned_v<T>)
    return bits_of(static_cast<T>(random()));
  else
    return bits_of(static_cast<T>(below(random, 100)));
}

struct Element {
  MPI_Datatype type;
  std::size_t bytes;
  bool is_float;
  Bits (*combine)(Operator how, Bits kept, Bits given);
  Bits (*draw)(Random& random);
  Bits one;
};

template <class T>
Element element_of(MPI_Datatype type) {
  return {type, sizeof(T), std::is_floating_point_v<T>, combined<T>, drawn<T>, bits_of(T{1})};
}

inline Element draw_element(Random& random) {
  switch (below(random, 9)) {
    case 0:
      return element_of<signed char>(MPI_SIGNED_CHAR);
    case 1:
      return element_of<std::uint8_t>(MPI_UINT8_T);
    case 2:
      return element_of<short>(MPI_SHORT);
    case 3:
      return element_of<int>(MPI_INT);
    case 4:
      return element_of<unsigned>(MPI_UNSIGNED);
    case 5:
      return element_of<std::int64_t>(MPI_INT64_T);
    case 6:
      return element_of<std::uint64_t>(MPI_UINT64_T);
    case 7:
      return element_of<float>(MPI_FLOAT);
    default:
      return element_of<double>(MPI_DOUBLE);
  }
}

/// One of those whose order does not matter.
inline Operator draw_operator(Random& random, const Element& element) {
  return static_cast<Operator>(below(random, element.is_float ? 4 : 10));
}

/// Products stay small: those of signed numbers must not overflow.
inline Bits draw_given(Random& random, const Element& element, Operator how) {
  if (how != Operator::prod) return element.draw(random);
  return below(random, 3) == 0 ? Bits{0} : element.one;
}

inline Bits load(const std::byte* from, const Element& element) {
  Bits bits = 0;
  std::memcpy(&bits, from, element.bytes);
  return bits;
}
inline void store(Bits bits, std::byte* to, const Element& element) {
  std::memcpy(to, &bits, element.bytes);
}

/// Blocks of elements, from an element of a stretch on: which, and in which order.
struct Pattern {
  enum class Form { run, vector, backward, resized, rows, blocks, indexed, byte_blocks, mixed };
  static constexpr int kForms = 9;

  Form form = Form::run;
  int begin = 0;            ///< the element whose address a call gets
  int block = 1;            ///< elements
  int stride = 1;           ///< between blocks, if regular
  std::vector<int> starts;  ///< of blocks, from `begin` on

  int size() const { return block * static_cast<int>(starts.size()); }
  int at(int i) const { return begin + starts[static_cast<std::size_t>(i / block)] + i % block; }
};

/// A divisor of a number, mostly a small one.
inline int draw_divisor(Random& random, int number) {
  for (int tries = 0; tries < 6; ++tries)
    if (const int one = 1 + below(random, std::min(number, 12)); number % one == 0) return one;
  return below(random, 2) != 0 ? 1 : number;
}

/// So many elements within `room` of them.
inline Pattern draw_pattern(Random& random, int size, int room) {
  Pattern made;
  made.form = static_cast<Pattern::Form>(below(random, Pattern::kForms));
  made.block = made.form == Pattern::Form::run ? size : draw_divisor(random, size);
  const int blocks = size / made.block, spare = room - size;
  const bool is_regular = made.form <= Pattern::Form::rows;
  const int gap = blocks > 1 ? below(random, std::min(spare / (blocks - 1), 5) + 1) : 0;
  made.stride = made.block + gap;
  std::vector<int> gaps(static_cast<std::size_t>(blocks));
  for (int i = 0; i < blocks; ++i)
    gaps[static_cast<std::size_t>(i)] = is_regular ? i * gap : below(random, spare + 1);
  std::sort(gaps.begin(), gaps.end());
  for (int i = 0; i < blocks; ++i)
    made.starts.push_back(i * made.block + gaps[static_cast<std::size_t>(i)]);
  // One element is where its address is, since calls of one element take no type.
  if (size == 1) made.starts = {0};
  const int span = made.starts.back() + made.block;
  made.begin = below(random, room - span + 1);
  if (!is_regular) std::shuffle(made.starts.begin(), made.starts.end(), random);
  if (made.form == Pattern::Form::backward) {
    made.begin += made.starts.back();
    for (int& start : made.starts) start = -start;
  }
  return made;
}

/// A pattern as MPI is told it.
struct MadeType {
  MPI_Datatype type;
  int count;
  bool is_derived;
};

inline MPI_Datatype make_blocks(const Pattern& pattern, const Element& element) {
  const int blocks = static_cast<int>(pattern.starts.size());
  std::vector<int> lengths(pattern.starts.size(), pattern.block);
  std::vector<MPI_Aint> bytes;
  for (const int start : pattern.starts)
    bytes.push_back(start * static_cast<MPI_Aint>(element.bytes));
  MPI_Datatype made = MPI_DATATYPE_NULL, whole = MPI_DATATYPE_NULL;
  switch (pattern.form) {
    case Pattern::Form::blocks:
      MPI_Type_create_indexed_block(blocks, pattern.block, pattern.starts.data(), element.type,
                                    &made);
      return made;
    case Pattern::Form::indexed:
      MPI_Type_indexed(blocks, lengths.data(), pattern.starts.data(), element.type, &made);
      return made;
    case Pattern::Form::byte_blocks:
      MPI_Type_create_hindexed(blocks, lengths.data(), bytes.data(), element.type, &made);
      return made;
    default:
      break;
  }
  // A struct whose blocks are elements and arrays of them in turn.
  MPI_Type_contiguous(pattern.block, element.type, &whole);
  std::vector<MPI_Datatype> types;
  for (int i = 0; i < blocks; ++i) {
    types.push_back(i % 2 != 0 ? whole : element.type);
    if (i % 2 != 0) lengths[static_cast<std::size_t>(i)] = 1;
  }
  MPI_Type_create_struct(blocks, lengths.data(), bytes.data(), types.data(), &made);
  MPI_Type_free(&whole);
  return made;
}

inline MadeType make_type(const Pattern& pattern, const Element& element) {
  const int blocks = static_cast<int>(pattern.starts.size());
  const auto stride = pattern.stride * static_cast<MPI_Aint>(element.bytes);
  MadeType made{MPI_DATATYPE_NULL, 1, true};
  switch (pattern.form) {
    case Pattern::Form::run:
      return {element.type, pattern.size(), false};
    case Pattern::Form::vector:
      MPI_Type_vector(blocks, pattern.block, pattern.stride, element.type, &made.type);
      break;
    case Pattern::Form::backward:
      MPI_Type_create_hvector(blocks, pattern.block, -stride, element.type, &made.type);
      break;
    case Pattern::Form::resized: {
      MPI_Datatype whole;
      MPI_Type_contiguous(pattern.block, element.type, &whole);
      MPI_Type_create_resized(whole, 0, stride, &made.type);
      MPI_Type_free(&whole);
      made.count = blocks;
      break;
    }
    case Pattern::Form::rows: {
      const int sizes[] = {blocks, pattern.stride}, part[] = {blocks, pattern.block};
      const int from[] = {0, 0};
      MPI_Type_create_subarray(2, sizes, part, from, MPI_ORDER_C, element.type, &made.type);
      break;
    }
    default:
      made.type = make_blocks(pattern, element);
  }
  MPI_Type_commit(&made.type);
  return made;
}

/// Memory of a call's own, with elements in a pattern and a mark in all that lies between.
struct Memory {
  static constexpr std::byte kMark{0xA5};

  Pattern pattern;
  std::vector<std::byte> bytes;

  Memory() = default;
  Memory(Random& random, const Element& element, int size) {
    const int room = size + below(random, size + 8);
    pattern = draw_pattern(random, size, room);
    bytes.assign(static_cast<std::size_t>(room) * element.bytes, kMark);
  }
  std::byte* at(int i, const Element& element) {
    return bytes.data() + static_cast<std::size_t>(pattern.at(i)) * element.bytes;
  }
  std::byte* begin(const Element& element) {
    return bytes.data() + static_cast<std::size_t>(pattern.begin) * element.bytes;
  }
  void put(const std::vector<Bits>& values, const Element& element) {
    for (std::size_t i = 0; i < values.size(); ++i)
      store(values[i], at(static_cast<int>(i), element), element);
  }
  /// The same memory as if these values had come.
  bool has(const std::vector<Bits>& values, const Element& element) const {
    Memory expected;
    expected.pattern = pattern;
    expected.bytes.assign(bytes.size(), kMark);
    expected.put(values, element);
    return expected.bytes == bytes;
  }
};

}  // namespace terrace::random_programs
