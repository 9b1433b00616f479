// SPDX-License-Identifier: BSD-3-Clause
// Functions of a table are found by name, and the table knows whether any is missing.
#include "abi/mpi_function_table.hpp"

#include <gmock/gmock.h>

#include <string>
#include <utility>

namespace terrace::abi {
namespace {

using testing::IsNull;
using testing::StrEq;

int twice(int number) {
  return 2 * number;
}
int sum(int a, int b) {
  return a + b;
}

struct Table : MpiFunctionTable {
  explicit Table(FindSymbol find) : MpiFunctionTable(std::move(find)) {}

  MpiFunction<int(int)> twice{*this, "twice"};
  MpiFunction<int(int, int)> sum{*this, "sum"};
};

/// The functions above, but for those whose name is in `without`.
MpiFunctionTable::FindSymbol found_without(const std::string& without) {
  return [without](const char* name) -> void* {
    if (without.find(name) != std::string::npos) return nullptr;
    return name == std::string("twice") ? reinterpret_cast<void*>(twice)
                                        : reinterpret_cast<void*>(sum);
  };
}

TEST(MpiFunctionTable, calls_what_it_has_found) {
  const Table table(found_without(""));
  EXPECT_TRUE(table.is_complete());
  EXPECT_THAT(table.missing(), IsNull());
  EXPECT_EQ(table.twice(21), 42);
  EXPECT_EQ(table.sum(20, 22), 42);
}

TEST(MpiFunctionTable, is_incomplete_without_one_function) {
  const Table table(found_without("sum"));
  EXPECT_FALSE(table.is_complete());
  EXPECT_THAT(table.missing(), StrEq("sum"));
  EXPECT_FALSE(table.sum);
  EXPECT_EQ(table.twice(21), 42);
}

TEST(MpiFunctionTable, names_the_first_that_is_missing) {
  EXPECT_THAT(Table(found_without("sum twice")).missing(), StrEq("twice"));
}

TEST(MpiFunctionTable, is_copied_with_its_functions) {
  const Table table(found_without("sum"));
  const Table copy = table;
  EXPECT_FALSE(copy.is_complete());
  EXPECT_EQ(copy.twice(21), 42);
}

}  // namespace
}  // namespace terrace::abi
