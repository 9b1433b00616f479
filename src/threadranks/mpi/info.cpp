// SPDX-License-Identifier: BSD-3-Clause
// Info objects: keys and values.
#include <cstring>
#include <vector>

#include "threadranks/mpi/info.hpp"

namespace terrace::threadranks::mpi {

InfoObject* info_of(MPI_Info info) {
  static InfoObject& environment = *::new InfoObject;  // of no rank
  return info == MPI_INFO_ENV ? &environment : object_of<InfoObject>(info);
}

namespace {

InfoObject* known(const char* function, MPI_Info info, int& error) {
  InfoObject* const found = info_of(info);
  error = found != nullptr ? MPI_SUCCESS : fail(function, MPI_ERR_INFO, "this is no info object");
  return found;
}

}  // namespace
}  // namespace terrace::threadranks::mpi

namespace mpi = terrace::threadranks::mpi;

TERRACE_MPI(int, Info_create, (MPI_Info * info)) {
  const mpi::RankCall call;
  *info = mpi::handle_of_object<MPI_Info>(*new mpi::InfoObject);
  return MPI_SUCCESS;
}
TERRACE_MPI(int, Info_dup, (MPI_Info info, MPI_Info* made)) {
  const mpi::RankCall call;
  int error;
  const mpi::InfoObject* const ours = mpi::known("MPI_Info_dup", info, error);
  if (!error) *made = mpi::handle_of_object<MPI_Info>(*new mpi::InfoObject(*ours));
  return error;
}
TERRACE_MPI(int, Info_free, (MPI_Info * info)) {
  const mpi::RankCall call;
  int error;
  const mpi::InfoObject* const ours = mpi::known("MPI_Info_free", *info, error);
  if (error || *info == MPI_INFO_ENV) return error;
  delete ours;
  *info = MPI_INFO_NULL;
  return MPI_SUCCESS;
}
TERRACE_MPI(int, Info_set, (MPI_Info info, const char* key, const char* value)) {
  const mpi::RankCall call;
  int error;
  mpi::InfoObject* const ours = mpi::known("MPI_Info_set", info, error);
  if (error) return error;
  if (*key == '\0' || std::strlen(key) >= MPI_MAX_INFO_KEY)
    return mpi::fail("MPI_Info_set", MPI_ERR_INFO_KEY, "the key is empty or too long");
  if (std::strlen(value) >= MPI_MAX_INFO_VAL)
    return mpi::fail("MPI_Info_set", MPI_ERR_INFO_VALUE, "the value is too long");
  ours->set(key, value);
  return MPI_SUCCESS;
}
TERRACE_MPI(int, Info_delete, (MPI_Info info, const char* key)) {
  const mpi::RankCall call;
  int error;
  mpi::InfoObject* const ours = mpi::known("MPI_Info_delete", info, error);
  if (error) return error;
  if (ours->find(key) == nullptr)
    return mpi::fail("MPI_Info_delete", MPI_ERR_INFO_NOKEY, "there is no such key");
  std::erase_if(ours->entries, [&](const auto& entry) { return entry.first == key; });
  return MPI_SUCCESS;
}
TERRACE_MPI(int, Info_get, (MPI_Info info, const char* key, int length, char* value, int* flag)) {
  const mpi::RankCall call;
  int error;
  mpi::InfoObject* const ours = mpi::known("MPI_Info_get", info, error);
  if (error) return error;
  if (length < 0) return mpi::fail("MPI_Info_get", MPI_ERR_ARG, "the length is negative");
  const std::string* const found = ours->find(key);
  *flag = found != nullptr;
  int copied;
  return *flag ? mpi::put_text(*found, value, static_cast<std::size_t>(length) + 1, &copied)
               : MPI_SUCCESS;
}
TERRACE_MPI(int, Info_get_string,
            (MPI_Info info, const char* key, int* length, char* value, int* flag)) {
  const mpi::RankCall call;
  int error;
  mpi::InfoObject* const ours = mpi::known("MPI_Info_get_string", info, error);
  if (error) return error;
  const std::string* const found = ours->find(key);
  *flag = found != nullptr;
  if (!*flag) return MPI_SUCCESS;
  int copied;
  if (*length > 0) mpi::put_text(*found, value, static_cast<std::size_t>(*length), &copied);
  *length = static_cast<int>(found->size()) + 1;
  return MPI_SUCCESS;
}
TERRACE_MPI(int, Info_get_valuelen, (MPI_Info info, const char* key, int* length, int* flag)) {
  const mpi::RankCall call;
  int error;
  mpi::InfoObject* const ours = mpi::known("MPI_Info_get_valuelen", info, error);
  if (error) return error;
  const std::string* const found = ours->find(key);
  *flag = found != nullptr;
  if (*flag) *length = static_cast<int>(found->size());
  return MPI_SUCCESS;
}
TERRACE_MPI(int, Info_get_nkeys, (MPI_Info info, int* count)) {
  const mpi::RankCall call;
  int error;
  const mpi::InfoObject* const ours = mpi::known("MPI_Info_get_nkeys", info, error);
  if (!error) *count = static_cast<int>(ours->entries.size());
  return error;
}
TERRACE_MPI(int, Info_get_nthkey, (MPI_Info info, int n, char* key)) {
  const mpi::RankCall call;
  int error, copied;
  const mpi::InfoObject* const ours = mpi::known("MPI_Info_get_nthkey", info, error);
  if (error) return error;
  if (n < 0 || n >= static_cast<int>(ours->entries.size()))
    return mpi::fail("MPI_Info_get_nthkey", MPI_ERR_ARG, "there are fewer keys");
  return mpi::put_text(ours->entries[static_cast<std::size_t>(n)].first, key, MPI_MAX_INFO_KEY,
                       &copied);
}

// Hints: Terrace uses none, so it returns none either.
TERRACE_MPI(int, Comm_set_info, (MPI_Comm comm, MPI_Info info)) {
  mpi::Caller caller("MPI_Comm_set_info", comm);
  if (!caller.error() && mpi::info_of(info) == nullptr)
    caller.fail(MPI_ERR_INFO, "this is no info object");
  return caller.error();
}
TERRACE_MPI(int, Comm_get_info, (MPI_Comm comm, MPI_Info* info)) {
  mpi::Caller caller("MPI_Comm_get_info", comm);
  if (!caller.error()) *info = mpi::handle_of_object<MPI_Info>(*new mpi::InfoObject);
  return caller.error();
}

// Makes an info of what is known about the program's start: its arguments.
TERRACE_MPI(int, Info_create_env, (int argc, char** argv, MPI_Info* info)) {
  const mpi::RankCall call;
  auto* const made = new mpi::InfoObject;
  if (argc > 0 && argv != nullptr) {
    made->entries.emplace_back("command", argv[0]);
    std::string rest;
    for (int i = 1; i < argc; ++i) rest += (i > 1 ? " " : "") + std::string(argv[i]);
    if (!rest.empty()) made->entries.emplace_back("argv", rest);
  }
  const int ranks = static_cast<int>(terrace::threadranks::rank_of_caller().job().rank_count());
  made->entries.emplace_back("maxprocs", std::to_string(ranks));
  *info = mpi::handle_of_object<MPI_Info>(*made);
  return MPI_SUCCESS;
}
