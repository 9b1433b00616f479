// SPDX-License-Identifier: BSD-3-Clause
// Calls as lanes take them, to be started now or again and again: nonblocking and persistent ones.
#pragma once

#include <memory>

#include "preload/dispatch/compare_with_mpi.hpp"
#include "preload/dispatch/run_or_fall_back.hpp"
#include "preload/mpi/calls.hpp"
#include "preload/requests/nonblocking_call.hpp"

namespace terrace::preload {

struct StartableCall {
  enum class Kind : std::uint8_t {
    falls_back,
    does_nothing,  ///< as there are no bytes
    runs,
  };

  Kind kind = Kind::falls_back;
  Dispatch dispatch;
  Team* team = nullptr;
  CallArguments arguments;
  std::unique_ptr<CallBuffers> buffers;  ///< null: those of the program are used
  std::unique_ptr<MpiCheck> check;       ///< null: it is not compared with the MPI's
  /// Whether a call like it with other buffers would use them as they lie.
  bool is_used_as_it_lies = false;
  bool has_input = true, has_output = true;  ///< of this rank

  explicit StartableCall(const Dispatch& its_dispatch) : dispatch(its_dispatch) {}
  bool runs() const { return kind == Kind::runs; }
  bool is_checked() const { return team->settings.checks; }
};

// Decided by what all ranks know without waiting: the team is there or not, and a lane has room for
// the whole vector or not.
StartableCall startable_barrier(CallKind kind, const MpiCall& call);
StartableCall startable_bcast(CallKind kind, const MpiCall& call);
/// Reduce, allreduce, reduce_scatter_block, scan, exscan.
StartableCall startable_reduction(CallKind kind, Collective collective, const MpiCall& call);
/// Allgather, gather, scatter, alltoall.
StartableCall startable_exchange(CallKind kind, Collective collective, const RegularExchange& call);

}  // namespace terrace::preload
