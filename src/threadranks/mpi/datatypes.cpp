// SPDX-License-Identifier: BSD-3-Clause
// Datatypes: making, asking, packing.
#include <algorithm>
#include <cstring>
#include <limits>
#include <vector>

#include "threadranks/mpi/adapter.hpp"

namespace terrace::threadranks::mpi {
namespace {

/// A type that is there, or the error of its being none.
Datatype* known(const char* function, MPI_Datatype type, int& error) {
  Datatype* const found = type_of(type);
  error = found != nullptr ? MPI_SUCCESS : fail(function, MPI_ERR_TYPE, "this is no datatype");
  return found;
}

int make(const char* function, std::vector<TypeBlock> blocks, Recipe recipe, MPI_Datatype* made,
         bool pads = false) {
  for (const TypeBlock& block : blocks) {
    if (block.type == nullptr) return fail(function, MPI_ERR_TYPE, "this is no datatype");
    if (block.count < 0) return fail(function, MPI_ERR_COUNT, "a negative count");
  }
  *made = handle_of(Datatype::of_blocks(blocks, std::move(recipe), pads));
  return MPI_SUCCESS;
}

/// `count` blocks of `length`, `stride` bytes apart.
std::vector<TypeBlock> strided(std::int64_t count, std::int64_t length, std::ptrdiff_t stride,
                               Datatype* type) {
  std::vector<TypeBlock> blocks;
  for (std::int64_t i = 0; i < count; ++i) blocks.push_back({i * stride, length, type});
  return blocks;
}

int contiguous(const char* function, std::int64_t count, MPI_Datatype old, MPI_Datatype* made) {
  int error;
  Datatype* const type = known(function, old, error);
  if (error) return error;
  return make(function, {{0, count, type}},
              {Maker::contiguous, {static_cast<int>(count)}, {}, {type}}, made);
}

int vector(const char* function, Maker maker, std::int64_t count, std::int64_t length,
           std::int64_t stride, MPI_Datatype old, MPI_Datatype* made) {
  int error;
  Datatype* const type = known(function, old, error);
  if (error) return error;
  if (count < 0 || length < 0) return fail(function, MPI_ERR_COUNT, "a negative count");
  Recipe recipe{maker, {static_cast<int>(count), static_cast<int>(length)}, {}, {type}};
  if (maker == Maker::vector)
    recipe.integers.push_back(static_cast<int>(stride));
  else
    recipe.addresses.push_back(stride);
  const std::ptrdiff_t bytes = maker == Maker::vector ? stride * type->extent() : stride;
  return make(function, strided(count, length, bytes, type), std::move(recipe), made);
}

/// Blocks at places of their own. `lengths` null: all are of `length`. `unit`: bytes per place; 0:
/// the old type's extent.
template <class Count, class Place>
int indexed(const char* function, Maker maker, std::int64_t count, const Count* lengths,
            std::int64_t length, const Place* places, std::ptrdiff_t unit, MPI_Datatype old,
            MPI_Datatype* made) {
  int error;
  Datatype* const type = known(function, old, error);
  if (error) return error;
  if (count < 0) return fail(function, MPI_ERR_COUNT, "a negative count");
  Recipe recipe{maker, {static_cast<int>(count)}, {}, {type}};
  std::vector<TypeBlock> blocks;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t elements = lengths != nullptr ? std::int64_t{lengths[i]} : length;
    blocks.push_back({std::ptrdiff_t{places[i]} * (unit ? unit : type->extent()), elements, type});
    if (lengths != nullptr) recipe.integers.push_back(static_cast<int>(elements));
  }
  if (lengths == nullptr) recipe.integers.push_back(static_cast<int>(length));
  for (std::int64_t i = 0; i < count; ++i) {
    if (unit)
      recipe.addresses.push_back(places[i]);
    else
      recipe.integers.push_back(static_cast<int>(places[i]));
  }
  return make(function, std::move(blocks), std::move(recipe), made);
}

template <class Count, class Place>
int structure(const char* function, std::int64_t count, const Count* lengths, const Place* places,
              const MPI_Datatype* types, MPI_Datatype* made) {
  if (count < 0) return fail(function, MPI_ERR_COUNT, "a negative count");
  Recipe recipe{Maker::structure, {static_cast<int>(count)}, {}, {}};
  std::vector<TypeBlock> blocks;
  for (std::int64_t i = 0; i < count; ++i) {
    int error;
    Datatype* const type = known(function, types[i], error);
    if (error) return error;
    blocks.push_back({places[i], lengths[i], type});
    recipe.integers.push_back(static_cast<int>(lengths[i]));
    recipe.addresses.push_back(places[i]);
    recipe.types.push_back(type);
  }
  return make(function, std::move(blocks), std::move(recipe), made, true);
}

int resized(const char* function, MPI_Datatype old, std::int64_t lower, std::int64_t extent,
            MPI_Datatype* made) {
  int error;
  Datatype* const type = known(function, old, error);
  if (error) return error;
  *made = handle_of(
      Datatype::resized(*type, lower, extent, {Maker::resized, {}, {lower, extent}, {type}}));
  return MPI_SUCCESS;
}

/// From the fastest dimension to the slowest: rows of rows.
template <class Count>
int subarray(const char* function, int dimensions, const Count* sizes, const Count* parts,
             const Count* starts, int order, MPI_Datatype old, MPI_Datatype* made) {
  int error;
  Datatype* type = known(function, old, error);
  if (error) return error;
  if (dimensions < 1) return fail(function, MPI_ERR_ARG, "an array without dimensions");
  Recipe recipe{Maker::subarray, {dimensions}, {}, {type}};
  for (const Count* numbers : {sizes, parts, starts})
    for (int i = 0; i < dimensions; ++i) recipe.integers.push_back(static_cast<int>(numbers[i]));
  recipe.integers.push_back(order);
  type->retain();
  std::ptrdiff_t stride = type->extent(), first = 0;
  for (int step = 0; step < dimensions; ++step) {
    const int i = order == MPI_ORDER_C ? dimensions - 1 - step : step;
    if (parts[i] < 1 || starts[i] < 0 || starts[i] + parts[i] > sizes[i])
      return fail(function, MPI_ERR_ARG, "a part that is not in the array");
    first += static_cast<std::ptrdiff_t>(starts[i]) * stride;
    Datatype* const rows = Datatype::of_blocks(strided(parts[i], 1, stride, type), {});
    type->release();
    type = rows;
    stride *= static_cast<std::ptrdiff_t>(sizes[i]);
  }
  const TypeBlock whole{first, 1, type};
  Datatype* const placed = Datatype::of_blocks({&whole, 1}, {});
  *made = handle_of(Datatype::resized(*placed, 0, stride, std::move(recipe)));
  placed->release();
  type->release();
  return MPI_SUCCESS;
}

/// A number in a type that may be too short for it.
template <class Number>
Number fitted(std::int64_t number) {
  return number > std::numeric_limits<Number>::max() ? static_cast<Number>(MPI_UNDEFINED)
                                                     : static_cast<Number>(number);
}

template <class Number>
int get_count(const char* function, const MPI_Status* status, MPI_Datatype type, Number* count) {
  int error;
  const Datatype* const ours = known(function, type, error);
  if (error) return error;
  const std::uint64_t bytes = bytes_in(*status);
  if (ours->size() == 0)
    *count = bytes == 0 ? 0 : static_cast<Number>(MPI_UNDEFINED);
  else
    *count = bytes % ours->size() != 0
                 ? static_cast<Number>(MPI_UNDEFINED)
                 : fitted<Number>(static_cast<std::int64_t>(bytes / ours->size()));
  return MPI_SUCCESS;
}

template <class Number>
int get_elements(const char* function, const MPI_Status* status, MPI_Datatype type, Number* count) {
  int error;
  const Datatype* const ours = known(function, type, error);
  if (error) return error;
  const std::int64_t elements = ours->elements_in(bytes_in(*status));
  *count = elements < 0 ? static_cast<Number>(MPI_UNDEFINED) : fitted<Number>(elements);
  return MPI_SUCCESS;
}

template <class Number>
int pack_to(const char* function, const void* in, std::int64_t count, MPI_Datatype type, void* out,
            std::int64_t room, Number* position, MPI_Comm comm) {
  Caller caller(function, comm);
  const Layout from = caller.layout(in, count, type);
  if (caller.error()) return caller.error();
  const auto bytes = static_cast<std::int64_t>(from.bytes());
  if (*position + bytes > room) return caller.fail(MPI_ERR_TRUNCATE, "no room to pack");
  pack(from, static_cast<std::byte*>(out) + *position, from.bytes());
  *position = static_cast<Number>(*position + bytes);
  return MPI_SUCCESS;
}

template <class Number>
int unpack_from(const char* function, const void* in, std::int64_t bytes, Number* position,
                void* out, std::int64_t count, MPI_Datatype type, MPI_Comm comm) {
  Caller caller(function, comm);
  const Layout to = caller.layout(out, count, type);
  if (caller.error()) return caller.error();
  const auto wanted = static_cast<std::int64_t>(to.bytes());
  if (*position + wanted > bytes) return caller.fail(MPI_ERR_TRUNCATE, "no more to unpack");
  unpack(static_cast<const std::byte*>(in) + *position, to, to.bytes());
  *position = static_cast<Number>(*position + wanted);
  return MPI_SUCCESS;
}

/// What the makers are called in the ABI.
int combiner_of(Maker maker) {
  constexpr int kCombiners[] = {
      MPI_COMBINER_NAMED,    MPI_COMBINER_DUP,           MPI_COMBINER_CONTIGUOUS,
      MPI_COMBINER_VECTOR,   MPI_COMBINER_HVECTOR,       MPI_COMBINER_INDEXED,
      MPI_COMBINER_HINDEXED, MPI_COMBINER_INDEXED_BLOCK, MPI_COMBINER_HINDEXED_BLOCK,
      MPI_COMBINER_STRUCT,   MPI_COMBINER_SUBARRAY,      MPI_COMBINER_RESIZED};
  return kCombiners[static_cast<std::size_t>(maker)];
}

}  // namespace
}  // namespace terrace::threadranks::mpi

namespace mpi = terrace::threadranks::mpi;
using terrace::threadranks::Datatype;
using terrace::threadranks::Maker;

TERRACE_MPI(int, Type_contiguous, (int count, MPI_Datatype old, MPI_Datatype* made)) {
  return mpi::contiguous("MPI_Type_contiguous", count, old, made);
}
TERRACE_MPI(int, Type_vector,
            (int count, int length, int stride, MPI_Datatype old, MPI_Datatype* made)) {
  return mpi::vector("MPI_Type_vector", Maker::vector, count, length, stride, old, made);
}
TERRACE_MPI(int, Type_create_hvector,
            (int count, int length, MPI_Aint stride, MPI_Datatype old, MPI_Datatype* made)) {
  return mpi::vector("MPI_Type_create_hvector", Maker::hvector, count, length, stride, old, made);
}
TERRACE_MPI(int, Type_indexed,
            (int count, const int* lengths, const int* places, MPI_Datatype old,
             MPI_Datatype* made)) {
  return mpi::indexed("MPI_Type_indexed", Maker::indexed, count, lengths, 0, places, 0, old, made);
}
TERRACE_MPI(int, Type_create_hindexed,
            (int count, const int* lengths, const MPI_Aint* places, MPI_Datatype old,
             MPI_Datatype* made)) {
  return mpi::indexed("MPI_Type_create_hindexed", Maker::hindexed, count, lengths, 0, places, 1,
                      old, made);
}
TERRACE_MPI(int, Type_create_indexed_block,
            (int count, int length, const int* places, MPI_Datatype old, MPI_Datatype* made)) {
  return mpi::indexed("MPI_Type_create_indexed_block", Maker::indexed_block, count,
                      static_cast<const int*>(nullptr), length, places, 0, old, made);
}
TERRACE_MPI(int, Type_create_hindexed_block,
            (int count, int length, const MPI_Aint* places, MPI_Datatype old, MPI_Datatype* made)) {
  return mpi::indexed("MPI_Type_create_hindexed_block", Maker::hindexed_block, count,
                      static_cast<const int*>(nullptr), length, places, 1, old, made);
}
TERRACE_MPI(int, Type_create_struct,
            (int count, const int* lengths, const MPI_Aint* places, const MPI_Datatype* types,
             MPI_Datatype* made)) {
  return mpi::structure("MPI_Type_create_struct", count, lengths, places, types, made);
}
TERRACE_MPI(int, Type_create_resized,
            (MPI_Datatype old, MPI_Aint lower, MPI_Aint extent, MPI_Datatype* made)) {
  return mpi::resized("MPI_Type_create_resized", old, lower, extent, made);
}
TERRACE_MPI(int, Type_create_subarray,
            (int dimensions, const int* sizes, const int* parts, const int* starts, int order,
             MPI_Datatype old, MPI_Datatype* made)) {
  return mpi::subarray("MPI_Type_create_subarray", dimensions, sizes, parts, starts, order, old,
                       made);
}
TERRACE_MPI(int, Type_dup, (MPI_Datatype old, MPI_Datatype* made)) {
  int error;
  Datatype* const type = mpi::known("MPI_Type_dup", old, error);
  if (error) return error;
  Datatype* const copy =
      Datatype::resized(*type, type->lower(), type->extent(), {Maker::dup, {}, {}, {type}});
  copy->is_committed = type->is_committed;
  *made = mpi::handle_of(copy);
  return MPI_SUCCESS;
}
TERRACE_MPI(int, Type_commit, (MPI_Datatype * type)) {
  int error;
  Datatype* const ours = mpi::known("MPI_Type_commit", *type, error);
  if (!error && ours->predefined() == nullptr) ours->is_committed = true;
  return error;
}
TERRACE_MPI(int, Type_free, (MPI_Datatype * type)) {
  int error;
  Datatype* const ours = mpi::known("MPI_Type_free", *type, error);
  if (error) return error;
  if (ours->predefined() != nullptr)
    return mpi::fail("MPI_Type_free", MPI_ERR_TYPE, "predefined types cannot be freed");
  ours->release();
  *type = MPI_DATATYPE_NULL;
  return MPI_SUCCESS;
}

#define TERRACE_TYPE_QUESTIONS(suffix, Number, Place)                                             \
  TERRACE_MPI(int, Type_size##suffix, (MPI_Datatype type, Number * size)) {                       \
    int error;                                                                                    \
    const Datatype* const ours = mpi::known("MPI_Type_size" #suffix, type, error);                \
    if (!error) *size = mpi::fitted<Number>(static_cast<std::int64_t>(ours->size()));             \
    return error;                                                                                 \
  }                                                                                               \
  TERRACE_MPI(int, Type_get_extent##suffix, (MPI_Datatype type, Place * lower, Place * extent)) { \
    int error;                                                                                    \
    const Datatype* const ours = mpi::known("MPI_Type_get_extent" #suffix, type, error);          \
    if (error) return error;                                                                      \
    *lower = ours->lower();                                                                       \
    *extent = ours->extent();                                                                     \
    return MPI_SUCCESS;                                                                           \
  }                                                                                               \
  TERRACE_MPI(int, Type_get_true_extent##suffix,                                                  \
              (MPI_Datatype type, Place * lower, Place * extent)) {                               \
    int error;                                                                                    \
    const Datatype* const ours = mpi::known("MPI_Type_get_true_extent" #suffix, type, error);     \
    if (error) return error;                                                                      \
    *lower = ours->true_lower();                                                                  \
    *extent = ours->true_extent();                                                                \
    return MPI_SUCCESS;                                                                           \
  }                                                                                               \
  TERRACE_MPI(int, Get_elements##suffix,                                                          \
              (const MPI_Status* status, MPI_Datatype type, Number* count)) {                     \
    return mpi::get_elements("MPI_Get_elements" #suffix, status, type, count);                    \
  }
TERRACE_TYPE_QUESTIONS(, int, MPI_Aint)
TERRACE_TYPE_QUESTIONS(_x, MPI_Count, MPI_Count)
TERRACE_TYPE_QUESTIONS(_c, MPI_Count, MPI_Count)

#define TERRACE_PACKING(suffix, Number)                                                         \
  TERRACE_MPI(int, Get_count##suffix,                                                           \
              (const MPI_Status* status, MPI_Datatype type, Number* count)) {                   \
    return mpi::get_count("MPI_Get_count" #suffix, status, type, count);                        \
  }                                                                                             \
  TERRACE_MPI(int, Pack##suffix,                                                                \
              (const void* in, Number count, MPI_Datatype type, void* out, Number room,         \
               Number* position, MPI_Comm comm)) {                                              \
    return mpi::pack_to("MPI_Pack" #suffix, in, count, type, out, room, position, comm);        \
  }                                                                                             \
  TERRACE_MPI(int, Unpack##suffix,                                                              \
              (const void* in, Number bytes, Number* position, void* out, Number count,         \
               MPI_Datatype type, MPI_Comm comm)) {                                             \
    return mpi::unpack_from("MPI_Unpack" #suffix, in, bytes, position, out, count, type, comm); \
  }                                                                                             \
  TERRACE_MPI(int, Pack_size##suffix,                                                           \
              (Number count, MPI_Datatype type, MPI_Comm comm, Number * size)) {                \
    mpi::Caller caller("MPI_Pack_size" #suffix, comm);                                          \
    const auto layout = caller.layout(nullptr, count, type);                                    \
    if (!caller.error()) *size = static_cast<Number>(layout.bytes());                           \
    return caller.error();                                                                      \
  }
TERRACE_PACKING(, int)
TERRACE_PACKING(_c, MPI_Count)

TERRACE_MPI(int, Type_get_envelope,
            (MPI_Datatype type, int* integers, int* addresses, int* types, int* combiner)) {
  int error;
  const Datatype* const ours = mpi::known("MPI_Type_get_envelope", type, error);
  if (error) return error;
  *integers = static_cast<int>(ours->recipe().integers.size());
  *addresses = static_cast<int>(ours->recipe().addresses.size());
  *types = static_cast<int>(ours->recipe().types.size());
  *combiner = mpi::combiner_of(ours->recipe().maker);
  return MPI_SUCCESS;
}
TERRACE_MPI(int, Type_get_contents,
            (MPI_Datatype type, int, int, int, int* integers, MPI_Aint* addresses,
             MPI_Datatype* types)) {
  int error;
  const Datatype* const ours = mpi::known("MPI_Type_get_contents", type, error);
  if (error) return error;
  if (ours->predefined() != nullptr)
    return mpi::fail("MPI_Type_get_contents", MPI_ERR_TYPE, "predefined types have no contents");
  std::copy(ours->recipe().integers.begin(), ours->recipe().integers.end(), integers);
  std::copy(ours->recipe().addresses.begin(), ours->recipe().addresses.end(), addresses);
  for (Datatype* const inner : ours->recipe().types) {
    inner->retain();
    *types++ = mpi::handle_of(inner);
  }
  return MPI_SUCCESS;
}
TERRACE_MPI(int, Type_set_name, (MPI_Datatype type, const char* name)) {
  int error;
  Datatype* const ours = mpi::known("MPI_Type_set_name", type, error);
  if (!error && ours->predefined() == nullptr) ours->name = name;
  return error;
}
TERRACE_MPI(int, Type_get_name, (MPI_Datatype type, char* name, int* length)) {
  int error;
  const Datatype* const ours = mpi::known("MPI_Type_get_name", type, error);
  return error ? error : mpi::put_text(ours->name, name, MPI_MAX_OBJECT_NAME, length);
}
TERRACE_MPI(int, Get_address, (const void* place, MPI_Aint* address)) {
  *address = reinterpret_cast<MPI_Aint>(place);
  return MPI_SUCCESS;
}
TERRACE_MPI(MPI_Aint, Aint_add, (MPI_Aint base, MPI_Aint distance)) {
  return base + distance;
}
TERRACE_MPI(MPI_Aint, Aint_diff, (MPI_Aint one, MPI_Aint other)) {
  return one - other;
}
TERRACE_MPI(int, Type_match_size, (int type_class, int size, MPI_Datatype* type)) {
  const bool is_real = type_class == MPI_TYPECLASS_REAL;
  *type = MPI_DATATYPE_NULL;
  if (is_real) *type = size == 4 ? MPI_FLOAT : size == 8 ? MPI_DOUBLE : MPI_DATATYPE_NULL;
  if (type_class == MPI_TYPECLASS_INTEGER)
    *type = size == 1   ? MPI_INT8_T
            : size == 2 ? MPI_INT16_T
            : size == 4 ? MPI_INT32_T
            : size == 8 ? MPI_INT64_T
                        : MPI_DATATYPE_NULL;
  if (type_class == MPI_TYPECLASS_COMPLEX)
    *type = size == 8 ? MPI_C_FLOAT_COMPLEX : size == 16 ? MPI_C_DOUBLE_COMPLEX : MPI_DATATYPE_NULL;
  return *type != MPI_DATATYPE_NULL
             ? MPI_SUCCESS
             : mpi::fail("MPI_Type_match_size", MPI_ERR_ARG, "no type has that class and size");
}
