// SPDX-License-Identifier: BSD-3-Clause
// Founding teams, and making communicators of others.
#include "threadranks/communicator.hpp"

#include <algorithm>
#include <numeric>

#include "execute/call.hpp"
#include "threadranks/job.hpp"

namespace terrace::threadranks {

namespace {

/// Touched only as far as calls need it.
std::size_t scratch_bytes(Rank ranks) {
  const std::size_t wanted = std::size_t{1} << (ranks <= 16 ? 20 : ranks <= 64 ? 19 : 18);
  return std::max(wanted, least_scratch_bytes(ranks));
}

std::unique_ptr<Placement> placement_for(Rank ranks) {
#ifdef TERRACE_HAS_MACHINE
  if (auto placement = make_placement(ranks)) return std::move(placement).value();
#endif
  return std::make_unique<Placement>(ranks);
}

}  // namespace

int Group::rank_of(Rank rank) const {
  const auto found = std::find(members.begin(), members.end(), rank);
  return found == members.end() ? kNobody : static_cast<int>(found - members.begin());
}

RankTeam::Founding::Founding(Rank ranks)
    : memory(ranks, scratch_bytes(ranks)), placement(placement_for(ranks)) {}

void RankTeam::come(Rank rank, bool is_crowded) {
  const Rank ranks = static_cast<Rank>(stations_.size());
  {
    const std::lock_guard lock(mutex_);
    if (!founding_) founding_ = std::make_unique<Founding>(ranks);
  }
  prepare(founding_->memory.memory().ranks[rank], 0);
  founding_->placement->note(rank);
  // acq_rel: the last to come must see what the others have prepared; all call this.
  if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 < ranks) return;
  founding_->shelf = std::make_unique<PlanShelf>(founding_->placement->hierarchy());
  founding_->is_crowded = is_crowded;
  // release: pairs with the acquire in `is_founded`.
  is_founded_.store(true, std::memory_order_release);
}

bool RankTeam::is_founded() const {
  // acquire: pairs with the release in `come`.
  return is_founded_.load(std::memory_order_acquire);
}

std::unique_ptr<Seat> RankTeam::take_seat(Rank rank, World& world, const WaitPolicy& waiting) {
  SeatOptions options;
  options.reach = Reach::direct;
  options.traits = {static_cast<Rank>(stations_.size()), true, founding_->is_crowded};
  options.waiting = waiting;
  options.world = &world;
  return std::make_unique<Seat>(founding_->memory.memory(), rank, *founding_->shelf, options);
}

int Cartesian::rank_at(const int* coordinates) const {
  int rank = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    int at = coordinates[i];
    if (at < 0 || at >= sizes[i]) {
      if (!periods[i]) return kNobody;
      at = (at % sizes[i] + sizes[i]) % sizes[i];
    }
    rank = rank * sizes[i] + at;
  }
  return rank;
}

std::vector<int> Cartesian::coordinates_of(int rank) const {
  std::vector<int> coordinates(sizes.size());
  for (std::size_t i = sizes.size(); i-- > 0; rank /= sizes[i]) coordinates[i] = rank % sizes[i];
  return coordinates;
}

Communicator::Communicator(RankState& state, SharedCommunicator& shared, int rank)
    : state_(state),
      shared_(shared),
      rank_(rank),
      channel_(state.messages().channel(shared.context)) {}

Communicator::~Communicator() {
  seat_.reset();
  state_.messages().forget(shared_.context);
  // acq_rel: the last to leave frees what all have used; all call this.
  if (shared_.references.fetch_sub(1, std::memory_order_acq_rel) == 1) delete &shared_;
}

Address Communicator::address_of(int rank, int tag) const {
  RankState& there = state_.job().rank(shared_.members[static_cast<std::size_t>(rank)]);
  return {&there.messages().mailbox(), shared_.context, rank_, tag};
}

Seat* Communicator::seat_if_founded() {
  if (seat_) return seat_.get();
  if (!has_come_) {
    shared_.team.come(static_cast<Rank>(rank_), state_.job().is_crowded());
    has_come_ = true;
  }
  if (!shared_.team.is_founded()) return nullptr;
  seat_ = shared_.team.take_seat(static_cast<Rank>(rank_), state_.world(), state_.waiting());
  return seat_.get();
}

Seat& Communicator::seat() {
  if (!operations_.empty()) state_.wait([this] { return operations_.empty(); });
  if (!seat_ && seat_if_founded() == nullptr)
    state_.wait([this] { return seat_if_founded() != nullptr; });
  return *seat_;
}

void Communicator::begin(std::shared_ptr<Operation> operation) {
  operations_.push_back(std::move(operation));
  if (operations_.size() == 1) state_.watch(*this);
  advance();
}

/// An operation may look at the communicator while it advances, and is not to advance again then.
void Communicator::advance() {
  while (!operations_.empty() && operations_.front()->advance()) {
    operations_.front()->is_over = true;
    operations_.pop_front();
  }
}

std::uint32_t new_context(Job& job) {
  return job.next_context();
}

namespace {

struct Wish {
  int color;
  int key;
};

/// Makes what members share, by the first of them, and tells the others by everybody's calls.
Communicator* joined(Communicator& parent, const std::vector<int>& chosen) {
  RankState& state = parent.state();
  SharedCommunicator* made = nullptr;
  const bool is_member = !chosen.empty();
  if (is_member && chosen.front() == parent.rank()) {
    std::vector<Rank> members;
    for (const int rank : chosen)
      members.push_back(parent.members()[static_cast<std::size_t>(rank)]);
    made = new SharedCommunicator(new_context(state.job()), std::move(members));
  }
  std::vector<SharedCommunicator*> all(static_cast<std::size_t>(parent.size()));
  parent.seat().allgather(&made, all.data(), sizeof made);
  if (!is_member) return nullptr;
  const auto mine = std::find(chosen.begin(), chosen.end(), parent.rank());
  return new Communicator(state, *all[static_cast<std::size_t>(chosen.front())],
                          static_cast<int>(mine - chosen.begin()));
}

}  // namespace

Communicator* split(Communicator& parent, int color, int key) {
  const Wish mine{color, key};
  std::vector<Wish> wishes(static_cast<std::size_t>(parent.size()));
  parent.seat().allgather(&mine, wishes.data(), sizeof mine);
  std::vector<int> chosen;
  for (int rank = 0; color >= 0 && rank < parent.size(); ++rank)
    if (wishes[static_cast<std::size_t>(rank)].color == color) chosen.push_back(rank);
  std::stable_sort(chosen.begin(), chosen.end(), [&](int a, int b) {
    return wishes[static_cast<std::size_t>(a)].key < wishes[static_cast<std::size_t>(b)].key;
  });
  return joined(parent, chosen);
}

Communicator* duplicate(Communicator& parent) {
  std::vector<int> all(static_cast<std::size_t>(parent.size()));
  std::iota(all.begin(), all.end(), 0);
  return joined(parent, all);
}

/// By messages, in the parent's context for messages of our own.
Communicator* of_group(Communicator& parent, const Group& group, int tag) {
  RankState& state = parent.state();
  const int rank = group.rank_of(state.rank());
  if (rank < 0) return nullptr;
  SharedCommunicator* shared = nullptr;
  Datatype& bytes = *predefined_type(0x247);
  const Layout layout{&shared, sizeof shared, &bytes};
  const std::uint32_t context = parent.context() + 1;
  if (rank == 0) {
    shared = new SharedCommunicator(new_context(state.job()), group.members);
    for (std::size_t i = 1; i < group.members.size(); ++i) {
      RankState& there = state.job().rank(group.members[i]);
      send({&there.messages().mailbox(), context, parent.rank(), tag}, layout, SendMode::standard,
           state.messages().mailbox(), true);
    }
    return new Communicator(state, *shared, 0);
  }
  Receiving receiving;
  const auto& all = parent.members();
  receiving.source =
      static_cast<int>(std::find(all.begin(), all.end(), group.members.front()) - all.begin());
  receiving.tag = tag;
  receiving.to = layout;
  state.messages().channel(context).receive(receiving, state.messages().mailbox());
  state.wait([&] { return receiving.is_done; });
  state.messages().forget(context);
  return new Communicator(state, *shared, rank);
}

}  // namespace terrace::threadranks
