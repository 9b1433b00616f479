// SPDX-License-Identifier: BSD-3-Clause
// The v-collectives that move blocks. All ranks must agree on the number of
// strips, but only allgatherv gives every rank all counts; the others first
// exchange the length of the longest block, which also carries "out of
// memory".
#include "base/say.hpp"
#include "preload/diagnose/check.hpp"
#include "preload/dispatch/calls.hpp"
#include "preload/dispatch/dispatch.hpp"
#include "preload/mpi/packing.hpp"
#include "preload/transport/device_memory.hpp"

namespace terrace::preload {

namespace {

constexpr const char* kNoMemory = "no memory to pack blocks in";

/// A type's size and extent. Rows of blocks mostly have the same: it is asked for once.
struct TypeShape {
  Handle type = 0;
  bool is_known = false;
  bool is_dense = false;
  std::optional<std::size_t> bytes;
  std::ptrdiff_t extent = 0;

  TypeShape() = default;
  TypeShape(UnderlyingMpi& underlying, Handle handle) : type(handle) {
    const PredefinedType* known = underlying.find_type(handle);
    is_known = known != nullptr;
    is_dense = known && !known->has_gaps();
    bytes = known ? std::optional(known->bytes) : underlying.bytes_of_type(handle);
    if (known)
      extent = static_cast<std::ptrdiff_t>(known->extent);
    else if (const auto layout = bytes ? underlying.layout_of(handle) : std::nullopt)
      extent = layout->extent;
  }
};

/// One of a call's two buffers: where its blocks lie at the user's, and as dense bytes.
class VectorSide {
 public:
  /// Blocks are numbered from `first` on. No blocks: the call does not look at this buffer here.
  VectorSide(Dispatch& dispatch, const VectorBlocks& user, std::size_t first, std::size_t blocks)
      : underlying_(dispatch.underlying()),
        communicator_(dispatch.comm_state().communicator),
        user_(user),
        first_(first),
        table_(static_cast<std::size_t>(dispatch.comm_state().size)) {
    pieces_.reserve(blocks);
    is_on_device_ = blocks > 0 && is_on_device(user.buffer);
    is_sound_ = blocks == 0 || (user.counts && (blocks == 1 || user.displacements));
    for (std::size_t i = 0; i < blocks && is_sound_; ++i) add(i);
  }

  bool is_empty() const { return pieces_.empty(); }
  /// Whether counts, types and places are such as the MPI takes.
  bool is_sound() const { return is_sound_; }
  std::size_t most_bytes() const { return most_bytes_; }
  std::size_t bytes_of_block(std::size_t number) const { return table_[number].bytes; }
  /// Whether the other's block of that number begins at the same place, with elements of the same
  /// type: of different types, elements may lie between each other's, or where the types tell.
  bool is_same_block(const VectorSide& other, std::size_t number) const {
    const Piece &mine = piece(number), &its = other.piece(number);
    return mine.at == its.at && mine.type == its.type;
  }

  /// Room for dense bytes where the user's are not. False if there is none.
  bool make_room() {
    if (packed_bytes_ == 0) return true;
    packed_ = packed_buffer(packed_bytes_);
    std::byte* at = packed_.get();
    if (at == nullptr) return false;
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      if (pieces_[i].is_dense) continue;
      table_[first_ + i].at = at;
      at += table_[first_ + i].bytes;
    }
    return true;
  }

  /// A block turns out to be shorter than there is room for.
  void shorten(std::size_t number, std::size_t bytes) {
    Block& block = table_[number];
    Piece& piece = pieces_[number - first_];
    if (block.bytes == 0) return;
    const std::size_t element = block.bytes / static_cast<std::size_t>(piece.count);
    piece.count = static_cast<std::int64_t>(bytes / element);
    block.bytes = bytes;
  }

  /// What comes for a block does not reach the user. False: there is no memory for it.
  bool divert(std::size_t number, std::size_t bytes) {
    diverted_.push_back(packed_buffer(bytes));
    pieces_[number - first_].is_dense = true;  // not to be unpacked
    table_[number] = {diverted_.back().get(), bytes};
    return diverted_.back() != nullptr;
  }

  /// Dense from here on, as far as blocks hold something: all, or that of one number.
  void pack(std::optional<std::size_t> only = std::nullopt) {
    bool is_done = true;
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      const Piece& piece = pieces_[i];
      const Block& block = table_[first_ + i];
      if (piece.is_dense || block.bytes == 0 || (only && *only != first_ + i)) continue;
      is_done &= pack_elements(underlying_, communicator_, piece.at, piece.count, piece.type,
                               block.at, block.bytes);
    }
    if (!is_done) say_once("the MPI could not pack a buffer: what its peers get is undefined");
  }

  /// What has come is the user's.
  void unpack() {
    bool is_done = true;
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      const Piece& piece = pieces_[i];
      const Block& block = table_[first_ + i];
      if (piece.is_dense || block.bytes == 0) continue;
      is_done &= unpack_elements(underlying_, communicator_, block.at, block.bytes, piece.at,
                                 piece.count, piece.type);
    }
    if (!is_done) say_once("the MPI could not unpack what has come for a buffer");
  }

  const Block* table() const { return table_.data(); }
  std::vector<Block> blocks() const {
    const auto begin = table_.begin() + static_cast<std::ptrdiff_t>(first_);
    return {begin, begin + static_cast<std::ptrdiff_t>(pieces_.size())};
  }

 private:
  struct Piece {
    std::byte* at = nullptr;
    std::int64_t count = 0;
    Handle type = 0;
    bool is_dense = true;
  };

  const Piece& piece(std::size_t number) const { return pieces_[number - first_]; }

  void add(std::size_t i) {
    const Handle type = user_.types ? user_.types(i) : user_.type;
    if (i == 0 || type != shape_.type) shape_ = TypeShape(underlying_, type);
    const std::int64_t count = user_.counts[i];
    is_sound_ = shape_.bytes && count >= 0;
    if (!is_sound_) return;
    const std::size_t bytes = *shape_.bytes * static_cast<std::size_t>(count);
    const std::int64_t place =
        user_.displacements ? user_.displacements[i] * (user_.types ? 1 : shape_.extent) : 0;
    std::byte* at = at_offset(place);
    is_sound_ = bytes == 0 || holds_data(underlying_, user_.buffer, shape_.is_known);
    const bool is_dense = shape_.is_dense && !is_on_device_;
    pieces_.push_back({at, count, type, is_dense});
    table_[first_ + i] = {at, bytes};
    most_bytes_ = std::max(most_bytes_, bytes);
    if (!is_dense) packed_bytes_ += bytes;
  }

  /// Types may tell addresses, so that the buffer is null, and no pointer may be moved.
  std::byte* at_offset(std::int64_t bytes) const {
    return reinterpret_cast<std::byte*>(reinterpret_cast<std::intptr_t>(user_.buffer) + bytes);
  }

  UnderlyingMpi& underlying_;
  Handle communicator_;
  const VectorBlocks& user_;
  std::size_t first_;
  TypeShape shape_;
  bool is_sound_ = true;
  bool is_on_device_ = false;
  std::size_t most_bytes_ = 0;
  std::size_t packed_bytes_ = 0;
  std::vector<Piece> pieces_;
  std::vector<Block> table_;  ///< by number
  Packed packed_{nullptr, &std::free};
  std::vector<Packed> diverted_;
};

/// The others go on, and this rank cannot tell them that it does not.
void end_for_lack_of_memory(Dispatch& dispatch) {
  say(std::string("rank ") + std::to_string(dispatch.comm_state().rank) + " has " + kNoMemory +
      " of a " + to_text(dispatch.collective()) + ": ending the job");
  dispatch.underlying().end_job();
}

/// An exchange on its way. In place, a side has no blocks, and is where the other is.
class VectorMoving {
 public:
  VectorMoving(Dispatch& dispatch, const VectorExchange& call)
      : dispatch_(dispatch),
        plan_(planned_as(dispatch.collective())),
        rank_(static_cast<std::size_t>(dispatch.comm_state().rank)),
        inputs_(dispatch.input_blocks()),
        outputs_(dispatch.output_blocks()),
        is_input_in_place_(inputs_ > 0 && dispatch.underlying().is_in_place(call.input.buffer)),
        is_output_in_place_(outputs_ > 0 && dispatch.underlying().is_in_place(call.output.buffer)),
        input_(dispatch, call.input, has_one_input() ? rank_ : 0, is_input_in_place_ ? 0 : inputs_),
        output_(dispatch, call.output, plan_ == Collective::scatter ? rank_ : 0,
                is_output_in_place_ ? 0 : outputs_) {}

  /// Whether the MPI would take the arguments, as far as one rank can tell.
  bool is_sound() const {
    if (is_output_in_place_ && !(plan_ == Collective::scatter && dispatch_.is_at_root()))
      return false;
    if (is_input_in_place_ && (outputs_ == 0 || plan_ == Collective::scatter)) return false;
    if (!input_.is_sound() || !output_.is_sound()) return false;
    if (input_.is_empty() || output_.is_empty()) return true;
    return input_.bytes_of_block(rank_) == output_.bytes_of_block(rank_) &&
           (dispatch_.underlying().takes_equal_buffers() || !are_buffers_equal());
  }

  /// Makes room for packing, if it can.
  bool make_room() { return input_.make_room() && output_.make_room(); }
  std::uint64_t most_bytes() const { return std::max(input_.most_bytes(), output_.most_bytes()); }
  BlockTables tables() const { return {input(), output()}; }

  /// Blocks that are shorter than this rank wants are taken as they are. Such as are longer come to
  /// a place of their own, since their givers know of nothing. A sentence on one of these; "":
  /// there is none.
  std::string heed(const Lengths& lengths) {
    const bool gets_all = plan_ != Collective::scatter && outputs_ > 0;
    VectorSide& side = is_output_in_place_ ? input_ : output_;
    std::string truncation;
    for (Rank rank = 0; rank < static_cast<Rank>(dispatch_.comm_state().size); ++rank) {
      const bool is_got = gets_all || (plan_ == Collective::scatter && rank == dispatch_.root());
      const std::size_t number = gets_all ? rank : rank_;
      // What a rank gives itself was compared before; in place it stays where it is.
      if (!is_got || static_cast<std::size_t>(rank) == rank_) continue;
      const std::size_t wanted = side.bytes_of_block(number), given = lengths.given_by(rank);
      if (given < wanted) side.shorten(number, given);
      if (given <= wanted) continue;
      truncation = truncation_text(rank, wanted, given);
      if (!side.divert(number, given)) end_for_lack_of_memory(dispatch_);
    }
    return truncation;
  }

  /// Whether others heed this rank's word.
  bool is_heard() const {
    return plan_ != Collective::allgather &&
           (plan_ != Collective::scatter || dispatch_.is_at_root());
  }

  bool run(TeamEndpoint& endpoint, std::size_t most_bytes) {
    return endpoint.move_blocks(dispatch_.collective(), tables(), most_bytes, dispatch_.root());
  }

  void begin() {
    input_.pack();
    if (is_input_in_place_) output_.pack(has_one_input() ? std::optional(rank_) : std::nullopt);
  }
  void end() { output_.unpack(); }

  std::vector<Block> given() const {
    if (!is_input_in_place_) return input_.blocks();
    return has_one_input() ? std::vector{output_.table()[rank_]} : output_.blocks();
  }
  std::vector<Block> wanted() const {
    return is_output_in_place_ ? std::vector{input_.table()[rank_]} : output_.blocks();
  }

 private:
  std::string truncation_text(Rank giver, std::size_t wanted, std::size_t given) const {
    return "rank " + std::to_string(rank_) + " of a communicator wants " + std::to_string(wanted) +
           " bytes of rank " + std::to_string(giver) + " where rank " + std::to_string(giver) +
           " makes " + to_text(dispatch_.collective()) + " of " + std::to_string(given) +
           ": they are truncated (MPI_ERR_TRUNCATE)";
  }
  bool has_one_input() const {
    return plan_ == Collective::allgather || plan_ == Collective::gather;
  }
  const Block* input() const { return is_input_in_place_ ? output_.table() : input_.table(); }
  const Block* output() const { return is_output_in_place_ ? input_.table() : output_.table(); }

  /// What MPI_IN_PLACE ought to say.
  bool are_buffers_equal() const {
    return input_.bytes_of_block(rank_) > 0 && input_.is_same_block(output_, rank_);
  }

  Dispatch& dispatch_;
  Collective plan_;
  std::size_t rank_;
  std::size_t inputs_;
  std::size_t outputs_;
  bool is_input_in_place_;
  bool is_output_in_place_;
  VectorSide input_;
  VectorSide output_;
};

bool move_checked(Dispatch& dispatch, Team& team, VectorMoving& moving, std::size_t most_bytes) {
  ExchangeCheck check(dispatch.underlying(), dispatch.comm_state(), dispatch.collective(),
                      static_cast<int>(dispatch.root()), moving.given());
  const bool is_done = moving.run(*team.endpoint, most_bytes);
  if (is_done) check.compare(moving.wanted());
  return is_done;
}

/// The MPI counts the checked bytes in ints.
bool can_check(Dispatch& dispatch, std::size_t most_bytes) {
  return most_bytes <= static_cast<std::size_t>(INT_MAX / dispatch.comm_state().size);
}

}  // namespace

std::optional<int> run_vector_exchange(Collective collective, const VectorExchange& call) {
  Dispatch dispatch(collective, call.communicator, call.root);
  if (!dispatch.is_sound()) return std::nullopt;
  const auto fall_back = [&](const char* why) {
    dispatch.fall_back(why);
    return std::nullopt;
  };
  // Never read: an intercommunicator's arrays are as long as the other group.
  if (dispatch.comm_state().stage == TeamStage::fallen_back) {
    dispatch.any_team();
    return std::nullopt;
  }
  VectorMoving moving(dispatch, call);
  if (!moving.is_sound()) return fall_back(kWrongArguments);
  Team* team = dispatch.any_team();
  if (team == nullptr) return std::nullopt;
  const bool has_room = moving.make_room();
  if (!has_room && !moving.is_heard()) end_for_lack_of_memory(dispatch);
  std::uint64_t most_bytes = moving.most_bytes();
  std::string truncation;
  if (collective != Collective::allgatherv) {
    Lengths lengths;
    team->world.begin(collective);
    if (!team->endpoint->tell_lengths(collective, moving.tables(), has_room, dispatch.root(),
                                      lengths)) {
      end_of(false, dispatch, *team);
      return 0;
    }
    const std::optional<std::uint64_t> most = lengths.most();
    if (!most) return fall_back(kNoMemory);
    most_bytes = *most;
    truncation = moving.heed(lengths);
  }
  if (!dispatch.allows(most_bytes)) return std::nullopt;
  if (most_bytes == 0) {
    dispatch.count_run(nullptr);
    return 0;
  }
  team->world.begin(collective);
  moving.begin();
  const bool is_done = team->settings.checks && can_check(dispatch, most_bytes)
                           ? move_checked(dispatch, *team, moving, most_bytes)
                           : moving.run(*team->endpoint, most_bytes);
  moving.end();
  end_of(is_done, dispatch, *team);
  if (truncation.empty()) return 0;
  say_once(truncation);
  return dispatch.underlying().fail_as_truncated(call.communicator);
}

}  // namespace terrace::preload
