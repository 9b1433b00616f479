// SPDX-License-Identifier: BSD-3-Clause
// The functions of the underlying MPI, with their types in one ABI, found by name when first
// needed. Included after that ABI's header; all of it is in the ABI's namespace.
#pragma once

#include <cstdint>

#include "preload/function.hpp"

namespace terrace::preload::TERRACE_ABI {

// These are like MPI_Comm in all ABIs: integers, or addresses.
using Errhandler = Comm;
using Group = Comm;

/// What our own work needs: the MPI itself, past all tools.
struct Functions {
  using Copy = int(Comm, int, void*, void*, void*, int*);
  using Delete = int(Comm, int, void*, void*);
  using Handler = void(Comm*, int*, ...);

  Function<int(int*)> initialized{"PMPI_Initialized"};
  Function<int(int*)> finalized{"PMPI_Finalized"};
  Function<int(char*, int*)> get_library_version{"PMPI_Get_library_version"};
  Function<int(Comm, int)> end_job{"PMPI_Abort"};
  Function<int(Comm, int*)> comm_size{"PMPI_Comm_size"};
  Function<int(Comm, int*)> comm_rank{"PMPI_Comm_rank"};
  Function<int(Comm, char*, int*)> comm_get_name{"PMPI_Comm_get_name"};
  Function<int(Comm, int*)> comm_test_inter{"PMPI_Comm_test_inter"};
  Function<int(Comm*)> comm_get_parent{"PMPI_Comm_get_parent"};
  Function<int(Comm, Group*)> comm_group{"PMPI_Comm_group"};
  Function<int(Group, int, const int*, Group, int*)> group_translate_ranks{
      "PMPI_Group_translate_ranks"};
  Function<int(Group*)> group_free{"PMPI_Group_free"};
  Function<int(Comm, int, int, Comm*)> comm_split{"PMPI_Comm_split"};
  Function<int(Comm*)> comm_free{"PMPI_Comm_free"};
  Function<int(Handler*, Errhandler*)> comm_create_errhandler{"PMPI_Comm_create_errhandler"};
  Function<int(Comm, Errhandler)> comm_set_errhandler{"PMPI_Comm_set_errhandler"};
  Function<int(Comm, int)> comm_call_errhandler{"PMPI_Comm_call_errhandler"};
  Function<int(Errhandler*)> errhandler_free{"PMPI_Errhandler_free"};
  Function<int(Copy*, Delete*, int*, void*)> comm_create_keyval{"PMPI_Comm_create_keyval"};
  Function<int(Comm, int, void*)> comm_set_attr{"PMPI_Comm_set_attr"};
  Function<int(Comm, int, void*, int*)> comm_get_attr{"PMPI_Comm_get_attr"};
  Function<int(Comm, int)> comm_delete_attr{"PMPI_Comm_delete_attr"};
  Function<int(const void*, int, Datatype, void*, int, Datatype, Comm, Request*)> iallgather{
      "PMPI_Iallgather"};
  Function<int(Request*, int*, void*)> test{"PMPI_Test"};
  Function<int(void*, int, Datatype, int, int, Comm, Request*)> irecv{"PMPI_Irecv"};
  Function<int(Request, int*, void*)> request_get_status{"PMPI_Request_get_status"};
  Function<int(Request*)> cancel{"PMPI_Cancel"};
  Function<int(Request*, void*)> wait{"PMPI_Wait"};
  Function<int(Datatype, Count*)> type_size_x{"PMPI_Type_size_x"};
  Function<int(int, const int*, const std::intptr_t*, Datatype, Datatype*)> type_create_hindexed{
      "PMPI_Type_create_hindexed"};
  Function<int(Datatype*)> type_commit{"PMPI_Type_commit"};
  Function<int(Datatype*)> type_free{"PMPI_Type_free"};
  Function<int(const void*, int, Datatype, void*, int, int*, Comm)> pack{"PMPI_Pack"};
  Function<int(const void*, int, int*, void*, int, Datatype, Comm)> unpack{"PMPI_Unpack"};
  Function<int(Datatype, std::intptr_t*, std::intptr_t*)> type_get_extent{"PMPI_Type_get_extent"};
  Function<int(Datatype, std::intptr_t*, std::intptr_t*)> type_get_true_extent{
      "PMPI_Type_get_true_extent"};
  Function<int(Op, int*)> op_commutative{"PMPI_Op_commutative"};
  Function<int(const void*, void*, int, Datatype, Op)> reduce_local{"PMPI_Reduce_local"};
  Function<int(const void*, void*, int, Datatype, Op, Comm)> allreduce{"PMPI_Allreduce"};

  /// Whether the MPI has all of them.
  bool is_complete() const {
    return initialized && finalized && get_library_version && end_job && comm_size && comm_rank &&
           comm_get_name && comm_test_inter && comm_group && group_translate_ranks && group_free &&
           comm_split && comm_free && comm_create_errhandler && comm_set_errhandler &&
           comm_call_errhandler && errhandler_free && comm_create_keyval && comm_set_attr &&
           comm_get_attr && comm_delete_attr && iallgather && test && irecv && request_get_status &&
           cancel && wait && type_size_x && type_create_hindexed && type_commit && type_free &&
           pack && unpack && type_get_extent && type_get_true_extent && op_commutative &&
           reduce_local && allreduce;
  }
};

}  // namespace terrace::preload::TERRACE_ABI
