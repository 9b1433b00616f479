// SPDX-License-Identifier: BSD-3-Clause
// Ranks for tests: plain threads that enter through the launcher's interface. With
// TERRACE_TEST_PROCESSES=2 the same tests run with ranks in two processes, as their jobs see it;
// with TERRACE_TEST_WORKERS=2 with ranks that are fibres of two workers.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <thread>
#include <vector>

#include "threadranks/rank_abi.h"
#include "unit/threadranks/processes.hpp"

namespace terrace::testing_ranks {

/// A test has no job that could be ended: the whole program fails, and says why.
inline void end_test(int rank, int code, const char* why) {
  std::fprintf(stderr, "rank %d ended the job with code %d: %s\n", rank, code, why);
  std::_Exit(1);
}

/// How many workers are to run ranks that are fibres; 0: ranks are threads.
inline int test_workers() {
  const char* const text = std::getenv("TERRACE_TEST_WORKERS");
  return text != nullptr ? std::atoi(text) : 0;
}

/// A job of so many ranks, which threads enter as.
inline terrace_ranks_job* begin_job(int ranks) {
  terrace_ranks_settings settings{};
  settings.bytes = sizeof settings;
  settings.ranks = ranks;
  settings.abort = end_test;
  settings.workers = test_workers();
  return terrace_ranks_begin(&settings);
}

/// How many processes ranks are to be in.
inline int test_processes() {
  const char* const text = std::getenv("TERRACE_TEST_PROCESSES");
  return text != nullptr ? std::atoi(text) : 1;
}

/// Runs `program` as each of so many ranks, in several processes, with the transport between them.
inline void run_processes(const std::vector<int>& sizes,
                          const std::function<void(int rank, TestTransport& between)>& program) {
  TestProcesses processes(sizes, end_test);
  std::vector<std::thread> main_threads;
  for (const auto& job : processes.jobs())
    main_threads.emplace_back([&] {
      std::vector<std::thread> threads;
      for (Rank i = 0; i < job->ranks_here(); ++i)
        threads.emplace_back([&, rank = job->first_rank() + i] {
          threadranks::set_current_rank(&job->rank(rank));
          program(static_cast<int>(rank), processes.transport());
          threadranks::set_current_rank(nullptr);
          job->rank(rank).leave(0);
        });
      for (std::thread& thread : threads) thread.join();
      job->network()->disconnect(job->has_begun.load());
    });
  for (std::thread& thread : main_threads) thread.join();
}

/// Runs `program` as each of so many ranks.
inline void run_ranks_without_mpi(int ranks, const std::function<void(int rank)>& program) {
  if (const int processes = std::min(test_processes(), ranks); processes > 1)
    return run_processes(uneven_sizes(ranks, processes),
                         [&](int rank, TestTransport&) { program(rank); });
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

/// The class of an error code.
inline int class_of(int code) {
  int error_class = -1;
  MPI_Error_class(code, &error_class);
  return error_class;
}

/// Runs `work` by so many threads of the calling rank.
inline void run_threads(int count, const std::function<void(int thread)>& work) {
  threadranks::RankState* const rank = threadranks::current_rank();
  std::vector<std::thread> threads;
  for (int thread = 0; thread < count; ++thread)
    threads.emplace_back([&, thread] {
      threadranks::set_current_rank(rank);
      work(thread);
    });
  for (std::thread& thread : threads) thread.join();
}

}  // namespace terrace::testing_ranks
