// SPDX-License-Identifier: BSD-3-Clause
// Goal: what an origin waits for, of one-sided calls that are on their way to other processes.
// Method: a transport that holds messages, and counts how often a process looks for some: one that
// looks very often waits.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <thread>
#include <vector>

#include "unit/threadranks/ranks.hpp"

using terrace::testing_ranks::run_processes;
using terrace::testing_ranks::run_threads;
using terrace::testing_ranks::TestTransport;

namespace {

constexpr std::size_t kManyLooks = 2'000;

/// Whether it holds, at last; false: both processes have looked for messages very often in vain.
template <class Condition>
bool comes_true(TestTransport& between, Condition&& condition) {
  constexpr std::size_t kAllTooMany = 10'000;
  const std::size_t before[] = {between.looks(0), between.looks(1)};
  while (!condition()) {
    if (between.looks(0) - before[0] > kAllTooMany && between.looks(1) - before[1] > kAllTooMany)
      return condition();
    std::this_thread::yield();
  }
  return true;
}

void post_for_origin(MPI_Win win) {
  MPI_Group all, own;
  const int origin = 0;
  MPI_Win_get_group(win, &all);
  MPI_Group_incl(all, 1, &origin, &own);
  MPI_Win_post(own, 0, win);
  MPI_Group_free(&all);
  MPI_Group_free(&own);
}

/// A window of those cells, one vector for each process, which has one rank. Rank 0 is the origin;
/// the others have posted for it, if it is to start, and make no call until it is done.
void run_origin(bool is_dynamic, bool is_to_start, std::vector<std::vector<long>>& cells,
                const std::function<void(MPI_Win win, const std::vector<MPI_Aint>& places,
                                         TestTransport& between)>& origin) {
  const int processes = static_cast<int>(cells.size());
  std::atomic<int> ready{0};
  std::atomic<bool> is_over{false};
  const std::vector<int> sizes(static_cast<std::size_t>(processes), 1);
  run_processes(sizes, [&](int rank, TestTransport& between) {
    int provided;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided);
    std::vector<long>& own = cells[static_cast<std::size_t>(rank)];
    const auto bytes = static_cast<MPI_Aint>(own.size() * sizeof(long));
    std::vector<MPI_Aint> places(cells.size());
    MPI_Aint mine = 0;
    MPI_Win win;
    if (is_dynamic) {
      MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
      MPI_Win_attach(win, own.data(), bytes);
      MPI_Get_address(own.data(), &mine);
    } else {
      MPI_Win_create(own.data(), bytes, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    }
    MPI_Allgather(&mine, 1, MPI_AINT, places.data(), 1, MPI_AINT, MPI_COMM_WORLD);
    if (is_to_start && rank != 0) post_for_origin(win);
    MPI_Barrier(MPI_COMM_WORLD);
    ++ready;
    if (rank == 0) {
      while (ready < processes) std::this_thread::yield();
      origin(win, places, between);
      is_over = true;
    }
    while (!is_over) std::this_thread::yield();
    if (is_to_start && rank != 0) MPI_Win_wait(win);
    MPI_Win_free(&win);
    MPI_Finalize();
  });
}

// Goal: of long calls to a target, which each drive of the network asks for, only 64 are on their
// way, and the others are made when some are over.
TEST(CallsOnTheirWay, are_few_if_they_are_long) {
  constexpr int kCount = 2000, kCalls = 150;
  for (const bool puts : {false, true}) {
    std::vector<std::vector<long>> cells(2, std::vector<long>(kCount, 7));
    run_origin(false, false, cells, [&](MPI_Win win, const std::vector<MPI_Aint>&, auto& between) {
      std::vector<long> own(kCalls * kCount, puts ? 8 : 0);
      MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
      between.hold(1);
      std::size_t most = 0;
      std::thread watcher([&] {
        comes_true(between, [&] {
          return between.held(1) >= 64 && between.looks_since_send(0) > kManyLooks;
        });
        most = between.held(1);
        between.release(1);
      });
      for (int i = 0; i < kCalls; ++i) {
        long* const at = own.data() + i * kCount;
        if (puts)
          MPI_Put(at, kCount, MPI_LONG, 1, 0, kCount, MPI_LONG, win);
        else
          MPI_Get(at, kCount, MPI_LONG, 1, 0, kCount, MPI_LONG, win);
      }
      MPI_Win_unlock(1, win);
      watcher.join();
      EXPECT_EQ(most, 64U);
      EXPECT_EQ(own.back(), puts ? 8 : 7);
    });
    EXPECT_EQ(cells[1].back(), puts ? 8 : 7);
  }
}

// Goal: nor are there more where several threads wait for a place. Method: calls end one by one, so
// that threads see the same place.
TEST(CallsOnTheirWay, are_few_if_threads_make_long_ones) {
  constexpr int kCount = 1100, kCalls = 60, kThreads = 6;
  std::vector<std::vector<long>> cells(2, std::vector<long>(kCount, 7));
  run_origin(false, false, cells, [&](MPI_Win win, const std::vector<MPI_Aint>&, auto& between) {
    std::vector<long> own(std::size_t{kThreads} * kCalls * kCount);
    MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
    between.hold(1);
    std::atomic<bool> are_made{false};
    std::thread watcher([&] {
      while (!are_made) {
        between.hold(1, 1);
        std::this_thread::yield();
      }
      between.release(1);
    });
    run_threads(kThreads, [&](int thread) {
      for (int i = thread * kCalls; i < (thread + 1) * kCalls; ++i)
        MPI_Get(own.data() + i * kCount, kCount, MPI_LONG, 1, 0, kCount, MPI_LONG, win);
    });
    are_made = true;
    watcher.join();
    MPI_Win_unlock(1, win);
    EXPECT_EQ(std::count(own.begin(), own.end(), 7), static_cast<std::ptrdiff_t>(own.size()));
  });
}

// Goal: a flush waits for calls that were made before it, and not for those that other threads make
// meanwhile. Method: the first ones, and the question of the flush, arrive; a later get does not.
TEST(CallsOnTheirWay, are_not_waited_for_by_an_earlier_flush) {
  for (const int count : {1, 2000})
    for (const bool is_of_all : {false, true}) {
      std::vector<std::vector<long>> cells(2, std::vector<long>(2000, 7));
      run_origin(false, false, cells,
                 [&](MPI_Win win, const std::vector<MPI_Aint>&, auto& between) {
                   std::vector<long> first(2000), second(2000);
                   const long value = 7;
                   MPI_Win_lock_all(0, win);
                   between.hold(1);
                   MPI_Get(first.data(), count, MPI_LONG, 1, 0, count, MPI_LONG, win);
                   MPI_Put(&value, 1, MPI_LONG, 1, 0, 1, MPI_LONG, win);
                   std::atomic<bool> is_flushed{false};
                   run_threads(2, [&](int thread) {
                     if (thread == 0) {
                       is_of_all ? MPI_Win_flush_all(win) : MPI_Win_flush(1, win);
                       is_flushed = true;
                       return;
                     }
                     EXPECT_TRUE(comes_true(between, [&] { return between.held(1) == 3; }));
                     MPI_Get(second.data(), count, MPI_LONG, 1, 0, count, MPI_LONG, win);
                     between.hold(1, 3);
                     EXPECT_TRUE(comes_true(between, [&] { return is_flushed.load(); }));
                     EXPECT_EQ(first[0], 7);
                     EXPECT_EQ(second[0], 0);
                     between.release(1);
                   });
                   MPI_Win_flush_local(1, win);
                   EXPECT_EQ(second[0], 7);
                   MPI_Win_unlock_all(win);
                 });
    }
}

int start_others(MPI_Win win) {
  MPI_Group all, others;
  const int own = 0;
  MPI_Win_get_group(win, &all);
  MPI_Group_excl(all, 1, &own, &others);
  const int error = MPI_Win_start(others, 0, win);
  MPI_Group_free(&all);
  MPI_Group_free(&others);
  return error;
}

/// Makes a call with an answer to each of two targets, and then `synchronize`, which sends each of
/// them another message before it waits for either.
void expect_both_asked(bool is_dynamic, bool starts,
                       const std::function<void(MPI_Win)>& synchronize) {
  std::vector<std::vector<long>> cells(3, std::vector<long>(1, 7));
  run_origin(is_dynamic, starts, cells,
             [&](MPI_Win win, const std::vector<MPI_Aint>& places, auto& between) {
               std::array<long, 3> got{};
               const long value = 1;
               starts ? start_others(win) : MPI_Win_lock_all(0, win);
               for (const int target : {1, 2}) {
                 const auto place = static_cast<std::size_t>(target);
                 between.hold(target);
                 MPI_Put(&value, 1, MPI_LONG, target, places[place], 1, MPI_LONG, win);
                 MPI_Get(&got[place], 1, MPI_LONG, target, places[place], 1, MPI_LONG, win);
                 if (is_dynamic)
                   MPI_Put(&value, 1, MPI_LONG, target, places[place], 1, MPI_LONG, win);
               }
               const std::size_t calls = is_dynamic ? 3 : 2;
               EXPECT_TRUE(comes_true(
                   between, [&] { return between.held(1) == calls && between.held(2) == calls; }));
               std::thread watcher([&] {
                 EXPECT_TRUE(comes_true(
                     between, [&] { return between.held(1) > calls && between.held(2) > calls; }));
                 between.release(1);
                 between.release(2);
               });
               synchronize(win);
               watcher.join();
               EXPECT_EQ(got[1], 1);
               EXPECT_EQ(got[2], 1);
             });
}

// Goal: synchronizations with several targets take one round trip, not one for each.
TEST(CallsOnTheirWay, are_completed_at_all_targets_at_once) {
  expect_both_asked(false, false, [](MPI_Win win) { MPI_Win_unlock_all(win); });
  expect_both_asked(true, false, [](MPI_Win win) {
    MPI_Win_flush_all(win);
    MPI_Win_unlock_all(win);
  });
  for (const bool is_dynamic : {false, true})
    expect_both_asked(is_dynamic, true, [](MPI_Win win) { MPI_Win_complete(win); });
}

// Goal: a type that another thread frees lives until calls with it have been sent. Method: a call
// of more pieces than may be on their way; others get the memory of the type while it waits.
TEST(CallsOnTheirWay, keep_their_types) {
  constexpr int kCount = 64, kElements = 10'000;
  const auto vector_of = [](int stride) {
    MPI_Datatype type;
    MPI_Type_vector(kCount, 1, stride, MPI_LONG, &type);
    MPI_Type_commit(&type);
    return type;
  };
  std::vector<std::vector<long>> cells(2, std::vector<long>(kElements * kCount, 0));
  run_origin(false, false, cells, [&](MPI_Win win, const std::vector<MPI_Aint>&, auto& between) {
    std::vector<long> given(2 * kElements * kCount);
    for (std::size_t i = 0; i < given.size(); ++i) given[i] = static_cast<long>(i);
    MPI_Datatype second = vector_of(2), resized;
    MPI_Type_create_resized(second, 0, 2 * kCount * sizeof(long), &resized);
    MPI_Type_commit(&resized);
    MPI_Type_free(&second);
    MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
    between.hold(1);
    run_threads(2, [&](int thread) {
      if (thread == 0) {
        MPI_Accumulate(given.data(), kElements, resized, 1, 0, kElements * kCount, MPI_LONG,
                       MPI_SUM, win);
        return;
      }
      EXPECT_TRUE(comes_true(between, [&] {
        return between.held(1) >= 512 && between.looks_since_send(0) > kManyLooks;
      }));
      MPI_Type_free(&resized);
      std::vector<MPI_Datatype> others;
      for (int i = 0; i < 20; ++i) others.push_back(vector_of(3));
      between.release(1);
      for (MPI_Datatype& other : others) MPI_Type_free(&other);
    });
    MPI_Win_unlock(1, win);
  });
  int wrong = 0;
  for (std::size_t i = 0; i < cells[1].size(); ++i)
    wrong += cells[1][i] != static_cast<long>(2 * i);
  EXPECT_EQ(wrong, 0);
}

}  // namespace
