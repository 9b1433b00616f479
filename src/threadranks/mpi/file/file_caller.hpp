// SPDX-License-Identifier: BSD-3-Clause
// What the functions of files have in common: the file of a handle, and errors.
#pragma once

#include <string>

#include "threadranks/files/file.hpp"
#include "threadranks/mpi/adapter.hpp"

namespace terrace::threadranks::mpi {

/// Handles of files are addresses in all ABIs. Null: the handle is no file.
File* file_of(MPI_File handle);
MPI_File handle_of(File& file);

/// The class of the system's error.
int class_of_system_error(int error);

/// The error handler of a file; of none: that of files that will be opened, and of errors without
/// one. At first, MPI_ERRORS_RETURN.
std::shared_ptr<void>& errhandler_of_file(File* file);
/// Raises an error by the file's error handler.
int fail(MPI_File handle, const char* function, int error_class, const std::string& sentence);

/// The error of an offset for which the file's view has no position.
inline constexpr const char* kWrongOffset =
    "the offset lies in front of the view, or beyond what a file can have";

/// A call on a file: checks arguments, and remembers the first error. Holds the rank's lock.
class FileCaller {
 public:
  FileCaller(const char* function, MPI_File handle);

  int error() const { return error_; }
  File& file() const { return *file_; }
  int fail(int error_class, const std::string& sentence);
  /// An error unless it holds.
  void check(bool holds, int error_class, const char* sentence) {
    if (!error_ && !holds) fail(error_class, sentence);
  }
  /// Raises an error of the system, if there is one.
  int result_of(int system_error);
  Layout layout(const void* buffer, std::int64_t count, MPI_Datatype type) {
    return checked_layout(*this, buffer, count, type);
  }

 private:
  RankCall call_;
  const char* function_;
  MPI_File handle_;
  File* file_;
  int error_ = MPI_SUCCESS;
};

}  // namespace terrace::threadranks::mpi
