// SPDX-License-Identifier: BSD-3-Clause
// Collectives that move blocks between ranks without combining them. The layout of a rank's blocks
// is its private matter; peers see packed bytes, and only the bytes of a block must agree.
#include "base/say.hpp"
#include "preload/diagnose/check.hpp"
#include "preload/dispatch/calls.hpp"
#include "preload/dispatch/dispatch.hpp"
#include "preload/mpi/packing.hpp"
#include "preload/transport/device_memory.hpp"

namespace terrace::preload {

namespace {

/// One of a call's two buffers, as dense bytes: the user's own, or a private copy of them.
class Side {
 public:
  /// No blocks: the call does not look at this buffer, at this rank.
  Side(Dispatch& dispatch, const UserBlocks& user, std::size_t blocks)
      : underlying_(dispatch.underlying()),
        communicator_(dispatch.comm_state().communicator),
        user_(user),
        blocks_(blocks) {
    if (blocks_ == 0) return;
    known_ = underlying_.find_type(user.type);
    is_dense_ = known_ && !known_->has_gaps() && !is_on_device(user.buffer);
    const auto bytes = known_ ? std::optional(known_->bytes) : underlying_.bytes_of_type(user.type);
    is_sound_ = bytes && user.count >= 0;
    if (!is_sound_) return;
    block_bytes_ = *bytes * static_cast<std::size_t>(user.count);
    if (is_dense_) return;
    if (const auto layout = underlying_.layout_of(user.type)) extent_ = layout->extent;
  }

  std::size_t blocks() const { return blocks_; }
  /// Whether count and type are such as the MPI takes.
  bool is_sound() const { return is_sound_; }
  std::size_t block_bytes() const { return block_bytes_; }
  bool holds_data() const {
    return blocks_ == 0 || preload::holds_data(underlying_, user_.buffer, known_ != nullptr);
  }

  /// Dense from here on; blocks from `first` on hold something.
  void begin(std::size_t first, std::size_t number) {
    if (blocks_ == 0) return;
    at_ = static_cast<std::byte*>(user_.buffer);
    if (is_dense_) return;
    packed_ = packed_buffer(block_bytes() * blocks_);
    at_ = packed_.get();
    bool is_done = true;
    for (std::size_t i = first; i < first + number; ++i)
      is_done &= pack_elements(underlying_, communicator_, users_block(i), user_.count, user_.type,
                               block(i), block_bytes());
    if (!is_done) say_once("the MPI could not pack a buffer: what its peers get is undefined");
  }

  /// What has come is the user's.
  void end() {
    if (is_dense_) return;
    bool is_done = true;
    for (std::size_t i = 0; i < blocks_; ++i)
      is_done &= unpack_elements(underlying_, communicator_, block(i), block_bytes(),
                                 users_block(i), user_.count, user_.type);
    if (!is_done) say_once("the MPI could not unpack what has come for a buffer");
  }

  std::byte* at() const { return at_; }
  std::byte* block(std::size_t index) const { return at_ + index * block_bytes(); }

 private:
  std::byte* users_block(std::size_t index) const {
    return static_cast<std::byte*>(user_.buffer) +
           static_cast<std::ptrdiff_t>(index) * user_.count * extent_;
  }

  UnderlyingMpi& underlying_;
  Handle communicator_;
  const UserBlocks& user_;
  std::size_t blocks_;
  const PredefinedType* known_ = nullptr;
  std::size_t block_bytes_ = 0;
  std::ptrdiff_t extent_ = 0;  ///< of a type that is not dense, and not empty
  bool is_sound_ = true;
  bool is_dense_ = true;
  std::byte* at_ = nullptr;
  Packed packed_{nullptr, &std::free};
};

/// An exchange on its way. In place, a side has no blocks, and its bytes are those of the other.
class Moving {
 public:
  Moving(Dispatch& dispatch, const RegularExchange& call)
      : dispatch_(dispatch),
        call_(call),
        rank_(static_cast<std::size_t>(dispatch.comm_state().rank)),
        inputs_(dispatch.input_blocks()),
        outputs_(dispatch.output_blocks()),
        is_input_in_place_(inputs_ > 0 && dispatch.underlying().is_in_place(call.input.buffer)),
        is_output_in_place_(outputs_ > 0 && dispatch.underlying().is_in_place(call.output.buffer)),
        input_(dispatch, call.input, is_input_in_place_ ? 0 : inputs_),
        output_(dispatch, call.output, is_output_in_place_ ? 0 : outputs_) {}

  /// Whether the MPI would take the arguments, as far as one rank can tell.
  bool is_sound() const {
    if (is_output_in_place_ &&
        !(dispatch_.collective() == Collective::scatter && dispatch_.is_at_root()))
      return false;
    if (is_input_in_place_ && (outputs_ == 0 || dispatch_.collective() == Collective::scatter))
      return false;
    if (!input_.is_sound() || !output_.is_sound()) return false;
    return input_.blocks() == 0 || output_.blocks() == 0 ||
           input_.block_bytes() == output_.block_bytes();
  }

  std::size_t block_bytes() const {
    return input_.blocks() > 0 ? input_.block_bytes() : output_.block_bytes();
  }

  /// Of blocks that are not empty.
  bool takes_buffers() const {
    return input_.holds_data() && output_.holds_data() &&
           (dispatch_.underlying().takes_equal_buffers() || !are_buffers_equal());
  }

  void begin() {
    input_.begin(0, input_.blocks());
    if (!is_input_in_place_)
      output_.begin(0, 0);
    else
      output_.begin(own_input_begin(), inputs_);
  }

  bool run(TeamEndpoint& endpoint) {
    switch (dispatch_.collective()) {
      case Collective::allgather:
        return endpoint.allgather(input(), output(), block_bytes());
      case Collective::gather:
        return endpoint.gather(input(), output(), block_bytes(), dispatch_.root());
      case Collective::scatter:
        return endpoint.scatter(input(), output(), block_bytes(), dispatch_.root());
      default:
        return endpoint.alltoall(input(), output(), block_bytes());
    }
  }

  void end() { output_.end(); }

  std::vector<Block> given() const { return in_a_row(input(), inputs_); }
  std::vector<Block> wanted() const { return in_a_row(output(), outputs_); }

 private:
  /// Where this rank's input lies in its output, in place.
  std::size_t own_input_begin() const { return inputs_ == 1 ? rank_ : 0; }

  std::byte* input() const {
    return is_input_in_place_ ? output_.block(own_input_begin()) : input_.at();
  }
  std::byte* output() const { return is_output_in_place_ ? input_.block(rank_) : output_.at(); }

  /// What MPI_IN_PLACE ought to say. Of different types, elements may lie between each other's, or
  /// where the types tell.
  bool are_buffers_equal() const {
    if (input_.blocks() == 0 || output_.blocks() == 0) return false;
    if (call_.input.type != call_.output.type) return false;
    const auto* input = static_cast<const std::byte*>(call_.input.buffer);
    const auto* output = static_cast<const std::byte*>(call_.output.buffer);
    const std::size_t own = rank_ * block_bytes();
    if (dispatch_.collective() == Collective::scatter) return input + own == output;
    return input == (inputs_ == 1 ? output + own : output);
  }

  std::vector<Block> in_a_row(std::byte* at, std::size_t blocks) const {
    std::vector<Block> row;
    for (std::size_t i = 0; i < blocks; ++i) row.push_back({at + i * block_bytes(), block_bytes()});
    return row;
  }

  Dispatch& dispatch_;
  const RegularExchange& call_;
  std::size_t rank_;
  std::size_t inputs_;
  std::size_t outputs_;
  bool is_input_in_place_;
  bool is_output_in_place_;
  Side input_;
  Side output_;
};

bool move_checked(Dispatch& dispatch, Team& team, Moving& moving) {
  ExchangeCheck check(dispatch.underlying(), dispatch.comm_state(), dispatch.collective(),
                      static_cast<int>(dispatch.root()), moving.given());
  const bool is_done = moving.run(*team.endpoint);
  if (is_done) check.compare(moving.wanted());
  return is_done;
}

}  // namespace

bool run_exchange(Collective collective, const RegularExchange& call) {
  Dispatch dispatch(collective, call.communicator, call.root);
  if (!dispatch.is_sound()) return false;
  Moving moving(dispatch, call);
  if (!moving.is_sound()) return dispatch.fall_back(kWrongArguments) != nullptr;
  const std::size_t bytes = moving.block_bytes();
  if (bytes > 0 && !moving.takes_buffers()) return dispatch.fall_back(kWrongBuffer) != nullptr;
  Team* team = dispatch.team_for(bytes);
  if (team == nullptr) return false;
  if (bytes == 0) {
    dispatch.count_run(nullptr);
    return true;
  }
  if (dispatch.hands_over(*team, {bytes})) return false;
  team->world.begin(collective);
  moving.begin();
  const bool is_done =
      team->settings.checks ? move_checked(dispatch, *team, moving) : moving.run(*team->endpoint);
  moving.end();
  return end_of(is_done, dispatch, *team);
}

}  // namespace terrace::preload
