// SPDX-License-Identifier: BSD-3-Clause
// Attaches the memory of a team's other processes (XPMEM): whether all ranks can, and the ranges
// that a rank has attached in the current call.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "preload/mpi/underlying_mpi.hpp"
#include "preload/transport/memory_proof.hpp"
#include "preload/transport/xpmem.hpp"
#include "team/attacher.hpp"
#include "team/reachable.hpp"

namespace terrace::preload {

/// The process behind a rank, as those see it who attach its memory.
struct PeerToAttach {
  std::int64_t process = 0;
  std::shared_ptr<PeerSpace> space;  ///< null for this process itself
};

class XpmemAttacher final : public Attacher {
 public:
  /// `peers` by rank. `segment`: this process's own, which peers attach as long as it is there.
  XpmemAttacher(std::vector<PeerToAttach> peers, std::shared_ptr<const Segment> segment, Rank own,
                UnderlyingMpi& underlying);
  ~XpmemAttacher() override { leave(); }

  Place attach(Rank owner, const std::byte* there, std::size_t bytes) noexcept override;
  void leave() noexcept override;

 private:
  AttachedRange* find(Rank owner, std::uint64_t address, std::size_t bytes) noexcept;
  void complain(Rank owner, const void* there, std::size_t bytes, int error) noexcept;

  std::vector<PeerToAttach> peers_;
  std::shared_ptr<const Segment> segment_;
  std::vector<std::vector<AttachedRange*>> in_use_;  ///< by rank
  Rank own_;
  UnderlyingMpi& underlying_;
};

/// Collective over the communicator, whose `processes` are by rank: each rank offers its memory and
/// tries to attach what the others offer. Null on all ranks if one of them could not; `why` then
/// says which, in half a sentence.
std::unique_ptr<Attacher> agree_to_attach(UnderlyingMpi& underlying, Handle communicator,
                                          std::span<const ProvenProcess> processes, Rank own,
                                          std::string& why);

/// This process's memory, as calls see it: peers attach all of it, unless a GPU's runtime is
/// loaded, whose mappings other processes cannot use. Never destroyed.
Reachable* own_memory();

}  // namespace terrace::preload
