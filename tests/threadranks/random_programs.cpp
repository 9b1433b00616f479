// SPDX-License-Identifier: BSD-3-Clause
// Random programs of one-sided calls, and of ranks with threads: FIRST SECONDS THREADS. Plays four
// at least, so that both kinds are among them, and ends when the time is over. Ranks have up to
// THREADS threads that call MPI at once; with 1 it is FUNNELED, so that ranks may be fibres, and
// the threads of a rank are its main alone. Prints how many were played, and each that brought what
// the model does not have.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "unit/threadranks/random_threads.hpp"

namespace {

using namespace terrace::random_programs;

constexpr std::uint64_t kFewest = 4;

/// One: none but the caller.
void run_threads(int count, const std::function<void(int)>& work) {
  if (count == 1) return work(0);
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) threads.emplace_back(work, i);
  for (std::thread& thread : threads) thread.join();
}

std::string play(std::uint64_t seed, std::uint64_t most_threads) {
  const int threads = 1 + static_cast<int>(seed / 2 % most_threads);
  if (seed % 2 == 0) return play_lanes(seed, threads, 25, run_threads);
  const RunThreads run = run_threads;
  return WindowPlayer(seed, MPI_COMM_WORLD, threads, run).play(25);
}

}  // namespace

int main(int count, char** words) {
  if (count != 4) return 2;
  const std::uint64_t first = std::strtoull(words[1], nullptr, 10);
  const double seconds = std::strtod(words[2], nullptr);
  const std::uint64_t most_threads = std::strtoull(words[3], nullptr, 10);
  const int level = most_threads == 1 ? MPI_THREAD_FUNNELED : MPI_THREAD_MULTIPLE;
  int provided = 0, rank = 0;
  MPI_Init_thread(&count, &words, level, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (provided < level || most_threads == 0) return 2;
  const auto begin = std::chrono::steady_clock::now();
  std::uint64_t seed = first;
  bool is_right = true;
  for (int goes_on = 1; goes_on != 0;) {
    const std::string complaint = play(seed, most_threads);
    if (!complaint.empty()) std::printf("seed %llu: %s\n", 0ULL + seed, complaint.c_str());
    is_right = is_right && complaint.empty();
    ++seed;
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
    goes_on = spent.count() < seconds || seed - first < kFewest ? 1 : 0;
    MPI_Bcast(&goes_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
  if (rank == 0) std::printf("%llu programs\n", 0ULL + (seed - first));
  MPI_Finalize();
  return is_right ? 0 : 1;
}
