// SPDX-License-Identifier: BSD-3-Clause
// Functions of the program that MPI calls, an error handler and an operator, throw, and callers of
// MPI catch: the standard leaves that open, and MPIs in C allow it. With the word "in_collective",
// an operator throws whose result other ranks wait for, with which MPIs mostly hang: it ends the
// job.
#include <mpi.h>

#include <cstdio>

namespace {

struct Thrown {
  int what;
};

void handle(MPI_Comm*, int* error, ...) {
  int error_class;
  MPI_Error_class(*error, &error_class);
  throw Thrown{error_class};
}

void combine(void*, void*, int* count, MPI_Datatype*) {
  throw Thrown{*count};
}

int calls_before_throw = 64;  ///< enough that a team runs

void combine_at_first(void* in, void* inout, int* count, MPI_Datatype*) {
  if (calls_before_throw <= 0) throw Thrown{*count};
  for (int i = 0; i < *count; ++i) static_cast<int*>(inout)[i] += static_cast<int*>(in)[i];
}

int failures = 0;

template <class Call>
void expect_thrown(int what, const char* where, Call call) {
  try {
    call();
  } catch (const Thrown& thrown) {
    if (thrown.what == what) return;
  }
  std::printf("nothing is caught of %s\n", where);
  ++failures;
}

void throw_in_error_handler() {
  MPI_Errhandler handler;
  MPI_Comm_create_errhandler(handle, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  int value = 0;
  for (int i = 0; i < 3; ++i) {
    expect_thrown(MPI_ERR_RANK, "a send",
                  [&] { MPI_Send(&value, 1, MPI_INT, 999, 0, MPI_COMM_WORLD); });
    expect_thrown(MPI_ERR_ROOT, "a bcast",
                  [&] { MPI_Bcast(&value, 1, MPI_INT, 999, MPI_COMM_WORLD); });
  }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Errhandler_free(&handler);
}

void throw_in_operator() {
  MPI_Op op;
  MPI_Op_create(combine, 1, &op);
  const int values[2] = {1, 2};
  int sums[2] = {3, 4};
  expect_thrown(2, "a reduction", [&] { MPI_Reduce_local(values, sums, 2, MPI_INT, op); });
  MPI_Op_free(&op);
}

void throw_in_collective() {
  MPI_Op op;
  MPI_Op_create(combine_at_first, 1, &op);
  const int values[2] = {1, 2};
  int sums[2];
  for (;; --calls_before_throw) MPI_Allreduce(values, sums, 2, MPI_INT, op, MPI_COMM_WORLD);
}

}  // namespace

int main(int count, char** words) {
  MPI_Init(&count, &words);
  if (count > 1) throw_in_collective();
  throw_in_error_handler();
  throw_in_operator();
  // MPI is as before, the MPI's first calls and those of a team.
  int rank, ranks, sum = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int i = 0; i < 64; ++i) {
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (sum != ranks * (ranks - 1) / 2) ++failures;
  }
  MPI_Reduce(&failures, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) std::printf("all right %d\n", sum);
  MPI_Finalize();
  return 0;
}
