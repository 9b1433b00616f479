// SPDX-License-Identifier: BSD-3-Clause
// The collectives with a block per rank, and scans: over sizes, roots, layouts that differ from
// rank to rank, in place or not, on communicators of several shapes. Results are compared with what
// each rank computes by itself; gaps, and what lies beyond, must stay as they were.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "by_node.h"

static int failures = 0;
static MPI_Comm comm;
static int rank, size;

static void fail(const char* what, int count, int root) {
  if (failures++ < 10)
    fprintf(stderr, "wrong: %s of %d, root %d, at rank %d of %d\n", what, count, root, rank, size);
}

// How numbers lie: one after the other, or each in the middle of three.
enum { kDense, kSpaced, kLayouts };
static MPI_Datatype layout_types[kLayouts];
static const int strides[kLayouts] = {1, 3}, firsts[kLayouts] = {0, 1};
enum { kGap = 0x5a5a5a5a };

static void make_layouts(void) {
  int one = 1, place = sizeof(int);
  MPI_Datatype middle;
  MPI_Aint offset = place;
  MPI_Type_create_hindexed(1, &one, &offset, MPI_INT, &middle);
  MPI_Type_create_resized(middle, 0, 3 * sizeof(int), &layout_types[kSpaced]);
  MPI_Type_commit(&layout_types[kSpaced]);
  MPI_Type_free(&middle);
  layout_types[kDense] = MPI_INT;
}

typedef struct {
  int* at;
  int layout;
  int places;           // for elements
  unsigned char* used;  // those that this rank has given or looked at
} Buffer;

static Buffer new_buffer(int layout, int places) {
  const size_t numbers = (size_t)places * (size_t)strides[layout] + 2;
  Buffer buffer = {malloc(numbers * sizeof(int)), layout, places, calloc((size_t)places + 1, 1)};
  memset(buffer.at, kGap & 255, numbers * sizeof(int));
  return buffer;
}

static int* place(const Buffer* buffer, int i) {
  buffer->used[i] = 1;
  return buffer->at + i * strides[buffer->layout] + firsts[buffer->layout];
}

static MPI_Datatype type_of(const Buffer* buffer) {
  return layout_types[buffer->layout];
}

/// Whether nothing but elements was written; then the buffer goes.
static void end(Buffer* buffer, const char* what, int count, int root) {
  for (int i = 0; i < buffer->places; ++i)
    if (buffer->used[i]) *place(buffer, i) = kGap;
  const int numbers = buffer->places * strides[buffer->layout] + 2;
  for (int i = 0; i < numbers; ++i)
    if (buffer->at[i] != kGap) {
      fail(what, count, root);
      break;
    }
  free(buffer->at), free(buffer->used);
}

/// Element i of what one rank has for another.
static int value(int from, int to, int i) {
  return (int)(((unsigned)from * 2654435761u + (unsigned)to * 40503u + (unsigned)i * 97u) >> 3 &
               0xffff);
}

static void give(Buffer* buffer, int begin, int from, int to, int count) {
  for (int i = 0; i < count; ++i) *place(buffer, begin + i) = value(from, to, i);
}

static int holds(const Buffer* buffer, int begin, int from, int to, int count) {
  for (int i = 0; i < count; ++i)
    if (*place(buffer, begin + i) != value(from, to, i)) return 0;
  return 1;
}

static int layouts_differ = 1;

/// A layout for this rank's next buffer.
static int some_layout(int step) {
  return layouts_differ && (rank + step) % 3 == 0 ? kSpaced : kDense;
}

static void check_allgather(int count, int in_place, int step) {
  Buffer in = new_buffer(some_layout(step), count),
         out = new_buffer(some_layout(step / 3), count * size);
  give(in_place ? &out : &in, in_place ? rank * count : 0, rank, 0, count);
  MPI_Allgather(in_place ? MPI_IN_PLACE : in.at, count, type_of(&in), out.at, count, type_of(&out),
                comm);
  for (int from = 0; from < size; ++from)
    if (!holds(&out, from * count, from, 0, count)) fail("allgather", count, from);
  end(&in, "input of allgather", count, 0), end(&out, "output of allgather", count, 0);
}

static void check_gather(int count, int root, int in_place, int step) {
  const int is_root = rank == root, is_in_place = in_place && is_root;
  Buffer in = new_buffer(some_layout(step), count);
  Buffer out = new_buffer(some_layout(step / 3), is_root ? count * size : 0);
  give(is_in_place ? &out : &in, is_in_place ? rank * count : 0, rank, root, count);
  MPI_Gather(is_in_place ? MPI_IN_PLACE : in.at, is_in_place ? -1 : count,
             is_in_place ? MPI_DATATYPE_NULL : type_of(&in), is_root ? out.at : NULL,
             is_root ? count : -1, is_root ? type_of(&out) : MPI_DATATYPE_NULL, root, comm);
  for (int from = 0; from < size && is_root; ++from)
    if (!holds(&out, from * count, from, root, count)) fail("gather", count, root);
  end(&in, "input of gather", count, root), end(&out, "output of gather", count, root);
}

static void check_scatter(int count, int root, int in_place, int step) {
  const int is_root = rank == root, is_in_place = in_place && is_root;
  Buffer in = new_buffer(some_layout(step), is_root ? count * size : 0);
  Buffer out = new_buffer(some_layout(step / 3), count);
  for (int to = 0; to < size && is_root; ++to) give(&in, to * count, root, to, count);
  MPI_Scatter(is_root ? in.at : NULL, is_root ? count : -1,
              is_root ? type_of(&in) : MPI_DATATYPE_NULL, is_in_place ? MPI_IN_PLACE : out.at,
              is_in_place ? -1 : count, is_in_place ? MPI_DATATYPE_NULL : type_of(&out), root,
              comm);
  const int is_right =
      is_in_place ? holds(&in, rank * count, root, rank, count) : holds(&out, 0, root, rank, count);
  if (!is_right) fail("scatter", count, root);
  end(&in, "input of scatter", count, root), end(&out, "output of scatter", count, root);
}

static void check_alltoall(int count, int in_place, int step) {
  Buffer in = new_buffer(some_layout(step), count * size);
  Buffer out = new_buffer(some_layout(step / 3), count * size);
  for (int to = 0; to < size; ++to) give(in_place ? &out : &in, to * count, rank, to, count);
  MPI_Alltoall(in_place ? MPI_IN_PLACE : in.at, count, type_of(&in), out.at, count, type_of(&out),
               comm);
  for (int from = 0; from < size; ++from)
    if (!holds(&out, from * count, from, rank, count)) fail("alltoall", count, from);
  end(&in, "input of alltoall", count, 0), end(&out, "output of alltoall", count, 0);
}

// The first and the last operand: these do not commute, and tell the order at both ends.
static void take_first(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)type;
  memcpy(inout, in, (size_t)*count * sizeof(int));
}
static void take_last(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)in, (void)inout, (void)count, (void)type;
}

enum { kSum, kMaximum, kFirst, kLast, kOperators };
static MPI_Op operators[kOperators];

/// Element i of what ranks 0 to `ranks` - 1 have for one, combined.
static int combined(int op, int ranks, int to, int i) {
  int result = value(0, to, i);
  for (int from = 1; from < ranks; ++from) {
    const int next = value(from, to, i);
    if (op == kSum) result += next;
    if (op == kLast || (op == kMaximum && next > result)) result = next;
  }
  return result;
}

static int holds_combined(const Buffer* buffer, int op, int ranks, int to, int count) {
  for (int i = 0; i < count; ++i)
    if (*place(buffer, i) != combined(op, ranks, to, i)) return 0;
  return 1;
}

static void check_scans(int count, int in_place, int op) {
  for (int is_exclusive = 0; is_exclusive < 2; ++is_exclusive) {
    Buffer in = new_buffer(kDense, count), out = new_buffer(kDense, count);
    give(&in, 0, rank, 0, count);
    if (in_place) give(&out, 0, rank, 0, count);
    (is_exclusive ? MPI_Exscan : MPI_Scan)(in_place ? MPI_IN_PLACE : in.at, out.at, count, MPI_INT,
                                           operators[op], comm);
    if (!is_exclusive && !holds_combined(&out, op, rank + 1, 0, count)) fail("scan", count, op);
    if (is_exclusive && rank > 0 && !holds_combined(&out, op, rank, 0, count))
      fail("exscan", count, op);
    if (!holds(&in, 0, rank, 0, count)) fail("input of a scan", count, op);
    end(&in, "input of a scan", count, op), end(&out, "output of a scan", count, op);
  }
}

static void check_reduce_scatter_block(int count, int in_place, int op) {
  Buffer in = new_buffer(kDense, count * size), out = new_buffer(kDense, count * size);
  for (int to = 0; to < size; ++to) give(in_place ? &out : &in, to * count, rank, to, count);
  MPI_Reduce_scatter_block(in_place ? MPI_IN_PLACE : in.at, out.at, count, MPI_INT, operators[op],
                           comm);
  if (!holds_combined(&out, op, size, rank, count)) fail("reduce_scatter_block", count, op);
  end(&in, "input of reduce_scatter_block", count, op);
  end(&out, "output of reduce_scatter_block", count, op);
}

// Blocks of different length, none of some, that lie in descending order with gaps in between.
enum { kMostRanks = 16, kSpace = 2 };

static int length(int from, int to, int most) {
  const int share = (from * 31 + to * 17 + 7) % 4;
  return share == 0 ? 0 : most * share / 3 + (from + 2 * to) % 3;
}

typedef struct {
  int counts[kMostRanks], places[kMostRanks], total;
} Table;

/// Lengths of the blocks from or to each rank: `from` and `to` are ranks, or -1 for each.
static Table table_of(int from, int to, int most) {
  Table table = {{0}, {0}, 0};
  for (int i = size - 1; i >= 0; --i) {
    table.counts[i] = length(from < 0 ? i : from, to < 0 ? i : to, most);
    table.places[i] = table.total + kSpace;
    table.total += table.counts[i] + kSpace;
  }
  return table;
}

static void check_allgatherv(int most, int in_place, int step) {
  const Table table = table_of(-1, 0, most);
  const int count = table.counts[rank];
  Buffer in = new_buffer(some_layout(step), count);
  Buffer out = new_buffer(some_layout(step / 3), table.total + kSpace);
  give(in_place ? &out : &in, in_place ? table.places[rank] : 0, rank, 0, count);
  MPI_Allgatherv(in_place ? MPI_IN_PLACE : in.at, count, type_of(&in), out.at, table.counts,
                 table.places, type_of(&out), comm);
  for (int from = 0; from < size; ++from)
    if (!holds(&out, table.places[from], from, 0, table.counts[from]))
      fail("allgatherv", most, from);
  end(&in, "input of allgatherv", most, 0), end(&out, "output of allgatherv", most, 0);
}

static void check_gatherv(int most, int root, int in_place, int step) {
  const Table table = table_of(-1, root, most);
  const int count = table.counts[rank], is_root = rank == root, is_in_place = in_place && is_root;
  Buffer in = new_buffer(some_layout(step), count);
  Buffer out = new_buffer(some_layout(step / 3), is_root ? table.total + kSpace : 0);
  give(is_in_place ? &out : &in, is_in_place ? table.places[rank] : 0, rank, root, count);
  MPI_Gatherv(is_in_place ? MPI_IN_PLACE : in.at, is_in_place ? -1 : count,
              is_in_place ? MPI_DATATYPE_NULL : type_of(&in), is_root ? out.at : NULL,
              is_root ? table.counts : NULL, is_root ? table.places : NULL,
              is_root ? type_of(&out) : MPI_DATATYPE_NULL, root, comm);
  for (int from = 0; from < size && is_root; ++from)
    if (!holds(&out, table.places[from], from, root, table.counts[from]))
      fail("gatherv", most, root);
  end(&in, "input of gatherv", most, root), end(&out, "output of gatherv", most, root);
}

static void check_scatterv(int most, int root, int in_place, int step) {
  const Table table = table_of(root, -1, most);
  const int count = table.counts[rank], is_root = rank == root, is_in_place = in_place && is_root;
  Buffer in = new_buffer(some_layout(step), is_root ? table.total + kSpace : 0);
  Buffer out = new_buffer(some_layout(step / 3), count);
  for (int to = 0; to < size && is_root; ++to)
    give(&in, table.places[to], root, to, table.counts[to]);
  MPI_Scatterv(is_root ? in.at : NULL, is_root ? table.counts : NULL, is_root ? table.places : NULL,
               is_root ? type_of(&in) : MPI_DATATYPE_NULL, is_in_place ? MPI_IN_PLACE : out.at,
               is_in_place ? -1 : count, is_in_place ? MPI_DATATYPE_NULL : type_of(&out), root,
               comm);
  const int is_right = is_in_place ? holds(&in, table.places[rank], root, rank, count)
                                   : holds(&out, 0, root, rank, count);
  if (!is_right) fail("scatterv", most, root);
  end(&in, "input of scatterv", most, root), end(&out, "output of scatterv", most, root);
}

static void check_alltoallv(int most, int step) {
  const Table given = table_of(rank, -1, most), wanted = table_of(-1, rank, most);
  Buffer in = new_buffer(some_layout(step), given.total + kSpace);
  Buffer out = new_buffer(some_layout(step / 3), wanted.total + kSpace);
  for (int to = 0; to < size; ++to) give(&in, given.places[to], rank, to, given.counts[to]);
  MPI_Alltoallv(in.at, given.counts, given.places, type_of(&in), out.at, wanted.counts,
                wanted.places, type_of(&out), comm);
  for (int from = 0; from < size; ++from)
    if (!holds(&out, wanted.places[from], from, rank, wanted.counts[from]))
      fail("alltoallv", most, from);
  end(&in, "input of alltoallv", most, 0), end(&out, "output of alltoallv", most, 0);
}

/// In place, two ranks give each other as much.
static void check_alltoallv_in_place(int most, int step) {
  Table table = {{0}, {0}, 0};
  for (int i = 0; i < size; ++i) {
    table.counts[i] = length(i < rank ? i : rank, i < rank ? rank : i, most);
    table.places[i] = table.total + kSpace;
    table.total += table.counts[i] + kSpace;
  }
  Buffer out = new_buffer(some_layout(step), table.total + kSpace);
  for (int to = 0; to < size; ++to) give(&out, table.places[to], rank, to, table.counts[to]);
  MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, out.at, table.counts, table.places,
                type_of(&out), comm);
  for (int from = 0; from < size; ++from)
    if (!holds(&out, table.places[from], from, rank, table.counts[from]))
      fail("alltoallv in place", most, from);
  end(&out, "alltoallv in place", most, 0);
}

/// A layout for each peer, which the peer need not share; places are bytes.
static void check_alltoallw(int most) {
  const Table given = table_of(rank, -1, most), wanted = table_of(-1, rank, most);
  Buffer in[kMostRanks], out[kMostRanks];
  MPI_Datatype in_types[kMostRanks], out_types[kMostRanks];
  int in_places[kMostRanks], out_places[kMostRanks], widest = 0;
  for (int i = 0; i < size; ++i) {
    in[i] = new_buffer(some_layout(i), given.counts[i]);
    out[i] = new_buffer(some_layout(i / 2), wanted.counts[i]);
    widest = given.counts[i] > widest ? given.counts[i] : widest;
    widest = wanted.counts[i] > widest ? wanted.counts[i] : widest;
  }
  // One buffer of each kind: a room of `widest` elements for each peer.
  const size_t room = ((size_t)widest * 3 + 2) * sizeof(int);
  char *all_in = malloc(room * (size_t)size), *all_out = malloc(room * (size_t)size);
  memset(all_out, kGap & 255, room * (size_t)size);
  for (int i = 0; i < size; ++i) {
    give(&in[i], 0, rank, i, given.counts[i]);
    in_types[i] = type_of(&in[i]), out_types[i] = type_of(&out[i]);
    in_places[i] = (int)room * (size - 1 - i), out_places[i] = (int)room * i;
    memcpy(all_in + in_places[i], in[i].at,
           ((size_t)given.counts[i] * (size_t)strides[in[i].layout] + 2) * sizeof(int));
  }
  MPI_Alltoallw(all_in, given.counts, in_places, in_types, all_out, wanted.counts, out_places,
                out_types, comm);
  for (int i = 0; i < size; ++i) {
    memcpy(out[i].at, all_out + out_places[i],
           ((size_t)wanted.counts[i] * (size_t)strides[out[i].layout] + 2) * sizeof(int));
    if (!holds(&out[i], 0, i, rank, wanted.counts[i])) fail("alltoallw", most, i);
    end(&in[i], "input of alltoallw", most, i), end(&out[i], "output of alltoallw", most, i);
  }
  free(all_in), free(all_out);
}

static void check_reduce_scatter(int most, int in_place, int op) {
  int counts[kMostRanks], total = 0, begin = 0;
  for (int to = 0; to < size; ++to) total += counts[to] = length(1, to, most);
  Buffer in = new_buffer(kDense, total), out = new_buffer(kDense, total);
  for (int to = 0; to < size; begin += counts[to++])
    give(in_place ? &out : &in, begin, rank, to, counts[to]);
  MPI_Reduce_scatter(in_place ? MPI_IN_PLACE : in.at, out.at, counts, MPI_INT, operators[op], comm);
  if (!holds_combined(&out, op, size, rank, counts[rank])) fail("reduce_scatter", most, op);
  end(&in, "input of reduce_scatter", most, op), end(&out, "output of reduce_scatter", most, op);
}

static void check_uneven(int most, int step) {
  check_alltoallv(most, step), check_alltoallv_in_place(most, step + 1), check_alltoallw(most);
  for (int in_place = 0; in_place < 2; ++in_place) {
    if (size > 1) check_allgatherv(most, in_place, step);  // alone, MPICH 4.0 forgets the place
    for (int root = 0; root < size; ++root) {
      check_gatherv(most, root, in_place, step + root);
      check_scatterv(most, root, in_place, step + root + 1);
    }
    for (int op = 0; op < kOperators; ++op) check_reduce_scatter(most, in_place, op);
  }
}

static void check_regular(int count, int step) {
  for (int in_place = 0; in_place < 2; ++in_place) {
    check_allgather(count, in_place, step);
    check_alltoall(count, in_place, step + 1);
    for (int root = 0; root < size; ++root) {
      check_gather(count, root, in_place, step + root);
      check_scatter(count, root, in_place, step + root + 1);
    }
    for (int op = 0; op < kOperators; ++op) {
      check_scans(count, in_place, op);
      check_reduce_scatter_block(count, in_place, op);
    }
  }
}

static void check_all(MPI_Comm which, int most) {
  comm = which;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  int step = 0;
  for (int i = 0; i < 3; ++i) MPI_Barrier(comm);
  for (int count = 0; count < most; count = count < 3 ? count + 1 : count * 4 + 1)
    check_regular(count, step), check_uneven(count, step), ++step;
  check_regular(most, step), check_uneven(most, step);
}

static void check_orders_and_halves(int world_rank, int world_size) {
  MPI_Comm half, backwards;
  MPI_Comm_split(MPI_COMM_WORLD, 0, world_size - world_rank, &backwards);
  check_all(backwards, 300);
  MPI_Comm_split(MPI_COMM_WORLD, world_rank % 2, world_rank, &half);
  check_all(half, 300);
  MPI_Comm_free(&half), MPI_Comm_free(&backwards);
}

/// Over nodes layouts are all alike: Open MPI 5's coll/han puts blocks in wrong places otherwise,
/// and Intel MPI 2021.18 writes beyond buffers.
static void check_nodes(const char* ranks_per_node, int most) {
  MPI_Comm node = split_by_node(ranks_per_node);
  layouts_differ = 0;
  check_all(MPI_COMM_WORLD, most);
  layouts_differ = 1;
  if (node == MPI_COMM_NULL) {
    ++failures;
    return;
  }
  check_all(node, 300);
  MPI_Comm_free(&node);
}

int main(int argc, char** argv) {
  int world_rank, world_size, all = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &world_size);
  make_layouts();
  operators[kSum] = MPI_SUM, operators[kMaximum] = MPI_MAX;
  MPI_Op_create(take_first, 0, &operators[kFirst]);
  MPI_Op_create(take_last, 0, &operators[kLast]);
  const int most = argc > 1 ? atoi(argv[1]) : 100000;
  if (argc > 2) {
    check_nodes(argv[2], most);
  } else {
    check_all(MPI_COMM_WORLD, most);
    check_orders_and_halves(world_rank, world_size);
  }
  MPI_Op_free(&operators[kFirst]), MPI_Op_free(&operators[kLast]);
  MPI_Type_free(&layout_types[kSpaced]);
  PMPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (world_rank == 0) printf(all ? "%d results are wrong\n" : "all right %d\n", all);
  MPI_Finalize();
  return all != 0;
}
