// SPDX-License-Identifier: BSD-3-Clause
// Goal: where ranks are many, those that wait in a collective leave the core to the one that they
// wait for, and look after what else they have to do. Method: how often they have slept, counted by
// the kernel.
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "threadranks/ranks/rank_state.hpp"
#include "unit/threadranks/ranks.hpp"

namespace {

using terrace::testing_ranks::run_ranks;
using terrace::testing_ranks::test_processes;
using terrace::testing_ranks::test_workers;
using terrace::threadranks::current_rank;

constexpr int kSleepers = 20;
constexpr useconds_t kLateMicroseconds = 200'000;
/// In naps of 50 us for each rank of the core; those of 100 us are 2000.
constexpr long kMostNaps = 3 * kLateMicroseconds / (50 * kSleepers);

/// The calling thread, and those that it makes, on one core while this lasts.
class OneCore {
 public:
  OneCore() {
    sched_getaffinity(0, sizeof before_, &before_);
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    sched_setaffinity(0, sizeof one, &one);
  }
  ~OneCore() { sched_setaffinity(0, sizeof before_, &before_); }
  OneCore(const OneCore&) = delete;
  OneCore& operator=(const OneCore&) = delete;

 private:
  cpu_set_t before_;
};

long sleeps() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nvcsw;
}

/// How often each rank sleeps in a barrier to which the last one comes late.
std::vector<long> sleeps_in_barrier() {
  std::vector<long> all(kSleepers);
  run_ranks(kSleepers, [&](int rank) {
    for (const bool is_first : {true, false}) {
      if (rank == kSleepers - 1) usleep(kLateMicroseconds);
      const long before = sleeps();
      MPI_Barrier(MPI_COMM_WORLD);
      if (rank == kSleepers - 1) continue;
      const long slept = sleeps() - before;
      EXPECT_GT(slept, 0) << rank << ", founding: " << is_first;
      all[static_cast<std::size_t>(rank)] += slept;
    }
  });
  return all;
}

TEST(Sleepers, wake_up_seldom_for_nothing_where_they_are_many) {
  if (test_workers() > 0 || test_processes() > 1) GTEST_SKIP() << "they look more often";
  const OneCore one_core;
  for (const long slept : sleeps_in_barrier()) EXPECT_LE(slept, 2 * kMostNaps);
}

// Goal: a rank knows what its peers may want of it while it sleeps.
TEST(Sleepers, look_after_receives_and_collectives_in_progress) {
  if (test_processes() > 1) GTEST_SKIP() << "those of several processes always do";
  run_ranks(2, [](int rank) {
    const auto has_work = [] {
      current_rank()->progress();
      return current_rank()->may_have_to_progress();
    };
    EXPECT_FALSE(has_work());
    int word = rank;
    MPI_Request request;
    MPI_Irecv(&word, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, &request);
    EXPECT_TRUE(has_work());
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Send(&rank, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    EXPECT_EQ(word, 1 - rank);
    EXPECT_FALSE(has_work());
    if (rank == 0) {
      MPI_Ibarrier(MPI_COMM_WORLD, &request);
      EXPECT_TRUE(has_work());
    }
    if (rank == 1) {
      MPI_Recv(&word, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Ibarrier(MPI_COMM_WORLD, &request);
    } else {
      MPI_Send(&rank, 1, MPI_INT, 1, 3, MPI_COMM_WORLD);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    EXPECT_FALSE(has_work());
  });
}

}  // namespace
