// SPDX-License-Identifier: BSD-3-Clause
// The MPI of this process as communicators need it: opaque handles and a few functions. An adapter
// per ABI implements it, so that one library serves all MPIs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "base/handles.hpp"
#include "communicators/record.hpp"

namespace terrace::communicators {

struct CommAttribute;
class Members;

/// The error code if there is no MPI that we know: MPI_ERR_OTHER, or close to it, in all MPIs.
inline constexpr int kErrorWithoutMpi = 16;

/// Functions that return int return an MPI error code, 0 for success.
class Mpi {
 public:
  Mpi() = default;
  virtual ~Mpi() = default;
  Mpi(const Mpi&) = delete;
  Mpi& operator=(const Mpi&) = delete;

  virtual Handle world() const = 0;
  virtual Handle null() const = 0;
  /// A handle as it arrived in a register, of which handles of some ABIs fill only half.
  virtual Handle handle(std::uintptr_t word) const = 0;
  void put(Handle handle, void* place) const { put_at(handle, place, 0); }
  /// Stores a handle into an array of the program.
  virtual void put_at(Handle handle, void* array, std::size_t index) const = 0;
  virtual Handle taken_from(const void* array, std::size_t index) const = 0;
  /// Handles as Fortran has them. Integers that are none are MPI_COMM_NULL and MPI_INFO_NULL.
  virtual Handle comm_of_fortran(int integer) const = 0;
  virtual Handle info_of_fortran(int integer) const = 0;
  virtual int comm_in_fortran(Handle comm) const = 0;
  virtual int info_in_fortran(Handle info) const = 0;
  virtual int undefined() const = 0;
  virtual int shared_type() const = 0;  ///< MPI_COMM_TYPE_SHARED
  /// This MPI's value for a split type of Terrace; nothing if it has none.
  virtual std::optional<int> native_type(int split_type) const = 0;
  virtual bool is_active() = 0;  ///< between MPI_Init and MPI_Finalize
  virtual int error_code(Failure failure) const = 0;

  virtual int size_of(Handle comm) = 0;
  virtual int rank_in(Handle comm) = 0;
  virtual bool is_intercommunicator(Handle comm) = 0;
  virtual int allgather(Handle comm, const void* own, void* all, std::size_t bytes) = 0;
  /// `color` below 0: none.
  virtual int split(Handle comm, int color, int key, Handle& newcomm) = 0;
  virtual int split_type(Handle comm, int type, int key, Handle info, Handle& newcomm) = 0;

  /// The value of a key of an info object; nothing if it is not there, or there is no object.
  virtual std::optional<std::string> value_of(Handle info, const char* key) = 0;
  virtual void set_value(Handle info, const char* key, const std::string& value) = 0;
  using KeyAndValue = std::pair<const char*, std::string>;
  /// MPI_Comm_get_info's object, with these pairs added; for no communicator, a new one.
  virtual int new_info(std::optional<Handle> comm, std::span<const KeyAndValue> pairs,
                       void* info) = 0;

  /// The attribute of this communicator or of the one that it duplicates.
  virtual std::shared_ptr<const CommAttribute> attached_to(Handle comm) = 0;
  virtual void attach(Handle comm, std::shared_ptr<const CommAttribute> attached) = 0;

  /// Calls the communicator's error handler, which may end the job; returns the code otherwise.
  /// MPI_COMM_WORLD's is called only while MPI is active.
  virtual int raise(Handle comm, int code) = 0;
};

/// The MPI of this process, between MPI_Init and MPI_Finalize. Null, with a warning, if there is
/// none that we know.
Mpi* mpi_of_this_process();

// The adapters: adapter.cpp as built for each ABI. Null if functions are missing.
namespace mpich {
std::unique_ptr<Mpi> adapter();
}
namespace openmpi {
std::unique_ptr<Mpi> adapter();
}
namespace standard {
std::unique_ptr<Mpi> adapter();
}

/// A function or object of the MPI, as the program sees it: a tool's before the MPI's.
void* find_symbol(const char* name);

}  // namespace terrace::communicators
