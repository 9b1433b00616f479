// SPDX-License-Identifier: BSD-3-Clause
// All entry points of one kind, MPI_X or PMPI_X (entry_names.hpp). Included once for each, with
// `kNames`, TERRACE_SPELLED for their names, TERRACE_ENTRY_NAME, and TERRACE_ENTRY_IS_OURS.

#define TERRACE_NAME(NAME) TERRACE_SPELLED(NAME)
#define TERRACE_ENTRY(NAME) TERRACE_ENTRY_NAME(TERRACE_NAME(NAME))
#define TERRACE_IS_OURS(NAME) TERRACE_ENTRY_IS_OURS(TERRACE_NAME(NAME))
/// Whether a call is, that gives the program a request. MPIs refuse it where there is no place for
/// one, so this rank alone would count it.
#define TERRACE_IS_OUR_START(NAME) (request != nullptr && TERRACE_IS_OURS(NAME))

TERRACE_ENTRY(MPI_Barrier)(HandleWord comm) {
  if (TERRACE_IS_OURS(MPI_Barrier)) {
    const MpiCall call{comm & handle_mask()};
    if (repeat(Collective::barrier, call) || run_barrier(call)) return kSuccess;
  }
  return forward(next_functions<kNames>().barrier, comm);
}

TERRACE_ENTRY(MPI_Ibarrier)(HandleWord comm, void* request) {
  if (TERRACE_IS_OUR_START(MPI_Ibarrier)) {
    const MpiCall call{comm & handle_mask()};
    StartedRequest started(request);
    if (start_again(Collective::barrier, call, started.handle) ||
        start_barrier(call, started.handle))
      return started.give();
  }
  return forward(next_functions<kNames>().ibarrier, comm, request);
}

// Persistent collectives, too, are there only where the MPI has them.
#if TERRACE_PERSISTENT
TERRACE_ENTRY(MPI_Barrier_init)(HandleWord comm, HandleWord info, void* request) {
  if (TERRACE_IS_OUR_START(MPI_Barrier_init)) {
    StartedRequest given(request);
    if (initialize_barrier({comm & handle_mask()}, given.handle)) return given.give();
  }
  return forward(next_functions<kNames>().barrier_init, comm, info, request);
}
#endif

#include "preload/entry/request_entry_points_inl.hpp"

TERRACE_ENTRY(MPI_Comm_free)(void* comm) {
  const auto& next = next_functions<kNames>().comm_free;
  return TERRACE_IS_OURS(MPI_Comm_free) ? free_by(next, comm) : forward(next, comm);
}

TERRACE_ENTRY(MPI_Comm_disconnect)(void* comm) {
  const auto& next = next_functions<kNames>().comm_disconnect;
  return TERRACE_IS_OURS(MPI_Comm_disconnect) ? disconnect_by(next, comm) : forward(next, comm);
}

TERRACE_ENTRY(MPI_Finalize)(void) {
  const auto& next = next_functions<kNames>().finalize;
  return TERRACE_IS_OURS(MPI_Finalize) ? finalize_by(next) : forward(next);
}

TERRACE_ENTRY(MPI_Comm_split_type)
(HandleWord comm, int type, int key, HandleWord info, void* newcomm) {
  const auto error =
      TERRACE_IS_OURS(MPI_Comm_split_type)
          ? run_split_type({handle_in<Comm>(comm), type, key, handle_in<Info>(info)}, newcomm)
          : std::nullopt;
  if (error) return *error;
  return forward(next_functions<kNames>().comm_split_type, comm, type, key, info, newcomm);
}

namespace plain_counts {

using Number = int;
using Displacement = int;
#include "preload/entry/entry_points_with_counts_inl.hpp"
#include "preload/entry/neighbour_entry_points_inl.hpp"
#include "preload/entry/start_entry_points_inl.hpp"
#if TERRACE_PERSISTENT
#include "preload/entry/init_entry_points_inl.hpp"
#endif

}  // namespace plain_counts

// Only where the underlying MPI has them: programs conclude from their presence what the MPI can
// do.
#if TERRACE_LARGE_COUNTS
#undef TERRACE_NAME
#define TERRACE_NAME(NAME) TERRACE_SPELLED(NAME##_c)
namespace large_counts {

using Number = LargeCount;
using Displacement = std::intptr_t;
#include "preload/entry/entry_points_with_counts_inl.hpp"
#include "preload/entry/init_entry_points_inl.hpp"
#include "preload/entry/neighbour_entry_points_inl.hpp"
#include "preload/entry/start_entry_points_inl.hpp"

}  // namespace large_counts
#undef TERRACE_NAME
#define TERRACE_NAME(NAME) TERRACE_SPELLED(NAME)

// Function of MPI 4.1, likewise defined only where the MPI has it.
TERRACE_ENTRY(MPI_Get_hw_resource_info)(void* hardware) {
  const auto error =
      TERRACE_IS_OURS(MPI_Get_hw_resource_info) ? run_resource_question(hardware) : std::nullopt;
  if (error) return *error;
  return forward(next_functions<kNames>().get_hw_resource_info, hardware);
}
#endif

#undef TERRACE_NAME
#undef TERRACE_ENTRY
#undef TERRACE_IS_OURS
