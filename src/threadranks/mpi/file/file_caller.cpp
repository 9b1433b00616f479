// SPDX-License-Identifier: BSD-3-Clause
// Handles and errors of files.
#include "threadranks/mpi/file/file_caller.hpp"

#include <cerrno>
#include <system_error>

namespace terrace::threadranks::mpi {

File* file_of(MPI_File handle) {
  if (!is_file(handle)) return nullptr;
  auto* const file = reinterpret_cast<File*>(handle);
  return file->is(ObjectKind::file) ? file : nullptr;
}

MPI_File handle_of(File& file) {
  return reinterpret_cast<MPI_File>(&file);
}

int class_of_system_error(int error) {
  switch (error) {
    case 0:
      return MPI_SUCCESS;
    case ENOENT:
      return MPI_ERR_NO_SUCH_FILE;
    case EEXIST:
      return MPI_ERR_FILE_EXISTS;
    case EACCES:
    case EPERM:
      return MPI_ERR_ACCESS;
    case EROFS:
      return MPI_ERR_READ_ONLY;
    case ENOTDIR:
    case EISDIR:
    case ENAMETOOLONG:
    case ELOOP:
      return MPI_ERR_BAD_FILE;
    case ENOSPC:
    case EFBIG:
      return MPI_ERR_NO_SPACE;
    case EDQUOT:
      return MPI_ERR_QUOTA;
    case ETXTBSY:
      return MPI_ERR_FILE_IN_USE;
    default:
      return MPI_ERR_IO;
  }
}

std::shared_ptr<void>& errhandler_of_file(File* file) {
  return file != nullptr ? file->errhandler : rank_of_caller().errhandler_of_files;
}

int fail(MPI_File handle, const char* function, int error_class, const std::string& sentence) {
  const auto* const handler =
      static_cast<const ErrorHandler*>(errhandler_of_file(file_of(handle)).get());
  if (handler == nullptr || handler->kind == ErrorHandler::Kind::returns) return error_class;
  if (handler->kind == ErrorHandler::Kind::users)
    return handler->call(handler->for_files, handle, PMPI_File_c2f, error_class);
  end_job(function, error_class, sentence);
}

FileCaller::FileCaller(const char* function, MPI_File handle)
    : call_(function), function_(function), handle_(handle), file_(file_of(handle)) {
  if (file_ == nullptr) fail(MPI_ERR_FILE, "this is no file");
}

int FileCaller::fail(int error_class, const std::string& sentence) {
  if (error_ == MPI_SUCCESS) error_ = mpi::fail(handle_, function_, error_class, sentence);
  return error_;
}

int FileCaller::result_of(int system_error) {
  if (system_error != 0)
    fail(class_of_system_error(system_error),
         file_->path() + ": " + std::generic_category().message(system_error));
  return error_;
}

}  // namespace terrace::threadranks::mpi
