// SPDX-License-Identifier: BSD-3-Clause
// The C functions for teams and blocking calls: check arguments, find the rank's endpoint, let it
// make the call, and turn an error into a status and a sentence.
#include "terrace/terrace.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "api/collectives_inl.hpp"
#include "base/contract.hpp"
#include "engine/signature.hpp"

namespace terrace {
namespace {

static_assert(TERRACE_INT8 == int(Type::int8) && TERRACE_UINT8 == int(Type::uint8));
static_assert(TERRACE_FLOAT32 == int(Type::float32) && TERRACE_FLOAT64 == int(Type::float64));
static_assert(TERRACE_SUM == int(Operator::sum) && TERRACE_MAXIMUM == int(Operator::maximum));
static_assert(TERRACE_BITWISE_XOR == int(Operator::bitwise_xor));
static_assert(TERRACE_WAIT_AUTO == int(Waiting::by_oversubscription));
static_assert(TERRACE_WAIT_SPINNING == int(Waiting::spinning));
static_assert(TERRACE_WAIT_YIELDING == int(Waiting::yielding));

constexpr std::size_t kDefaultScratchBytes = std::size_t{4} << 20;
constexpr std::size_t kLeastScratchBytes = std::size_t{64} << 10;
constexpr std::size_t kMostScratchBytes = std::size_t{1} << 32;

[[gnu::cold]] terrace_status check_agreement(terrace_team* team, int rank,
                                             const CheckedCall& request) {
  const std::string found = team->threads.disagreement(static_cast<Rank>(rank), request);
  return found.empty() ? TERRACE_OK : fail(TERRACE_ERR_MISMATCH, "%s", found.c_str());
}

struct FoundEndpoint {
  terrace_status status;
  TeamEndpoint* endpoint = nullptr;
};

/// Finds the endpoint of a rank, after all that comes before a call: it joins, goes on with started
/// calls, and compares arguments where that is wanted.
[[gnu::cold]] FoundEndpoint find_endpoint(terrace_team* team, int rank,
                                          const CheckedCall& request) {
  RankSlot& rank_slot = team->threads.rank_slot(static_cast<Rank>(rank));
  if (rank_slot.calls && rank_slot.calls->is_busy()) {
    if (!rank_slot.calls->take_over()) return {of_another_thread(rank)};
    ThreadCalls::here().advance_all();
  }
  if (rank_slot.is_broken || !rank_slot.endpoint)
    if (const terrace_status status = join(team, rank)) return {status};
  if (team->threads.checks_calls())
    if (const terrace_status status = check_agreement(team, rank, request)) return {status};
  return {TERRACE_OK, rank_slot.endpoint.get()};
}

/// The way of a blocking call.
struct Blocking {
  template <class Work>
  [[gnu::always_inline]] terrace_status operator()(terrace_team* team, int rank,
                                                   const CheckedCall& request, const void*, void*,
                                                   const Elements&, Work&& work) const noexcept {
    return guarded([&] {
      RankSlot& rank_slot = team->threads.rank_slot(static_cast<Rank>(rank));
      if (rank_slot.seen() & RankSlot::kInside) return busy(rank);
      const InsideCall inside(rank_slot, static_cast<std::uint8_t>(request.collective));
      TeamEndpoint* endpoint = rank_slot.usable;
      if (endpoint == nullptr) [[unlikely]] {
        const FoundEndpoint found = find_endpoint(team, rank, request);
        if (found.status != TERRACE_OK) return found.status;
        endpoint = found.endpoint;
      }
      return work(*endpoint)
                 ? TERRACE_OK
                 : broken(team->threads, static_cast<Rank>(rank), rank_slot.wait_environment);
    });
  }
};

terrace_status read_options(const terrace_team_options& given, ThreadTeamOptions& options) {
  for (const std::size_t reserved : given.reserved)
    if (reserved != 0)
      return fail(TERRACE_ERR_ARGUMENT,
                  "the options are not zero where they are reserved: begin "
                  "with terrace_team_options options = {0}");
  if (given.scratch_bytes > kMostScratchBytes)
    return fail(TERRACE_ERR_ARGUMENT, "scratch_bytes is %zu: expected %zu at most",
                given.scratch_bytes, kMostScratchBytes);
  if (static_cast<unsigned>(given.waiting) > TERRACE_WAIT_YIELDING)
    return fail(TERRACE_ERR_ARGUMENT, "%d is no way of waiting: take a terrace_waiting",
                static_cast<int>(given.waiting));
  if (std::isnan(given.stall_seconds))
    return fail(TERRACE_ERR_ARGUMENT, "stall_seconds is not a number");
  if (given.scratch_bytes != 0)
    options.scratch_bytes = std::max(given.scratch_bytes, kLeastScratchBytes);
  options.waiting = Waiting(given.waiting);
  options.checks_calls = given.checks_calls != 0;
  options.is_reproducible = given.is_reproducible != 0;
  if (given.stall_seconds != 0) options.stall_seconds = given.stall_seconds;
  if (given.stall_seconds < 0) options.stall_seconds = std::numeric_limits<double>::infinity();
  return TERRACE_OK;
}

terrace_status create(Rank ranks, const terrace_team_options* given, terrace_team** team) {
  ThreadTeamOptions options;
  options.scratch_bytes = kDefaultScratchBytes;
  if (given != nullptr)
    if (const terrace_status status = read_options(*given, options)) return status;
  const bool is_flat = given != nullptr && given->is_flat != 0;
  Result<std::unique_ptr<Placement>> placement =
      is_flat ? std::make_unique<Placement>(ranks) : make_placement(ranks);
  if (!placement) return fail(placement.error(), TERRACE_ERR_SYSTEM);
  *team = new terrace_team{ThreadTeam(ranks, options, std::move(placement).value())};
  return TERRACE_OK;
}

/// The part of the next level that a rank is in; null if it is in none.
const Group* part_of(const Hierarchy& hierarchy, Rank rank) {
  for (const Group& child : hierarchy.all.children)
    if (!stops_in(hierarchy.all, child) &&
        std::binary_search(child.ranks.begin(), child.ranks.end(), rank))
      return &child;
  return nullptr;
}

terrace_team* team_of_part(const ThreadTeam& whole, const Group& part) {
  auto placement = std::make_unique<PlacementOfPart>(restrict_to(whole.hierarchy(), part.ranks));
  const auto ranks = static_cast<Rank>(part.ranks.size());
  TERRACE_REQUIRE(ranks > 0 && part.ranks.back() < whole.rank_count(), ranks, whole.rank_count());
  return new terrace_team{ThreadTeam(ranks, whole.options(), std::move(placement))};
}

/// Called between two barriers, the first of which every rank has passed.
terrace_status offer_part(ThreadTeam& team, Rank rank, const Group* part) noexcept {
  if (part == nullptr || part->leader() != rank) return TERRACE_OK;
  team.rank_slot(rank).part = nullptr;
  return guarded([&] {
    team.rank_slot(rank).part = team_of_part(team, *part);
    return TERRACE_OK;
  });
}

}  // namespace
}  // namespace terrace

using namespace terrace;

const char* terrace_error_string(terrace_status status) noexcept {
  switch (status) {
    case TERRACE_OK:
      return "TERRACE_OK";
    case TERRACE_ERR_ARGUMENT:
      return "TERRACE_ERR_ARGUMENT";
    case TERRACE_ERR_UNSUPPORTED:
      return "TERRACE_ERR_UNSUPPORTED";
    case TERRACE_ERR_MEMORY:
      return "TERRACE_ERR_MEMORY";
    case TERRACE_ERR_SYSTEM:
      return "TERRACE_ERR_SYSTEM";
    case TERRACE_ERR_MISMATCH:
      return "TERRACE_ERR_MISMATCH";
    case TERRACE_ERR_BROKEN:
      return "TERRACE_ERR_BROKEN";
  }
  return "no status of Terrace";
}

const char* terrace_last_error(void) noexcept {
  return last_failure();
}

const char* terrace_version(void) noexcept {
  return TERRACE_VERSION;
}

size_t terrace_type_bytes(terrace_type type) noexcept {
  return static_cast<unsigned>(type) < kTypes ? size_of(Type(type)) : 0;
}

terrace_status terrace_team_create(int ranks, const terrace_team_options* options,
                                   terrace_team** team) noexcept {
  if (team == nullptr)
    return fail(TERRACE_ERR_ARGUMENT, "`team` is null: expected where to put the new team");
  *team = nullptr;
  if (ranks < 1 || ranks > TERRACE_MOST_RANKS)
    return fail(TERRACE_ERR_ARGUMENT, "a team of %d ranks was asked for: expected 1 to %d", ranks,
                TERRACE_MOST_RANKS);
  return guarded([&] { return create(static_cast<Rank>(ranks), options, team); });
}

terrace_status terrace_team_join(terrace_team* team, int rank) noexcept {
  if (const terrace_status status = check_member(team, rank)) return status;
  return guarded([&] {
    RankSlot& rank_slot = team->threads.rank_slot(static_cast<Rank>(rank));
    if (rank_slot.seen() & RankSlot::kInside) return busy(rank);
    const InsideCall inside(rank_slot, kJoining);
    return rank_slot.usable != nullptr ? TERRACE_OK : join(team, rank);
  });
}

terrace_status terrace_team_destroy(terrace_team* team) noexcept {
  if (team == nullptr) return TERRACE_OK;
  if (const Rank rank = team->threads.busy_rank(); rank < team->threads.rank_count())
    return fail(TERRACE_ERR_ARGUMENT,
                "rank %u is in a call of the team: destroy it when all "
                "threads have returned",
                rank);
  if (const Rank rank = team->threads.rank_with_open_calls(); rank < team->threads.rank_count())
    return fail(TERRACE_ERR_ARGUMENT,
                "rank %u has calls that were started and not waited for, or prepared and not "
                "freed, %u in all: it must do that first",
                rank, team->threads.rank_slot(rank).seen_open_calls());
  const std::optional<LastMismatch> last = team->threads.last_mismatch();
  delete team;
  if (!last) return TERRACE_OK;
  return fail(TERRACE_ERR_MISMATCH, "%s: all ranks must make the same call",
              to_text(last->found, "rank " + std::to_string(last->rank),
                      "rank " + std::to_string(last->found.peer))
                  .c_str());
}

int terrace_team_ranks(const terrace_team* team) noexcept {
  return team == nullptr ? 0 : static_cast<int>(team->threads.rank_count());
}

terrace_status terrace_team_split(terrace_team* team, int rank, terrace_team** part,
                                  int* rank_in_part) noexcept {
  if (part != nullptr) *part = nullptr;
  if (rank_in_part != nullptr) *rank_in_part = -1;
  if (const terrace_status status = terrace_barrier(team, rank)) return status;
  ThreadTeam& threads = team->threads;
  const auto own = static_cast<Rank>(rank);
  const Group* const group = part_of(threads.hierarchy(), own);
  const terrace_status made = offer_part(threads, own, group);
  if (const terrace_status status = terrace_barrier(team, rank)) return status;
  if (part == nullptr || rank_in_part == nullptr)  // not before, as the others wait for this rank
    return fail(TERRACE_ERR_ARGUMENT, "an address is null: expected where to put part and rank");
  if (group == nullptr) return TERRACE_OK;
  *part = static_cast<terrace_team*>(threads.rank_slot(group->leader()).part);
  if (*part == nullptr)
    return made != TERRACE_OK
               ? made
               : fail(TERRACE_ERR_MEMORY, "the part of rank %d could not be made by its rank %u",
                      rank, group->leader());
  *rank_in_part = static_cast<int>(std::lower_bound(group->ranks.begin(), group->ranks.end(), own) -
                                   group->ranks.begin());
  TERRACE_REQUIRE(*rank_in_part < terrace_team_ranks(*part), rank, *rank_in_part,
                  terrace_team_ranks(*part));
  return TERRACE_OK;
}

const char* terrace_team_hierarchy(const terrace_team* team) noexcept {
  return team == nullptr ? "" : team->threads.hierarchy_text();
}

const char* terrace_last_plan(const terrace_team* team, int rank) noexcept {
  if (check_member(team, rank) != TERRACE_OK) return "";
  const RankSlot& rank_slot = team->threads.rank_slot(static_cast<Rank>(rank));
  return rank_slot.is_broken || !rank_slot.endpoint ? "" : rank_slot.endpoint->last_plan().c_str();
}

terrace_status terrace_barrier(terrace_team* team, int rank) noexcept {
  return collectives::barrier(Blocking(), team, rank);
}

terrace_status terrace_bcast(void* buffer, size_t count, terrace_type type, int root,
                             terrace_team* team, int rank) noexcept {
  return collectives::bcast(Blocking(), buffer, count, type, root, team, rank);
}

terrace_status terrace_reduce(const void* input, void* output, size_t count, terrace_type type,
                              terrace_operator op, int root, terrace_team* team,
                              int rank) noexcept {
  return collectives::reduce(Blocking(), input, output, count, type, op, root, team, rank);
}

terrace_status terrace_allreduce(const void* input, void* output, size_t count, terrace_type type,
                                 terrace_operator op, terrace_team* team, int rank) noexcept {
  return collectives::allreduce(Blocking(), input, output, count, type, op, team, rank);
}

terrace_status terrace_allgather(const void* input, void* output, size_t count, terrace_type type,
                                 terrace_team* team, int rank) noexcept {
  return collectives::allgather(Blocking(), input, output, count, type, team, rank);
}

terrace_status terrace_gather(const void* input, void* output, size_t count, terrace_type type,
                              int root, terrace_team* team, int rank) noexcept {
  return collectives::gather(Blocking(), input, output, count, type, root, team, rank);
}

terrace_status terrace_scatter(const void* input, void* output, size_t count, terrace_type type,
                               int root, terrace_team* team, int rank) noexcept {
  return collectives::scatter(Blocking(), input, output, count, type, root, team, rank);
}

terrace_status terrace_alltoall(const void* input, void* output, size_t count, terrace_type type,
                                terrace_team* team, int rank) noexcept {
  return collectives::alltoall(Blocking(), input, output, count, type, team, rank);
}

terrace_status terrace_reduce_scatter_block(const void* input, void* output, size_t count,
                                            terrace_type type, terrace_operator op,
                                            terrace_team* team, int rank) noexcept {
  return collectives::reduce_scatter_block(Blocking(), input, output, count, type, op, team, rank);
}

terrace_status terrace_scan(const void* input, void* output, size_t count, terrace_type type,
                            terrace_operator op, terrace_team* team, int rank) noexcept {
  return collectives::scan(Blocking(), input, output, count, type, op, team, rank);
}

terrace_status terrace_exscan(const void* input, void* output, size_t count, terrace_type type,
                              terrace_operator op, terrace_team* team, int rank) noexcept {
  return collectives::exscan(Blocking(), input, output, count, type, op, team, rank);
}
