// SPDX-License-Identifier: BSD-3-Clause
// Fibres run in turn, block, compute, spin on each other, go home and come again.
#include "fibres/fibres.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cfenv>
#include <chrono>
#include <functional>
#include <thread>
#include <vector>

namespace terrace {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Each thread becomes a fibre of worker `index % workers`, runs its work, and goes home.
FibreCounts run_fibres(std::uint32_t workers, std::size_t count,
                       const std::function<void(std::size_t)>& work) {
  FibreSettings settings;
  settings.workers = workers;
  const auto scheduler = FibreScheduler::begin(settings);
  std::vector<std::thread> threads;
  for (std::size_t index = 0; index < count; ++index)
    threads.emplace_back([&, index] {
      const pid_t home = gettid();
      ASSERT_NE(scheduler->enter(static_cast<std::uint32_t>(index) % workers), nullptr);
      ASSERT_TRUE(fibre::is_here());
      work(index);
      fibre::go_home();
      EXPECT_FALSE(fibre::is_here());
      EXPECT_EQ(gettid(), home);
    });
  for (std::thread& thread : threads) thread.join();
  return scheduler->counts();
}

void wait_for(const std::atomic<std::uint64_t>& word, std::uint64_t value) {
  // acquire: pairs with the release of who stores it.
  for (bool begins = true; word.load(std::memory_order_acquire) < value; begins = false)
    if (!fibre::pass(begins)) sched_yield();
}

/// As a program that knows nothing of fibres.
void spin_until(const std::atomic<bool>& flag) {
  while (!flag.load(std::memory_order_acquire)) {
  }
}

TEST(Fibres, WorkOnThisMachine) {
  EXPECT_EQ(obstacle_to_fibres(0), "");
}

TEST(Fibres, AreNothingToOtherThreads) {
  EXPECT_FALSE(fibre::is_here());
  EXPECT_FALSE(fibre::pass(true));
  fibre::go_home();
  const fibre::WaitsForAll waits;
}

TEST(Fibres, MeetInEachRound) {
  constexpr std::size_t kFibres = 7, kRounds = 2000;
  std::atomic<std::uint64_t> arrived{0};
  const FibreCounts counts = run_fibres(2, kFibres, [&](std::size_t) {
    thread_local std::uint64_t own = 0;
    for (std::uint64_t round = 1; round <= kRounds; ++round) {
      ASSERT_EQ(own++, round - 1);
      arrived.fetch_add(1, std::memory_order_acq_rel);
      wait_for(arrived, round * kFibres);
    }
  });
  EXPECT_EQ(arrived.load(), kFibres * kRounds);
  EXPECT_GT(counts.switches, kRounds);
}

TEST(Fibres, OfOneWorkerRunOnOneKernelThread) {
  std::atomic<std::uint64_t> arrived{0};
  std::vector<pid_t> threads(3);
  run_fibres(1, threads.size(), [&](std::size_t index) {
    arrived.fetch_add(1);
    wait_for(arrived, threads.size());
    threads[index] = gettid();
    arrived.fetch_add(1);
    wait_for(arrived, 2 * threads.size());
  });
  EXPECT_EQ(threads[0], threads[1]);
  EXPECT_EQ(threads[1], threads[2]);
}

TEST(Fibres, GoOnWhileOneSleepsInTheSystem) {
  std::atomic<std::uint64_t> turns{0}, begun{0};
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const FibreCounts counts = run_fibres(1, 3, [&](std::size_t index) {
    char word = 0;
    if (index == 0) {  // has the worker, and sleeps until the two others have met
      begun.store(1);
      EXPECT_EQ(read(ends[0], &word, 1), 1);
      EXPECT_EQ(turns.load(), 20'000u);
      return;
    }
    wait_for(begun, 1);
    for (std::uint64_t turn = 1; turn <= 10'000; ++turn) {
      turns.fetch_add(1);
      wait_for(turns, 2 * turn);
    }
    if (index == 1) {
      EXPECT_EQ(write(ends[1], &word, 1), 1);
    }
  });
  close(ends[0]);
  close(ends[1]);
  EXPECT_GE(counts.blocked, 1u);
}

TEST(Fibres, ComeBackToTheirWorkerAfterASleep) {
  std::atomic<std::uint64_t> turns{0};
  std::vector<pid_t> threads(2);
  run_fibres(1, 2, [&](std::size_t index) {
    for (std::uint64_t turn = 1; turn <= 4; ++turn) {
      if (index == turn % 2) usleep(5'000);
      turns.fetch_add(1);
      wait_for(turns, 2 * turn);
    }
    fibre::pass(true);
    threads[index] = gettid();
    turns.fetch_add(1);
    wait_for(turns, 10);
  });
  EXPECT_EQ(threads[0], threads[1]);
}

/// A worker that is taken from a fibre each time it sleeps stands still for a millisecond each
/// time.
TEST(Fibres, StayThreadsForAWhileThatSleepOften) {
  constexpr std::uint64_t kTurns = 300;
  std::atomic<std::uint64_t> turns{0};
  bool was_out = false;
  const FibreCounts counts = run_fibres(1, 3, [&](std::size_t index) {
    for (std::uint64_t turn = 1; turn <= kTurns; ++turn) {
      if (index == 0) {
        usleep(3'000);
        was_out = was_out || !fibre::has_worker();
        fibre::pass(true);  // to its worker again, unless it is out
      }
      turns.fetch_add(1);
      wait_for(turns, 3 * turn);
    }
  });
  EXPECT_TRUE(was_out);
  EXPECT_GE(counts.blocked, 4u);
  EXPECT_LE(counts.blocked, kTurns / 10);
}

TEST(Fibres, ComeBackWhenTheyNoLongerSleepOften) {
  std::atomic<bool> is_back{false};
  run_fibres(1, 2, [&](std::size_t index) {
    if (index == 1) {
      // acquire: pairs with the release below.
      while (!is_back.load(std::memory_order_acquire)) fibre::pass(true);
      return;
    }
    for (int turn = 0; turn < 8; ++turn) {
      usleep(3'000);
      fibre::pass(true);
    }
    const Clock::time_point start = Clock::now();
    while (!fibre::has_worker() && seconds_since(start) < 10) sched_yield();
    EXPECT_TRUE(fibre::has_worker());
    is_back.store(true, std::memory_order_release);
  });
}

/// One worker's fibres compute for 2 ms a turn, and those of the other wait for them.
TEST(Fibres, MoveToAWorkerThatWaits) {
  std::atomic<std::uint64_t> arrived{0}, last{20'000};
  const FibreCounts counts = run_fibres(2, 8, [&](std::size_t index) {
    const std::uint32_t home = fibre::worker();
    // All see the same last turn: who names it does so two meetings before.
    for (std::uint64_t turn = 1; turn <= last.load(); ++turn) {
      const Clock::time_point begin = Clock::now();
      while (index % 2 == 0 && seconds_since(begin) < 0.002) {
      }
      std::uint64_t none = 20'000;
      if (fibre::worker() != home) last.compare_exchange_strong(none, turn + 2);
      arrived.fetch_add(1);
      wait_for(arrived, 8 * turn);
    }
  });
  EXPECT_GE(counts.moved, 1u);
  EXPECT_LT(last.load(), 20'000u);
}

TEST(Fibres, RunWhileOneWaitsForThemWithoutAWord) {
  std::atomic<bool> is_set{false};
  const FibreCounts counts = run_fibres(1, 2, [&](std::size_t index) {
    if (index == 0)
      spin_until(is_set);
    else
      is_set.store(true, std::memory_order_release);
  });
  EXPECT_LE(counts.computing, 2u);
}

TEST(Fibres, BeginWhileOneComputesForEver) {
  std::atomic<bool> is_set{false};
  const Clock::time_point start = Clock::now();
  run_fibres(1, 8, [&](std::size_t index) {
    if (index != 7)
      spin_until(is_set);
    else
      is_set.store(true, std::memory_order_release);
  });
  EXPECT_LT(seconds_since(start), 20.0);
}

TEST(Fibres, LeaveWhileTheyAreDetached) {
  std::atomic<std::uint64_t> done{0};
  run_fibres(1, 4, [&](std::size_t index) {
    if (index == 0) usleep(30'000);  // and goes home from there
    done.fetch_add(1);
    if (index != 0) wait_for(done, 3);
  });
  EXPECT_EQ(done.load(), 4u);
}

TEST(Fibres, GoHomeOneByOneWhileOthersRun) {
  constexpr std::size_t kFibres = 16;
  std::atomic<std::uint64_t> turn{0};
  run_fibres(2, kFibres, [&](std::size_t index) {
    wait_for(turn, index);
    turn.fetch_add(1);
  });
  EXPECT_EQ(turn.load(), kFibres);
}

TEST(Fibres, ThatBlockSignalsStayThreads) {
  const auto scheduler = FibreScheduler::begin(FibreSettings{});
  std::thread([&] {
    sigset_t some, now;
    sigemptyset(&some);
    sigaddset(&some, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &some, nullptr);
    EXPECT_EQ(scheduler->enter(0), nullptr);
    EXPECT_FALSE(fibre::is_here());
    pthread_sigmask(SIG_SETMASK, nullptr, &now);
    EXPECT_EQ(sigismember(&now, SIGUSR1), 1);
    EXPECT_EQ(sigismember(&now, SIGUSR2), 0);
  }).join();
}

volatile sig_atomic_t handled_by = -1;
thread_local int own_index = -1;

/// A fibre that was detached, since it computed for long, comes back while signals are delivered.
/// A wrong order is met now and then only; DeliveryModel meets each.
TEST(Fibres, ComeBackUnderAStormOfSignals) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "ThreadSanitizer keeps signals back until a thread calls one of libc's functions";
#endif
  thread_local volatile int own_signals = 0;
  struct sigaction action {};
  action.sa_handler = [](int) { own_signals = own_signals + 1; };
  ASSERT_EQ(sigaction(SIGUSR1, &action, nullptr), 0);
  const auto scheduler = FibreScheduler::begin(FibreSettings{});
  constexpr int kFibres = 6;
  std::atomic<Fibre*> fibres[kFibres] = {};
  std::atomic<int> left{0};
  std::vector<std::thread> threads;
  for (int index = 0; index < kFibres; ++index)
    threads.emplace_back([&, index] {
      fibres[index].store(scheduler->enter(0));
      for (int turn = 0; turn < 15; ++turn) {
        const auto start = Clock::now();
        while (seconds_since(start) < 0.012) {
        }
        for (const int seen = own_signals; own_signals == seen;) {
        }
        fibre::pass(true);
      }
      fibre::go_home();
      left.fetch_add(1);
    });
  std::uint64_t sent = 0;
  while (left.load() < kFibres) {
    for (const auto& fibre : fibres)
      if (fibre.load() != nullptr) sent += scheduler->send(*fibre.load(), SIGUSR1);
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_GT(sent, 100u);
  EXPECT_GT(scheduler->counts().computing, 20u);
}

/// Signals that are sent to a fibre which waits, computes, sleeps or is at home arrive there.
TEST(Fibres, GetTheirSignals) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "ThreadSanitizer keeps signals back until a thread calls one of libc's functions";
#endif
  struct sigaction action {};
  action.sa_handler = [](int) { handled_by = own_index; };
  ASSERT_EQ(sigaction(SIGUSR1, &action, nullptr), 0);
  const auto scheduler = FibreScheduler::begin(FibreSettings{});
  constexpr int kFibres = 4;
  std::atomic<Fibre*> fibres[kFibres] = {};
  std::atomic<std::uint64_t> left{0};
  std::vector<std::thread> threads;
  for (int index = 0; index < kFibres; ++index)
    threads.emplace_back([&, index] {
      own_index = index;
      fibres[index].store(scheduler->enter(0));
      if (index == 0) {  // waits
        while (handled_by != 0) fibre::pass(true);
      } else if (index == 1) {  // computes
        while (handled_by != 1) {
        }
      } else if (index == 2) {  // sleeps, longer than it may
        while (handled_by != 2) usleep(100'000'000);
      }
      fibre::go_home();
      left.fetch_add(1);
    });
  for (int index = 0; index < kFibres; ++index) {
    while (fibres[index].load() == nullptr) usleep(1000);
    if (index == 3) {
      while (left.load() < 4) usleep(1000);
      EXPECT_FALSE(scheduler->send(*fibres[index].load(), SIGUSR1));
    } else {
      usleep(20'000);
      EXPECT_TRUE(scheduler->send(*fibres[index].load(), SIGUSR1));
      while (handled_by != index) usleep(1000);
    }
  }
  for (std::thread& thread : threads) thread.join();
}

/// Modes of arithmetic and exceptions that have been noted, of both units.
TEST(Fibres, KeepTheirFloatingPoint) {
  std::atomic<std::uint64_t> met{0};
  run_fibres(1, 3, [&](std::size_t index) {
    volatile double zero = 0;
    volatile long double long_zero = 0, result = 0;
    std::feclearexcept(FE_ALL_EXCEPT);
    if (index == 0) result = 1 / long_zero;
    if (index == 1) {
      std::fesetround(FE_UPWARD);
      result = 1 / zero;
    }
    for (std::uint64_t turn = 1; turn <= 50; ++turn) {
      met.fetch_add(1);
      wait_for(met, 3 * turn);
      ASSERT_EQ(std::fetestexcept(FE_DIVBYZERO), index == 2 ? 0 : FE_DIVBYZERO) << index;
      ASSERT_EQ(std::fegetround(), index == 1 ? FE_UPWARD : FE_TONEAREST) << index;
      ASSERT_EQ(1.5L + turn, static_cast<long double>(turn) + 1.5L);
    }
    if (index == 2) feenableexcept(FE_DIVBYZERO);  // another one's exception is no trap
    for (std::uint64_t turn = 51; turn <= 60; ++turn) {
      met.fetch_add(1);
      wait_for(met, 3 * turn);
      ASSERT_EQ(1.5L + turn, static_cast<long double>(turn) + 1.5L);
    }
    if (index == 2) fedisableexcept(FE_DIVBYZERO);
    fibre::go_home();
    EXPECT_EQ(std::fetestexcept(FE_DIVBYZERO), index == 2 ? 0 : FE_DIVBYZERO) << index;
    EXPECT_EQ(std::fegetround(), index == 1 ? FE_UPWARD : FE_TONEAREST) << index;
    std::fesetround(FE_TONEAREST);
    static_cast<void>(static_cast<long double>(result));
  });
}

TEST(Fibres, ForkChildrenThatAreNone) {
  run_fibres(1, 2, [&](std::size_t) {
    const pid_t child = fork();
    if (child == 0) _exit(fibre::is_here() ? 1 : 0);
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  });
}

TEST(Fibres, SayWhenNobodyCanGoOn) {
  std::atomic<std::uint64_t> word{0};
  std::atomic<std::uint64_t> in_vain{0};
  std::thread late;
  run_fibres(1, 3, [&](std::size_t index) {
    if (index == 0)
      late = std::thread([&] {
        while (in_vain.load() < 100) std::this_thread::yield();
        word.store(1, std::memory_order_release);
      });
    for (bool begins = true; word.load(std::memory_order_acquire) == 0; begins = false)
      if (!fibre::pass(begins)) {
        in_vain.fetch_add(1);
        const fibre::WaitsForAll waits;
        sched_yield();
      }
  });
  late.join();
  EXPECT_GE(in_vain.load(), 100u);
}

TEST(Fibres, SleepAtRandomAndLoseNothing) {
  constexpr std::size_t kFibres = 12;
  std::vector<std::atomic<std::uint64_t>> words(kFibres);
  run_fibres(2, kFibres, [&](std::size_t index) {
    std::uint64_t random = 12345 + index;
    for (std::uint64_t turn = 1; turn <= 300; ++turn) {
      random = random * 6364136223846793005u + 1442695040888963407u;
      if (random >> 58 == 0) usleep(2'500);
      words[index].store(turn, std::memory_order_release);
      wait_for(words[(index + 1) % kFibres], turn);
    }
  });
  for (const auto& word : words) EXPECT_EQ(word.load(), 300u);
}

}  // namespace
}  // namespace terrace
