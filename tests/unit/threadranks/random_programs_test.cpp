// SPDX-License-Identifier: BSD-3-Clause
// Random programs of one-sided calls and of threads, against models.
#include <gtest/gtest.h>

#include "unit/seeds.hpp"
#include "unit/threadranks/random_threads.hpp"
#include "unit/threadranks/ranks.hpp"

namespace {

using namespace terrace::random_programs;
using terrace::for_seeds;
using terrace::testing_ranks::run_ranks_without_mpi;
using terrace::testing_ranks::test_processes;

void play_windows(std::uint64_t seed, int threads) {
  const RunThreads run_threads = terrace::testing_ranks::run_threads;
  run_ranks_without_mpi(2 + static_cast<int>(seed % 7), [&](int) {
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, threads > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE,
                    &provided);
    EXPECT_EQ(WindowPlayer(seed, MPI_COMM_WORLD, threads, run_threads).play(30), "")
        << "TERRACE_SEED=" << seed;
    MPI_Finalize();
  });
}

}  // namespace

// Goal: whatever epochs and one-sided calls a program mixes, memory and results are as the model
// has them, and what lies between is untouched. TERRACE_SEED replays one program; TERRACE_SWEEP
// plays so many times the usual number.
TEST(RandomWindows, hold_what_the_model_says) {
  for_seeds(6, [](std::uint64_t seed) { play_windows(seed, 1); });
}

TEST(RandomWindows, hold_what_the_model_says_if_threads_make_the_calls) {
  for_seeds(4, [](std::uint64_t seed) { play_windows(seed, 3); });
}

// Goal: threads of a rank that send, probe, make collectives, partitioned messages, communicators
// and one-sided calls, and complete each other's requests, get what each would get alone.
TEST(RandomThreads, bring_what_the_model_says) {
  for_seeds(4, [](std::uint64_t seed) {
    const RunThreads run_threads = terrace::testing_ranks::run_threads;
    run_ranks_without_mpi(2 + static_cast<int>(seed % 4), [&](int) {
      int provided = 0;
      MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided);
      EXPECT_EQ(play_lanes(seed, 3, 25, run_threads), "") << "TERRACE_SEED=" << seed;
      MPI_Finalize();
    });
  });
}
