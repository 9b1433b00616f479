// SPDX-License-Identifier: BSD-3-Clause
// The functions of the underlying MPI, with their types in one ABI, found by name when first
// needed. Included after that ABI's header (abi/mpich.hpp and others).
#pragma once

#include <cstdint>

#include "preload/lookup/next_function.hpp"

namespace terrace::preload::TERRACE_ABI {

using abi::TERRACE_ABI::Comm, abi::TERRACE_ABI::Count, abi::TERRACE_ABI::Datatype,
    abi::TERRACE_ABI::Op, abi::TERRACE_ABI::Request;

// Integers or addresses, like MPI_Comm, in all ABIs.
using ErrhandlerHandle = Comm;
using GroupHandle = Comm;

/// The functions that the preload itself calls: the MPI's, bypassing all tools.
struct MpiFunctions {
  using Copy = int(Comm, int, void*, void*, void*, int*);
  using Delete = int(Comm, int, void*, void*);
  using Handler = void(Comm*, int*, ...);

  NextFunction<int(int*)> initialized{"PMPI_Initialized"};
  NextFunction<int(int*)> finalized{"PMPI_Finalized"};
  NextFunction<int(int*)> query_thread{"PMPI_Query_thread"};
  NextFunction<int(char*, int*)> get_library_version{"PMPI_Get_library_version"};
  NextFunction<int(Comm, int)> end_job{"PMPI_Abort"};
  NextFunction<int(Comm, int*)> comm_size{"PMPI_Comm_size"};
  NextFunction<int(Comm, int*)> comm_rank{"PMPI_Comm_rank"};
  NextFunction<int(Comm, char*, int*)> comm_get_name{"PMPI_Comm_get_name"};
  NextFunction<int(Comm, int*)> comm_test_inter{"PMPI_Comm_test_inter"};
  NextFunction<int(Comm*)> comm_get_parent{"PMPI_Comm_get_parent"};
  NextFunction<int(Comm, GroupHandle*)> comm_group{"PMPI_Comm_group"};
  NextFunction<int(GroupHandle, int, const int*, GroupHandle, int*)> group_translate_ranks{
      "PMPI_Group_translate_ranks"};
  NextFunction<int(GroupHandle*)> group_free{"PMPI_Group_free"};
  NextFunction<int(Comm, int, int, Comm*)> comm_split{"PMPI_Comm_split"};
  NextFunction<int(Comm*)> comm_free{"PMPI_Comm_free"};
  NextFunction<int(Handler*, ErrhandlerHandle*)> comm_create_errhandler{
      "PMPI_Comm_create_errhandler"};
  NextFunction<int(Comm, ErrhandlerHandle)> comm_set_errhandler{"PMPI_Comm_set_errhandler"};
  NextFunction<int(Comm, int)> comm_call_errhandler{"PMPI_Comm_call_errhandler"};
  NextFunction<int(ErrhandlerHandle*)> errhandler_free{"PMPI_Errhandler_free"};
  NextFunction<int(Copy*, Delete*, int*, void*)> comm_create_keyval{"PMPI_Comm_create_keyval"};
  NextFunction<int(Comm, int, void*)> comm_set_attr{"PMPI_Comm_set_attr"};
  NextFunction<int(Comm, int, void*, int*)> comm_get_attr{"PMPI_Comm_get_attr"};
  NextFunction<int(Comm, int)> comm_delete_attr{"PMPI_Comm_delete_attr"};
  NextFunction<int(const void*, int, Datatype, void*, int, Datatype, Comm, Request*)> iallgather{
      "PMPI_Iallgather"};
  NextFunction<int(Request*, int*, void*)> test{"PMPI_Test"};
  NextFunction<int(void*, int, Datatype, int, int, Comm, Request*)> irecv{"PMPI_Irecv"};
  NextFunction<int(const void*, int, Datatype, int, int, Comm, Request*)> isend{"PMPI_Isend"};
  NextFunction<int(int, int, Comm, int*, Request*, void*)> improbe{"PMPI_Improbe"};
  NextFunction<int(void*, int, Datatype, Request*, void*)> mrecv{"PMPI_Mrecv"};
  NextFunction<int(Request, int*, void*)> request_get_status{"PMPI_Request_get_status"};
  NextFunction<int(Request*)> cancel{"PMPI_Cancel"};
  NextFunction<int(Request*, void*)> wait{"PMPI_Wait"};
  NextFunction<int(Datatype, Count*)> type_size_x{"PMPI_Type_size_x"};
  NextFunction<int(int, const int*, const std::intptr_t*, Datatype, Datatype*)>
      type_create_hindexed{"PMPI_Type_create_hindexed"};
  NextFunction<int(Datatype*)> type_commit{"PMPI_Type_commit"};
  NextFunction<int(Datatype*)> type_free{"PMPI_Type_free"};
  NextFunction<int(const void*, int, Datatype, void*, int, int*, Comm)> pack{"PMPI_Pack"};
  NextFunction<int(const void*, int, int*, void*, int, Datatype, Comm)> unpack{"PMPI_Unpack"};
  NextFunction<int(Datatype, std::intptr_t*, std::intptr_t*)> type_get_extent{
      "PMPI_Type_get_extent"};
  NextFunction<int(Datatype, std::intptr_t*, std::intptr_t*)> type_get_true_extent{
      "PMPI_Type_get_true_extent"};
  NextFunction<int(Op, int*)> op_commutative{"PMPI_Op_commutative"};
  NextFunction<int(const void*, void*, int, Datatype, Op)> reduce_local{"PMPI_Reduce_local"};
  NextFunction<int(const void*, void*, int, Datatype, Op, Comm)> allreduce{"PMPI_Allreduce"};

  /// Whether the MPI has all of them.
  bool is_complete() const {
    return initialized && finalized && query_thread && get_library_version && end_job &&
           comm_size && comm_rank && comm_get_name && comm_test_inter && comm_group &&
           group_translate_ranks && group_free && comm_split && comm_free &&
           comm_create_errhandler && comm_set_errhandler && comm_call_errhandler &&
           errhandler_free && comm_create_keyval && comm_set_attr && comm_get_attr &&
           comm_delete_attr && iallgather && test && irecv && isend && improbe && mrecv &&
           request_get_status && cancel && wait && type_size_x && type_create_hindexed &&
           type_commit && type_free && pack && unpack && type_get_extent && type_get_true_extent &&
           op_commutative && reduce_local && allreduce;
  }
};

}  // namespace terrace::preload::TERRACE_ABI
