// SPDX-License-Identifier: BSD-3-Clause
// Decides whether a split is Terrace's: by all ranks together, in an exchange of some bytes before
// each call, because a rank that gives MPI_UNDEFINED does not know what the others ask for.
#include "preload/dispatch/split_type.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "abi/mpich.hpp"
#include "abi/openmpi.hpp"
#include "abi/standard.hpp"
#include "base/hash.hpp"
#include "base/say.hpp"
#include "communicators/library/splitting.hpp"
#include "preload/lookup/next_function.hpp"
#include "preload/lookup/symbol_lookup.hpp"
#include "preload/mpi/settings.hpp"
#include "preload/mpi/underlying_mpi.hpp"
#include "preload/setup/comm_states.hpp"
#include "preload/setup/job_ranks.hpp"

namespace terrace::preload {

namespace {

/// The functions of libterrace-communicators; null if it cannot be loaded.
struct Library {
  int (*split_type)(HandleWord, int, int, HandleWord, void*) = nullptr;
  int (*hw_resource_info)(void*) = nullptr;
};

/// The folder that this library was loaded from, with a slash; "" if unknown.
std::string own_folder() {
  const std::string path = library_at(reinterpret_cast<const void*>(&own_folder));
  return path.substr(0, path.size() - file_name(path).size());
}

/// The library that the program is linked to, so that both see the same communicators; else
/// Terrace's.
void* open_library() {
  const int flags = RTLD_NOW | RTLD_LOCAL;
  if (void* opened = dlopen(TERRACE_COMMUNICATORS_FILE, flags | RTLD_NOLOAD)) return opened;
  const std::string path = own_folder() + TERRACE_COMMUNICATORS_FILE;
  if (void* opened = dlopen(path.c_str(), flags)) return opened;
  say_once("the MPI alone splits communicators, since " + path + " cannot be loaded: " + dlerror());
  return nullptr;
}

const Library& library() {
  static const Library functions = [] {
    Library found;
    void* const opened = open_library();  // for good
    if (opened == nullptr) return found;
    found.split_type =
        reinterpret_cast<decltype(found.split_type)>(dlsym(opened, "MPIX_Comm_split_type"));
    found.hw_resource_info = reinterpret_cast<decltype(found.hw_resource_info)>(
        dlsym(opened, "MPIX_Get_hw_resource_info"));
    return found;
  }();
  return functions;
}

/// Numbers of the split types of MPI 4.0 and 4.1.
struct HardwareTypes {
  int hw_guided;
  int hw_unguided;
  int resource_guided;
};

HardwareTypes hardware_types(Abi abi) {
  namespace all = terrace::abi;
  switch (abi) {
    case Abi::mpich:
      return {all::mpich::kTypeHwGuided, all::mpich::kTypeHwUnguided,
              all::mpich::kTypeResourceGuided};
    case Abi::openmpi:
      return {all::openmpi::kTypeHwGuided, all::openmpi::kTypeHwUnguided,
              all::openmpi::kTypeResourceGuided};
    case Abi::standard:
      break;
  }
  return {all::standard::kTypeHwGuided, all::standard::kTypeHwUnguided,
          all::standard::kTypeResourceGuided};
}

/// Whether the MPI reports version 4.`minor` or later: older MPICHs use these numbers for other
/// split types.
bool is_of_version_4(int minor) {
  static const NextFunction<int(int*, int*)> get_version("PMPI_Get_version");
  int version = 0, subversion = 0;
  if (!get_version || get_version(&version, &subversion) != 0) return false;
  return version > 4 || (version == 4 && subversion >= minor);
}

/// The split type of <terrace/mpix.h> that the program means; `type` itself if it is the MPI's.
int our_type(int type, Abi abi) {
  const HardwareTypes numbers = hardware_types(abi);
  const bool is_mpichs = abi == Abi::mpich;
  const bool has_hardware = !is_mpichs || is_of_version_4(0);
  const bool has_resources = !is_mpichs || is_of_version_4(1);
  if (has_hardware && type == numbers.hw_guided) return communicators::kHwGuided;
  if (has_hardware && type == numbers.hw_unguided) return communicators::kHwUnguided;
  if (has_resources && type == numbers.resource_guided) return communicators::kResourceGuided;
  return type;
}

bool is_ours(int type) {
  return type >= communicators::kPhysicalTopology && type <= communicators::kResourceGuided;
}

/// The vote that a rank tells the others before a split. Sent as bytes.
struct Vote {
  std::uint64_t stamp = 0;      ///< of the build
  std::uint32_t is_ours = 0;    ///< its split type is one of Terrace's
  std::uint32_t is_silent = 0;  ///< the call falls back to the MPI
};

bool is_off(const UnderlyingMpi& underlying, Handle communicator) {
  return is_switched_off() || is_split_switched_off() ||
         is_switched_off_for(underlying.name_of(communicator));
}

constexpr const char* kWho =
    "an MPI_Comm_split_type (with TERRACE_OFF=comm_split_type, it falls back to the MPI)";

/// The votes of all ranks; nothing if the MPI refuses.
std::vector<Vote> gather(UnderlyingMpi& underlying, Handle communicator, const Vote& own) {
  const int size = underlying.size_of(communicator).value_or(0);
  std::vector<Vote> all(static_cast<std::size_t>(std::max(size, 0)));
  if (!all.empty() && !underlying.allgather(communicator, &own, all.data(), sizeof own, kWho))
    all.clear();
  return all;
}

bool are_all_willing(const std::vector<Vote>& votes) {
  return !votes.empty() && std::all_of(votes.begin(), votes.end(), [&](const Vote& vote) {
    return vote.stamp == votes.front().stamp && vote.is_silent == 0;
  });
}

/// Whether all ranks will join a vote: ranks without Terrace would not. A rank that joins once
/// joins always, so it is asked once per communicator.
bool do_all_come(UnderlyingMpi& underlying, Handle communicator) {
  CommState* const comm_state = comm_state_of(underlying, communicator);
  if (comm_state != nullptr && comm_state->all_vote) return true;
  const std::vector<int> ranks = underlying.ranks_in_world(communicator);
  const auto own = static_cast<std::size_t>(underlying.rank_in(communicator).value_or(0));
  const bool all_come = own < ranks.size() && !is_one_without(ranks, ranks[own], underlying.abi);
  if (comm_state != nullptr) comm_state->all_vote = all_come;
  return all_come;
}

/// Collective: whether Terrace makes this split, the same on all ranks.
/// `has_place`: for the new communicator. If a rank has none, the MPI says so in its own way.
bool agree(UnderlyingMpi& underlying, Handle communicator, bool is_own_ours, bool has_place) {
  if (!do_all_come(underlying, communicator)) return false;
  static const std::uint64_t stamp = hash_of(build_stamp());
  const Vote own{stamp, is_own_ours, !has_place || is_off(underlying, communicator)};
  const std::vector<Vote> votes = gather(underlying, communicator, own);
  const bool is_wanted =
      std::any_of(votes.begin(), votes.end(), [](const Vote& vote) { return vote.is_ours != 0; });
  if (!is_wanted || !are_all_willing(votes)) return false;
  // Loaded only now: most programs never split by hardware.
  const bool is_here = library().split_type != nullptr;
  return are_all_willing(gather(underlying, communicator, {stamp, is_own_ours, !is_here}));
}

/// Set while this thread is in a call of the library, whose own calls of MPI_Comm_split_type are
/// for the MPI.
thread_local bool is_inside __attribute__((tls_model("initial-exec"))) = false;

class Inside {
 public:
  Inside() { is_inside = true; }
  ~Inside() { is_inside = false; }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
};

/// A handle as it would come in a register.
HandleWord word_in(Handle handle, const UnderlyingMpi& underlying) {
  return handle & underlying.handle_bits;
}

}  // namespace

std::optional<int> run_split_type(const SplitCall& call, void* newcomm) {
  UnderlyingMpi* const underlying = is_inside ? nullptr : underlying_mpi();
  if (underlying == nullptr || underlying->is_null(call.communicator) ||
      is_off_for_fault_tolerance())
    return std::nullopt;
  const int type = our_type(call.type, underlying->abi);
  // Intercommunicators cannot be split by hardware: each rank reports the error alone.
  const bool is_run =
      underlying->is_intercommunicator(call.communicator)
          ? is_ours(type) && !is_off(*underlying, call.communicator) && newcomm != nullptr &&
                library().split_type != nullptr
          : agree(*underlying, call.communicator, is_ours(type), newcomm != nullptr);
  if (!is_run) return std::nullopt;
  const Inside inside;
  return library().split_type(word_in(call.communicator, *underlying), type, call.key,
                              word_in(call.info, *underlying), newcomm);
}

std::optional<int> run_resource_question(void* hardware) {
  if (is_switched_off() || is_split_switched_off() || !is_first_of_our_kind() ||
      library().hw_resource_info == nullptr)
    return std::nullopt;
  return library().hw_resource_info(hardware);
}

}  // namespace terrace::preload
