// SPDX-License-Identifier: BSD-3-Clause
// The four calls, as the adapters hand them in: run on a team, or to be handed on.
#pragma once

#include <cstdint>
#include <memory>

#include "preload/below.hpp"

namespace terrace::preload {

struct Membership;

/// The user's arguments. `input` is null where the call has none; a bcast's buffer is `output`.
struct Call {
  Handle communicator = 0;
  const void* input = nullptr;
  void* output = nullptr;
  std::int64_t count = 0;
  Handle type = 0;
  Handle op = 0;
  int root = 0;
};

// True: done. False: the caller hands the call to the next in the chain.
bool run_barrier(const Call& call);
bool run_bcast(const Call& call);
bool run_reduce(const Call& call);
bool run_allreduce(const Call& call);

/// Stands around a call that frees a communicator. Delete callbacks may call on it meanwhile,
/// before or after what we have attached is deleted, differently on each rank. So this rank gives
/// up its seat first, without waiting for anybody, and attaches nothing until the call has
/// returned: what this thread calls on the communicator goes to the MPI, on every rank, as freeing
/// is collective. (Kept per thread, not per handle: another thread's new communicator may get the
/// same handle before the call returns.)
class Ending {
 public:
  explicit Ending(Handle communicator);
  ~Ending();
  Ending(const Ending&) = delete;
  Ending& operator=(const Ending&) = delete;

  /// A callback objected, so the communicator lives on, on all its ranks: without a team, as what
  /// is attached to it may be gone.
  void fail();

  /// What stands for a communicator that this thread is about to free; null for others.
  static Membership* membership_of(Handle communicator);

 private:
  Handle communicator_;
  std::unique_ptr<Membership> membership_;
  Ending* outer_;
};

/// What was attached to a communicator goes: freed past us, or because MPI ends.
void let_go(Membership* attached);

/// MPI ends: the report is said. Teams go on: delete callbacks of others may still make calls, and
/// where ours stands among them differs from rank to rank.
void finish();

}  // namespace terrace::preload
