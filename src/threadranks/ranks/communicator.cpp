// SPDX-License-Identifier: BSD-3-Clause
// A member's operations on a communicator, and communicators made from others.
#include "threadranks/ranks/communicator.hpp"

#include <algorithm>

#include "base/contract.hpp"
#include "threadranks/ranks/neighbour_call.hpp"
#include "threadranks/ranks/rank_state.hpp"
#include "threadranks/ranks/spanning_call.hpp"

namespace terrace::threadranks {

int RankGroup::rank_of(Rank rank) const {
  const auto found = std::find(members.begin(), members.end(), rank);
  return found == members.end() ? -1 : static_cast<int>(found - members.begin());
}

std::unique_ptr<const SpanningMembers> spanning_members(const RanksJob& job,
                                                        const std::vector<Rank>& members) {
  if (std::all_of(members.begin(), members.end(), [&](Rank rank) { return job.is_here(rank); }))
    return nullptr;
  auto made = std::make_unique<SpanningMembers>();
  made->are_in_order = true;
  for (std::size_t place = 0; place < members.size(); ++place) {
    const int process = job.process_of(members[place]);
    auto& all = made->processes;
    const auto found = std::find_if(all.begin(), all.end(), [&](const ProcessMembers& some) {
      return some.process == process;
    });
    if (found != all.end() && found + 1 != all.end()) made->are_in_order = false;
    made->process_of.push_back(static_cast<std::size_t>(found - all.begin()));
    if (found == all.end()) all.push_back({process, {}});
    all[made->process_of.back()].places.push_back(static_cast<int>(place));
    if (process == job.process()) made->own = made->process_of.back();
  }
  return made;
}

SharedCommunicator::SharedCommunicator(const RanksJob& job, std::uint32_t its_context,
                                       std::vector<Rank> its_members, std::size_t its_first_group,
                                       const RankTeam* blocking)
    : context(its_context),
      members(std::move(its_members)),
      first_group(its_first_group),
      spanning(spanning_members(job, members)),
      team(members_here(), blocking),
      references(static_cast<int>(members_here())),
      graph(blocking == nullptr ? std::make_shared<SharedGraph>() : nullptr) {}

SharedCommunicator& SharedCommunicator::lane(std::size_t number, const RanksJob& job) {
  TERRACE_ASSERT(number < kLanes, number);
  std::call_once(has_lane_[number], [&] {
    const auto its_context = context + static_cast<std::uint32_t>(1 + number) * kContextsOfTeam;
    lanes_[number] =
        std::make_unique<SharedCommunicator>(job, its_context, members, first_group, &team);
  });
  return *lanes_[number];
}

namespace {

Rank place_here(const SharedCommunicator& shared, int place) {
  if (!shared.spanning) return static_cast<Rank>(place);
  const std::vector<int>& here = shared.spanning->here().places;
  return static_cast<Rank>(std::find(here.begin(), here.end(), place) - here.begin());
}

}  // namespace

Communicator::Communicator(RankState& state, SharedCommunicator& shared, int place,
                           Communicator* blocking)
    : may_wait_in_calls(blocking == nullptr),
      state_(state),
      shared_(shared),
      place_(place),
      place_here_(place_here(shared, place)),
      match_queues_(state.messages().match_queues(shared.context)),
      blocking_(blocking) {
  TERRACE_REQUIRE(place >= 0 && static_cast<std::size_t>(place) < shared.members.size(), place,
                  shared.members.size());
  TERRACE_ASSERT(shared.members[static_cast<std::size_t>(place)] == state.rank(), state.rank());
  TERRACE_ASSERT(shared.first_group < shared.members.size(), shared.first_group);
  state_.communicators.insert(this);
  const auto& all = shared.members;
  const auto border = all.begin() + static_cast<std::ptrdiff_t>(shared.first_group);
  if (shared.first_group == 0) {
    members_ = all;
  } else if (place < static_cast<int>(shared.first_group)) {
    members_.assign(all.begin(), border);
    remote_.assign(border, all.end());
    first_peer_ = static_cast<int>(shared.first_group);
  } else {
    members_.assign(border, all.end());
    remote_.assign(all.begin(), border);
    first_ = static_cast<int>(shared.first_group);
  }
}

Communicator::~Communicator() {
  lanes_ = {};
  state_.communicators.erase(this);
  state_.unwatch(*this);
  endpoint_.reset();
  state_.messages().forget(shared_.context);
  state_.messages().forget(spanning_context(*this));
  TERRACE_ASSERT(operations_.empty());
  if (blocking_ != nullptr) return;  // what its members share belongs to what those of that do
  // acq_rel: the last to leave frees what all have used; all call this.
  const int before = shared_.references.fetch_sub(1, std::memory_order_acq_rel);
  TERRACE_ASSERT(before >= 1, before);
  if (before == 1) state_.job().forget(shared_);
}

void Communicator::set_topology(std::unique_ptr<RankTopology> topology) {
  TERRACE_ASSERT(topology_ == nullptr && topology != nullptr);
  TERRACE_ASSERT(!has_arrived_ && blocking_ == nullptr && !is_intercomm());
  topology_ = std::move(topology);
  neighbours_ = std::make_unique<MemberNeighbours>(*this, topology_->neighbours_of(rank()));
}

void Communicator::retain() {
  TERRACE_ASSERT(state_.call_lock().permits_caller(), state_.rank());
  ++references_;
}

void Communicator::release() {
  TERRACE_ASSERT(state_.call_lock().permits_caller() && references_ > 0, references_);
  if (--references_ > 0) return;
  compare_calls();
  delete this;
}

Address Communicator::address_of(int rank, int tag) const {
  TERRACE_ASSERT(rank >= 0 && rank < peer_count(), rank, peer_count());
  const Rank there = peers()[static_cast<std::size_t>(rank)];
  return {state_.job().mailbox_of(there), shared_.context, this->rank(), tag, there};
}

TeamEndpoint* Communicator::endpoint_if_founded() {
  if (endpoint_) return endpoint_.get();
  if (!has_arrived_) {
    const RanksJob& job = state_.job();
    const Rank peers_here = spans() ? shared_.members_here() : static_cast<Rank>(peers().size());
    RankHome home = state_.home();
    home.shared_cores = shared_cores_of(peers_here, job.ranks_on_cores(), job.usable_pus());
    has_arrived_ = true;
    if (shared_.team.arrive(place_here_, home)) wake_members();
  }
  if (!shared_.team.is_founded()) return nullptr;
  endpoint_ = shared_.team.take_endpoint(place_here_, state_.wait_environment(), state_.waiting());
  ++state_.counts.teams;
  if (state_.tally)
    endpoint_->tell_outcomes_to([&state = state_](const std::string& sentence) {
      const CriticalSection critical(state.call_lock());
      if (state.tally) state.tally->note(sentence);
    });
  return endpoint_.get();
}

/// Wakes the members in this process, who may wait for the team.
void Communicator::wake_members() {
  const RanksJob& job = state_.job();
  for (const Rank member : shared_.members)
    if (job.is_here(member) && member != state_.rank()) job.mailbox_of(member)->notify_surely();
}

void Communicator::count_run(Collective collective, std::size_t bytes, bool had_work) {
  state_.counts.add(collective, bytes);
  if (state_.tally)
    state_.tally->count_run(collective, bytes,
                            !had_work ? "nothing (no bytes)"
                            : spans() ? composed_name()
                                      : endpoint_->last_plan(),
                            std::nullopt);
}

TeamEndpoint& Communicator::endpoint() {
  if (!is_idle()) state_.wait([this] { return is_idle(); });
  if (!endpoint_ && endpoint_if_founded() == nullptr)
    state_.wait_to_be_woken([this] { return endpoint_if_founded() != nullptr; });
  return *endpoint_;
}

void Communicator::enqueue(std::shared_ptr<Operation> operation) {
  TERRACE_ASSERT(operation != nullptr && !operation->is_over);
  operations_.push_back(std::move(operation));
  state_.watch(*this);
  advance();
}

void Communicator::start(StartedCollective& started, TeamEndpoint::PreparedCall& prepared,
                         const void* input, void* output) {
  TERRACE_ASSERT(is_ready() && started.is_over);
  started.on = this;
  team_calls_.add();
  const Progress progress = endpoint_->start(prepared, input, output);
  if (progress != Progress::done && progress != Progress::blocked) end_mismatched();
  started_ = &started;
  started.is_over = false;
  if (progress == Progress::done) return end_started();
  state_.watch(*this);
}

void Communicator::complete(StartedCollective& started) {
  if (started.is_over || is_advancing_) return;
  TERRACE_ASSERT(started_ == &started && started.on == this);
  is_advancing_ = true;  // what the wait makes progress on is everything else
  const bool is_done = endpoint_->complete();
  is_advancing_ = false;
  if (!is_done) end_mismatched();
  end_started();
  if (operations_.empty())
    state_.unwatch(*this);
  else
    advance();
}

void Communicator::end_started() {
  if (started_->edges != nullptr) {
    started_->is_truncated = started_->edges->is_truncated;
    started_->edges = nullptr;
  }
  started_->is_over = true;
  started_ = nullptr;
}

void Communicator::end_mismatched() const {
  state_.end_job(1, "the calls of a communicator's members do not match");
}

Communicator& Communicator::lane(std::size_t number) {
  TERRACE_ASSERT(blocking_ == nullptr);
  auto& lane = lanes_[number];
  if (!lane) {
    lane = std::make_unique<Communicator>(state_, shared_.lane(number, state_.job()), place_, this);
    lane->use_findings_of(*this);
  }
  return *lane;
}

void Communicator::enqueue_nonblocking(std::shared_ptr<Operation> operation) {
  Communicator& its = lane(next_lane());
  note_nonblocking();
  its.enqueue(std::move(operation));
}

void Communicator::start_nonblocking(StartedCollective& started,
                                     TeamEndpoint::PreparedCall& prepared, const void* input,
                                     void* output) {
  TERRACE_ASSERT(blocking_ != nullptr);
  blocking_->note_nonblocking();
  start(started, prepared, input, output);
}

/// Notes what blocking calls have done before this one.
void Communicator::note_nonblocking() {
  publish_findings();
  order_.add(endpoint_ ? endpoint_->calls() : 0);
  if (begun_.add()) compare_order();
}

void Communicator::use_findings_of(Communicator& other) {
  TERRACE_ASSERT(others_findings_ == nullptr && &other != this);
  if (!other.published_) other.published_ = std::make_shared<PublishedFindings>();
  other.publish_findings();
  others_findings_ = other.published_;
}

void Communicator::publish_findings() {
  if (published_ && endpoint_) published_->publish(*endpoint_);
}

/// Notes a difference for the report: it is the program's fault, but every MPI runs such a program.
void Communicator::compare_order() {
  const std::uint64_t mine = order_.value();
  if (shared_.orders.at(begun_.value(), mine) == mine) return;
  state_.job().note("members of " + what() +
                    " begin nonblocking collectives before blocking ones on one rank and after "
                    "them on another, which MPI forbids: each kind was matched by itself");
}

void Communicator::settle_findings() {
  if (others_findings_ != nullptr)
    shared_.findings.settle(team_calls_, *others_findings_, *endpoint_);
}

bool Communicator::is_behind() {
  if (blocking_ != nullptr || !are_all_over()) return false;
  for (std::size_t number = 0; number < kLanes; ++number) {
    const TeamEndpoint* const own = lanes_[number] ? lanes_[number]->endpoint_.get() : nullptr;
    if (shared_.lane(number, state_.job()).team.most_calls() >
        (own != nullptr ? own->calls_of_all_kinds() : 0))
      return true;
  }
  return false;
}

void Communicator::compare_calls() {
  if (endpoint_) endpoint_->compare_calls();
  for (const auto& lane : lanes_)
    if (lane) lane->compare_calls();
  if (begun_.value() != 0) compare_order();
}

/// An operation may use the communicator while it advances, even wait for what its team does before
/// a first call; it must not be advanced again then.
void Communicator::advance() {
  if (is_advancing_) return;
  is_advancing_ = true;
  if (started_ != nullptr) {
    const Progress progress = endpoint_->advance();
    if (progress == Progress::done) end_started();
    if (progress != Progress::done && progress != Progress::blocked) end_mismatched();
  }
  while (started_ == nullptr && !operations_.empty() && operations_.front()->advance(*this)) {
    operations_.front()->is_over = true;
    operations_.pop_front();
  }
  is_advancing_ = false;
}

std::string Communicator::composed_name() const {
  return "composed over " + std::to_string(shared_.spanning->processes.size()) + " processes";
}

namespace {

/// Makes one call of all members, and waits until it is complete.
template <class Call>
void call_all(Communicator& communicator, Call&& call) {
  TeamEndpoint& endpoint = communicator.endpoint();
  if (!communicator.spans()) {
    {
      const Unlocked unlocked(communicator.state().call_lock());
      call(endpoint);
    }
    return communicator.publish_findings();
  }
  SpanningCall spanning(communicator, endpoint);
  call(spanning);
  communicator.state().wait([&] { return spanning.advance() != Progress::blocked; });
}

}  // namespace

void allgather(Communicator& communicator, const void* input, void* output, std::size_t bytes) {
  call_all(communicator, [&](auto& endpoint) { endpoint.allgather(input, output, bytes); });
}

void barrier(Communicator& communicator) {
  call_all(communicator, [&](auto& endpoint) { endpoint.barrier(); });
}

void bcast(Communicator& communicator, void* buffer, std::size_t bytes, int root) {
  call_all(communicator,
           [&](auto& endpoint) { endpoint.bcast(buffer, bytes, static_cast<Rank>(root)); });
}

std::vector<std::vector<std::byte>> alltoallv(Communicator& communicator,
                                              std::vector<std::vector<std::byte>> sent) {
  const std::size_t size = sent.size();
  const auto own = static_cast<std::size_t>(communicator.rank());
  TERRACE_REQUIRE(!communicator.is_intercomm() && size == communicator.members().size(), size);
  std::vector<std::vector<std::byte>> received(size);
  std::vector<Block> in(size), out(size);
  for (std::size_t i = 0; i < size; ++i) in[i] = {sent[i].data(), sent[i].size()};
  const BlockTables tables{in.data(), out.data()};
  Lengths lengths;
  call_all(communicator, [&](auto& endpoint) {
    endpoint.tell_lengths(Collective::alltoallv, tables, true, 0, lengths);
  });
  for (std::size_t i = 0; i < size; ++i) {
    received[i].resize(i == own ? sent[own].size() : lengths.given_by(static_cast<Rank>(i)));
    out[i] = {received[i].data(), received[i].size()};
  }
  const std::size_t most = lengths.most().value_or(0);
  if (most > 0)
    call_all(communicator,
             [&](auto& endpoint) { endpoint.move_blocks(Collective::alltoallv, tables, most, 0); });
  return received;
}

namespace {

struct ColorAndKey {
  int color;
  int key;
};

/// The members of a future communicator, by their places in the parent.
struct Chosen {
  std::vector<int> places;
  std::size_t first_group = 0;
};

std::vector<Rank> members_of(const Communicator& parent, const Chosen& chosen) {
  std::vector<Rank> members;
  for (const int place : chosen.places)
    members.push_back(parent.shared().members[static_cast<std::size_t>(place)]);
  return members;
}

int own_place(const Communicator& parent) {
  return parent.place_of_member(parent.rank());
}

/// The caller's part of a communicator with those members.
Communicator* member_of(RankState& state, std::uint32_t context, std::vector<Rank> members,
                        std::size_t first_group) {
  const auto mine = std::find(members.begin(), members.end(), state.rank());
  TERRACE_REQUIRE(mine != members.end(), state.rank(), members.size());
  const int place = static_cast<int>(mine - members.begin());
  return new Communicator(state, state.job().shared_of(context, std::move(members), first_group),
                          place);
}

/// The first member draws the context, and tells all by a call of the parent's members.
Communicator* joined(Communicator& parent, const Chosen& chosen) {
  const bool is_member = !chosen.places.empty();
  std::uint32_t context = 0;
  if (is_member && chosen.places.front() == own_place(parent))
    context = parent.state().job().next_context();
  std::vector<std::uint32_t> all(parent.shared().members.size());
  allgather(parent, &context, all.data(), sizeof context);
  if (!is_member) return nullptr;
  context = all[static_cast<std::size_t>(chosen.places.front())];
  TERRACE_REQUIRE(context != 0, chosen.places.size());
  return member_of(parent.state(), context, members_of(parent, chosen), chosen.first_group);
}

}  // namespace

Communicator* split(Communicator& parent, int color, int key) {
  const std::size_t size = parent.shared().members.size(), border = parent.shared().first_group;
  const ColorAndKey mine{color, key};
  std::vector<ColorAndKey> wishes(size);
  allgather(parent, &mine, wishes.data(), sizeof mine);
  const auto choose = [&](std::size_t begin, std::size_t end) {
    std::vector<int> places;
    for (std::size_t place = begin; color >= 0 && place < end; ++place)
      if (wishes[place].color == color) places.push_back(static_cast<int>(place));
    std::stable_sort(places.begin(), places.end(), [&](int a, int b) {
      return wishes[static_cast<std::size_t>(a)].key < wishes[static_cast<std::size_t>(b)].key;
    });
    return places;
  };
  Chosen chosen{choose(0, border), 0};
  const std::vector<int> rest = choose(border, size);
  chosen.first_group = chosen.places.size();
  chosen.places.insert(chosen.places.end(), rest.begin(), rest.end());
  if (border > 0 && (chosen.first_group == 0 || rest.empty())) chosen = {};
  return joined(parent, chosen);
}

Communicator* duplicate(Communicator& parent) {
  Duplication duplication;
  duplication.prepare(parent);
  call_all(parent, [&](auto& endpoint) { duplication.call(endpoint); });
  return duplication.made();
}

Communicator* merge(Communicator& parent, bool is_high) {
  const int size = static_cast<int>(parent.shared().members.size());
  const int border = static_cast<int>(parent.shared().first_group);
  std::vector<char> high(static_cast<std::size_t>(size));
  const char mine = is_high ? 1 : 0;
  allgather(parent, &mine, high.data(), 1);
  // If both groups give the same value, the MPI may choose the order.
  const bool turns = high.front() != 0 && high.back() == 0;
  Chosen chosen;
  for (int i = 0; i < size; ++i) chosen.places.push_back((i + (turns ? border : 0)) % size);
  return joined(parent, chosen);
}

void Duplication::prepare(Communicator& parent) {
  parent_ = &parent;
  all_.resize(parent.shared().members.size());
  if (own_place(parent) == 0) own_ = parent.state().job().next_context();
}

Communicator* Duplication::made() const {
  TERRACE_REQUIRE(!all_.empty() && all_.front() != 0, all_.size());
  const SharedCommunicator& shared = parent_->shared();
  return member_of(parent_->state(), all_.front(), shared.members, shared.first_group);
}

namespace {

/// Our own messages between members, in a context next to the communicator's, which programs do not
/// use.
std::uint32_t own_context(const Communicator& communicator) {
  return communicator.context() + 1;
}

void send_own(Communicator& communicator, int to, int tag, const void* values, std::size_t bytes) {
  Address address = communicator.address_of(to, tag);
  address.context = own_context(communicator);
  RankState& state = communicator.state();
  state.finish(send(address, {values, bytes, predefined_type(kByte)}, SendMode::standard,
                    state.messages().mailbox(), true));
}

void receive_own(Communicator& communicator, int from, int tag, void* values, std::size_t bytes) {
  RankState& state = communicator.state();
  PostedRecv receiving;
  receiving.source = from;
  receiving.tag = tag;
  receiving.to = {values, bytes, predefined_type(kByte)};
  state.messages()
      .match_queues(own_context(communicator))
      .receive(receiving, state.messages().mailbox());
  state.wait([&] { return receiving.is_done; });
  state.messages().forget(own_context(communicator));
}

bool have_common(const std::vector<Rank>& one, const std::vector<Rank>& other) {
  return std::any_of(one.begin(), one.end(), [&](Rank rank) {
    return std::find(other.begin(), other.end(), rank) != other.end();
  });
}

/// A future communicator of two groups: no context if they have a member in common. The members of
/// the first group come first.
struct Meeting {
  std::uint32_t context = 0;
  std::uint32_t first_group = 0;
  std::uint32_t members = 0;
};

/// Called by the leaders: the one with the lower rank in the job draws the context.
Meeting meet(Communicator& local, const LeaderBridge& bridge, std::vector<Rank>& members) {
  Communicator& peers = *bridge.peers;
  const std::vector<Rank>& own = local.members();
  const auto send_to_other = [&](const void* values, std::size_t bytes) {
    send_own(peers, bridge.remote_leader, bridge.tag, values, bytes);
  };
  const auto receive_from_other = [&](void* values, std::size_t bytes) {
    receive_own(peers, bridge.remote_leader, bridge.tag, values, bytes);
  };
  std::uint64_t count = own.size();
  const Rank other = peers.peers()[static_cast<std::size_t>(bridge.remote_leader)];
  const bool is_first = local.state().rank() <= other;
  std::vector<Rank> theirs;
  // In turns: a long list may wait for its receive.
  for (const bool sends : {is_first, !is_first}) {
    std::uint64_t length = count;
    if (sends) {
      send_to_other(&length, sizeof length);
      send_to_other(own.data(), own.size() * sizeof(Rank));
    } else {
      receive_from_other(&length, sizeof length);
      theirs.resize(length);
      receive_from_other(theirs.data(), length * sizeof(Rank));
    }
  }
  members = is_first ? own : theirs;
  const std::vector<Rank>& second = is_first ? theirs : own;
  Meeting meeting{0, static_cast<std::uint32_t>(members.size()), 0};
  if (!is_first) {
    receive_from_other(&meeting, sizeof meeting);
  } else {
    if (!have_common(own, theirs)) meeting.context = local.state().job().next_context();
    meeting.members = static_cast<std::uint32_t>(own.size() + theirs.size());
    send_to_other(&meeting, sizeof meeting);
  }
  members.insert(members.end(), second.begin(), second.end());
  return meeting;
}

}  // namespace

Communicator* between(Communicator& local, int leader, const LeaderBridge& bridge) {
  Meeting meeting;
  std::vector<Rank> members;
  if (local.rank() == leader) meeting = meet(local, bridge, members);
  bcast(local, &meeting, sizeof meeting, leader);
  if (meeting.context == 0) return nullptr;
  members.resize(meeting.members);
  bcast(local, members.data(), members.size() * sizeof(Rank), leader);
  return member_of(local.state(), meeting.context, std::move(members), meeting.first_group);
}

Communicator* of_group(Communicator& parent, const RankGroup& group, int tag) {
  const int rank = group.rank_of(parent.state().rank());
  if (rank < 0) return nullptr;
  const auto& all = parent.members();
  const auto rank_in_parent = [&](Rank member) {
    const auto found = std::find(all.begin(), all.end(), member);
    TERRACE_REQUIRE(found != all.end(), member, all.size());
    return static_cast<int>(found - all.begin());
  };
  std::uint32_t context = 0;
  if (rank == 0) {
    context = parent.state().job().next_context();
    for (std::size_t i = 1; i < group.members.size(); ++i)
      send_own(parent, rank_in_parent(group.members[i]), tag, &context, sizeof context);
  } else {
    receive_own(parent, rank_in_parent(group.members.front()), tag, &context, sizeof context);
  }
  return member_of(parent.state(), context, group.members, 0);
}

}  // namespace terrace::threadranks
