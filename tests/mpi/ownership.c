// SPDX-License-Identifier: BSD-3-Clause
// ownership [wrong]: memory that goes from rank to rank in messages, in a program for any MPI.
// Where ranks are threads it is the same memory, elsewhere a copy; all else is the same everywhere.
// Rank 0 says which it was. `wrong` gives what cannot be given.
#include <terrace/ownership.h>

static int rank, ranks, wrong;
static int blocks; /* of memory that this rank has */

int MPI_Alloc_mem(MPI_Aint bytes, MPI_Info info, void* place) {
  ++blocks;
  return PMPI_Alloc_mem(bytes, info, place);
}
int MPI_Free_mem(void* memory) {
  --blocks;
  return PMPI_Free_mem(memory);
}

static void expect(int holds, const char* what) {
  if (holds) return;
  printf("rank %d: not so: %s\n", rank, what);
  ++wrong;
}
#define EXPECT(condition) expect(condition, #condition)

static int* filled(int count, int first) {
  int* numbers = NULL;
  MPI_Alloc_mem((MPI_Aint)sizeof(int) * count, MPI_INFO_NULL, &numbers);
  for (int i = 0; i < count; ++i) numbers[i] = first + i;
  return numbers;
}

static int is_filled(const int* numbers, int count, int first) {
  if (!numbers) return 0;
  for (int i = 0; i < count; ++i)
    if (numbers[i] != first + i) return 0;
  return 1;
}

/* Also frees. */
static void expect_numbers(int* numbers, int count, int first, const MPI_Status* status, int source,
                           int tag) {
  int length = -1;
  MPI_Get_count(status, MPI_INT, &length);
  EXPECT(length == count);
  EXPECT(status->MPI_SOURCE == source && status->MPI_TAG == tag);
  EXPECT(is_filled(numbers, count, first));
  if (numbers) MPI_Free_mem(numbers);
}

/* All give before anybody takes, so a give must not wait; then it goes all the way round. Returns
 * whether it is the same memory that comes. */
static int pass_round(int count) {
  const int next = (rank + 1) % ranks, last = (rank + ranks - 1) % ranks;
  int* numbers = filled(count, rank);
  unsigned long long at_last = 0, own = (unsigned long long)(size_t)numbers;
  MPI_Status status;
  int is_same;
  MPI_Sendrecv(&own, 1, MPI_UNSIGNED_LONG_LONG, next, 1, &at_last, 1, MPI_UNSIGNED_LONG_LONG, last,
               1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  EXPECT(MPIX_Give(&numbers, count, MPI_INT, next, 2, MPI_COMM_WORLD) == MPI_SUCCESS);
  EXPECT(numbers == NULL);
  MPIX_Take(&numbers, count + 5, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &status);
  is_same = (unsigned long long)(size_t)numbers == at_last;
  for (int hop = 1; hop < ranks; ++hop) {
    EXPECT(is_filled(numbers, count, (rank + ranks - hop) % ranks));
    MPIX_Give(&numbers, count, MPI_INT, next, 3, MPI_COMM_WORLD);
    MPIX_Take(&numbers, count, MPI_INT, last, 3, MPI_COMM_WORLD, &status);
  }
  expect_numbers(numbers, count, rank, &status, last, ranks > 1 ? 3 : 2);
  return is_same;
}

/* Sender or receiver may know nothing of ownership. */
static void mix(int count) {
  const int next = (rank + 1) % ranks, last = (rank + ranks - 1) % ranks;
  int *numbers = filled(count, rank), *taken = NULL, *sent = filled(count, 7);
  int* const received = filled(count, 0);
  MPI_Request requests[2];
  MPI_Status statuses[2], status;
  MPIX_Itake(&taken, count, MPI_INT, last, 4, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(sent, count, MPI_INT, next, 4, MPI_COMM_WORLD, &requests[1]);
  MPIX_Give(&numbers, count, MPI_INT, next, 5, MPI_COMM_WORLD);
  MPI_Probe(last, 5, MPI_COMM_WORLD, &status);
  MPI_Recv(received, count, MPI_INT, last, 5, MPI_COMM_WORLD, &status);
  expect_numbers(received, count, last, &status, last, 5);
  MPI_Waitall(2, requests, statuses);
  expect_numbers(taken, count, 7, &statuses[0], last, 4);
  MPI_Free_mem(sent);
}

static void give_many(void) {
  enum { kMany = 300 };
  const int next = (rank + 1) % ranks, last = (rank + ranks - 1) % ranks;
  for (int i = 0; i < kMany; ++i) {
    int* numbers = filled(100 + i, i);
    MPIX_Give(&numbers, 100 + i, MPI_INT, next, i, MPI_COMM_WORLD);
  }
  for (int i = 0; i < kMany; ++i) {
    int* numbers = NULL;
    MPI_Status status;
    MPIX_Take(&numbers, 1000, MPI_INT, last, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    expect_numbers(numbers, 100 + i, i, &status, last, i);
  }
}

static void nothing_and_nobody(void) {
  int *numbers = filled(5, 1), *const given = numbers, got = 3;
  MPI_Status status;
  EXPECT(MPIX_Give(&numbers, 5, MPI_INT, MPI_PROC_NULL, 6, MPI_COMM_WORLD) == MPI_SUCCESS);
  EXPECT(numbers == NULL);
  numbers = given;
  MPIX_Take(&numbers, 5, MPI_INT, MPI_PROC_NULL, 6, MPI_COMM_WORLD, &status);
  EXPECT(numbers == NULL && status.MPI_SOURCE == MPI_PROC_NULL);
  MPIX_Give(&numbers, 0, MPI_INT, 0, 6, MPI_COMM_SELF);
  MPI_Recv(&got, 1, MPI_INT, 0, 6, MPI_COMM_SELF, &status);
  EXPECT(got == 3);
  numbers = filled(5, 1);
  MPIX_Give(&numbers, 5, MPI_INT, 0, 6, MPI_COMM_SELF);
  MPIX_Take(&numbers, 5, MPI_INT, 0, 6, MPI_COMM_SELF, &status);
  expect_numbers(numbers, 5, 1, &status, 0, 6);
}

static int class_of(int error) {
  int error_class = -1;
  MPI_Error_class(error, &error_class);
  return error_class;
}

static void errors(void) {
  int *numbers = filled(5, 1), *const own = numbers, *null = NULL;
  MPI_Datatype gaps;
  MPI_Status status;
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_SELF, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  MPI_Type_vector(2, 1, 2, MPI_INT, &gaps);
  MPI_Type_commit(&gaps);
  EXPECT(class_of(MPIX_Give(NULL, 5, MPI_INT, 0, 0, comm)) == MPI_ERR_BUFFER);
  EXPECT(class_of(MPIX_Give(&null, 5, MPI_INT, 0, 0, comm)) == MPI_ERR_BUFFER);
  EXPECT(class_of(MPIX_Give(&numbers, -5, MPI_INT, 0, 0, comm)) == MPI_ERR_COUNT);
  EXPECT(class_of(MPIX_Take(&null, INT64_MAX / 2, MPI_INT, 0, 0, comm, &status)) == MPI_ERR_COUNT);
  EXPECT(class_of(MPIX_Give(&numbers, 1, gaps, 0, 0, comm)) == MPI_ERR_TYPE);
  EXPECT(class_of(MPIX_Give(&numbers, 5, MPI_INT, 1, 0, comm)) == MPI_ERR_RANK);
  EXPECT(class_of(MPIX_Take(&null, 1, gaps, 0, 0, comm, &status)) == MPI_ERR_TYPE);
  EXPECT(class_of(MPIX_Take(NULL, 1, MPI_INT, 0, 0, comm, &status)) == MPI_ERR_BUFFER);
  EXPECT(numbers == own);
  MPIX_Give(&numbers, 5, MPI_INT, 0, 0, comm);
  EXPECT(class_of(MPIX_Take(&numbers, 3, MPI_INT, 0, 0, comm, &status)) == MPI_ERR_TRUNCATE);
  EXPECT(is_filled(numbers, 3, 1));
  MPI_Free_mem(numbers);
  MPI_Type_free(&gaps);
  MPI_Comm_free(&comm);
}

/* A rank that gives its last message goes to MPI_Finalize, perhaps before it is taken. */
static void give_and_leave(void) {
  enum { kMuch = 1000000 };
  int* numbers = filled(kMuch, rank);
  if (rank > 0) MPIX_Give(&numbers, kMuch, MPI_INT, 0, 8, MPI_COMM_WORLD);
  for (int from = ranks - 1; from > 0 && rank == 0; --from) {
    int* taken = NULL;
    MPI_Status status;
    MPIX_Take(&taken, kMuch, MPI_INT, from, 8, MPI_COMM_WORLD, &status);
    expect_numbers(taken, kMuch, from, &status, from, 8);
  }
  if (rank == 0) MPI_Free_mem(numbers);
}

static void give_null(void) {
  int* null = NULL;
  MPIX_Give(&null, 5, MPI_INT, 0, 0, MPI_COMM_WORLD);
}

int main(int count, char** words) {
  int is_same = 1, all_are_same = 0, all_wrong = 0;
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (count > 1) give_null();
  for (int length = 1; length <= 1000000; length *= 10) {
    is_same &= pass_round(length);
    mix(length);
  }
  give_many();
  nothing_and_nobody();
  errors();
  MPI_Reduce(&is_same, &all_are_same, 1, MPI_INT, MPI_LAND, 0, MPI_COMM_WORLD);
  MPI_Reduce(&wrong, &all_wrong, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  give_and_leave();
  if (rank == 0)
    printf("all right %d, memory is %s\n", all_wrong + (all_wrong == 0 && wrong),
           terrace_ranks_give && all_are_same ? "handed over" : "copied");
  MPI_Finalize();
  /* Copies are freed where they were made. */
  if (!terrace_ranks_give && blocks != 0) printf("%d blocks are left\n", wrong = blocks);
  return wrong != 0;
}
