/* SPDX-License-Identifier: BSD-3-Clause
 * Each rank has every n-th block of a file, by a view. Prints, for each length of a block and each
 * way, the block's bytes, the way, and MB/s of all ranks together: the best of some rounds. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  kRounds = 5,
  kBytes = 32 << 20,
  kBytesOfSmallBlocks = 4 << 20,
  kSmallBlock = 512,
  kWays = 3
};
static const char* const kNames[kWays] = {"write_all", "read_all", "read"};

static int rank, ranks;

/* Seconds of one access by all ranks. */
static double timed(int way, MPI_File file, char* buffer, int bytes) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  if (way == 0) MPI_File_write_at_all(file, 0, buffer, bytes, MPI_BYTE, MPI_STATUS_IGNORE);
  if (way == 1) MPI_File_read_at_all(file, 0, buffer, bytes, MPI_BYTE, MPI_STATUS_IGNORE);
  if (way == 2) MPI_File_read_at(file, 0, buffer, bytes, MPI_BYTE, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  return MPI_Wtime() - start;
}

static void check(const char* buffer, int bytes, int round) {
  for (int i = 0; i < bytes; ++i)
    if (buffer[i] != (char)(rank + round)) {
      fprintf(stderr, "rank %d read a wrong byte at %d\n", rank, i);
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

static void measure(const char* path, char* buffer, int block) {
  const int bytes = block < kSmallBlock ? kBytesOfSmallBlocks : kBytes;
  double best[kWays] = {1e9, 1e9, 1e9};
  MPI_Datatype own, tile;
  MPI_Type_contiguous(block, MPI_BYTE, &own);
  MPI_Type_create_resized(own, 0, (MPI_Aint)block * ranks, &tile);
  MPI_Type_commit(&tile);
  for (int round = 0; round < kRounds; ++round) {
    MPI_File file;
    MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &file);
    MPI_File_set_view(file, (MPI_Offset)rank * block, MPI_BYTE, tile, "native", MPI_INFO_NULL);
    memset(buffer, rank + round, (size_t)bytes);
    for (int way = 0; way < kWays; ++way) {
      const double seconds = timed(way, file, buffer, bytes);
      if (seconds < best[way]) best[way] = seconds;
      check(buffer, bytes, round);
      if (way > 0) memset(buffer, 0, way + 1 < kWays ? (size_t)bytes : 0);
    }
    MPI_File_close(&file);
  }
  for (int way = 0; rank == 0 && way < kWays; ++way)
    printf("%d,%s,%.0f\n", block, kNames[way], (double)bytes * ranks / best[way] / 1e6);
  MPI_Type_free(&own);
  MPI_Type_free(&tile);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  char* const buffer = malloc(kBytes);
  const int blocks[] = {16, 512, 4096, 65536, 1 << 20};
  for (int i = 0; i < 5; ++i) measure(argv[1], buffer, blocks[i]);
  free(buffer);
  MPI_Finalize();
  return 0;
}
