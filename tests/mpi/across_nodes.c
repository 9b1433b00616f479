// SPDX-License-Identifier: BSD-3-Clause
// Calls of ranks on several nodes with TERRACE_ACROSS_NODES=1: what `collectives` does not make.
//
// * across_nodes elements: every root, up to 2 MiB, types with gaps, the program's operators
// * across_nodes communicators: more than may be made of leaders, one by one, and 12 at once
// * across_nodes threads: one thread, and then two, each with communicators of its own
// * across_nodes often: enough calls of a kind for trials
// * across_nodes mismatch [scans]: two ranks of a node make different calls
// * across_nodes nodes DIFFERENCE: the nodes make calls that differ in bytes, long, operators,
//   types, reduces, bcasts, lanes, gathers, scans, collectives or last
// * across_nodes seconds N: calls for so long, after a line that says that they are composed by now
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size, failures;

static void check(int is_right, const char* what, int count, int root) {
  if (!is_right && failures++ < 5)
    fprintf(stderr, "wrong: %s of %d, root %d, at rank %d\n", what, count, root, rank);
}

/// Element i of a rank's input: sums of them are exact.
static double value(int of_rank, int i) {
  return (double)((of_rank * 7 + i * 3) % 64 - 20);
}
static double sum_of_all(int ranks, int i) {
  double sum = 0;
  for (int r = 0; r < ranks; ++r) sum += value(r, i);
  return sum;
}

static int is_sum(const double* found, int ranks, int count) {
  for (int i = 0; i < count; ++i)
    if (found[i] != sum_of_all(ranks, i)) return 0;
  return 1;
}

static void check_doubles(MPI_Comm comm, int count) {
  int own, ranks;
  MPI_Comm_rank(comm, &own);
  MPI_Comm_size(comm, &ranks);
  double* in = malloc(((size_t)count + 1) * sizeof *in);
  double* out = malloc(((size_t)count + 1) * sizeof *out);
  for (int root = 0; root < ranks; ++root) {
    for (int i = 0; i < count; ++i) in[i] = value(own, i), out[i] = -1;
    out[count] = 12345;
    MPI_Reduce(in, own == root ? out : NULL, count, MPI_DOUBLE, MPI_SUM, root, comm);
    check(own != root || is_sum(out, ranks, count), "reduce", count, root);
    memcpy(out, in, (size_t)count * sizeof *in);
    MPI_Reduce(own == root ? MPI_IN_PLACE : out, out, count, MPI_DOUBLE, MPI_SUM, root, comm);
    check(own == root ? is_sum(out, ranks, count) : !memcmp(in, out, (size_t)count * sizeof *in),
          "reduce in place", count, root);
    for (int i = 0; i < count; ++i) out[i] = own == root ? value(root + 5, i) : -1;
    MPI_Bcast(out, count, MPI_DOUBLE, root, comm);
    int is_right = out[count] == 12345;
    for (int i = 0; i < count; ++i) is_right = is_right && out[i] == value(root + 5, i);
    check(is_right, "bcast", count, root);
  }
  MPI_Allreduce(in, out, count, MPI_DOUBLE, MPI_SUM, comm);
  check(is_sum(out, ranks, count) && out[count] == 12345, "allreduce", count, 0);
  memcpy(out, in, (size_t)count * sizeof *in);
  MPI_Allreduce(MPI_IN_PLACE, out, count, MPI_DOUBLE, MPI_SUM, comm);
  check(is_sum(out, ranks, count), "allreduce in place", count, 0);
  MPI_Barrier(comm);
  free(in), free(out);
}

/// Byte i of the block that one rank has for another.
static unsigned char byte_of(int from, int to, int i) {
  return (unsigned char)(from * 31 + to * 7 + i * 3 + 1);
}
static void fill(unsigned char* block, int from, int to, int bytes) {
  for (int i = 0; i < bytes; ++i) block[i] = byte_of(from, to, i);
}
static int is_block(const unsigned char* block, int from, int to, int bytes) {
  for (int i = 0; i < bytes; ++i)
    if (block[i] != byte_of(from, to, i)) return 0;
  return 1;
}

static void check_blocks(MPI_Comm comm, int bytes) {
  int own, ranks, is_right;
  MPI_Comm_rank(comm, &own);
  MPI_Comm_size(comm, &ranks);
  unsigned char* out = malloc((size_t)bytes * (size_t)ranks + 1);
  unsigned char* in = malloc((size_t)bytes * (size_t)ranks + 1);
  unsigned char* const mine = in + (size_t)own * (size_t)bytes;
  for (int root = 0; root < ranks; ++root) {
    for (int in_place = 0; in_place < 2; ++in_place) {
      memset(in, 0, (size_t)bytes * (size_t)ranks);
      in[(size_t)bytes * (size_t)ranks] = 77;
      fill(in_place && own == root ? mine : out, own, root, bytes);
      MPI_Gather(in_place && own == root ? MPI_IN_PLACE : out, bytes, MPI_BYTE,
                 own == root ? in : NULL, bytes, MPI_BYTE, root, comm);
      is_right = own != root || in[(size_t)bytes * (size_t)ranks] == 77;
      for (int r = 0; own == root && r < ranks; ++r)
        is_right = is_right && is_block(in + (size_t)r * (size_t)bytes, r, root, bytes);
      check(is_right, "gather", bytes, root);
      memset(in, 0, (size_t)bytes);
      for (int r = 0; r < ranks; ++r) fill(out + (size_t)r * (size_t)bytes, root, r, bytes);
      MPI_Scatter(own == root ? out : NULL, bytes, MPI_BYTE,
                  in_place && own == root ? MPI_IN_PLACE : in, bytes, MPI_BYTE, root, comm);
      is_right = (in_place && own == root) || is_block(in, root, own, bytes);
      check(is_right, "scatter", bytes, root);
    }
  }
  for (int in_place = 0; in_place < 2; ++in_place) {
    memset(in, 0, (size_t)bytes * (size_t)ranks);
    fill(in_place ? mine : out, own, 99, bytes);
    MPI_Allgather(in_place ? MPI_IN_PLACE : out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, comm);
    is_right = 1;
    for (int r = 0; r < ranks; ++r)
      is_right = is_right && is_block(in + (size_t)r * (size_t)bytes, r, 99, bytes);
    check(is_right, "allgather", bytes, 0);
    for (int r = 0; r < ranks; ++r)
      fill((in_place ? in : out) + (size_t)r * (size_t)bytes, own, r, bytes);
    MPI_Alltoall(in_place ? MPI_IN_PLACE : out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, comm);
    is_right = 1;
    for (int r = 0; r < ranks; ++r)
      is_right = is_right && is_block(in + (size_t)r * (size_t)bytes, r, own, bytes);
    check(is_right, "alltoall", bytes, 0);
  }
  free(out), free(in);
}

/// Block r of rank q has value(q + r, i); the sums of blocks are those of `ranks` such values.
static void check_sums_of_blocks(MPI_Comm comm, int count) {
  int own, ranks;
  MPI_Comm_rank(comm, &own);
  MPI_Comm_size(comm, &ranks);
  double* all = malloc(((size_t)count * (size_t)ranks + 1) * sizeof *all);
  double* sum = malloc(((size_t)count + 1) * sizeof *sum);
  for (int in_place = 0; in_place < 2; ++in_place) {
    for (int r = 0; r < ranks; ++r)
      for (int i = 0; i < count; ++i) all[r * count + i] = value(own + r, i);
    sum[count] = 12345;
    MPI_Reduce_scatter_block(in_place ? MPI_IN_PLACE : all, in_place ? all : sum, count, MPI_DOUBLE,
                             MPI_SUM, comm);
    int is_right = sum[count] == 12345;
    for (int i = 0; i < count; ++i) {
      double right = 0;
      for (int q = 0; q < ranks; ++q) right += value(q + own, i);
      is_right = is_right && (in_place ? all : sum)[i] == right;
    }
    check(is_right, "reduce_scatter_block", count, 0);
  }
  free(all), free(sum);
}

/// Every other int of a buffer: what lies between stays as it is.
static void check_gaps(MPI_Comm comm, int count) {
  int own, ranks;
  MPI_Comm_rank(comm, &own);
  MPI_Comm_size(comm, &ranks);
  MPI_Datatype every_other;
  MPI_Type_vector(count, 1, 2, MPI_INT, &every_other);
  MPI_Type_commit(&every_other);
  int* buffer = malloc(2 * (size_t)count * sizeof *buffer);
  for (int root = 0; root < ranks; ++root) {
    for (int i = 0; i < 2 * count; ++i) buffer[i] = own == root ? i + root : -i;
    MPI_Bcast(buffer, 1, every_other, root, comm);
    int is_right = 1;
    for (int i = 0; i < 2 * count; i += 2) is_right = is_right && buffer[i] == i + root;
    for (int i = 1; i < 2 * count; i += 2)
      is_right = is_right && buffer[i] == (own == root ? i + root : -i);
    check(is_right, "bcast of a type with gaps", count, root);
  }
  free(buffer);
  MPI_Type_free(&every_other);
}

struct ValueAndPlace {
  double value;
  int place;
};

/// Pairs of a double and an int, which have gaps, and pairs of ints, which have none.
static void check_pairs(MPI_Comm comm) {
  int own, ranks;
  MPI_Comm_rank(comm, &own);
  MPI_Comm_size(comm, &ranks);
  const struct ValueAndPlace in = {value(own, 1), own};
  struct ValueAndPlace out = {0, -1};
  const int ints[2] = {own % 2, own};
  int found[2] = {-1, -1}, first = 0;
  for (int r = 1; r < ranks; ++r)
    if (value(r, 1) > value(first, 1)) first = r;
  MPI_Allreduce(&in, &out, 1, MPI_DOUBLE_INT, MPI_MAXLOC, comm);
  check(out.value == value(first, 1) && out.place == first, "maxloc of double and int", 1, 0);
  MPI_Allreduce(ints, found, 1, MPI_2INT, MPI_MAXLOC, comm);
  check(found[0] == (ranks > 1) && found[1] == (ranks > 1), "maxloc of two ints", 1, 0);
}

/// The affine maps x -> a x + b, composed: does not commute.
static void compose(void* in, void* inout, int* count, MPI_Datatype* type) {
  const int *f = in, *g = inout;
  int* both = inout;
  (void)type;
  for (int i = 0; i < *count; ++i) {
    const int a = f[2 * i] * g[2 * i], b = f[2 * i] * g[2 * i + 1] + f[2 * i + 1];
    both[2 * i] = a, both[2 * i + 1] = b;
  }
}

/// Element i of a rank's maps, and what the maps of ranks up to `last` make, the last one inside.
static void map_of(int of_rank, int i, int* map) {
  map[0] = 2, map[1] = of_rank + i % 5 + 1;
}
static void maps_up_to(int last, int i, int* map) {
  map_of(0, i, map);
  for (int r = 1; r <= last; ++r) {
    int next[2];
    map_of(r, i, next);
    map[1] += map[0] * next[1];
    map[0] *= next[0];
  }
}
static int are_maps(const int* found, int last, int first, int count) {
  for (int i = 0; i < count; ++i) {
    int right[2];
    maps_up_to(last, first + i, right);
    if (memcmp(found + 2 * i, right, sizeof right) != 0) return 0;
  }
  return 1;
}

static void check_own_operator(MPI_Comm comm, int count, MPI_Datatype two_ints, MPI_Op by) {
  int own, ranks;
  MPI_Comm_rank(comm, &own);
  MPI_Comm_size(comm, &ranks);
  int* maps = malloc(2 * (size_t)count * sizeof *maps);
  int* found = malloc((2 * (size_t)count + 1) * sizeof *found);
  for (int i = 0; i < count; ++i) map_of(own, i, maps + 2 * i);
  found[2 * count] = 12345;
  MPI_Allreduce(maps, found, count, two_ints, by, comm);
  check(are_maps(found, ranks - 1, 0, count), "allreduce by the program's operator", count, 0);
  for (int root = 0; root < ranks; ++root) {
    memset(found, 0, 2 * (size_t)count * sizeof *found);
    MPI_Reduce(maps, found, count, two_ints, by, root, comm);
    check(own != root || are_maps(found, ranks - 1, 0, count), "reduce by it", count, root);
  }
  MPI_Scan(maps, found, count, two_ints, by, comm);
  check(are_maps(found, own, 0, count), "scan by it", count, 0);
  MPI_Exscan(maps, found, count, two_ints, by, comm);
  check(own == 0 || are_maps(found, own - 1, 0, count), "exscan by it", count, 0);
  memcpy(found, maps, 2 * (size_t)count * sizeof *maps);
  MPI_Scan(MPI_IN_PLACE, found, count, two_ints, by, comm);
  check(are_maps(found, own, 0, count), "scan by it in place", count, 0);
  const int block = count / ranks;
  MPI_Reduce_scatter_block(maps, found, block, two_ints, by, comm);
  check(are_maps(found, ranks - 1, own * block, block), "reduce_scatter_block by it", block, 0);
  check(found[2 * count] == 12345, "what lies behind the results", count, 0);
  free(maps), free(found);
}

static void check_own_operators(MPI_Comm comm) {
  static const int counts[] = {1, 7, 500, 20000};
  MPI_Op by;
  MPI_Datatype two_ints;
  MPI_Type_contiguous(2, MPI_INT, &two_ints);
  MPI_Type_commit(&two_ints);
  MPI_Op_create(compose, 0, &by);
  for (unsigned k = 0; k < sizeof counts / sizeof *counts; ++k)
    check_own_operator(comm, counts[k], two_ints, by);
  MPI_Op_free(&by);
  MPI_Type_free(&two_ints);
}

static void check_elements(MPI_Comm comm) {
  static const int counts[] = {0, 1, 3, 512, 131072};
  for (int i = 0; i < 5; ++i) MPI_Barrier(comm);
  for (unsigned k = 0; k < sizeof counts / sizeof *counts; ++k)
    for (int again = 0; again < 4; ++again) check_doubles(comm, counts[k]);
  static const int blocks[] = {0, 1, 100, 5000, 70000};
  for (unsigned k = 0; k < sizeof blocks / sizeof *blocks; ++k) {
    check_blocks(comm, blocks[k]);
    check_sums_of_blocks(comm, blocks[k]);
  }
  check_gaps(comm, 1);
  check_gaps(comm, 3000);
  check_pairs(comm);
  check_own_operators(comm);
}

static void elements(void) {
  MPI_Comm backwards, mixed;
  check_elements(MPI_COMM_WORLD);
  check_doubles(MPI_COMM_WORLD, 300001);  // more pieces than are on their way at once
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &backwards);
  check_elements(backwards);
  MPI_Comm_split(MPI_COMM_WORLD, 0, rank % 2 * size + rank, &mixed);  // nodes take turns
  check_elements(mixed);
  MPI_Comm_free(&backwards);
  MPI_Comm_free(&mixed);
}

static void check_sums(MPI_Comm comm, int calls) {
  for (int i = 0; i < calls; ++i) {
    double in = value(rank, i), out = -1;
    MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, comm);
    check(out == sum_of_all(size, i), "allreduce on a new communicator", 1, 0);
  }
}

enum { kMade = 80, kAtOnce = 12 };

static void communicators(void) {
  MPI_Comm comm, at_once[kAtOnce];
  for (int i = 0; i < kMade; ++i) {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    check_sums(comm, 22);  // the 20th call founds teams
    MPI_Comm_free(&comm);
  }
  for (int i = 0; i < kAtOnce; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &at_once[i]);
  for (int i = 0; i < kAtOnce; ++i) check_sums(at_once[i], 30);
  for (int i = 0; i < kAtOnce; ++i) check_sums(at_once[i], 3);
  for (int i = 0; i < kAtOnce; ++i) MPI_Comm_free(&at_once[i]);
}

static void* in_a_thread(void* start) {
  for (int i = 0; i < 10; ++i) {
    MPI_Comm comm;
    MPI_Comm_dup(*(MPI_Comm*)start, &comm);
    for (int k = 0; k < 40; ++k) {
      int in = rank + k, out = -1;
      MPI_Allreduce(&in, &out, 1, MPI_INT, MPI_SUM, comm);
      if (out != size * (size - 1) / 2 + k * size) return "wrong";
    }
    MPI_Comm_free(&comm);
  }
  return NULL;
}

static void threads(void) {
  pthread_t thread[2];
  MPI_Comm start[2];
  void* wrong[2];
  for (int call = 0; call < 50; ++call) {
    int number = rank == 0 ? call : -1;
    MPI_Bcast(&number, 1, MPI_INT, 0, MPI_COMM_WORLD);
    check(number == call, "bcast before there are threads", 1, 0);
  }
  for (int i = 0; i < 2; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &start[i]);
  for (int i = 0; i < 2; ++i) pthread_create(&thread[i], NULL, in_a_thread, &start[i]);
  for (int i = 0; i < 2; ++i) pthread_join(thread[i], &wrong[i]);
  for (int i = 0; i < 2; ++i) check(wrong[i] == NULL, "allreduce in a thread", 1, i);
  for (int i = 0; i < 2; ++i) MPI_Comm_free(&start[i]);
}

static void check_short_calls(int call) {
  double words[64];
  const int root = call % size;
  for (int i = 0; i < 64; ++i) words[i] = rank == root ? value(call % 9, i) : -1;
  MPI_Bcast(words, 64, MPI_DOUBLE, root, MPI_COMM_WORLD);
  for (int i = 0; i < 64; ++i) check(words[i] == value(call % 9, i), "bcast", 64, root);
  int number = rank + call, most = -1;
  MPI_Allreduce(&number, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  check(most == size - 1 + call, "allreduce", 1, 0);
  double in = value(rank, call), sum = -1;
  MPI_Reduce(&in, &sum, 1, MPI_DOUBLE, MPI_SUM, root, MPI_COMM_WORLD);
  check(rank != root || sum == sum_of_all(size, call), "reduce", 1, root);
  MPI_Barrier(MPI_COMM_WORLD);
}

/// So many calls of each kind that trials come to an end: those of fast calls begin late.
static void often(void) {
  for (int call = 0; call < 3000; ++call) check_short_calls(call);
}

static void for_seconds(double seconds) {
  int call = 0;
  for (; call < 20; ++call) check_short_calls(call);
  if (rank == 0) printf("calls are composed\n"), fflush(stdout);
  const double end = MPI_Wtime() + seconds;
  for (int goes_on = 1; goes_on; ++call) {
    check_short_calls(call);
    check_doubles(MPI_COMM_WORLD, 20000);
    goes_on = MPI_Wtime() < end;
    MPI_Bcast(&goes_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
}

/// One of two calls that differ. `is_other`: of the ranks that make the other one.
static void make_differing(const char* what, int is_other) {
  int number[2000] = {0}, sum[2000] = {0};
  const int last = size - 1;
  if (!strcmp(what, "bytes"))
    MPI_Allreduce(number, sum, is_other ? 2 : 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (!strcmp(what, "long")) MPI_Bcast(number, is_other ? 2000 : 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (!strcmp(what, "operators"))
    MPI_Allreduce(number, sum, 1, MPI_INT, is_other ? MPI_MAX : MPI_SUM, MPI_COMM_WORLD);
  if (!strcmp(what, "types"))
    MPI_Reduce(number, sum, 1, is_other ? MPI_FLOAT : MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (!strcmp(what, "reduces"))  // each waits for the other
    MPI_Reduce(number, sum, 1, MPI_INT, MPI_SUM, is_other ? last : 0, MPI_COMM_WORLD);
  if (!strcmp(what, "bcasts"))  // each sends
    MPI_Bcast(number, 1, MPI_INT, is_other ? last : 0, MPI_COMM_WORLD);
  if (!strcmp(what, "lanes"))  // each in a lane of its own
    MPI_Bcast(number, 1, MPI_INT, is_other ? 0 : last, MPI_COMM_WORLD);
  if (!strcmp(what, "gathers"))
    MPI_Gather(number, is_other ? 2 : 1, MPI_INT, sum, is_other ? 2 : 1, MPI_INT, 0,
               MPI_COMM_WORLD);
  if (!strcmp(what, "scans"))  // made of the same parts
    (is_other ? MPI_Exscan : MPI_Scan)(number, sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (!strcmp(what, "collectives") && is_other) MPI_Barrier(MPI_COMM_WORLD);
  if (!strcmp(what, "collectives") && !is_other) MPI_Bcast(number, 1, MPI_INT, 0, MPI_COMM_WORLD);
}

/// The ranks of the other node make another call, and then all make one more; or that is the last.
static void mismatch_of_nodes(const char* what) {
  int number = 1, sum = 0;
  for (int i = 0; i < 5; ++i) MPI_Allreduce(&number, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  make_differing(!strcmp(what, "last") ? "bcasts" : what, rank >= size / 2);
  if (strcmp(what, "last")) MPI_Allreduce(&number, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static void mismatch(int of_scans) {
  int number = 1, sum = 0;
  for (int i = 0; i < 5; ++i) MPI_Allreduce(&number, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (of_scans)
    make_differing("scans", rank % 2);  // as their lanes, so that these see nothing
  else if (rank == 1)
    MPI_Bcast(&number, 1, MPI_INT, 0, MPI_COMM_WORLD);
  else
    MPI_Allreduce(&number, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  const char* const what = argc > 1 ? argv[1] : "elements";
  int all = 0, level;
  MPI_Init_thread(&argc, &argv, strcmp(what, "threads") ? MPI_THREAD_SINGLE : MPI_THREAD_MULTIPLE,
                  &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (!strcmp(what, "elements")) elements();
  if (!strcmp(what, "communicators")) communicators();
  if (!strcmp(what, "threads") && level == MPI_THREAD_MULTIPLE) threads();
  if (!strcmp(what, "often")) often();
  if (argc > 2 && !strcmp(what, "seconds")) for_seconds(atof(argv[2]));
  if (!strcmp(what, "mismatch")) mismatch(argc > 2 && !strcmp(argv[2], "scans"));
  if (argc > 2 && !strcmp(what, "nodes")) mismatch_of_nodes(argv[2]);
  PMPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf(all ? "%d results are wrong\n" : "all right %d\n", all);
  MPI_Finalize();
  return all != 0;
}
