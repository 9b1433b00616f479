// SPDX-License-Identifier: BSD-3-Clause
// What ABIs have of their own, in an MPI program for any of them and any number of ranks: handles
// that MPI makes, special ranks and tags, statuses, attributes, error codes, functions it calls
// back. With the word "lives" also that communicators leave nothing behind. Each rank says "right",
// or what is wrong.
#include <malloc.h>
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "expect.h"

static void messages(void) {
  const int next = (rank + 1) % ranks, last = (rank + ranks - 1) % ranks;
  int out[5] = {rank, 1, 2, 3, 4}, in[8] = {0}, count = -1, flag = -1;
  MPI_Request requests[2];
  MPI_Status statuses[2];
  MPI_Irecv(in, 8, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(out, 5, MPI_INT, next, 7, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, statuses);
  EXPECT(requests[0] == MPI_REQUEST_NULL && requests[1] == MPI_REQUEST_NULL);
  EXPECT(statuses[0].MPI_SOURCE == last && statuses[0].MPI_TAG == 7);
  EXPECT(memcmp(in + 1, out + 1, 4 * sizeof(int)) == 0 && in[0] == last);
  MPI_Get_count(&statuses[0], MPI_INT, &count);
  EXPECT(count == 5);
  MPI_Get_count(&statuses[0], MPI_DOUBLE, &count);
  EXPECT(count == MPI_UNDEFINED);
  MPI_Test_cancelled(&statuses[0], &flag);
  EXPECT(flag == 0);

  MPI_Status status;
  MPI_Recv(in, 8, MPI_INT, MPI_PROC_NULL, 3, MPI_COMM_WORLD, &status);
  EXPECT(status.MPI_SOURCE == MPI_PROC_NULL && status.MPI_TAG == MPI_ANY_TAG);
  EXPECT(MPI_Send(out, 5, MPI_INT, MPI_PROC_NULL, 3, MPI_COMM_WORLD) == MPI_SUCCESS);
  MPI_Request none = MPI_REQUEST_NULL;
  MPI_Wait(&none, &status);
  EXPECT(status.MPI_SOURCE == MPI_ANY_SOURCE && status.MPI_TAG == MPI_ANY_TAG);

  // A tag that no later message has: its sender may be there already.
  MPI_Irecv(in, 8, MPI_INT, last, 32000, MPI_COMM_WORLD, &requests[0]);
  MPI_Cancel(&requests[0]);
  MPI_Wait(&requests[0], &status);
  MPI_Test_cancelled(&status, &flag);
  EXPECT(flag != 0);
}

/// Many at a time, freed in another order than made; some of them persistent.
static void many_requests(void) {
  enum { kMany = 300 };
  const int next = (rank + 1) % ranks, last = (rank + ranks - 1) % ranks;
  int in[kMany], out[kMany] = {0}, done = 0;
  MPI_Request requests[kMany], persistent;
  MPI_Send_init(out, 1, MPI_INT, next, kMany, MPI_COMM_WORLD, &persistent);
  const MPI_Request kept = persistent;
  for (int i = 0; i < kMany; ++i)
    MPI_Irecv(&in[i], 1, MPI_INT, last, i, MPI_COMM_WORLD, &requests[i]);
  for (int i = kMany; i-- > 0;) {
    MPI_Request one;
    out[i] = 1000 * rank + i;
    MPI_Isend(&out[i], 1, MPI_INT, next, i, MPI_COMM_WORLD, &one);
    MPI_Wait(&one, MPI_STATUS_IGNORE);
  }
  while (done < kMany) {
    int index = -1;
    MPI_Waitany(kMany, requests, &index, MPI_STATUS_IGNORE);
    EXPECT(index >= 0 && in[index] == 1000 * last + index);
    ++done;
  }
  for (int i = 0; i < 2; ++i) {
    int got = -1;
    out[0] = i;
    MPI_Start(&persistent);
    MPI_Recv(&got, 1, MPI_INT, last, kMany, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&persistent, MPI_STATUS_IGNORE);
    EXPECT(got == i && persistent == kept);
  }
  MPI_Request_free(&persistent);
  EXPECT(persistent == MPI_REQUEST_NULL);
}

static void probes(void) {
  int word = rank, got = -1;
  MPI_Request request;
  MPI_Message message;
  MPI_Status status;
  MPI_Isend(&word, 1, MPI_INT, (rank + 1) % ranks, 11, MPI_COMM_WORLD, &request);
  MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &message, &status);
  EXPECT(status.MPI_TAG == 11 && message != MPI_MESSAGE_NULL);
  MPI_Mrecv(&got, 1, MPI_INT, &message, &status);
  EXPECT(got == (rank + ranks - 1) % ranks && message == MPI_MESSAGE_NULL);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Mprobe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &message, &status);
  EXPECT(message == MPI_MESSAGE_NO_PROC);
  MPI_Mrecv(&got, 1, MPI_INT, &message, &status);
  EXPECT(status.MPI_SOURCE == MPI_PROC_NULL);
}

static void types(void) {
  struct Pair {
    double value;
    char letter;
  } pairs[4] = {{0, 'a'}, {0, 'b'}, {0, 'c'}, {0, 'd'}}, got[4];
  int lengths[] = {1, 1}, integers[3] = {0}, counts[4];
  MPI_Aint places[] = {offsetof(struct Pair, value), offsetof(struct Pair, letter)};
  MPI_Datatype kinds[] = {MPI_DOUBLE, MPI_CHAR}, raw, pair, column, copy, inner[1];
  MPI_Type_create_struct(2, lengths, places, kinds, &raw);
  MPI_Type_create_resized(raw, 0, sizeof(struct Pair), &pair);
  MPI_Type_free(&raw);
  EXPECT(raw == MPI_DATATYPE_NULL);
  MPI_Type_vector(2, 1, 2, pair, &column);
  MPI_Type_commit(&pair);
  MPI_Type_commit(&column);
  MPI_Type_get_envelope(column, &counts[0], &counts[1], &counts[2], &counts[3]);
  EXPECT(counts[3] == MPI_COMBINER_VECTOR && counts[0] == 3 && counts[2] == 1);
  MPI_Aint none[1];
  MPI_Type_get_contents(column, 3, 0, 1, integers, none, inner);
  EXPECT(inner[0] == pair && integers[0] == 2 && integers[2] == 2);
  MPI_Type_free(&inner[0]);
  MPI_Type_contiguous(1, MPI_2INT, &copy);
  MPI_Type_get_envelope(MPI_2INT, &counts[0], &counts[1], &counts[2], &counts[3]);
  EXPECT(counts[3] == MPI_COMBINER_NAMED);
  MPI_Type_get_contents(copy, 1, 0, 1, integers, none, inner);
  EXPECT(inner[0] == MPI_2INT);
  MPI_Type_free(&copy);

  memset(got, 0, sizeof got);
  for (int i = 0; i < 4; ++i) pairs[i].value = 10 * rank + i;
  MPI_Sendrecv(pairs, 1, column, (rank + 1) % ranks, 1, got, 4, pair, MPI_ANY_SOURCE, 1,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  const int last = (rank + ranks - 1) % ranks;
  EXPECT(got[0].value == 10 * last && got[0].letter == 'a');
  EXPECT(got[1].value == 10 * last + 2 && got[1].letter == 'c' && got[2].letter == 0);
  MPI_Type_free(&column);
  MPI_Type_free(&pair);
}

static MPI_Datatype seen_type;
static void add_twice(void* in, void* inout, int* count, MPI_Datatype* type) {
  seen_type = *type;
  for (int i = 0; i < *count; ++i) ((int*)inout)[i] += 2 * ((int*)in)[i];
}

static void collectives(void) {
  int sum = rank + 1, twice[2] = {1, 1}, got[2] = {0, 0};
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  EXPECT(sum == ranks * (ranks + 1) / 2);
  int all[64] = {0};
  all[rank] = rank + 1;
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 1, MPI_INT, MPI_COMM_WORLD);
  EXPECT(all[0] == 1 && all[ranks - 1] == ranks);
  MPI_Op op;
  MPI_Op_create(add_twice, 1, &op);
  MPI_Request request;
  MPI_Ireduce(twice, got, 2, MPI_INT, op, 0, MPI_COMM_WORLD, &request);
  MPI_Op_free(&op);
  EXPECT(op == MPI_OP_NULL);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (rank == 0 && ranks == 2) EXPECT(got[0] == 3 && got[1] == 3);
  if (rank == 0 && ranks > 1) EXPECT(seen_type == MPI_INT);
  struct {
    double value;
    int place;
  } mine = {rank == 1 ? -1.0 : 1.0, rank}, least;
  MPI_Allreduce(&mine, &least, 1, MPI_DOUBLE_INT, MPI_MINLOC, MPI_COMM_WORLD);
  EXPECT(least.place == (ranks > 1 ? 1 : 0));
}

static int copies = 0, deletes = 0;
static MPI_Comm seen_comm;
static int copy(MPI_Comm comm, int key, void* extra, void* value, void* out, int* flag) {
  (void)key;
  seen_comm = comm;
  copies += extra == &copies;
  *(void**)out = (char*)value + 1;
  *flag = 1;
  return MPI_SUCCESS;
}
static int forget(MPI_Comm comm, int key, void* value, void* extra) {
  (void)comm, (void)key, (void)value, (void)extra;
  ++deletes;
  return MPI_SUCCESS;
}

static void attributes(void) {
  int key, dup_key, null_key, flag, *bound;
  char word[] = "word";
  void* value = NULL;
  MPI_Comm first, second;
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &bound, &flag);
  EXPECT(flag && *bound >= 32767);
  MPI_Comm_create_keyval(copy, forget, &key, &copies);
  MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &dup_key, NULL);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &null_key, NULL);
  MPI_Comm_dup(MPI_COMM_WORLD, &first);
  MPI_Comm_set_attr(first, key, word);
  MPI_Comm_set_attr(first, dup_key, word + 2);
  MPI_Comm_set_attr(first, null_key, word + 3);
  MPI_Comm_dup(first, &second);
  EXPECT(copies == 1 && seen_comm == first);
  MPI_Comm_get_attr(second, key, &value, &flag);
  EXPECT(flag && value == word + 1);
  MPI_Comm_get_attr(second, dup_key, &value, &flag);
  EXPECT(flag && value == word + 2);
  MPI_Comm_get_attr(second, null_key, &value, &flag);
  EXPECT(!flag);
  int same = -1;
  MPI_Comm_compare(first, second, &same);
  EXPECT(same == MPI_CONGRUENT);
  MPI_Comm_free(&first);
  MPI_Comm_free(&second);
  EXPECT(deletes == 2 && second == MPI_COMM_NULL);
  MPI_Comm_free_keyval(&key);
  EXPECT(key == MPI_KEYVAL_INVALID);
}

static int handled = -1;
static MPI_Comm handled_comm;
static void handle(MPI_Comm* comm, int* code, ...) {
  handled_comm = *comm;
  MPI_Error_class(*code, &handled);
}

static int class_of(int code) {
  int its = -1;
  MPI_Error_class(code, &its);
  return its;
}

static void errors(void) {
  int word = 0, length = 0;
  char text[MPI_MAX_ERROR_STRING];
  MPI_Comm comm;
  MPI_Errhandler handler, back;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  EXPECT(class_of(MPI_Send(&word, 1, MPI_INT, ranks, 0, comm)) == MPI_ERR_RANK);
  EXPECT(class_of(MPI_Send(&word, -1, MPI_INT, 0, 0, comm)) == MPI_ERR_COUNT);
  EXPECT(class_of(MPI_Send(&word, 1, MPI_DATATYPE_NULL, 0, 0, comm)) == MPI_ERR_TYPE);
  EXPECT(class_of(MPI_Send(&word, 1, MPI_INT, 0, -5, comm)) == MPI_ERR_TAG);
  EXPECT(class_of(MPI_Bcast(&word, 1, MPI_INT, -9, comm)) == MPI_ERR_ROOT);
  int two[2] = {1, 2};
  MPI_Request request;
  MPI_Isend(two, 2, MPI_INT, rank, 4, comm, &request);
  EXPECT(class_of(MPI_Recv(&word, 1, MPI_INT, rank, 4, comm, MPI_STATUS_IGNORE)) ==
         MPI_ERR_TRUNCATE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Error_string(MPI_ERR_TRUNCATE, text, &length);
  EXPECT(length > 0 && strstr(text, "runcated") != NULL);
  MPI_Comm_create_errhandler(handle, &handler);
  MPI_Comm_set_errhandler(comm, handler);
  MPI_Comm_get_errhandler(comm, &back);
  EXPECT(back == handler);
  MPI_Errhandler_free(&back);
  MPI_Errhandler_free(&handler);
  EXPECT(handler == MPI_ERRHANDLER_NULL);
  MPI_Send(&word, 1, MPI_INT, ranks, 0, comm);
  EXPECT(handled == MPI_ERR_RANK && handled_comm == comm);
  MPI_Comm_get_errhandler(MPI_COMM_WORLD, &back);
  EXPECT(back == MPI_ERRORS_ARE_FATAL);
  MPI_Comm_free(&comm);
}

static int class_of_file;

static void handle_file(MPI_File* file, int* code, ...) {
  EXPECT(*file == MPI_FILE_NULL);
  MPI_Error_class(*code, &class_of_file);
}

/// MPI_FILE_NULL has the error handler of files that are not open.
static void files_that_are_not_there(void) {
  MPI_Errhandler own, before;
  MPI_File file = MPI_FILE_NULL;
  EXPECT(MPI_File_get_errhandler(MPI_FILE_NULL, &before) == MPI_SUCCESS);
  EXPECT(before == MPI_ERRORS_RETURN);
  MPI_File_create_errhandler(handle_file, &own);
  EXPECT(MPI_File_set_errhandler(MPI_FILE_NULL, own) == MPI_SUCCESS);
  EXPECT(MPI_File_open(MPI_COMM_SELF, "/no/such/file", MPI_MODE_RDONLY, MPI_INFO_NULL, &file) !=
         MPI_SUCCESS);
  EXPECT(class_of_file == MPI_ERR_NO_SUCH_FILE && file == MPI_FILE_NULL);
  MPI_Errhandler_free(&own);
  MPI_File_set_errhandler(MPI_FILE_NULL, before);
}

/// Each number is written once, wherever the ranks' records come to lie.
static void a_pointer_that_all_move(const char* program) {
  enum { kRecords = 20 };
  char path[1000] = "";
  MPI_File file = MPI_FILE_NULL;
  MPI_Offset at = -1;
  long sum = 0, all = 0;
  // All nodes have the program's folder. On two of them, processes may have the same number.
  if (rank == 0) {
    snprintf(path, sizeof path, "%s-XXXXXX", program);
    close(mkstemp(path));
  }
  MPI_Bcast(path, sizeof path, MPI_CHAR, 0, MPI_COMM_WORLD);
  EXPECT(MPI_File_open(MPI_COMM_WORLD, path,
                       MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                       &file) == MPI_SUCCESS);
  if (file == MPI_FILE_NULL) return;
  MPI_File_set_view(file, 0, MPI_LONG, MPI_LONG, "native", MPI_INFO_NULL);
  for (long i = 0; i < kRecords; ++i) {
    const long record[2] = {kRecords * rank + i, 1};
    EXPECT(MPI_File_write_shared(file, record, 2, MPI_LONG, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_get_position_shared(file, &at);
  EXPECT(at == 2 * kRecords * ranks);
  MPI_Barrier(MPI_COMM_WORLD);  // none moves it before all have asked
  MPI_File_seek_shared(file, -at, MPI_SEEK_CUR);
  for (int i = 0; i < kRecords; ++i) {
    long record[2] = {-1, -1};
    EXPECT(MPI_File_read_ordered(file, record, 2, MPI_LONG, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    EXPECT(record[1] == 1);
    sum += record[0];
  }
  MPI_Allreduce(&sum, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  EXPECT(all == (long)kRecords * ranks * (kRecords * ranks - 1) / 2);
  MPI_File_close(&file);
}

static void groups_and_grids(void) {
  MPI_Group everybody, nobody, others;
  MPI_Comm grid, comm;
  int place = 0, size = -1, from = 0, to = 0, sizes[1] = {ranks}, periods[1] = {0};
  MPI_Comm_group(MPI_COMM_WORLD, &everybody);
  MPI_Group_incl(everybody, 0, &place, &nobody);
  MPI_Group_excl(everybody, 1, &place, &others);
  EXPECT(nobody == MPI_GROUP_EMPTY);
  MPI_Group_size(others, &size);
  EXPECT(size == ranks - 1);
  MPI_Comm_create(MPI_COMM_WORLD, others, &comm);
  EXPECT((comm == MPI_COMM_NULL) == (rank == 0));
  if (comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
  MPI_Group_free(&everybody);
  if (ranks > 1) MPI_Group_free(&others);
  MPI_Cart_create(MPI_COMM_WORLD, 1, sizes, periods, 0, &grid);
  MPI_Cart_shift(grid, 0, 1, &from, &to);
  EXPECT(from == (rank == 0 ? MPI_PROC_NULL : rank - 1));
  EXPECT(to == (rank == ranks - 1 ? MPI_PROC_NULL : rank + 1));
  MPI_Comm_free(&grid);
}

/// Their class is MPICH's where the standard leaves it open.
static void wrong_arguments(void) {
  MPI_Comm made;
  MPI_Datatype type, inner = MPI_DATATYPE_NULL;
  MPI_Info info;
  int sizes[2] = {4, 4}, parts[2] = {2, 2}, starts[2] = {0, 0}, periods[1] = {0}, flag, place;
  int integers[3] = {7, 7, 7};
  char value[8] = "as ever";
  MPI_Op op;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Cart_create(MPI_COMM_SELF, 1, (int[]){1}, periods, 0, &made);
  MPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN);
  EXPECT(class_of(MPI_Cart_coords(made, 9, 1, &place)) == MPI_ERR_RANK);
  MPI_Comm_free(&made);
  EXPECT(class_of(MPI_Intercomm_create(MPI_COMM_SELF, 3, MPI_COMM_WORLD, 0, 0, &made)) ==
         MPI_ERR_RANK);
  EXPECT(class_of(MPI_Type_create_subarray(2, sizes, parts, starts, 12345, MPI_INT, &type)) ==
         MPI_ERR_ARG);
  EXPECT(class_of(MPI_Startall(-1, NULL)) == MPI_ERR_COUNT);
  MPI_Type_vector(2, 1, 2, MPI_INT, &type);
  EXPECT(class_of(MPI_Type_get_contents(type, 2, 0, 1, integers, NULL, &inner)) != MPI_SUCCESS);
  EXPECT(class_of(MPI_Type_get_contents(type, 3, 0, 0, integers, NULL, &inner)) != MPI_SUCCESS);
  EXPECT(integers[0] == 7 && integers[2] == 7 && inner == MPI_DATATYPE_NULL);
  MPI_Type_free(&type);
  EXPECT(class_of(MPI_Op_create(NULL, 1, &op)) == MPI_ERR_ARG);
  MPI_Info_create(&info);
  MPI_Info_set(info, "key", "value");
  EXPECT(class_of(MPI_Info_set(info, "", "value")) == MPI_ERR_INFO_KEY);
  EXPECT(class_of(MPI_Info_get(info, "key", -1, value, &flag)) == MPI_ERR_ARG);
  EXPECT(strcmp(value, "as ever") == 0);
  MPI_Info_free(&info);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
}

/// Null and MPI_IN_PLACE where elements are to be; in the short cuts of repeated calls, too.
static void no_buffers(void) {
  enum { kTimes = 3 };
  int in[4] = {1, 2, 3, 4}, out[4], one = 1, displacement = 0, position = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Datatype far_type;
  MPI_Aint address;
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  for (int time = 0; time < kTimes; ++time) {
    EXPECT(MPI_Bcast(in, 4, MPI_INT, 0, MPI_COMM_SELF) == MPI_SUCCESS);
    EXPECT(MPI_Allreduce(in, out, 4, MPI_INT, MPI_SUM, MPI_COMM_SELF) == MPI_SUCCESS);
    EXPECT(MPI_Allgather(in, 4, MPI_INT, out, 4, MPI_INT, MPI_COMM_SELF) == MPI_SUCCESS);
  }
  EXPECT(class_of(MPI_Bcast(NULL, 4, MPI_INT, 0, MPI_COMM_SELF)) == MPI_ERR_BUFFER);
  EXPECT(class_of(MPI_Bcast(MPI_IN_PLACE, 4, MPI_INT, 0, MPI_COMM_SELF)) == MPI_ERR_BUFFER);
  EXPECT(class_of(MPI_Allreduce(NULL, out, 4, MPI_INT, MPI_SUM, MPI_COMM_SELF)) == MPI_ERR_BUFFER);
  EXPECT(class_of(MPI_Allreduce(in, NULL, 4, MPI_INT, MPI_SUM, MPI_COMM_SELF)) == MPI_ERR_BUFFER);
  EXPECT(class_of(MPI_Allreduce(in, MPI_IN_PLACE, 4, MPI_INT, MPI_SUM, MPI_COMM_SELF)) ==
         MPI_ERR_BUFFER);
  EXPECT(class_of(MPI_Reduce_scatter_block(NULL, out, 4, MPI_INT, MPI_SUM, MPI_COMM_SELF)) ==
         MPI_ERR_BUFFER);
  EXPECT(class_of(MPI_Allgather(in, 4, MPI_INT, NULL, 4, MPI_INT, MPI_COMM_SELF)) ==
         MPI_ERR_BUFFER);
  EXPECT(class_of(MPI_Allgatherv(NULL, 1, MPI_INT, out, &one, &displacement, MPI_INT,
                                 MPI_COMM_SELF)) == MPI_ERR_BUFFER);
  EXPECT(class_of(MPI_Allgatherv(in, 1, MPI_INT, NULL, &one, &one, MPI_INT, MPI_COMM_SELF)) ==
         MPI_ERR_BUFFER);
  EXPECT(class_of(MPI_Send(NULL, 4, MPI_INT, 0, 0, MPI_COMM_SELF)) == MPI_ERR_BUFFER);
  EXPECT(class_of(MPI_Irecv(NULL, 4, MPI_INT, 0, 0, MPI_COMM_SELF, &request)) == MPI_ERR_BUFFER);
  EXPECT(class_of(MPI_Pack(NULL, 4, MPI_INT, out, 16, &position, MPI_COMM_SELF)) == MPI_ERR_BUFFER);
  EXPECT(class_of(MPI_Reduce_local(NULL, out, 4, MPI_INT, MPI_SUM)) == MPI_ERR_BUFFER);
  // Without elements, and with addresses in the type, null is right.
  EXPECT(MPI_Bcast(NULL, 0, MPI_INT, 0, MPI_COMM_SELF) == MPI_SUCCESS);
  MPI_Get_address(out, &address);
  MPI_Type_create_hindexed_block(1, 4, &address, MPI_INT, &far_type);
  MPI_Type_commit(&far_type);
  memset(out, 0, sizeof out);
  EXPECT(MPI_Sendrecv(in, 4, MPI_INT, 0, 0, MPI_BOTTOM, 1, far_type, 0, 0, MPI_COMM_SELF,
                      MPI_STATUS_IGNORE) == MPI_SUCCESS);
  EXPECT(memcmp(in, out, sizeof in) == 0);
  memset(out, 0, sizeof out);
  EXPECT(MPI_Alltoallw(in, (int[]){4}, &displacement, (MPI_Datatype[]){MPI_INT}, MPI_BOTTOM, &one,
                       &displacement, &far_type, MPI_COMM_SELF) == MPI_SUCCESS);
  EXPECT(memcmp(in, out, sizeof in) == 0);
  MPI_Type_free(&far_type);
  // Where they are not significant, buffers may be anything.
  if (rank == 0)
    EXPECT(MPI_Exscan(&one, NULL, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD) == MPI_SUCCESS);
  else
    MPI_Exscan(&one, out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  EXPECT(rank == 0 || out[0] == rank);
  EXPECT(MPI_Reduce(&one, rank == 0 ? out : NULL, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD) ==
         MPI_SUCCESS);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
}

/// Sizes and extents of more than 2^63 bytes.
static void types_that_are_too_large(void) {
  const int most = 2147483647, lengths[2] = {1, 1}, places[1] = {most};
  const MPI_Aint far = (MPI_Aint)1 << 62, apart[2] = {-far, far};
  MPI_Datatype large, wide, made = MPI_DATATYPE_NULL;
  MPI_Datatype types[2] = {MPI_INT, MPI_INT};
  MPI_Aint lower, extent;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Type_contiguous(most, MPI_DOUBLE, &large);
  MPI_Type_create_resized(MPI_INT, 0, far, &wide);
  EXPECT(class_of(MPI_Type_contiguous(most, large, &made)) == MPI_ERR_ARG);
  EXPECT(class_of(MPI_Type_vector(1, most, 1, large, &made)) == MPI_ERR_ARG);
  EXPECT(class_of(MPI_Type_vector(2, 1, 4, wide, &made)) == MPI_ERR_ARG);
  EXPECT(class_of(MPI_Type_create_hvector(4, 1, far, MPI_INT, &made)) == MPI_ERR_ARG);
  EXPECT(class_of(MPI_Type_indexed(1, lengths, places, wide, &made)) == MPI_ERR_ARG);
  EXPECT(class_of(MPI_Type_create_struct(2, lengths, apart, types, &made)) == MPI_ERR_ARG);
  EXPECT(made == MPI_DATATYPE_NULL);
  MPI_Type_contiguous(most / 8, large, &made);
  MPI_Type_get_extent(made, &lower, &extent);
  EXPECT(lower == 0 && extent == (MPI_Aint)most * 8 * (most / 8));
  MPI_Type_free(&made);
  MPI_Type_free(&wide);
  MPI_Type_free(&large);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
}

static void infos(void) {
  MPI_Info info, copied;
  char value[8] = "";
  int flag = 0;
  MPI_Info_create(&info);
  MPI_Info_set(info, "key", "value");
  MPI_Info_dup(info, &copied);
  EXPECT(info != copied);
  MPI_Info_free(&info);
  EXPECT(info == MPI_INFO_NULL);
  MPI_Info_get(copied, "key", 7, value, &flag);
  EXPECT(flag && strcmp(value, "value") == 0);
  MPI_Info_free(&copied);
}

/// Handles as integers, and back.
static void numbers(void) {
  MPI_Comm comm;
  MPI_Datatype type;
  MPI_Comm_dup(MPI_COMM_SELF, &comm);
  MPI_Type_contiguous(3, MPI_INT, &type);
#ifdef MPI_ABI_VERSION
  EXPECT(MPI_Comm_fromint(MPI_Comm_toint(comm)) == comm);
  EXPECT(MPI_Type_fromint(MPI_Type_toint(type)) == type);
#else
  EXPECT(MPI_Comm_f2c(MPI_Comm_c2f(comm)) == comm);
  EXPECT(MPI_Comm_f2c(MPI_Comm_c2f(MPI_COMM_WORLD)) == MPI_COMM_WORLD);
  EXPECT(MPI_Type_f2c(MPI_Type_c2f(type)) == type);
#endif
  MPI_Type_free(&type);
  MPI_Comm_free(&comm);
}

static long heap_in_use(void) {
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)
  return (long)mallinfo2().uordblks;
#else
  return 0;
#endif
}

/* Whose collectives are messages where ranks are in several processes. */
static void communicators_that_come_and_go(void) {
  enum { kLives = 400, kMostLeft = 16 << 10 };
  long in_use[2];
  for (int half = 0; half < 2; ++half) {
    for (int i = 0; i < kLives; ++i) {
      MPI_Comm comm;
      int sum = 0;
      MPI_Comm_dup(MPI_COMM_WORLD, &comm);
      MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
      MPI_Comm_free(&comm);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    in_use[half] = heap_in_use();
    MPI_Barrier(MPI_COMM_WORLD);
  }
  EXPECT(in_use[1] <= in_use[0] + kMostLeft);
}

int main(int count, char** words) {
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  messages();
  many_requests();
  probes();
  types();
  collectives();
  attributes();
  errors();
  files_that_are_not_there();
  a_pointer_that_all_move(words[0]);
  groups_and_grids();
  wrong_arguments();
  types_that_are_too_large();
  no_buffers();
  infos();
  numbers();
  if (count > 1 && strcmp(words[1], "lives") == 0) communicators_that_come_and_go();
  MPI_Finalize();
  if (right) printf("right\n");
  return !right;
}
