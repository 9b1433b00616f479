// SPDX-License-Identifier: BSD-3-Clause
// Pages for teams of threads, of which a process may have many that use little of their memory.
#pragma once

#include <atomic>
#include <cstddef>

#include "team/memory.hpp"

namespace terrace {

/// A team's memory, touched only as far as calls use it; the ranks must `prepare` their shares. The
/// first few teams may have huge pages, which are allocated as a whole at the first touch; programs
/// with many teams seldom use most of the memory of most of them.
class TeamPages {
 public:
  TeamPages(Rank ranks, std::size_t scratch_bytes, bool may_have_huge_pages);
  ~TeamPages();
  TeamPages(const TeamPages&) = delete;
  TeamPages& operator=(const TeamPages&) = delete;

  const TeamMemory& memory() const { return memory_; }

 private:
  static constexpr int kFewTeams = 4;
  static inline std::atomic<int> teams_{0};

  std::size_t bytes_;
  void* place_;
  const bool is_counted_;  ///< among the few
  bool is_mapped_ = true;
  TeamMemory memory_;
};

}  // namespace terrace
