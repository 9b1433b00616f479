// SPDX-License-Identifier: BSD-3-Clause
// Hands parts to a node's team, to a lane, or to the MPI.
#include "preload/dispatch/call_parts.hpp"

#include <climits>
#include <cstring>

#include "base/contract.hpp"
#include "engine/signature.hpp"

namespace terrace::preload {

namespace {

/// Longer vectors of more than two nodes are the MPI's between nodes: it knows its network, and
/// its algorithms send less of them in total.
constexpr std::size_t kMostByMessages = std::size_t{64} << 10;

}  // namespace

CallIdentity identity_of_call(Dispatch& dispatch, const Elements& elements) {
  return identity_of({dispatch.collective(), bytes_of(elements), dispatch.root(),
                      elements.in_rank_order, elements.combination, 0});
}

CallParts::CallParts(Dispatch& dispatch, const Elements& elements)
    : dispatch_(dispatch),
      team_(dispatch.comm_state().team.get()),
      over_(*dispatch.comm_state().over_nodes) {
  over_.begin(identity_of_call(dispatch, elements));
  if (over_.settings.checks) compare_calls();
}

void CallParts::tell_node() {
  if (team_ != nullptr) team_->endpoint->pass(over_.call());
}

void CallParts::compare_calls() {
  tell_node();
  on_node(Collective::barrier, nullptr, nullptr, {}, 0);
  barrier();
}

void CallParts::on_node(Collective collective, const void* input, void* output,
                        const Elements& elements, Rank root) {
  TERRACE_ASSERT(root < ranks_on_node(), root, ranks_on_node(), collective);
  if (team_ == nullptr) {
    if (input != output && input != nullptr && output != nullptr)
      std::memcpy(output, input, bytes_of(elements));
    return;
  }
  const bool is_done = team_->make_call(collective, input, output, elements, root);
  end_run(is_done, *team_);
  if (!is_done) over_.end_job_because("the part on a node has failed");
}

bool CallParts::is_mpis(std::size_t bytes) const {
  return nodes() > 2 && bytes > kMostByMessages;
}

void CallParts::bcast(void* bytes, std::size_t count, Rank root) {
  if (!is_mpis(count)) return judge(lane().bcast(bytes, count, root));
  barrier();  // compares the calls
  judge(underlying().next_bcast(communicator(), bytes, count, static_cast<int>(root), nullptr));
}

void CallParts::reduce(void* sum, const Elements& elements, const MpiCall& call, Rank root) {
  if (!is_mpis(bytes_of(elements))) return judge(lane().reduce(sum, elements, root));
  barrier();
  const bool is_root = node() == root;
  reduce_by_mpi(Collective::reduce, is_root ? underlying().in_place() : sum,
                is_root ? sum : nullptr, elements.count, call, static_cast<int>(root));
}

void CallParts::allreduce(void* sum, const Elements& elements, const MpiCall& call) {
  if (!is_mpis(bytes_of(elements))) return judge(lane().allreduce(sum, elements));
  barrier();
  reduce_by_mpi(Collective::allreduce, underlying().in_place(), sum, elements.count, call, 0);
}

void CallParts::reduce_by_mpi(Collective collective, const void* input, void* output,
                              std::size_t count, const MpiCall& call, int root) {
  judge(underlying().next_reduction(collective, communicator(), input, output, count, call.type,
                                    call.op, root, nullptr));
}

void CallParts::move_by_mpi(Collective collective, std::byte* input, std::byte* output,
                            std::size_t block_bytes, Rank root) {
  TERRACE_REQUIRE(block_bytes <= INT_MAX && root < ranks(), block_bytes, root, collective);
  compare_calls();
  const std::vector<int> counts{static_cast<int>(block_bytes)};
  judge(underlying().next_exchange(collective, dispatch_.comm_state().communicator,
                                   {input, counts, {}}, {output, counts, {}},
                                   static_cast<int>(root), nullptr));
}

}  // namespace terrace::preload
