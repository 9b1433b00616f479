// SPDX-License-Identifier: BSD-3-Clause
// Initialization and finalization, clocks, versions, names.
#include <unistd.h>
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <new>
#include <string>

#include "base/ticks.hpp"
#include "threadranks/mpi/group/attributes.hpp"
#include "threadranks/mpi/info.hpp"
#include "threadranks/ranks/forked_child.hpp"

namespace terrace::threadranks::mpi {
namespace {

int initialize(const char* function, int required, int* provided) {
  const RankCall call(function);
  RankState& rank = call.state();
  if (phase_of_parent()) return fail(function, MPI_ERR_OTHER, kObstacleInChild);
  if (rank.phase != MpiPhase::before)
    return fail(function, MPI_ERR_OTHER, "MPI can be initialized only once");
  rank.thread_level = std::clamp<int>(required, MPI_THREAD_SINGLE, MPI_THREAD_MULTIPLE);
  if (provided != nullptr) *provided = rank.thread_level;
  rank.main_thread = std::this_thread::get_id();
  rank.allow_threads(rank.thread_level == MPI_THREAD_MULTIPLE || rank.has_threaded_parts);
  rank.begin();
  rank.be_fibre();
  return MPI_SUCCESS;
}

/// Tells what MPI 5.0 wants to be told of Fortran's types: sizes, and whether those of stated size
/// are there. Numbers are those of its ABI, whose lower bits say kind and size.
void tell_fortran(InfoObject& info) {
  constexpr std::uintptr_t kLogical = 0x218, kDoubleComplex = 0x21d, kLogical1 = 0x2c0;
  const char* const defaults[] = {"logical", "integer", "real", nullptr, "double_precision"};
  for (std::size_t i = 0; i < std::size(defaults); ++i)
    if (defaults[i] != nullptr)
      info.set(std::string("mpi_") + defaults[i] + "_size",
               std::to_string(predefined_type(kLogical + i)->size()));
  const auto tell = [&](const std::string& name, std::uintptr_t number) {
    info.set("mpi_" + name + "_supported", predefined_type(number) != nullptr ? "true" : "false");
  };
  struct Kind {
    const char* name;
    int least, most;  ///< the logarithms of sizes
  };
  const Kind kinds[] = {{"logical", 0, 4}, {"integer", 0, 4}, {"real", 1, 4}, {"complex", 2, 5}};
  for (std::size_t i = 0; i < std::size(kinds); ++i)
    for (int size = kinds[i].least; size <= kinds[i].most; ++size)
      tell(kinds[i].name + std::to_string(1 << size),
           kLogical1 + (static_cast<std::uintptr_t>(size) << 3) + i);
  tell("double_complex", kDoubleComplex);
}

}  // namespace
}  // namespace terrace::threadranks::mpi

namespace mpi = terrace::threadranks::mpi;
using terrace::threadranks::MpiPhase;
using terrace::threadranks::phase_of_parent;
using terrace::threadranks::rank_of_caller;

TERRACE_MPI(int, Init, (int*, char***)) {
  return mpi::initialize("MPI_Init", MPI_THREAD_SINGLE, nullptr);
}

TERRACE_MPI(int, Init_thread, (int*, char***, int required, int* provided)) {
  return mpi::initialize("MPI_Init_thread", required, provided);
}

// Constructors may ask, which run before their rank has begun.
TERRACE_MPI(int, Initialized, (int* flag)) {
  *flag = 0;
  if (!terrace::threadranks::is_caller_of_a_rank()) return MPI_SUCCESS;
  const mpi::RankCall call;
  *flag = phase_of_parent().value_or(call.state().phase) != MpiPhase::before;
  return MPI_SUCCESS;
}

TERRACE_MPI(int, Finalized, (int* flag)) {
  *flag = 0;
  if (!terrace::threadranks::is_caller_of_a_rank()) return MPI_SUCCESS;
  const mpi::RankCall call;
  *flag = call.state().phase == MpiPhase::finalized;
  return MPI_SUCCESS;
}

TERRACE_MPI(int, Finalize, (void)) {
  mpi::Caller caller("MPI_Finalize", MPI_COMM_WORLD);
  if (caller.error()) return caller.error();
  // Programs use delete functions of attributes of MPI_COMM_SELF for work at the end of MPI.
  if (const int error = mpi::delete_attributes(caller.state().self()))
    return caller.fail(error, "an attribute of MPI_COMM_SELF cannot be deleted");
  caller.state().settle();
  terrace::threadranks::barrier(caller.communicator());
  caller.state().report();
  caller.state().phase = MpiPhase::finalized;
  if (!caller.state().may_call()) terrace::fibre::go_home();
  return MPI_SUCCESS;
}

TERRACE_MPI(int, Is_thread_main, (int* flag)) {
  const mpi::RankCall call;
  *flag = call.state().main_thread == std::this_thread::get_id();
  return MPI_SUCCESS;
}

TERRACE_MPI(int, Query_thread, (int* provided)) {
  const mpi::RankCall call;
  *provided = call.state().thread_level;
  return MPI_SUCCESS;
}

TERRACE_MPI(int, Abort, (MPI_Comm, int code)) {
  const auto& rank = rank_of_caller();
  rank.end_job(code, "rank " + std::to_string(rank.rank()) + " called MPI_Abort with code " +
                         std::to_string(code));
}

/// The program's clock, as of every MPI: libfaketime may have changed it, which our own waits do
/// not heed.
TERRACE_MPI(double, Wtime, (void)) {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

TERRACE_MPI(double, Wtick, (void)) {
  return 1e-9;
}

TERRACE_MPI(int, Get_version, (int* version, int* subversion)) {
  *version = MPI_VERSION;
  *subversion = MPI_SUBVERSION;
  return MPI_SUCCESS;
}

TERRACE_MPI(int, Abi_get_version, (int* major, int* minor)) {
  *major = MPI_ABI_VERSION;
  *minor = MPI_ABI_SUBVERSION;
  return MPI_SUCCESS;
}

TERRACE_MPI(int, Abi_get_info, (MPI_Info * info)) {
  const mpi::RankCall call;
  auto* const made = new mpi::InfoObject;
  made->set("mpi_aint_size", std::to_string(sizeof(MPI_Aint)));
  made->set("mpi_count_size", std::to_string(sizeof(MPI_Count)));
  made->set("mpi_offset_size", std::to_string(sizeof(MPI_Offset)));
  *info = mpi::handle_of_object<MPI_Info>(*made);
  return MPI_SUCCESS;
}

TERRACE_MPI(int, Abi_get_fortran_info, (MPI_Info * info)) {
  const mpi::RankCall call;
  auto* const made = new mpi::InfoObject;
  mpi::tell_fortran(*made);
  *info = mpi::handle_of_object<MPI_Info>(*made);
  return MPI_SUCCESS;
}

TERRACE_MPI(int, Get_library_version, (char* version, int* length)) {
  return mpi::put_text("Terrace " TERRACE_VERSION ", ranks that are threads" TERRACE_OF_ABI,
                       version, MPI_MAX_LIBRARY_VERSION_STRING, length);
}

TERRACE_MPI(int, Get_processor_name, (char* name, int* length)) {
  char host[MPI_MAX_PROCESSOR_NAME] = "";
  if (gethostname(host, sizeof host - 1) != 0) std::strcpy(host, "unknown");
  return mpi::put_text(host, name, sizeof host, length);
}

TERRACE_MPI(int, Pcontrol, (const int, ...)) {
  return MPI_SUCCESS;
}
