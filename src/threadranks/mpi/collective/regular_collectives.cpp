// SPDX-License-Identifier: BSD-3-Clause
// Collectives with blocks of one length, blocking and nonblocking, by plans. Elements with gaps are
// packed.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "threadranks/mpi/collective/collective_op.hpp"
#include "threadranks/mpi/collective/long_elements.hpp"
#include "threadranks/mpi/collective/operators.hpp"

namespace terrace::threadranks::mpi {
namespace {

/// Makes a collective like the last one of its kind that the same team ran: `Run` is RepeatedCall
/// or StartedAgain. Each function corresponds to one of `RegularCollective`; true: done.
template <class Run>
class Repetition {
 public:
  Repetition(Run& run, const char* function) : run_(run), function_(function) {}

  bool barrier(Repetition&) { return repeat(Collective::barrier, {}, nullptr, nullptr); }
  bool bcast(Repetition&, const BufferSide& side, int root) {
    auto* const buffer = const_cast<void*>(side.buffer);
    return is_plain(buffer) &&
           repeat(Collective::bcast, {widen(side.type), 0, side.count, root}, buffer, buffer);
  }
  bool combine(Repetition&, Collective collective, const void* in, void* out, std::int64_t count,
               MPI_Datatype type, MPI_Op op, int root) {
    const LastCall& last = last_of(collective);
    if (!is_plain(out) && last.has_output) return false;
    // Equal buffers, which some MPIs refuse, are the slow path's.
    const bool is_separate = is_plain(in) && (in != out || !last.has_output) && !last.is_in_place;
    if (!is_separate && (in != MPI_IN_PLACE || !last.is_in_place)) return false;
    return repeat(collective, {widen(type), widen(op), count, root}, is_separate ? in : out, out);
  }
  bool reduce_scatter_block(Repetition& own, const void* in, void* out, std::int64_t count,
                            MPI_Datatype type, MPI_Op op) {
    return combine(own, Collective::reduce_scatter_block, in, out, count, type, op, 0);
  }
  bool move(Repetition&, Collective collective, const BufferSide& out, const BufferSide& in,
            int root) {
    const LastCall& last = last_of(collective);
    if (!last.is_exchange(widen(out.type), out.count, widen(in.type), in.count, root)) return false;
    if (last.has_input && !is_plain(out.buffer)) return false;
    if (last.has_output && !is_plain(in.buffer)) return false;
    const void* input = last.has_input ? out.buffer : nullptr;
    void* output = last.has_output ? const_cast<void*>(in.buffer) : nullptr;
    TeamEndpoint* const endpoint = run_.on().idle_endpoint();
    if (endpoint == nullptr) return false;
    endpoint->number_own_block(collective, input, output, last.bytes);
    return input != output && run_.is_possible(last, *endpoint) &&
           run(*endpoint, collective, last, input, output);
  }

 private:
  /// None that means something else, such as MPI_BOTTOM, which is null.
  static bool is_plain(const void* buffer) { return !may_be_no_buffer(buffer); }
  const LastCall& last_of(Collective collective) const {
    return run_.on().last_calls[static_cast<std::size_t>(collective)];
  }
  bool run(TeamEndpoint& endpoint, Collective collective, const LastCall& last, const void* input,
           void* output) {
    RankState& state = run_.on().state();
    state.enter_function(function_);
    run_.run(last, endpoint, input, output);
    state.counts.add(collective, last.bytes);
    return true;
  }
  bool repeat(Collective collective, const LastCall& call, const void* input, void* output) {
    const LastCall& last = last_of(collective);
    if (!last.is(call.type, call.op, call.count, call.root)) return false;
    TeamEndpoint* const endpoint = run_.on().idle_endpoint();
    return endpoint != nullptr && run_.is_possible(last, *endpoint) &&
           run(*endpoint, collective, last, input, last.has_output ? output : nullptr);
  }

  Run& run_;
  const char* function_;
};

/// A collective with blocks of one length.
class RegularCollective {
 public:
  template <class Run>
  using Repetition = mpi::Repetition<Run>;

  // Each function sets up one collective; false: there is nothing to do, or an error.
  bool barrier(Caller&) {
    is_repeatable_ = true;
    last_.is_in_place = true;
    return true;
  }
  bool bcast(Caller& caller, const BufferSide& side, int root);
  /// Collectives that combine whole vectors.
  bool combine(Caller& caller, Collective collective, const void* in, void* out, std::int64_t count,
               MPI_Datatype type, MPI_Op op, int root);
  bool reduce_scatter_block(Caller& caller, const void* in, void* out, std::int64_t count,
                            MPI_Datatype type, MPI_Op op);
  /// Allgather, gather, scatter and alltoall.
  bool move(Caller& caller, Collective collective, const BufferSide& out, const BufferSide& in,
            int root);

  Collective collective() const { return collective_; }
  /// Bytes of a combined vector, or of a block.
  std::size_t bytes() const { return combining_.elements.count * combining_.elements.bytes; }
  bool has_call() { return long_elements_ ? long_elements_->has_call() : !is_made_; }
  template <class Endpoint>
  bool call(Endpoint& endpoint) {
    if (combining_.combiner && !is_made_) gather_long_elements(endpoint);
    is_made_ = true;
    if (long_elements_) return long_elements_->call(endpoint);
    return endpoint.make_call(collective_, input_, output_, combining_.elements, root_);
  }
  void finish() const {
    if (gives_) to_.unpack();
  }
  void restart() {
    from_.read();
    to_.read();
    is_made_ = false;
    long_elements_.reset();
  }
  void note(Communicator& communicator, const TeamEndpoint& endpoint) {
    if (!is_repeatable_ || communicator.state().tally || long_elements_) return;
    last_.bytes = bytes();
    last_.note(endpoint);
    communicator.last_calls[static_cast<std::size_t>(collective_)] = last_;
  }
  bool start_again(Communicator& on, StartedCollective& started) {
    if (last_.prepared == nullptr || !on.is_ready()) return false;
    TeamEndpoint* const endpoint = on.idle_endpoint();
    if (last_.version != endpoint->prepared_version()) return false;
    const void* input = input_;
    void* output = output_;
    endpoint->number_own_block(collective_, input, output, last_.bytes);
    on.state().counts.add(collective_, last_.bytes);
    on.start(started, *last_.prepared, input, output);
    return true;
  }

 private:
  void note_reduction(const Layout& layout, MPI_Datatype type, MPI_Op op, int root,
                      bool has_output);
  void note_move(const Layout& given, const Layout& wanted, const BufferSide& out,
                 const BufferSide& in, int root);
  /// Before the first call: whether elements must be gathered is known to the endpoint alone.
  template <class Endpoint>
  void gather_long_elements(Endpoint& endpoint);

  Collective collective_ = Collective::barrier;
  LastCall last_;
  bool is_repeatable_ = false;
  PackedBuffer from_, to_;
  const void* input_ = nullptr;
  void* output_ = nullptr;
  Rank root_ = 0;
  Combining combining_;  ///< or how many bytes are moved
  bool gives_ = false;   ///< the result must be unpacked
  bool is_made_ = false;
  RankInCall who_;  ///< of a reduction
  std::unique_ptr<LongElements> long_elements_;
};

template <class Endpoint>
void RegularCollective::gather_long_elements(Endpoint& endpoint) {
  if (endpoint.has_room_for(collective_, combining_.elements, root_)) return;
  std::vector<std::size_t> counts;
  if (collective_ == Collective::reduce_scatter_block)
    counts.assign(who_.rank_count, combining_.elements.count);
  long_elements_ =
      std::make_unique<LongElements>(who_, input_, output_, combining_.elements, std::move(counts));
}

bool RegularCollective::bcast(Caller& caller, const BufferSide& side, int root) {
  collective_ = Collective::bcast;
  caller.check_root(root);
  const Layout layout = caller.layout(side.buffer, side.count, side.type);
  if (caller.error() || layout.bytes() == 0) return false;
  const bool is_root = caller.communicator().rank() == root;
  to_.set(layout, is_root);
  input_ = output_ = to_.at();
  combining_.elements = {layout.bytes()};
  root_ = static_cast<Rank>(root);
  gives_ = !is_root;
  is_repeatable_ = layout.type->predefined() != nullptr && layout.type->is_dense();
  last_ = {widen(side.type), 0, side.count, root, true, true};
  return true;
}

bool RegularCollective::combine(Caller& caller, Collective collective, const void* in, void* out,
                                std::int64_t count, MPI_Datatype type, MPI_Op op, int root) {
  collective_ = collective;
  caller.check_root(root);
  const bool is_in_place = in == MPI_IN_PLACE;
  const Layout input = caller.layout(is_in_place ? out : in, count, type);
  if (!find_combining(caller, input, op, combining_) || bytes() == 0) return false;
  root_ = static_cast<Rank>(root);
  who_ = rank_in_call(caller, collective, root);
  gives_ = gets_result(who_);
  const bool shows_output = gives_ || collective == Collective::exscan;
  if (shows_output) caller.check_not_in_place(out);
  if (shows_output) check_separate(caller, collective, in, out, input.count);
  if (is_in_place && collective == Collective::reduce && !gives_)
    caller.fail(MPI_ERR_BUFFER, "MPI_IN_PLACE is for the root alone");
  if (gives_) caller.check_buffer({out, input.count, input.type});
  if (caller.error()) return false;
  from_.set(input, true);
  input_ = from_.at();
  // Once packed, input and output are separate even in place, which plans allow too.
  if (shows_output) {
    to_.set({out, input.count, input.type}, false);
    output_ = to_.at();
  }
  note_reduction(input, type, op, root, output_ != nullptr);
  return true;
}

/// Only predefined types and operators: handles of others may be freed and reused.
void RegularCollective::note_reduction(const Layout& layout, MPI_Datatype type, MPI_Op op, int root,
                                       bool has_output) {
  is_repeatable_ =
      layout.type->predefined() != nullptr && layout.type->is_dense() && !combining_.combiner;
  last_ = {widen(type), widen(op),         static_cast<std::int64_t>(layout.count),
           root,        input_ == output_, has_output};
}

bool RegularCollective::reduce_scatter_block(Caller& caller, const void* in, void* out,
                                             std::int64_t count, MPI_Datatype type, MPI_Op op) {
  collective_ = Collective::reduce_scatter_block;
  const Layout output = caller.layout(out, count, type);
  if (!find_combining(caller, output, op, combining_) || bytes() == 0) return false;
  Layout input = times(output, caller.communicator().size());
  if (in != MPI_IN_PLACE) input.buffer = in;
  caller.check_buffer(input);
  check_separate(caller, collective_, in, out, output.count);
  if (caller.error()) return false;
  who_ = rank_in_call(caller, collective_, 0);
  from_.set(input, true);
  to_.set(output, false);
  input_ = from_.at();
  output_ = to_.at();
  gives_ = true;
  note_reduction(output, type, op, 0, true);
  return true;
}

/// If a rank's own block differs in length, it would be written beyond its place.
void check_blocks(Caller& caller, const Layout& given, const Layout& taken) {
  if (caller.error() || given.bytes() == taken.bytes()) return;
  caller.fail(given.bytes() > taken.bytes() ? MPI_ERR_TRUNCATE : MPI_ERR_COUNT,
              "blocks of " + std::to_string(given.bytes()) + " bytes are given, and of " +
                  std::to_string(taken.bytes()) + " bytes are wanted");
}

/// Refuses a rank's block to itself that is already in its place, if its elements are of one type.
/// In an allgather, the first block is the first rank's, which then has that error.
void check_own_block(Caller& caller, Collective collective, const MovedBlocks& moved,
                     const Layout& given, const Layout& wanted) {
  if (caller.error() || given.type != wanted.type || given.bytes() == 0) return;
  const Layout own = block_at(given, static_cast<int>(moved.outputs.first));
  const Layout place = block_at(wanted, static_cast<int>(moved.inputs.first));
  check_separate(caller, collective, own.buffer, place.buffer, given.count);
  if (collective == Collective::allgather)
    check_separate(caller, collective, given.buffer, wanted.buffer, given.count);
}

bool RegularCollective::move(Caller& caller, Collective collective, const BufferSide& out,
                             const BufferSide& in, int root) {
  collective_ = collective;
  if (is_rooted(collective)) caller.check_root(root);
  if (caller.error()) return false;
  const MovedBlocks moved =
      moved_blocks(caller, rank_in_call(caller, collective, root), out.buffer, in.buffer);
  const std::size_t inputs = moved.own_inputs().count, outputs = moved.own_outputs().count;
  const Layout given = inputs > 0 ? caller.layout(out.buffer, out.count, out.type) : Layout{};
  const Layout wanted = outputs > 0 ? caller.layout(in.buffer, in.count, in.type) : Layout{};
  if (inputs > 0 && outputs > 0) check_blocks(caller, given, wanted);
  if (inputs > 0 && outputs > 0) check_own_block(caller, collective, moved, given, wanted);
  if (caller.error()) return false;
  const std::size_t bytes = (inputs > 0 ? given : wanted).bytes();
  if (bytes == 0) return false;
  root_ = static_cast<Rank>(root);
  combining_.elements = {bytes};
  gives_ = outputs > 0;
  if (inputs > 0) from_.set(times(given, static_cast<int>(inputs)), true);
  if (outputs > 0) to_.set(times(wanted, static_cast<int>(outputs)), moved.is_input_in_place);
  input_ = moved.is_input_in_place ? to_.at() + moved.inputs.first * bytes : from_.at();
  output_ = moved.is_output_in_place ? from_.at() + moved.outputs.first * bytes : to_.at();
  if (!moved.is_input_in_place && !moved.is_output_in_place)
    note_move(given, wanted, out, in, root);
  return true;
}

/// Notes whether and how the exchange can be repeated. A side that the rank does not have has no
/// type.
void RegularCollective::note_move(const Layout& given, const Layout& wanted, const BufferSide& out,
                                  const BufferSide& in, int root) {
  const auto is_predefined = [](const Layout& side) {
    return side.type == nullptr || (side.type->predefined() != nullptr && side.type->is_dense());
  };
  is_repeatable_ = is_predefined(given) && is_predefined(wanted) && input_ != output_;
  last_ = LastCall::exchange(widen(out.type), out.count, widen(in.type), in.count, root,
                             given.type != nullptr, wanted.type != nullptr);
}

constexpr auto barrier = [](auto& caller, auto& work) { return work.barrier(caller); };

}  // namespace
}  // namespace terrace::threadranks::mpi

namespace mpi = terrace::threadranks::mpi;
using terrace::Collective;

TERRACE_MPI(int, Barrier, (MPI_Comm comm)) {
  return mpi::run_blocking<mpi::RegularCollective>("MPI_Barrier", comm, mpi::barrier);
}
TERRACE_MPI(int, Ibarrier, (MPI_Comm comm, MPI_Request* request)) {
  return mpi::run_nonblocking<mpi::RegularCollective>("MPI_Ibarrier", comm, request, mpi::barrier);
}
TERRACE_MPI(int, Barrier_init, (MPI_Comm comm, MPI_Info, MPI_Request* request)) {
  return mpi::run_persistent<mpi::RegularCollective>("MPI_Barrier_init", comm, request,
                                                     mpi::barrier);
}

#define TERRACE_REDUCES(suffix, Counts)                                                       \
  TERRACE_COLLECTIVE(RegularCollective, Bcast##suffix, Ibcast##suffix, Bcast_init##suffix,    \
                     (void* buffer, Counts count, MPI_Datatype type, int root),               \
                     bcast(caller, {buffer, count, type}, root))                              \
  TERRACE_COLLECTIVE(                                                                         \
      RegularCollective, Reduce##suffix, Ireduce##suffix, Reduce_init##suffix,                \
      (const void* in, void* out, Counts count, MPI_Datatype type, MPI_Op op, int root),      \
      combine(caller, Collective::reduce, in, out, count, type, op, root))                    \
  TERRACE_COLLECTIVE(RegularCollective, Allreduce##suffix, Iallreduce##suffix,                \
                     Allreduce_init##suffix,                                                  \
                     (const void* in, void* out, Counts count, MPI_Datatype type, MPI_Op op), \
                     combine(caller, Collective::allreduce, in, out, count, type, op, 0))     \
  TERRACE_COLLECTIVE(RegularCollective, Scan##suffix, Iscan##suffix, Scan_init##suffix,       \
                     (const void* in, void* out, Counts count, MPI_Datatype type, MPI_Op op), \
                     combine(caller, Collective::scan, in, out, count, type, op, 0))          \
  TERRACE_COLLECTIVE(RegularCollective, Exscan##suffix, Iexscan##suffix, Exscan_init##suffix, \
                     (const void* in, void* out, Counts count, MPI_Datatype type, MPI_Op op), \
                     combine(caller, Collective::exscan, in, out, count, type, op, 0))        \
  TERRACE_COLLECTIVE(RegularCollective, Reduce_scatter_block##suffix,                         \
                     Ireduce_scatter_block##suffix, Reduce_scatter_block_init##suffix,        \
                     (const void* in, void* out, Counts count, MPI_Datatype type, MPI_Op op), \
                     reduce_scatter_block(caller, in, out, count, type, op))
TERRACE_REDUCES(, int)
TERRACE_REDUCES(_c, MPI_Count)

#define TERRACE_MOVES(suffix, Counts)                                                              \
  TERRACE_COLLECTIVE(                                                                              \
      RegularCollective, Allgather##suffix, Iallgather##suffix, Allgather_init##suffix,            \
      (const void* out, Counts out_count, MPI_Datatype out_type, void* in, Counts in_count,        \
       MPI_Datatype in_type),                                                                      \
      move(caller, Collective::allgather, {out, out_count, out_type}, {in, in_count, in_type}, 0)) \
  TERRACE_COLLECTIVE(                                                                              \
      RegularCollective, Alltoall##suffix, Ialltoall##suffix, Alltoall_init##suffix,               \
      (const void* out, Counts out_count, MPI_Datatype out_type, void* in, Counts in_count,        \
       MPI_Datatype in_type),                                                                      \
      move(caller, Collective::alltoall, {out, out_count, out_type}, {in, in_count, in_type}, 0))  \
  TERRACE_COLLECTIVE(                                                                              \
      RegularCollective, Gather##suffix, Igather##suffix, Gather_init##suffix,                     \
      (const void* out, Counts out_count, MPI_Datatype out_type, void* in, Counts in_count,        \
       MPI_Datatype in_type, int root),                                                            \
      move(caller, Collective::gather, {out, out_count, out_type}, {in, in_count, in_type}, root)) \
  TERRACE_COLLECTIVE(RegularCollective, Scatter##suffix, Iscatter##suffix, Scatter_init##suffix,   \
                     (const void* out, Counts out_count, MPI_Datatype out_type, void* in,          \
                      Counts in_count, MPI_Datatype in_type, int root),                            \
                     move(caller, Collective::scatter, {out, out_count, out_type},                 \
                          {in, in_count, in_type}, root))
TERRACE_MOVES(, int)
TERRACE_MOVES(_c, MPI_Count)
