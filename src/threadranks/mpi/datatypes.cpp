// SPDX-License-Identifier: BSD-3-Clause
// Datatypes: making, asking, packing.
#include <algorithm>
#include <cstring>
#include <limits>
#include <vector>

#include "threadranks/mpi/attributes.hpp"

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

/// Functions with large counts tell their arguments as such, too.
template <class Count>
inline constexpr bool kIsLarge = sizeof(Count) > sizeof(int);

/// `count` blocks of `length`, `stride` bytes apart.
std::vector<TypeBlock> strided(std::int64_t count, std::int64_t length, std::ptrdiff_t stride,
                               Datatype* type) {
  std::vector<TypeBlock> blocks;
  for (std::int64_t i = 0; i < count; ++i) blocks.push_back({i * stride, length, type});
  return blocks;
}

Recipe recipe_of(Maker maker, bool is_large, Datatype* type) {
  Recipe recipe;
  recipe.maker = maker;
  recipe.is_large = is_large;
  if (type != nullptr) recipe.types.push_back(type);
  return recipe;
}

template <class Count>
int contiguous(const char* function, Count count, MPI_Datatype old, MPI_Datatype* made) {
  int error;
  Datatype* const type = known(function, old, error);
  if (error) return error;
  Recipe recipe = recipe_of(Maker::contiguous, kIsLarge<Count>, type);
  recipe.add_count(count);
  return make(function, {{0, count, type}}, std::move(recipe), made);
}

template <class Count>
int vector(const char* function, Maker maker, Count count, Count length, std::int64_t stride,
           MPI_Datatype old, MPI_Datatype* made) {
  int error;
  Datatype* const type = known(function, old, error);
  if (error) return error;
  if (count < 0 || length < 0) return fail(function, MPI_ERR_COUNT, "a negative count");
  Recipe recipe = recipe_of(maker, kIsLarge<Count>, type);
  recipe.add_count(count);
  recipe.add_count(length);
  if (maker == Maker::vector)
    recipe.add_count(stride);
  else
    recipe.add_address(stride);
  const std::ptrdiff_t bytes = maker == Maker::vector ? stride * type->extent() : stride;
  return make(function, strided(count, length, bytes, type), std::move(recipe), made);
}

/// Blocks at places of their own. `lengths` null: all are of `length`. `unit`: bytes per place; 0:
/// the old type's extent.
template <class Count, class Place>
int indexed(const char* function, Maker maker, Count count, const Count* lengths,
            std::int64_t length, const Place* places, std::ptrdiff_t unit, MPI_Datatype old,
            MPI_Datatype* made) {
  int error;
  Datatype* const type = known(function, old, error);
  if (error) return error;
  if (count < 0) return fail(function, MPI_ERR_COUNT, "a negative count");
  Recipe recipe = recipe_of(maker, kIsLarge<Count>, type);
  recipe.add_count(count);
  std::vector<TypeBlock> blocks;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t elements = lengths != nullptr ? std::int64_t{lengths[i]} : length;
    blocks.push_back({std::ptrdiff_t{places[i]} * (unit ? unit : type->extent()), elements, type});
    if (lengths != nullptr) recipe.add_count(elements);
  }
  if (lengths == nullptr) recipe.add_count(length);
  for (std::int64_t i = 0; i < count; ++i) {
    if (unit)
      recipe.add_address(places[i]);
    else
      recipe.add_count(places[i]);
  }
  return make(function, std::move(blocks), std::move(recipe), made);
}

template <class Count, class Place>
int structure(const char* function, Count count, const Count* lengths, const Place* places,
              const MPI_Datatype* types, MPI_Datatype* made) {
  if (count < 0) return fail(function, MPI_ERR_COUNT, "a negative count");
  Recipe recipe = recipe_of(Maker::structure, kIsLarge<Count>, nullptr);
  recipe.add_count(count);
  std::vector<TypeBlock> blocks;
  for (std::int64_t i = 0; i < count; ++i) {
    int error;
    Datatype* const type = known(function, types[i], error);
    if (error) return error;
    blocks.push_back({places[i], lengths[i], type});
    recipe.add_count(lengths[i]);
    recipe.types.push_back(type);
  }
  for (std::int64_t i = 0; i < count; ++i) recipe.add_address(places[i]);
  return make(function, std::move(blocks), std::move(recipe), made, true);
}

int resized(const char* function, std::int64_t lower, std::int64_t extent, bool is_large,
            MPI_Datatype old, MPI_Datatype* made) {
  int error;
  Datatype* const type = known(function, old, error);
  if (error) return error;
  Recipe recipe = recipe_of(Maker::resized, is_large, type);
  recipe.add_address(lower);
  recipe.add_address(extent);
  *made = handle_of(Datatype::resized(*type, lower, extent, std::move(recipe)));
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
  Recipe recipe = recipe_of(Maker::subarray, kIsLarge<Count>, type);
  recipe.integers.push_back(dimensions);
  for (const Count* numbers : {sizes, parts, starts})
    for (int i = 0; i < dimensions; ++i) recipe.add_count(numbers[i]);
  recipe.integers.push_back(order);
  for (int i = 0; i < dimensions; ++i)
    if (parts[i] < 1 || starts[i] < 0 || starts[i] + parts[i] > sizes[i])
      return fail(function, MPI_ERR_ARG, "a part that is not in the array");
  type->retain();
  std::ptrdiff_t stride = type->extent(), first = 0;
  for (int step = 0; step < dimensions; ++step) {
    const int i = order == MPI_ORDER_C ? dimensions - 1 - step : step;
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

/// One dimension of an array that ranks share out.
struct Share {
  std::int64_t size;
  int how, argument;
  int parts, own;  ///< of the grid of ranks

  /// How many indices a block has; 0: the argument makes no sense.
  std::int64_t block() const {
    const std::int64_t whole = (size + parts - 1) / parts;
    if (how == MPI_DISTRIBUTE_NONE) return std::max<std::int64_t>(size, 1);
    if (how == MPI_DISTRIBUTE_BLOCK) {
      if (argument == MPI_DISTRIBUTE_DFLT_DARG) return std::max<std::int64_t>(whole, 1);
      return argument >= whole ? argument : 0;
    }
    return argument == MPI_DISTRIBUTE_DFLT_DARG ? 1 : argument;
  }
  /// The blocks of this rank's, in rows of `type`, `stride` bytes apart.
  std::vector<TypeBlock> blocks(std::ptrdiff_t stride, Datatype* type) const {
    std::vector<TypeBlock> all;
    const bool is_whole = how == MPI_DISTRIBUTE_NONE;
    const std::int64_t length = block(), step = length * (is_whole ? 1 : parts);
    for (std::int64_t first = is_whole ? 0 : own * length; first < size; first += step) {
      const std::int64_t end = std::min(first + length, size);
      for (std::int64_t i = first; i < end; ++i) all.push_back({i * stride, 1, type});
    }
    return all;
  }
};

template <class Count>
int darray(const char* function, int ranks, int rank, int dimensions, const Count* sizes,
           const int* hows, const int* arguments, const int* parts, int order, MPI_Datatype old,
           MPI_Datatype* made) {
  int error;
  Datatype* type = known(function, old, error);
  if (error) return error;
  if (dimensions < 1) return fail(function, MPI_ERR_ARG, "an array without dimensions");
  if (rank < 0 || rank >= ranks) return fail(function, MPI_ERR_ARG, "a rank that is not there");
  Recipe recipe = recipe_of(Maker::darray, kIsLarge<Count>, type);
  for (const int number : {ranks, rank, dimensions}) recipe.integers.push_back(number);
  for (int i = 0; i < dimensions; ++i) recipe.add_count(sizes[i]);
  for (const int* numbers : {hows, arguments, parts})
    recipe.integers.insert(recipe.integers.end(), numbers, numbers + dimensions);
  recipe.integers.push_back(order);
  // Ranks are in the grid as in MPI_Cart_create: the last dimension is the fastest.
  std::vector<Share> shares(static_cast<std::size_t>(dimensions));
  int left = rank;
  for (int i = dimensions - 1; i >= 0; --i) {
    if (parts[i] < 1) return fail(function, MPI_ERR_ARG, "a dimension without ranks");
    Share& share = shares[static_cast<std::size_t>(i)];
    share = {sizes[i], hows[i], arguments[i], parts[i], left % parts[i]};
    left /= parts[i];
    if (share.block() < 1) return fail(function, MPI_ERR_ARG, "blocks too short for the array");
  }
  type->retain();
  std::ptrdiff_t stride = type->extent();
  for (int step = 0; step < dimensions; ++step) {
    const int i = order == MPI_ORDER_C ? dimensions - 1 - step : step;
    const Share& share = shares[static_cast<std::size_t>(i)];
    Datatype* const rows = Datatype::of_blocks(share.blocks(stride, type), {});
    type->release();
    type = rows;
    stride *= static_cast<std::ptrdiff_t>(share.size);
  }
  *made = handle_of(Datatype::resized(*type, 0, stride, std::move(recipe)));
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
      MPI_COMBINER_STRUCT,   MPI_COMBINER_SUBARRAY,      MPI_COMBINER_DARRAY,
      MPI_COMBINER_RESIZED};
  return kCombiners[static_cast<std::size_t>(maker)];
}

}  // namespace
}  // namespace terrace::threadranks::mpi

namespace mpi = terrace::threadranks::mpi;
using terrace::threadranks::Attributes;
using terrace::threadranks::Datatype;
using terrace::threadranks::Maker;

#define TERRACE_TYPE_MAKERS(suffix, Counts, Places)                                                \
  TERRACE_MPI(int, Type_contiguous##suffix,                                                        \
              (Counts count, MPI_Datatype old, MPI_Datatype * made)) {                             \
    return mpi::contiguous("MPI_Type_contiguous" #suffix, count, old, made);                       \
  }                                                                                                \
  TERRACE_MPI(                                                                                     \
      int, Type_vector##suffix,                                                                    \
      (Counts count, Counts length, Counts stride, MPI_Datatype old, MPI_Datatype * made)) {       \
    return mpi::vector("MPI_Type_vector" #suffix, Maker::vector, count, length, stride, old,       \
                       made);                                                                      \
  }                                                                                                \
  TERRACE_MPI(                                                                                     \
      int, Type_create_hvector##suffix,                                                            \
      (Counts count, Counts length, Places stride, MPI_Datatype old, MPI_Datatype * made)) {       \
    return mpi::vector("MPI_Type_create_hvector" #suffix, Maker::hvector, count, length, stride,   \
                       old, made);                                                                 \
  }                                                                                                \
  TERRACE_MPI(int, Type_indexed##suffix,                                                           \
              (Counts count, const Counts* lengths, const Counts* places, MPI_Datatype old,        \
               MPI_Datatype* made)) {                                                              \
    return mpi::indexed("MPI_Type_indexed" #suffix, Maker::indexed, count, lengths, 0, places, 0,  \
                        old, made);                                                                \
  }                                                                                                \
  TERRACE_MPI(int, Type_create_hindexed##suffix,                                                   \
              (Counts count, const Counts* lengths, const Places* places, MPI_Datatype old,        \
               MPI_Datatype* made)) {                                                              \
    return mpi::indexed("MPI_Type_create_hindexed" #suffix, Maker::hindexed, count, lengths, 0,    \
                        places, 1, old, made);                                                     \
  }                                                                                                \
  TERRACE_MPI(                                                                                     \
      int, Type_create_indexed_block##suffix,                                                      \
      (Counts count, Counts length, const Counts* places, MPI_Datatype old, MPI_Datatype* made)) { \
    return mpi::indexed("MPI_Type_create_indexed_block" #suffix, Maker::indexed_block, count,      \
                        static_cast<const Counts*>(nullptr), length, places, 0, old, made);        \
  }                                                                                                \
  TERRACE_MPI(                                                                                     \
      int, Type_create_hindexed_block##suffix,                                                     \
      (Counts count, Counts length, const Places* places, MPI_Datatype old, MPI_Datatype* made)) { \
    return mpi::indexed("MPI_Type_create_hindexed_block" #suffix, Maker::hindexed_block, count,    \
                        static_cast<const Counts*>(nullptr), length, places, 1, old, made);        \
  }                                                                                                \
  TERRACE_MPI(int, Type_create_struct##suffix,                                                     \
              (Counts count, const Counts* lengths, const Places* places,                          \
               const MPI_Datatype* types, MPI_Datatype* made)) {                                   \
    return mpi::structure("MPI_Type_create_struct" #suffix, count, lengths, places, types, made);  \
  }                                                                                                \
  TERRACE_MPI(int, Type_create_resized##suffix,                                                    \
              (MPI_Datatype old, Places lower, Places extent, MPI_Datatype * made)) {              \
    return mpi::resized("MPI_Type_create_resized" #suffix, lower, extent, mpi::kIsLarge<Counts>,   \
                        old, made);                                                                \
  }                                                                                                \
  TERRACE_MPI(int, Type_create_subarray##suffix,                                                   \
              (int dimensions, const Counts* sizes, const Counts* parts, const Counts* starts,     \
               int order, MPI_Datatype old, MPI_Datatype* made)) {                                 \
    return mpi::subarray("MPI_Type_create_subarray" #suffix, dimensions, sizes, parts, starts,     \
                         order, old, made);                                                        \
  }                                                                                                \
  TERRACE_MPI(                                                                                     \
      int, Type_create_darray##suffix,                                                             \
      (int ranks, int rank, int dimensions, const Counts* sizes, const int* hows,                  \
       const int* arguments, const int* parts, int order, MPI_Datatype old, MPI_Datatype* made)) { \
    return mpi::darray("MPI_Type_create_darray" #suffix, ranks, rank, dimensions, sizes, hows,     \
                       arguments, parts, order, old, made);                                        \
  }
TERRACE_TYPE_MAKERS(, int, MPI_Aint)
TERRACE_TYPE_MAKERS(_c, MPI_Count, MPI_Count)

TERRACE_MPI(int, Type_dup, (MPI_Datatype old, MPI_Datatype* made)) {
  int error;
  Datatype* const type = mpi::known("MPI_Type_dup", old, error);
  if (error) return error;
  Attributes attributes;
  if (const int failure = mpi::copy_attributes(*type, attributes)) {
    *made = MPI_DATATYPE_NULL;
    return mpi::fail("MPI_Type_dup", failure, "an attribute cannot be copied");
  }
  Datatype* const copy = Datatype::resized(*type, type->lower(), type->extent(),
                                           mpi::recipe_of(Maker::dup, false, type));
  copy->attributes = std::move(attributes);
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
  if (const int failure = mpi::delete_attributes(*ours))
    return mpi::fail("MPI_Type_free", failure, "an attribute cannot be deleted");
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

TERRACE_MPI(int, Type_get_envelope_c,
            (MPI_Datatype type, MPI_Count* integers, MPI_Count* addresses, MPI_Count* counts,
             MPI_Count* types, int* combiner)) {
  int error;
  const Datatype* const ours = mpi::known("MPI_Type_get_envelope_c", type, error);
  if (error) return error;
  *integers = static_cast<MPI_Count>(ours->recipe().integers.size());
  *addresses = static_cast<MPI_Count>(ours->recipe().addresses.size());
  *counts = static_cast<MPI_Count>(ours->recipe().counts.size());
  *types = static_cast<MPI_Count>(ours->recipe().types.size());
  *combiner = mpi::combiner_of(ours->recipe().maker);
  return MPI_SUCCESS;
}
TERRACE_MPI(int, Type_get_envelope,
            (MPI_Datatype type, int* integers, int* addresses, int* types, int* combiner)) {
  MPI_Count sizes[4];
  if (const int error =
          PMPI_Type_get_envelope_c(type, &sizes[0], &sizes[1], &sizes[2], &sizes[3], combiner))
    return error;
  if (sizes[2] > 0)
    return mpi::fail("MPI_Type_get_envelope", MPI_ERR_TYPE,
                     "the type has large counts, which MPI_Type_get_envelope_c tells");
  *integers = static_cast<int>(sizes[0]);
  *addresses = static_cast<int>(sizes[1]);
  *types = static_cast<int>(sizes[3]);
  return MPI_SUCCESS;
}
TERRACE_MPI(int, Type_get_contents_c,
            (MPI_Datatype type, MPI_Count, MPI_Count, MPI_Count, MPI_Count, int* integers,
             MPI_Aint* addresses, MPI_Count* counts, MPI_Datatype* types)) {
  int error;
  const Datatype* const ours = mpi::known("MPI_Type_get_contents_c", type, error);
  if (error) return error;
  if (ours->predefined() != nullptr)
    return mpi::fail("MPI_Type_get_contents", MPI_ERR_TYPE, "predefined types have no contents");
  const terrace::threadranks::Recipe& recipe = ours->recipe();
  std::copy(recipe.integers.begin(), recipe.integers.end(), integers);
  std::copy(recipe.addresses.begin(), recipe.addresses.end(), addresses);
  std::copy(recipe.counts.begin(), recipe.counts.end(), counts);
  for (Datatype* const inner : recipe.types) {
    inner->retain();
    *types++ = mpi::handle_of(inner);
  }
  return MPI_SUCCESS;
}
TERRACE_MPI(int, Type_get_contents,
            (MPI_Datatype type, int integer_room, int address_room, int type_room, int* integers,
             MPI_Aint* addresses, MPI_Datatype* types)) {
  int error;
  const Datatype* const ours = mpi::known("MPI_Type_get_contents", type, error);
  if (error) return error;
  if (!ours->recipe().counts.empty())
    return mpi::fail("MPI_Type_get_contents", MPI_ERR_TYPE,
                     "the type has large counts, which MPI_Type_get_contents_c tells");
  return PMPI_Type_get_contents_c(type, integer_room, address_room, 0, type_room, integers,
                                  addresses, nullptr, types);
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
  if (is_real)
    *type = size == 4    ? MPI_FLOAT
            : size == 8  ? MPI_DOUBLE
            : size == 16 ? MPI_LONG_DOUBLE
                         : MPI_DATATYPE_NULL;
  if (type_class == MPI_TYPECLASS_INTEGER)
    *type = size == 1   ? MPI_INT8_T
            : size == 2 ? MPI_INT16_T
            : size == 4 ? MPI_INT32_T
            : size == 8 ? MPI_INT64_T
                        : MPI_DATATYPE_NULL;
  if (type_class == MPI_TYPECLASS_COMPLEX)
    *type = size == 8    ? MPI_C_FLOAT_COMPLEX
            : size == 16 ? MPI_C_DOUBLE_COMPLEX
            : size == 32 ? MPI_C_LONG_DOUBLE_COMPLEX
                         : MPI_DATATYPE_NULL;
  return *type != MPI_DATATYPE_NULL
             ? MPI_SUCCESS
             : mpi::fail("MPI_Type_match_size", MPI_ERR_ARG, "no type has that class and size");
}
