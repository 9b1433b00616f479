// SPDX-License-Identifier: BSD-3-Clause
// The functions of the underlying MPI, with their types in one ABI, found by name when a
// table is made. Included after that ABI's header (abi/mpich.hpp and others).
#pragma once

#include <cstdint>

#include "abi/mpi_function_table.hpp"
#include "preload/lookup/next_function.hpp"

namespace terrace::preload::TERRACE_ABI {

using abi::MpiFunction, abi::MpiFunctionTable;
using abi::TERRACE_ABI::Comm, abi::TERRACE_ABI::Count, abi::TERRACE_ABI::Datatype,
    abi::TERRACE_ABI::Op, abi::TERRACE_ABI::Request;

// Integers or addresses, like MPI_Comm, in all ABIs.
using ErrhandlerHandle = Comm;
using GroupHandle = Comm;

/// The functions that the preload itself calls: the MPI's, bypassing all tools.
struct MpiFunctions : MpiFunctionTable {
  MpiFunctions() : MpiFunctionTable(find_next) {}

  using Copy = int(Comm, int, void*, void*, void*, int*);
  using Delete = int(Comm, int, void*, void*);
  using Handler = void(Comm*, int*, ...);

  MpiFunction<int(int*)> initialized{*this, "PMPI_Initialized"};
  MpiFunction<int(int*)> finalized{*this, "PMPI_Finalized"};
  MpiFunction<int(int*)> query_thread{*this, "PMPI_Query_thread"};
  MpiFunction<int(char*, int*)> get_library_version{*this, "PMPI_Get_library_version"};
  MpiFunction<int(Comm, int)> end_job{*this, "PMPI_Abort"};
  MpiFunction<int(Comm, int*)> comm_size{*this, "PMPI_Comm_size"};
  MpiFunction<int(Comm, int*)> comm_rank{*this, "PMPI_Comm_rank"};
  MpiFunction<int(Comm, char*, int*)> comm_get_name{*this, "PMPI_Comm_get_name"};
  MpiFunction<int(Comm, int*)> comm_test_inter{*this, "PMPI_Comm_test_inter"};
  /// Some MPIs lack this one; the table is complete without it.
  NextFunction<int(Comm*)> comm_get_parent{"PMPI_Comm_get_parent"};
  // Not all MPIs have topologies; the table is complete without them.
  NextFunction<int(Comm, int*)> topo_test{"PMPI_Topo_test"};
  NextFunction<int(Comm, int*)> cartdim_get{"PMPI_Cartdim_get"};
  NextFunction<int(Comm, int, int, int*, int*)> cart_shift{"PMPI_Cart_shift"};
  NextFunction<int(Comm, int, int*)> graph_neighbors_count{"PMPI_Graph_neighbors_count"};
  NextFunction<int(Comm, int, int, int*)> graph_neighbors{"PMPI_Graph_neighbors"};
  NextFunction<int(Comm, int*, int*, int*)> dist_graph_neighbors_count{
      "PMPI_Dist_graph_neighbors_count"};
  NextFunction<int(Comm, int, int*, int*, int, int*, int*)> dist_graph_neighbors{
      "PMPI_Dist_graph_neighbors"};
  MpiFunction<int(Comm, GroupHandle*)> comm_group{*this, "PMPI_Comm_group"};
  MpiFunction<int(GroupHandle, int, const int*, GroupHandle, int*)> group_translate_ranks{
      *this, "PMPI_Group_translate_ranks"};
  MpiFunction<int(GroupHandle*)> group_free{*this, "PMPI_Group_free"};
  MpiFunction<int(Comm, int, int, Comm*)> comm_split{*this, "PMPI_Comm_split"};
  MpiFunction<int(Comm*)> comm_free{*this, "PMPI_Comm_free"};
  MpiFunction<int(Handler*, ErrhandlerHandle*)> comm_create_errhandler{
      *this, "PMPI_Comm_create_errhandler"};
  MpiFunction<int(Comm, ErrhandlerHandle)> comm_set_errhandler{*this, "PMPI_Comm_set_errhandler"};
  MpiFunction<int(Comm, int)> comm_call_errhandler{*this, "PMPI_Comm_call_errhandler"};
  MpiFunction<int(ErrhandlerHandle*)> errhandler_free{*this, "PMPI_Errhandler_free"};
  MpiFunction<int(Copy*, Delete*, int*, void*)> comm_create_keyval{*this,
                                                                   "PMPI_Comm_create_keyval"};
  MpiFunction<int(Comm, int, void*)> comm_set_attr{*this, "PMPI_Comm_set_attr"};
  MpiFunction<int(Comm, int, void*, int*)> comm_get_attr{*this, "PMPI_Comm_get_attr"};
  MpiFunction<int(Comm, int)> comm_delete_attr{*this, "PMPI_Comm_delete_attr"};
  MpiFunction<int(const void*, int, Datatype, void*, int, Datatype, Comm, Request*)> iallgather{
      *this, "PMPI_Iallgather"};
  MpiFunction<int(Request*, int*, void*)> test{*this, "PMPI_Test"};
  MpiFunction<int(void*, int, Datatype, int, int, Comm, Request*)> irecv{*this, "PMPI_Irecv"};
  MpiFunction<int(const void*, int, Datatype, int, int, Comm, Request*)> isend{*this, "PMPI_Isend"};
  MpiFunction<int(int, int, Comm, int*, Request*, void*)> improbe{*this, "PMPI_Improbe"};
  MpiFunction<int(void*, int, Datatype, Request*, void*)> mrecv{*this, "PMPI_Mrecv"};
  MpiFunction<int(Request, int*, void*)> request_get_status{*this, "PMPI_Request_get_status"};
  MpiFunction<int(Request*)> cancel{*this, "PMPI_Cancel"};
  MpiFunction<int(Request*, void*)> wait{*this, "PMPI_Wait"};
  MpiFunction<int(const void*, int, Datatype, int, int, Comm, Request*)> send_init{
      *this, "PMPI_Send_init"};
  MpiFunction<int(Request*)> request_free{*this, "PMPI_Request_free"};
  MpiFunction<int(int*, int*)> get_version{*this, "PMPI_Get_version"};
  MpiFunction<int(int, Datatype, Datatype*)> type_contiguous{*this, "PMPI_Type_contiguous"};
  MpiFunction<int(Datatype, Count*)> type_size_x{*this, "PMPI_Type_size_x"};
  MpiFunction<int(int, const int*, const std::intptr_t*, Datatype, Datatype*)> type_create_hindexed{
      *this, "PMPI_Type_create_hindexed"};
  MpiFunction<int(Datatype*)> type_commit{*this, "PMPI_Type_commit"};
  MpiFunction<int(Datatype*)> type_free{*this, "PMPI_Type_free"};
  MpiFunction<int(const void*, int, Datatype, void*, int, int*, Comm)> pack{*this, "PMPI_Pack"};
  MpiFunction<int(const void*, int, int*, void*, int, Datatype, Comm)> unpack{*this, "PMPI_Unpack"};
  MpiFunction<int(Datatype, std::intptr_t*, std::intptr_t*)> type_get_extent{
      *this, "PMPI_Type_get_extent"};
  MpiFunction<int(Datatype, std::intptr_t*, std::intptr_t*)> type_get_true_extent{
      *this, "PMPI_Type_get_true_extent"};
  MpiFunction<int(Op, int*)> op_commutative{*this, "PMPI_Op_commutative"};
  MpiFunction<int(const void*, void*, int, Datatype, Op)> reduce_local{*this, "PMPI_Reduce_local"};
  MpiFunction<int(const void*, void*, int, Datatype, Op, Comm)> allreduce{*this, "PMPI_Allreduce"};
};

}  // namespace terrace::preload::TERRACE_ABI
