// SPDX-License-Identifier: BSD-3-Clause
// Works out calls from the arguments of MPI's functions.
#include "preload/requests/startable.hpp"

#include "base/say.hpp"
#include "preload/dispatch/moving.hpp"
#include "preload/dispatch/reductions.hpp"
#include "preload/requests/starting.hpp"

namespace terrace::preload {

namespace {

using Kind = StartableCall::Kind;

/// The buffer of a bcast that is not used where it lies.
class BcastBuffer final : public CallBuffers {
 public:
  BcastBuffer(Dispatch& dispatch, const MpiCall& call)
      : is_root_(dispatch.rank_in_call().is_root()),
        side_(dispatch, {call.output, call.count, call.type}, 1) {
    side_.begin({0, is_root_ ? std::size_t{1} : 0});
    side_.keep();
  }
  std::byte* at() const { return side_.at(); }
  void pack() override { side_.pack({0, is_root_ ? std::size_t{1} : 0}); }
  Truncated deliver() override {
    if (!is_root_) side_.end();
    return {};
  }

 private:
  bool is_root_;
  MovedSide side_;
};

/// The buffers of an exchange that are not used where they lie.
class ExchangeBuffers final : public CallBuffers {
 public:
  ExchangeBuffers(Dispatch& dispatch, const RegularExchange& call, CallKind kind)
      : moving_(dispatch, call) {
    moving_.begin();
    moving_.keep();
    if (kind == CallKind::persistent) moving_.keep_input();
  }
  const Moving& moving() const { return moving_; }
  void pack() override { moving_.pack(); }
  Truncated deliver() override {
    moving_.end();
    return {};
  }

 private:
  Moving moving_;
};

/// Vectors of a reduction that lie on a device.
class ReductionBuffers final : public CallBuffers {
 public:
  ReductionBuffers(Dispatch& dispatch, const MpiCall& call, const void* input,
                   const Elements& elements)
      : underlying_(dispatch.underlying()),
        call_(call),
        input_(static_cast<const std::byte*>(input)),
        bytes_(bytes_of(elements)),
        blocks_(operand_blocks(dispatch.rank_in_call())),
        has_result_(gets_result(dispatch.rank_in_call())),
        packed_(packed_buffer(bytes_ * blocks_)) {
    pack();
  }
  std::byte* at() const { return packed_.get(); }

  void pack() override {
    bool is_done = true;
    for (std::size_t i = 0; i < blocks_; ++i)
      is_done &= pack_elements(underlying_, underlying_.world(), input_ + i * bytes_, call_.count,
                               call_.type, packed_.get() + i * bytes_, bytes_);
    if (!is_done)
      say_once("the MPI could not pack the input of a reduction: its result is undefined");
  }
  Truncated deliver() override {
    if (has_result_ && !unpack_elements(underlying_, underlying_.world(), packed_.get(), bytes_,
                                        call_.output, call_.count, call_.type))
      say_once("the MPI could not unpack the result of a reduction");
    return {};
  }

 private:
  UnderlyingMpi& underlying_;
  MpiCall call_;
  const std::byte* input_;
  std::size_t bytes_;
  std::size_t blocks_;
  bool has_result_;
  Packed packed_;
};

/// Whether the MPI would accept a reduction; else it falls back. `has_kernel`: its type and
/// operator are known.
bool is_accepted(Dispatch& dispatch, const MpiCall& call, bool has_kernel) {
  const char* why = nullptr;
  if (!has_kernel && dispatch.has_no_team_yet() &&
      !dispatch.underlying().can_reduce(call.type, call.op))
    why = kWrongArguments;
  else if (call.count > 0 && !takes_buffers(dispatch, call, has_kernel))
    why = kWrongBuffer;
  return why == nullptr || dispatch.fall_back(why) != nullptr;
}

}  // namespace

StartableCall startable_barrier(CallKind kind, const MpiCall& call) {
  StartableCall one(Dispatch(Collective::barrier, call.communicator, 0, kind));
  one.team = one.dispatch.team_to_start(0);
  one.arguments.collective = Collective::barrier;
  if (one.team != nullptr) one.kind = Kind::runs;
  one.has_output = false;
  one.is_used_as_it_lies = true;
  return one;
}

StartableCall startable_bcast(CallKind kind, const MpiCall& call) {
  StartableCall one(Dispatch(Collective::bcast, call.communicator, call.root, kind));
  Dispatch& dispatch = one.dispatch;
  if (!dispatch.is_sound() || call.count < 0) return one;
  UnderlyingMpi& underlying = dispatch.underlying();
  const PredefinedType* const known = underlying.find_type(call.type);
  const std::optional<std::size_t> element =
      known ? std::optional(known->bytes) : underlying.bytes_of_type(call.type);
  if (!element) return one;
  const std::size_t bytes = *element * static_cast<std::size_t>(call.count);
  if (bytes > 0 && !holds_data(underlying, call.output, known != nullptr)) {
    dispatch.fall_back(kWrongBuffer);
    return one;
  }
  one.team = dispatch.team_to_start(bytes);
  if (one.team == nullptr) return one;
  if (bytes == 0) {
    one.kind = Kind::does_nothing;
    return one;
  }
  if (is_too_long(dispatch, *one.team, bytes)) return one;
  one.kind = Kind::runs;
  one.arguments = {Collective::bcast, call.output, call.output, {bytes}, dispatch.root()};
  one.is_used_as_it_lies = known && !known->has_gaps() && !is_on_device(call.output);
  if (!one.is_used_as_it_lies) {
    auto buffer = std::make_unique<BcastBuffer>(dispatch, call);
    one.arguments.input = one.arguments.output = buffer->at();
    one.buffers = std::move(buffer);
  }
  if (one.is_checked())
    one.check = std::make_unique<BcastCheck>(underlying, dispatch.comm_state(),
                                             one.arguments.output, bytes, call.root);
  return one;
}

StartableCall startable_reduction(CallKind kind, Collective collective, const MpiCall& call) {
  StartableCall one(Dispatch(collective, call.communicator, call.root, kind));
  Dispatch& dispatch = one.dispatch;
  if (!dispatch.is_sound() || call.count < 0) return one;
  const PredefinedReduction* const by = find_kernel(dispatch, call.type, call.op);
  const std::size_t bytes =
      by == nullptr ? 0 : by->known->bytes * static_cast<std::size_t>(call.count);
  if (!is_accepted(dispatch, call, by != nullptr)) return one;
  one.team = dispatch.team_to_start(bytes);
  if (one.team == nullptr) return one;
  if (by == nullptr || by->known->has_gaps()) {
    dispatch.fall_back_and_warn(by == nullptr ? kOwnOperator : kHasGaps);
    return one;
  }
  if (bytes == 0) {
    one.kind = Kind::does_nothing;
    return one;
  }
  if (is_too_long(dispatch, *one.team, bytes)) return one;
  one.kind = Kind::runs;
  const bool is_in_place = dispatch.underlying().is_in_place(call.input);
  const void* const input = is_in_place ? call.output : call.input;
  one.arguments = {collective, input, call.output, {}, dispatch.root()};
  Elements& elements = one.arguments.elements;
  elements = {static_cast<std::size_t>(call.count), by->known->bytes, by->kernel};
  elements.is_exact = dispatch.comm_state().size == 2 ? by->is_exact_for_two : by->is_exact;
  elements.combination = by->combination;
  one.has_output = gets_result(dispatch.rank_in_call());
  one.is_used_as_it_lies = !has_devices() || !(owner_of(input) || owner_of(call.output));
  if (!one.is_used_as_it_lies) {
    auto buffers = std::make_unique<ReductionBuffers>(dispatch, call, input, elements);
    one.arguments.input = one.arguments.output = buffers->at();
    one.buffers = std::move(buffers);
  }
  if (one.is_checked()) {
    auto* const output = static_cast<std::byte*>(one.arguments.output);
    one.check = std::make_unique<ReductionCheck>(
        dispatch.underlying(), dispatch.comm_state(), collective, call, elements,
        ReducedVectors{one.arguments.input, operand_blocks(dispatch.rank_in_call()),
                       one.has_output ? output : nullptr});
  }
  return one;
}

StartableCall startable_exchange(CallKind kind, Collective collective,
                                 const RegularExchange& call) {
  StartableCall one(Dispatch(collective, call.communicator, call.root, kind));
  Dispatch& dispatch = one.dispatch;
  if (!dispatch.is_sound()) return one;
  const Moving sides(dispatch, call);
  const std::size_t bytes = sides.is_sound() ? sides.block_bytes() : 0;
  if (!sides.is_sound() || (bytes > 0 && !sides.takes_buffers())) {
    dispatch.fall_back(sides.is_sound() ? kWrongBuffer : kWrongArguments);
    return one;
  }
  one.team = dispatch.team_to_start(bytes);
  if (one.team == nullptr) return one;
  if (bytes == 0) {
    one.kind = Kind::does_nothing;
    return one;
  }
  if (is_too_long(dispatch, *one.team, bytes)) return one;
  one.kind = Kind::runs;
  auto buffers = std::make_unique<ExchangeBuffers>(dispatch, call, kind);
  const Moving& moving = buffers->moving();
  one.arguments = {collective, moving.input(), moving.output(), {bytes}, dispatch.root()};
  one.is_used_as_it_lies = moving.is_used_as_it_lies();
  one.has_input = moving.has_input();
  one.has_output = moving.has_output();
  if (one.is_checked())
    one.check =
        std::make_unique<ExchangeCheck>(dispatch.underlying(), dispatch.comm_state(), collective,
                                        call.root, moving.given(), moving.wanted());
  if (!moving.is_dense()) one.buffers = std::move(buffers);
  return one;
}

}  // namespace terrace::preload
