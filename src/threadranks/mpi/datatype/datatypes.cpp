// SPDX-License-Identifier: BSD-3-Clause
// Makes and frees datatypes.
#include <algorithm>
#include <optional>
#include <vector>

#include "threadranks/mpi/group/attributes.hpp"

namespace terrace::threadranks::mpi {
namespace {

using Bytes = std::ptrdiff_t;

constexpr const char* kTooLarge = "the type has more bytes than its size or extent can say";

/// Puts the handle of a type in its place; null is an error: too large.
int put(const char* function, Datatype* type, MPI_Datatype* made) {
  if (type == nullptr) return fail(function, MPI_ERR_ARG, kTooLarge);
  *made = handle_of(type);
  return MPI_SUCCESS;
}

int make(const char* function, std::vector<TypeBlock> blocks, Recipe recipe, MPI_Datatype* made,
         bool pads = false) {
  const RankCall call;
  for (const TypeBlock& block : blocks)
    if (block.count < 0) return fail(function, MPI_ERR_COUNT, "a negative count");
  return put(function, Datatype::of_blocks(blocks, std::move(recipe), pads), made);
}

/// Functions with large counts also report their arguments as large counts.
template <class Count>
inline constexpr bool kIsLarge = sizeof(Count) > sizeof(int);

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
  Datatype* const type = known_type(function, old, error);
  if (error) return error;
  Recipe recipe = recipe_of(Maker::contiguous, kIsLarge<Count>, type);
  recipe.add_count(count);
  return make(function, {{0, count, type}}, std::move(recipe), made);
}

template <class Count>
int vector(const char* function, Maker maker, Count count, Count length, std::int64_t stride,
           MPI_Datatype old, MPI_Datatype* made) {
  int error;
  Datatype* const type = known_type(function, old, error);
  if (error) return error;
  if (count < 0 || length < 0) return fail(function, MPI_ERR_COUNT, "a negative count");
  Recipe recipe = recipe_of(maker, kIsLarge<Count>, type);
  recipe.add_count(count);
  recipe.add_count(length);
  if (maker == Maker::vector)
    recipe.add_count(stride);
  else
    recipe.add_address(stride);
  Bytes bytes;
  if (__builtin_mul_overflow(stride, maker == Maker::vector ? type->extent() : 1, &bytes))
    return fail(function, MPI_ERR_ARG, kTooLarge);
  return make(function, {{0, length, type, count, bytes}}, std::move(recipe), made);
}

/// Blocks at given places. `lengths` null: all are of `length`. `unit`: bytes per place; 0: the old
/// type's extent.
template <class Count, class Place>
int indexed(const char* function, Maker maker, Count count, const Count* lengths,
            std::int64_t length, const Place* places, std::ptrdiff_t unit, MPI_Datatype old,
            MPI_Datatype* made) {
  int error;
  Datatype* const type = known_type(function, old, error);
  if (error) return error;
  if (count < 0) return fail(function, MPI_ERR_COUNT, "a negative count");
  Recipe recipe = recipe_of(maker, kIsLarge<Count>, type);
  recipe.add_count(count);
  std::vector<TypeBlock> blocks;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t elements = lengths != nullptr ? std::int64_t{lengths[i]} : length;
    Bytes place;
    if (__builtin_mul_overflow(places[i], unit ? unit : type->extent(), &place))
      return fail(function, MPI_ERR_ARG, kTooLarge);
    blocks.push_back({place, elements, type});
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
    Datatype* const type = known_type(function, types[i], error);
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
  const RankCall call;
  int error;
  Datatype* const type = known_type(function, old, error);
  if (error) return error;
  Recipe recipe = recipe_of(Maker::resized, is_large, type);
  recipe.add_address(lower);
  recipe.add_address(extent);
  return put(function, Datatype::resized(*type, lower, extent, std::move(recipe)), made);
}

using Blocks = std::vector<TypeBlock>;

/// A block of `length` rows from the row `first` on, `times` times, `step` rows apart. None: too
/// large.
std::optional<TypeBlock> rows(Datatype* row, std::int64_t first, std::int64_t length,
                              std::int64_t times = 1, std::int64_t step = 0) {
  TypeBlock block{0, length, row, times, 0};
  if (__builtin_mul_overflow(first, row->extent(), &block.displacement) ||
      __builtin_mul_overflow(step, row->extent(), &block.stride))
    return {};
  return block;
}

/// An array, made from the fastest dimension to the slowest: rows of rows. Has no type once a size
/// or an extent has overflowed.
class ArrayType {
 public:
  explicit ArrayType(Datatype& element) : row_(&element) { row_->retain(); }
  ~ArrayType() { set(nullptr); }
  ArrayType(const ArrayType&) = delete;
  ArrayType& operator=(const ArrayType&) = delete;

  /// `part(row, blocks)` adds what is wanted of a dimension of `size` rows. False: too large.
  template <class Part>
  void add_dimension(std::int64_t size, Part&& part) {
    if (row_ == nullptr) return;
    Blocks blocks;
    Bytes extent;
    if (!part(row_, blocks) || __builtin_mul_overflow(size, row_->extent(), &extent))
      return set(nullptr);
    set(Datatype::of_blocks(blocks, {}));
    if (row_ != nullptr) set(Datatype::resized(*row_, 0, extent, {}));
  }
  Datatype* whole(Recipe recipe) const {
    if (row_ == nullptr) return nullptr;
    return Datatype::resized(*row_, 0, row_->extent(), std::move(recipe));
  }

 private:
  void set(Datatype* row) {
    if (row_ != nullptr) row_->release();
    row_ = row;
  }

  Datatype* row_;
};

template <class Count>
int subarray(const char* function, int dimensions, const Count* sizes, const Count* parts,
             const Count* starts, int order, MPI_Datatype old, MPI_Datatype* made) {
  const RankCall call;
  int error;
  Datatype* type = known_type(function, old, error);
  if (error) return error;
  if (dimensions < 1) return fail(function, MPI_ERR_ARG, "an array without dimensions");
  if (order != MPI_ORDER_C && order != MPI_ORDER_FORTRAN)
    return fail(function, MPI_ERR_ARG, "an order that is neither C's nor Fortran's");
  Recipe recipe = recipe_of(Maker::subarray, kIsLarge<Count>, type);
  recipe.integers.push_back(dimensions);
  for (const Count* numbers : {sizes, parts, starts})
    for (int i = 0; i < dimensions; ++i) recipe.add_count(numbers[i]);
  recipe.integers.push_back(order);
  for (int i = 0; i < dimensions; ++i)
    if (parts[i] < 1 || starts[i] < 0 || starts[i] > sizes[i] || parts[i] > sizes[i] - starts[i])
      return fail(function, MPI_ERR_ARG, "a part that is not in the array");
  ArrayType array(*type);
  for (int step = 0; step < dimensions; ++step) {
    const int i = order == MPI_ORDER_C ? dimensions - 1 - step : step;
    array.add_dimension(sizes[i], [&](Datatype* row, Blocks& blocks) {
      const auto block = rows(row, starts[i], parts[i]);
      if (block) blocks.push_back(*block);
      return block.has_value();
    });
  }
  return put(function, array.whole(std::move(recipe)), made);
}

/// One dimension of an array that ranks share out.
struct Share {
  std::int64_t size;
  int how, argument;
  int parts, own;  ///< of the grid of ranks

  /// The number of indices of a block; 0: the argument is invalid.
  std::int64_t block() const {
    const std::int64_t whole = size / parts + (size % parts != 0 ? 1 : 0);
    if (how == MPI_DISTRIBUTE_NONE) return std::max<std::int64_t>(size, 1);
    if (how == MPI_DISTRIBUTE_BLOCK) {
      if (argument == MPI_DISTRIBUTE_DFLT_DARG) return std::max<std::int64_t>(whole, 1);
      return argument >= whole ? argument : 0;
    }
    return argument == MPI_DISTRIBUTE_DFLT_DARG ? 1 : argument;
  }
  /// Adds this rank's blocks: whole ones, and one that the array's end cuts off. False: too large.
  bool add_blocks(Datatype* row, Blocks& blocks) const {
    const bool is_whole = how == MPI_DISTRIBUTE_NONE;
    const std::int64_t length = block();
    std::int64_t step = length, first = 0;
    if (!is_whole && (__builtin_mul_overflow(length, parts, &step) ||
                      __builtin_mul_overflow(length, own, &first)))
      return false;
    if (first >= size) return true;
    const std::int64_t left = size - first;
    const std::int64_t times = left < length ? 0 : (left - length) / step + 1;
    const auto whole = rows(row, first, length, times, times > 1 ? step : 0);
    if (!whole) return false;
    blocks.push_back(*whole);
    if (times > 0 && left <= times * step) return true;
    const auto cut = rows(row, first + times * step, std::min(left - times * step, length));
    if (!cut) return false;
    blocks.push_back(*cut);
    return true;
  }
};

template <class Count>
int darray(const char* function, int ranks, int rank, int dimensions, const Count* sizes,
           const int* hows, const int* arguments, const int* parts, int order, MPI_Datatype old,
           MPI_Datatype* made) {
  const RankCall call;
  int error;
  Datatype* type = known_type(function, old, error);
  if (error) return error;
  if (dimensions < 1) return fail(function, MPI_ERR_ARG, "an array without dimensions");
  if (rank < 0 || rank >= ranks) return fail(function, MPI_ERR_ARG, "there is no such rank");
  Recipe recipe = recipe_of(Maker::darray, kIsLarge<Count>, type);
  for (const int number : {ranks, rank, dimensions}) recipe.integers.push_back(number);
  for (int i = 0; i < dimensions; ++i) recipe.add_count(sizes[i]);
  for (const int* numbers : {hows, arguments, parts})
    recipe.integers.insert(recipe.integers.end(), numbers, numbers + dimensions);
  recipe.integers.push_back(order);
  // Ranks are ordered as by MPI_Cart_create: the last dimension varies fastest.
  std::vector<Share> shares(static_cast<std::size_t>(dimensions));
  int left = rank;
  for (int i = dimensions - 1; i >= 0; --i) {
    if (parts[i] < 1) return fail(function, MPI_ERR_ARG, "a dimension without ranks");
    if (sizes[i] < 0) return fail(function, MPI_ERR_ARG, "a dimension of a negative size");
    Share& share = shares[static_cast<std::size_t>(i)];
    share = {sizes[i], hows[i], arguments[i], parts[i], left % parts[i]};
    left /= parts[i];
    if (share.block() < 1) return fail(function, MPI_ERR_ARG, "blocks too short for the array");
  }
  ArrayType array(*type);
  for (int step = 0; step < dimensions; ++step) {
    const int i = order == MPI_ORDER_C ? dimensions - 1 - step : step;
    const Share& share = shares[static_cast<std::size_t>(i)];
    array.add_dimension(
        share.size, [&](Datatype* row, Blocks& blocks) { return share.add_blocks(row, blocks); });
  }
  return put(function, array.whole(std::move(recipe)), made);
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
  const mpi::RankCall call;
  int error;
  Datatype* const type = mpi::known_type("MPI_Type_dup", old, error);
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
  const mpi::RankCall call;
  int error;
  Datatype* const ours = mpi::known_type("MPI_Type_commit", *type, error);
  if (!error && ours->predefined() == nullptr) ours->is_committed = true;
  return error;
}
TERRACE_MPI(int, Type_free, (MPI_Datatype * type)) {
  const mpi::RankCall call;
  int error;
  Datatype* const ours = mpi::known_type("MPI_Type_free", *type, error);
  if (error) return error;
  if (ours->combined_as() != nullptr)
    return mpi::fail("MPI_Type_free", MPI_ERR_TYPE, "predefined types cannot be freed");
  if (!ours->take_back())
    return mpi::fail("MPI_Type_free", MPI_ERR_TYPE, "the datatype is freed already");
  // Those of the type, which the program may have got once more from MPI_Type_get_contents.
  if (const int failure = ours->is_handed_out() ? 0 : mpi::delete_attributes(*ours)) {
    ours->hand_out();
    return mpi::fail("MPI_Type_free", failure, "an attribute cannot be deleted");
  }
  ours->release();
  *type = MPI_DATATYPE_NULL;
  return MPI_SUCCESS;
}
