// SPDX-License-Identifier: BSD-3-Clause
// MPI_Comm_split_type, and what there is to split along (MPI 5.0, section 7.4.2).
#include <optional>
#include <string>

#include "threadranks/mpi/group/attributes.hpp"
#include "threadranks/mpi/info.hpp"
#include "threadranks/ranks/hardware_split.hpp"

namespace terrace::threadranks::mpi {

namespace {

/// A split type as all ABIs' adapters know it; 0: it is not along the hardware.
int hardware_type(int type) {
  if (type == MPI_COMM_TYPE_HW_GUIDED || level_of_split_type(type) != nullptr)
    return communicators::kHwGuided;
  if (type == MPI_COMM_TYPE_HW_UNGUIDED) return communicators::kHwUnguided;
  return type == MPI_COMM_TYPE_RESOURCE_GUIDED ? communicators::kResourceGuided : 0;
}

bool is_split_type(int type) {
  return type == MPI_COMM_TYPE_SHARED || type == MPI_UNDEFINED || hardware_type(type) != 0 ||
         is_split_type_without_use(type);
}

std::optional<std::string> value_of(MPI_Info info, const char* key) {
  InfoObject* const object = info == MPI_INFO_NULL ? nullptr : info_of(info);
  const std::string* const value = object != nullptr ? object->find(key) : nullptr;
  return value != nullptr ? std::optional(*value) : std::nullopt;
}

communicators::SplitWish wish_of(int type, int key, MPI_Info info) {
  communicators::SplitWish wish;
  wish.is_out = type == MPI_UNDEFINED || is_split_type_without_use(type);
  wish.key = key;
  wish.split_type = hardware_type(type);
  if (const char* const level = level_of_split_type(type))
    wish.request.level = level;
  else if (communicators::is_guided(wish.split_type))
    communicators::read_guidance(wish, value_of(info, communicators::kResourceKey),
                                 value_of(info, communicators::kSetKey));
  return wish;
}

int class_of(communicators::Failure failure) {
  return failure == communicators::Failure::argument ? MPI_ERR_ARG : MPI_ERR_OTHER;
}

/// An unguided split says what it has found.
void tell_resource(int type, MPI_Info info, const HardwareSplit& split) {
  if (type != MPI_COMM_TYPE_HW_UNGUIDED || split.made == nullptr || info == MPI_INFO_NULL) return;
  if (InfoObject* const object = info_of(info))
    object->set(communicators::kResourceKey, split.resource);
}

int split_by_hardware(Caller& caller, int type, int key, MPI_Info info, MPI_Comm* made) {
  const HardwareSplit split = split_along_hardware(caller.communicator(), wish_of(type, key, info));
  if (split.failure != communicators::Failure::none)
    return caller.fail(class_of(split.failure), split.sentence.empty()
                                                    ? "another rank's arguments are wrong"
                                                    : split.sentence);
  tell_resource(type, info, split);
  return put_new(caller.communicator(), split.made, made);
}

}  // namespace
}  // namespace terrace::threadranks::mpi

namespace mpi = terrace::threadranks::mpi;

TERRACE_MPI(int, Comm_split_type,
            (MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* made)) {
  mpi::Caller caller("MPI_Comm_split_type", comm);
  if (!caller.error() && !mpi::is_split_type(type))
    caller.fail(MPI_ERR_ARG,
                "there is no way to split that has the number " + std::to_string(type));
  if (!caller.error() && info != MPI_INFO_NULL && mpi::info_of(info) == nullptr)
    caller.fail(MPI_ERR_INFO, "this is no info object");
  if (caller.error()) return caller.error();
  terrace::threadranks::Communicator& parent = caller.communicator();
  const bool is_by_hardware = mpi::hardware_type(type) != 0;
  if (parent.is_intercomm() && is_by_hardware) {
    // Ranks that give MPI_UNDEFINED know of no error, and wait for the others.
    terrace::threadranks::split(parent, -1, key);
    return caller.fail(MPI_ERR_COMM,
                       "two groups have no hardware together; split what MPI_Intercomm_merge makes "
                       "of them");
  }
  // Not all ranks need to know that others ask for it: those that give MPI_UNDEFINED.
  if (!parent.is_intercomm() && terrace::threadranks::is_any(parent, is_by_hardware))
    return mpi::split_by_hardware(caller, type, key, info, made);
  const int color = type == MPI_COMM_TYPE_SHARED ? caller.state().job().process() : -1;
  return mpi::put_new(parent, terrace::threadranks::split(parent, color, key), made);
}

TERRACE_MPI(int, Get_hw_resource_info, (MPI_Info * info)) {
  mpi::Caller caller("MPI_Get_hw_resource_info", MPI_COMM_WORLD);
  if (caller.error()) return caller.error();
  auto& made = *new mpi::InfoObject;
  for (const auto& [type, is_in_one] : terrace::threadranks::resources_of(caller.state()))
    made.set("hwloc://" + type, is_in_one ? "true" : "false");
  *info = mpi::handle_of_object<MPI_Info>(made);
  return MPI_SUCCESS;
}
