// SPDX-License-Identifier: BSD-3-Clause
// Fortran's entry points of Open MPI. Its Fortran calls PMPI_X, past the C functions that we stand
// before: mpif.h and `use mpi` through mpi_x_ (or another spelling), `use mpi_f08` through
// ompi_x_f.
#include <cstdint>

#include "preload/abi_openmpi.hpp"

namespace terrace::preload {
namespace abi = openmpi;
}

#include "preload/calls.hpp"
#include "preload/functions.hpp"
#include "preload/memberships.hpp"

namespace terrace::preload {

namespace {

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
  return succeed(run_reduce({comm_in_c(comm), buffer_in_c(input), buffer_in_c(output), *count,
                             type_in_c(type), op_in_c(op), *root}),
                 error);
}

bool allreduce(void* input, void* output, Index* count, Index* type, Index* op, Index* comm,
               Index* error) {
  return succeed(run_allreduce({comm_in_c(comm), buffer_in_c(input), buffer_in_c(output), *count,
                                type_in_c(type), op_in_c(op)}),
                 error);
}

/// `name`, of which `run` does what it can; the rest goes to the next of that name. Of an MPI that
/// is not ours nothing is asked, neither what its handles mean.
template <class... Arguments>
void run_or_forward(bool (*run)(Arguments...), const Function<void(Arguments...)>& next,
                    Arguments... arguments) {
  if (mpi_below() != nullptr && run(arguments...)) return;
  if (next) next(arguments...);
}

void free_by(const Function<void(Index*, Index*)>& next, Index* comm, Index* error) {
  if (mpi_below() == nullptr) {
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

#define TERRACE_BARRIER(NAME)                                \
  TERRACE_ENTRY(NAME)(Index * comm, Index * error) {         \
    static const Function<void(Index*, Index*)> next(#NAME); \
    run_or_forward(barrier, next, comm, error);              \
  }
#define TERRACE_BCAST(NAME)                                                                 \
  TERRACE_ENTRY(NAME)                                                                       \
  (void* buffer, Index* count, Index* type, Index* root, Index* comm, Index* error) {       \
    static const Function<void(void*, Index*, Index*, Index*, Index*, Index*)> next(#NAME); \
    run_or_forward(bcast, next, buffer, count, type, root, comm, error);                    \
  }
#define TERRACE_REDUCE(NAME)                                                                  \
  TERRACE_ENTRY(NAME)                                                                         \
  (void* input, void* output, Index* count, Index* type, Index* op, Index* root, Index* comm, \
   Index* error) {                                                                            \
    static const Function<void(void*, void*, Index*, Index*, Index*, Index*, Index*, Index*)> \
        next(#NAME);                                                                          \
    run_or_forward(reduce, next, input, output, count, type, op, root, comm, error);          \
  }
#define TERRACE_ALLREDUCE(NAME)                                                                    \
  TERRACE_ENTRY(NAME)                                                                              \
  (void* input, void* output, Index* count, Index* type, Index* op, Index* comm, Index* error) {   \
    static const Function<void(void*, void*, Index*, Index*, Index*, Index*, Index*)> next(#NAME); \
    run_or_forward(allreduce, next, input, output, count, type, op, comm, error);                  \
  }
#define TERRACE_FREE(NAME)                                   \
  TERRACE_ENTRY(NAME)(Index * comm, Index * error) {         \
    static const Function<void(Index*, Index*)> next(#NAME); \
    free_by(next, comm, error);                              \
  }

TERRACE_BARRIER(ompi_barrier_f)
TERRACE_BARRIER(mpi_barrier_)
TERRACE_BARRIER(mpi_barrier)
TERRACE_BARRIER(mpi_barrier__)
TERRACE_BARRIER(MPI_BARRIER)
TERRACE_BCAST(ompi_bcast_f)
TERRACE_BCAST(mpi_bcast_)
TERRACE_BCAST(mpi_bcast)
TERRACE_BCAST(mpi_bcast__)
TERRACE_BCAST(MPI_BCAST)
TERRACE_REDUCE(ompi_reduce_f)
TERRACE_REDUCE(mpi_reduce_)
TERRACE_REDUCE(mpi_reduce)
TERRACE_REDUCE(mpi_reduce__)
TERRACE_REDUCE(MPI_REDUCE)
TERRACE_ALLREDUCE(ompi_allreduce_f)
TERRACE_ALLREDUCE(mpi_allreduce_)
TERRACE_ALLREDUCE(mpi_allreduce)
TERRACE_ALLREDUCE(mpi_allreduce__)
TERRACE_ALLREDUCE(MPI_ALLREDUCE)
TERRACE_FREE(ompi_comm_free_f)
TERRACE_FREE(mpi_comm_free_)
TERRACE_FREE(mpi_comm_free)
TERRACE_FREE(mpi_comm_free__)
TERRACE_FREE(MPI_COMM_FREE)
TERRACE_FREE(ompi_comm_disconnect_f)
TERRACE_FREE(mpi_comm_disconnect_)
TERRACE_FREE(mpi_comm_disconnect)
TERRACE_FREE(mpi_comm_disconnect__)
TERRACE_FREE(MPI_COMM_DISCONNECT)

}  // namespace terrace::preload
