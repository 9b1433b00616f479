// SPDX-License-Identifier: BSD-3-Clause
// Views of files, pointers, and representations of data.
#include <set>
#include <string>

#include "threadranks/mpi/file/file_caller.hpp"
#include "threadranks/types/external32.hpp"

namespace terrace::threadranks::mpi {
namespace {

using AddedRepresentations = std::set<std::string>;

/// Representations that the program has added. Each rank is a program, and has its own.
AddedRepresentations& added() {
  std::shared_ptr<void>& kept = rank_of_caller().representations;
  if (kept == nullptr) kept = std::make_shared<AddedRepresentations>();
  return *static_cast<AddedRepresentations*>(kept.get());
}

/// Whether the elements have the same length in the file as in memory.
bool has_same_length(const Datatype& type) {
  return external_bytes(type) == type.size();
}

void check_view(FileCaller& caller, MPI_Offset displacement, const Datatype* element,
                const Datatype* tile, const std::string& name) {
  caller.check(element != nullptr && tile != nullptr, MPI_ERR_TYPE, "this is no datatype");
  if (caller.error()) return;
  const File& file = caller.file();
  caller.check(element->is_committed && tile->is_committed, MPI_ERR_TYPE,
               "the datatype is not committed");
  caller.check(element->size() > 0 && tile->size() % element->size() == 0, MPI_ERR_ARG,
               "the filetype does not consist of whole etypes");
  const bool may_overlap = !file.mode().writes;
  caller.check(
      FileView::is_filetype(*element, may_overlap) && FileView::is_filetype(*tile, may_overlap),
      MPI_ERR_IO,
      may_overlap ? "the types' displacements are negative, or do not ascend"
                  : "the types' displacements are negative, do not ascend, or overlap");
  const bool is_current = displacement == MPI_DISPLACEMENT_CURRENT;
  caller.check(!is_current || file.mode().is_sequential, MPI_ERR_ARG,
               "MPI_DISPLACEMENT_CURRENT is for files opened with MPI_MODE_SEQUENTIAL");
  caller.check(is_current || displacement >= 0, MPI_ERR_ARG, "the displacement is negative");
  const bool is_external = name == "external32";
  const bool is_known = is_external || name == "native" || name == "internal";
  caller.check(is_known, MPI_ERR_UNSUPPORTED_DATAREP,
               added().count(name) != 0
                   ? "files are not converted by functions of the program"
                   : "there is no such representation of data: native, internal, external32");
  caller.check(!is_external || (has_same_length(*element) && has_same_length(*tile)),
               MPI_ERR_UNSUPPORTED_DATAREP,
               "elements whose length in external32 differs from that in memory can be in no view");
}

void set_view(FileCaller& caller, MPI_Offset displacement, MPI_Datatype etype,
              MPI_Datatype filetype, const std::string& name) {
  Datatype* const element = type_of(etype);
  Datatype* const tile = type_of(filetype);
  check_view(caller, displacement, element, tile, name);
  // All members are in the call, and go on together.
  File& file = caller.file();
  if (first_error(file.communicator(), caller.error()) != MPI_SUCCESS) {
    caller.fail(MPI_ERR_NOT_SAME, "another rank's view is wrong");
    return;
  }
  const std::int64_t from = displacement == MPI_DISPLACEMENT_CURRENT
                                ? file.view().offset_of(file.shared_pointer().position())
                                : displacement;
  file.set_view(from, *element, *tile,
                name == "external32" ? Representation::external32 : Representation::native);
}

int get_view(MPI_File handle, MPI_Offset* displacement, MPI_Datatype* etype, MPI_Datatype* filetype,
             char* name) {
  const FileCaller caller("MPI_File_get_view", handle);
  if (caller.error()) return caller.error();
  const File& file = caller.file();
  *displacement = file.view().displacement();
  for (const auto& [type, place] : {std::pair{file.etype(), etype}, {file.filetype(), filetype}}) {
    type->give_again();
    *place = mpi::handle_of(type);
  }
  int length;
  const bool is_native = file.representation() == Representation::native;
  return put_text(is_native ? "native" : "external32", name, MPI_MAX_DATAREP_STRING, &length);
}

/// A position in the view, in bytes, of a seek; negative: an error.
std::int64_t position_of(FileCaller& caller, MPI_Offset offset, int whence, std::int64_t current) {
  File& file = caller.file();
  const auto etype = static_cast<std::int64_t>(file.view().etype_bytes());
  std::int64_t base = 0, size = 0;
  if (whence == MPI_SEEK_CUR) base = current;
  if (whence == MPI_SEEK_END) {
    if (caller.result_of(file.size(size))) return -1;
    base = (file.view().bytes_before(size) + etype - 1) / etype * etype;
  }
  const bool is_known = whence == MPI_SEEK_SET || whence == MPI_SEEK_CUR || whence == MPI_SEEK_END;
  caller.check(is_known, MPI_ERR_ARG, "this is none of MPI_SEEK_SET, MPI_SEEK_CUR, MPI_SEEK_END");
  const auto position = file.view().position_of(offset, base);
  caller.check(position.has_value(), MPI_ERR_ARG, kWrongOffset);
  return position.value_or(-1);
}

int seek(MPI_File handle, MPI_Offset offset, int whence) {
  FileCaller caller("MPI_File_seek", handle);
  if (caller.error()) return caller.error();
  caller.check(!caller.file().mode().is_sequential, MPI_ERR_UNSUPPORTED_OPERATION,
               "a sequential file has no individual pointer");
  if (caller.error()) return caller.error();
  const std::int64_t position = position_of(caller, offset, whence, caller.file().position);
  if (!caller.error()) caller.file().position = position;
  return caller.error();
}

int seek_shared(MPI_File handle, MPI_Offset offset, int whence) {
  FileCaller caller("MPI_File_seek_shared", handle);
  if (caller.error()) return caller.error();
  File& file = caller.file();
  const std::int64_t position =
      position_of(caller, offset, whence, file.shared_pointer().position());
  if (!caller.error()) file.shared_pointer().set(position);
  return caller.error();
}

int register_representation(const char* function, const char* name) {
  const RankCall call;
  if (name == nullptr || std::string(name).empty() ||
      std::string(name).size() >= MPI_MAX_DATAREP_STRING)
    return fail(MPI_FILE_NULL, function, MPI_ERR_ARG, "the name has no length that is allowed");
  const std::string text = name;
  const bool is_ours = text == "native" || text == "internal" || text == "external32";
  if (is_ours || !added().insert(text).second)
    return fail(MPI_FILE_NULL, function, MPI_ERR_DUP_DATAREP, "there is a " + text + " already");
  return MPI_SUCCESS;
}

/// In files of the program's view.
template <class Number>
int type_extent(const char* function, MPI_File handle, MPI_Datatype type, Number* extent) {
  FileCaller caller(function, handle);
  const Datatype* const known = type_of(type);
  caller.check(known != nullptr, MPI_ERR_TYPE, "this is no datatype");
  if (!caller.error()) *extent = known->extent();
  return caller.error();
}

}  // namespace

}  // namespace terrace::threadranks::mpi

namespace mpi = terrace::threadranks::mpi;

TERRACE_MPI(int, File_set_view,
            (MPI_File file, MPI_Offset displacement, MPI_Datatype etype, MPI_Datatype filetype,
             const char* name, MPI_Info)) {
  mpi::FileCaller caller("MPI_File_set_view", file);
  if (!caller.error()) mpi::set_view(caller, displacement, etype, filetype, name);
  return caller.error();
}
TERRACE_MPI(int, File_get_view,
            (MPI_File file, MPI_Offset* displacement, MPI_Datatype* etype, MPI_Datatype* filetype,
             char* name)) {
  return mpi::get_view(file, displacement, etype, filetype, name);
}
TERRACE_MPI(int, File_seek, (MPI_File file, MPI_Offset offset, int whence)) {
  return mpi::seek(file, offset, whence);
}
TERRACE_MPI(int, File_seek_shared, (MPI_File file, MPI_Offset offset, int whence)) {
  return mpi::seek_shared(file, offset, whence);
}
TERRACE_MPI(int, File_get_position, (MPI_File file, MPI_Offset* offset)) {
  const mpi::FileCaller caller("MPI_File_get_position", file);
  if (caller.error()) return caller.error();
  const auto& ours = caller.file();
  *offset = ours.position / static_cast<std::int64_t>(ours.view().etype_bytes());
  return MPI_SUCCESS;
}
TERRACE_MPI(int, File_get_position_shared, (MPI_File file, MPI_Offset* offset)) {
  const mpi::FileCaller caller("MPI_File_get_position_shared", file);
  if (caller.error()) return caller.error();
  auto& ours = caller.file();
  *offset = ours.shared_pointer().position() / static_cast<std::int64_t>(ours.view().etype_bytes());
  return MPI_SUCCESS;
}
TERRACE_MPI(int, File_get_byte_offset, (MPI_File file, MPI_Offset offset, MPI_Offset* place)) {
  mpi::FileCaller caller("MPI_File_get_byte_offset", file);
  if (caller.error()) return caller.error();
  const auto& view = caller.file().view();
  const auto position = view.position_of(offset);
  caller.check(position.has_value(), MPI_ERR_ARG, mpi::kWrongOffset);
  if (position) *place = view.offset_of(*position);
  return caller.error();
}
TERRACE_MPI(int, File_get_type_extent, (MPI_File file, MPI_Datatype type, MPI_Aint* extent)) {
  return mpi::type_extent("MPI_File_get_type_extent", file, type, extent);
}
TERRACE_MPI(int, File_get_type_extent_c, (MPI_File file, MPI_Datatype type, MPI_Count* extent)) {
  return mpi::type_extent("MPI_File_get_type_extent_c", file, type, extent);
}
TERRACE_MPI(int, Register_datarep,
            (const char* name, MPI_Datarep_conversion_function*, MPI_Datarep_conversion_function*,
             MPI_Datarep_extent_function*, void*)) {
  return mpi::register_representation("MPI_Register_datarep", name);
}
TERRACE_MPI(int, Register_datarep_c,
            (const char* name, MPI_Datarep_conversion_function_c*,
             MPI_Datarep_conversion_function_c*, MPI_Datarep_extent_function*, void*)) {
  return mpi::register_representation("MPI_Register_datarep_c", name);
}
