// SPDX-License-Identifier: BSD-3-Clause
// The functions of the MPI below, by their types in one ABI, found by name when first needed.
// Included after that ABI's header, with `abi` standing for its namespace.
#pragma once

#include <cstdint>
#include <type_traits>

#include "preload/below.hpp"
#include "preload/chain.hpp"

namespace terrace::preload {

using abi::Comm;
using abi::Count;
using abi::Datatype;
using abi::Op;
using abi::Request;
/// MPI_Group is like MPI_Comm in both ABIs: an integer, or the address of something.
using Group = abi::Comm;

/// A handle of the ABI is an integer or an address.
template <class Native>
Native narrow(Handle handle) {
  if constexpr (std::is_pointer_v<Native>)
    return reinterpret_cast<Native>(handle);
  else
    return static_cast<Native>(handle);
}
template <class Native>
Handle widen(Native handle) {
  if constexpr (std::is_pointer_v<Native>)
    return reinterpret_cast<Handle>(handle);
  else
    return static_cast<Handle>(static_cast<unsigned>(handle));
}

/// One function, by the name it is looked up by.
template <class Signature>
class Function {
 public:
  explicit Function(const char* name) : found_(reinterpret_cast<Signature*>(find_next(name))) {}
  explicit operator bool() const { return found_ != nullptr; }
  template <class... Arguments>
  auto operator()(Arguments... arguments) const {
    return found_(arguments...);
  }

 private:
  Signature* found_;
};

/// What our own work needs: the MPI itself, past all tools.
struct Functions {
  using Copy = int(Comm, int, void*, void*, void*, int*);
  using Delete = int(Comm, int, void*, void*);

  Function<int(int*)> initialized{"PMPI_Initialized"};
  Function<int(char*, int*)> get_library_version{"PMPI_Get_library_version"};
  Function<int(Comm, int*)> comm_size{"PMPI_Comm_size"};
  Function<int(Comm, int*)> comm_rank{"PMPI_Comm_rank"};
  Function<int(Comm, int*)> comm_test_inter{"PMPI_Comm_test_inter"};
  Function<int(Comm, Group*)> comm_group{"PMPI_Comm_group"};
  Function<int(Group, int, const int*, Group, int*)> group_translate_ranks{
      "PMPI_Group_translate_ranks"};
  Function<int(Group*)> group_free{"PMPI_Group_free"};
  Function<int(Comm, int, int, Comm*)> comm_split{"PMPI_Comm_split"};
  Function<int(Comm*)> comm_free{"PMPI_Comm_free"};
  Function<int(Copy*, Delete*, int*, void*)> comm_create_keyval{"PMPI_Comm_create_keyval"};
  Function<int(Comm, int, void*)> comm_set_attr{"PMPI_Comm_set_attr"};
  Function<int(Comm, int, void*, int*)> comm_get_attr{"PMPI_Comm_get_attr"};
  Function<int(const void*, int, Datatype, void*, int, Datatype, Comm)> allgather{"PMPI_Allgather"};
  Function<int(void*, int, Datatype, int, Comm)> bcast{"PMPI_Bcast"};
  Function<int(void*, int, Datatype, int, int, Comm, Request*)> irecv{"PMPI_Irecv"};
  Function<int(Request, int*, void*)> request_get_status{"PMPI_Request_get_status"};
  Function<int(Request*)> cancel{"PMPI_Cancel"};
  Function<int(Request*, void*)> wait{"PMPI_Wait"};
  Function<int(Datatype, int*)> type_size{"PMPI_Type_size"};
  Function<int(int, const int*, const std::intptr_t*, Datatype, Datatype*)> type_create_hindexed{
      "PMPI_Type_create_hindexed"};
  Function<int(Datatype*)> type_commit{"PMPI_Type_commit"};
  Function<int(Datatype*)> type_free{"PMPI_Type_free"};
  Function<int(const void*, int, Datatype, void*, int, int*, Comm)> pack{"PMPI_Pack"};
  Function<int(const void*, int, int*, void*, int, Datatype, Comm)> unpack{"PMPI_Unpack"};

  /// Whether the MPI has all of them.
  bool is_complete() const {
    return initialized && get_library_version && comm_size && comm_rank && comm_test_inter &&
           comm_group && group_translate_ranks && group_free && comm_split && comm_free &&
           comm_create_keyval && comm_set_attr && comm_get_attr && allgather && bcast && irecv &&
           request_get_status && cancel && wait && type_size && type_create_hindexed &&
           type_commit && type_free && pack && unpack;
  }
};

/// The calls that we stand before, as they come after us in the chain.
struct NextFunctions {
  Function<int(Comm)> barrier{"MPI_Barrier"};
  Function<int(void*, int, Datatype, int, Comm)> bcast{"MPI_Bcast"};
  Function<int(const void*, void*, int, Datatype, Op, int, Comm)> reduce{"MPI_Reduce"};
  Function<int(const void*, void*, int, Datatype, Op, Comm)> allreduce{"MPI_Allreduce"};
  Function<int(void*, Count, Datatype, int, Comm)> bcast_c{"MPI_Bcast_c"};
  Function<int(const void*, void*, Count, Datatype, Op, int, Comm)> reduce_c{"MPI_Reduce_c"};
  Function<int(const void*, void*, Count, Datatype, Op, Comm)> allreduce_c{"MPI_Allreduce_c"};
};

const NextFunctions& next_functions();

}  // namespace terrace::preload
