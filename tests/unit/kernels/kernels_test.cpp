// SPDX-License-Identifier: BSD-3-Clause
// Every kernel of every instruction set against plain loops, bit by bit.
#include "kernels/kernels.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#ifdef __aarch64__
#include <sys/prctl.h>
#endif

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "base/pages.hpp"
#include "kernels/string_copies.hpp"
#include "kernels/testing.hpp"

namespace terrace {
namespace {

constexpr std::array kTypes = {Type::int8,
                               Type::int16,
                               Type::int32,
                               Type::int64,
                               Type::uint8,
                               Type::uint16,
                               Type::uint32,
                               Type::uint64,
                               Type::float32,
                               Type::float64,
                               Type::long_double,
                               Type::complex64,
                               Type::complex128,
                               Type::complex_long_double,
                               Type::int16_int32,
                               Type::int32_int32,
                               Type::int64_int32,
                               Type::float32_int32,
                               Type::float64_int32,
                               Type::long_double_int32,
                               Type::float32_float32,
                               Type::float64_float64};
constexpr std::array kOperators = {
    Operator::sum,         Operator::product,          Operator::minimum,
    Operator::maximum,     Operator::logical_and,      Operator::logical_or,
    Operator::logical_xor, Operator::bitwise_and,      Operator::bitwise_or,
    Operator::bitwise_xor, Operator::minimum_location, Operator::maximum_location};
// All that passes of up to 8 make different, and one, two, and five passes more. An emulator would
// spend half of its time on more passes, which are loops around what fewer have shown.
#ifdef TERRACE_IS_EMULATED
constexpr std::array<std::size_t, 10> kOperandCounts = {1, 2, 3, 4, 5, 6, 7, 8, 9, 17};
constexpr std::array<std::size_t, 2> kOperandCountsOfLong = {2, 9};
#else
constexpr std::array<std::size_t, 11> kOperandCounts = {1, 2, 3, 4, 5, 6, 7, 8, 9, 17, 40};
constexpr std::array<std::size_t, 4> kOperandCountsOfLong = {2, 8, 9, 17};
#endif
constexpr std::size_t kWidestVector = 64;
constexpr std::size_t kGuardBytes = 128;
constexpr std::uint8_t kGuard = 0xA5;

/// A value and its index, as they lie in memory.
template <class V, class I>
struct [[gnu::packed]] Pair {
  V value;
  I index;
};

// The definitions of kernels.hpp, one element at a time.
template <class T>
std::complex<T> reference(Operator by, std::complex<T> a, std::complex<T> b) {
  return by == Operator::sum ? a + b : a * b;
}

template <class V, class I>
Pair<V, I> reference(Operator by, Pair<V, I> a, Pair<V, I> b) {
  if (a.value == b.value) return {a.value, b.index < a.index ? b.index : a.index};
  const bool b_wins = by == Operator::minimum_location ? b.value < a.value : b.value > a.value;
  return b_wins ? b : a;
}

template <class T>
T reference(Operator by, T a, T b) {
  switch (by) {
    case Operator::minimum:
      return b < a ? b : a;
    case Operator::maximum:
      return b > a ? b : a;
    default:
      break;
  }
  if constexpr (std::is_floating_point_v<T>) {
    return by == Operator::sum ? a + b : a * b;
  } else {
    const auto x = static_cast<std::uint64_t>(a);
    const auto y = static_cast<std::uint64_t>(b);
    switch (by) {
      case Operator::sum:
        return static_cast<T>(x + y);
      case Operator::product:
        return static_cast<T>(x * y);
      case Operator::logical_and:
        return static_cast<T>(a != 0 && b != 0);
      case Operator::logical_or:
        return static_cast<T>(a != 0 || b != 0);
      case Operator::logical_xor:
        return static_cast<T>((a != 0) != (b != 0));
      case Operator::bitwise_and:
        return static_cast<T>(x & y);
      case Operator::bitwise_or:
        return static_cast<T>(x | y);
      default:
        return static_cast<T>(x ^ y);
    }
  }
}

template <class T>
std::vector<T> extreme_values() {
  using Limits = std::numeric_limits<T>;
  std::vector<T> values = {T(0), T(1), T(2), T(3), Limits::max(), Limits::lowest(), T(-1), T(-2)};
  if constexpr (std::is_floating_point_v<T>) {
    // The NaN that this processor makes of inf - inf. Only one, because the payload of a sum of two
    // different NaNs is left open.
    volatile T infinity = Limits::infinity();
    const T made = infinity - infinity;
    values.insert(values.end(), {made, Limits::infinity(), -Limits::infinity(), T(-0.0), T(0.1),
                                 Limits::min(), Limits::denorm_min(), Limits::epsilon()});
  }
  return values;
}

// Half of the elements are extremes, the others any.
template <class T>
T random_number(std::mt19937_64& random) {
  static const std::vector<T> extremes = extreme_values<T>();
  const std::uint64_t bits = random();
  if (bits % 2 == 0) return extremes[(bits >> 8) % extremes.size()];
  if constexpr (std::is_floating_point_v<T>)
    return std::ldexp(static_cast<T>(static_cast<std::int64_t>(bits)),
                      static_cast<int>(bits >> 8 & 15) - 70);
  else
    return static_cast<T>(bits >> 32 ^ bits);
}

template <class T>
void make(T& value, std::mt19937_64& random) {
  value = random_number<T>(random);
}
template <class T>
void make(std::complex<T>& value, std::mt19937_64& random) {
  value = {random_number<T>(random), random_number<T>(random)};
}
template <class V, class I>
void make(Pair<V, I>& pair, std::mt19937_64& random) {
  pair = {random_number<V>(random), random_number<I>(random)};
}

// Where a long double of x86 holds nothing, zeros are expected.
template <class T>
void clean(T& value) {
  if constexpr (std::numeric_limits<T>::digits == 64 && sizeof(T) == 16)
    std::memset(reinterpret_cast<std::uint8_t*>(&value) + 10, 0, 6);
}
template <class T>
void clean(std::complex<T>& value) {
  clean(reinterpret_cast<T(&)[2]>(value)[0]);
  clean(reinterpret_cast<T(&)[2]>(value)[1]);
}
template <class V, class I>
void clean(Pair<V, I>& pair) {
  if constexpr (std::is_same_v<V, long double>)
    if (std::numeric_limits<V>::digits == 64)
      std::memset(reinterpret_cast<std::uint8_t*>(&pair) + 10, 0, sizeof(V) - 10);
}

/// Memory at a chosen misalignment, with guard bytes around it.
class Guarded {
 public:
  Guarded(std::size_t bytes, std::size_t misalignment)
      : bytes_(bytes), memory_(bytes + 3 * kGuardBytes, kGuard) {
    const auto address = reinterpret_cast<std::uintptr_t>(memory_.data()) + kGuardBytes;
    first_ = kGuardBytes + (kWidestVector - address % kWidestVector) % kWidestVector + misalignment;
  }

  std::uint8_t* start() { return memory_.data() + first_; }

  bool guards_unchanged() const {
    const auto begin = memory_.begin();
    const auto is_guard = [](std::uint8_t byte) { return byte == kGuard; };
    return std::all_of(begin, begin + static_cast<std::ptrdiff_t>(first_), is_guard) &&
           std::all_of(begin + static_cast<std::ptrdiff_t>(first_ + bytes_), memory_.end(),
                       is_guard);
  }

 private:
  std::size_t bytes_;
  std::vector<std::uint8_t> memory_;
  std::size_t first_;
};

/// Through the caches, past them, and each once among several targets.
constexpr Stores kStores[] = {Stores::cached, Stores::streaming, Stores::cached.streaming_from(1)};
/// The ways in which a kernel goes through long values, all to be the same to the last bit.
constexpr Stores kCopies[] = {Stores::cached.copied_by(CopyBy::pages),
                              Stores::cached.copied_by(CopyBy::pages).prefetching(),
                              Stores::cached};

std::string text_of(Stores stores) {
  const std::string by = stores.by == CopyBy::pages ? ", several pages at once" : "";
  return stores.cached_targets == Stores::cached.cached_targets
             ? by
             : by + ", streaming from target " + std::to_string(stores.cached_targets);
}

/// One call: what it combines, and where its results go.
struct Case {
  std::string set;
  Type type;
  Operator by;
  std::size_t operand_count;
  std::size_t target_count;
  std::size_t element_count;
  int aliased_operand;  // that the last target is, or -1
  Stores stores;

  std::string text() const {
    return set + " " + to_text(type) + " " + to_text(by) + ": " + std::to_string(operand_count) +
           " operands, " + std::to_string(target_count) + " targets, " +
           std::to_string(element_count) + " elements, aliased " + std::to_string(aliased_operand) +
           text_of(stores);
  }
};

template <class T>
std::vector<T> expected_of(const Case& the, const std::vector<std::vector<T>>& operands) {
  std::vector<T> expected = operands[0];
  for (std::size_t j = 1; j < the.operand_count; ++j)
    for (std::size_t i = 0; i < the.element_count; ++i)
      expected[i] = reference(the.by, expected[i], operands[j][i]);
  for (T& value : expected) clean(value);
  return expected;
}

template <class T>
std::vector<T> random_vector(std::size_t count, std::mt19937_64& random) {
  std::vector<T> values(count);
  for (T& value : values) {
    make(value, random);
    clean(value);
  }
  return values;
}

bool same_bytes(const void* a, const void* b, std::size_t bytes) {
  return bytes == 0 || std::memcmp(a, b, bytes) == 0;
}

/// Runs a call on unaligned, guarded memory; false with a message if anything but the targets
/// changed, or a target has other bits than the reference.
template <class T>
bool run(const Case& the, std::mt19937_64& random) {
  const std::size_t bytes = the.element_count * sizeof(T);
  std::vector<std::vector<T>> values;
  std::vector<Guarded> memory;
  std::vector<const void*> operands;
  for (std::size_t j = 0; j < the.operand_count; ++j) {
    values.push_back(random_vector<T>(the.element_count, random));
    memory.emplace_back(bytes, random() % kWidestVector);
  }
  for (std::size_t t = 0; t < the.target_count; ++t)
    memory.emplace_back(bytes, random() % kWidestVector);
  std::vector<void*> targets;
  for (std::size_t j = 0; j < the.operand_count; ++j) {
    if (bytes > 0) std::memcpy(memory[j].start(), values[j].data(), bytes);
    operands.push_back(memory[j].start());
  }
  for (std::size_t t = 0; t < the.target_count; ++t)
    targets.push_back(memory[the.operand_count + t].start());
  const auto aliased = static_cast<std::size_t>(the.aliased_operand);
  if (the.aliased_operand >= 0) targets.back() = memory[aliased].start();

  find_reduction_for(the.set, the.type, the.by)(operands.data(), the.operand_count, targets.data(),
                                                the.target_count, the.element_count, the.stores);

  const std::vector<T> expected = expected_of(the, values);
  bool good = true;
  for (void* target : targets) good = good && same_bytes(target, expected.data(), bytes);
  for (std::size_t j = 0; j < the.operand_count; ++j)
    if (the.aliased_operand < 0 || j != aliased)
      good = good && same_bytes(operands[j], values[j].data(), bytes);
  for (const Guarded& one : memory) good = good && one.guards_unchanged();
  if (!good) ADD_FAILURE() << the.text();
  return good;
}

bool run(const Case& the, std::mt19937_64& random) {
  switch (the.type) {
    case Type::int8:
      return run<std::int8_t>(the, random);
    case Type::int16:
      return run<std::int16_t>(the, random);
    case Type::int32:
      return run<std::int32_t>(the, random);
    case Type::int64:
      return run<std::int64_t>(the, random);
    case Type::uint8:
      return run<std::uint8_t>(the, random);
    case Type::uint16:
      return run<std::uint16_t>(the, random);
    case Type::uint32:
      return run<std::uint32_t>(the, random);
    case Type::uint64:
      return run<std::uint64_t>(the, random);
    case Type::float32:
      return run<float>(the, random);
    case Type::float64:
      return run<double>(the, random);
    case Type::long_double:
      return run<long double>(the, random);
    case Type::complex64:
      return run<std::complex<float>>(the, random);
    case Type::complex128:
      return run<std::complex<double>>(the, random);
    case Type::complex_long_double:
      return run<std::complex<long double>>(the, random);
    case Type::int16_int32:
      return run<Pair<std::int16_t, std::int32_t>>(the, random);
    case Type::int32_int32:
      return run<Pair<std::int32_t, std::int32_t>>(the, random);
    case Type::int64_int32:
      return run<Pair<std::int64_t, std::int32_t>>(the, random);
    case Type::float32_int32:
      return run<Pair<float, std::int32_t>>(the, random);
    case Type::float64_int32:
      return run<Pair<double, std::int32_t>>(the, random);
    case Type::long_double_int32:
      return run<Pair<long double, std::int32_t>>(the, random);
    case Type::float32_float32:
      return run<Pair<float, float>>(the, random);
    case Type::float64_float64:
      return run<Pair<double, double>>(the, random);
  }
  return false;
}

/// One test per instruction set of this machine and type.
class Kernels : public testing::TestWithParam<std::tuple<std::string, Type>> {
 protected:
  std::string set() const { return std::get<0>(GetParam()); }
  Type type() const { return std::get<1>(GetParam()); }
  std::vector<Operator> operators() const {
    std::vector<Operator> meaningful;
    for (Operator by : kOperators)
      if (find_reduction_for(set(), type(), by) != nullptr) meaningful.push_back(by);
    return meaningful;
  }
  std::mt19937_64 random_{20261120};
};

// Goal: body, narrow vectors and single elements agree. Method: every length from none to three of
// the widest vectors and one, where bodies of all instruction sets have begun and ended.
TEST_P(Kernels, equal_the_reference_at_every_short_length) {
  const std::size_t longest = 3 * kWidestVector / size_of(type()) + 1;
  for (Operator by : operators())
    for (std::size_t count = 0; count <= longest; ++count)
      for (std::size_t operand_count : kOperandCounts)
        if (!run({set(), type(), by, operand_count, 1, count, -1, Stores::cached}, random_)) return;
}

TEST_P(Kernels, equal_the_reference_for_every_number_of_operands_and_targets) {
  const std::size_t vector = kWidestVector / size_of(type());
  for (Operator by : operators())
    for (std::size_t operand_count : kOperandCounts)
      for (std::size_t target_count : {1, 2, 3})
        for (std::size_t count : {std::size_t{1}, vector - 1, vector + 1, 9 * vector + 3})
          for (Stores stores : kStores)
            if (!run({set(), type(), by, operand_count, target_count, count, -1, stores}, random_))
              return;
}

TEST_P(Kernels, may_write_to_any_of_their_operands) {
  const std::size_t vector = kWidestVector / size_of(type());
  for (Operator by : operators())
    for (std::size_t operand_count : kOperandCounts)
      for (std::size_t target_count : {1, 2})
        for (int aliased = 0; aliased < static_cast<int>(operand_count); ++aliased) {
          const std::size_t count = aliased % 2 == 0 ? 5 * vector - 1 : 3;
          const Stores stores = aliased % 3 == 0 ? Stores::streaming : Stores::cached;
          if (!run({set(), type(), by, operand_count, target_count, count, aliased, stores},
                   random_))
            return;
        }
}

// Longer than several blocks, so that passes, blocks and cuts for streaming all meet.
TEST_P(Kernels, equal_the_reference_for_long_vectors) {
  const std::size_t count = 9000 / size_of(type()) + 1;
  for (Operator by : operators())
    for (std::size_t operand_count : kOperandCountsOfLong)
      for (std::size_t target_count : {1, 2})
        for (Stores stores : kStores) {
          const int aliased = static_cast<int>(operand_count) - 1;
          if (!run({set(), type(), by, operand_count, target_count, count, -1, stores}, random_) ||
              !run({set(), type(), by, operand_count, target_count, count, aliased, stores},
                   random_))
            return;
        }
}

// Goal: several pages at once, and what is left before and after them, give the same bits as one
// line after the other. Method: some lengths from one group of pages to three, of operands and
// targets at any distance from a line's begin.
TEST_P(Kernels, equal_the_reference_for_vectors_of_several_pages) {
  constexpr std::size_t kGroup = 4 * 4096;
  for (Operator by : operators())
    for (const std::size_t bytes :
         {kGroup, 2 * kGroup - 100, 3 * kGroup + 100, kGroup + 3 * 4096 + 500})
      for (int aliased = -1; aliased < 2; ++aliased)
        for (Stores stores : kCopies) {
          const std::size_t count = (bytes + random_() % 100) / size_of(type());
          if (!run({set(), type(), by, 2, 1, count, aliased, stores}, random_)) return;
        }
}

std::string name_of(const testing::TestParamInfo<std::tuple<std::string, Type>>& parameters) {
  return std::get<0>(parameters.param) + "_" + to_text(std::get<1>(parameters.param));
}

// Where all processors that the compiler targets have vectors, the baseline is the next set's name.
std::vector<std::string> different_sets() {
  std::vector<std::string> sets = available_instruction_sets();
  const auto sum_of = [](const std::string& set) {
    return find_reduction_for(set, Type::float64, Operator::sum);
  };
  if (sets.size() > 1 && sum_of(sets[0]) == sum_of(sets[1])) sets.erase(sets.begin());
  return sets;
}

INSTANTIATE_TEST_SUITE_P(EachSet, Kernels,
                         testing::Combine(testing::ValuesIn(different_sets()),
                                          testing::ValuesIn(kTypes)),
                         name_of);

bool is_pair(Type type) {
  return type >= Type::int16_int32;
}

TEST(KernelTable, has_a_kernel_exactly_where_mpi_gives_the_pair_a_meaning) {
  for (const std::string& set : available_instruction_sets())
    for (Type type : kTypes)
      for (Operator by : kOperators) {
        const bool is_wanted = by >= Operator::minimum_location ? is_pair(type)
                               : by >= Operator::logical_and    ? type <= Type::uint64
                               : by >= Operator::minimum        ? type <= Type::long_double
                                                                : !is_pair(type);
        EXPECT_EQ(find_reduction_for(set, type, by) != nullptr, is_wanted)
            << set << " " << to_text(type) << " " << to_text(by);
      }
}

#ifdef __aarch64__
TEST(KernelTable, chooses_SVE_where_its_vectors_are_longer_than_NEONs) {
  const int answer = prctl(PR_SVE_GET_VL);  // negative where there is no SVE
  std::vector<std::string> sets = {"baseline", "NEON"};
  if (answer > 0) sets.push_back("SVE");
  EXPECT_EQ(available_instruction_sets(), sets);
  EXPECT_STREQ(instruction_set(),
               answer > 0 && (answer & PR_SVE_VL_LEN_MASK) > 16 ? "SVE" : "NEON");
}
#endif

TEST(KernelTable, serves_the_instruction_set_it_names) {
  const auto sets = available_instruction_sets();
  ASSERT_NE(std::find(sets.begin(), sets.end(), instruction_set()), sets.end());
  EXPECT_EQ(find_reduction(Type::float64, Operator::sum),
            find_reduction_for(instruction_set(), Type::float64, Operator::sum));
  EXPECT_EQ(find_reduction_for("abacus", Type::float64, Operator::sum), nullptr);
}

/// What TERRACE_ISA=`name` makes of this process, asked in a child that has chosen nothing yet.
void expect_choice(const std::string& name, const std::string& expected) {
  EXPECT_EXIT(
      {
        setenv("TERRACE_ISA", name.c_str(), 1);
        std::exit(expected == instruction_set() ? 0 : 1);
      },
      testing::ExitedWithCode(0), "")
      << name;
}

TEST(KernelTableDeathTest, obeys_TERRACE_ISA_where_it_can) {
#ifdef TERRACE_IS_EMULATED
  GTEST_SKIP() << "the emulator that runs this program does not run those that it starts";
#endif
  testing::FLAGS_gtest_death_test_style = "threadsafe";  // a fresh process
  const auto sets = available_instruction_sets();
  for (const std::string& set : sets) expect_choice(set, set);
  expect_choice("abacus", instruction_set());
  expect_choice("", instruction_set());
}

// Goal: payloads of NaN survive where the definition selects, in every lane position.
template <class T, class Bits>
void expect_selection_keeps_payloads(Type type, const std::string& set) {
  constexpr std::size_t kCount = 3 * kWidestVector / sizeof(T) + 1;
  std::vector<T> first(kCount), second(kCount), result(kCount), expected(kCount);
  for (Operator by : {Operator::minimum, Operator::maximum}) {
    for (std::size_t i = 0; i < kCount; ++i) {
      Bits nan;
      const T made = std::numeric_limits<T>::quiet_NaN();
      std::memcpy(&nan, &made, sizeof nan);
      nan = static_cast<Bits>(nan + i + 1);
      T marked;
      std::memcpy(&marked, &nan, sizeof marked);
      first[i] = i % 3 == 0 ? marked : T(-0.0);
      second[i] = i % 3 == 1 ? -marked : T(0.0);
      expected[i] = reference(by, first[i], second[i]);
    }
    const void* operands[] = {first.data(), second.data()};
    void* target = result.data();
    find_reduction_for(set, type, by)(operands, 2, &target, 1, kCount, Stores::cached);
    EXPECT_EQ(std::memcmp(result.data(), expected.data(), kCount * sizeof(T)), 0)
        << set << " " << to_text(type) << " " << to_text(by);
  }
}

TEST(KernelTable, minimum_and_maximum_keep_the_first_of_nan_and_signed_zeros) {
  for (const std::string& set : available_instruction_sets()) {
    expect_selection_keeps_payloads<float, std::uint32_t>(Type::float32, set);
    expect_selection_keeps_payloads<double, std::uint64_t>(Type::float64, set);
  }
}

// Goal: floats are added from left to right. Method: 1e16 swallows each 1 that is added to it, but
// not their sum.
TEST(KernelTable, adds_from_left_to_right) {
  for (const std::string& set : available_instruction_sets())
    for (std::size_t count : {1, 7, 100, 3000}) {
      const std::vector<double> big(count, 1e16), one(count, 1.0), minus(count, -1e16);
      std::vector<double> result(count);
      const void* operands[] = {big.data(), one.data(), one.data(), one.data(), one.data(),
                                one.data(), one.data(), one.data(), one.data(), minus.data()};
      void* target = result.data();
      find_reduction_for(set, Type::float64, Operator::sum)(operands, 10, &target, 1, count,
                                                            Stores::cached);
      EXPECT_EQ(result, std::vector<double>(count, 0.0)) << set;
    }
}

TEST(Names, round_trip_through_text) {
  for (Type type : kTypes) EXPECT_EQ(type_from_text(to_text(type)), type);
  for (Operator by : kOperators) EXPECT_EQ(operator_from_text(to_text(by)), by);
  EXPECT_EQ(type_from_text("float16"), std::nullopt);
  EXPECT_EQ(operator_from_text("average"), std::nullopt);
}

TEST(Names, give_each_type_its_size) {
  EXPECT_EQ(size_of(Type::int8), sizeof(std::int8_t));
  EXPECT_EQ(size_of(Type::uint16), sizeof(std::uint16_t));
  EXPECT_EQ(size_of(Type::int32), sizeof(std::int32_t));
  EXPECT_EQ(size_of(Type::uint64), sizeof(std::uint64_t));
  EXPECT_EQ(size_of(Type::float32), sizeof(float));
  EXPECT_EQ(size_of(Type::float64), sizeof(double));
  EXPECT_EQ(size_of(Type::long_double), sizeof(long double));
  EXPECT_EQ(size_of(Type::complex64), sizeof(std::complex<float>));
  EXPECT_EQ(size_of(Type::complex128), sizeof(std::complex<double>));
  EXPECT_EQ(size_of(Type::complex_long_double), sizeof(std::complex<long double>));
  EXPECT_EQ(size_of(Type::int16_int32), 6u);
  EXPECT_EQ(size_of(Type::int64_int32), 12u);
  EXPECT_EQ(size_of(Type::float64_int32), 12u);
  EXPECT_EQ(size_of(Type::long_double_int32), sizeof(long double) + 4);
  EXPECT_EQ(size_of(Type::float64_float64), 16u);
}

/// Copies `bytes` to `target_count` targets, the last of which is the source itself if `aliased`.
void check_copy(const std::string& set, std::size_t bytes, std::size_t target_count, bool aliased,
                Stores stores, std::mt19937_64& random) {
  const auto values = random_vector<std::uint8_t>(bytes, random);
  Guarded source(bytes, random() % kWidestVector);
  if (bytes > 0) std::memcpy(source.start(), values.data(), bytes);
  std::vector<Guarded> memory;
  for (std::size_t t = 0; t < target_count; ++t)
    memory.emplace_back(bytes, random() % kWidestVector);
  std::vector<void*> targets;
  for (Guarded& one : memory) targets.push_back(one.start());
  if (aliased) targets.back() = source.start();

  find_copy_for(set)(source.start(), targets.data(), target_count, bytes, stores);

  const std::string text = set + " " + std::to_string(bytes) + " bytes to " +
                           std::to_string(target_count) + " targets" + text_of(stores);
  for (void* target : targets) EXPECT_TRUE(same_bytes(target, values.data(), bytes)) << text;
  EXPECT_TRUE(same_bytes(source.start(), values.data(), bytes)) << text;
  for (const Guarded& one : memory) EXPECT_TRUE(one.guards_unchanged()) << text;
  EXPECT_TRUE(source.guards_unchanged()) << text;
}

TEST(CopyToAll, writes_every_target_and_nothing_else) {
  std::mt19937_64 random(1);
  std::vector<std::size_t> lengths = {4095, 4096, 4097, 20000, 100001};
  for (std::size_t bytes = 0; bytes <= 3 * kWidestVector + 1; ++bytes) lengths.push_back(bytes);
  for (const std::string& set : available_instruction_sets())
    for (std::size_t bytes : lengths)
      for (std::size_t target_count : {1, 2, 3})
        for (bool aliased : {false, true})
          for (Stores stores : kStores)
            check_copy(set, bytes, target_count, aliased, stores, random);
}

/// Memory whose end is followed by a page that may not be touched.
class AtItsEnd {
 public:
  explicit AtItsEnd(std::size_t bytes) : room_(bytes / page_bytes() * page_bytes() + page_bytes()) {
    pages_ = static_cast<std::byte*>(mmap(nullptr, room_ + page_bytes(), PROT_READ | PROT_WRITE,
                                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    EXPECT_NE(pages_, MAP_FAILED);
    EXPECT_EQ(mprotect(pages_ + room_, page_bytes(), PROT_NONE), 0);
  }
  ~AtItsEnd() { munmap(pages_, room_ + page_bytes()); }
  AtItsEnd(const AtItsEnd&) = delete;
  AtItsEnd& operator=(const AtItsEnd&) = delete;

  std::byte* last(std::size_t bytes) const { return pages_ + room_ - bytes; }

 private:
  std::size_t room_;
  std::byte* pages_;
};

// Goal: every length up to some groups of pages, at every distance of both ends from a line's, is
// copied as a whole and no byte further. Method: the last bytes before a page that may not be
// touched, and a guard before them; lengths in steps that meet every remainder of a line.
TEST(CopyToAll, copies_several_pages_at_once_and_nothing_else) {
  constexpr std::size_t kMost = 70'000, kStep = 37, kBefore = 64;
  std::mt19937_64 random(3);
  const AtItsEnd source(2 * kMost), target(2 * kMost);
  for (std::byte *at = source.last(2 * kMost), *end = at + 2 * kMost; at < end; ++at)
    *at = static_cast<std::byte>(random());
  for (const std::string& set : available_instruction_sets())
    for (Stores stores : kCopies)
      for (std::size_t bytes = random() % kStep; bytes <= kMost; bytes += kStep) {
        const std::byte* const from = source.last(bytes + random() % kWidestVector);
        const std::size_t after = (random() % 2) * (random() % kWidestVector);
        std::byte* const to = target.last(bytes + after);
        void* const targets[] = {to};
        std::memset(to - kBefore, kGuard, kBefore + bytes + after);
        find_copy_for(set)(from, targets, 1, bytes, stores);
        ASSERT_TRUE(same_bytes(to, from, bytes)) << set << ", " << bytes << " bytes";
        const auto is_guard = [](std::byte byte) { return byte == std::byte{kGuard}; };
        ASSERT_TRUE(std::all_of(to - kBefore, to, is_guard)) << set << bytes;
        ASSERT_TRUE(std::all_of(to + bytes, to + bytes + after, is_guard)) << set << bytes;
      }
}

TEST(CopyByString, writes_its_target_and_nothing_else) {
  if (!can_copy_by_string()) GTEST_SKIP() << "this processor says that it is not good at it";
  std::mt19937_64 random(2);
  for (const std::size_t bytes : {1u, 63u, 4096u, 16384u, 100001u})
    for (int attempt = 0; attempt < 20; ++attempt) {
      const auto values = random_vector<std::uint8_t>(bytes, random);
      Guarded target(bytes, random() % kWidestVector);
      copy_by_string(values.data(), target.start(), bytes);
      EXPECT_TRUE(same_bytes(target.start(), values.data(), bytes)) << bytes;
      EXPECT_TRUE(target.guards_unchanged()) << bytes;
    }
}

/// A rank in place has its own value where it is to be, and others may be reading it there.
TEST(CopyByString, writes_nothing_where_the_value_is_already) {
  void* const page = mmap(nullptr, page_bytes(), PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(page, MAP_FAILED);
  copy_by_string(page, page, page_bytes());  // or it ends here
  munmap(page, page_bytes());
}

TEST(CopyToAll, is_served_by_the_chosen_set) {
  const std::array<int, 3> from = {1, 2, 3};
  std::array<int, 3> first{}, second{};
  void* targets[] = {first.data(), second.data()};
  copy_to_all(from.data(), targets, 2, sizeof from, Stores::cached);
  EXPECT_EQ(first, from);
  EXPECT_EQ(second, from);
}

}  // namespace
}  // namespace terrace
