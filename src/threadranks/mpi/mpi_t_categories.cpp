// SPDX-License-Identifier: BSD-3-Clause
// The categories of MPI_T: one holds all control variables, one all performance variables. They
// never change.
#include <algorithm>
#include <array>
#include <cstring>

#include "engine/performance_variables.hpp"
#include "threadranks/mpi/mpi_t.hpp"

namespace terrace::threadranks::mpi {
namespace {

struct Category {
  const char* name;
  const char* description;
  int (*control_variables)();
  int (*performance_variables)();
};

int none() {
  return 0;
}

constexpr std::array kCategories = {
    Category{"terrace_settings", "Terrace's settings, as they are in force", control_variable_count,
             none},
    Category{"terrace_counts", "what this rank's collectives have done", none,
             performance_variable_count},
};

/// The category, for a function that `use`s it.
template <class Use>
int with_category(int index, Use&& use) {
  if (const int error = readiness_of_tools()) return error;
  if (index < 0 || index >= static_cast<int>(kCategories.size())) return MPI_T_ERR_INVALID_INDEX;
  return use(kCategories[static_cast<std::size_t>(index)]);
}

/// The variables of a category are all of their kind; as many of them as there is room for.
int put_indices(int count, int room, int* indices) {
  if (room > 0 && indices == nullptr) return MPI_T_ERR_INVALID;
  for (int i = 0; i < std::min(count, room); ++i) indices[i] = i;
  return MPI_SUCCESS;
}

}  // namespace
}  // namespace terrace::threadranks::mpi

namespace mpi = terrace::threadranks::mpi;
using mpi::Category;

TERRACE_MPI(int, T_category_get_num, (int* count)) {
  const mpi::RankCall call;
  return mpi::put_count(static_cast<int>(mpi::kCategories.size()), count);
}

TERRACE_MPI(int, T_category_get_info,
            (int index, char* name, int* name_length, char* description, int* description_length,
             int* control_variables, int* performance_variables, int* categories)) {
  const mpi::RankCall call;
  return mpi::with_category(index, [&](const Category& category) {
    terrace::put_string(category.name, name, name_length);
    terrace::put_string(category.description, description, description_length);
    mpi::put_if_wanted(category.control_variables(), control_variables);
    mpi::put_if_wanted(category.performance_variables(), performance_variables);
    mpi::put_if_wanted(0, categories);
    return MPI_SUCCESS;
  });
}

TERRACE_MPI(int, T_category_get_index, (const char* name, int* index)) {
  const mpi::RankCall call;
  if (const int error = mpi::readiness_of_tools()) return error;
  if (name == nullptr || index == nullptr) return MPI_T_ERR_INVALID;
  for (std::size_t i = 0; i < mpi::kCategories.size(); ++i)
    if (std::strcmp(mpi::kCategories[i].name, name) == 0) {
      *index = static_cast<int>(i);
      return MPI_SUCCESS;
    }
  return MPI_T_ERR_INVALID_NAME;
}

TERRACE_MPI(int, T_category_get_cvars, (int index, int room, int* indices)) {
  const mpi::RankCall call;
  return mpi::with_category(index, [&](const Category& category) {
    return mpi::put_indices(category.control_variables(), room, indices);
  });
}
TERRACE_MPI(int, T_category_get_pvars, (int index, int room, int* indices)) {
  const mpi::RankCall call;
  return mpi::with_category(index, [&](const Category& category) {
    return mpi::put_indices(category.performance_variables(), room, indices);
  });
}
TERRACE_MPI(int, T_category_get_categories, (int index, int, int*)) {
  const mpi::RankCall call;
  return mpi::with_category(index, [](const Category&) { return MPI_SUCCESS; });
}
TERRACE_MPI(int, T_category_get_num_events, (int index, int* count)) {
  const mpi::RankCall call;
  return mpi::with_category(index, [&](const Category&) { return mpi::put_count(0, count); });
}
TERRACE_MPI(int, T_category_get_events, (int index, int, int*)) {
  const mpi::RankCall call;
  return mpi::with_category(index, [](const Category&) { return MPI_SUCCESS; });
}

TERRACE_MPI(int, T_category_changed, (int* stamp)) {
  const mpi::RankCall call;
  return mpi::put_count(0, stamp);  // nothing ever changes
}
