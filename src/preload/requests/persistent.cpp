// SPDX-License-Identifier: BSD-3-Clause
// Initializes persistent collectives of blocks of one length.
#include "preload/requests/persistent.hpp"

#include <utility>

#include "preload/requests/startable.hpp"
#include "preload/requests/starting.hpp"

namespace terrace::preload {

namespace {

bool initialize(StartableCall one, Handle& request) {
  if (one.kind == StartableCall::Kind::falls_back) return false;
  if (!one.runs()) return initialize_nothing(one.dispatch, *one.team, request);
  return initialize_alone(one.dispatch, *one.team, one.arguments, std::move(one.buffers), request);
}

}  // namespace

bool initialize_barrier(const MpiCall& call, Handle& request) {
  return initialize(startable_barrier(CallKind::persistent, call), request);
}

bool initialize_bcast(const MpiCall& call, Handle& request) {
  return initialize(startable_bcast(CallKind::persistent, call), request);
}

bool initialize_reduction(Collective collective, const MpiCall& call, Handle& request) {
  return initialize(startable_reduction(CallKind::persistent, collective, call), request);
}

bool initialize_exchange(Collective collective, const RegularExchange& call, Handle& request) {
  return initialize(startable_exchange(CallKind::persistent, collective, call), request);
}

}  // namespace terrace::preload
