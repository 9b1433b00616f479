// SPDX-License-Identifier: BSD-3-Clause
// The C functions that start and prepare calls, and complete them.
#include <cstdio>
#include <memory>
#include <vector>

#include "api/collectives_inl.hpp"
#include "terrace/terrace.h"

namespace terrace {
namespace {

[[gnu::cold]] terrace_status no_place() noexcept {
  return fail(TERRACE_ERR_ARGUMENT, "`call` is null: expected where to put the call");
}

/// Lets `work` use the rank's calls, as the only thread.
template <class Work>
terrace_status with_calls(ThreadTeam& team, Rank rank, std::uint8_t activity,
                          Work&& work) noexcept {
  return guarded([&] {
    RankSlot& rank_slot = team.rank_slot(rank);
    if (rank_slot.seen() & RankSlot::kInside) return busy(static_cast<int>(rank));
    const InsideCall inside(rank_slot, activity);
    if (rank_slot.calls == nullptr) rank_slot.calls = std::make_unique<RankCalls>(team, rank);
    if (!rank_slot.calls->take_over()) return of_another_thread(static_cast<int>(rank));
    return work(*rank_slot.calls);
  });
}

/// The way of a call that is started.
struct Starting {
  terrace_call** call;

  template <class Work>
  terrace_status operator()(terrace_team* team, int rank, const CheckedCall& request,
                            const void* input, void* output, const Elements& elements,
                            const Work&) const noexcept {
    const auto activity = static_cast<std::uint8_t>(request.collective);
    return with_calls(team->threads, Rank(rank), activity, [&](RankCalls& calls) {
      if (const terrace_status status = calls.arrive()) return status;
      *call = &calls.start({request, input, output, elements});
      return TERRACE_OK;
    });
  }
};

/// The way of a call that is prepared.
struct Preparing {
  terrace_call** call;

  template <class Work>
  terrace_status operator()(terrace_team* team, int rank, const CheckedCall& request,
                            const void* input, void* output, const Elements& elements,
                            const Work&) const noexcept {
    return with_calls(team->threads, Rank(rank), kCompleting, [&](RankCalls& calls) {
      if (const terrace_status status = calls.arrive()) return status;
      *call = &calls.prepare({request, input, output, elements});
      return TERRACE_OK;
    });
  }
};

/// Makes a call that way, for which there must be a place.
template <class Way, class Work>
terrace_status make(terrace_call** call, const Work& work) noexcept {
  if (call == nullptr) return no_place();
  *call = nullptr;
  return work(Way{call});
}

/// Lets `work` use a call that `call` names.
template <class Work>
terrace_status with_call(terrace_call* call, std::uint8_t activity, Work&& work) noexcept {
  if (call == nullptr)
    return fail(TERRACE_ERR_ARGUMENT,
                "the call is null: it was not started or prepared, or is over and waited for");
  if (call->state == CallState::unused)
    return fail(TERRACE_ERR_ARGUMENT, "the call has been waited for, or freed, before");
  RankCalls& calls = *call->rank_calls;
  return with_calls(calls.team(), calls.rank(), activity,
                    [&](RankCalls& its) { return work(its, *call); });
}

[[gnu::cold]] terrace_status inactive(const StartedCall& call) noexcept {
  return fail(TERRACE_ERR_ARGUMENT,
              "the prepared call (%s) of rank %u is not started, or has been waited for: start it "
              "with terrace_start",
              to_text(call.arguments.request.collective), call.rank_calls->rank());
}

[[gnu::cold]] terrace_status broken(const StartedCall& call) {
  ThreadTeam& team = call.rank_calls->team();
  const Rank rank = call.rank_calls->rank();
  const TeamWaitEnvironment& wait_environment = call.lane->wait_environment();
  if (wait_environment.mismatch() || !team.is_broken()) return broken(team, rank, wait_environment);
  team.leave_broken(rank);
  return fail(TERRACE_ERR_BROKEN,
              "rank %u gives up a started call, since another rank has left the team: the ranks "
              "made different calls; destroy the team, and find the call with the option "
              "checks_calls",
              rank);
}

[[gnu::cold]] terrace_status failure_of(const StartedCall& call) {
  if (call.outcome == CallOutcome::broken) return broken(call);
  const std::vector<CheckedCall>& requests = call.requests;
  const Rank rank = first_difference(requests);
  return fail(TERRACE_ERR_MISMATCH, "%s",
              difference_text(requests.front(), rank, requests[rank]).c_str());
}

/// The call is over: a prepared one may be started again, the handle of another is used up.
terrace_status end(StartedCall& call, terrace_call*& handle) {
  const terrace_status status = call.outcome == CallOutcome::done ? TERRACE_OK : failure_of(call);
  if (call.own_lane != nullptr) {
    call.state = CallState::inactive;
    return status;
  }
  call.rank_calls->give_back(call);
  handle = nullptr;
  return status;
}

terrace_status wait(terrace_call*& handle) noexcept {
  return with_call(handle, kCompleting, [&](RankCalls& calls, StartedCall& call) {
    if (call.state == CallState::inactive) return inactive(call);
    if (call.state == CallState::pending) calls.wait(call);
    return end(call, handle);
  });
}

}  // namespace
}  // namespace terrace

using namespace terrace;

terrace_status terrace_start(terrace_call* call) noexcept {
  const std::uint8_t activity =
      call == nullptr ? kCompleting : static_cast<std::uint8_t>(call->arguments.request.collective);
  return with_call(call, activity, [&](RankCalls& calls, StartedCall& its) {
    if (its.state != CallState::inactive)
      return fail(TERRACE_ERR_ARGUMENT,
                  "the call (%s) of rank %u is active: wait for it before you start it again",
                  to_text(its.arguments.request.collective), calls.rank());
    if (const terrace_status status = calls.arrive()) return status;
    calls.start_again(its);
    return TERRACE_OK;
  });
}

terrace_status terrace_test(terrace_call** call, int* is_done) noexcept {
  if (is_done == nullptr)
    return fail(TERRACE_ERR_ARGUMENT, "`is_done` is null: expected where to put the answer");
  *is_done = 0;
  if (call == nullptr) return no_place();
  return with_call(*call, kCompleting, [&](RankCalls& calls, StartedCall& its) {
    if (its.state == CallState::inactive) return inactive(its);
    if (its.state == CallState::pending && !calls.test(its)) return TERRACE_OK;
    *is_done = 1;
    return end(its, *call);
  });
}

terrace_status terrace_wait(terrace_call** call) noexcept {
  return call == nullptr ? no_place() : wait(*call);
}

terrace_status terrace_wait_all(size_t count, terrace_call* calls[]) noexcept {
  if (calls == nullptr && count != 0)
    return fail(TERRACE_ERR_ARGUMENT, "`calls` is null: expected %zu calls", count);
  terrace_status first = TERRACE_OK;
  char sentence[kSentenceBytes] = "";
  for (std::size_t i = 0; i < count; ++i) {
    if (calls[i] == nullptr) continue;
    const terrace_status status = wait(calls[i]);
    if (first != TERRACE_OK || status == TERRACE_OK) continue;
    first = status;
    std::snprintf(sentence, sizeof sentence, "%s", last_failure());
  }
  return first == TERRACE_OK ? first : fail(first, "%s", sentence);
}

terrace_status terrace_call_free(terrace_call** call) noexcept {
  if (call == nullptr) return no_place();
  if (*call == nullptr) return TERRACE_OK;
  return with_call(*call, kCompleting, [&](RankCalls& calls, StartedCall& its) {
    if (its.state != CallState::inactive)
      return fail(TERRACE_ERR_ARGUMENT, "the call (%s) of rank %u is active: wait for it instead",
                  to_text(its.arguments.request.collective), calls.rank());
    const bool are_alike = its.own_lane->compare_calls();
    const terrace_status status =
        are_alike ? TERRACE_OK
                  : broken(calls.team(), calls.rank(), its.own_lane->wait_environment());
    calls.give_back(its);
    *call = nullptr;
    return status;
  });
}

terrace_status terrace_start_barrier(terrace_team* team, int rank, terrace_call** call) noexcept {
  return make<Starting>(call,
                        [&](const auto& way) { return collectives::barrier(way, team, rank); });
}

terrace_status terrace_prepare_barrier(terrace_team* team, int rank, terrace_call** call) noexcept {
  return make<Preparing>(call,
                         [&](const auto& way) { return collectives::barrier(way, team, rank); });
}

terrace_status terrace_start_bcast(void* buffer, size_t count, terrace_type type, int root,
                                   terrace_team* team, int rank, terrace_call** call) noexcept {
  return make<Starting>(call, [&](const auto& way) {
    return collectives::bcast(way, buffer, count, type, root, team, rank);
  });
}

terrace_status terrace_prepare_bcast(void* buffer, size_t count, terrace_type type, int root,
                                     terrace_team* team, int rank, terrace_call** call) noexcept {
  return make<Preparing>(call, [&](const auto& way) {
    return collectives::bcast(way, buffer, count, type, root, team, rank);
  });
}

terrace_status terrace_start_reduce(const void* input, void* output, size_t count,
                                    terrace_type type, terrace_operator op, int root,
                                    terrace_team* team, int rank, terrace_call** call) noexcept {
  return make<Starting>(call, [&](const auto& way) {
    return collectives::reduce(way, input, output, count, type, op, root, team, rank);
  });
}

terrace_status terrace_prepare_reduce(const void* input, void* output, size_t count,
                                      terrace_type type, terrace_operator op, int root,
                                      terrace_team* team, int rank, terrace_call** call) noexcept {
  return make<Preparing>(call, [&](const auto& way) {
    return collectives::reduce(way, input, output, count, type, op, root, team, rank);
  });
}

terrace_status terrace_start_allreduce(const void* input, void* output, size_t count,
                                       terrace_type type, terrace_operator op, terrace_team* team,
                                       int rank, terrace_call** call) noexcept {
  return make<Starting>(call, [&](const auto& way) {
    return collectives::allreduce(way, input, output, count, type, op, team, rank);
  });
}

terrace_status terrace_prepare_allreduce(const void* input, void* output, size_t count,
                                         terrace_type type, terrace_operator op, terrace_team* team,
                                         int rank, terrace_call** call) noexcept {
  return make<Preparing>(call, [&](const auto& way) {
    return collectives::allreduce(way, input, output, count, type, op, team, rank);
  });
}

terrace_status terrace_start_allgather(const void* input, void* output, size_t count,
                                       terrace_type type, terrace_team* team, int rank,
                                       terrace_call** call) noexcept {
  return make<Starting>(call, [&](const auto& way) {
    return collectives::allgather(way, input, output, count, type, team, rank);
  });
}

terrace_status terrace_prepare_allgather(const void* input, void* output, size_t count,
                                         terrace_type type, terrace_team* team, int rank,
                                         terrace_call** call) noexcept {
  return make<Preparing>(call, [&](const auto& way) {
    return collectives::allgather(way, input, output, count, type, team, rank);
  });
}

terrace_status terrace_start_gather(const void* input, void* output, size_t count,
                                    terrace_type type, int root, terrace_team* team, int rank,
                                    terrace_call** call) noexcept {
  return make<Starting>(call, [&](const auto& way) {
    return collectives::gather(way, input, output, count, type, root, team, rank);
  });
}

terrace_status terrace_prepare_gather(const void* input, void* output, size_t count,
                                      terrace_type type, int root, terrace_team* team, int rank,
                                      terrace_call** call) noexcept {
  return make<Preparing>(call, [&](const auto& way) {
    return collectives::gather(way, input, output, count, type, root, team, rank);
  });
}

terrace_status terrace_start_scatter(const void* input, void* output, size_t count,
                                     terrace_type type, int root, terrace_team* team, int rank,
                                     terrace_call** call) noexcept {
  return make<Starting>(call, [&](const auto& way) {
    return collectives::scatter(way, input, output, count, type, root, team, rank);
  });
}

terrace_status terrace_prepare_scatter(const void* input, void* output, size_t count,
                                       terrace_type type, int root, terrace_team* team, int rank,
                                       terrace_call** call) noexcept {
  return make<Preparing>(call, [&](const auto& way) {
    return collectives::scatter(way, input, output, count, type, root, team, rank);
  });
}

terrace_status terrace_start_alltoall(const void* input, void* output, size_t count,
                                      terrace_type type, terrace_team* team, int rank,
                                      terrace_call** call) noexcept {
  return make<Starting>(call, [&](const auto& way) {
    return collectives::alltoall(way, input, output, count, type, team, rank);
  });
}

terrace_status terrace_prepare_alltoall(const void* input, void* output, size_t count,
                                        terrace_type type, terrace_team* team, int rank,
                                        terrace_call** call) noexcept {
  return make<Preparing>(call, [&](const auto& way) {
    return collectives::alltoall(way, input, output, count, type, team, rank);
  });
}

terrace_status terrace_start_reduce_scatter_block(const void* input, void* output, size_t count,
                                                  terrace_type type, terrace_operator op,
                                                  terrace_team* team, int rank,
                                                  terrace_call** call) noexcept {
  return make<Starting>(call, [&](const auto& way) {
    return collectives::reduce_scatter_block(way, input, output, count, type, op, team, rank);
  });
}

terrace_status terrace_prepare_reduce_scatter_block(const void* input, void* output, size_t count,
                                                    terrace_type type, terrace_operator op,
                                                    terrace_team* team, int rank,
                                                    terrace_call** call) noexcept {
  return make<Preparing>(call, [&](const auto& way) {
    return collectives::reduce_scatter_block(way, input, output, count, type, op, team, rank);
  });
}

terrace_status terrace_start_scan(const void* input, void* output, size_t count, terrace_type type,
                                  terrace_operator op, terrace_team* team, int rank,
                                  terrace_call** call) noexcept {
  return make<Starting>(call, [&](const auto& way) {
    return collectives::scan(way, input, output, count, type, op, team, rank);
  });
}

terrace_status terrace_prepare_scan(const void* input, void* output, size_t count,
                                    terrace_type type, terrace_operator op, terrace_team* team,
                                    int rank, terrace_call** call) noexcept {
  return make<Preparing>(call, [&](const auto& way) {
    return collectives::scan(way, input, output, count, type, op, team, rank);
  });
}

terrace_status terrace_start_exscan(const void* input, void* output, size_t count,
                                    terrace_type type, terrace_operator op, terrace_team* team,
                                    int rank, terrace_call** call) noexcept {
  return make<Starting>(call, [&](const auto& way) {
    return collectives::exscan(way, input, output, count, type, op, team, rank);
  });
}

terrace_status terrace_prepare_exscan(const void* input, void* output, size_t count,
                                      terrace_type type, terrace_operator op, terrace_team* team,
                                      int rank, terrace_call** call) noexcept {
  return make<Preparing>(call, [&](const auto& way) {
    return collectives::exscan(way, input, output, count, type, op, team, rank);
  });
}
