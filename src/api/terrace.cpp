// SPDX-License-Identifier: BSD-3-Clause
// The C entry points: check arguments, find the rank's endpoint, let it make the call, and turn an
// error into a status and a sentence. No exception leaves this file.
#include "terrace/terrace.h"

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <limits>
#include <new>
#include <string>

#include "api/thread_team.hpp"
#include "base/contract.hpp"
#include "engine/signature.hpp"
#include "kernels/kernels.hpp"

struct terrace_team final {
  terrace::ThreadTeam threads;
};

namespace terrace {
namespace {

static_assert(TERRACE_INT8 == int(Type::int8) && TERRACE_UINT8 == int(Type::uint8));
static_assert(TERRACE_FLOAT32 == int(Type::float32) && TERRACE_FLOAT64 == int(Type::float64));
static_assert(TERRACE_SUM == int(Operator::sum) && TERRACE_MAXIMUM == int(Operator::maximum));
static_assert(TERRACE_BITWISE_XOR == int(Operator::bitwise_xor));
static_assert(TERRACE_WAIT_AUTO == int(Waiting::by_oversubscription));
static_assert(TERRACE_WAIT_SPINNING == int(Waiting::spinning));
static_assert(TERRACE_WAIT_YIELDING == int(Waiting::yielding));

constexpr std::uint32_t kTypes = TERRACE_FLOAT64 + 1;
constexpr std::uint32_t kOperators = TERRACE_BITWISE_XOR + 1;
constexpr std::size_t kDefaultScratchBytes = std::size_t{4} << 20;
constexpr std::size_t kLeastScratchBytes = std::size_t{64} << 10;
constexpr std::size_t kMostScratchBytes = std::size_t{1} << 32;
constexpr std::size_t kMostCount = std::numeric_limits<std::ptrdiff_t>::max() / 8;

thread_local char last_error[512] = "";

/// Notes the sentence and passes the status on. Allocates nothing, so it also works without memory.
[[gnu::format(printf, 2, 3), gnu::cold, gnu::noinline]] terrace_status fail(terrace_status status,
                                                                            const char* sentence,
                                                                            ...) noexcept {
  va_list arguments;
  va_start(arguments, sentence);
  std::vsnprintf(last_error, sizeof last_error, sentence, arguments);
  va_end(arguments);
  return status;
}

terrace_status fail(const Error& error, terrace_status on_system) noexcept {
  const terrace_status status = error.code == ErrorCode::argument      ? TERRACE_ERR_ARGUMENT
                                : error.code == ErrorCode::unsupported ? TERRACE_ERR_UNSUPPORTED
                                                                       : on_system;
  return fail(status, "%s", error.sentence.c_str());
}

/// The only place where exceptions are caught.
template <class Work>
terrace_status guarded(Work&& work) noexcept {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    return fail(TERRACE_ERR_MEMORY,
                "out of memory: the call did not take place; free some, or "
                "make the team with less scratch_bytes");
  } catch (const std::exception& exception) {
    return fail(TERRACE_ERR_SYSTEM, "the call did not take place: %s", exception.what());
  }
}

terrace_status check_member(const terrace_team* team, int rank) noexcept {
  if (team == nullptr)
    return fail(TERRACE_ERR_ARGUMENT, "the team is null: make one with terrace_team_create");
  const Rank ranks = team->threads.rank_count();
  if (static_cast<unsigned>(rank) >= ranks)
    return fail(TERRACE_ERR_ARGUMENT, "rank %d is not in the team: its ranks are 0 to %u", rank,
                ranks - 1);
  return TERRACE_OK;
}

/// Checks that all calls with elements share.
terrace_status check_elements(std::size_t count, terrace_type type) noexcept {
  if (static_cast<unsigned>(type) >= kTypes)
    return fail(TERRACE_ERR_ARGUMENT, "%d is no type: take a terrace_type, as TERRACE_DOUBLE",
                static_cast<int>(type));
  if (count > kMostCount)
    return fail(TERRACE_ERR_ARGUMENT,
                "%zu elements do not fit an address space: was a negative "
                "number given?",
                count);
  return TERRACE_OK;
}

terrace_status check_root(const terrace_team* team, int root) noexcept {
  if (static_cast<unsigned>(root) < team->threads.rank_count()) return TERRACE_OK;
  return fail(TERRACE_ERR_ARGUMENT, "root %d is not in the team: its ranks are 0 to %u", root,
              team->threads.rank_count() - 1);
}

terrace_status no_buffer(const char* which, int rank, std::size_t count) noexcept {
  return fail(TERRACE_ERR_ARGUMENT, "%s of rank %d is null: expected room for %zu elements", which,
              rank, count);
}

/// Checks the buffer of a result.
terrace_status check_output(const char* which, const void* output, int rank,
                            std::size_t count) noexcept {
  if (count == 0) return TERRACE_OK;
  if (output == nullptr) return no_buffer(which, rank, count);
  if (output != TERRACE_IN_PLACE) return TERRACE_OK;
  return fail(TERRACE_ERR_ARGUMENT,
              "%s of rank %d is TERRACE_IN_PLACE: TERRACE_IN_PLACE belongs in input", which, rank);
}

/// `input` must not be TERRACE_IN_PLACE; it may be the same address as `output`.
terrace_status check_overlap(const void* input, const void* output, std::size_t bytes,
                             int rank) noexcept {
  const auto from = reinterpret_cast<std::uintptr_t>(input);
  const auto to = reinterpret_cast<std::uintptr_t>(output);
  const std::uintptr_t distance = from < to ? to - from : from - to;
  if (distance == 0 || distance >= bytes) return TERRACE_OK;
  return fail(TERRACE_ERR_ARGUMENT,
              "input and output of rank %d overlap: they lie %zu bytes apart, the elements take "
              "%zu; use separate buffers, or TERRACE_IN_PLACE",
              rank, static_cast<std::size_t>(distance), bytes);
}

/// Buffers of equal length; resolves TERRACE_IN_PLACE.
terrace_status check_pair(const void*& input, const void* output, std::size_t count,
                          std::size_t bytes, int rank) noexcept {
  if (input == nullptr && count != 0) return no_buffer("the input", rank, count);
  if (const terrace_status status = check_output("the output", output, rank, count)) return status;
  if (input == TERRACE_IN_PLACE) input = output;
  return check_overlap(input, output, bytes, rank);
}

terrace_status in_place_off_root(int rank, int root, const char* what) noexcept {
  return fail(TERRACE_ERR_ARGUMENT, "rank %d gives TERRACE_IN_PLACE, but root %d alone has an %s",
              rank, root, what);
}

/// Buffers of different length, in calls that are not in place.
terrace_status check_apart(const void* input, std::size_t input_bytes, const void* output,
                           std::size_t output_bytes, int rank) noexcept {
  const auto from = reinterpret_cast<std::uintptr_t>(input);
  const auto to = reinterpret_cast<std::uintptr_t>(output);
  const bool are_apart = from < to ? to - from >= input_bytes : from - to >= output_bytes;
  if (are_apart || input_bytes == 0) return TERRACE_OK;
  return fail(TERRACE_ERR_ARGUMENT,
              "input and output of rank %d overlap: they take %zu and %zu bytes; use separate "
              "buffers, or TERRACE_IN_PLACE",
              rank, input_bytes, output_bytes);
}

/// Checks that all calls with a block of `count` elements for each rank share.
terrace_status check_blocks(const terrace_team* team, std::size_t count,
                            terrace_type type) noexcept {
  if (const terrace_status status = check_elements(count, type)) return status;
  const Rank ranks = team->threads.rank_count();
  if (count <= kMostCount / ranks) return TERRACE_OK;
  return fail(TERRACE_ERR_ARGUMENT, "%u blocks of %zu elements do not fit an address space", ranks,
              count);
}

/// The address of a rank's own block in a buffer.
void* block_of(const void* buffer, int rank, std::size_t block_bytes) noexcept {
  if (buffer == nullptr) return nullptr;
  const auto* bytes = static_cast<const std::byte*>(buffer);
  return const_cast<std::byte*>(bytes) + static_cast<std::size_t>(rank) * block_bytes;
}

/// Checks a rank's single block against a buffer with one block per rank: null is an error, as is
/// an overlap other than in place.
terrace_status check_block_buffers(const void* own_block, const void* all_blocks,
                                   const terrace_team* team, int rank, std::size_t count,
                                   std::size_t block_bytes, bool own_is_input) noexcept {
  const char* const names[] = {"the output", "the input"};
  const std::size_t ranks = team->threads.rank_count();
  if (count != 0 && all_blocks == nullptr)
    return no_buffer(names[own_is_input ? 0 : 1], rank, count * ranks);
  if (count != 0 && own_block == nullptr)
    return no_buffer(names[own_is_input ? 1 : 0], rank, count);
  if (own_block == block_of(all_blocks, rank, block_bytes)) return TERRACE_OK;
  return check_apart(own_block, block_bytes, all_blocks, block_bytes * ranks, rank);
}

terrace_status find_elements(std::size_t count, terrace_type type, terrace_operator op,
                             Elements& elements) noexcept {
  if (const terrace_status status = check_elements(count, type)) return status;
  if (static_cast<unsigned>(op) >= kOperators)
    return fail(TERRACE_ERR_ARGUMENT, "%d is no operator: take a terrace_operator, as TERRACE_SUM",
                static_cast<int>(op));
  elements.count = count;
  elements.bytes = size_of(Type(type));
  elements.reduction = find_reduction(Type(type), Operator(op));
  elements.is_exact = is_integer(Type(type));
  elements.combination = Combination(Type(type), Operator(op));
  if (elements.reduction != nullptr) return TERRACE_OK;
  return fail(TERRACE_ERR_UNSUPPORTED, "%s of %s is not defined: take an integer type",
              to_text(Operator(op)), to_text(Type(type)));
}

[[gnu::cold]] terrace_status busy(int rank) noexcept {
  return fail(TERRACE_ERR_ARGUMENT,
              "rank %d is in a call already: give each thread a rank of its "
              "own, as omp_get_thread_num() does",
              rank);
}

[[gnu::cold]] terrace_status broken(RankSlot& rank_slot, int rank) noexcept {
  rank_slot.usable = nullptr;
  rank_slot.is_broken = true;
  if (const std::optional<CallMismatch>& mismatch = rank_slot.wait_environment.mismatch())
    return fail(
        TERRACE_ERR_BROKEN,
        "%s: all ranks must make the same call; destroy the team, and find the call with "
        "the option checks_calls",
        to_text(*mismatch, "rank " + std::to_string(rank), "rank " + std::to_string(mismatch->peer))
            .c_str());
  return fail(TERRACE_ERR_BROKEN,
              "rank %d found a line of a later call: the ranks made different "
              "calls; destroy the team, and find the call with the option "
              "checks_calls",
              rank);
}

[[gnu::cold]] terrace_status join(terrace_team* team, int rank) {
  const Result<bool> joined = team->threads.join(static_cast<Rank>(rank));
  return joined ? TERRACE_OK : fail(joined.error(), TERRACE_ERR_BROKEN);
}

[[gnu::cold]] terrace_status check_agreement(terrace_team* team, int rank,
                                             const CheckedCall& request) {
  const std::string found = team->threads.disagreement(static_cast<Rank>(rank), request);
  return found.empty() ? TERRACE_OK : fail(TERRACE_ERR_MISMATCH, "%s", found.c_str());
}

/// All collectives go through here, with their arguments checked: `work` makes the call on an
/// endpoint.
template <class Work>
terrace_status make_call(terrace_team* team, int rank, const CheckedCall& request,
                         Work&& work) noexcept {
  return guarded([&] {
    RankSlot& rank_slot = team->threads.rank_slot(static_cast<Rank>(rank));
    if (rank_slot.seen() & RankSlot::kInside) return busy(rank);
    const InsideCall inside(rank_slot, static_cast<std::uint8_t>(request.collective));
    if (rank_slot.usable == nullptr)
      if (const terrace_status status = join(team, rank)) return status;
    if (team->threads.checks_calls())
      if (const terrace_status status = check_agreement(team, rank, request)) return status;
    return work(*rank_slot.usable) ? TERRACE_OK : broken(rank_slot, rank);
  });
}

/// Collectives that combine the vectors of all ranks into one of the same length at all ranks.
terrace_status combine(Collective collective,
                       bool (TeamEndpoint::*work)(const void*, void*, const Elements&),
                       const void* input, void* output, size_t count, terrace_type type,
                       terrace_operator op, terrace_team* team, int rank) noexcept {
  if (const terrace_status status = check_member(team, rank)) return status;
  Elements elements;
  if (const terrace_status status = find_elements(count, type, op, elements)) return status;
  if (const terrace_status status = check_pair(input, output, count, count * elements.bytes, rank))
    return status;
  const CheckedCall request = {collective, count, Type(type), Operator(op), 0};
  return make_call(team, rank, request, [&](TeamEndpoint& endpoint) {
    return (endpoint.*work)(input, output, elements);
  });
}

/// Gather and scatter, which mirror each other: the root has all blocks.
terrace_status move_with_root(Collective collective, const void* own_block, const void* all_blocks,
                              size_t count, terrace_type type, int root, terrace_team* team,
                              int rank) noexcept {
  if (const terrace_status status = check_member(team, rank)) return status;
  if (const terrace_status status = check_blocks(team, count, type)) return status;
  if (const terrace_status status = check_root(team, root)) return status;
  const bool gathers = collective == Collective::gather;
  const char* const own = gathers ? "the input" : "the output";
  const std::size_t bytes = count * size_of(Type(type));
  if (rank != root) {
    all_blocks = nullptr;
    if (own_block == TERRACE_IN_PLACE)
      return in_place_off_root(rank, root,
                               gathers ? "output: give its input" : "input: give an output");
    if (own_block == nullptr && count != 0) return no_buffer(own, rank, count);
  } else {
    if (all_blocks == TERRACE_IN_PLACE)
      return fail(TERRACE_ERR_ARGUMENT, "%s of rank %d is TERRACE_IN_PLACE: %s belongs in %s",
                  gathers ? "the output" : "the input", rank,
                  gathers ? "TERRACE_IN_PLACE" : "in a scatter it", gathers ? "input" : "output");
    if (own_block == TERRACE_IN_PLACE) own_block = block_of(all_blocks, rank, bytes);
    if (const terrace_status status =
            check_block_buffers(own_block, all_blocks, team, rank, count, bytes, gathers))
      return status;
  }
  const CheckedCall request = {collective, count, Type(type), Operator::sum, Rank(root)};
  return make_call(team, rank, request, [&](TeamEndpoint& endpoint) {
    return endpoint.make_call(collective, gathers ? own_block : all_blocks,
                              const_cast<void*>(gathers ? all_blocks : own_block), {bytes},
                              Rank(root));
  });
}

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
  return last_error;
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
  const TeamEndpoint* endpoint = team->threads.rank_slot(static_cast<Rank>(rank)).usable;
  return endpoint == nullptr ? "" : endpoint->last_plan().c_str();
}

terrace_status terrace_barrier(terrace_team* team, int rank) noexcept {
  if (const terrace_status status = check_member(team, rank)) return status;
  return make_call(team, rank, {}, [](TeamEndpoint& endpoint) { return endpoint.barrier(); });
}

terrace_status terrace_bcast(void* buffer, size_t count, terrace_type type, int root,
                             terrace_team* team, int rank) noexcept {
  if (const terrace_status status = check_member(team, rank)) return status;
  if (const terrace_status status = check_elements(count, type)) return status;
  if (const terrace_status status = check_root(team, root)) return status;
  if (const terrace_status status = check_output("the buffer", buffer, rank, count)) return status;
  const CheckedCall request = {Collective::bcast, count, Type(type), Operator::sum, Rank(root)};
  return make_call(team, rank, request, [&](TeamEndpoint& endpoint) {
    return endpoint.bcast(buffer, count * size_of(Type(type)), Rank(root));
  });
}

terrace_status terrace_reduce(const void* input, void* output, size_t count, terrace_type type,
                              terrace_operator op, int root, terrace_team* team,
                              int rank) noexcept {
  if (const terrace_status status = check_member(team, rank)) return status;
  if (const terrace_status status = check_root(team, root)) return status;
  Elements elements;
  if (const terrace_status status = find_elements(count, type, op, elements)) return status;
  if (rank != root) {
    output = nullptr;
    if (input == TERRACE_IN_PLACE) return in_place_off_root(rank, root, "output: give its input");
  }
  if (rank == root)
    if (const terrace_status status = check_output("the output", output, rank, count))
      return status;
  if (input == TERRACE_IN_PLACE) input = output;
  if (input == nullptr && count != 0) return no_buffer("the input", rank, count);
  if (rank == root) {
    if (const terrace_status status = check_overlap(input, output, count * elements.bytes, rank))
      return status;
  }
  const CheckedCall request = {Collective::reduce, count, Type(type), Operator(op), Rank(root)};
  return make_call(team, rank, request, [&](TeamEndpoint& endpoint) {
    return endpoint.reduce(input, output, elements, Rank(root));
  });
}

terrace_status terrace_allreduce(const void* input, void* output, size_t count, terrace_type type,
                                 terrace_operator op, terrace_team* team, int rank) noexcept {
  return combine(Collective::allreduce, &TeamEndpoint::allreduce, input, output, count, type, op,
                 team, rank);
}

terrace_status terrace_allgather(const void* input, void* output, size_t count, terrace_type type,
                                 terrace_team* team, int rank) noexcept {
  if (const terrace_status status = check_member(team, rank)) return status;
  if (const terrace_status status = check_blocks(team, count, type)) return status;
  const std::size_t bytes = count * size_of(Type(type));
  if (const terrace_status status = check_output("the output", output, rank, count)) return status;
  if (input == TERRACE_IN_PLACE) input = block_of(output, rank, bytes);
  if (const terrace_status status =
          check_block_buffers(input, output, team, rank, count, bytes, true))
    return status;
  const CheckedCall request = {Collective::allgather, count, Type(type), Operator::sum, 0};
  return make_call(team, rank, request, [&](TeamEndpoint& endpoint) {
    return endpoint.allgather(input, output, bytes);
  });
}

terrace_status terrace_gather(const void* input, void* output, size_t count, terrace_type type,
                              int root, terrace_team* team, int rank) noexcept {
  return move_with_root(Collective::gather, input, output, count, type, root, team, rank);
}

terrace_status terrace_scatter(const void* input, void* output, size_t count, terrace_type type,
                               int root, terrace_team* team, int rank) noexcept {
  return move_with_root(Collective::scatter, output, input, count, type, root, team, rank);
}

terrace_status terrace_alltoall(const void* input, void* output, size_t count, terrace_type type,
                                terrace_team* team, int rank) noexcept {
  if (const terrace_status status = check_member(team, rank)) return status;
  if (const terrace_status status = check_blocks(team, count, type)) return status;
  const std::size_t bytes = count * size_of(Type(type)), blocks = team->threads.rank_count();
  if (const terrace_status status = check_pair(input, output, count, bytes * blocks, rank))
    return status;
  const CheckedCall request = {Collective::alltoall, count, Type(type), Operator::sum, 0};
  return make_call(team, rank, request,
                   [&](TeamEndpoint& endpoint) { return endpoint.alltoall(input, output, bytes); });
}

terrace_status terrace_reduce_scatter_block(const void* input, void* output, size_t count,
                                            terrace_type type, terrace_operator op,
                                            terrace_team* team, int rank) noexcept {
  if (const terrace_status status = check_member(team, rank)) return status;
  if (const terrace_status status = check_blocks(team, count, type)) return status;
  Elements elements;
  if (const terrace_status status = find_elements(count, type, op, elements)) return status;
  const std::size_t bytes = count * elements.bytes, blocks = team->threads.rank_count();
  if (const terrace_status status = check_output("the output", output, rank, count)) return status;
  if (input == TERRACE_IN_PLACE) input = output;
  if (input == nullptr && count != 0) return no_buffer("the input", rank, count * blocks);
  if (input != output)
    if (const terrace_status status = check_apart(input, bytes * blocks, output, bytes, rank))
      return status;
  const CheckedCall request = {Collective::reduce_scatter_block, count, Type(type), Operator(op),
                               0};
  return make_call(team, rank, request, [&](TeamEndpoint& endpoint) {
    return endpoint.reduce_scatter_block(input, output, elements);
  });
}

terrace_status terrace_scan(const void* input, void* output, size_t count, terrace_type type,
                            terrace_operator op, terrace_team* team, int rank) noexcept {
  return combine(Collective::scan, &TeamEndpoint::scan, input, output, count, type, op, team, rank);
}

terrace_status terrace_exscan(const void* input, void* output, size_t count, terrace_type type,
                              terrace_operator op, terrace_team* team, int rank) noexcept {
  if (rank == 0 && input != TERRACE_IN_PLACE) output = const_cast<void*>(input);  // it has none
  return combine(Collective::exscan, &TeamEndpoint::exscan, input, output, count, type, op, team,
                 rank);
}
