// SPDX-License-Identifier: BSD-3-Clause
// Queries of datatypes: their lengths, how they were made, their names; and of addresses, from
// which types are made.
#include <algorithm>

#include "threadranks/mpi/adapter.hpp"

namespace terrace::threadranks::mpi {
namespace {

/// The ABI's names of the type constructors.
int combiner_of(Maker maker) {
  constexpr int kCombiners[] = {
      MPI_COMBINER_NAMED,      MPI_COMBINER_DUP,           MPI_COMBINER_CONTIGUOUS,
      MPI_COMBINER_VECTOR,     MPI_COMBINER_HVECTOR,       MPI_COMBINER_INDEXED,
      MPI_COMBINER_HINDEXED,   MPI_COMBINER_INDEXED_BLOCK, MPI_COMBINER_HINDEXED_BLOCK,
      MPI_COMBINER_STRUCT,     MPI_COMBINER_SUBARRAY,      MPI_COMBINER_DARRAY,
      MPI_COMBINER_RESIZED,    MPI_COMBINER_F90_REAL,      MPI_COMBINER_F90_COMPLEX,
      MPI_COMBINER_F90_INTEGER};
  return kCombiners[static_cast<std::size_t>(maker)];
}

/// MPI_DATATYPE_NULL: no type has that class and size.
MPI_Datatype of_class(int type_class, int size) {
  switch (type_class) {
    case MPI_TYPECLASS_REAL:
      return size == 4    ? MPI_FLOAT
             : size == 8  ? MPI_DOUBLE
             : size == 16 ? MPI_LONG_DOUBLE
                          : MPI_DATATYPE_NULL;
    case MPI_TYPECLASS_INTEGER:
      return size == 1   ? MPI_INT8_T
             : size == 2 ? MPI_INT16_T
             : size == 4 ? MPI_INT32_T
             : size == 8 ? MPI_INT64_T
                         : MPI_DATATYPE_NULL;
    case MPI_TYPECLASS_COMPLEX:
      return size == 8    ? MPI_C_FLOAT_COMPLEX
             : size == 16 ? MPI_C_DOUBLE_COMPLEX
             : size == 32 ? MPI_C_LONG_DOUBLE_COMPLEX
                          : MPI_DATATYPE_NULL;
    default:
      return MPI_DATATYPE_NULL;
  }
}

}  // namespace
}  // namespace terrace::threadranks::mpi

namespace mpi = terrace::threadranks::mpi;
using terrace::threadranks::Datatype;

#define TERRACE_TYPE_QUESTIONS(suffix, Number, Place)                                              \
  TERRACE_MPI(int, Type_size##suffix, (MPI_Datatype type, Number * size)) {                        \
    int error;                                                                                     \
    const Datatype* const ours = mpi::known_type("MPI_Type_size" #suffix, type, error);            \
    if (!error) *size = mpi::fitted<Number>(static_cast<std::int64_t>(ours->size()));              \
    return error;                                                                                  \
  }                                                                                                \
  TERRACE_MPI(int, Type_get_extent##suffix, (MPI_Datatype type, Place * lower, Place * extent)) {  \
    int error;                                                                                     \
    const Datatype* const ours = mpi::known_type("MPI_Type_get_extent" #suffix, type, error);      \
    if (error) return error;                                                                       \
    *lower = ours->lower();                                                                        \
    *extent = ours->extent();                                                                      \
    return MPI_SUCCESS;                                                                            \
  }                                                                                                \
  TERRACE_MPI(int, Type_get_true_extent##suffix,                                                   \
              (MPI_Datatype type, Place * lower, Place * extent)) {                                \
    int error;                                                                                     \
    const Datatype* const ours = mpi::known_type("MPI_Type_get_true_extent" #suffix, type, error); \
    if (error) return error;                                                                       \
    *lower = ours->true_lower();                                                                   \
    *extent = ours->true_extent();                                                                 \
    return MPI_SUCCESS;                                                                            \
  }
TERRACE_TYPE_QUESTIONS(, int, MPI_Aint)
TERRACE_TYPE_QUESTIONS(_x, MPI_Count, MPI_Count)
TERRACE_TYPE_QUESTIONS(_c, MPI_Count, MPI_Count)

TERRACE_MPI(int, Type_get_envelope_c,
            (MPI_Datatype type, MPI_Count* integers, MPI_Count* addresses, MPI_Count* counts,
             MPI_Count* types, int* combiner)) {
  int error;
  const Datatype* const ours = mpi::known_type("MPI_Type_get_envelope_c", type, error);
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
            (MPI_Datatype type, MPI_Count integer_room, MPI_Count address_room,
             MPI_Count count_room, MPI_Count type_room, int* integers, MPI_Aint* addresses,
             MPI_Count* counts, MPI_Datatype* types)) {
  const mpi::RankCall call;
  int error;
  const Datatype* const ours = mpi::known_type("MPI_Type_get_contents_c", type, error);
  if (error) return error;
  if (ours->predefined() != nullptr)
    return mpi::fail("MPI_Type_get_contents", MPI_ERR_TYPE, "predefined types have no contents");
  const terrace::threadranks::Recipe& recipe = ours->recipe();
  if (std::ssize(recipe.integers) > integer_room || std::ssize(recipe.addresses) > address_room ||
      std::ssize(recipe.counts) > count_room || std::ssize(recipe.types) > type_room)
    return mpi::fail("MPI_Type_get_contents", MPI_ERR_ARG,
                     "the type has more contents than there is room for");
  std::copy(recipe.integers.begin(), recipe.integers.end(), integers);
  std::copy(recipe.addresses.begin(), recipe.addresses.end(), addresses);
  std::copy(recipe.counts.begin(), recipe.counts.end(), counts);
  for (Datatype* const inner : recipe.types) {
    inner->give_again();
    *types++ = mpi::handle_of(inner);
  }
  return MPI_SUCCESS;
}
TERRACE_MPI(int, Type_get_contents,
            (MPI_Datatype type, int integer_room, int address_room, int type_room, int* integers,
             MPI_Aint* addresses, MPI_Datatype* types)) {
  const mpi::RankCall call;
  int error;
  const Datatype* const ours = mpi::known_type("MPI_Type_get_contents", type, error);
  if (error) return error;
  if (!ours->recipe().counts.empty())
    return mpi::fail("MPI_Type_get_contents", MPI_ERR_TYPE,
                     "the type has large counts, which MPI_Type_get_contents_c tells");
  return PMPI_Type_get_contents_c(type, integer_room, address_room, 0, type_room, integers,
                                  addresses, nullptr, types);
}
TERRACE_MPI(int, Type_set_name, (MPI_Datatype type, const char* name)) {
  const mpi::RankCall call;
  int error;
  Datatype* const ours = mpi::known_type("MPI_Type_set_name", type, error);
  // All ranks have the same predefined ones.
  if (!error && ours->predefined() != nullptr) call.state().names_of_predefined[ours] = name;
  if (!error && ours->predefined() == nullptr) ours->name = name;
  return error;
}
TERRACE_MPI(int, Type_get_name, (MPI_Datatype type, char* name, int* length)) {
  const mpi::RankCall call;
  if (type == MPI_DATATYPE_NULL)
    return mpi::put_text("MPI_DATATYPE_NULL", name, MPI_MAX_OBJECT_NAME, length);
  int error;
  const Datatype* const ours = mpi::known_type("MPI_Type_get_name", type, error);
  if (error) return error;
  const auto& renamed = call.state().names_of_predefined;
  const auto own = renamed.find(ours);
  return mpi::put_text(own != renamed.end() ? own->second : mpi::name_in_abi(ours->name), name,
                       MPI_MAX_OBJECT_NAME, length);
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
TERRACE_MPI(int, Type_get_value_index,
            (MPI_Datatype value, MPI_Datatype index, MPI_Datatype* pair)) {
  constexpr const char* kFunction = "MPI_Type_get_value_index";
  int error = MPI_SUCCESS;
  const auto* const of_value = mpi::known_type(kFunction, value, error);
  if (error) return error;
  const auto* const of_index = mpi::known_type(kFunction, index, error);
  if (error) return error;
  const struct {
    MPI_Datatype value, index, pair;
  } pairs[] = {{MPI_FLOAT, MPI_INT, MPI_FLOAT_INT},
               {MPI_DOUBLE, MPI_INT, MPI_DOUBLE_INT},
               {MPI_LONG, MPI_INT, MPI_LONG_INT},
               {MPI_INT, MPI_INT, MPI_2INT},
               {MPI_SHORT, MPI_INT, MPI_SHORT_INT},
               {MPI_LONG_DOUBLE, MPI_INT, MPI_LONG_DOUBLE_INT},
               {MPI_REAL, MPI_REAL, MPI_2REAL},
               {MPI_DOUBLE_PRECISION, MPI_DOUBLE_PRECISION, MPI_2DOUBLE_PRECISION},
               {MPI_INTEGER, MPI_INTEGER, MPI_2INTEGER}};
  *pair = MPI_DATATYPE_NULL;
  for (const auto& one : pairs)
    if (mpi::type_of(one.value) == of_value && mpi::type_of(one.index) == of_index)
      *pair = one.pair;
  return MPI_SUCCESS;
}

TERRACE_MPI(int, Type_match_size, (int type_class, int size, MPI_Datatype* type)) {
  *type = mpi::of_class(type_class, size);
  return *type != MPI_DATATYPE_NULL
             ? MPI_SUCCESS
             : mpi::fail("MPI_Type_match_size", MPI_ERR_ARG, "no type has that class and size");
}
