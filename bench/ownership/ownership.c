// SPDX-License-Identifier: BSD-3-Clause
// Half a round trip of two ranks, with messages that are copied and such that are handed over; with
// memory that is left alone and such that is written before it is sent and read where it arrives.
// Lines: bytes,no or yes,copied or given,microseconds (the median of batches).
#include <stdint.h>
#include <terrace/ownership.h>

enum { kBatches = 9 };
typedef uint64_t Word;
static int rank;
static Word sum; /* so that reading is not left out */

static void write_all(Word* numbers, size_t count, Word value) {
  for (size_t i = 0; i < count; ++i) numbers[i] = value;
}

static void read_all(const Word* numbers, size_t count) {
  Word own = 0;
  for (size_t i = 0; i < count; ++i) own += numbers[i];
  sum += own;
}

typedef Word* Pass(Word* numbers, size_t count, int sends);

static Word* copied(Word* numbers, size_t count, int sends) {
  if (sends)
    MPI_Send(numbers, (int)count, MPI_UINT64_T, !rank, 0, MPI_COMM_WORLD);
  else
    MPI_Recv(numbers, (int)count, MPI_UINT64_T, !rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return numbers;
}

/* The memory that a rank starts with is for the copies. */
static Word* given(Word* numbers, size_t count, int sends) {
  if (sends)
    MPIX_Give(&numbers, (MPI_Count)count, MPI_UINT64_T, !rank, 0, MPI_COMM_WORLD);
  else
    MPIX_Take(&numbers, (MPI_Count)count, MPI_UINT64_T, !rank, 0, MPI_COMM_WORLD,
              MPI_STATUS_IGNORE);
  return numbers;
}

static int compare(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

/* Every rank has memory of its own for copies; what is given goes to and fro. */
static double batch(Pass* pass, size_t count, int is_used, int rounds) {
  Word* numbers = NULL;
  if (pass == copied || rank == 0) {
    MPI_Alloc_mem((MPI_Aint)(count * sizeof *numbers), MPI_INFO_NULL, &numbers);
    write_all(numbers, count, 1);
  }
  double begin = 0;
  for (int round = -1; round < rounds; ++round) {
    if (round == 0) begin = MPI_Wtime(); /* the first warms up */
    for (int half = 0; half < 2; ++half) {
      const int sends = rank == half;
      if (is_used && sends) write_all(numbers, count, (Word)round);
      numbers = pass(numbers, count, sends);
      if (is_used && !sends) read_all(numbers, count);
    }
  }
  const double us = (MPI_Wtime() - begin) * 1e6 / rounds / 2;
  if (numbers) MPI_Free_mem(numbers);
  return us;
}

static void measure(size_t bytes, int is_used) {
  const int rounds = (int)((64 << 20) / bytes) + 1;
  double us[2][kBatches];
  for (int i = 0; i < kBatches; ++i) {
    us[0][i] = batch(copied, bytes / sizeof(Word), is_used, rounds);
    us[1][i] = batch(given, bytes / sizeof(Word), is_used, rounds);
  }
  for (int way = 0; way < 2 && rank == 0; ++way) {
    qsort(us[way], kBatches, sizeof(double), compare);
    printf("%zu,%s,%s,%.3f\n", bytes, is_used ? "yes" : "no", way ? "given" : "copied",
           us[way][kBatches / 2]);
  }
}

int main(int count, char** words) {
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (size_t bytes = 64 << 10; bytes <= 16 << 20; bytes *= 4)
    for (int is_used = 0; is_used < 2; ++is_used) measure(bytes, is_used);
  if (sum == 1) printf("never\n");
  MPI_Finalize();
  return 0;
}
