// SPDX-License-Identifier: BSD-3-Clause
// MPI_T, the tool information interface: performance variables, which count what a rank has done.
// They count from the beginning on and cannot be stopped; a reset or write changes what handles
// show, never the rank's counts. A rank's threads hold its lock, as in the rest of MPI.
#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "engine/performance_variables.hpp"
#include "threadranks/mpi/mpi_t.hpp"

namespace terrace::threadranks::mpi {
namespace {

const std::vector<PerformanceVariable>& variables() {
  static auto* const all = new auto(performance_variables(false));
  return *all;
}

/// Null: no variable has that number.
const PerformanceVariable* variable_at(int index) {
  const bool is_there = index >= 0 && index < static_cast<int>(variables().size());
  return is_there ? &variables()[static_cast<std::size_t>(index)] : nullptr;
}

std::uint64_t value_of(const PerformanceVariable& variable) {
  const RankCounts& counts = rank_of_caller().counts;
  const CallCounts& calls = counts.calls[static_cast<std::size_t>(variable.collective)];
  switch (variable.counts) {
    case PerformanceVariable::Counts::calls_run:
      return calls.run;
    case PerformanceVariable::Counts::bytes_run:
      return calls.bytes;
    case PerformanceVariable::Counts::teams_founded:
      return counts.teams;
    default:
      return 0;  // only with an underlying MPI
  }
}

/// A variable that a tool has bound. Tools know it by its address.
struct BoundVariable {
  const PerformanceVariable* variable;
  std::uint64_t zero;  ///< the count at its last reset

  std::uint64_t value() const { return value_of(*variable) - zero; }
  void set(std::uint64_t value) { zero = value_of(*variable) - value; }
  MPI_T_pvar_handle handle() const {
    return reinterpret_cast<MPI_T_pvar_handle>(const_cast<BoundVariable*>(this));
  }
};

struct ToolSession {
  std::vector<std::unique_ptr<BoundVariable>> bound;

  BoundVariable* find(MPI_T_pvar_handle handle) const {
    for (const auto& one : bound)
      if (one->handle() == handle) return one.get();
    return nullptr;
  }
};

/// The sessions and handles of a rank's tools.
struct RankTools {
  int begun = 0;  ///< times that MPI_T was initialized and not finalized
  std::vector<std::unique_ptr<ToolSession>> sessions;

  ToolSession* find(MPI_T_pvar_session session) const {
    for (const auto& one : sessions)
      if (reinterpret_cast<MPI_T_pvar_session>(one.get()) == session) return one.get();
    return nullptr;
  }
};

RankTools& tools() {
  RankState& rank = rank_of_caller();
  if (!rank.tools) rank.tools = std::make_shared<RankTools>();
  return *static_cast<RankTools*>(rank.tools.get());
}

/// The handle in the session, for a function that `use`s it.
template <class Use>
int with_bound(MPI_T_pvar_session session, MPI_T_pvar_handle handle, Use&& use) {
  if (const int error = readiness_of_tools()) return error;
  const ToolSession* const known = tools().find(session);
  if (known == nullptr) return MPI_T_ERR_INVALID_SESSION;
  BoundVariable* const bound = known->find(handle);
  if (bound == nullptr) return MPI_T_ERR_INVALID_HANDLE;
  return use(*bound);
}

/// Variables count from the beginning on, and none can be started or stopped: for "all handles",
/// that means none.
int start_or_stop(MPI_T_pvar_session session, MPI_T_pvar_handle handle) {
  if (const int error = readiness_of_tools()) return error;
  if (tools().find(session) == nullptr) return MPI_T_ERR_INVALID_SESSION;
  if (handle == MPI_T_PVAR_ALL_HANDLES) return MPI_SUCCESS;
  return with_bound(session, handle, [](BoundVariable&) { return MPI_T_ERR_PVAR_NO_STARTSTOP; });
}

}  // namespace

int readiness_of_tools() {
  return tools().begun > 0 ? MPI_SUCCESS : MPI_T_ERR_NOT_INITIALIZED;
}

int put_count(int count, int* place) {
  if (const int error = readiness_of_tools()) return error;
  if (place == nullptr) return MPI_T_ERR_INVALID;
  *place = count;
  return MPI_SUCCESS;
}

int performance_variable_count() {
  return static_cast<int>(variables().size());
}

}  // namespace terrace::threadranks::mpi

namespace mpi = terrace::threadranks::mpi;
using mpi::BoundVariable;

TERRACE_MPI(int, T_init_thread, (int required, int* provided)) {
  const mpi::RankCall call;
  // A tool does not make a program that has asked for less take locks.
  const bool may_be_several = call.state().call_lock().is_needed();
  *provided = std::clamp<int>(required, MPI_THREAD_SINGLE,
                              may_be_several ? MPI_THREAD_MULTIPLE : MPI_THREAD_SERIALIZED);
  call.state().has_threaded_parts |= *provided == MPI_THREAD_MULTIPLE;
  ++mpi::tools().begun;
  return MPI_SUCCESS;
}
TERRACE_MPI(int, T_finalize, (void)) {
  const mpi::RankCall call;
  if (const int error = mpi::readiness_of_tools()) return error;
  if (--mpi::tools().begun == 0) mpi::tools().sessions.clear();
  return MPI_SUCCESS;
}

TERRACE_MPI(int, T_pvar_get_num, (int* count)) {
  const mpi::RankCall call;
  return mpi::put_count(mpi::performance_variable_count(), count);
}

TERRACE_MPI(int, T_pvar_get_info,
            (int index, char* name, int* name_length, int* verbosity, int* its_class,
             MPI_Datatype* type, MPI_T_enum* values, char* description, int* description_length,
             int* bound_to, int* is_readonly, int* is_continuous, int* is_atomic)) {
  const mpi::RankCall call;
  if (const int error = mpi::readiness_of_tools()) return error;
  const auto* const variable = mpi::variable_at(index);
  if (variable == nullptr) return MPI_T_ERR_INVALID_INDEX;
  terrace::put_string(variable->name, name, name_length);
  terrace::put_string(variable->description, description, description_length);
  mpi::put_if_wanted(MPI_T_VERBOSITY_USER_BASIC, verbosity);
  mpi::put_if_wanted(
      variable->is_aggregate() ? MPI_T_PVAR_CLASS_AGGREGATE : MPI_T_PVAR_CLASS_COUNTER, its_class);
  if (type != nullptr) *type = MPI_UNSIGNED_LONG_LONG;
  if (values != nullptr) *values = MPI_T_ENUM_NULL;
  mpi::put_if_wanted(MPI_T_BIND_NO_OBJECT, bound_to);
  mpi::put_if_wanted(0, is_readonly);
  mpi::put_if_wanted(1, is_continuous);
  mpi::put_if_wanted(0, is_atomic);
  return MPI_SUCCESS;
}

TERRACE_MPI(int, T_pvar_get_index, (const char* name, int its_class, int* index)) {
  const mpi::RankCall call;
  if (const int error = mpi::readiness_of_tools()) return error;
  if (name == nullptr || index == nullptr) return MPI_T_ERR_INVALID;
  const auto& all = mpi::variables();
  const auto found =
      std::find_if(all.begin(), all.end(), [name](const auto& one) { return one.name == name; });
  if (found == all.end() ||
      its_class != (found->is_aggregate() ? MPI_T_PVAR_CLASS_AGGREGATE : MPI_T_PVAR_CLASS_COUNTER))
    return MPI_T_ERR_INVALID_NAME;
  *index = static_cast<int>(found - all.begin());
  return MPI_SUCCESS;
}

TERRACE_MPI(int, T_pvar_session_create, (MPI_T_pvar_session * session)) {
  const mpi::RankCall call;
  if (const int error = mpi::readiness_of_tools()) return error;
  auto& made = mpi::tools().sessions.emplace_back(std::make_unique<mpi::ToolSession>());
  *session = reinterpret_cast<MPI_T_pvar_session>(made.get());
  return MPI_SUCCESS;
}

TERRACE_MPI(int, T_pvar_session_free, (MPI_T_pvar_session * session)) {
  const mpi::RankCall call;
  if (const int error = mpi::readiness_of_tools()) return error;
  const auto* const known = mpi::tools().find(*session);
  if (known == nullptr) return MPI_T_ERR_INVALID_SESSION;
  std::erase_if(mpi::tools().sessions, [known](const auto& one) { return one.get() == known; });
  *session = MPI_T_PVAR_SESSION_NULL;
  return MPI_SUCCESS;
}

TERRACE_MPI(int, T_pvar_handle_alloc,
            (MPI_T_pvar_session session, int index, void*, MPI_T_pvar_handle* handle, int* count)) {
  const mpi::RankCall call;
  if (const int error = mpi::readiness_of_tools()) return error;
  auto* const known = mpi::tools().find(session);
  if (known == nullptr) return MPI_T_ERR_INVALID_SESSION;
  const auto* const variable = mpi::variable_at(index);
  if (variable == nullptr) return MPI_T_ERR_INVALID_INDEX;
  known->bound.push_back(std::make_unique<BoundVariable>(BoundVariable{variable, 0}));
  *handle = known->bound.back()->handle();
  mpi::put_if_wanted(1, count);
  return MPI_SUCCESS;
}

TERRACE_MPI(int, T_pvar_handle_free, (MPI_T_pvar_session session, MPI_T_pvar_handle* handle)) {
  const mpi::RankCall call;
  return mpi::with_bound(session, *handle, [&](const BoundVariable& bound) {
    std::erase_if(mpi::tools().find(session)->bound,
                  [&](const auto& one) { return one.get() == &bound; });
    *handle = MPI_T_PVAR_HANDLE_NULL;
    return MPI_SUCCESS;
  });
}

TERRACE_MPI(int, T_pvar_start, (MPI_T_pvar_session session, MPI_T_pvar_handle handle)) {
  const mpi::RankCall call;
  return mpi::start_or_stop(session, handle);
}
TERRACE_MPI(int, T_pvar_stop, (MPI_T_pvar_session session, MPI_T_pvar_handle handle)) {
  const mpi::RankCall call;
  return mpi::start_or_stop(session, handle);
}

TERRACE_MPI(int, T_pvar_read, (MPI_T_pvar_session session, MPI_T_pvar_handle handle, void* place)) {
  const mpi::RankCall call;
  return mpi::with_bound(session, handle, [place](const BoundVariable& bound) {
    const std::uint64_t value = bound.value();
    std::memcpy(place, &value, sizeof value);
    return MPI_SUCCESS;
  });
}
TERRACE_MPI(int, T_pvar_readreset,
            (MPI_T_pvar_session session, MPI_T_pvar_handle handle, void* place)) {
  const mpi::RankCall call;
  return mpi::with_bound(session, handle, [place](BoundVariable& bound) {
    const std::uint64_t value = bound.value();
    std::memcpy(place, &value, sizeof value);
    bound.set(0);
    return MPI_SUCCESS;
  });
}
TERRACE_MPI(int, T_pvar_write,
            (MPI_T_pvar_session session, MPI_T_pvar_handle handle, const void* place)) {
  const mpi::RankCall call;
  return mpi::with_bound(session, handle, [place](BoundVariable& bound) {
    std::uint64_t value = 0;
    std::memcpy(&value, place, sizeof value);
    bound.set(value);
    return MPI_SUCCESS;
  });
}
TERRACE_MPI(int, T_pvar_reset, (MPI_T_pvar_session session, MPI_T_pvar_handle handle)) {
  const mpi::RankCall call;
  if (const int error = mpi::readiness_of_tools()) return error;
  const auto* const known = mpi::tools().find(session);
  if (known == nullptr) return MPI_T_ERR_INVALID_SESSION;
  if (handle != MPI_T_PVAR_ALL_HANDLES)
    return mpi::with_bound(session, handle, [](BoundVariable& bound) {
      bound.set(0);
      return MPI_SUCCESS;
    });
  for (const auto& bound : known->bound) bound->set(0);
  return MPI_SUCCESS;
}
