// SPDX-License-Identifier: BSD-3-Clause
// A member's operations on a communicator, and communicators made from others.
#include "threadranks/ranks/communicator.hpp"

#include <algorithm>

#include "base/contract.hpp"
#include "threadranks/ranks/rank_state.hpp"

namespace terrace::threadranks {

int RankGroup::rank_of(Rank rank) const {
  const auto found = std::find(members.begin(), members.end(), rank);
  return found == members.end() ? -1 : static_cast<int>(found - members.begin());
}

Communicator::Communicator(RankState& state, SharedCommunicator& shared, int place)
    : state_(state),
      shared_(shared),
      place_(place),
      match_queues_(state.messages().match_queues(shared.context)) {
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
  state_.communicators.erase(this);
  state_.unwatch(*this);
  endpoint_.reset();
  state_.messages().forget(shared_.context);
  // acq_rel: the last to leave frees what all have used; all call this.
  TERRACE_ASSERT(operations_.empty());
  const int before = shared_.references.fetch_sub(1, std::memory_order_acq_rel);
  TERRACE_ASSERT(before >= 1, before);
  if (before == 1) delete &shared_;
}

Address Communicator::address_of(int rank, int tag) const {
  TERRACE_ASSERT(rank >= 0 && rank < peer_count(), rank, peer_count());
  RankState& there = state_.job().rank(peers()[static_cast<std::size_t>(rank)]);
  return {&there.messages().mailbox(), shared_.context, this->rank(), tag};
}

TeamEndpoint* Communicator::endpoint_if_founded() {
  if (endpoint_) return endpoint_.get();
  if (!has_arrived_) {
    const RanksJob& job = state_.job();
    shared_.team.arrive(
        static_cast<Rank>(place_),
        shared_cores_of(static_cast<Rank>(peers().size()), job.rank_count(), job.usable_pus()));
    has_arrived_ = true;
  }
  if (!shared_.team.is_founded()) return nullptr;
  endpoint_ = shared_.team.take_endpoint(static_cast<Rank>(place_), state_.wait_environment(),
                                         state_.waiting());
  ++state_.counts.teams;
  if (state_.tally)
    endpoint_->tell_outcomes_to([&state = state_](const std::string& sentence) {
      if (state.tally) state.tally->note(sentence);
    });
  return endpoint_.get();
}

void Communicator::count_run(Collective collective, std::size_t bytes, bool had_work) {
  state_.counts.add(collective, bytes);
  if (state_.tally)
    state_.tally->count_run(collective, bytes,
                            had_work ? endpoint_->last_plan() : "nothing (no bytes)", std::nullopt);
}

TeamEndpoint& Communicator::endpoint() {
  if (!operations_.empty()) state_.wait([this] { return operations_.empty(); });
  if (!endpoint_ && endpoint_if_founded() == nullptr)
    state_.wait([this] { return endpoint_if_founded() != nullptr; });
  return *endpoint_;
}

void Communicator::begin(std::shared_ptr<Operation> operation) {
  TERRACE_ASSERT(operation != nullptr && !operation->is_over);
  operations_.push_back(std::move(operation));
  if (operations_.size() == 1) state_.watch(*this);
  advance();
}

/// An operation may use the communicator while it advances, but must not be advanced again then.
void Communicator::advance() {
  while (!operations_.empty() && operations_.front()->advance()) {
    operations_.front()->is_over = true;
    operations_.pop_front();
  }
}

std::uint32_t new_context(RanksJob& job) {
  return job.next_context();
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

SharedCommunicator* shared_by(Communicator& parent, const Chosen& chosen) {
  std::vector<Rank> members;
  for (const int place : chosen.places)
    members.push_back(parent.shared().members[static_cast<std::size_t>(place)]);
  return new SharedCommunicator(new_context(parent.state().job()), std::move(members),
                                chosen.first_group);
}

int own_place(const Communicator& parent) {
  return parent.place_of_member(parent.rank());
}

/// Makes the shared part at the first member, which tells the others by a call of the parent's
/// team.
Communicator* joined(Communicator& parent, const Chosen& chosen) {
  SharedCommunicator* made = nullptr;
  const bool is_member = !chosen.places.empty();
  if (is_member && chosen.places.front() == own_place(parent)) made = shared_by(parent, chosen);
  std::vector<SharedCommunicator*> all(parent.shared().members.size());
  parent.endpoint().allgather(&made, all.data(), sizeof made);
  TERRACE_REQUIRE(!is_member || all[static_cast<std::size_t>(chosen.places.front())] != nullptr,
                  chosen.places.size());
  if (!is_member) return nullptr;
  const auto mine = std::find(chosen.places.begin(), chosen.places.end(), own_place(parent));
  TERRACE_REQUIRE(mine != chosen.places.end(), own_place(parent));
  return new Communicator(parent.state(), *all[static_cast<std::size_t>(chosen.places.front())],
                          static_cast<int>(mine - chosen.places.begin()));
}

}  // namespace

Communicator* split(Communicator& parent, int color, int key) {
  const std::size_t size = parent.shared().members.size(), border = parent.shared().first_group;
  const ColorAndKey mine{color, key};
  std::vector<ColorAndKey> wishes(size);
  parent.endpoint().allgather(&mine, wishes.data(), sizeof mine);
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
  TeamEndpoint& endpoint = parent.endpoint();
  duplication.prepare(parent);
  duplication.call(endpoint);
  return duplication.made();
}

Communicator* merge(Communicator& parent, bool is_high) {
  const int size = static_cast<int>(parent.shared().members.size());
  const int border = static_cast<int>(parent.shared().first_group);
  std::vector<char> high(static_cast<std::size_t>(size));
  const char mine = is_high ? 1 : 0;
  parent.endpoint().allgather(&mine, high.data(), 1);
  // If both groups give the same value, the MPI may choose the order.
  const bool turns = high.front() != 0 && high.back() == 0;
  Chosen chosen;
  for (int i = 0; i < size; ++i) chosen.places.push_back((i + (turns ? border : 0)) % size);
  return joined(parent, chosen);
}

void Duplication::prepare(Communicator& parent) {
  parent_ = &parent;
  const SharedCommunicator& shared = parent.shared();
  all_.resize(shared.members.size());
  if (own_place(parent) == 0)
    own_ = new SharedCommunicator(new_context(parent.state().job()), shared.members,
                                  shared.first_group);
}

bool Duplication::call(TeamEndpoint& endpoint) {
  return endpoint.allgather(&own_, all_.data(), sizeof own_);
}

Communicator* Duplication::made() const {
  TERRACE_REQUIRE(!all_.empty() && all_.front() != nullptr, all_.size());
  return new Communicator(parent_->state(), *all_.front(), own_place(*parent_));
}

namespace {

/// Our own messages between members, in a context next to the communicator's, which programs do not
/// use.
std::uint32_t own_context(const Communicator& communicator) {
  return communicator.context() + 1;
}

template <class Value>
void send_own(Communicator& communicator, int to, int tag, Value& value) {
  Datatype& bytes = *predefined_type(kByte);
  Address address = communicator.address_of(to, tag);
  address.context = own_context(communicator);
  send(address, {&value, sizeof value, &bytes}, SendMode::standard,
       communicator.state().messages().mailbox(), true);
}

template <class Value>
Value receive_own(Communicator& communicator, int from, int tag) {
  Value value{};
  RankState& state = communicator.state();
  PostedRecv receiving;
  receiving.source = from;
  receiving.tag = tag;
  receiving.to = {&value, sizeof value, predefined_type(kByte)};
  state.messages()
      .match_queues(own_context(communicator))
      .receive(receiving, state.messages().mailbox());
  state.wait([&] { return receiving.is_done; });
  state.messages().forget(own_context(communicator));
  return value;
}

bool have_common(const std::vector<Rank>& one, const std::vector<Rank>& other) {
  return std::any_of(one.begin(), one.end(), [&](Rank rank) {
    return std::find(other.begin(), other.end(), rank) != other.end();
  });
}

/// Called by the leaders: the one with the lower rank in the job makes the shared part. Null: the
/// groups have a member in common.
SharedCommunicator* meet(Communicator& local, const LeaderBridge& meeting) {
  Communicator& peers = *meeting.peers;
  const std::vector<Rank>* own = &local.members();
  send_own(peers, meeting.remote_leader, meeting.tag, own);
  const auto* const theirs =
      receive_own<const std::vector<Rank>*>(peers, meeting.remote_leader, meeting.tag);
  TERRACE_ASSERT(theirs != nullptr);
  const Rank other = peers.peers()[static_cast<std::size_t>(meeting.remote_leader)];
  if (other < local.state().rank())
    return receive_own<SharedCommunicator*>(peers, meeting.remote_leader, meeting.tag);
  SharedCommunicator* made = nullptr;
  if (!have_common(*own, *theirs)) {
    std::vector<Rank> members = *own;
    members.insert(members.end(), theirs->begin(), theirs->end());
    made =
        new SharedCommunicator(new_context(local.state().job()), std::move(members), own->size());
  }
  send_own(peers, meeting.remote_leader, meeting.tag, made);
  return made;
}

}  // namespace

Communicator* between(Communicator& local, int leader, const LeaderBridge& meeting) {
  SharedCommunicator* shared = local.rank() == leader ? meet(local, meeting) : nullptr;
  local.endpoint().bcast(&shared, sizeof shared, static_cast<Rank>(leader));
  if (shared == nullptr) return nullptr;
  const auto& all = shared->members;
  const auto mine = std::find(all.begin(), all.end(), local.state().rank());
  TERRACE_REQUIRE(mine != all.end(), local.state().rank(), all.size());
  return new Communicator(local.state(), *shared, static_cast<int>(mine - all.begin()));
}

Communicator* of_group(Communicator& parent, const RankGroup& group, int tag) {
  const int rank = group.rank_of(parent.state().rank());
  if (rank < 0) return nullptr;
  const auto& all = parent.members();
  const auto rank_in_parent = [&](Rank member) {
    return static_cast<int>(std::find(all.begin(), all.end(), member) - all.begin());
  };
  SharedCommunicator* shared = nullptr;
  if (rank == 0) {
    shared = new SharedCommunicator(new_context(parent.state().job()), group.members);
    for (std::size_t i = 1; i < group.members.size(); ++i)
      send_own(parent, rank_in_parent(group.members[i]), tag, shared);
  } else {
    shared = receive_own<SharedCommunicator*>(parent, rank_in_parent(group.members.front()), tag);
  }
  return new Communicator(parent.state(), *shared, rank);
}

}  // namespace terrace::threadranks
