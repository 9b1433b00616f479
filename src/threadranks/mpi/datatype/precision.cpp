// SPDX-License-Identifier: BSD-3-Clause
// Types by precision and range, as Fortran selects its kinds. Each is made once for a rank, is
// never freed, and is combined as the predefined type of its kind.
#include <utility>

#include "threadranks/mpi/adapter.hpp"

namespace terrace::threadranks::mpi {
namespace {

/// MPI_UNDEFINED, for digits and range, asks for nothing.
struct Wanted {
  Maker maker;
  int digits, range;
};

struct RealKind {
  int digits, range;
  MPI_Datatype real, complex;
};
const RealKind kReals[] = {{6, 37, MPI_REAL4, MPI_COMPLEX8}, {15, 307, MPI_REAL8, MPI_COMPLEX16}};

struct IntegerKind {
  int range;
  MPI_Datatype type;
};
const IntegerKind kIntegers[] = {
    {2, MPI_INTEGER1}, {4, MPI_INTEGER2}, {9, MPI_INTEGER4}, {18, MPI_INTEGER8}};

MPI_Datatype real_of(const Wanted& wanted) {
  if (wanted.digits == MPI_UNDEFINED && wanted.range == MPI_UNDEFINED) return MPI_DATATYPE_NULL;
  for (const RealKind& kind : kReals)
    if (wanted.digits <= kind.digits && wanted.range <= kind.range)
      return wanted.maker == Maker::f90_real ? kind.real : kind.complex;
  return MPI_DATATYPE_NULL;
}

MPI_Datatype integer_of(const Wanted& wanted) {
  for (const IntegerKind& kind : kIntegers)
    if (wanted.range <= kind.range) return kind.type;
  return MPI_DATATYPE_NULL;
}

int create(const char* function, const Wanted& wanted, MPI_Datatype like, MPI_Datatype* made) {
  if (like == MPI_DATATYPE_NULL)
    return fail(function, MPI_ERR_ARG, "no type of MPI has that precision and range");
  auto& ours = rank_of_caller().types_by_precision()[{wanted.maker, wanted.digits, wanted.range}];
  if (ours == nullptr) {
    Recipe recipe;
    recipe.maker = wanted.maker;
    if (wanted.maker != Maker::f90_integer) recipe.integers.push_back(wanted.digits);
    recipe.integers.push_back(wanted.range);
    ours = {Datatype::alike(*type_of(like), std::move(recipe)),
            [](Datatype* type) { type->release(); }};
  }
  *made = handle_of(ours.get());
  return MPI_SUCCESS;
}

int create_real(const char* function, const Wanted& wanted, MPI_Datatype* made) {
  return create(function, wanted, real_of(wanted), made);
}

}  // namespace
}  // namespace terrace::threadranks::mpi

namespace mpi = terrace::threadranks::mpi;
using terrace::threadranks::Maker;

TERRACE_MPI(int, Type_create_f90_real, (int digits, int range, MPI_Datatype* made)) {
  const mpi::RankCall call;
  return mpi::create_real("MPI_Type_create_f90_real", {Maker::f90_real, digits, range}, made);
}
TERRACE_MPI(int, Type_create_f90_complex, (int digits, int range, MPI_Datatype* made)) {
  const mpi::RankCall call;
  return mpi::create_real("MPI_Type_create_f90_complex", {Maker::f90_complex, digits, range}, made);
}
TERRACE_MPI(int, Type_create_f90_integer, (int range, MPI_Datatype* made)) {
  const mpi::RankCall call;
  const mpi::Wanted wanted{Maker::f90_integer, 0, range};
  return mpi::create("MPI_Type_create_f90_integer", wanted, mpi::integer_of(wanted), made);
}
