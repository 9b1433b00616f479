// SPDX-License-Identifier: BSD-3-Clause
// MPI_T's performance variables: the MPI's own, followed by Terrace's, by which tools see what
// Terrace runs. The MPI's keep their numbers; those that it adds later come after Terrace's.
// Terrace's count from the beginning on, cannot be stopped, and are reset for one handle alone.
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "preload/lookup/entry_names.hpp"
#include "preload/lookup/next_function.hpp"
#include "preload/mpi/adapters.hpp"
#include "preload/mpi/call_counts.hpp"

namespace terrace::preload {

namespace {

constexpr int kSuccess = 0;
constexpr int kErrorOther = 16;  // some error: what it means differs from MPI to MPI

std::uint64_t value_of(const PerformanceVariable& variable) {
  switch (variable.counts) {
    case PerformanceVariable::Counts::calls_run:
      return calls_so_far(variable.collective).run;
    case PerformanceVariable::Counts::calls_fallen_back:
      return calls_so_far(variable.collective).fallen_back;
    case PerformanceVariable::Counts::bytes_run:
      return calls_so_far(variable.collective).bytes;
    case PerformanceVariable::Counts::teams_founded:
      return teams_so_far().founded;
    case PerformanceVariable::Counts::teams_rested:
      break;
  }
  return teams_so_far().reused;
}

const std::vector<PerformanceVariable>& variables() {
  static auto* const all = new auto(performance_variables(true));
  return *all;
}
int variable_count() {
  return static_cast<int>(variables().size());
}

/// The MPI's functions under one of their two names.
struct Next {
  explicit Next(const std::string& p)
      : get_num((p + "MPI_T_pvar_get_num").c_str()),
        get_info((p + "MPI_T_pvar_get_info").c_str()),
        get_index((p + "MPI_T_pvar_get_index").c_str()),
        session_free((p + "MPI_T_pvar_session_free").c_str()),
        handle_alloc((p + "MPI_T_pvar_handle_alloc").c_str()),
        handle_free((p + "MPI_T_pvar_handle_free").c_str()),
        start((p + "MPI_T_pvar_start").c_str()),
        stop((p + "MPI_T_pvar_stop").c_str()),
        read((p + "MPI_T_pvar_read").c_str()),
        write((p + "MPI_T_pvar_write").c_str()),
        reset((p + "MPI_T_pvar_reset").c_str()),
        readreset((p + "MPI_T_pvar_readreset").c_str()),
        category_get_pvars((p + "MPI_T_category_get_pvars").c_str()) {}

  using OfHandle = NextFunction<int(HandleWord, HandleWord)>;
  using OfValue = NextFunction<int(HandleWord, HandleWord, void*)>;
  NextFunction<int(int*)> get_num;
  NextFunction<int(int, char*, int*, int*, int*, void*, void*, char*, int*, int*, int*, int*, int*)>
      get_info;
  NextFunction<int(const char*, int, int*)> get_index;
  NextFunction<int(HandleWord*)> session_free;
  NextFunction<int(HandleWord, int, void*, HandleWord*, int*)> handle_alloc;
  NextFunction<int(HandleWord, HandleWord*)> handle_free;
  OfHandle start, stop;
  OfValue read;
  NextFunction<int(HandleWord, HandleWord, const void*)> write;
  OfHandle reset;
  OfValue readreset;
  NextFunction<int(int, int, int*)> category_get_pvars;

  bool is_complete() const {
    return get_num && get_info && get_index && session_free && handle_alloc && handle_free &&
           start && stop && read && write && reset && readreset && category_get_pvars;
  }
};

const Next& next_of(bool is_tools) {
  static auto* const of_programs = new Next("");
  static auto* const of_tools = new Next("P");
  return is_tools ? *of_tools : *of_programs;
}

/// A handle of one of Terrace's variables. Tools know it by its address.
struct OwnHandle {
  HandleWord session = 0;
  const PerformanceVariable* variable = nullptr;
  std::uint64_t zero = 0;  ///< the count at its last reset

  std::uint64_t value() const { return value_of(*variable) - zero; }
  void set(std::uint64_t value) { zero = value_of(*variable) - value; }
};

/// The variables and handles of both kinds.
class Tools {
 public:
  explicit Tools(const ToolWords& tool_words) : words(tool_words) {}

  const ToolWords words;

  /// The number of Terrace's first variable, or the MPI's error if it does not tell how many it
  /// has. An `index` must be that of a variable: MPICH 4.0 crashes otherwise.
  int find_first(const Next& next, int& first, int index = 0) {
    const std::lock_guard lock(mutex_);
    int count = 0;
    const int error = next.get_num(&count);
    if (error != kSuccess) return error;
    if (first_ < 0) first_ = count;
    first = first_;
    return index >= 0 && index < count + variable_count() ? kSuccess : words.wrong_index;
  }

  OwnHandle* add(HandleWord session, const PerformanceVariable& variable) {
    const std::lock_guard lock(mutex_);
    auto* const handle = new OwnHandle{session, &variable, 0};
    handles_.insert(handle);
    return handle;
  }
  void remove(OwnHandle* handle) {
    const std::lock_guard lock(mutex_);
    if (handles_.erase(handle) != 0) delete handle;
  }
  void end_session(HandleWord session) {
    const std::lock_guard lock(mutex_);
    std::erase_if(handles_, [session](OwnHandle* one) {
      const bool goes = one->session == session;
      if (goes) delete one;
      return goes;
    });
  }
  void reset_all(HandleWord session) {
    const std::lock_guard lock(mutex_);
    for (OwnHandle* const one : handles_)
      if (one->session == session) one->set(0);
  }

  /// Null for a handle of the MPI's.
  OwnHandle* own(HandleWord handle) {
    const std::lock_guard lock(mutex_);
    const auto found = handles_.find(reinterpret_cast<OwnHandle*>(handle));
    return found != handles_.end() ? *found : nullptr;
  }

 private:
  std::mutex mutex_;  ///< guards what follows
  int first_ = -1;    ///< of the numbers of Terrace's variables
  std::set<OwnHandle*> handles_;
};

/// Null if the MPI has no MPI_T, or another of our libraries comes before it.
Tools* tools() {
  static Tools* const the = [] {
    const auto words = tool_words_below();
    const bool is_ours = words && is_first_of_our_kind() && next_of(true).is_complete();
    return is_ours ? new Tools(*words) : nullptr;
  }();
  return the;
}

void put(int value, int* place) {
  if (place != nullptr) *place = value;
}

/// A variable's number as tools know it: one of Terrace's, or one of the MPI's by its number there.
struct VariableIndex {
  const PerformanceVariable* own = nullptr;
  int number = 0;
};
VariableIndex variable_at(int index, int first) {
  if (index < first) return {nullptr, index};
  if (index >= first + variable_count()) return {nullptr, index - variable_count()};
  return {&variables()[static_cast<std::size_t>(index - first)], index};
}
int shown_number(int index, int first) {
  return index < first ? index : index + variable_count();
}

int get_num(Tools& the, const Next& next, int* count) {
  int first = 0;
  if (const int error = the.find_first(next, first)) return error;
  const int error = next.get_num(count);
  if (error == kSuccess) *count += variable_count();
  return error;
}

struct Info {
  char* name;
  int* name_length;
  int *verbosity, *its_class;
  void *type, *enumeration;
  char* about;
  int* about_length;
  int *bound_to, *is_readonly, *is_continuous, *is_atomic;
};

void tell(const PerformanceVariable& variable, const ToolWords& words, const Info& info) {
  put_string(variable.name, info.name, info.name_length);
  put_string(variable.description, info.about, info.about_length);
  put(words.verbosity, info.verbosity);
  put(variable.is_aggregate() ? words.aggregate : words.counter, info.its_class);
  if (info.type != nullptr)
    std::memcpy(info.type, &words.unsigned_long_long, words.bytes_of_handle);
  if (info.enumeration != nullptr) std::memset(info.enumeration, 0, sizeof(void*));
  put(words.bound_to_nothing, info.bound_to);
  put(0, info.is_readonly);
  put(1, info.is_continuous);
  put(0, info.is_atomic);
}

int get_info(Tools& the, const Next& next, int index, const Info& info) {
  int first = 0;
  if (const int error = the.find_first(next, first, index)) return error;
  const VariableIndex variable = variable_at(index, first);
  if (variable.own == nullptr)
    return next.get_info(variable.number, info.name, info.name_length, info.verbosity,
                         info.its_class, info.type, info.enumeration, info.about, info.about_length,
                         info.bound_to, info.is_readonly, info.is_continuous, info.is_atomic);
  tell(*variable.own, the.words, info);
  return kSuccess;
}

int get_index(Tools& the, const Next& next, const char* name, int its_class, int* index) {
  int first = 0;
  if (const int error = the.find_first(next, first)) return error;
  for (int i = 0; name != nullptr && index != nullptr && i < variable_count(); ++i) {
    const PerformanceVariable& one = variables()[static_cast<std::size_t>(i)];
    if (one.name != name) continue;
    if (its_class != (one.is_aggregate() ? the.words.aggregate : the.words.counter))
      return the.words.wrong_name;
    *index = first + i;
    return kSuccess;
  }
  const int error = next.get_index(name, its_class, index);
  if (error == kSuccess) *index = shown_number(*index, first);
  return error;
}

int category_get_pvars(Tools& the, const Next& next, int category, int length, int* indices) {
  int first = 0;
  if (const int error = the.find_first(next, first)) return error;
  std::vector<int> told(static_cast<std::size_t>(std::max(length, 0)), -1);
  const int error = next.category_get_pvars(category, length, told.data());
  for (std::size_t i = 0; error == kSuccess && i < told.size(); ++i)
    if (told[i] >= 0) indices[i] = shown_number(told[i], first);
  return error;
}

int handle_alloc(Tools& the, const Next& next, HandleWord session, int index, void* object,
                 HandleWord* handle, int* count) {
  int first = 0;
  if (const int error = the.find_first(next, first, index)) return error;
  const VariableIndex variable = variable_at(index, first);
  if (variable.own == nullptr)
    return next.handle_alloc(session, variable.number, object, handle, count);
  *handle = reinterpret_cast<HandleWord>(the.add(session, *variable.own));
  put(1, count);
  return kSuccess;
}

int handle_free(Tools& the, const Next& next, HandleWord session, HandleWord* handle) {
  OwnHandle* const own = handle != nullptr ? the.own(*handle) : nullptr;
  if (own == nullptr) return next.handle_free(session, handle);
  if (own->session != session) return the.words.wrong_handle;
  the.remove(own);
  *handle = 0;  // MPI_T_PVAR_HANDLE_NULL in all ABIs
  return kSuccess;
}

int session_free(Tools& the, const Next& next, HandleWord* session) {
  const HandleWord free_guard = session != nullptr ? *session : 0;
  const int error = next.session_free(session);
  if (error == kSuccess) the.end_session(free_guard);
  return error;
}

/// Terrace's variables run from the beginning on, so starting or stopping all handles does not
/// concern them.
int start_or_stop(Tools& the, const Next::OfHandle& next, HandleWord session, HandleWord handle) {
  return the.own(handle) != nullptr ? the.words.no_start_stop : next(session, handle);
}

int reset(Tools& the, const Next& next, HandleWord session, HandleWord handle) {
  OwnHandle* const own = the.own(handle);
  if (own == nullptr) {
    const int error = next.reset(session, handle);
    const bool means_all = the.words.all_handles != 0 && handle == the.words.all_handles;
    if (error == kSuccess && means_all) the.reset_all(session);
    return error;
  }
  if (own->session != session) return the.words.wrong_handle;
  own->set(0);
  return kSuccess;
}

int read(Tools& the, const Next::OfValue& next, bool resets, HandleWord session, HandleWord handle,
         void* place) {
  OwnHandle* const own = the.own(handle);
  if (own == nullptr) return next(session, handle, place);
  if (own->session != session) return the.words.wrong_handle;
  const std::uint64_t value = own->value();
  std::memcpy(place, &value, sizeof value);
  if (resets) own->zero += value;
  return kSuccess;
}

int write(Tools& the, const Next& next, HandleWord session, HandleWord handle, const void* place) {
  OwnHandle* const own = the.own(handle);
  if (own == nullptr) return next.write(session, handle, place);
  if (own->session != session) return the.words.wrong_handle;
  std::uint64_t value = 0;
  std::memcpy(&value, place, sizeof value);
  own->set(value);
  return kSuccess;
}

/// Runs a function for the interface that it was called by: ours, or only the next one's.
template <class Work, class Leave>
int answer(bool is_ours, bool is_tools, Work work, Leave leave) {
  Tools* const the = is_ours ? tools() : nullptr;
  const Next& next = next_of(is_tools);
  if (the != nullptr) return work(*the, next);
  return next.is_complete() ? leave(next) : kErrorOther;
}

}  // namespace

// Tools may mix both names, so PMPI_T_X is intercepted as well, unless the MPI itself calls it.
#define TERRACE_IS_OURS_OF_VARIABLES(NAME) \
  call_origin_at(__builtin_return_address(0)) != CallOrigin::inside

#define TERRACE_VARIABLES(P, DOOR, IS_OURS, IS_TOOLS)                                             \
  DOOR(P##MPI_T_pvar_get_num)(int* count) {                                                       \
    return answer(                                                                                \
        IS_OURS(P##MPI_T_pvar_get_num), IS_TOOLS,                                                 \
        [&](Tools& the, const Next& next) { return get_num(the, next, count); },                  \
        [&](const Next& next) { return next.get_num(count); });                                   \
  }                                                                                               \
  DOOR(P##MPI_T_pvar_get_info)                                                                    \
  (int index, char* name, int* name_length, int* verbosity, int* its_class, void* type,           \
   void* enumeration, char* about, int* about_length, int* bound_to, int* is_readonly,            \
   int* is_continuous, int* is_atomic) {                                                          \
    const Info info{name,  name_length,  verbosity, its_class,   type,          enumeration,      \
                    about, about_length, bound_to,  is_readonly, is_continuous, is_atomic};       \
    return answer(                                                                                \
        IS_OURS(P##MPI_T_pvar_get_info), IS_TOOLS,                                                \
        [&](Tools& the, const Next& next) { return get_info(the, next, index, info); },           \
        [&](const Next& next) {                                                                   \
          return next.get_info(index, name, name_length, verbosity, its_class, type, enumeration, \
                               about, about_length, bound_to, is_readonly, is_continuous,         \
                               is_atomic);                                                        \
        });                                                                                       \
  }                                                                                               \
  DOOR(P##MPI_T_pvar_get_index)(const char* name, int its_class, int* index) {                    \
    return answer(                                                                                \
        IS_OURS(P##MPI_T_pvar_get_index), IS_TOOLS,                                               \
        [&](Tools& the, const Next& next) {                                                       \
          return get_index(the, next, name, its_class, index);                                    \
        },                                                                                        \
        [&](const Next& next) { return next.get_index(name, its_class, index); });                \
  }                                                                                               \
  DOOR(P##MPI_T_category_get_pvars)(int category, int length, int* indices) {                     \
    return answer(                                                                                \
        IS_OURS(P##MPI_T_category_get_pvars), IS_TOOLS,                                           \
        [&](Tools& the, const Next& next) {                                                       \
          return category_get_pvars(the, next, category, length, indices);                        \
        },                                                                                        \
        [&](const Next& next) { return next.category_get_pvars(category, length, indices); });    \
  }                                                                                               \
  DOOR(P##MPI_T_pvar_session_free)(HandleWord * session) {                                        \
    return answer(                                                                                \
        IS_OURS(P##MPI_T_pvar_session_free), IS_TOOLS,                                            \
        [&](Tools& the, const Next& next) { return session_free(the, next, session); },           \
        [&](const Next& next) { return next.session_free(session); });                            \
  }                                                                                               \
  DOOR(P##MPI_T_pvar_handle_alloc)                                                                \
  (HandleWord session, int index, void* object, HandleWord* handle, int* count) {                 \
    return answer(                                                                                \
        IS_OURS(P##MPI_T_pvar_handle_alloc), IS_TOOLS,                                            \
        [&](Tools& the, const Next& next) {                                                       \
          return handle_alloc(the, next, session, index, object, handle, count);                  \
        },                                                                                        \
        [&](const Next& next) {                                                                   \
          return next.handle_alloc(session, index, object, handle, count);                        \
        });                                                                                       \
  }                                                                                               \
  DOOR(P##MPI_T_pvar_handle_free)(HandleWord session, HandleWord * handle) {                      \
    return answer(                                                                                \
        IS_OURS(P##MPI_T_pvar_handle_free), IS_TOOLS,                                             \
        [&](Tools& the, const Next& next) { return handle_free(the, next, session, handle); },    \
        [&](const Next& next) { return next.handle_free(session, handle); });                     \
  }                                                                                               \
  DOOR(P##MPI_T_pvar_start)(HandleWord session, HandleWord handle) {                              \
    return answer(                                                                                \
        IS_OURS(P##MPI_T_pvar_start), IS_TOOLS,                                                   \
        [&](Tools& the, const Next& next) {                                                       \
          return start_or_stop(the, next.start, session, handle);                                 \
        },                                                                                        \
        [&](const Next& next) { return next.start(session, handle); });                           \
  }                                                                                               \
  DOOR(P##MPI_T_pvar_stop)(HandleWord session, HandleWord handle) {                               \
    return answer(                                                                                \
        IS_OURS(P##MPI_T_pvar_stop), IS_TOOLS,                                                    \
        [&](Tools& the, const Next& next) {                                                       \
          return start_or_stop(the, next.stop, session, handle);                                  \
        },                                                                                        \
        [&](const Next& next) { return next.stop(session, handle); });                            \
  }                                                                                               \
  DOOR(P##MPI_T_pvar_read)(HandleWord session, HandleWord handle, void* place) {                  \
    return answer(                                                                                \
        IS_OURS(P##MPI_T_pvar_read), IS_TOOLS,                                                    \
        [&](Tools& the, const Next& next) {                                                       \
          return read(the, next.read, false, session, handle, place);                             \
        },                                                                                        \
        [&](const Next& next) { return next.read(session, handle, place); });                     \
  }                                                                                               \
  DOOR(P##MPI_T_pvar_readreset)(HandleWord session, HandleWord handle, void* place) {             \
    return answer(                                                                                \
        IS_OURS(P##MPI_T_pvar_readreset), IS_TOOLS,                                               \
        [&](Tools& the, const Next& next) {                                                       \
          return read(the, next.readreset, true, session, handle, place);                         \
        },                                                                                        \
        [&](const Next& next) { return next.readreset(session, handle, place); });                \
  }                                                                                               \
  DOOR(P##MPI_T_pvar_write)(HandleWord session, HandleWord handle, const void* place) {           \
    return answer(                                                                                \
        IS_OURS(P##MPI_T_pvar_write), IS_TOOLS,                                                   \
        [&](Tools& the, const Next& next) { return write(the, next, session, handle, place); },   \
        [&](const Next& next) { return next.write(session, handle, place); });                    \
  }                                                                                               \
  DOOR(P##MPI_T_pvar_reset)(HandleWord session, HandleWord handle) {                              \
    return answer(                                                                                \
        IS_OURS(P##MPI_T_pvar_reset), IS_TOOLS,                                                   \
        [&](Tools& the, const Next& next) { return reset(the, next, session, handle); },          \
        [&](const Next& next) { return next.reset(session, handle); });                           \
  }

#define TERRACE_DOOR_OF_PLAIN_TOOLS(NAME) TERRACE_EXPORTED NAME
TERRACE_VARIABLES(, TERRACE_ENTRY_OF_PROGRAMS, TERRACE_IS_OURS_OF_PROGRAMS, false)
TERRACE_VARIABLES(P, TERRACE_DOOR_OF_PLAIN_TOOLS, TERRACE_IS_OURS_OF_VARIABLES, true)

}  // namespace terrace::preload
