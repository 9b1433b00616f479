// SPDX-License-Identifier: BSD-3-Clause
// Files: opened, closed, deleted, queried; their sizes, hints and error handlers.
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <system_error>

#include "threadranks/mpi/file/file_caller.hpp"
#include "threadranks/mpi/info.hpp"

namespace terrace::threadranks::mpi {
namespace {

/// Kinds of file systems, which ROMIO knows in front of a name.
std::string path_of(const char* name) {
  const std::string path = name;
  for (const char* const prefix : {"ufs:", "nfs:", "testfs:", "lustre:", "gpfs:"})
    if (path.starts_with(prefix)) return path.substr(std::string(prefix).size());
  return path;
}

/// Says what is wrong with a mode of access; "": nothing.
std::string fault_of(int amode) {
  const int kinds = ((amode & MPI_MODE_RDONLY) != 0) + ((amode & MPI_MODE_WRONLY) != 0) +
                    ((amode & MPI_MODE_RDWR) != 0);
  if (kinds != 1)
    return "exactly one of MPI_MODE_RDONLY, MPI_MODE_WRONLY and MPI_MODE_RDWR is needed";
  if ((amode & MPI_MODE_RDONLY) && (amode & (MPI_MODE_CREATE | MPI_MODE_EXCL)))
    return "a file that is only read cannot be created";
  if ((amode & MPI_MODE_RDWR) && (amode & MPI_MODE_SEQUENTIAL))
    return "a sequential file is either read or written";
  return "";
}

FileMode mode_of(int amode) {
  FileMode mode;
  mode.reads = (amode & (MPI_MODE_RDONLY | MPI_MODE_RDWR)) != 0;
  mode.writes = (amode & (MPI_MODE_WRONLY | MPI_MODE_RDWR)) != 0;
  mode.creates = (amode & MPI_MODE_CREATE) != 0;
  mode.is_new = (amode & MPI_MODE_EXCL) != 0;
  mode.deletes_on_close = (amode & MPI_MODE_DELETE_ON_CLOSE) != 0;
  mode.appends = (amode & MPI_MODE_APPEND) != 0;
  mode.is_sequential = (amode & MPI_MODE_SEQUENTIAL) != 0;
  return mode;
}

/// Hints are kept and need not be followed.
void set_hints(File& file, MPI_Info info) {
  const InfoObject* const given = info != MPI_INFO_NULL ? info_of(info) : nullptr;
  if (given == nullptr) return;
  for (const auto& [key, value] : given->entries) {
    const auto same = [&key = key](const auto& hint) { return hint.first == key; };
    std::erase_if(file.hints, same);
    file.hints.emplace_back(key, value);
  }
}

/// Errors are those of files that are not open yet: MPI_FILE_NULL's handler.
int open(MPI_Comm comm, const char* name, int amode, MPI_Info info, MPI_File* handle) {
  const char* const function = "MPI_File_open";
  *handle = MPI_FILE_NULL;
  Caller caller(function, comm);
  caller.check_intracomm();
  if (caller.error()) return caller.error();
  Communicator& parent = caller.communicator();
  std::vector<int> modes(static_cast<std::size_t>(parent.size()));
  allgather(parent, &amode, modes.data(), sizeof amode);
  const bool are_same =
      std::all_of(modes.begin(), modes.end(), [&](int one) { return one == amode; });
  if (!are_same)
    return fail(MPI_FILE_NULL, function, MPI_ERR_NOT_SAME,
                "ranks open the file in different modes");
  if (const std::string fault = fault_of(amode); !fault.empty())
    return fail(MPI_FILE_NULL, function, MPI_ERR_AMODE, fault);
  const std::string path = path_of(name);
  int error = 0;
  auto file = File::open(*duplicate(parent), path, mode_of(amode), error);
  if (file == nullptr)
    return fail(MPI_FILE_NULL, function, class_of_system_error(error),
                path + ": " + std::generic_category().message(error));
  file->access_mode = amode;
  file->errhandler = errhandler_of_file(nullptr);
  set_hints(*file, info);
  *handle = handle_of(*file.release());
  return MPI_SUCCESS;
}

int close(MPI_File* handle) {
  FileCaller caller("MPI_File_close", *handle);
  if (caller.error()) return caller.error();
  caller.check(caller.file().split == nullptr, MPI_ERR_OTHER,
               "a split collective has begun, and has not been ended");
  if (caller.error()) return caller.error();
  const std::unique_ptr<File> file(&caller.file());
  const int error = caller.result_of(file->close());
  *handle = MPI_FILE_NULL;
  return error;
}

/// Changes a file by a function of MPI that takes a size from the program.
template <class Change>
int change_size(const char* function, MPI_File handle, MPI_Offset bytes, Change&& change) {
  FileCaller caller(function, handle);
  caller.check(bytes >= 0, MPI_ERR_ARG, "the size is negative");
  caller.check(caller.error() || caller.file().mode().writes, MPI_ERR_READ_ONLY,
               "the file was opened to be read only");
  return caller.error() ? caller.error() : caller.result_of(change(caller.file()));
}

int set_errhandler(MPI_File handle, MPI_Errhandler handler) {
  const RankCall call;
  File* const file = file_of(handle);
  ErrorHandler* const ours = errhandler_of(handler);
  if (file == nullptr && handle != MPI_FILE_NULL)
    return fail(MPI_FILE_NULL, "MPI_File_set_errhandler", MPI_ERR_FILE, "this is no file");
  if (ours == nullptr || !ours->is_for(&ErrorHandler::for_files))
    return fail(handle, "MPI_File_set_errhandler", MPI_ERR_ARG,
                "this is no error handler of files");
  errhandler_of_file(file) = kept_errhandler(*ours);
  return MPI_SUCCESS;
}

int get_errhandler(MPI_File handle, MPI_Errhandler* handler) {
  const RankCall call;
  File* const file = file_of(handle);
  if (file == nullptr && handle != MPI_FILE_NULL)
    return fail(MPI_FILE_NULL, "MPI_File_get_errhandler", MPI_ERR_FILE, "this is no file");
  auto* const ours = static_cast<ErrorHandler*>(errhandler_of_file(file).get());
  if (ours != nullptr) ours->give_again();
  *handler = ours != nullptr ? mpi::handle_of(ours) : MPI_ERRORS_RETURN;
  return MPI_SUCCESS;
}

}  // namespace
}  // namespace terrace::threadranks::mpi

namespace mpi = terrace::threadranks::mpi;
using terrace::threadranks::File;
using terrace::threadranks::RankGroup;

TERRACE_MPI(int, File_open,
            (MPI_Comm comm, const char* name, int amode, MPI_Info info, MPI_File* file)) {
  return mpi::open(comm, name, amode, info, file);
}
TERRACE_MPI(int, File_close, (MPI_File * file)) {
  return mpi::close(file);
}
TERRACE_MPI(int, File_delete, (const char* name, MPI_Info)) {
  const mpi::RankCall call;
  const std::string path = mpi::path_of(name);
  if (unlink(path.c_str()) == 0) return MPI_SUCCESS;
  return mpi::fail(MPI_FILE_NULL, "MPI_File_delete", mpi::class_of_system_error(errno),
                   path + ": " + std::generic_category().message(errno));
}
TERRACE_MPI(int, File_set_size, (MPI_File file, MPI_Offset bytes)) {
  return mpi::change_size("MPI_File_set_size", file, bytes,
                          [&](File& ours) { return ours.set_size(bytes); });
}
TERRACE_MPI(int, File_preallocate, (MPI_File file, MPI_Offset bytes)) {
  return mpi::change_size("MPI_File_preallocate", file, bytes,
                          [&](File& ours) { return ours.preallocate(bytes); });
}
TERRACE_MPI(int, File_get_size, (MPI_File file, MPI_Offset* bytes)) {
  mpi::FileCaller caller("MPI_File_get_size", file);
  if (caller.error()) return caller.error();
  std::int64_t found = 0;
  const int error = caller.result_of(caller.file().size(found));
  *bytes = found;
  return error;
}
TERRACE_MPI(int, File_get_group, (MPI_File file, MPI_Group* group)) {
  mpi::FileCaller caller("MPI_File_get_group", file);
  if (caller.error()) return caller.error();
  *group = mpi::handle_of_object<MPI_Group>(*new RankGroup(caller.file().communicator().members()));
  return MPI_SUCCESS;
}
TERRACE_MPI(int, File_get_amode, (MPI_File file, int* amode)) {
  const mpi::FileCaller caller("MPI_File_get_amode", file);
  if (!caller.error()) *amode = caller.file().access_mode;
  return caller.error();
}
TERRACE_MPI(int, File_set_info, (MPI_File file, MPI_Info info)) {
  const mpi::FileCaller caller("MPI_File_set_info", file);
  if (!caller.error()) mpi::set_hints(caller.file(), info);
  return caller.error();
}
TERRACE_MPI(int, File_get_info, (MPI_File file, MPI_Info* info)) {
  const mpi::FileCaller caller("MPI_File_get_info", file);
  if (caller.error()) return caller.error();
  auto* const made = new mpi::InfoObject;
  made->entries = caller.file().hints;
  *info = mpi::handle_of_object<MPI_Info>(*made);
  return MPI_SUCCESS;
}
TERRACE_MPI(int, File_set_atomicity, (MPI_File file, int flag)) {
  const mpi::FileCaller caller("MPI_File_set_atomicity", file);
  if (caller.error()) return caller.error();
  caller.file().set_atomic(flag != 0);
  terrace::threadranks::barrier(caller.file().communicator());
  return MPI_SUCCESS;
}
TERRACE_MPI(int, File_get_atomicity, (MPI_File file, int* flag)) {
  const mpi::FileCaller caller("MPI_File_get_atomicity", file);
  if (!caller.error()) *flag = caller.file().is_atomic();
  return caller.error();
}
TERRACE_MPI(int, File_sync, (MPI_File file)) {
  mpi::FileCaller caller("MPI_File_sync", file);
  return caller.error() ? caller.error() : caller.result_of(caller.file().sync());
}

TERRACE_MPI(int, File_create_errhandler,
            (MPI_File_errhandler_function * function, MPI_Errhandler* handler)) {
  const mpi::RankCall call;
  auto* const made = new mpi::ErrorHandler{mpi::ErrorHandler::Kind::users};
  made->for_files = function;
  *handler = mpi::handle_of_object<MPI_Errhandler>(*made);
  return MPI_SUCCESS;
}
TERRACE_MPI(int, File_set_errhandler, (MPI_File file, MPI_Errhandler handler)) {
  return mpi::set_errhandler(file, handler);
}
TERRACE_MPI(int, File_get_errhandler, (MPI_File file, MPI_Errhandler* handler)) {
  return mpi::get_errhandler(file, handler);
}
TERRACE_MPI(int, File_call_errhandler, (MPI_File file, int code)) {
  const mpi::RankCall call;
  mpi::fail(file, "MPI_File_call_errhandler", code, mpi::sentence_of(code));
  return MPI_SUCCESS;
}
