// SPDX-License-Identifier: BSD-3-Clause
// The C entry points: check arguments, find the rank's seat, let it make the call, and turn what
// went wrong into a code and a sentence. No exception leaves this file.
#include "terrace/terrace.h"

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <limits>
#include <new>
#include <string>

#include "api/thread_team.hpp"
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

/// The one place where exceptions end.
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

/// What `bcast`, `reduce` and `allreduce` have in common.
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

/// `input` is not TERRACE_IN_PLACE; the same address as `output` is fine.
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

terrace_status find_elements(std::size_t count, terrace_type type, terrace_operator op,
                             Elements& elements) noexcept {
  if (const terrace_status status = check_elements(count, type)) return status;
  if (static_cast<unsigned>(op) >= kOperators)
    return fail(TERRACE_ERR_ARGUMENT, "%d is no operator: take a terrace_operator, as TERRACE_SUM",
                static_cast<int>(op));
  elements.count = count;
  elements.bytes = size_of(Type(type));
  elements.reduction = find_reduction(Type(type), Operator(op));
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

[[gnu::cold]] terrace_status broken(Station& station, int rank) noexcept {
  station.usable = nullptr;
  station.is_broken = true;
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

[[gnu::cold]] terrace_status check_agreement(terrace_team* team, int rank, const Request& request) {
  const std::string found = team->threads.disagreement(static_cast<Rank>(rank), request);
  return found.empty() ? TERRACE_OK : fail(TERRACE_ERR_MISMATCH, "%s", found.c_str());
}

/// Every collective goes through here, its arguments checked: `work` makes the call on a seat.
template <class Work>
terrace_status make_call(terrace_team* team, int rank, const Request& request,
                         Work&& work) noexcept {
  return guarded([&] {
    Station& station = team->threads.station(static_cast<Rank>(rank));
    if (station.seen() & Station::kInside) return busy(rank);
    const Visit visit(station, static_cast<std::uint8_t>(request.collective));
    if (station.usable == nullptr)
      if (const terrace_status status = join(team, rank)) return status;
    if (team->threads.checks_calls())
      if (const terrace_status status = check_agreement(team, rank, request)) return status;
    return work(*station.usable) ? TERRACE_OK : broken(station, rank);
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
  options.may_spin = given.waiting != TERRACE_WAIT_YIELDING;
  options.may_judge_crowding = given.waiting != TERRACE_WAIT_SPINNING;
  options.checks_calls = given.checks_calls != 0;
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
      is_flat ? make_flat_placement(ranks) : make_placement(ranks);
  if (!placement) return fail(placement.error(), TERRACE_ERR_SYSTEM);
  *team = new terrace_team{ThreadTeam(ranks, options, std::move(placement).value())};
  return TERRACE_OK;
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
    Station& station = team->threads.station(static_cast<Rank>(rank));
    if (station.seen() & Station::kInside) return busy(rank);
    const Visit visit(station, kJoining);
    return station.usable != nullptr ? TERRACE_OK : join(team, rank);
  });
}

terrace_status terrace_team_destroy(terrace_team* team) noexcept {
  if (team == nullptr) return TERRACE_OK;
  if (const Rank rank = team->threads.busy_rank(); rank < team->threads.rank_count())
    return fail(TERRACE_ERR_ARGUMENT,
                "rank %u is in a call of the team: destroy it when all "
                "threads have returned",
                rank);
  delete team;
  return TERRACE_OK;
}

int terrace_team_ranks(const terrace_team* team) noexcept {
  return team == nullptr ? 0 : static_cast<int>(team->threads.rank_count());
}

const char* terrace_team_hierarchy(const terrace_team* team) noexcept {
  return team == nullptr ? "" : team->threads.hierarchy_text();
}

const char* terrace_last_plan(const terrace_team* team, int rank) noexcept {
  if (check_member(team, rank) != TERRACE_OK) return "";
  const Seat* seat = team->threads.station(static_cast<Rank>(rank)).usable;
  return seat == nullptr ? "" : seat->last_plan().c_str();
}

terrace_status terrace_barrier(terrace_team* team, int rank) noexcept {
  if (const terrace_status status = check_member(team, rank)) return status;
  return make_call(team, rank, {}, [](Seat& seat) { return seat.barrier(); });
}

terrace_status terrace_bcast(void* buffer, size_t count, terrace_type type, int root,
                             terrace_team* team, int rank) noexcept {
  if (const terrace_status status = check_member(team, rank)) return status;
  if (const terrace_status status = check_elements(count, type)) return status;
  if (const terrace_status status = check_root(team, root)) return status;
  if (buffer == nullptr && count != 0) return no_buffer("the buffer", rank, count);
  const Request request = {Collective::bcast, count, Type(type), Operator::sum, Rank(root)};
  return make_call(team, rank, request, [&](Seat& seat) {
    return seat.bcast(buffer, count * size_of(Type(type)), Rank(root));
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
    if (input == TERRACE_IN_PLACE)
      return fail(TERRACE_ERR_ARGUMENT,
                  "rank %d gives TERRACE_IN_PLACE, but root %d alone has an "
                  "output: give its input",
                  rank, root);
  }
  if (input == TERRACE_IN_PLACE) input = output;
  if (input == nullptr && count != 0) return no_buffer("the input", rank, count);
  if (rank == root) {
    if (output == nullptr && count != 0) return no_buffer("the output", rank, count);
    if (const terrace_status status = check_overlap(input, output, count * elements.bytes, rank))
      return status;
  }
  const Request request = {Collective::reduce, count, Type(type), Operator(op), Rank(root)};
  return make_call(team, rank, request,
                   [&](Seat& seat) { return seat.reduce(input, output, elements, Rank(root)); });
}

terrace_status terrace_allreduce(const void* input, void* output, size_t count, terrace_type type,
                                 terrace_operator op, terrace_team* team, int rank) noexcept {
  if (const terrace_status status = check_member(team, rank)) return status;
  Elements elements;
  if (const terrace_status status = find_elements(count, type, op, elements)) return status;
  if (output == nullptr && count != 0) return no_buffer("the output", rank, count);
  if (input == TERRACE_IN_PLACE) input = output;
  if (input == nullptr && count != 0) return no_buffer("the input", rank, count);
  if (const terrace_status status = check_overlap(input, output, count * elements.bytes, rank))
    return status;
  const Request request = {Collective::allreduce, count, Type(type), Operator(op), 0};
  return make_call(team, rank, request,
                   [&](Seat& seat) { return seat.allreduce(input, output, elements); });
}
