// SPDX-License-Identifier: BSD-3-Clause
// CMA (cross-memory attach): the kernel copies from the memory of a team's other processes, by
// process_vm_readv. Containers, filters and Yama may refuse it, so ranks try it during team set-up.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "preload/mpi/underlying_mpi.hpp"
#include "preload/transport/memory_proof.hpp"
#include "team/puller.hpp"

namespace terrace::preload {

/// Returns what is wrong with reading from that process: an error number, or 0. EIO: it is not the
/// process that was meant.
int try_to_read(std::int64_t process, const MemoryProof& proof);

/// Whether system calls of this process are filtered: then one that is not usual may end it.
bool has_system_call_filter();

class CmaReader final : public Puller {
 public:
  /// `processes` by rank.
  CmaReader(std::vector<std::int64_t> processes, Rank own, UnderlyingMpi& underlying)
      : processes_(std::move(processes)), own_(own), underlying_(underlying) {}

  bool pull(Rank owner, const void* from, void* to, std::size_t bytes) noexcept override;

 private:
  void complain(Rank owner, const void* from, std::size_t bytes, int error) noexcept;

  std::vector<std::int64_t> processes_;
  Rank own_;
  UnderlyingMpi& underlying_;
};

}  // namespace terrace::preload
