// SPDX-License-Identifier: BSD-3-Clause
// A job of ranks that are threads of this process: what all ranks share, and what each rank has for
// itself. Knows no MPI header: adapters turn handles of an ABI into these objects.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "base/rank.hpp"
#include "threadranks/rank_door.h"

namespace terrace::threadranks {

class Job;

/// How far a rank has come with MPI.
enum class Life : std::uint8_t { before, initialized, finalized };

/// One rank. Only its threads use it, one at a time.
class RankState {
 public:
  RankState(Job& job, Rank rank) : job_(job), rank_(rank) {}
  RankState(const RankState&) = delete;
  RankState& operator=(const RankState&) = delete;

  Job& job() const { return job_; }
  Rank rank() const { return rank_; }

  /// Ends the job; does not return.
  [[noreturn]] void end_job(int code, const std::string& why) const;

  Life life = Life::before;
  int thread_level = 0;  ///< as the ABI's number, for MPI_Query_thread
  bool has_left = false;

 private:
  Job& job_;
  Rank rank_;
};

class Job {
 public:
  explicit Job(const terrace_ranks_settings& settings);
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  Rank rank_count() const { return static_cast<Rank>(ranks_.size()); }
  RankState& rank(Rank rank) { return *ranks_[rank]; }
  const terrace_ranks_settings& settings() const { return settings_; }
  std::uint64_t began_ns() const { return began_ns_; }

 private:
  terrace_ranks_settings settings_;
  std::vector<std::unique_ptr<RankState>> ranks_;
  std::uint64_t began_ns_;
};

/// Of the calling thread; null outside of ranks.
RankState* current_rank() noexcept;
/// The same, for a program that nobody has made ranks for: it is the only rank of a job of its own.
RankState& rank_of_caller();

std::uint64_t now_ns() noexcept;

}  // namespace terrace::threadranks
