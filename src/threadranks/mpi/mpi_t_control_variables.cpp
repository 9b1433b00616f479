// SPDX-License-Identifier: BSD-3-Clause
// The control variables of MPI_T: Terrace's settings, as they are in force for the calling rank.
// They are set before a job starts, by environment variables and the launcher's options, so a write
// is refused. A handle is the address of its variable here, which all ranks share.
#include <algorithm>
#include <array>
#include <climits>
#include <cmath>
#include <cstring>
#include <string>

#include "base/pause.hpp"
#include "engine/machine_watch.hpp"
#include "engine/performance_variables.hpp"
#include "engine/tunings.hpp"
#include "kernels/kernels.hpp"
#include "threadranks/mpi/mpi_t.hpp"

namespace terrace::threadranks::mpi {
namespace {

/// Its value is a text, or else a number.
struct ControlVariable {
  const char* name;
  const char* description;
  std::string (*text)(const RankState&);
  int (*number)(const RankState&);
};

constexpr std::size_t kMostOfText = 1024;  // bytes, the terminating null included

const std::array kControlVariables = {
    ControlVariable{"terrace_isa",
                    "instruction set of the kernels that combine elements (TERRACE_ISA)",
                    [](const RankState&) { return std::string(instruction_set()); }, nullptr},
    ControlVariable{"terrace_pause", "what waits do between looks, on AArch64 (TERRACE_PAUSE)",
                    [](const RankState&) { return std::string(to_text(pause_kind())); }, nullptr},
    ControlVariable{"terrace_tuning",
                    "file by which algorithms are chosen; empty: none (TERRACE_TUNING)",
                    [](const RankState&) {
                      const auto& tuning = tuning_in_force();
                      return tuning ? tuning->path : std::string();
                    },
                    nullptr},
    ControlVariable{"terrace_trials", "1: algorithms are tried in the running job (TERRACE_TRIALS)",
                    nullptr, [](const RankState&) { return int{are_trials_wanted()}; }},
    ControlVariable{"terrace_measure", "1: costs are measured when a team begins (TERRACE_MEASURE)",
                    nullptr, [](const RankState&) { return int{is_measuring_wanted()}; }},
    ControlVariable{"terrace_stall_seconds",
                    "seconds after which a wait is reported; 0: never (TERRACE_STALL_SECONDS)",
                    nullptr,
                    [](const RankState& rank) {
                      const double seconds = rank.waiting().stall_seconds;
                      if (std::isinf(seconds)) return 0;
                      return static_cast<int>(std::min(seconds, double{INT_MAX}));
                    }},
    ControlVariable{"terrace_workers",
                    "threads that run ranks as fibres; 0: each has its own (--fibres)", nullptr,
                    [](const RankState& rank) { return rank.job().settings().workers; }},
};

/// Null: no variable has that number.
const ControlVariable* control_variable_at(int index) {
  const bool is_there = index >= 0 && index < control_variable_count();
  return is_there ? &kControlVariables[static_cast<std::size_t>(index)] : nullptr;
}

MPI_T_cvar_handle control_handle_of(const ControlVariable& variable) {
  return reinterpret_cast<MPI_T_cvar_handle>(const_cast<ControlVariable*>(&variable));
}

/// Null: it is no handle.
const ControlVariable* control_variable_of(MPI_T_cvar_handle handle) {
  for (const ControlVariable& variable : kControlVariables)
    if (control_handle_of(variable) == handle) return &variable;
  return nullptr;
}

/// The variable with that number, for a function that `use`s it.
template <class Use>
int with_control_variable(int index, Use&& use) {
  if (const int error = readiness_of_tools()) return error;
  const ControlVariable* const variable = control_variable_at(index);
  return variable == nullptr ? static_cast<int>(MPI_T_ERR_INVALID_INDEX) : use(*variable);
}

/// Finds the variable by its handle.
template <class Use>
int with_control_handle(MPI_T_cvar_handle handle, Use&& use) {
  if (const int error = readiness_of_tools()) return error;
  const ControlVariable* const variable = control_variable_of(handle);
  return variable == nullptr ? static_cast<int>(MPI_T_ERR_INVALID_HANDLE) : use(*variable);
}

}  // namespace

int control_variable_count() {
  return static_cast<int>(kControlVariables.size());
}

}  // namespace terrace::threadranks::mpi

namespace mpi = terrace::threadranks::mpi;
using mpi::ControlVariable;

TERRACE_MPI(int, T_cvar_get_num, (int* count)) {
  const mpi::RankCall call;
  return mpi::put_count(mpi::control_variable_count(), count);
}

TERRACE_MPI(int, T_cvar_get_info,
            (int index, char* name, int* name_length, int* verbosity, MPI_Datatype* type,
             MPI_T_enum* values, char* description, int* description_length, int* bound_to,
             int* scope)) {
  const mpi::RankCall call;
  return mpi::with_control_variable(index, [&](const ControlVariable& variable) {
    terrace::put_string(variable.name, name, name_length);
    terrace::put_string(variable.description, description, description_length);
    mpi::put_if_wanted(MPI_T_VERBOSITY_USER_BASIC, verbosity);
    if (type != nullptr) *type = variable.text != nullptr ? MPI_CHAR : MPI_INT;
    if (values != nullptr) *values = MPI_T_ENUM_NULL;
    mpi::put_if_wanted(MPI_T_BIND_NO_OBJECT, bound_to);
    mpi::put_if_wanted(MPI_T_SCOPE_CONSTANT, scope);
    return MPI_SUCCESS;
  });
}

TERRACE_MPI(int, T_cvar_get_index, (const char* name, int* index)) {
  const mpi::RankCall call;
  if (const int error = mpi::readiness_of_tools()) return error;
  if (name == nullptr || index == nullptr) return MPI_T_ERR_INVALID;
  for (int i = 0; i < mpi::control_variable_count(); ++i)
    if (std::strcmp(mpi::control_variable_at(i)->name, name) == 0) {
      *index = i;
      return MPI_SUCCESS;
    }
  return MPI_T_ERR_INVALID_NAME;
}

TERRACE_MPI(int, T_cvar_handle_alloc, (int index, void*, MPI_T_cvar_handle* handle, int* count)) {
  const mpi::RankCall call;
  return mpi::with_control_variable(index, [&](const ControlVariable& variable) -> int {
    if (handle == nullptr) return MPI_T_ERR_INVALID;
    *handle = mpi::control_handle_of(variable);
    mpi::put_if_wanted(variable.text != nullptr ? static_cast<int>(mpi::kMostOfText) : 1, count);
    return MPI_SUCCESS;
  });
}

TERRACE_MPI(int, T_cvar_handle_free, (MPI_T_cvar_handle * handle)) {
  const mpi::RankCall call;
  const MPI_T_cvar_handle its = handle != nullptr ? *handle : MPI_T_CVAR_HANDLE_NULL;
  return mpi::with_control_handle(its, [&](const ControlVariable&) {
    *handle = MPI_T_CVAR_HANDLE_NULL;
    return MPI_SUCCESS;
  });
}

TERRACE_MPI(int, T_cvar_read, (MPI_T_cvar_handle handle, void* place)) {
  const mpi::RankCall call;
  return mpi::with_control_handle(handle, [&](const ControlVariable& variable) -> int {
    if (place == nullptr) return MPI_T_ERR_INVALID;
    if (variable.number != nullptr) {
      const int value = variable.number(call.state());
      std::memcpy(place, &value, sizeof value);
    } else {
      int room = static_cast<int>(mpi::kMostOfText);
      terrace::put_string(variable.text(call.state()), static_cast<char*>(place), &room);
    }
    return MPI_SUCCESS;
  });
}

TERRACE_MPI(int, T_cvar_write, (MPI_T_cvar_handle handle, const void*)) {
  const mpi::RankCall call;
  return mpi::with_control_handle(handle,
                                  [](const ControlVariable&) { return MPI_T_ERR_CVAR_SET_NEVER; });
}
