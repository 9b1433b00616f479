// SPDX-License-Identifier: BSD-3-Clause
// Control variables and categories of MPI_T.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <climits>
#include <set>
#include <string>

#include "base/pause.hpp"
#include "kernels/kernels.hpp"
#include "unit/threadranks/ranks.hpp"

using terrace::testing_ranks::run_ranks;

namespace {

/// What a tool finds out about a control variable, or a category.
struct Described {
  std::string name, description;
  int verbosity = -1, bound_to = -1, scope = -1;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_T_enum values = MPI_T_ENUM_NULL;
};

Described control_variable(int index) {
  Described found;
  char name[64], description[256];
  int name_length = sizeof name, description_length = sizeof description;
  EXPECT_EQ(
      MPI_T_cvar_get_info(index, name, &name_length, &found.verbosity, &found.type, &found.values,
                          description, &description_length, &found.bound_to, &found.scope),
      MPI_SUCCESS);
  found.name = name;
  found.description = description;
  EXPECT_EQ(name_length, static_cast<int>(found.name.size()) + 1);
  return found;
}

/// The value of a control variable with this name.
template <class Value>
Value value_of(const char* name) {
  int index = -1, count = 0;
  EXPECT_EQ(MPI_T_cvar_get_index(name, &index), MPI_SUCCESS) << name;
  MPI_T_cvar_handle handle = MPI_T_CVAR_HANDLE_NULL;
  EXPECT_EQ(MPI_T_cvar_handle_alloc(index, nullptr, &handle, &count), MPI_SUCCESS);
  Value value{};
  if constexpr (std::is_same_v<Value, std::string>) {
    value.assign(static_cast<std::size_t>(count), '?');
    EXPECT_EQ(MPI_T_cvar_read(handle, value.data()), MPI_SUCCESS);
    value = value.c_str();
  } else {
    EXPECT_EQ(count, 1);
    EXPECT_EQ(MPI_T_cvar_read(handle, &value), MPI_SUCCESS);
  }
  const MPI_T_cvar_handle freed = handle;
  EXPECT_EQ(MPI_T_cvar_write(handle, &value), MPI_T_ERR_CVAR_SET_NEVER);
  EXPECT_EQ(MPI_T_cvar_handle_free(&handle), MPI_SUCCESS);
  EXPECT_EQ(handle, MPI_T_CVAR_HANDLE_NULL);
  EXPECT_EQ(MPI_T_cvar_handle_free(&handle), MPI_T_ERR_INVALID_HANDLE);
  EXPECT_NE(freed, MPI_T_CVAR_HANDLE_NULL);
  return value;
}

}  // namespace

// Goal: a tool finds every setting by its number and by its name, reads what is in force, and
// cannot change it. Method: what the test program has set, or asks the library itself.
TEST(Tools, read_the_settings_in_force) {
  setenv("TERRACE_STALL_SECONDS", "77", 1);
  setenv("TERRACE_TRIALS", "off", 1);
  setenv("TERRACE_TUNING", "off", 1);
  run_ranks(2, [](int) {
    int provided = 0, count = 0;
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    ASSERT_EQ(MPI_T_cvar_get_num(&count), MPI_SUCCESS);
    std::set<std::string> names;
    for (int index = 0; index < count; ++index) {
      const Described variable = control_variable(index);
      names.insert(variable.name);
      EXPECT_THAT(variable.name, testing::StartsWith("terrace_"));
      EXPECT_NE(variable.description, "");
      EXPECT_EQ(variable.scope, MPI_T_SCOPE_CONSTANT);
      EXPECT_EQ(variable.bound_to, MPI_T_BIND_NO_OBJECT);
      EXPECT_EQ(variable.values, MPI_T_ENUM_NULL);
      EXPECT_TRUE(variable.type == MPI_CHAR || variable.type == MPI_INT);
      int found = -1;
      EXPECT_EQ(MPI_T_cvar_get_index(variable.name.c_str(), &found), MPI_SUCCESS);
      EXPECT_EQ(found, index);
    }
    EXPECT_EQ(names.size(), static_cast<std::size_t>(count));
    EXPECT_EQ(value_of<std::string>("terrace_isa"), terrace::instruction_set());
    EXPECT_EQ(value_of<std::string>("terrace_pause"), terrace::to_text(terrace::pause_kind()));
    EXPECT_EQ(value_of<std::string>("terrace_tuning"), "");
    EXPECT_EQ(value_of<int>("terrace_stall_seconds"), 77);
    EXPECT_EQ(value_of<int>("terrace_trials"), 0);
    EXPECT_EQ(value_of<int>("terrace_measure"), 1);
    EXPECT_EQ(value_of<int>("terrace_workers"), terrace::testing_ranks::test_workers());
    MPI_T_cvar_handle handle = MPI_T_CVAR_HANDLE_NULL;
    for (const int wrong : {-1, count}) {
      EXPECT_EQ(MPI_T_cvar_handle_alloc(wrong, nullptr, &handle, &count), MPI_T_ERR_INVALID_INDEX);
      EXPECT_EQ(MPI_T_cvar_get_info(wrong, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                                    nullptr, nullptr, nullptr),
                MPI_T_ERR_INVALID_INDEX);
    }
    EXPECT_EQ(MPI_T_finalize(), MPI_SUCCESS);
  });
  unsetenv("TERRACE_TRIALS");
  unsetenv("TERRACE_STALL_SECONDS");
}

// Goal: a number of seconds that MPI_INT cannot hold is shown as its largest, and where a result is
// to be put is checked.
TEST(Tools, are_given_numbers_that_fit_and_places_that_are_there) {
  setenv("TERRACE_STALL_SECONDS", "3000000000", 1);
  run_ranks(1, [](int) {
    int provided = 0;
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    EXPECT_EQ(value_of<int>("terrace_stall_seconds"), INT_MAX);
    for (const auto ask : {MPI_T_cvar_get_num, MPI_T_pvar_get_num, MPI_T_category_get_num,
                           MPI_T_event_get_num, MPI_T_source_get_num, MPI_T_category_changed})
      EXPECT_EQ(ask(nullptr), MPI_T_ERR_INVALID);
    EXPECT_EQ(MPI_T_category_get_cvars(0, 1, nullptr), MPI_T_ERR_INVALID);
    EXPECT_EQ(MPI_T_category_get_cvars(0, 0, nullptr), MPI_SUCCESS);
    MPI_T_finalize();
  });
  unsetenv("TERRACE_STALL_SECONDS");
}

// Goal: every variable is in one category.
TEST(Tools, find_each_variable_in_one_category) {
  run_ranks(1, [](int) {
    int provided = 0, categories = 0, control = 0, performance = 0;
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    MPI_T_cvar_get_num(&control);
    MPI_T_pvar_get_num(&performance);
    ASSERT_EQ(MPI_T_category_get_num(&categories), MPI_SUCCESS);
    std::multiset<int> control_found, performance_found;
    for (int index = 0; index < categories; ++index) {
      char name[64];
      int length = sizeof name, controls = -1, counts = -1, below = -1, events = -1, found = -1;
      ASSERT_EQ(MPI_T_category_get_info(index, name, &length, nullptr, nullptr, &controls, &counts,
                                        &below),
                MPI_SUCCESS);
      EXPECT_EQ(MPI_T_category_get_index(name, &found), MPI_SUCCESS);
      EXPECT_EQ(found, index);
      EXPECT_EQ(below, 0);
      EXPECT_EQ(MPI_T_category_get_num_events(index, &events), MPI_SUCCESS);
      EXPECT_EQ(events, 0);
      std::vector<int> numbers(static_cast<std::size_t>(controls + counts + 1), -7);
      EXPECT_EQ(MPI_T_category_get_cvars(index, controls, numbers.data()), MPI_SUCCESS);
      control_found.insert(numbers.begin(), numbers.begin() + controls);
      EXPECT_EQ(MPI_T_category_get_pvars(index, counts, numbers.data()), MPI_SUCCESS);
      performance_found.insert(numbers.begin(), numbers.begin() + counts);
      EXPECT_EQ(numbers.back(), -7);
    }
    std::multiset<int> all;
    for (int index = 0; index < control; ++index) all.insert(index);
    EXPECT_EQ(control_found, all);
    for (int index = control; index < performance; ++index) all.insert(index);
    EXPECT_EQ(performance_found, all);
    int room_for_one = -7;
    EXPECT_EQ(MPI_T_category_get_cvars(0, 1, &room_for_one), MPI_SUCCESS);
    EXPECT_EQ(room_for_one, 0);
    EXPECT_EQ(MPI_T_category_get_cvars(categories, 1, &room_for_one), MPI_T_ERR_INVALID_INDEX);
    MPI_T_finalize();
  });
}
