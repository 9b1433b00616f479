// SPDX-License-Identifier: BSD-3-Clause
// Fortran's entry points of Open MPI. Its Fortran calls PMPI_X, past the C functions that we stand
// before: mpif.h and `use mpi` through mpi_x_ (or another spelling), `use mpi_f08` through
// ompi_x_f.
#include <cstdint>

#include "preload/abi_openmpi.hpp"
#include "preload/calls.hpp"
#include "preload/function.hpp"
#include "preload/handed.hpp"
#include "preload/memberships.hpp"
#include "preload/split_type.hpp"
#include "preload/trace.hpp"

namespace terrace::preload {

namespace {

namespace abi = openmpi;
using abi::Comm;
using abi::Datatype;
using abi::Op;

/// A Fortran handle: an index into the MPI's tables.
using Index = int;

struct Tables {
  Function<Comm(Index)> comm{"PMPI_Comm_f2c"};
  Function<Datatype(Index)> type{"PMPI_Type_f2c"};
  Function<Op(Index)> op{"PMPI_Op_f2c"};
};

/// Fortran marks special buffers by the addresses of these objects, one per spelling.
struct Marks {
  void* in_place[4] = {find_object("mpi_fortran_in_place_"), find_object("mpi_fortran_in_place"),
                       find_object("mpi_fortran_in_place__"), find_object("MPI_FORTRAN_IN_PLACE")};
  void* bottom[4] = {find_object("mpi_fortran_bottom_"), find_object("mpi_fortran_bottom"),
                     find_object("mpi_fortran_bottom__"), find_object("MPI_FORTRAN_BOTTOM")};
};

const Tables& tables() {
  static const Tables the;
  return the;
}

/// A buffer as C would have it.
void* buffer_in_c(void* buffer) {
  static const Marks marks;
  for (void* mark : marks.in_place)
    if (buffer == mark && mark != nullptr) return reinterpret_cast<void*>(abi::kInPlace);
  for (void* mark : marks.bottom)
    if (buffer == mark) return nullptr;
  return buffer;
}

Handle comm_in_c(const Index* comm) {
  return widen(tables().comm(*comm));
}
Handle type_in_c(const Index* type) {
  return widen(tables().type(*type));
}
Handle op_in_c(const Index* op) {
  return widen(tables().op(*op));
}

/// `error` is absent where mpi_f08's optional argument was.
bool succeed(bool is_done, Index* error) {
  if (is_done && error != nullptr) *error = 0;
  return is_done;
}

bool barrier(Index* comm, Index* error) {
  return succeed(run_barrier({comm_in_c(comm)}), error);
}

bool bcast(void* buffer, Index* count, Index* type, Index* root, Index* comm, Index* error) {
  return succeed(
      run_bcast({comm_in_c(comm), nullptr, buffer_in_c(buffer), *count, type_in_c(type), 0, *root}),
      error);
}

bool reduce(void* input, void* output, Index* count, Index* type, Index* op, Index* root,
            Index* comm, Index* error) {
  return succeed(
      run_reduction(Collective::reduce, {comm_in_c(comm), buffer_in_c(input), buffer_in_c(output),
                                         *count, type_in_c(type), op_in_c(op), *root}),
      error);
}

/// What combines elements, without a root.
template <Collective kCollective>
bool combine(void* input, void* output, Index* count, Index* type, Index* op, Index* comm,
             Index* error) {
  return succeed(
      run_reduction(kCollective, {comm_in_c(comm), buffer_in_c(input), buffer_in_c(output), *count,
                                  type_in_c(type), op_in_c(op)}),
      error);
}

UserBlocks blocks_in_c(void* buffer, const Index* count, const Index* type) {
  return {buffer_in_c(buffer), *count, type_in_c(type)};
}

/// Counts and types mean nothing where a buffer is in place, or of no use at this rank.
template <Collective kCollective>
bool move(void* input, Index* count, Index* type, void* output, Index* output_count,
          Index* output_type, Index* comm, Index* error) {
  return succeed(run_exchange(kCollective, {comm_in_c(comm), blocks_in_c(input, count, type),
                                            blocks_in_c(output, output_count, output_type)}),
                 error);
}

template <Collective kCollective>
bool move_with_root(void* input, Index* count, Index* type, void* output, Index* output_count,
                    Index* output_type, Index* root, Index* comm, Index* error) {
  return succeed(run_exchange(kCollective, {comm_in_c(comm), blocks_in_c(input, count, type),
                                            blocks_in_c(output, output_count, output_type), *root}),
                 error);
}

UnevenBlocks one_block_in_c(void* buffer, const Index* count, const Index* type) {
  return {buffer_in_c(buffer), Numbers(count), {}, type_in_c(type), nullptr};
}

UnevenBlocks uneven_in_c(void* buffer, const Index* counts, const Index* places,
                         const Index* type) {
  return {buffer_in_c(buffer), Numbers(counts), Numbers(places), type_in_c(type), nullptr};
}

UnevenBlocks typed_in_c(void* buffer, const Index* counts, const Index* places,
                        const Index* types) {
  return {buffer_in_c(buffer), Numbers(counts), Numbers(places), 0,
          [types](std::size_t i) { return type_in_c(types + i); }};
}

bool allgatherv(void* input, Index* count, Index* type, void* output, Index* counts, Index* places,
                Index* output_type, Index* comm, Index* error) {
  return succeed(run_uneven_exchange(Collective::allgatherv,
                                     {comm_in_c(comm), one_block_in_c(input, count, type),
                                      uneven_in_c(output, counts, places, output_type)}),
                 error);
}

bool gatherv(void* input, Index* count, Index* type, void* output, Index* counts, Index* places,
             Index* output_type, Index* root, Index* comm, Index* error) {
  return succeed(run_uneven_exchange(Collective::gatherv,
                                     {comm_in_c(comm), one_block_in_c(input, count, type),
                                      uneven_in_c(output, counts, places, output_type), *root}),
                 error);
}

bool scatterv(void* input, Index* counts, Index* places, Index* type, void* output, Index* count,
              Index* output_type, Index* root, Index* comm, Index* error) {
  return succeed(run_uneven_exchange(Collective::scatterv,
                                     {comm_in_c(comm), uneven_in_c(input, counts, places, type),
                                      one_block_in_c(output, count, output_type), *root}),
                 error);
}

bool alltoallv(void* input, Index* counts, Index* places, Index* type, void* output,
               Index* output_counts, Index* output_places, Index* output_type, Index* comm,
               Index* error) {
  return succeed(
      run_uneven_exchange(Collective::alltoallv,
                          {comm_in_c(comm), uneven_in_c(input, counts, places, type),
                           uneven_in_c(output, output_counts, output_places, output_type)}),
      error);
}

bool alltoallw(void* input, Index* counts, Index* places, Index* types, void* output,
               Index* output_counts, Index* output_places, Index* output_types, Index* comm,
               Index* error) {
  return succeed(
      run_uneven_exchange(Collective::alltoallw,
                          {comm_in_c(comm), typed_in_c(input, counts, places, types),
                           typed_in_c(output, output_counts, output_places, output_types)}),
      error);
}

bool reduce_scatter(void* input, void* output, Index* counts, Index* type, Index* op, Index* comm,
                    Index* error) {
  return succeed(run_reduce_scatter({comm_in_c(comm), buffer_in_c(input), buffer_in_c(output), 0,
                                     type_in_c(type), op_in_c(op)},
                                    Numbers(counts)),
                 error);
}

bool split_type(Index* comm, Index* type, Index* key, Index* info, Index* newcomm, Index* error) {
  static const Function<void*(Index)> info_in_c("PMPI_Info_f2c");
  static const Function<Index(Comm)> comm_in_fortran("PMPI_Comm_c2f");
  Comm made{};
  const auto own_error =
      run_split_type({comm_in_c(comm), *type, *key, widen(info_in_c(*info))}, &made);
  if (!own_error) return false;
  *newcomm = comm_in_fortran(made);
  if (error != nullptr) *error = *own_error;
  return true;
}

/// MPICH and its kin have entry points of these names as well. They call C's.
bool is_openmpi() {
  const MpiBelow* below = mpi_below();
  return below != nullptr && below->abi == Abi::openmpi;
}

/// `run` does what it can; the rest goes to the next of that name.
template <class... Arguments>
void run_or_forward(bool (*run)(Arguments...), const Function<void(Arguments...)>& next,
                    Arguments... arguments) {
  if (is_openmpi() && run(arguments...)) return;
  const HandedOver handed;
  const bool is_recorded = recorder() != nullptr && is_handed_now();
  if (next) next(arguments...);
  if (is_recorded) end_handed();
}

void free_by(const Function<void(Index*, Index*)>& next, Index* comm, Index* error) {
  if (!is_openmpi()) {
    if (next) next(comm, error);
    return;
  }
  Index own_error = 0;
  if (error == nullptr) error = &own_error;
  Ending ending(comm_in_c(comm));
  if (next) next(comm, error);
  if (*error != 0) ending.fail();
}

}  // namespace

#define TERRACE_ENTRY(NAME) extern "C" __attribute__((visibility("default"))) void NAME

template <class... Arguments>
Function<void(Arguments...)> next_of(bool (*)(Arguments...), const char* name) {
  return Function<void(Arguments...)>(name);
}

/// As compilers of Fortran spell it, and as mpi_f08 calls it.
#define TERRACE_SPELLINGS(SPELL, LOWER, UPPER, RUN) \
  SPELL(ompi_##LOWER##_f, (RUN))                    \
  SPELL(mpi_##LOWER##_, (RUN))                      \
  SPELL(mpi_##LOWER, (RUN))                         \
  SPELL(mpi_##LOWER##__, (RUN))                     \
  SPELL(MPI_##UPPER, (RUN))

#define TERRACE_BARRIER(NAME, RUN)                   \
  TERRACE_ENTRY(NAME)(Index * comm, Index * error) { \
    static const auto next = next_of(RUN, #NAME);    \
    run_or_forward(RUN, next, comm, error);          \
  }
TERRACE_SPELLINGS(TERRACE_BARRIER, barrier, BARRIER, barrier)

#define TERRACE_BCAST(NAME, RUN)                                                      \
  TERRACE_ENTRY(NAME)                                                                 \
  (void* buffer, Index* count, Index* type, Index* root, Index* comm, Index* error) { \
    static const auto next = next_of(RUN, #NAME);                                     \
    run_or_forward(RUN, next, buffer, count, type, root, comm, error);                \
  }
TERRACE_SPELLINGS(TERRACE_BCAST, bcast, BCAST, bcast)

#define TERRACE_REDUCE(NAME, RUN)                                                             \
  TERRACE_ENTRY(NAME)                                                                         \
  (void* input, void* output, Index* count, Index* type, Index* op, Index* root, Index* comm, \
   Index* error) {                                                                            \
    static const auto next = next_of(RUN, #NAME);                                             \
    run_or_forward(RUN, next, input, output, count, type, op, root, comm, error);             \
  }
TERRACE_SPELLINGS(TERRACE_REDUCE, reduce, REDUCE, reduce)

#define TERRACE_COMBINING(NAME, RUN)                                                             \
  TERRACE_ENTRY(NAME)                                                                            \
  (void* input, void* output, Index* count, Index* type, Index* op, Index* comm, Index* error) { \
    static const auto next = next_of(RUN, #NAME);                                                \
    run_or_forward(RUN, next, input, output, count, type, op, comm, error);                      \
  }
TERRACE_SPELLINGS(TERRACE_COMBINING, allreduce, ALLREDUCE, combine<Collective::allreduce>)
TERRACE_SPELLINGS(TERRACE_COMBINING, reduce_scatter_block, REDUCE_SCATTER_BLOCK,
                  combine<Collective::reduce_scatter_block>)
TERRACE_SPELLINGS(TERRACE_COMBINING, scan, SCAN, combine<Collective::scan>)
TERRACE_SPELLINGS(TERRACE_COMBINING, exscan, EXSCAN, combine<Collective::exscan>)

#define TERRACE_MOVING(NAME, RUN)                                                                  \
  TERRACE_ENTRY(NAME)                                                                              \
  (void* input, Index* count, Index* type, void* output, Index* output_count, Index* output_type,  \
   Index* comm, Index* error) {                                                                    \
    static const auto next = next_of(RUN, #NAME);                                                  \
    run_or_forward(RUN, next, input, count, type, output, output_count, output_type, comm, error); \
  }
TERRACE_SPELLINGS(TERRACE_MOVING, allgather, ALLGATHER, move<Collective::allgather>)
TERRACE_SPELLINGS(TERRACE_MOVING, alltoall, ALLTOALL, move<Collective::alltoall>)

#define TERRACE_MOVING_WITH_ROOT(NAME, RUN)                                                       \
  TERRACE_ENTRY(NAME)                                                                             \
  (void* input, Index* count, Index* type, void* output, Index* output_count, Index* output_type, \
   Index* root, Index* comm, Index* error) {                                                      \
    static const auto next = next_of(RUN, #NAME);                                                 \
    run_or_forward(RUN, next, input, count, type, output, output_count, output_type, root, comm,  \
                   error);                                                                        \
  }
TERRACE_SPELLINGS(TERRACE_MOVING_WITH_ROOT, gather, GATHER, move_with_root<Collective::gather>)
TERRACE_SPELLINGS(TERRACE_MOVING_WITH_ROOT, scatter, SCATTER, move_with_root<Collective::scatter>)

TERRACE_SPELLINGS(TERRACE_COMBINING, reduce_scatter, REDUCE_SCATTER, reduce_scatter)

#define TERRACE_ALLGATHERV(NAME, RUN)                                                        \
  TERRACE_ENTRY(NAME)                                                                        \
  (void* input, Index* count, Index* type, void* output, Index* counts, Index* places,       \
   Index* output_type, Index* comm, Index* error) {                                          \
    static const auto next = next_of(RUN, #NAME);                                            \
    run_or_forward(RUN, next, input, count, type, output, counts, places, output_type, comm, \
                   error);                                                                   \
  }
TERRACE_SPELLINGS(TERRACE_ALLGATHERV, allgatherv, ALLGATHERV, allgatherv)

#define TERRACE_GATHERV(NAME, RUN)                                                                 \
  TERRACE_ENTRY(NAME)                                                                              \
  (void* input, Index* count, Index* type, void* output, Index* counts, Index* places,             \
   Index* output_type, Index* root, Index* comm, Index* error) {                                   \
    static const auto next = next_of(RUN, #NAME);                                                  \
    run_or_forward(RUN, next, input, count, type, output, counts, places, output_type, root, comm, \
                   error);                                                                         \
  }
TERRACE_SPELLINGS(TERRACE_GATHERV, gatherv, GATHERV, gatherv)

#define TERRACE_SCATTERV(NAME, RUN)                                                                \
  TERRACE_ENTRY(NAME)                                                                              \
  (void* input, Index* counts, Index* places, Index* type, void* output, Index* count,             \
   Index* output_type, Index* root, Index* comm, Index* error) {                                   \
    static const auto next = next_of(RUN, #NAME);                                                  \
    run_or_forward(RUN, next, input, counts, places, type, output, count, output_type, root, comm, \
                   error);                                                                         \
  }
TERRACE_SPELLINGS(TERRACE_SCATTERV, scatterv, SCATTERV, scatterv)

#define TERRACE_ALLTOALLV(NAME, RUN)                                                              \
  TERRACE_ENTRY(NAME)                                                                             \
  (void* input, Index* counts, Index* places, Index* types, void* output, Index* output_counts,   \
   Index* output_places, Index* output_types, Index* comm, Index* error) {                        \
    static const auto next = next_of(RUN, #NAME);                                                 \
    run_or_forward(RUN, next, input, counts, places, types, output, output_counts, output_places, \
                   output_types, comm, error);                                                    \
  }
TERRACE_SPELLINGS(TERRACE_ALLTOALLV, alltoallv, ALLTOALLV, alltoallv)
TERRACE_SPELLINGS(TERRACE_ALLTOALLV, alltoallw, ALLTOALLW, alltoallw)

#define TERRACE_SPLIT_TYPE(NAME, RUN)                                                       \
  TERRACE_ENTRY(NAME)                                                                       \
  (Index * comm, Index * type, Index * key, Index * info, Index * newcomm, Index * error) { \
    static const auto next = next_of(RUN, #NAME);                                           \
    run_or_forward(RUN, next, comm, type, key, info, newcomm, error);                       \
  }
TERRACE_SPELLINGS(TERRACE_SPLIT_TYPE, comm_split_type, COMM_SPLIT_TYPE, split_type)

#define TERRACE_FREE(NAME, UNUSED)                           \
  TERRACE_ENTRY(NAME)(Index * comm, Index * error) {         \
    static const Function<void(Index*, Index*)> next(#NAME); \
    free_by(next, comm, error);                              \
  }
TERRACE_SPELLINGS(TERRACE_FREE, comm_free, COMM_FREE, )
TERRACE_SPELLINGS(TERRACE_FREE, comm_disconnect, COMM_DISCONNECT, )

}  // namespace terrace::preload
