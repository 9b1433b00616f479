// SPDX-License-Identifier: BSD-3-Clause
// Every predefined type with every predefined operator: what the underlying MPI can combine must
// come out of reduce and allreduce as it has it, in place or not, and what it refuses must be
// refused. Values are small whole numbers, so that all results are exact. It says how many calls
// ought to be Terrace's: those of all pairs that the MPI combines.
#include <float.h>
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures = 0, rank, size;

static void fail(const char* what, const char* type, const char* op, int count) {
  if (failures++ < 20)
    fprintf(stderr, "wrong: %s of %d %s, %s, at rank %d\n", what, count, type, op, rank);
}

// How numbers lie in an element.
enum Shape {
  kInteger,
  kReal,
  kComplex,
  kLogical,  // 0 or 1
  kPair,     // a value, then an int where the compiler puts it
  kTwins,    // two of the same
};

// Kinds of floating-point numbers: by the C type of their size, or IEEE's of 2 and 16 bytes.
enum { kNone, kOfC, kHalf, kQuad };

#define LAID_OUT(T, C) \
  struct pair_##T {    \
    C value;           \
    int index;         \
  };
LAID_OUT(MPI_FLOAT_INT, float)
LAID_OUT(MPI_DOUBLE_INT, double)
LAID_OUT(MPI_LONG_INT, long)
LAID_OUT(MPI_SHORT_INT, short)
LAID_OUT(MPI_LONG_DOUBLE_INT, long double)

static const struct {
  const char* name;
  MPI_Datatype type;
  enum Shape shape;
  int bytes;   // of a value; 0: as MPI_Type_size says, halved for shapes of two
  int floats;  // whether values are floating-point, and then which
  int offset;  // of a pair's index
  int extent;  // of a pair
} types[] = {
#define ONE(T, SHAPE, C, FLOATS) \
  { #T, T, SHAPE, sizeof(C), FLOATS, 0, 0 }
#define PAIR(T, C, FLOATS)                                                  \
  {                                                                         \
#T, T, kPair, sizeof(C), FLOATS, (int)offsetof(struct pair_##T, index), \
        (int)sizeof(struct pair_##T)                                        \
  }
#define FORTRAN(T, SHAPE, FLOATS) \
  { #T, T, SHAPE, 0, FLOATS, 0, 0 }
    ONE(MPI_BYTE, kInteger, char, 0),
    ONE(MPI_CHAR, kInteger, char, 0),
    ONE(MPI_WCHAR, kInteger, wchar_t, 0),
    ONE(MPI_SIGNED_CHAR, kInteger, signed char, 0),
    ONE(MPI_SHORT, kInteger, short, 0),
    ONE(MPI_INT, kInteger, int, 0),
    ONE(MPI_LONG, kInteger, long, 0),
    ONE(MPI_LONG_LONG, kInteger, long long, 0),
    ONE(MPI_UNSIGNED_CHAR, kInteger, unsigned char, 0),
    ONE(MPI_UNSIGNED_SHORT, kInteger, unsigned short, 0),
    ONE(MPI_UNSIGNED, kInteger, unsigned, 0),
    ONE(MPI_UNSIGNED_LONG, kInteger, unsigned long, 0),
    ONE(MPI_UNSIGNED_LONG_LONG, kInteger, unsigned long long, 0),
    ONE(MPI_INT8_T, kInteger, char, 0),
    ONE(MPI_INT16_T, kInteger, short, 0),
    ONE(MPI_INT32_T, kInteger, int, 0),
    ONE(MPI_INT64_T, kInteger, long, 0),
    ONE(MPI_UINT8_T, kInteger, char, 0),
    ONE(MPI_UINT16_T, kInteger, short, 0),
    ONE(MPI_UINT32_T, kInteger, int, 0),
    ONE(MPI_UINT64_T, kInteger, long, 0),
    ONE(MPI_AINT, kInteger, MPI_Aint, 0),
    ONE(MPI_OFFSET, kInteger, MPI_Offset, 0),
    ONE(MPI_COUNT, kInteger, MPI_Count, 0),
    ONE(MPI_FLOAT, kReal, float, 1),
    ONE(MPI_DOUBLE, kReal, double, 1),
    ONE(MPI_LONG_DOUBLE, kReal, long double, 1),
    ONE(MPI_C_BOOL, kLogical, char, 0),
    ONE(MPI_C_FLOAT_COMPLEX, kComplex, float, 1),
    ONE(MPI_C_DOUBLE_COMPLEX, kComplex, double, 1),
    ONE(MPI_C_LONG_DOUBLE_COMPLEX, kComplex, long double, 1),
    PAIR(MPI_FLOAT_INT, float, 1),
    PAIR(MPI_DOUBLE_INT, double, 1),
    PAIR(MPI_LONG_INT, long, 0),
    PAIR(MPI_SHORT_INT, short, 0),
    PAIR(MPI_LONG_DOUBLE_INT, long double, 1),
    ONE(MPI_2INT, kTwins, int, 0),
    FORTRAN(MPI_INTEGER, kInteger, 0),
    FORTRAN(MPI_INTEGER1, kInteger, 0),
    FORTRAN(MPI_INTEGER2, kInteger, 0),
    FORTRAN(MPI_INTEGER4, kInteger, 0),
    FORTRAN(MPI_INTEGER8, kInteger, 0),
    FORTRAN(MPI_REAL, kReal, 1),
    FORTRAN(MPI_REAL4, kReal, 1),
    FORTRAN(MPI_REAL8, kReal, 1),
    FORTRAN(MPI_DOUBLE_PRECISION, kReal, 1),
    FORTRAN(MPI_COMPLEX, kComplex, 1),
    FORTRAN(MPI_DOUBLE_COMPLEX, kComplex, 1),
    FORTRAN(MPI_COMPLEX8, kComplex, 1),
    FORTRAN(MPI_COMPLEX16, kComplex, 1),
    FORTRAN(MPI_LOGICAL, kLogical, 0),
    FORTRAN(MPI_CHARACTER, kInteger, 0),
    FORTRAN(MPI_2INTEGER, kTwins, 0),
    FORTRAN(MPI_2REAL, kTwins, 1),
    FORTRAN(MPI_2DOUBLE_PRECISION, kTwins, 1),
#ifdef MPI_INTEGER16
    FORTRAN(MPI_INTEGER16, kInteger, 0),
#endif
#ifdef MPI_REAL2
    FORTRAN(MPI_REAL2, kReal, kHalf),
#endif
#ifdef MPI_COMPLEX4
    FORTRAN(MPI_COMPLEX4, kComplex, kHalf),
#endif
#ifdef MPI_REAL16
    FORTRAN(MPI_REAL16, kReal, kQuad),
#endif
#ifdef MPI_COMPLEX32
    FORTRAN(MPI_COMPLEX32, kComplex, kQuad),
#endif
#ifdef MPI_LOGICAL1
    FORTRAN(MPI_LOGICAL1, kLogical, 0),
    FORTRAN(MPI_LOGICAL2, kLogical, 0),
    FORTRAN(MPI_LOGICAL4, kLogical, 0),
    FORTRAN(MPI_LOGICAL8, kLogical, 0),
#endif
#ifdef MPI_LOGICAL16
    FORTRAN(MPI_LOGICAL16, kLogical, 0),
#endif
};
enum { kTypes = sizeof types / sizeof types[0] };

static const struct {
  const char* name;
  MPI_Op op;
  char letter;
} ops[] = {
    {"sum", MPI_SUM, 'a'},   {"prod", MPI_PROD, 'a'},     {"min", MPI_MIN, 'o'},
    {"max", MPI_MAX, 'o'},   {"land", MPI_LAND, 'l'},     {"lor", MPI_LOR, 'l'},
    {"lxor", MPI_LXOR, 'l'}, {"band", MPI_BAND, 'b'},     {"bor", MPI_BOR, 'b'},
    {"bxor", MPI_BXOR, 'b'}, {"minloc", MPI_MINLOC, 'i'}, {"maxloc", MPI_MAXLOC, 'i'},
};
enum { kOps = sizeof ops / sizeof ops[0] };

// Such of 16 bytes as C has, with bytes that hold nothing, or IEEE's: the MPI has decided.
static int has_quads = 0;

#ifdef __aarch64__
typedef long double Quad;
#else
typedef __float128 Quad;
#endif

static void put(unsigned char* at, int bytes, int floats, int number) {
  static const unsigned short halves[] = {0, 0x3c00, 0x4000, 0x4200};
  const Quad q = number;
  const float f = (float)number;
  const double d = number;
  const long double l = number;
  const long long i = number;
  if (!floats)
    memcpy(at, &i, bytes < 8 ? (size_t)bytes : 8);  // little-endian
  else if (floats == kHalf)
    memcpy(at, &halves[number], sizeof halves[0]);
  else if (floats == kQuad && has_quads)
    memcpy(at, &q, sizeof q);
  else if (bytes == (int)sizeof f)
    memcpy(at, &f, sizeof f);
  else if (bytes == (int)sizeof d)
    memcpy(at, &d, sizeof d);
  else
    memcpy(at, &l, 10);  // the rest holds nothing
}

// Elements of one type; whatever is not a value holds `filler`.
struct Row {
  int bytes, extent, index;
};

static struct Row row_of(int t) {
  struct Row row = {types[t].bytes, types[t].extent, types[t].offset};
  const int of_two = types[t].shape == kComplex || types[t].shape == kTwins;
  if (row.bytes == 0) MPI_Type_size(types[t].type, &row.bytes), row.bytes /= of_two ? 2 : 1;
  if (row.extent == 0) row.extent = of_two ? 2 * row.bytes : row.bytes;
  if (of_two) row.index = row.bytes;
  return row;
}

static void fill(unsigned char* elements, int t, int count, int from, unsigned char filler) {
  const struct Row row = row_of(t);
  const int floats = types[t].floats;
  memset(elements, filler, (size_t)count * (size_t)row.extent);
  for (int i = 0; i < count; ++i) {
    const unsigned h = (unsigned)from * 2654435761u + (unsigned)i * 40503u;
    unsigned char* at = elements + (size_t)i * (size_t)row.extent;
    const int first = types[t].shape == kLogical ? (int)(h >> 6 & 1) : (int)(h >> 6 & 3);
    if (row.bytes == 16) memset(at, 0, 16);
    put(at, row.bytes, floats, first);
    if (types[t].shape == kComplex || types[t].shape == kTwins) {
      if (row.bytes == 16) memset(at + 16, 0, 16);
      put(at + row.index, row.bytes, floats, (int)(h >> 9 & 3));
    }
    if (types[t].shape == kPair) put(at + row.index, 4, 0, (int)(h >> 9 & 7));
  }
}

// Values must agree, and gaps must be left alone; what a long double of x86 does not use may be
// anything.
static int agree(const unsigned char* a, const unsigned char* b, int t, int count) {
  const struct Row row = row_of(t);
  for (int i = 0; i < count * row.extent; ++i) {
    const int within = i % row.extent;
    const int in_number = row.index > 0 && within >= row.index ? within - row.index : within;
    if (types[t].floats && !(types[t].floats == kQuad && has_quads) && row.bytes == 16 &&
        LDBL_MANT_DIG == 64 && in_number >= 10 && in_number < 16)
      continue;
    if (a[i] != b[i]) return 0;
  }
  return 1;
}

// The MPI's own combination of what all ranks give.
static unsigned char* combined(int t, int o, int count) {
  const size_t bytes = (size_t)count * (size_t)row_of(t).extent;
  unsigned char* all = malloc(bytes);
  fill(all, t, count, 0, 0x5a);
  for (int r = 1; r < size; ++r) {
    unsigned char* next = malloc(bytes);
    fill(next, t, count, r, 0x5a);
    PMPI_Reduce_local(all, next, count, types[t].type, ops[o].op);
    free(all), all = next;
  }
  return all;
}

static void check_allreduce(int t, int o, int count) {
  const size_t bytes = (size_t)count * (size_t)row_of(t).extent;
  unsigned char *in = malloc(bytes), *out = malloc(bytes), *right = combined(t, o, count);
  fill(in, t, count, rank, 0x33);
  fill(out, t, count, 77, 0x5a);
  MPI_Allreduce(in, out, count, types[t].type, ops[o].op, MPI_COMM_WORLD);
  if (!agree(out, right, t, count)) fail("allreduce", types[t].name, ops[o].name, count);
  fill(out, t, count, rank, 0x5a);
  MPI_Allreduce(MPI_IN_PLACE, out, count, types[t].type, ops[o].op, MPI_COMM_WORLD);
  if (!agree(out, right, t, count)) fail("allreduce in place", types[t].name, ops[o].name, count);
  free(in), free(out), free(right);
}

static void check_reduce(int t, int o, int count, int root) {
  const size_t bytes = (size_t)count * (size_t)row_of(t).extent;
  unsigned char *in = malloc(bytes), *out = malloc(bytes), *right = combined(t, o, count);
  fill(in, t, count, rank, 0x33);
  fill(out, t, count, 77, 0x5a);
  MPI_Reduce(in, out, count, types[t].type, ops[o].op, root, MPI_COMM_WORLD);
  if (rank == root && !agree(out, right, t, count))
    fail("reduce", types[t].name, ops[o].name, count);
  fill(out, t, count, rank, 0x5a);
  MPI_Reduce(rank == root ? MPI_IN_PLACE : in, out, count, types[t].type, ops[o].op, root,
             MPI_COMM_WORLD);
  if (rank == root && !agree(out, right, t, count))
    fail("reduce in place", types[t].name, ops[o].name, count);
  free(in), free(out), free(right);
}

/// The combination of what ranks 0 to `ranks` - 1 give, in a scan; blocks of one element.
static void check_scan_and_scatter(int t, int o, int count) {
  const size_t extent = (size_t)row_of(t).extent, bytes = (size_t)count * extent;
  unsigned char *in = malloc(bytes), *out = malloc(bytes), *right = malloc(bytes);
  fill(right, t, count, 0, 0x5a);
  for (int r = 1; r <= rank; ++r) {
    unsigned char* next = malloc(bytes);
    fill(next, t, count, r, 0x5a);
    PMPI_Reduce_local(right, next, count, types[t].type, ops[o].op);
    free(right), right = next;
  }
  fill(in, t, count, rank, 0x33), fill(out, t, count, 77, 0x5a);
  MPI_Scan(in, out, count, types[t].type, ops[o].op, MPI_COMM_WORLD);
  if (!agree(out, right, t, count)) fail("scan", types[t].name, ops[o].name, count);
  free(in), free(out), free(right);

  // Block r of a vector of `size` counts is combined as in an allreduce of all of it.
  right = combined(t, o, count * size), in = malloc(bytes * (size_t)size), out = malloc(bytes);
  fill(in, t, count * size, rank, 0x33), fill(out, t, count, 77, 0x5a);
  MPI_Reduce_scatter_block(in, out, count, types[t].type, ops[o].op, MPI_COMM_WORLD);
  if (!agree(out, right + (size_t)rank * bytes, t, count))
    fail("reduce_scatter_block", types[t].name, ops[o].name, count);
  free(in), free(out), free(right);
}

static void expect_refused(int t, int o) {
  unsigned char in[64] = {0}, out[64] = {0};
  if (MPI_Allreduce(in, out, 1, types[t].type, ops[o].op, MPI_COMM_WORLD) == MPI_SUCCESS)
    fail("a refused allreduce", types[t].name, ops[o].name, 1);
}

static void look_for_quads(void) {
#ifdef MPI_REAL16
  const Quad one = 1;
  Quad two = 1;
  if (MPI_REAL16 == MPI_DATATYPE_NULL) return;
  const int is_done = PMPI_Reduce_local(&one, &two, 1, MPI_REAL16, MPI_SUM) == MPI_SUCCESS;
  has_quads = is_done && two == 2;
#endif
}

// The calls of each collective that ought to be Terrace's.
static int check_pair(int t, int o) {
  static const int counts[] = {1, 3, 1000};
  unsigned char a[64] = {0}, b[64] = {0};
  if (types[t].type == MPI_DATATYPE_NULL || row_of(t).bytes == 0) return 0;
  // MPICH 4.0 takes these, and then ends the program.
  if (types[t].shape == kReal && ops[o].letter == 'l') return 0;
  if (PMPI_Reduce_local(a, b, 1, types[t].type, ops[o].op) != MPI_SUCCESS) {
    expect_refused(t, o);
    return 0;
  }
  for (int i = 0; i < 3; ++i) {
    check_allreduce(t, o, counts[i]);
    check_reduce(t, o, counts[i], (t + o) % size);
    if (i == 2) check_scan_and_scatter(t, o, counts[i]);
  }
  return 6;
}

int main(int argc, char** argv) {
  int all = 0, ours = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  look_for_quads();
  for (int i = 0; i < 3; ++i) MPI_Barrier(MPI_COMM_WORLD);
  for (int t = 0; t < kTypes; ++t)
    for (int o = 0; o < kOps; ++o) ours += check_pair(t, o);
  PMPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("of each collective, %d calls are what the MPI takes\n", ours);
  if (rank == 0) printf(all ? "%d results are wrong\n" : "all right %d\n", all);
  MPI_Finalize();
  return all != 0;
}
