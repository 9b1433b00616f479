// SPDX-License-Identifier: BSD-3-Clause
// Goal: the table of predefined types is right, and preload and thread ranks pair types and
// operators as the standard and this list say.
#include "mpi_calls/predefined_types_and_operators.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "preload/mpi/underlying_mpi.hpp"
#include "threadranks/types/operators.hpp"

namespace terrace {
namespace {

using Names = std::set<std::string>;

const Names kCIntegers = {"MPI_SIGNED_CHAR",
                          "MPI_SHORT",
                          "MPI_INT",
                          "MPI_LONG",
                          "MPI_LONG_LONG_INT",
                          "MPI_UNSIGNED_CHAR",
                          "MPI_UNSIGNED_SHORT",
                          "MPI_UNSIGNED",
                          "MPI_UNSIGNED_LONG",
                          "MPI_UNSIGNED_LONG_LONG",
                          "MPI_INT8_T",
                          "MPI_INT16_T",
                          "MPI_INT32_T",
                          "MPI_INT64_T",
                          "MPI_UINT8_T",
                          "MPI_UINT16_T",
                          "MPI_UINT32_T",
                          "MPI_UINT64_T"};
/// Fortran's, and those of all languages.
const Names kOtherIntegers = {"MPI_INTEGER",  "MPI_INTEGER1", "MPI_INTEGER2", "MPI_INTEGER4",
                              "MPI_INTEGER8", "MPI_AINT",     "MPI_OFFSET",   "MPI_COUNT"};
const Names kFloatings = {"MPI_FLOAT", "MPI_DOUBLE",           "MPI_LONG_DOUBLE",
                          "MPI_REAL",  "MPI_DOUBLE_PRECISION", "MPI_REAL4",
                          "MPI_REAL8"};
const Names kLogicals = {"MPI_LOGICAL",  "MPI_C_BOOL",   "MPI_CXX_BOOL", "MPI_LOGICAL1",
                         "MPI_LOGICAL2", "MPI_LOGICAL4", "MPI_LOGICAL8"};
const Names kComplexes = {"MPI_COMPLEX",
                          "MPI_C_FLOAT_COMPLEX",
                          "MPI_C_DOUBLE_COMPLEX",
                          "MPI_C_LONG_DOUBLE_COMPLEX",
                          "MPI_CXX_FLOAT_COMPLEX",
                          "MPI_CXX_DOUBLE_COMPLEX",
                          "MPI_CXX_LONG_DOUBLE_COMPLEX",
                          "MPI_DOUBLE_COMPLEX",
                          "MPI_COMPLEX8",
                          "MPI_COMPLEX16"};
const Names kPairs = {"MPI_FLOAT_INT", "MPI_DOUBLE_INT",        "MPI_LONG_INT",
                      "MPI_2INT",      "MPI_SHORT_INT",         "MPI_LONG_DOUBLE_INT",
                      "MPI_2REAL",     "MPI_2DOUBLE_PRECISION", "MPI_2INTEGER"};

/// As the standard has it (MPI 5.0, section 6.9.2 and 6.9.4).
bool standard_pairs(const std::string& type, Operator op) {
  switch (op) {
    case Operator::minimum:
    case Operator::maximum:
      return kCIntegers.count(type) || kOtherIntegers.count(type) || kFloatings.count(type);
    case Operator::sum:
    case Operator::product:
      return kCIntegers.count(type) || kOtherIntegers.count(type) || kFloatings.count(type) ||
             kComplexes.count(type);
    case Operator::logical_and:
    case Operator::logical_or:
    case Operator::logical_xor:
      return kCIntegers.count(type) || kLogicals.count(type);
    case Operator::bitwise_and:
    case Operator::bitwise_or:
    case Operator::bitwise_xor:
      return kCIntegers.count(type) || kOtherIntegers.count(type) || type == "MPI_BYTE";
    case Operator::minimum_location:
    case Operator::maximum_location:
      return kPairs.count(type) != 0;
  }
  return false;
}

/// Where thread ranks go beyond it, as MPICH does, and the preload falls back to the MPI.
bool thread_ranks_pair_besides(const std::string& type, Operator op) {
  if (type == "MPI_CHAR") return standard_pairs("MPI_SIGNED_CHAR", op);
  if (type == "MPI_PACKED") return standard_pairs("MPI_BYTE", op);
  return kOtherIntegers.count(type) != 0 && is_logical(op);
}

/// In the ABI of MPI 5.0; null: it has other names than those of the preload.
const threadranks::Datatype* type_of_thread_ranks(const std::string& name) {
  for (std::uintptr_t handle = 0x200; handle <= 0x2ff; ++handle)
    if (const threadranks::Datatype* const type = threadranks::predefined_type(handle))
      if (type->predefined()->name == name) return type;
  return nullptr;
}

preload::PredefinedType type_of_preload(const NamedType& type) {
  return {1, type.bytes, type.extent(), type.kind};
}

TEST(PredefinedTypes, the_preload_combines_by_kernels_what_the_standard_pairs) {
  for (const NamedType& type : named_types())
    for (const NamedOperator& by : named_operators())
      EXPECT_EQ(preload::kernel_for(type_of_preload(type), by.op) != nullptr,
                standard_pairs(type.name, by.op))
          << by.name << " of " << type.name;
}

TEST(PredefinedTypes, thread_ranks_combine_by_the_same_kernels_and_what_is_listed_besides) {
  for (const NamedType& type : named_types()) {
    const threadranks::Datatype* const its = type_of_thread_ranks(type.name);
    ASSERT_NE(its, nullptr) << type.name;
    for (const NamedOperator& by : named_operators()) {
      const Reduction kernel = threadranks::kernel_for(*its, by.op);
      if (thread_ranks_pair_besides(type.name, by.op))
        EXPECT_TRUE(kernel != nullptr && is_beyond_standard(type.kind, by.op))
            << by.name << " of " << type.name;
      else
        EXPECT_EQ(kernel, preload::kernel_for(type_of_preload(type), by.op))
            << by.name << " of " << type.name;
    }
  }
}

TEST(PredefinedTypes, what_has_a_kernel_has_a_combination_and_what_has_none_is_of_others) {
  for (const NamedType& type : named_types())
    for (const NamedOperator& by : named_operators()) {
      if (kernel_for(type.kind, type.bytes, by.op) == nullptr) continue;
      EXPECT_NE(combination_of(type.kind, type.bytes, by.op), Combination::of_others())
          << by.name << " of " << type.name;
    }
  EXPECT_EQ(combination_of(TypeClass::opaque, 4, Operator::sum), Combination::of_others());
}

/// Fortran's compilers have options for it, and MPIs are told.
TEST(PredefinedTypes, integers_and_reals_of_other_lengths_are_combined_by_their_length) {
  EXPECT_EQ(kernel_for(TypeClass::foreign_integer, 8, Operator::sum),
            find_reduction(Type::int64, Operator::sum));
  EXPECT_EQ(kernel_for(TypeClass::floating, 8, Operator::sum),
            find_reduction(Type::float64, Operator::sum));
  EXPECT_EQ(kernel_for(TypeClass::two_integers, 16, Operator::minimum_location), nullptr);
  EXPECT_EQ(kernel_for(TypeClass::floating, 2, Operator::sum), nullptr);
}

template <class Value>
struct Located {
  Value value;
  int index;
};

template <class Value>
void expect_laid_out_as(const char* name) {
  const NamedType& type = *find_named_type(name);
  EXPECT_EQ(type.bytes, sizeof(Value) + sizeof(int)) << name;
  EXPECT_EQ(type.first_bytes(), sizeof(Value)) << name;
  EXPECT_EQ(type.second_at(), offsetof(Located<Value>, index)) << name;
  EXPECT_EQ(type.extent(), sizeof(Located<Value>)) << name;
}

TEST(PredefinedTypes, pairs_lie_as_the_structs_of_c) {
  expect_laid_out_as<short>("MPI_SHORT_INT");
  expect_laid_out_as<int>("MPI_2INT");
  expect_laid_out_as<long>("MPI_LONG_INT");
  expect_laid_out_as<float>("MPI_FLOAT_INT");
  expect_laid_out_as<double>("MPI_DOUBLE_INT");
  expect_laid_out_as<long double>("MPI_LONG_DOUBLE_INT");
}

TEST(PredefinedTypes, a_name_is_there_once) {
  std::map<std::string, int> times;
  for (const NamedType& type : named_types()) ++times[type.name];
  for (const auto& [name, count] : times) EXPECT_EQ(count, 1) << name;
  EXPECT_EQ(find_named_type("MPI_NOTHING"), nullptr);
}

}  // namespace
}  // namespace terrace
