// SPDX-License-Identifier: BSD-3-Clause
// Threads, pins, and what the bare hardware does.
#include "crew.hpp"

#include <sched.h>
#include <sys/resource.h>

#include <algorithm>
#include <thread>

#ifdef _OPENMP
#include <omp.h>
#endif

#include "base/ticks.hpp"
#include "team/waiting.hpp"

namespace terrace::bench {

double now_ns() {
  return static_cast<double>(monotonic_ns());
}

long involuntary_switches() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nivcsw;
}

std::vector<int> allowed_pus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  sched_getaffinity(0, sizeof set, &set);
  std::vector<int> pus;
  for (int pu = 0; pu < CPU_SETSIZE; ++pu)
    if (CPU_ISSET(pu, &set)) pus.push_back(pu);
  return pus;
}

namespace {

void pin(const std::vector<int>& pus) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int pu : pus) CPU_SET(pu, &set);
  sched_setaffinity(0, sizeof set, &set);  // 0: the calling thread
}

}  // namespace

void BareBarrier::arrive(Rank rank) {
  // relaxed: only this rank writes its place.
  const std::uint64_t turn = places_[rank].arrived.load(std::memory_order_relaxed) + 1;
  // release: pairs with the acquire below on the other ranks.
  places_[rank].arrived.store(turn, std::memory_order_release);
  for (Place& place : places_)
    // acquire: pairs with the release above.
    while (place.arrived.load(std::memory_order_acquire) < turn)
      if (yields_) sched_yield();
}

Crew::Crew(Rank ranks) : ranks_(ranks), pus_(allowed_pus()), barrier_(ranks, ranks > pus_.size()) {}

void Crew::run(const std::function<void(Rank)>& body) {
  const auto pinned = [&](Rank rank) {
    pin({pus_[rank % pus_.size()]});
    body(rank);
  };
#ifdef _OPENMP
  omp_set_dynamic(0);
#pragma omp parallel num_threads(static_cast <int>(ranks_))
  pinned(static_cast<Rank>(omp_get_thread_num()));
#else
  std::vector<std::thread> others;
  for (Rank rank = 1; rank < ranks_; ++rank) others.emplace_back(pinned, rank);
  pinned(0);
  for (std::thread& thread : others) thread.join();
#endif
  pin(pus_);
}

double Crew::probe(Rank rank) {
  if (ranks_ < 2 || is_oversubscribed()) return 0;
  constexpr int kTries = 4, kThrows = 25;
  if (rank > 1) {
    barrier(rank);
    return probed_;
  }
  double best = 1e9;
  std::uint64_t& count = throws_[rank];
  for (int attempt = 0; attempt < kTries; ++attempt) {
    const double start = now_ns();
    for (int i = 0; i < kThrows; ++i) {
      ++count;
      // release and acquire: partners of each other on the two ranks.
      if (rank == 0) balls_[0].count.store(count, std::memory_order_release);
      while (balls_[1 - rank].count.load(std::memory_order_acquire) < count) {
      }
      if (rank == 1) balls_[1].count.store(count, std::memory_order_release);
    }
    best = std::min(best, (now_ns() - start) / (2 * kThrows));
  }
  if (rank == 0) probed_ = best;
  barrier(rank);
  return probed_;
}

}  // namespace terrace::bench
