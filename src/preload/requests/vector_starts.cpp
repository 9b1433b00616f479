// SPDX-License-Identifier: BSD-3-Clause
// Starts and initializes the v-collectives. All ranks know all lengths of allgatherv and
// reduce_scatter, which are started as regular calls are. Of the others, ranks first tell each
// other lengths, at the first start of a persistent call; what fits goes with them:
//
//     lengths and first bytes  ─ no block is longer ─ over
//                              └ blocks, as long as the longest is ─ over
#include <climits>

#include "base/say.hpp"
#include "preload/dispatch/reductions.hpp"
#include "preload/dispatch/scattered_vector.hpp"
#include "preload/dispatch/vector_moving.hpp"
#include "preload/requests/persistent.hpp"
#include "preload/requests/start.hpp"
#include "preload/requests/starting.hpp"

namespace terrace::preload {

namespace {

/// Ends the job if there are more bytes than the MPI counts in ints: other ranks, which do not know
/// these lengths yet, begin the call that is compared.
void require_comparable(Dispatch& dispatch, const std::vector<Block>& blocks) {
  std::size_t bytes = 0;
  for (const Block& block : blocks) bytes += block.bytes;
  if (bytes <= INT_MAX) return;
  say(std::string("TERRACE_CHECK cannot compare an i") + to_text(dispatch.collective()) + " of " +
      std::to_string(bytes) + " bytes at a rank, but up to 2 GiB: ending the job; switch it off");
  dispatch.underlying().end_job();
}

/// The blocks of a call that moves them.
class MovedBlocksOfCall final : public KeptBuffers {
 public:
  MovedBlocksOfCall(Dispatch& dispatch, Team& team, const VectorExchange& call)
      : team_(team),
        communicator_(call.communicator),
        collective_(dispatch.collective()),
        root_(dispatch.root()),
        moving_(dispatch, call),
        lengths_(Lengths::carried_among(team.memory.rank_count())) {}

  Team& team() const { return team_; }
  bool is_sound() const { return moving_.is_sound(); }
  bool is_lasting() const { return moving_.is_lasting(); }
  bool is_again(const VectorExchange& call) { return moving_.is_again(call); }
  std::size_t most_bytes() const { return moving_.most_bytes(); }
  /// Null: the call is not checked.
  std::unique_ptr<MpiCheck> check(Dispatch& dispatch) const {
    if (!team_.settings.checks) return nullptr;
    require_comparable(dispatch, moving_.given());
    require_comparable(dispatch, moving_.wanted());
    return std::make_unique<ExchangeCheck>(dispatch.underlying(), dispatch.comm_state(),
                                           collective_, static_cast<int>(root_), moving_.given(),
                                           moving_.wanted());
  }

  /// Packs what is sent, of a new call or of one again. The caller does not hold the lock.
  void begin() {
    lane_ = nullptr;
    can_be_left_ = false;
    truncation_.clear();
    if (!moving_.make_room()) moving_.end_for_lack_of_memory();
    moving_.begin();
    moving_.keep();
    blocks_ = moving_.tables();
  }
  /// Makes a persistent call ready to be packed, again and again.
  void settle() {
    is_persistent_ = true;
    if (!moving_.make_room()) moving_.end_for_lack_of_memory();
    moving_.keep();
    moving_.keep_input();
    blocks_ = moving_.tables();
  }
  /// The part in which blocks of up to so many bytes are moved.
  CallArguments move(std::size_t most_bytes) const {
    return {collective_, nullptr, nullptr, {most_bytes}, root_, &blocks_, nullptr};
  }
  /// The part in which lengths are told, by calls in that lane.
  CallArguments tell(NonblockingLane& lane) {
    lane_ = &lane;
    CallArguments part{collective_, nullptr, nullptr, {}, root_, &blocks_, &lengths_};
    part.elements.count = moving_.most_bytes();
    return part;
  }

  bool may_be_awaited() const override { return lane_ != nullptr && !can_be_left_; }
  void pack() override { moving_.begin(); }
  bool go_on(CallArguments& next) override {
    if (next.lengths == nullptr) return false;
    truncation_ = moving_.heed(lengths_);
    blocks_ = moving_.tables();
    const bool is_over = lengths_.have_brought_blocks();
    if (is_over) lengths_.deliver(blocks_);
    if (is_over && !is_persistent_) return false;
    next = move(std::max<std::uint64_t>(*lengths_.most(), 1));
    can_be_left_ = lane_->endpoint->can_be_left(collective_, next.elements, root_);
    return !is_over;
  }

  bool is_truncated() const override { return !truncation_.empty(); }
  Truncated deliver() override {
    moving_.end();
    if (truncation_.empty()) return {};
    say_once(truncation_);
    const LanesLock lock;
    return {true, has_been_left(team_) ? Handle{0} : communicator_};
  }

 private:
  Team& team_;
  Handle communicator_;
  Collective collective_;
  Rank root_;
  VectorMoving moving_;
  BlockTables blocks_;
  Lengths lengths_;
  NonblockingLane* lane_ = nullptr;  ///< of a call with lengths
  bool can_be_left_ = false;         ///< its second part
  bool is_persistent_ = false;
  std::string truncation_;  ///< a sentence on it; "": there is none
};

/// The blocks of a call that combines them.
class CombinedBlocksOfCall final : public CallBuffers {
 public:
  CombinedBlocksOfCall(Dispatch& dispatch, const MpiCall& call, const MpiCounts& counts,
                       const PredefinedType& type)
      : vector_(dispatch, call, counts, type.bytes, static_cast<std::ptrdiff_t>(type.extent),
                true) {}
  /// Whether the MPI would accept the program's buffers.
  bool takes_buffers() const { return vector_.takes_buffers(true); }
  CallArguments combine(const Elements& elements) {
    vector_.begin();
    vector_.keep();
    blocks_ = vector_.tables();
    return {Collective::reduce_scatter, nullptr, nullptr, elements, 0, &blocks_, nullptr};
  }
  /// Null: the call is not checked.
  std::unique_ptr<MpiCheck> check(Dispatch& dispatch, const Team& team, const MpiCall& call,
                                  const PredefinedReduction& by) const {
    if (!team.settings.checks) return nullptr;
    Elements all{vector_.total(), by.known->bytes, by.kernel};
    all.combination = by.combination;
    return std::make_unique<ReductionCheck>(
        dispatch.underlying(), dispatch.comm_state(), Collective::reduce_scatter, call, all,
        ReducedVectors{blocks_.input[0].at, 1, blocks_.output->at, vector_.first(),
                       vector_.own_count()});
  }
  void pack() override { vector_.pack(); }
  Truncated deliver() override {
    vector_.end();
    return {};
  }

 private:
  ScatteredVector vector_;
  BlockTables blocks_;
};

/// Whether the MPI was measured to be faster in such calls than Terrace, which works out the blocks
/// of each anew (docs/reference/figures.md): all MPIs but MPICH. Without trials, Terrace runs
/// whatever it can.
bool is_faster_in_mpi(Dispatch& dispatch, const Team& team) {
  static const bool is_mpich = dispatch.underlying().library().starts_with("MPICH");
  if (is_mpich || team.settings.trials == TrialSetting::off) return false;
  dispatch.fall_back_and_warn("blocks of different length, which this MPI moves faster");
  return true;
}

/// The blocks of a call that its team starts, or initializes; null: it falls back.
std::shared_ptr<MovedBlocksOfCall> blocks_of(Dispatch& dispatch, const VectorExchange& call,
                                             CallKind kind) {
  if (!dispatch.is_sound()) return nullptr;
  const auto refuse = [&] {
    dispatch.fall_back(kWrongArguments);
    return nullptr;
  };
  // Not read otherwise: an intercommunicator's arrays have the length of the other group.
  if (dispatch.has_no_team_yet() && !VectorMoving(dispatch, call).is_sound()) return refuse();
  Team* const team = dispatch.team_to_start(0);
  if (team == nullptr || is_faster_in_mpi(dispatch, *team)) return nullptr;
  const auto make = [&] { return std::make_shared<MovedBlocksOfCall>(dispatch, *team, call); };
  auto blocks =
      kind == CallKind::nonblocking ? kept_blocks<MovedBlocksOfCall>(dispatch, call, make) : make();
  if (!blocks->is_sound()) return refuse();
  dispatch.note_bytes(blocks->most_bytes());
  return blocks;
}

/// A reduce_scatter that its team starts, or initializes.
struct CombiningStart {
  Dispatch dispatch;
  Team* team = nullptr;  ///< null: it falls back
  const PredefinedReduction* by = nullptr;
  Elements elements;
  std::unique_ptr<CombinedBlocksOfCall> blocks;  ///< null: there is nothing to combine
  CallArguments arguments;

  CombiningStart(CallKind kind, const MpiCall& call, const MpiCounts& counts)
      : dispatch(Collective::reduce_scatter, call.communicator, 0, kind) {
    if (!dispatch.is_sound()) return;
    // An intercommunicator's array has the length of the other group.
    if (dispatch.comm_state().stage == TeamStage::fallen_back) {
      dispatch.team_to_start(0);
      return;
    }
    if (!is_accepted(call, counts)) return;
    Team* const its_team = dispatch.team_to_start(0);
    if (its_team == nullptr || is_faster_in_mpi(dispatch, *its_team)) return;
    if (by == nullptr || by->known->has_gaps()) {
      dispatch.fall_back_and_warn(by == nullptr ? kOwnOperator : kHasGaps);
      return;
    }
    dispatch.note_bytes(bytes_of(elements));
    if (elements.count == 0) {
      team = its_team;
      return;
    }
    if (!make_blocks(call, counts) || is_too_long(dispatch, *its_team, bytes_of(elements))) return;
    team = its_team;
    arguments = blocks->combine(elements);
  }

 private:
  /// Whether the MPI would accept the call, as far as one rank can tell; else it falls back. Its
  /// buffers are looked at before calls are counted, and otherwise later.
  bool is_accepted(const MpiCall& call, const MpiCounts& counts) {
    const auto longest =
        counts ? longest_of(counts, dispatch.comm_state().size) : std::optional<std::int64_t>();
    by = find_kernel(dispatch, call.type, call.op);
    if (!longest || (by == nullptr && !dispatch.underlying().can_reduce(call.type, call.op)))
      return dispatch.fall_back(kWrongArguments) != nullptr;
    if (dispatch.has_no_team_yet() && *longest > 0 &&
        !ScatteredVector(dispatch, call, counts, 0, 0, true).takes_buffers(by != nullptr))
      return dispatch.fall_back(kWrongBuffer) != nullptr;
    if (by == nullptr || by->known->has_gaps()) return true;
    elements = {static_cast<std::size_t>(*longest), by->known->bytes, by->kernel};
    elements.combination = by->combination;
    return true;
  }
  bool make_blocks(const MpiCall& call, const MpiCounts& counts) {
    blocks = std::make_unique<CombinedBlocksOfCall>(dispatch, call, counts, *by->known);
    return blocks->takes_buffers() || dispatch.fall_back(kWrongBuffer) != nullptr;
  }
};

/// Starts a call whose lengths all ranks know, as regular ones are started.
bool start_with_blocks(Dispatch& dispatch, Team& team, const CallArguments& arguments,
                       std::shared_ptr<CallBuffers> blocks, std::unique_ptr<MpiCheck> check,
                       Handle& request) {
  return start_checked(std::move(check), request, [&] {
    NonblockingLane* const lane = lane_for(dispatch, team, arguments);
    if (lane == nullptr) return false;
    start_in(dispatch, team, *lane, arguments, std::move(blocks), request);
    return true;
  });
}

bool start_allgatherv(Dispatch& dispatch, std::shared_ptr<MovedBlocksOfCall> blocks,
                      Handle& request) {
  Team& team = blocks->team();
  const std::size_t most_bytes = blocks->most_bytes();
  if (most_bytes == 0) return start_nothing(dispatch, request);
  if (is_too_long(dispatch, team, most_bytes)) return false;
  blocks->begin();
  const CallArguments arguments = blocks->move(most_bytes);
  auto check = blocks->check(dispatch);
  return start_with_blocks(dispatch, team, arguments, std::move(blocks), std::move(check), request);
}

bool initialize_allgatherv(Dispatch& dispatch, std::shared_ptr<MovedBlocksOfCall> blocks,
                           Handle& request) {
  Team& team = blocks->team();
  const std::size_t most_bytes = blocks->most_bytes();
  if (most_bytes == 0) return initialize_nothing(dispatch, team, request);
  if (is_too_long(dispatch, team, most_bytes)) return false;
  blocks->settle();
  const CallArguments arguments = blocks->move(most_bytes);
  return initialize_alone(dispatch, team, arguments, std::move(blocks), request);
}

/// The longest of such calls that ranks can leave behind, of those whose length is not known yet.
CallArguments longest_left(const Dispatch& dispatch, const Team& team) {
  const std::size_t bytes = kMostLeft / team.memory.rank_count();
  return {dispatch.collective(), nullptr, nullptr, {bytes}, dispatch.root()};
}

/// The plan of such a call, by what this rank knows.
const std::string& plan_of(Dispatch& dispatch, NonblockingLane& lane) {
  const Elements own{std::max<std::size_t>(dispatch.bytes(), 1)};
  return lane.endpoint->plan_of(dispatch.collective(), own, dispatch.root());
}

/// Lanes with much scratch take such calls, as their length is not known yet.
bool start_with_lengths(Dispatch& dispatch, std::shared_ptr<MovedBlocksOfCall> blocks,
                        Handle& request) {
  Team& team = blocks->team();
  blocks->begin();
  return start_checked(blocks->check(dispatch), request, [&] {
    NonblockingLane* const lane = lane_for(dispatch, team, longest_left(dispatch, team), kMostLeft);
    if (lane == nullptr) return false;
    NonblockingCall& call = new_call(dispatch.underlying(), team, *lane, kMostLeft);
    const CallArguments arguments = blocks->tell(*lane);
    hold(call, std::move(blocks));
    begin(call, arguments);
    dispatch.count_run_of(plan_of(dispatch, *lane));
    request = call.carrier;
    return true;
  });
}

/// Ranks without any block of their own take part, too: they do not know whether others have some.
bool initialize_with_lengths(Dispatch& dispatch, std::shared_ptr<MovedBlocksOfCall> blocks,
                             Handle& request) {
  Team& team = blocks->team();
  blocks->settle();
  const LanesLock lock;
  NonblockingLane* const lane = own_lane(dispatch, team, longest_left(dispatch, team));
  if (lane == nullptr) return false;
  NonblockingCall& call =
      new_persistent_call(dispatch.underlying(), team, lane, blocks->tell(*lane));
  hold(call, std::move(blocks));
  dispatch.count_run_of(plan_of(dispatch, *lane));
  request = call.carrier;
  return true;
}

}  // namespace

bool start_vector_exchange(Collective collective, const VectorExchange& call, Handle& request) {
  constexpr CallKind kKind = CallKind::nonblocking;
  Dispatch dispatch(collective, call.communicator, call.root, kKind);
  auto blocks = blocks_of(dispatch, call, kKind);
  if (blocks == nullptr) return false;
  return tells_lengths(collective) ? start_with_lengths(dispatch, std::move(blocks), request)
                                   : start_allgatherv(dispatch, std::move(blocks), request);
}

bool initialize_vector_exchange(Collective collective, const VectorExchange& call,
                                Handle& request) {
  constexpr CallKind kKind = CallKind::persistent;
  Dispatch dispatch(collective, call.communicator, call.root, kKind);
  auto blocks = blocks_of(dispatch, call, kKind);
  if (blocks == nullptr) return false;
  return tells_lengths(collective) ? initialize_with_lengths(dispatch, std::move(blocks), request)
                                   : initialize_allgatherv(dispatch, std::move(blocks), request);
}

bool start_reduce_scatter(const MpiCall& call, const MpiCounts& counts, Handle& request) {
  CombiningStart one(CallKind::nonblocking, call, counts);
  if (one.team == nullptr) return false;
  if (one.blocks == nullptr) return start_nothing(one.dispatch, request);
  auto check = one.blocks->check(one.dispatch, *one.team, call, *one.by);
  return start_with_blocks(one.dispatch, *one.team, one.arguments, std::move(one.blocks),
                           std::move(check), request);
}

bool initialize_reduce_scatter(const MpiCall& call, const MpiCounts& counts, Handle& request) {
  CombiningStart one(CallKind::persistent, call, counts);
  if (one.team == nullptr) return false;
  if (one.blocks == nullptr) return initialize_nothing(one.dispatch, *one.team, request);
  return initialize_alone(one.dispatch, *one.team, one.arguments, std::move(one.blocks), request);
}

}  // namespace terrace::preload
