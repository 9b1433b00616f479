// SPDX-License-Identifier: BSD-3-Clause
// What the functions of MPI have in common: their definition, handles and errors.
#pragma once

#pragma GCC visibility push(default)
#include <mpi.h>
#pragma GCC visibility pop

#include <cstdint>
#include <limits>
#include <memory>
#include <string>

#include <handles.hpp>

#include "threadranks/ranks/rank_state.hpp"
#include "threadranks/types/operators.hpp"

/// Defines a function of MPI under both of its names; tools replace the one without a P.
#define TERRACE_MPI(result, name, parameters)                            \
  extern "C" [[gnu::alias("PMPI_" #name)]] result MPI_##name parameters; \
  extern "C" result PMPI_##name parameters
/// Defines a function that is no part of MPI.
#define TERRACE_MPIX(result, name, parameters)                             \
  extern "C" [[gnu::alias("PMPIX_" #name)]] result MPIX_##name parameters; \
  extern "C" result PMPIX_##name parameters

namespace terrace::threadranks::mpi {

/// Converts special ranks and tags between the ABI's numbers and those of this room.
inline int our_rank(int rank) {
  return rank == MPI_ANY_SOURCE ? kAnySource : rank == MPI_PROC_NULL ? kProcNull : rank;
}
inline int their_rank(int rank) {
  return rank == kAnySource ? MPI_ANY_SOURCE : rank == kProcNull ? MPI_PROC_NULL : rank;
}
inline int our_tag(int tag) {
  return tag == MPI_ANY_TAG ? kAnyTag : tag;
}

Communicator* communicator_of(MPI_Comm comm);
MPI_Comm handle_of(Communicator* communicator);
inline Datatype* type_of(MPI_Datatype type) {
  Datatype* const predefined = predefined_type_of(type);
  return predefined != nullptr ? predefined : object_of<Datatype>(type);
}
MPI_Datatype handle_of(Datatype* type);
RankGroup* group_of(MPI_Group group);

/// The treatment of errors.
struct ErrorHandler : Numbered<ObjectKind::errhandler> {
  enum class Kind : std::uint8_t { fatal, abort, returns, users };

  explicit ErrorHandler(Kind its_kind) : kind(its_kind) {}

  Kind kind;
  // The program's own handler: one of the four.
  MPI_Comm_errhandler_function* for_communicators = nullptr;
  MPI_Session_errhandler_function* for_sessions = nullptr;
  MPI_Win_errhandler_function* for_windows = nullptr;
  MPI_File_errhandler_function* for_files = nullptr;
  bool is_in_fortran = false;  ///< so that the function gets an integer for a handle
  int references = 1;

  /// Whether it may be set for what that function is for; those of MPI are for everything.
  template <class Function>
  bool is_for(Function* ErrorHandler::*function) const {
    return kind != Kind::users || this->*function != nullptr;
  }
  /// Calls the function of the program, one of the four, and returns the error.
  template <class Function, class Native>
  int call(Function* function, Native handle, MPI_Fint (*number_of)(Native), int error) const;
  void retain() {
    if (kind == Kind::users) ++references;  // others are all ranks', and stay
  }
  void release() {
    if (kind == Kind::users && --references == 0) delete this;
  }
  /// Gives the program the handle once more, which frees it once more.
  void give_again() {
    if (kind != Kind::users) return;
    retain();
    hand_out();
  }
};

/// A reference, as objects that have an error handler keep it.
std::shared_ptr<void> kept_errhandler(ErrorHandler& handler);
/// Null: the handle is no error handler.
ErrorHandler* errhandler_of(MPI_Errhandler handle);
/// Returns the handle; without an error handler, errors are fatal.
MPI_Errhandler handle_of(ErrorHandler* handler);
/// The text of an error class or code.
std::string sentence_of(int code);

/// Ends the job for a fatal error of the calling rank.
[[noreturn]] void end_job(const char* function, int error_class, const std::string& sentence);
/// Raises an error of `function`, of that class. Depending on the communicator's error handler, it
/// returns the class or ends the job.
int fail(MPI_Comm comm, const char* function, int error_class, const std::string& sentence);
/// Raises an error where there is no communicator.
int fail(const char* function, int error_class, const std::string& sentence);

/// The type of a handle, or raises the error that there is none.
Datatype* known_type(const char* function, MPI_Datatype type, int& error);

/// A call without a communicator or window. Holds the rank's lock, as each function must that
/// changes what a rank's threads share.
class RankCall {
 public:
  RankCall() : state_(rank_of_caller()), critical_(state_.call_lock()) {}
  explicit RankCall(const char* function)
      : state_(rank_of_caller()), critical_(&state_.call_lock(), function) {
    state_.enter_function(function);
  }

  RankState& state() const { return state_; }

 private:
  RankState& state_;
  CriticalSection critical_;
};

/// Around a function of the program that MPI calls: others may call MPI meanwhile, and hold locks
/// of the program's own that the function waits for.
class OutsideOfMpi {
 public:
  OutsideOfMpi() : unlocked_(rank_of_caller().call_lock()) {}

 private:
  Unlocked unlocked_;
};

template <class Function, class Native>
int ErrorHandler::call(Function* function, Native handle, MPI_Fint (*number_of)(Native),
                       int error) const {
  int code = error;
  if (is_in_fortran) {
    MPI_Fint number = number_of(handle);
    const OutsideOfMpi outside;
    reinterpret_cast<void (*)(MPI_Fint*, int*, ...)>(function)(&number, &code);
  } else {
    const OutsideOfMpi outside;
    function(&handle, &code);
  }
  return error;
}

/// Whether it is null or MPI_IN_PLACE, of whichever ABI: no buffer, in most places.
inline bool may_be_no_buffer(const void* buffer) {
  return reinterpret_cast<std::uintptr_t>(buffer) + 1 <= 2;
}
/// Says what is wrong with elements at, or behind, a buffer that may be none; "": nothing. Null is
/// MPI_BOTTOM, with types or displacements that are addresses.
[[gnu::cold]] std::string fault_of_buffer(const Layout& elements, const void* buffer);

/// A call on a communicator: checks arguments, and remembers the first error. Holds the rank's
/// lock.
class Caller {
 public:
  Caller(const char* function, MPI_Comm comm)
      : function_(function),
        comm_(comm),
        communicator_(communicator_of(comm)),
        critical_(communicator_ != nullptr ? &communicator_->state().call_lock() : nullptr,
                  function) {
    if (communicator_ == nullptr) [[unlikely]] {
      refuse_communicator();
      return;
    }
    state().enter_function(function);
    if (!state().may_call()) [[unlikely]]
      refuse_call();
  }

  /// MPI_SUCCESS, or the error that the function must return at once.
  int error() const { return error_; }
  Communicator& communicator() const { return *communicator_; }
  RankState& state() const { return communicator_->state(); }
  const char* function() const { return function_; }

  void check_peer(int rank, bool takes_any) {
    if (error_ == MPI_SUCCESS && (rank < 0 || rank >= communicator_->peer_count())) [[unlikely]]
      check_special_peer(rank, takes_any);
  }
  /// Checks as `check_peer` does, but that it must be a rank.
  void check_member(int rank);
  void check_tag(int tag, bool takes_any) {
    if (tag < 0) [[unlikely]]
      check_special_tag(tag, takes_any);
  }
  void check_root(int root);
  /// Checks that the communicator has one group.
  void check_intracomm();
  /// Checks that it has two.
  void check_intercomm();
  /// Elements in memory. After an error, their type may be null, and their count wrong.
  Layout layout(const void* buffer, std::int64_t count, MPI_Datatype type) {
    Layout elements = this->elements(count, type);
    elements.buffer = buffer;
    check_buffer(elements);
    return elements;
  }
  /// Checks elements without an address.
  Layout elements(std::int64_t count, MPI_Datatype type) {
    Datatype* const known = type_of(type);
    if (error_ != MPI_SUCCESS || known == nullptr || !known->is_committed || count < 0) [[unlikely]]
      check_elements(known, count);
    return {nullptr, static_cast<std::size_t>(count), known};
  }
  void check_buffer(const Layout& elements) { check_buffer(elements, elements.buffer); }
  /// Checks the buffer of elements that lie behind it.
  void check_buffer(const Layout& elements, const void* buffer) {
    if (may_be_no_buffer(buffer)) [[unlikely]]
      refuse_buffer(elements, buffer);
  }
  /// Refuses MPI_IN_PLACE where it may never stand for a buffer, even if this rank does not use
  /// that: what is wrong on all ranks must be an error on all, as the others would wait for this
  /// one.
  void check_not_in_place(const void* buffer) {
    if (buffer == MPI_IN_PLACE) [[unlikely]]
      refuse_in_place();
  }
  int fail(int error_class, const std::string& sentence);

 private:
  // Wildcards, null ranks and errors, out of the other calls' way.
  [[gnu::cold]] void refuse_communicator();
  [[gnu::cold]] void refuse_call();
  [[gnu::cold]] void check_special_peer(int rank, bool takes_any);
  [[gnu::cold]] void check_special_tag(int tag, bool takes_any);
  [[gnu::cold]] void check_elements(Datatype* type, std::int64_t count);
  [[gnu::cold]] void refuse_buffer(const Layout& elements, const void* buffer);
  [[gnu::cold]] void refuse_in_place();

  const char* function_;
  MPI_Comm comm_;
  Communicator* communicator_;
  CriticalSection critical_;
  int error_ = MPI_SUCCESS;
};

/// Elements without an address, or an error of a call on a window or file, which `check`s.
template <class ACaller>
Layout checked_elements(ACaller& caller, std::int64_t count, MPI_Datatype type) {
  Datatype* const known = type_of(type);
  caller.check(known != nullptr, MPI_ERR_TYPE, "this is no datatype");
  caller.check(caller.error() || known->is_committed, MPI_ERR_TYPE,
               "the datatype is not committed");
  std::size_t bytes;
  if (!caller.error() && (count < 0 || __builtin_mul_overflow(known->size(), count, &bytes)))
    caller.fail(MPI_ERR_COUNT, std::to_string(count) + " elements");
  return {nullptr, static_cast<std::size_t>(count), known};
}
/// Elements in memory.
template <class ACaller>
Layout checked_layout(ACaller& caller, const void* buffer, std::int64_t count, MPI_Datatype type) {
  Layout layout = checked_elements(caller, count, type);
  layout.buffer = buffer;
  if (may_be_no_buffer(buffer) && !caller.error()) [[unlikely]]
    if (const std::string fault = fault_of_buffer(layout, buffer); !fault.empty())
      caller.fail(MPI_ERR_BUFFER, fault);
  return layout;
}

/// A request that is over already, of a call that has done its work; with the status of a receive,
/// or without one.
int put_complete_request(Communicator& communicator, const Status* status, MPI_Request* handle);

int class_of_failure(Completion outcome);
inline int class_of(Completion outcome) {
  return outcome == Completion::done ? MPI_SUCCESS : class_of_failure(outcome);
}
/// Fills in a status, unless the program ignores it; returns the error class.
inline int put_status(const Status& from, MPI_Status* to) {
  if (to != MPI_STATUS_IGNORE) {
    to->MPI_SOURCE = their_rank(from.source);
    to->MPI_TAG = from.tag == kAnyTag ? MPI_ANY_TAG : from.tag;
    put_bytes(*to, from.bytes);
    put_cancelled(*to, from.outcome == Completion::cancelled);
  }
  return class_of(from.outcome);
}
/// Fills in the empty status of an inactive request.
void put_empty_status(MPI_Status* to);

/// Converts a number to a type that may be too short for it.
template <class Number>
Number fitted(std::int64_t number) {
  return number > std::numeric_limits<Number>::max() ? static_cast<Number>(MPI_UNDEFINED)
                                                     : static_cast<Number>(number);
}

/// Copies a text to the program's array, as much as fits.
inline int put_text(const std::string& text, char* place, std::size_t room, int* length) {
  const std::size_t bytes = text.size() < room ? text.size() : room - 1;
  text.copy(place, bytes);
  place[bytes] = '\0';
  *length = static_cast<int>(bytes);
  return MPI_SUCCESS;
}

}  // namespace terrace::threadranks::mpi
