// SPDX-License-Identifier: BSD-3-Clause
// with_mpi HOW: the ways of a rank with MPI that its job must hear of.
#include <limits.h>
#include <mpi.h>
#include <pthread.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

/// HOW is "constructor": a constructor runs before main knows its words.
static bool is_asked_for() {
  const char* const how = std::getenv("HOW");
  return how != nullptr && std::strcmp(how, "constructor") == 0;
}
struct Early {
  Early() {
    if (is_asked_for()) MPI_Init(nullptr, nullptr);
  }
} early;

/// Of the 16 KiB of a small thread, a process leaves it about 11.
static void* ask(void* rank) {
  volatile char frame[6000];
  frame[0] = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, static_cast<int*>(rank));
  return nullptr;
}

/// With as little stack as a thread may have. -1: there is none.
static int rank_in_small_thread() {
  int rank = -1;
  pthread_t thread;
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, PTHREAD_STACK_MIN);
  if (pthread_create(&thread, &small, ask, &rank) == 0) pthread_join(thread, nullptr);
  return rank;
}

int main(int count, char** words) {
  const char* const how = count > 1 ? words[1] : "well";
  int level = 0, rank = -1, rank_in_thread = -2, ranks = 0;
  MPI_Init_thread(&count, &words, MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  std::thread([&] { MPI_Comm_rank(MPI_COMM_WORLD, &rank_in_thread); }).join();
  if (rank_in_small_thread() != rank) rank_in_thread = -3;
  std::printf("%d %d of %d\n", rank, rank_in_thread, ranks);
  std::fflush(stdout);
  if (std::strcmp(how, "abort") == 0) MPI_Abort(MPI_COMM_WORLD, 7);
  if (std::strcmp(how, "leave") == 0) return 0;
  MPI_Finalize();
  return 0;
}
