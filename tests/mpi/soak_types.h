// SPDX-License-Identifier: BSD-3-Clause
// Types and operators of the soak: what an element is made of and where its parts lie, what a rank
// puts into it, and what operators make of it, computed without any MPI. All values are whole
// numbers that each part can hold, so that results are exact.
#pragma once

#include <float.h>
#include <mpi.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

// What a part of an element is.
typedef enum { i8, u8, i16, u16, i32, u32, i64, u64, f32, f64, f80, boolean, kKinds } Kind;
static const int kind_bytes[kKinds] = {1, 1, 2, 2, 4, 4, 8, 8, 4, 8, sizeof(long double), 1};
// On x86 the rest of its bytes may be anything.
enum { kLongDoubleBytes = LDBL_MANT_DIG == 64 ? 10 : sizeof(long double) };

// Which operators of MPI a type knows.
typedef enum { kNone, kIntegers, kFloats, kComplex, kLogical, kBits, kPairs } Arithmetic;

enum { kMostParts = 3, kLayouts = 3, kMostFamilies = 40 };

/// Types of a family have the same parts in the same order, so one rank may send one of them, and
/// another receive it in another. Layout 0 is MPI's own type, if there is one.
typedef struct {
  const char* name;
  MPI_Datatype predefined;
  int parts;
  Kind kinds[kMostParts];
  Arithmetic arithmetic;
} Family;

typedef struct {
  const Family* family;
  MPI_Datatype handle;
  int layout;
  ptrdiff_t places[kMostParts];
  ptrdiff_t extent;
} Type;

typedef struct {
  Family families[kMostFamilies];
  Type types[kMostFamilies][kLayouts];
  int number;
} Types;

static inline int is_float(Kind kind) {
  return kind == f32 || kind == f64 || kind == f80;
}

static inline void store(unsigned char* at, Kind kind, int64_t value) {
  const float single = (float)value;
  const double number = (double)value;
  const long double extended = (long double)value;
  if (kind == f32)
    memcpy(at, &single, sizeof single);
  else if (kind == f64)
    memcpy(at, &number, sizeof number);
  else if (kind == f80)
    memcpy(at, &extended, kLongDoubleBytes);
  else
    memcpy(at, &value, (size_t)kind_bytes[kind]);  // the low bytes come first
}

/// As a part of that kind would hold it.
static inline int64_t held(Kind kind, int64_t value) {
  switch (kind) {
    case i8:
      return (int8_t)value;
    case u8:
      return (uint8_t)value;
    case i16:
      return (int16_t)value;
    case u16:
      return (uint16_t)value;
    case i32:
      return (int32_t)value;
    case u32:
      return (uint32_t)value;
    default:
      return value;
  }
}

static inline int64_t load(const unsigned char* at, Kind kind) {
  float single;
  double number;
  long double extended = 0;
  int64_t value = 0;
  switch (kind) {
    case f32:
      return memcpy(&single, at, sizeof single), (int64_t)single;
    case f64:
      return memcpy(&number, at, sizeof number), (int64_t)number;
    case f80:
      return memcpy(&extended, at, kLongDoubleBytes), (int64_t)extended;
    default:
      return memcpy(&value, at, (size_t)kind_bytes[kind]), held(kind, value);
  }
}

static inline ptrdiff_t aligned(ptrdiff_t at, int bytes) {
  return (at + bytes - 1) / bytes * bytes;
}

/// Where C would put the parts.
static inline void place_naturally(Type* type) {
  ptrdiff_t at = 0;
  int most = 1;
  for (int p = 0; p < type->family->parts; ++p) {
    const int bytes = kind_bytes[type->family->kinds[p]];
    at = aligned(at, bytes);
    type->places[p] = at;
    at += bytes;
    most = bytes > most ? bytes : most;
  }
  type->extent = aligned(at, most);
}

static inline MPI_Datatype basic_type(Kind kind) {
  const MPI_Datatype basic[kKinds] = {MPI_INT8_T,  MPI_UINT8_T,  MPI_INT16_T,     MPI_UINT16_T,
                                      MPI_INT32_T, MPI_UINT32_T, MPI_INT64_T,     MPI_UINT64_T,
                                      MPI_FLOAT,   MPI_DOUBLE,   MPI_LONG_DOUBLE, MPI_C_BOOL};
  return basic[kind];
}

/// Of MPI's own type the part, or of its only part the type.
static inline MPI_Datatype part_type(const Family* family, int part) {
  const int is_whole = family->parts == 1 && family->predefined != MPI_DATATYPE_NULL;
  return is_whole ? family->predefined : basic_type(family->kinds[part]);
}

/// Layout 1 has gaps around and between; layout 2 begins before its address, with the parts in the
/// other order in memory.
static inline void place_apart(Type* type) {
  const int parts = type->family->parts;
  for (int p = 0; p < parts; ++p) {
    const int slot = type->layout == 1 ? p : parts - 1 - p;
    type->places[p] = type->layout == 1 ? 16 + 32 * slot : 16 * slot - 16;
  }
  type->extent = type->layout == 1 ? 16 + 32 * (parts + 1) : 16 * (parts + 1);
}

static inline void make_type(Type* type) {
  const Family* family = type->family;
  place_naturally(type);
  type->handle = family->predefined;
  if (type->layout == 0 && family->predefined != MPI_DATATYPE_NULL) return;
  if (type->layout > 0) place_apart(type);
  int ones[kMostParts] = {1, 1, 1};
  MPI_Aint places[kMostParts];
  MPI_Datatype kinds[kMostParts], inner;
  for (int p = 0; p < family->parts; ++p) {
    places[p] = type->places[p];
    kinds[p] = part_type(family, p);
  }
  MPI_Type_create_struct(family->parts, ones, places, kinds, &inner);
  MPI_Type_create_resized(inner, type->layout == 2 ? -16 : 0, type->extent, &type->handle);
  MPI_Type_commit(&type->handle);
  MPI_Type_free(&inner);
}

static inline void add_family(Types* types, Family family) {
  types->families[types->number++] = family;
}

static inline void add_families(Types* types) {
  const MPI_Datatype none = MPI_DATATYPE_NULL;
  const Family all[] = {
      {"char", MPI_CHAR, 1, {i8}, kNone},
      {"signed char", MPI_SIGNED_CHAR, 1, {i8}, kIntegers},
      {"unsigned char", MPI_UNSIGNED_CHAR, 1, {u8}, kIntegers},
      {"byte", MPI_BYTE, 1, {u8}, kBits},
      {"bool", MPI_C_BOOL, 1, {boolean}, kLogical},
      {"short", MPI_SHORT, 1, {i16}, kIntegers},
      {"unsigned short", MPI_UNSIGNED_SHORT, 1, {u16}, kIntegers},
      {"int", MPI_INT, 1, {i32}, kIntegers},
      {"unsigned", MPI_UNSIGNED, 1, {u32}, kIntegers},
      {"int32_t", MPI_INT32_T, 1, {i32}, kIntegers},
      {"long", MPI_LONG, 1, {i64}, kIntegers},
      {"unsigned long", MPI_UNSIGNED_LONG, 1, {u64}, kIntegers},
      {"int64_t", MPI_INT64_T, 1, {i64}, kIntegers},
      {"uint64_t", MPI_UINT64_T, 1, {u64}, kIntegers},
      {"float", MPI_FLOAT, 1, {f32}, kFloats},
      {"double", MPI_DOUBLE, 1, {f64}, kFloats},
      {"long double", MPI_LONG_DOUBLE, 1, {f80}, kFloats},
      {"float complex", MPI_C_FLOAT_COMPLEX, 2, {f32, f32}, kComplex},
      {"double complex", MPI_C_DOUBLE_COMPLEX, 2, {f64, f64}, kComplex},
      {"float and int", MPI_FLOAT_INT, 2, {f32, i32}, kPairs},
      {"double and int", MPI_DOUBLE_INT, 2, {f64, i32}, kPairs},
      {"long and int", MPI_LONG_INT, 2, {i64, i32}, kPairs},
      {"short and int", MPI_SHORT_INT, 2, {i16, i32}, kPairs},
      {"two ints", MPI_2INT, 2, {i32, i32}, kPairs},
      {"struct of unsigned", none, 2, {u32, u32}, kNone},
      {"struct of three", none, 3, {i8, f64, i16}, kNone},
      {"struct of ints", none, 3, {i32, i32, i32}, kNone},
  };
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i) add_family(types, all[i]);
}

/// Complex and pair types of MPI are no structs of two to it, so they come in one layout only.
static inline int layouts_of(const Family* family) {
  return family->parts > 1 && family->predefined != MPI_DATATYPE_NULL ? 1 : kLayouts;
}

static inline void make_types(Types* types) {
  types->number = 0;
  add_families(types);
  for (int f = 0; f < types->number; ++f)
    for (int l = 0; l < layouts_of(&types->families[f]); ++l) {
      types->types[f][l].family = &types->families[f];
      types->types[f][l].layout = l;
      make_type(&types->types[f][l]);
    }
}

static inline void free_types(Types* types) {
  for (int f = 0; f < types->number; ++f)
    for (int l = 0; l < layouts_of(&types->families[f]); ++l) {
      Type* type = &types->types[f][l];
      if (type->handle != types->families[f].predefined) MPI_Type_free(&type->handle);
    }
}

static inline const Type* type_with(const Types* types, MPI_Datatype handle) {
  for (int f = 0; f < types->number; ++f)
    for (int l = 0; l < layouts_of(&types->families[f]); ++l)
      if (types->types[f][l].handle == handle) return &types->types[f][l];
  return NULL;
}

typedef enum {
  kSum,
  kProd,
  kMin,
  kMax,
  kBand,
  kBor,
  kBxor,
  kLand,
  kLor,
  kLxor,
  kMinloc,
  kMaxloc,
  kAdd,      // the program's
  kCompose,  // the program's: x -> a x + b after another such; does not commute
  kOperators
} Operator;

static const char* const operator_names[kOperators] = {"sum",    "prod",   "min",  "max",    "band",
                                                       "bor",    "bxor",   "land", "lor",    "lxor",
                                                       "minloc", "maxloc", "add",  "compose"};

static inline int knows(const Family* family, Operator op) {
  if (op == kAdd) return family->arithmetic != kLogical;
  if (op == kCompose) return family->parts == 2 && family->kinds[0] == u32;
  switch (family->arithmetic) {
    case kIntegers:
      return op <= kLxor;
    case kFloats:
      return op <= kMax;
    case kComplex:
      return op <= kProd;
    case kLogical:
      return op >= kLand && op <= kLxor;
    case kBits:
      return op >= kBand && op <= kBxor;
    case kPairs:
      return op == kMinloc || op == kMaxloc;
    default:
      return 0;
  }
}

/// Numbers that look random, and depend on nothing but their arguments.
static inline uint64_t mixed(uint64_t x) {
  x ^= x >> 31, x *= 0x9e3779b97f4a7c15u;
  x ^= x >> 29, x *= 0xbf58476d1ce4e5b9u;
  return x ^ x >> 32;
}

/// What a part of an element gets: such as no operator takes beyond what its kind holds exactly.
static inline int64_t value_of(uint64_t raw, Kind kind, Operator op, int is_tame) {
  // There are MPIs that stop at 255 or -128, and that take large unsigned numbers for negative
  // ones.
  if (is_tame && op <= kMax) raw %= 25;
  if (kind == boolean) return (int64_t)(raw & 1);
  if (op == kMinloc || op == kMaxloc) return (int64_t)(raw % 8);
  if (op == kLand || op == kLor || op == kLxor) return (int64_t)(raw % 3);
  if (is_float(kind)) return (int64_t)(op == kProd ? raw % 4 : raw % 1000);
  if (kind == u8 || kind == u16 || kind == u32 || kind == u64) return held(kind, (int64_t)raw);
  if (op == kSum || op == kAdd)
    return is_tame ? (int64_t)(raw % 15) - 7 : (int64_t)(raw % 100) - 50;
  if (op == kProd) return (int64_t)(raw % 7) - 3;
  return held(kind, (int64_t)raw);
}

static inline int64_t combined(Operator op, Kind kind, int64_t a, int64_t b) {
  const uint64_t x = (uint64_t)a, y = (uint64_t)b;
  const int is_less = kind == u64 ? x < y : a < b;
  switch (op) {
    case kProd:
      return held(kind, (int64_t)(x * y));
    case kMin:
      return is_less ? a : b;
    case kMax:
      return is_less ? b : a;
    case kBand:
      return a & b;
    case kBor:
      return a | b;
    case kBxor:
      return a ^ b;
    case kLand:
      return a && b;
    case kLor:
      return a || b;
    case kLxor:
      return !a != !b;
    default:
      return held(kind, (int64_t)(x + y));
  }
}

/// `sum` becomes sum op next, in the order in which they stand.
static inline void combine(const Family* family, Operator op, int64_t* sum, const int64_t* next) {
  if (op == kCompose) {
    const uint64_t a = (uint64_t)sum[0], b = (uint64_t)sum[1];
    sum[0] = held(u32, (int64_t)(a * (uint64_t)next[0]));
    sum[1] = held(u32, (int64_t)(a * (uint64_t)next[1] + b));
  } else if (op == kMinloc || op == kMaxloc) {
    const int is_better = op == kMinloc ? next[0] < sum[0] : next[0] > sum[0];
    if (is_better || (next[0] == sum[0] && next[1] < sum[1])) sum[0] = next[0], sum[1] = next[1];
  } else if (op == kProd && family->arithmetic == kComplex) {
    const int64_t real = sum[0] * next[0] - sum[1] * next[1];
    sum[1] = sum[0] * next[1] + sum[1] * next[0];
    sum[0] = real;
  } else {
    for (int p = 0; p < family->parts; ++p)
      sum[p] = combined(op, family->kinds[p], sum[p], next[p]);
  }
}
