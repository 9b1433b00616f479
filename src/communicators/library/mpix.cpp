// SPDX-License-Identifier: BSD-3-Clause
// The functions of <terrace/mpix.h>, called by programs of any ABI: handles arrive as words, and
// results are stored into handles of the program's size.
#include <algorithm>
#include <mutex>
#include <new>
#include <set>

#include "base/say.hpp"
#include "communicators/library/comm_attribute.hpp"
#include "communicators/library/splitting.hpp"
#include "communicators/placement.hpp"

#define TERRACE_ENTRY extern "C" __attribute__((visibility("default"))) int

namespace terrace::communicators {
namespace {

using AbiWord = std::uintptr_t;

/// Returns a text that lives as long as the process, as callers keep the address.
char* lasting(const std::string& text) {
  static std::mutex mutex;
  static auto* const texts = new std::set<std::string>;  // outlives every user
  const std::lock_guard lock(mutex);
  return const_cast<char*>(texts->insert(text).first->c_str());
}

/// Calls `work` with the MPI. No exception of ours may pass through a C program. An exception of
/// the program's own error handler is the program's, which has been told of the error already.
template <class Work>
int with_mpi(Work work) {
  Mpi* const mpi = mpi_of_this_process();
  if (mpi == nullptr) return kErrorWithoutMpi;
  try {
    return work(*mpi);
  } catch (const std::bad_alloc&) {
    return mpi->raise(mpi->world(), mpi->error_code(Failure::other));
  }
}

Arguments arguments_of(const Mpi& mpi, const char* call, AbiWord comm, AbiWord info) {
  Arguments arguments;
  arguments.call = call;
  arguments.comm = mpi.handle(comm);
  arguments.info = mpi.handle(info);
  arguments.wish.split_type = kPhysicalTopology;
  return arguments;
}

void need(const void* place, const char* sentence, SplitWish& wish) {
  if (place == nullptr) wish.reject(sentence);
}

int bad_rank(Mpi& mpi, Handle comm, const char* call, int rank, std::size_t ranks) {
  return fail(mpi, comm, call, Failure::rank,
              "there is no rank " + std::to_string(rank) + " among " + std::to_string(ranks));
}

bool is_rank(int rank, const Members& members) {
  return rank >= 0 && static_cast<std::size_t>(rank) < members.localities().size();
}

/// The name of the resource that the listed ranks share, for the calling rank `own`.
std::string shared_type(const Members& members, const std::vector<Rank>& ranks, Rank own) {
  if (std::find(ranks.begin(), ranks.end(), own) == ranks.end()) return kUnknown;
  return type_of(shared_level(members.localities(), ranks));
}

}  // namespace

TERRACE_ENTRY MPIX_Comm_split_type(AbiWord comm, int type, int key, AbiWord info, void* newcomm) {
  return with_mpi([&](Mpi& mpi) {
    Arguments arguments = arguments_of(mpi, "MPIX_Comm_split_type", comm, info);
    arguments.wish.split_type = type;
    arguments.wish.key = key;
    arguments.wish.is_out = type == mpi.undefined();
    need(newcomm, "the place for the new communicator is null", arguments.wish);
    Handle made = mpi.null();
    const int error = split_type(mpi, arguments, made);
    if (newcomm != nullptr) mpi.put(made, newcomm);
    return error;
  });
}

TERRACE_ENTRY MPIX_Comm_hsplit_with_roots(AbiWord comm, AbiWord info, void* newcomm,
                                          void* rootscomm) {
  return with_mpi([&](Mpi& mpi) {
    Arguments arguments = arguments_of(mpi, "MPIX_Comm_hsplit_with_roots", comm, info);
    arguments.wish.wants_roots = true;
    need(newcomm, "the place for the new communicator is null", arguments.wish);
    need(rootscomm, "the place for the roots communicator is null", arguments.wish);
    Made made;
    const int error = split_with_roots(mpi, arguments, made);
    if (newcomm != nullptr) mpi.put(made.newcomm, newcomm);
    if (rootscomm != nullptr) mpi.put(made.roots, rootscomm);
    return error;
  });
}

TERRACE_ENTRY MPIX_Comm_hsplit_all(AbiWord comm, AbiWord info, int most_levels, int* levels,
                                   void* newcomms, void* rootscomms, char** types) {
  return with_mpi([&](Mpi& mpi) {
    Arguments arguments = arguments_of(mpi, "MPIX_Comm_hsplit_all", comm, info);
    arguments.wish.wants_roots = rootscomms != nullptr;
    arguments.wish.most_levels = most_levels;
    if (most_levels < 0) arguments.wish.reject("the number of levels is negative");
    need(levels, "the place for the number of levels is null", arguments.wish);
    if (most_levels > 0) need(newcomms, "the array of new communicators is null", arguments.wish);
    std::vector<Made> made;
    const int error = split_all(mpi, arguments, made);
    if (levels != nullptr) *levels = static_cast<int>(made.size());
    for (std::size_t i = 0; newcomms && most_levels > 0 && i < std::size_t(most_levels); ++i) {
      const Made level = i < made.size() ? made[i] : Made{mpi.null(), mpi.null(), "", ""};
      mpi.put_at(level.newcomm, newcomms, i);
      if (rootscomms != nullptr) mpi.put_at(level.roots, rootscomms, i);
      if (types != nullptr) types[i] = i < made.size() ? lasting(level.type) : nullptr;
    }
    return error;
  });
}

TERRACE_ENTRY MPIX_Comm_get_hlevel_info(AbiWord comm, int* num_comms, int* index, char** type) {
  return with_mpi([&](Mpi& mpi) {
    const char* const call = "MPIX_Comm_get_hlevel_info";
    const Handle handle = mpi.handle(comm);
    if (handle == mpi.null())
      return fail(mpi, mpi.world(), call, Failure::communicator,
                  "the communicator is MPI_COMM_NULL");
    const std::shared_ptr<const CommAttribute> kept = mpi.attached_to(handle);
    const CommAttribute attached = kept ? *kept : CommAttribute{};
    if (num_comms != nullptr) *num_comms = attached.siblings;
    if (index != nullptr) *index = attached.index;
    if (type != nullptr) *type = lasting(attached.type);
    return 0;
  });
}

TERRACE_ENTRY MPIX_Comm_get_info(AbiWord comm, void* info) {
  return with_mpi([&](Mpi& mpi) {
    const char* const call = "MPIX_Comm_get_info";
    const Handle handle = mpi.handle(comm);
    if (handle == mpi.null())
      return fail(mpi, mpi.world(), call, Failure::communicator,
                  "the communicator is MPI_COMM_NULL");
    if (info == nullptr)
      return fail(mpi, handle, call, Failure::argument, "the pointer to the info object is null");
    std::vector<Mpi::KeyAndValue> pairs;
    const std::shared_ptr<const CommAttribute> kept = mpi.attached_to(handle);
    if (kept && kept->type != kUnknown)
      pairs = {{"MPI_COMM_HLEVEL_TYPE", kept->type},
               {"MPI_COMM_HLEVEL_NUM", std::to_string(kept->siblings)},
               {"MPI_COMM_HLEVEL_RANK", std::to_string(kept->index)}};
    return mpi.new_info(handle, pairs, info);
  });
}

TERRACE_ENTRY MPIX_Get_hw_resource_info(void* info) {
  return with_mpi([&](Mpi& mpi) {
    if (info == nullptr) {
      say("MPIX_Get_hw_resource_info: the pointer to the info object is null");
      return mpi.error_code(Failure::argument);
    }
    const bool is_active = mpi.is_active();
    const int rank = is_active ? mpi.rank_in(mpi.world()) : 0;
    const int ranks = is_active ? mpi.size_of(mpi.world()) : 1;
    std::vector<std::pair<std::string, bool>> resources =
        own_resources(process_environment(), static_cast<Rank>(rank), static_cast<Rank>(ranks));
    for (auto& [type, is_in_one] : resources) type = "hwloc://" + type;
    std::vector<Mpi::KeyAndValue> pairs;
    for (const auto& [type, is_in_one] : resources)
      pairs.emplace_back(type.c_str(), is_in_one ? "true" : "false");
    return mpi.new_info(std::nullopt, pairs, info);
  });
}

TERRACE_ENTRY MPIX_Comm_get_min_hlevel(AbiWord comm, int nranks, const int* ranks, char** type) {
  return with_mpi([&](Mpi& mpi) {
    const char* const call = "MPIX_Comm_get_min_hlevel";
    const Handle handle = mpi.handle(comm);
    std::shared_ptr<const Members> members;
    if (const int error = members_of(mpi, call, handle, members)) return error;
    if (type == nullptr || nranks < 0 || (nranks > 0 && ranks == nullptr))
      return fail(mpi, handle, call, Failure::argument, "no ranks, or no place for the type");
    std::vector<Rank> listed;
    for (int i = 0; i < nranks; ++i) {
      if (!is_rank(ranks[i], *members))
        return bad_rank(mpi, handle, call, ranks[i], members->localities().size());
      listed.push_back(static_cast<Rank>(ranks[i]));
    }
    *type = lasting(shared_type(*members, listed, static_cast<Rank>(mpi.rank_in(handle))));
    return 0;
  });
}

TERRACE_ENTRY MPIX_Comm_distance(AbiWord comm, int rank_a, int rank_b, int* levels) {
  return with_mpi([&](Mpi& mpi) {
    const char* const call = "MPIX_Comm_distance";
    const Handle handle = mpi.handle(comm);
    std::shared_ptr<const Members> members;
    if (const int error = members_of(mpi, call, handle, members)) return error;
    for (const int rank : {rank_a, rank_b})
      if (!is_rank(rank, *members))
        return bad_rank(mpi, handle, call, rank, members->localities().size());
    if (levels == nullptr)
      return fail(mpi, handle, call, Failure::argument, "the place for the distance is null");
    *levels = distance(members->hierarchy(), static_cast<Rank>(rank_a), static_cast<Rank>(rank_b));
    return 0;
  });
}

TERRACE_ENTRY MPIX_Comm_get_hcoords(AbiWord comm, int rank, int most_levels, int* levels,
                                    int* sizes, int* coordinates, char** types) {
  return with_mpi([&](Mpi& mpi) {
    const char* const call = "MPIX_Comm_get_hcoords";
    const Handle handle = mpi.handle(comm);
    std::shared_ptr<const Members> members;
    if (const int error = members_of(mpi, call, handle, members)) return error;
    if (!is_rank(rank, *members))
      return bad_rank(mpi, handle, call, rank, members->localities().size());
    if (levels == nullptr || most_levels < 0)
      return fail(mpi, handle, call, Failure::argument,
                  "the place for the number of levels is null, or the room for them negative");
    const std::vector<SplitStep> way = way_to(members->hierarchy(), static_cast<Rank>(rank));
    *levels = static_cast<int>(way.size());
    for (std::size_t i = 0; i < std::min(way.size(), static_cast<std::size_t>(most_levels)); ++i) {
      if (sizes != nullptr) sizes[i] = way[i].siblings;
      if (coordinates != nullptr) coordinates[i] = way[i].index;
      if (types != nullptr) types[i] = lasting(type_of(way[i].group->level));
    }
    return 0;
  });
}

}  // namespace terrace::communicators
