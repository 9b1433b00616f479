// SPDX-License-Identifier: BSD-3-Clause
// Ranks for tests: plain threads that enter through the launcher's door.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <thread>
#include <vector>

#include "threadranks/rank_abi.h"

namespace terrace::testing_ranks {

/// A test has no job that could be ended: the whole program fails, and says why.
inline void end_test(int rank, int code, const char* why) {
  std::fprintf(stderr, "rank %d ended the job with code %d: %s\n", rank, code, why);
  std::_Exit(1);
}

/// A job of so many ranks, which threads enter as.
inline terrace_ranks_job* begin_job(int ranks) {
  const terrace_ranks_settings settings{sizeof settings, ranks, end_test};
  return terrace_ranks_begin(&settings);
}

/// Runs `program` as each of so many ranks.
inline void run_ranks_without_mpi(int ranks, const std::function<void(int rank)>& program) {
  terrace_ranks_job* const job = begin_job(ranks);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank)
    threads.emplace_back([&, rank] {
      terrace_ranks_enter(rank);
      program(rank);
      terrace_ranks_leave(rank, 0);
    });
  for (std::thread& thread : threads) thread.join();
  terrace_ranks_end(job);
}

/// The same, between MPI_Init and MPI_Finalize.
inline void run_ranks(int ranks, const std::function<void(int rank)>& program) {
  run_ranks_without_mpi(ranks, [&](int rank) {
    MPI_Init(nullptr, nullptr);
    program(rank);
    MPI_Finalize();
  });
}

}  // namespace terrace::testing_ranks
