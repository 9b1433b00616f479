// SPDX-License-Identifier: BSD-3-Clause
// Lets the MPI tell rank infos, and ranks tell the rest in an area of shared memory.
#include "preload/setup/setup_by_starts.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <limits>
#include <mutex>
#include <new>
#include <thread>
#include <utility>

#include "base/contract.hpp"
#include "base/pages.hpp"
#include "base/ticks.hpp"
#include "preload/mpi/watch_thread.hpp"
#include "preload/setup/job_ranks.hpp"
#include "preload/setup/short_lived_comms.hpp"
#include "preload/setup/user_plan.hpp"

namespace terrace::preload {

namespace {

constexpr const char* kRefused = "the MPI refused to set up the team";
constexpr const char* kNoMemoryForSetup = "there is no memory to set up the team in";
constexpr const char* kTooManySetups = "too many teams are being set up";
constexpr const char* kTooFewCame = "a rank has not come to the set-up of the team";
constexpr const char* kFreed = "its communicator is being freed";
constexpr const char* kFinalizing = "MPI_Finalize has begun";
constexpr const char* kNotJoined = "a rank could not join the shared memory";

/// Neighbours of which a rank tells. Those of others fall back.
constexpr std::size_t kMostTold = 1024;

/// Time for which a call that may wait lets the others come and do their part, and so much more for
/// each rank, as they may share a core: most are about to make the same call.
constexpr std::chrono::milliseconds kPatience{250}, kPatienceForRank{10};

/// Starts that a rank makes while it waits for others to come to the set-up, before it gives up:
/// one of them may have been refused memory or files, and cannot say so.
constexpr std::uint64_t kMostStarts = 4096;

/// Set-ups that a process leads and to which not all ranks have come. Each keeps two files open,
/// and the program needs some of its own.
std::atomic<std::uint32_t> set_ups_with_files{0};

/// The most of them: with a quarter of the files that a process may open.
std::uint32_t most_set_ups_with_files() {
  constexpr rlim_t kMostWithFiles = 128, kShare = 8;
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return kMostWithFiles;
  return static_cast<std::uint32_t>(std::min(limit.rlim_cur / kShare, kMostWithFiles));
}

/// Whether one more may keep files open. If so, it is counted.
bool may_keep_files() {
  // relaxed, both: a budget, which need not be exact. No partner.
  if (set_ups_with_files.fetch_add(1, std::memory_order_relaxed) < most_set_ups_with_files())
    return true;
  set_ups_with_files.fetch_sub(1, std::memory_order_relaxed);  // relaxed: as above
  return false;
}

/// The kinds of nonblocking calls, among `kEdgeCalls`.
constexpr std::array<std::size_t, 2> kAskedKinds = {2, 3};
static_assert(!kEdgeCalls[2].is_blocking && !kEdgeCalls[3].is_blocking);

/// Words of all ranks, at the beginning of the area.
struct AreaWords {
  alignas(kLinePairBytes) Handover handover;
  std::atomic<std::uint32_t> joined{0};  ///< ranks
  std::atomic<std::uint32_t> taken{0};   ///< ranks that have made their endpoints
  std::atomic<std::uint32_t> failed{0};  ///< 1 + a rank that could not do its part
  // The user's plan, written by the leader before it has joined.
  MemoryAddress plan;
  std::uint64_t plan_bytes = 0;
  bool plan_keeps_rank_order = false;
};

/// The share of a rank, which it writes before it has joined.
struct AreaShare {
  SetupOutcome outcome;
  std::int32_t in = -1, out = -1;  ///< neighbours; negative: not known, or too many
  std::array<std::int32_t, kMostTold> sources{}, targets{};
  std::array<std::array<BlockName, kMostTold>, kAskedKinds.size()> came{};
};

/// Whether a dimension of a grid goes round two ranks or one, which are neighbours in both
/// directions. All ranks find the same.
bool has_double_edges(const CommTopology& topology) {
  if (topology.kind != CommTopology::Kind::grid || !topology.is_known) return false;
  std::vector<std::int32_t> ranks = topology.sources;
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(ranks.begin(), std::lower_bound(ranks.begin(), ranks.end(), 0));
  return std::adjacent_find(ranks.begin(), ranks.end()) != ranks.end();
}

/// Writes neighbours to a rank's share.
void write_neighbours(const CommTopology& topology, AreaShare& share) {
  const std::size_t most = std::max(topology.sources.size(), topology.targets.size());
  if (!topology.is_known || most > kMostTold) return;
  share.in = static_cast<std::int32_t>(topology.sources.size());
  share.out = static_cast<std::int32_t>(topology.targets.size());
  std::copy(topology.sources.begin(), topology.sources.end(), share.sources.begin());
  std::copy(topology.targets.begin(), topology.targets.end(), share.targets.begin());
}

std::size_t bytes_of_words() {
  return whole_pages(sizeof(AreaWords));
}
std::size_t bytes_of_share() {
  return whole_pages(sizeof(AreaShare));
}

}  // namespace

/// Sent as bytes.
struct SetupByStarts::Message {
  RankInfo info;
  SharedMemoryOffer offer;  ///< the leader's counts
  MemoryAddress area;       ///< likewise
};

/// The MPI is asked which block comes from where, by a call in which blocks are their own names.
struct SetupByStarts::AskedEdges {
  std::vector<BlockName> given, came;
  EdgeCounts counts;
};

class SetupByStarts::Area {
 public:
  explicit Area(std::unique_ptr<SharedMemory> memory) : memory_(std::move(memory)) {}

  static std::size_t bytes(Rank ranks) { return bytes_of_words() + ranks * bytes_of_share(); }
  /// Makes the words. Before the area is offered. False: there is no memory.
  bool prepare() {
    if (!memory_->allocate(0, bytes_of_words())) return false;
    new (memory_->at(0)) AreaWords;
    return true;
  }
  /// Makes a rank's own share. Null: there is no memory.
  AreaShare* prepare_share(Rank own) {
    const std::size_t place = bytes_of_words() + own * bytes_of_share();
    if (!memory_->allocate(place, bytes_of_share())) return nullptr;
    return new (memory_->at(place)) AreaShare;
  }
  AreaWords& words() const { return *reinterpret_cast<AreaWords*>(memory_->at(0)); }
  /// The share of a rank that has joined.
  const AreaShare& share(Rank rank) const {
    return *reinterpret_cast<const AreaShare*>(
        memory_->at(bytes_of_words() + rank * bytes_of_share()));
  }
  const MemoryAddress& address() const { return memory_->address(); }
  /// All ranks have opened it.
  void close_file() { memory_->close_file(); }

  std::unique_ptr<SharedMemory> plan;  ///< the leader's, for the others

 private:
  std::unique_ptr<SharedMemory> memory_;
};

/// Set-ups whose communicators are gone, with calls of the MPI that are not over.
class SetupByStarts::LeftSetups {
 public:
  static LeftSetups& of_process() {
    static auto* const the = new LeftSetups;  // programs may call until they have ended
    return *the;
  }
  /// The caller holds the lock.
  void forget_ended() {
    std::erase_if(setups, [](const auto& one) { return one->is_over_in_mpi(); });
  }

  std::mutex mutex;
  std::vector<std::unique_ptr<SetupByStarts>> setups;
};

SetupByStarts::SetupByStarts(UnderlyingMpi& underlying, Handle communicator,
                             std::vector<int> world_ranks, Rank own_rank, bool may_wait)
    : underlying_(underlying),
      communicator_(communicator),
      may_wait_(may_wait),
      new_team_(underlying, std::move(world_ranks), own_rank) {}

SetupByStarts::~SetupByStarts() {
  close_files();
}

std::unique_ptr<SetupByStarts> SetupByStarts::begin(UnderlyingMpi& underlying, Handle communicator,
                                                    Rank ranks, Rank own_rank, bool may_wait,
                                                    std::string& why) {
  std::vector<int> world_ranks = underlying.ranks_in_world(communicator);
  if (world_ranks.size() != ranks)
    why = "ranks from outside MPI_COMM_WORLD";
  else if (!may_have_lanes(ranks))
    why = "more ranks than nonblocking calls may have";
  else
    why = absence_among(underlying, world_ranks, world_ranks[own_rank]);
  if (!why.empty()) return nullptr;
  std::unique_ptr<SetupByStarts> setup(
      new SetupByStarts(underlying, communicator, std::move(world_ranks), own_rank, may_wait));
  if (!setup->tell()) setup->fail(kRefused);
  return setup;
}

bool SetupByStarts::tell() {
  Message own;
  own.info = new_team_.own_info(communicator_, 0);
  if (new_team_.is_leader()) offer(own);
  told_.resize(new_team_.world_ranks.size() + 1);
  told_.back() = own;  // until the call is over
  Handle request = 0;
  if (!underlying_.begin_allgather(communicator_, &told_.back(), told_.data(), sizeof own, request))
    return false;
  pending_.push_back(request);
  topology_ = underlying_.topology_of(communicator_);
  return !topology_ || !has_double_edges(*topology_) || ask_for_edges();
}

/// Makes what the leader offers.
void SetupByStarts::offer(Message& own) {
  keeps_files_ = may_keep_files();
  if (keeps_files_) {
    new_team_.offer_memory();
    auto memory = SharedMemory::make(Area::bytes(static_cast<Rank>(new_team_.world_ranks.size())));
    if (memory) area_ = std::make_unique<Area>(std::move(memory).value());
    if (area_ && !area_->prepare()) area_.reset();
    if (new_team_.offer.is_made && !area_) new_team_.offer.refuse(kNoMemoryForSetup);
  } else {
    new_team_.offer.refuse(kTooManySetups);
  }
  own.offer = new_team_.offer;
  if (area_) own.area = area_->address();
}

/// Asks by calls which block of several between two ranks is which. Only in grids, where all ranks
/// see alike that there are such, and both ends know of each edge.
bool SetupByStarts::ask_for_edges() {
  const Degrees& degrees = topology_->degrees;
  for (const std::size_t kind : kAskedKinds) {
    auto& asked = *asked_.emplace_back(std::make_unique<AskedEdges>());
    asked.given = named_blocks(new_team_.own_rank, degrees.out);
    asked.came.resize(std::max<std::size_t>(degrees.in, 1));
    Handle request = 0;
    if (!underlying_.begin_along_edges(communicator_, kEdgeCalls[kind], degrees, asked.given.data(),
                                       asked.came.data(), sizeof(BlockName), asked.counts, request))
      return false;
    pending_.push_back(request);
  }
  return true;
}

void SetupByStarts::fail(const std::string& why) {
  why_ = why;
  stage_ = Stage::failed;
  // release: pairs with the acquire in `go_on` of others.
  if (area_ && area_->words().failed.load(std::memory_order_relaxed) == 0)
    area_->words().failed.store(1 + new_team_.own_rank, std::memory_order_release);
  close_files();
  // What this rank holds of the team goes at once: the MPI may need its buffers for longer.
  area_.reset();
  new_team_.drop();
}

/// Goes no further, unless this rank has told the others that it takes part in the team's calls:
/// until all have, none is the team's. Returns whether it has given up.
bool SetupByStarts::give_up(const std::string& why) {
  if (stage_ < Stage::taken) fail(why);
  return stage_ == Stage::failed;
}

/// Closes what peers open, who have done so or shall not.
void SetupByStarts::close_files() {
  if (area_) area_->close_file();
  new_team_.close_file();
  // relaxed: as in `may_keep_files`.
  if (std::exchange(keeps_files_, false))
    set_ups_with_files.fetch_sub(1, std::memory_order_relaxed);
}

void SetupByStarts::go_on(const CallNumbers& made) {
  const auto started = made[static_cast<std::size_t>(OrderedKind::started)];
  if (begun_at_ == 0) begun_at_ = started;
  if (started > begun_at_ + kMostStarts && give_up(kTooFewCame)) return;
  if (stage_ == Stage::telling && !is_over_in_mpi()) return;
  if (stage_ == Stage::telling) hear();
  waits_for_calls_ = may_wait_ && stage_ == Stage::heard &&
                     new_team_.rank_infos[0].expects_short_life != 0 && started < kCallsOfShortLife;
  if (waits_for_calls_) begun_at_ = started;
  if (stage_ < Stage::heard || stage_ == Stage::failed) return;
  AreaWords& words = area_->words();
  // acquire, both: pair with the releases in `fail` and `join` of others.
  if (const std::uint32_t failed = words.failed.load(std::memory_order_acquire))
    return fail("rank " + std::to_string(failed - 1) + " has left the set-up of the team");
  if (stage_ == Stage::heard && !waits_for_calls_) join(made);
  if (stage_ == Stage::joined && words.joined.load(std::memory_order_acquire) == new_team_.ranks())
    take();
}

void SetupByStarts::hear() {
  std::vector<RankInfo> infos;
  told_.pop_back();
  for (const Message& one : told_) infos.push_back(one.info);
  const SharedMemoryOffer offer = told_[0].offer;
  if (const std::string why = new_team_.hear(std::move(infos)); !why.empty()) return fail(why);
  if (layout_of_nodes(new_team_.rank_infos).nodes() > 1) return fail(kSeveralNodes);
  require_sound(offer, new_team_.ranks());
  if (!offer.is_made) return fail(offer.why.data());
  new_team_.take_offer(offer);
  if (!area_) {
    TERRACE_REQUIRE(told_[0].area.bytes >= page_bytes() + Area::bytes(new_team_.ranks()),
                    told_[0].area.bytes, new_team_.ranks());
    auto opened = SharedMemory::open(told_[0].area);
    // Its leader will not hear of it, and waits for no more than this rank's share.
    if (!opened) return fail(opened.error().sentence);
    opened.value()->close_file();
    area_ = std::make_unique<Area>(std::move(opened).value());
  }
  stage_ = Stage::heard;
}

void SetupByStarts::join(const CallNumbers& made) {
  AreaWords& words = area_->words();
  AreaShare* const share = area_->prepare_share(new_team_.own_rank);
  if (share == nullptr) return fail(kNoMemoryForSetup);
  if (topology_) write_neighbours(*topology_, *share);
  for (std::size_t kind = 0; kind < asked_.size(); ++kind) {
    const std::vector<BlockName>& came = asked_[kind]->came;
    TERRACE_REQUIRE(came.size() <= kMostTold, came.size());  // a grid's: see `topology_of`
    std::copy(came.begin(), came.end(), share->came[kind].begin());
  }
  if (new_team_.is_leader()) leave_plan();
  share->outcome = new_team_.join();
  if (!share->outcome.is_joined) return fail(kNotJoined);
  share->outcome.underlying_mpi_ns = std::numeric_limits<double>::infinity();  // not timed
  words.handover.raise(made);
  // release: pairs with the acquire in `go_on`: this rank's share can be read.
  words.joined.fetch_add(1, std::memory_order_release);
  stage_ = Stage::joined;
}

/// Leaves the user's plan for the others, if it is wanted and may run.
void SetupByStarts::leave_plan() {
  std::string text = new_team_.checked_plan();
  if (text.empty()) return;
  auto memory = SharedMemory::make(whole_pages(text.size()));
  if (!memory || !memory.value()->allocate(0, whole_pages(text.size())))
    return refuse_user_plan("there is no memory to tell it to the other ranks");
  std::memcpy(memory.value()->at(0), text.data(), text.size());
  area_->plan = std::move(memory).value();
  area_->words().plan = area_->plan->address();
  area_->words().plan_bytes = text.size();
  area_->words().plan_keeps_rank_order = new_team_.offer.plan_keeps_rank_order != 0;
  new_team_.plan_text = std::move(text);
}

/// Reads the plan that the leader has left. False: it cannot be read.
bool SetupByStarts::read_plan() {
  const AreaWords& words = area_->words();
  if (new_team_.is_leader() || words.plan_bytes == 0) return true;
  TERRACE_REQUIRE(words.plan.bytes >= page_bytes() + words.plan_bytes, words.plan.bytes,
                  words.plan_bytes);
  const auto opened = SharedMemory::open(words.plan);
  if (!opened) return false;
  new_team_.plan_text.assign(reinterpret_cast<const char*>(opened.value()->at(0)),
                             words.plan_bytes);
  new_team_.offer.plan_keeps_rank_order = words.plan_keeps_rank_order;
  return true;
}

/// Takes what all ranks have said, who have joined.
void SetupByStarts::take() {
  close_files();
  if (!read_plan()) return fail(kNotJoined);
  std::vector<SetupOutcome> outcomes;
  for (Rank rank = 0; rank < new_team_.ranks(); ++rank) {
    outcomes.push_back(area_->share(rank).outcome);
    require_sound(outcomes.back());
  }
  if (new_team_.offer.settings.reach == ReachWanted::attached)
    new_team_.say_not_attached("nonblocking calls have set up the team");
  new_team_.complete(outcomes, nullptr, nullptr);
  if (topology_ && new_team_.team->puller) graph_ = graph_told();
  // release: pairs with the acquire in `are_all_ready` of others.
  area_->words().taken.fetch_add(1, std::memory_order_release);
  stage_ = Stage::taken;
}

/// The graph that all ranks have told of.
std::unique_ptr<CommGraph> SetupByStarts::graph_told() {
  const Rank ranks = new_team_.ranks();
  std::vector<ToldNeighbours> told(ranks);
  for (Rank rank = 0; rank < ranks; ++rank) {
    const AreaShare& share = area_->share(rank);
    if (share.in < 0 || share.out < 0) continue;
    TERRACE_REQUIRE(static_cast<std::size_t>(std::max(share.in, share.out)) <= kMostTold, share.in,
                    share.out, rank);
    told[rank].are_known = true;
    told[rank].sources.assign(share.sources.begin(), share.sources.begin() + share.in);
    told[rank].targets.assign(share.targets.begin(), share.targets.begin() + share.out);
  }
  const Degrees& own = topology_->degrees;
  const bool is_grid = topology_->kind == CommTopology::Kind::grid;
  const std::string why =
      objection_to_graph(told, is_grid, new_team_.team->most_blocks_along_edges());
  if (!why.empty()) return std::make_unique<CommGraph>(own, why);
  EdgesByKind edges;
  if (const auto single = single_edges(told)) {
    edges.fill(*single);
  } else {
    // Where the MPI was not asked, nothing is known yet.
    for (std::size_t kind = 0; kind < asked_.size(); ++kind) {
      std::vector<std::vector<BlockName>> came;
      for (Rank rank = 0; rank < ranks; ++rank) {
        const auto& all = area_->share(rank).came[kind];
        came.emplace_back(all.begin(), all.begin() + area_->share(rank).in);
      }
      auto& found = edges[kAskedKinds[kind]] = edges_of_blocks(told, came);
      if (!found) return std::make_unique<CommGraph>(own, kGraphRefused);
    }
  }
  return new_graph(ranks, new_team_.own_rank, own, std::move(edges), new_team_.team->graphs);
}

bool SetupByStarts::are_all_ready() const {
  // acquire: pairs with the release in `take` of others.
  return stage_ == Stage::taken &&
         area_->words().taken.load(std::memory_order_acquire) == new_team_.ranks();
}

bool SetupByStarts::is_the_teams(OrderedKind kind, std::uint64_t number) {
  // Before this rank has joined, not all are ready, and it raises the numbers when it joins.
  if (stage_ != Stage::joined && stage_ != Stage::taken) return false;
  return area_->words().handover.is_the_teams(kind, number, are_all_ready());
}

void SetupByStarts::await_others(const CallNumbers& made) {
  may_wait_ = false;  // all ranks come to this call
  const auto until = KernelClock::now() + kPatience + new_team_.ranks() * kPatienceForRank;
  while (can_await_others_ && stage_ != Stage::failed && !are_all_ready() &&
         KernelClock::now() < until) {
    std::this_thread::yield();
    go_on(made);
  }
  can_await_others_ = false;
}

bool SetupByStarts::is_past(const CallNumbers& made) const {
  return stage_ == Stage::taken && area_->words().handover.is_past(made);
}

void SetupByStarts::tell_finalizing(Finalizing state) {
  if (!give_up(kFinalizing) && new_team_.team)
    new_team_.team->wait_environment.tell_finalizing(state);
}

void SetupByStarts::leave(std::unique_ptr<SetupByStarts> setup) {
  if (!setup->give_up(kFreed) && setup->new_team_.team)
    setup->new_team_.team->wait_environment.end_life();
  LeftSetups& left = LeftSetups::of_process();
  const std::lock_guard lock(left.mutex);
  left.setups.push_back(std::move(setup));
  left.forget_ended();
}

void SetupByStarts::end_in_mpi() {
  const StallWatch watch(kTeamSetup, stall_seconds());
  while (!is_over_in_mpi()) std::this_thread::yield();
}

void SetupByStarts::end_in_mpi(std::span<SetupByStarts* const> setups) {
  constexpr std::chrono::seconds kTimeToEnd{5};  // peers may be late, or gone
  LeftSetups& left = LeftSetups::of_process();
  const std::lock_guard lock(left.mutex);
  const auto are_over = [&] {
    left.forget_ended();
    return left.setups.empty() && std::all_of(setups.begin(), setups.end(), [](SetupByStarts* one) {
             return one->is_over_in_mpi();
           });
  };
  const auto until = KernelClock::now() + kTimeToEnd;
  while (!are_over() && KernelClock::now() < until) std::this_thread::yield();
}

bool SetupByStarts::is_over_in_mpi() {
  while (!pending_.empty()) {
    const std::optional<bool> is_over = underlying_.is_over(pending_.back());
    if (is_over == false) return false;
    if (!is_over) fail(kRefused);
    pending_.pop_back();
  }
  return true;
}

}  // namespace terrace::preload
