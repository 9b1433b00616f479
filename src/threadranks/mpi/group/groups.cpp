// SPDX-License-Identifier: BSD-3-Clause
// Groups of ranks.
#include <algorithm>
#include <cstdint>
#include <set>
#include <string>

#include "threadranks/mpi/adapter.hpp"

namespace terrace::threadranks::mpi {
namespace {

/// The empty group has one handle.
int put_group(std::vector<Rank> members, MPI_Group* made) {
  *made = members.empty() ? MPI_GROUP_EMPTY
                          : handle_of_object<MPI_Group>(*new RankGroup(std::move(members)));
  return MPI_SUCCESS;
}

const RankGroup* known(const char* function, MPI_Group group, int& error) {
  const RankGroup* const found = group_of(group);
  error = found != nullptr ? MPI_SUCCESS : fail(function, MPI_ERR_GROUP, "this is no group");
  return found;
}

bool is_in(const RankGroup& group, Rank rank) {
  return group.rank_of(rank) >= 0;
}

/// The ranks in some ranges, in order. False: a rank does not exist, or a range is empty.
bool expand(const RankGroup& group, int count, int (*ranges)[3], std::vector<int>& ranks) {
  const int size = static_cast<int>(group.members.size());
  for (int i = 0; i < count; ++i) {
    const std::int64_t first = ranges[i][0], last = ranges[i][1], stride = ranges[i][2];
    if (stride == 0 || (stride > 0 ? first > last : first < last)) return false;
    for (std::int64_t rank = first; stride > 0 ? rank <= last : rank >= last; rank += stride) {
      if (rank < 0 || rank >= size) return false;
      ranks.push_back(static_cast<int>(rank));
    }
  }
  return true;
}

/// Distinct ranks of the group, or an error.
int check(const char* function, const RankGroup& group, const std::vector<int>& ranks) {
  std::set<int> seen;
  for (const int rank : ranks) {
    if (rank < 0 || rank >= static_cast<int>(group.members.size()))
      return fail(function, MPI_ERR_RANK, "a rank that is not in the group");
    if (!seen.insert(rank).second)
      return fail(function, MPI_ERR_RANK, "rank " + std::to_string(rank) + " is named twice");
  }
  return MPI_SUCCESS;
}

int include(const char* function, MPI_Group handle, const std::vector<int>& ranks,
            MPI_Group* made) {
  int error;
  const RankGroup* const group = known(function, handle, error);
  if (error || (error = check(function, *group, ranks))) return error;
  std::vector<Rank> members;
  for (const int rank : ranks) members.push_back(group->members[static_cast<std::size_t>(rank)]);
  return put_group(std::move(members), made);
}

int exclude(const char* function, MPI_Group handle, const std::vector<int>& ranks,
            MPI_Group* made) {
  int error;
  const RankGroup* const group = known(function, handle, error);
  if (error || (error = check(function, *group, ranks))) return error;
  const std::set<int> without(ranks.begin(), ranks.end());
  std::vector<Rank> members;
  for (std::size_t i = 0; i < group->members.size(); ++i)
    if (!without.count(static_cast<int>(i))) members.push_back(group->members[i]);
  return put_group(std::move(members), made);
}

enum class Setting { together, common, first_alone };

int combined(const char* function, MPI_Group a, MPI_Group b, Setting setting, MPI_Group* made) {
  int error;
  const RankGroup* const first = known(function, a, error);
  if (error) return error;
  const RankGroup* const second = known(function, b, error);
  if (error) return error;
  std::vector<Rank> members;
  for (const Rank rank : first->members)
    if (setting == Setting::together || is_in(*second, rank) == (setting == Setting::common))
      members.push_back(rank);
  for (const Rank rank : second->members)
    if (setting == Setting::together && !is_in(*first, rank)) members.push_back(rank);
  return put_group(std::move(members), made);
}

int compared(const std::vector<Rank>& a, const std::vector<Rank>& b) {
  if (a == b) return MPI_IDENT;
  std::vector<Rank> first = a, second = b;
  std::sort(first.begin(), first.end());
  std::sort(second.begin(), second.end());
  return first == second ? MPI_SIMILAR : MPI_UNEQUAL;
}

}  // namespace
}  // namespace terrace::threadranks::mpi

namespace mpi = terrace::threadranks::mpi;
using terrace::threadranks::RankGroup;

TERRACE_MPI(int, Comm_group, (MPI_Comm comm, MPI_Group* group)) {
  mpi::Caller caller("MPI_Comm_group", comm);
  return caller.error() ? caller.error() : mpi::put_group(caller.communicator().members(), group);
}
TERRACE_MPI(int, Comm_remote_group, (MPI_Comm comm, MPI_Group* group)) {
  mpi::Caller caller("MPI_Comm_remote_group", comm);
  caller.check_intercomm();
  return caller.error() ? caller.error() : mpi::put_group(caller.communicator().peers(), group);
}
TERRACE_MPI(int, Group_size, (MPI_Group group, int* size)) {
  int error;
  const RankGroup* const ours = mpi::known("MPI_Group_size", group, error);
  if (!error) *size = static_cast<int>(ours->members.size());
  return error;
}
TERRACE_MPI(int, Group_rank, (MPI_Group group, int* rank)) {
  int error;
  const RankGroup* const ours = mpi::known("MPI_Group_rank", group, error);
  if (error) return error;
  const int found = ours->rank_of(terrace::threadranks::rank_of_caller().rank());
  *rank = found < 0 ? MPI_UNDEFINED : found;
  return MPI_SUCCESS;
}
TERRACE_MPI(int, Group_free, (MPI_Group * group)) {
  const mpi::RankCall call;
  int error;
  const RankGroup* const ours = mpi::known("MPI_Group_free", *group, error);
  if (error) return error;
  if (*group != MPI_GROUP_EMPTY) delete ours;
  *group = MPI_GROUP_NULL;
  return MPI_SUCCESS;
}
TERRACE_MPI(int, Group_incl, (MPI_Group group, int count, const int* ranks, MPI_Group* made)) {
  const mpi::RankCall call;
  if (count < 0) return mpi::fail("MPI_Group_incl", MPI_ERR_ARG, "a negative number of ranks");
  return mpi::include("MPI_Group_incl", group, {ranks, ranks + count}, made);
}
TERRACE_MPI(int, Group_excl, (MPI_Group group, int count, const int* ranks, MPI_Group* made)) {
  const mpi::RankCall call;
  if (count < 0) return mpi::fail("MPI_Group_excl", MPI_ERR_ARG, "a negative number of ranks");
  return mpi::exclude("MPI_Group_excl", group, {ranks, ranks + count}, made);
}
TERRACE_MPI(int, Group_range_incl,
            (MPI_Group group, int count, int (*ranges)[3], MPI_Group* made)) {
  const mpi::RankCall call;
  int error;
  const RankGroup* const ours = mpi::known("MPI_Group_range_incl", group, error);
  std::vector<int> ranks;
  if (error) return error;
  if (!mpi::expand(*ours, count, ranges, ranks))
    return mpi::fail("MPI_Group_range_incl", MPI_ERR_ARG,
                     "a range is empty or not within the group");
  return mpi::include("MPI_Group_range_incl", group, ranks, made);
}
TERRACE_MPI(int, Group_range_excl,
            (MPI_Group group, int count, int (*ranges)[3], MPI_Group* made)) {
  const mpi::RankCall call;
  int error;
  const RankGroup* const ours = mpi::known("MPI_Group_range_excl", group, error);
  std::vector<int> ranks;
  if (error) return error;
  if (!mpi::expand(*ours, count, ranges, ranks))
    return mpi::fail("MPI_Group_range_excl", MPI_ERR_ARG,
                     "a range is empty or not within the group");
  return mpi::exclude("MPI_Group_range_excl", group, ranks, made);
}
TERRACE_MPI(int, Group_union, (MPI_Group a, MPI_Group b, MPI_Group* made)) {
  const mpi::RankCall call;
  return mpi::combined("MPI_Group_union", a, b, mpi::Setting::together, made);
}
TERRACE_MPI(int, Group_intersection, (MPI_Group a, MPI_Group b, MPI_Group* made)) {
  const mpi::RankCall call;
  return mpi::combined("MPI_Group_intersection", a, b, mpi::Setting::common, made);
}
TERRACE_MPI(int, Group_difference, (MPI_Group a, MPI_Group b, MPI_Group* made)) {
  const mpi::RankCall call;
  return mpi::combined("MPI_Group_difference", a, b, mpi::Setting::first_alone, made);
}
TERRACE_MPI(int, Group_compare, (MPI_Group a, MPI_Group b, int* result)) {
  int error;
  const RankGroup* const first = mpi::known("MPI_Group_compare", a, error);
  if (error) return error;
  const RankGroup* const second = mpi::known("MPI_Group_compare", b, error);
  if (!error) *result = mpi::compared(first->members, second->members);
  return error;
}
TERRACE_MPI(int, Group_translate_ranks,
            (MPI_Group a, int count, const int* ranks, MPI_Group b, int* others)) {
  int error;
  const RankGroup* const first = mpi::known("MPI_Group_translate_ranks", a, error);
  if (error) return error;
  const RankGroup* const second = mpi::known("MPI_Group_translate_ranks", b, error);
  for (int i = 0; !error && i < count; ++i) {
    if (ranks[i] == MPI_PROC_NULL) {
      others[i] = MPI_PROC_NULL;
      continue;
    }
    if (ranks[i] < 0 || ranks[i] >= static_cast<int>(first->members.size()))
      return mpi::fail("MPI_Group_translate_ranks", MPI_ERR_RANK, "there is no such rank");
    const int found = second->rank_of(first->members[static_cast<std::size_t>(ranks[i])]);
    others[i] = found < 0 ? MPI_UNDEFINED : found;
  }
  return error;
}
TERRACE_MPI(int, Comm_compare, (MPI_Comm a, MPI_Comm b, int* result)) {
  mpi::Caller first("MPI_Comm_compare", a), second("MPI_Comm_compare", b);
  if (first.error() || second.error()) return first.error() ? first.error() : second.error();
  const auto& one = first.communicator();
  const auto& other = second.communicator();
  if (one.is_intercomm() != other.is_intercomm()) {
    *result = MPI_UNEQUAL;
    return MPI_SUCCESS;
  }
  const int groups = mpi::compared(one.members(), other.members());
  const int peers = mpi::compared(one.peers(), other.peers());
  const bool is_unequal = groups == MPI_UNEQUAL || peers == MPI_UNEQUAL;
  const bool is_similar = groups == MPI_SIMILAR || peers == MPI_SIMILAR;
  *result = a == b       ? int{MPI_IDENT}
            : is_unequal ? int{MPI_UNEQUAL}
            : is_similar ? int{MPI_SIMILAR}
                         : int{MPI_CONGRUENT};
  return MPI_SUCCESS;
}
