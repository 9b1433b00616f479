// SPDX-License-Identifier: BSD-3-Clause
// Goal: programs that look for messages in loops, and have other work in between, keep their core
// but for a look now and then. Method: yields are counted in the C library's place.
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "threadranks/ranks/rank_state.hpp"
#include "unit/threadranks/ranks.hpp"

namespace {

thread_local int yields = 0;

}  // namespace

extern "C" int sched_yield() noexcept {
  ++yields;
  return static_cast<int>(syscall(SYS_sched_yield));
}

namespace {

using terrace::PollBackoff;
using terrace::testing_ranks::run_ranks;

constexpr int kLooks = 4000;
constexpr int kFewTimes = 12;  ///< 16 + 32 + ... + 512 looks, then 1024 each

/// One more than there are cores.
int crowd() {
  cpu_set_t set;
  CPU_ZERO(&set);
  sched_getaffinity(0, sizeof set, &set);
  return CPU_COUNT(&set) + 1;
}

/// Asleep, since it waited by itself.
long naps() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nvcsw;
}

/// One look of each kind, all in vain.
void look(MPI_Request& request) {
  int flag, index, done;
  MPI_Message message;
  MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
  EXPECT_FALSE(flag);
  MPI_Testany(1, &request, &index, &flag, MPI_STATUS_IGNORE);
  EXPECT_FALSE(flag);
  MPI_Testall(1, &request, &flag, MPI_STATUSES_IGNORE);
  EXPECT_FALSE(flag);
  MPI_Testsome(1, &request, &done, &index, MPI_STATUSES_IGNORE);
  EXPECT_EQ(done, 0);
  MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
  EXPECT_FALSE(flag);
  MPI_Iprobe(MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
  EXPECT_FALSE(flag);
  MPI_Improbe(MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &flag, &message, MPI_STATUS_IGNORE);
  EXPECT_FALSE(flag);
}
constexpr int kKinds = 7;

/// The first rank looks in vain, calling `before` each time; then all is sent that it looks for.
template <class Before, class Check>
void look_in_a_crowd(Before&& before, Check&& check) {
  const int ranks = crowd();
  run_ranks(ranks, [&](int rank) {
    int word = 0;
    if (rank > 0) {
      MPI_Recv(&word, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      if (rank == 1) MPI_Send(&word, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
      return;
    }
    MPI_Request request;
    MPI_Irecv(&word, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &request);
    const int yields_before = yields;
    const long naps_before = naps();
    for (int i = 0; i < kLooks / kKinds; ++i) {
      before();
      look(request);
    }
    check(yields - yields_before, naps() - naps_before);
    for (int to = 1; to < ranks; ++to) MPI_Send(&to, 1, MPI_INT, to, 0, MPI_COMM_WORLD);
    for (int flag = 0; !flag;) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    EXPECT_EQ(word, 1);
  });
}

/// Where ranks share kernel threads, those that wait must not put one to sleep that looks, and goes
/// on in between.
TEST(Polling, goes_on_beside_ranks_that_wait) {
  constexpr int kMany = 200'000;
  const int ranks = crowd();
  double seconds = 0;
  run_ranks(ranks, [&](int rank) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
      const double start = MPI_Wtime();
      int flag = 0;
      for (int i = 0; i < kMany; ++i)
        MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
      seconds = MPI_Wtime() - start;
    }
    MPI_Barrier(MPI_COMM_WORLD);
  });
  EXPECT_LT(seconds, 5) << "a nap of 50 us for each";
}

}  // namespace

// Goal: patience lasts twice as long each time, up to its most, and begins anew when renewed.
TEST(Looks, in_vain_end_patience_ever_more_seldom_until_one_finds) {
  PollBackoff patience;
  int ends = 0;
  for (int i = 0; i < kLooks; ++i) ends += patience.ends();
  EXPECT_EQ(ends, 8);
  patience.renew();
  for (std::uint32_t i = 1; i < PollBackoff::kLeast; ++i) EXPECT_FALSE(patience.ends());
  EXPECT_TRUE(patience.ends());
}

// Goal: a rank that looks in a loop gives the core away now and then, not at each look.
TEST(Looks, in_vain_keep_the_core_but_for_a_few) {
  look_in_a_crowd([] {}, [](int yielded, long) { EXPECT_LE(yielded, kFewTimes); });
}

// Goal: next to other programs it naps, as a yield would cost a whole turn of the scheduler.
TEST(Looks, in_vain_beside_other_processes_nap_and_never_yield) {
  if (terrace::testing_ranks::test_workers() > 0)
    GTEST_SKIP() << "fibres pass their worker on instead";
  const auto other_processes_had_the_core = [] {
    terrace::WaitEnvironment wait_environment;
    wait_environment.other_processes().had_the_core(5'000'000, wait_environment.now_ns());
  };
  look_in_a_crowd(other_processes_had_the_core, [](int yielded, long slept) {
    EXPECT_EQ(yielded, 0);
    EXPECT_GE(slept, 4);
  });
}
