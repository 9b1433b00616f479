// SPDX-License-Identifier: BSD-3-Clause
// Starts the nonblocking v-collectives. All ranks know all lengths of allgatherv and
// reduce_scatter, which are started as regular calls are. Of the others, ranks first tell each
// other lengths; what fits goes with them:
//
//     lengths and first bytes  ─ no block is longer ─ over
//                              └ blocks, as long as the longest is ─ over
#include <climits>

#include "base/say.hpp"
#include "preload/dispatch/reductions.hpp"
#include "preload/dispatch/scattered_vector.hpp"
#include "preload/dispatch/vector_moving.hpp"
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
  bool go_on(CallArguments& next) override {
    if (next.lengths == nullptr) return false;
    const std::uint64_t most_bytes = *lengths_.most();
    truncation_ = moving_.heed(lengths_);
    blocks_ = moving_.tables();
    if (lengths_.have_brought_blocks()) {
      lengths_.deliver(blocks_);
      return false;
    }
    next = move(most_bytes);
    can_be_left_ = lane_->endpoint->can_be_left(collective_, next.elements, root_);
    return true;
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
  std::string truncation_;           ///< a sentence on it; "": there is none
};

/// The blocks of a call that combines them.
class CombinedBlocksOfCall final : public CallBuffers {
 public:
  CombinedBlocksOfCall(Dispatch& dispatch, const MpiCall& call, const MpiCounts& counts,
                       const PredefinedType& type)
      : vector_(dispatch, call, counts, type.bytes, static_cast<std::ptrdiff_t>(type.extent),
                true) {}
  ScatteredVector& vector() { return vector_; }
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

bool start_allgatherv(Dispatch& dispatch, Team& team, std::shared_ptr<MovedBlocksOfCall> blocks,
                      Handle& request) {
  const std::size_t most_bytes = blocks->most_bytes();
  if (most_bytes == 0) return start_nothing(dispatch, request);
  if (is_too_long(dispatch, team, most_bytes)) return false;
  blocks->begin();
  const CallArguments arguments = blocks->move(most_bytes);
  auto check = blocks->check(dispatch);
  return start_with_blocks(dispatch, team, arguments, std::move(blocks), std::move(check), request);
}

/// Lanes with much scratch take such calls, as their length is not known yet.
bool start_with_lengths(Dispatch& dispatch, Team& team, std::shared_ptr<MovedBlocksOfCall> blocks,
                        Handle& request) {
  const Elements own{std::max<std::size_t>(blocks->most_bytes(), 1)};
  blocks->begin();
  return start_checked(blocks->check(dispatch), request, [&] {
    CallArguments any{dispatch.collective(), nullptr, nullptr, {kMostLeft}, dispatch.root()};
    any.elements.count /= team.memory.rank_count();
    NonblockingLane* const lane = lane_for(dispatch, team, any, kMostLeft);
    if (lane == nullptr) return false;
    NonblockingCall& call = new_call(dispatch.underlying(), team, *lane, kMostLeft);
    const CallArguments arguments = blocks->tell(*lane);
    hold(call, std::move(blocks));
    begin(call, arguments);
    dispatch.count_run_of(lane->endpoint->plan_of(dispatch.collective(), own, dispatch.root()));
    request = call.carrier;
    return true;
  });
}

}  // namespace

bool start_vector_exchange(Collective collective, const VectorExchange& call, Handle& request) {
  Dispatch dispatch(collective, call.communicator, call.root, CallKind::nonblocking);
  if (!dispatch.is_sound()) return false;
  // Not read otherwise: an intercommunicator's arrays have the length of the other group.
  if (dispatch.has_no_team_yet() && !VectorMoving(dispatch, call).is_sound())
    return dispatch.fall_back(kWrongArguments) != nullptr;
  Team* const team = dispatch.team_to_start(0);
  if (team == nullptr || is_faster_in_mpi(dispatch, *team)) return false;
  auto blocks = kept_blocks<MovedBlocksOfCall>(
      dispatch, call, [&] { return std::make_shared<MovedBlocksOfCall>(dispatch, *team, call); });
  if (!blocks->is_sound()) return dispatch.fall_back(kWrongArguments) != nullptr;
  dispatch.note_bytes(blocks->most_bytes());
  return tells_lengths(collective) ? start_with_lengths(dispatch, *team, std::move(blocks), request)
                                   : start_allgatherv(dispatch, *team, std::move(blocks), request);
}

bool start_reduce_scatter(const MpiCall& call, const MpiCounts& counts, Handle& request) {
  Dispatch dispatch(Collective::reduce_scatter, call.communicator, 0, CallKind::nonblocking);
  // An intercommunicator's array has the length of the other group.
  if (!dispatch.is_sound() || dispatch.comm_state().stage == TeamStage::fallen_back) {
    if (dispatch.is_sound()) dispatch.team_to_start(0);
    return false;
  }
  const auto longest =
      counts ? longest_of(counts, dispatch.comm_state().size) : std::optional<std::int64_t>();
  const PredefinedReduction* const by = find_kernel(dispatch, call.type, call.op);
  if (!longest || (by == nullptr && !dispatch.underlying().can_reduce(call.type, call.op)))
    return dispatch.fall_back(kWrongArguments) != nullptr;
  if (dispatch.has_no_team_yet() && *longest > 0 &&
      !ScatteredVector(dispatch, call, counts, 0, 0, true).takes_buffers(by != nullptr))
    return dispatch.fall_back(kWrongBuffer) != nullptr;
  Team* const team = dispatch.team_to_start(0);
  if (team == nullptr || is_faster_in_mpi(dispatch, *team)) return false;
  if (by == nullptr) return dispatch.fall_back_and_warn(kOwnOperator) != nullptr;
  if (by->known->has_gaps()) return dispatch.fall_back_and_warn(kHasGaps) != nullptr;
  Elements elements{static_cast<std::size_t>(*longest), by->known->bytes, by->kernel};
  elements.combination = by->combination;
  dispatch.note_bytes(bytes_of(elements));
  if (*longest == 0) return start_nothing(dispatch, request);
  auto blocks = std::make_unique<CombinedBlocksOfCall>(dispatch, call, counts, *by->known);
  if (!blocks->vector().takes_buffers(true)) return dispatch.fall_back(kWrongBuffer) != nullptr;
  if (is_too_long(dispatch, *team, bytes_of(elements))) return false;
  const CallArguments arguments = blocks->combine(elements);
  auto check = blocks->check(dispatch, *team, call, *by);
  return start_with_blocks(dispatch, *team, arguments, std::move(blocks), std::move(check),
                           request);
}

}  // namespace terrace::preload
