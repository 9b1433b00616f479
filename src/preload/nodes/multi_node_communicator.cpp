// SPDX-License-Identifier: BSD-3-Clause
// Groups ranks by node, and joins each to its lane.
#include "preload/nodes/multi_node_communicator.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "base/contract.hpp"
#include "base/say.hpp"
#include "engine/signature.hpp"
#include "preload/mpi/exit_status.hpp"
#include "preload/mpi/trace.hpp"
#include "preload/nodes/clock_offset.hpp"
#include "preload/nodes/mpi_lane.hpp"
#include "team/call_mismatch.hpp"
#include "team/waiting.hpp"

namespace terrace::preload {

namespace {

/// Never reached: their number is limited where they are made. One that is displaced leaves its
/// communicator to MPI_Finalize.
constexpr std::size_t kMostIdleLanes = std::size_t{1} << 20;

/// Most bytes of a buffer that is kept for the next call.
constexpr std::size_t kMostKept = std::size_t{8} << 20;

/// Compares this rank's clock with that of the lane's first rank, by its number in MPI_COMM_WORLD.
void compare_clocks(LaneTransport& transport, int first) {
  if (const auto ahead = clock_offset(transport, [] { return WaitEnvironment().now_ns(); }))
    note_clock(static_cast<Rank>(first), *ahead);
}

std::unique_ptr<LaneTransport> transport_of(UnderlyingMpi& underlying, Handle communicator,
                                            const NodeLayout& layout, Rank rank,
                                            const std::vector<int>& recorded) {
  const Rank place = layout.place_of[rank];
  const std::vector<Rank> nodes = layout.lane_of(place);
  const auto own = std::find(nodes.begin(), nodes.end(), layout.node_of[rank]);
  TERRACE_REQUIRE(own != nodes.end(), rank, place, nodes.size());
  auto transport =
      std::make_unique<MpiLane>(underlying, communicator, static_cast<Rank>(nodes.size()),
                                static_cast<Rank>(own - nodes.begin()));
  if (!recorded.empty())
    compare_clocks(*transport, recorded[layout.ranks_of[nodes.front()][place]]);
  return transport;
}

}  // namespace

bool NodeLayout::is_in_a_row(Rank node) const {
  const std::vector<Rank>& ranks = ranks_of[node];
  return ranks.back() - ranks.front() + 1 == ranks.size();
}

std::vector<Rank> NodeLayout::lane_of(Rank place) const {
  std::vector<Rank> nodes_of_lane;
  for (Rank node = 0; node < ranks_of.size(); ++node)
    if (place < ranks_of[node].size()) nodes_of_lane.push_back(node);
  return nodes_of_lane;
}

bool moves_in_pairs(Collective collective) {
  return collective == Collective::gather || collective == Collective::scatter ||
         collective == Collective::allgather || collective == Collective::alltoall ||
         collective == Collective::reduce_scatter_block;
}

bool is_composed_over_nodes(Collective collective) {
  return collective == Collective::barrier || collective == Collective::bcast ||
         collective == Collective::reduce || collective == Collective::allreduce ||
         collective == Collective::scan || collective == Collective::exscan ||
         moves_in_pairs(collective);
}

std::string objection_to(const NodeLayout& layout, std::size_t most_ranks_on_node) {
  if (layout.nodes() == layout.node_of.size()) return kOneRankPerNode;
  if (layout.most_ranks <= most_ranks_on_node) return "";
  return "more ranks on a node than teams may have (" + std::to_string(most_ranks_on_node) + ")";
}

OwnLane::OwnLane(UnderlyingMpi& underlying, Handle its_communicator, const NodeLayout& layout,
                 Rank rank, const std::vector<int>& recorded)
    : communicator(its_communicator),
      lane(transport_of(underlying, its_communicator, layout, rank, recorded), stall_seconds()) {}

void OwnLane::connect_all(UnderlyingMpi& underlying, Handle of_all, const NodeLayout& layout,
                          Rank rank) {
  auto transport =
      std::make_unique<MpiLane>(underlying, of_all, static_cast<Rank>(layout.node_of.size()), rank);
  messenger = std::make_unique<PlanMessenger>(std::move(transport), stall_seconds());
}

IdlePool<OwnLane>& idle_lanes() {
  static auto* const the =
      new IdlePool<OwnLane>(kMostIdleLanes);  // programs may call until they have ended
  return *the;
}

namespace {

/// Clocks of different nodes cannot be compared, so calls are timed some together, whatever their
/// length.
TrialTerms terms_of_trials() {
  constexpr double kFirstCallsOfMpiNs = 100'000, kTellNs = 100'000;
  TrialTerms terms;
  terms.opening_ns = kFirstCallsOfMpiNs;
  terms.tell_ns = kTellNs;
  terms.last_begins_slowly = true;
  terms.only_together = true;
  return terms;
}

/// Exchanges how long ranks stayed in calls: the time of a call is the longest that any rank spends
/// in it. A late rank lengthens both ways alike.
bool exchange_times(UnderlyingMpi& underlying, Handle communicator, std::vector<Stay> mine,
                    std::vector<Stay>& all) {
  constexpr const char* kWho =
      "a trial of calls over several nodes (TERRACE_TRIALS=off makes none)";
  for (Stay& stay : mine) stay = {0, stay.end - stay.begin};
  if (!underlying.allgather(communicator, mine.data(), all.data(), mine.size() * sizeof(Stay),
                            kWho))
    return false;
  for (const Stay& stay : all) TERRACE_REQUIRE(stay.begin == 0, stay.begin, stay.end);
  return true;
}

}  // namespace

MultiNodeCommunicator::MultiNodeCommunicator(UnderlyingMpi& underlying, Handle communicator,
                                             NodeLayout its_layout, Rank its_rank,
                                             std::vector<int> its_world_ranks, bool are_recorded)
    : layout(std::move(its_layout)),
      rank(its_rank),
      world_ranks(std::move(its_world_ranks)),
      underlying_(underlying),
      are_recorded_(are_recorded),
      trials_(Contender::How::composed, terms_of_trials(), layout.node_of.size(),
              [&underlying, communicator](const std::vector<Stay>& mine, std::vector<Stay>& all) {
                return exchange_times(underlying, communicator, mine, all);
              }) {
  TERRACE_REQUIRE(rank < layout.node_of.size() && world_ranks.size() == layout.node_of.size(), rank,
                  world_ranks.size(), layout.node_of.size());
}

MultiNodeCommunicator::~MultiNodeCommunicator() {
  if (!own_lane_) {
    idle_lanes().release_ticket(world_ranks, ticket_);
    return;
  }
  Lane& lane = own_lane_->lane;
  answer_inquiries();
  lane.report_to(nullptr);
  if (own_lane_->messenger) own_lane_->messenger->report_to(nullptr);
  const std::uint64_t calls = lane.calls();
  idle_lanes().keep(world_ranks, ticket_, std::move(own_lane_), calls);
}

void MultiNodeCommunicator::use(std::unique_ptr<OwnLane> its_lane, const Ticket& its_ticket) {
  own_lane_ = std::move(its_lane);
  ticket_ = its_ticket;
  report_to_this();
}

void MultiNodeCommunicator::report_to_this() {
  if (own_lane_) own_lane_->lane.report_to(this);
  if (own_lane_ && own_lane_->messenger) own_lane_->messenger->report_to(&of_plans_);
}

void MultiNodeCommunicator::connect_all(Handle of_all) {
  TERRACE_ASSERT(own_lane_ != nullptr);
  own_lane_->connect_all(underlying_, of_all, layout, rank);
  report_to_this();
}

void MultiNodeCommunicator::begin(const CallIdentity& identity) {
  TERRACE_ASSERT(own_lane_ != nullptr);
  ++calls_;
  call_ = identity;
  if (recorder() != nullptr) begun_ns_ = now_ns();
  own_lane_->lane.begin(identity);
  if (own_lane_->messenger) own_lane_->messenger->begin(identity);
}

void MultiNodeCommunicator::record_call(const char* how) {
  Recorder* const own = recorder();
  if (own == nullptr) return;
  const Signature signature = signature_from(call_);
  own->called(signature.collective, signature.bytes, how, begun_ns_, now_ns());
}

std::byte* MultiNodeCommunicator::buffer(std::size_t which, std::size_t bytes) {
  TERRACE_ASSERT(which < kBuffers, which);
  if (bytes > buffer_bytes_[which]) {
    buffers_[which].reset(new (std::nothrow) std::byte[bytes]);
    buffer_bytes_[which] = bytes;
    if (!buffers_[which]) end_job_because("there is no memory for a buffer");
  }
  return buffers_[which].get();
}

void MultiNodeCommunicator::release_large_buffers() {
  for (std::size_t which = 0; which < kBuffers; ++which)
    if (buffer_bytes_[which] > kMostKept) {
      buffers_[which].reset();
      buffer_bytes_[which] = 0;
    }
}

void MultiNodeCommunicator::compare_last_calls() {
  if (own_lane_) own_lane_->lane.compare_last_calls();
  if (own_lane_ && own_lane_->messenger) own_lane_->messenger->compare_last_calls();
}

void MultiNodeCommunicator::answer_inquiries() noexcept {
  if (own_lane_ && own_lane_->lane.calls() > 0) own_lane_->lane.answer_inquiries();
  waits_long();
}

std::string MultiNodeCommunicator::call_text() const {
  return to_text(signature_from(call_));
}

Rank MultiNodeCommunicator::in_lane(Rank peer) const {
  const std::vector<Rank> nodes = layout.lane_of(place());
  TERRACE_REQUIRE(peer < nodes.size(), peer, nodes.size());
  return layout.ranks_of[nodes[peer]][place()];
}

std::string MultiNodeCommunicator::name_of(Rank its_rank) const {
  return "rank " + std::to_string(world_ranks[its_rank]) + " of MPI_COMM_WORLD (node " +
         layout.hosts[layout.node_of[its_rank]] + ")";
}

void MultiNodeCommunicator::end_job_because(const char* why) {
  end_recording();
  say(own_text() + ", in " + call_text() + " of " + std::to_string(world_ranks.size()) +
      " ranks on " + std::to_string(layout.nodes()) + " nodes: " + why +
      ". Ending the job (with TERRACE_ACROSS_NODES=0, such calls fall back to the MPI)");
  underlying_.end_job();
}

void MultiNodeCommunicator::mismatched(Rank peer, const CallIdentity& mine,
                                       const CallIdentity& theirs) {
  end_for_mismatch_with(in_lane(peer), mine, theirs);
}

void MultiNodeCommunicator::end_for_mismatch_with(Rank peer, const CallIdentity& mine,
                                                  const CallIdentity& theirs) {
  CallMismatch mismatch;
  mismatch.mine = mine;
  mismatch.theirs = theirs;
  end_for_mismatch(underlying_, is_ending_, to_text(mismatch, own_text(), name_of(peer)));
}

void MultiNodeCommunicator::stalled(Rank peer, double seconds) {
  say_stalled(in_lane(peer), seconds);
}

/// Another rank may make another call by a plan, and ask this one.
void MultiNodeCommunicator::waits_long() {
  if (own_lane_ && own_lane_->messenger) own_lane_->messenger->answer_inquiries();
}

void MultiNodeCommunicator::say_stalled(Rank peer, double seconds) const {
  say(own_text() + " has waited " + std::to_string(static_cast<long>(seconds)) + " s in " +
      call_text() + " for " + name_of(peer));
}

std::uint64_t MultiNodeCommunicator::now_ns() {
  return WaitEnvironment().now_ns();
}

void MultiNodeCommunicator::yield() {
  WaitEnvironment().yield();
}

}  // namespace terrace::preload
