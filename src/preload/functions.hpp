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
// These are like MPI_Comm in both ABIs: integers, or addresses of something.
using Errhandler = abi::Comm;
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

/// A handle as it came in its register, and goes on as it came: another MPI's handles may fill a
/// word where this ABI's are narrower, and if the library does not fit, every call goes on to that
/// MPI.
using Word = std::uintptr_t;
template <class Native>
Word word_of(Native native) {
  if constexpr (std::is_pointer_v<Native>)
    return reinterpret_cast<Word>(native);
  else  // some processors want integers with their sign in the whole register
    return static_cast<Word>(static_cast<std::intptr_t>(native));
}

/// One function, by the name it is looked up by.
template <class Signature>
class Function {
 public:
  explicit Function(const char* name) : Function(find_next(name, "")) {}
  explicit Function(void* found) : found_(reinterpret_cast<Signature*>(found)) {}
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
  Function<int(Comm, int)> end_job{"PMPI_Abort"};
  Function<int(Comm, int*)> comm_size{"PMPI_Comm_size"};
  Function<int(Comm, int*)> comm_rank{"PMPI_Comm_rank"};
  Function<int(Comm, char*, int*)> comm_get_name{"PMPI_Comm_get_name"};
  Function<int(Comm, int*)> comm_test_inter{"PMPI_Comm_test_inter"};
  Function<int(Comm, Group*)> comm_group{"PMPI_Comm_group"};
  Function<int(Group, int, const int*, Group, int*)> group_translate_ranks{
      "PMPI_Group_translate_ranks"};
  Function<int(Group*)> group_free{"PMPI_Group_free"};
  Function<int(Comm, int, int, Comm*)> comm_split{"PMPI_Comm_split"};
  Function<int(Comm*)> comm_free{"PMPI_Comm_free"};
  Function<int(Comm, Errhandler)> comm_set_errhandler{"PMPI_Comm_set_errhandler"};
  Function<int(Copy*, Delete*, int*, void*)> comm_create_keyval{"PMPI_Comm_create_keyval"};
  Function<int(Comm, int, void*)> comm_set_attr{"PMPI_Comm_set_attr"};
  Function<int(Comm, int, void*, int*)> comm_get_attr{"PMPI_Comm_get_attr"};
  Function<int(Comm, int)> comm_delete_attr{"PMPI_Comm_delete_attr"};
  Function<int(const void*, int, Datatype, void*, int, Datatype, Comm)> allgather{"PMPI_Allgather"};
  Function<int(void*, int, Datatype, int, Comm)> bcast{"PMPI_Bcast"};
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
    return initialized && get_library_version && end_job && comm_size && comm_rank &&
           comm_get_name && comm_test_inter && comm_group && group_translate_ranks && group_free &&
           comm_split && comm_free && comm_set_errhandler && comm_create_keyval && comm_set_attr &&
           comm_get_attr && comm_delete_attr && allgather && bcast && irecv && request_get_status &&
           cancel && wait && type_size_x && type_create_hindexed && type_commit && type_free &&
           pack && unpack && type_get_extent && type_get_true_extent && op_commutative &&
           reduce_local && allreduce;
  }
};

/// The calls that we stand before, as they come after us in the chain; handles are words.
struct NextFunctions {
  Function<int(Word)> barrier{"MPI_Barrier"};
  Function<int(Comm*)> comm_free{"MPI_Comm_free"};
  Function<int(Comm*)> comm_disconnect{"MPI_Comm_disconnect"};
};

const NextFunctions& next_functions();

/// Those of them that there are twice: with counts of int, and as MPI_X_c with MPI_Count.
template <class Number>
struct NextCollectives {
  template <class... Arguments>
  struct Next : Function<int(Arguments...)> {
    explicit Next(const char* name)
        : Function<int(Arguments...)>(find_next(name, sizeof(Number) > 4 ? "_c" : "")) {}
  };

  Next<void*, Number, Word, int, Word> bcast{"MPI_Bcast"};
  Next<const void*, void*, Number, Word, Word, int, Word> reduce{"MPI_Reduce"};
  using Combining = Next<const void*, void*, Number, Word, Word, Word>;
  Combining allreduce{"MPI_Allreduce"};
  Combining reduce_scatter_block{"MPI_Reduce_scatter_block"};
  Combining scan{"MPI_Scan"};
  Combining exscan{"MPI_Exscan"};
  using Moving = Next<const void*, Number, Word, void*, Number, Word, Word>;
  Moving allgather{"MPI_Allgather"};
  Moving alltoall{"MPI_Alltoall"};
  using MovingWithRoot = Next<const void*, Number, Word, void*, Number, Word, int, Word>;
  MovingWithRoot gather{"MPI_Gather"};
  MovingWithRoot scatter{"MPI_Scatter"};
  // Counts and displacements of one kind or the other, one per rank.
  using Counts = const Number*;
  using Places = const std::conditional_t<std::is_same_v<Number, int>, int, std::intptr_t>*;
  Next<const void*, Number, Word, void*, Counts, Places, Word, Word> allgatherv{"MPI_Allgatherv"};
  Next<const void*, Number, Word, void*, Counts, Places, Word, int, Word> gatherv{"MPI_Gatherv"};
  Next<const void*, Counts, Places, Word, void*, Number, Word, int, Word> scatterv{"MPI_Scatterv"};
  Next<const void*, Counts, Places, Word, void*, Counts, Places, Word, Word> alltoallv{
      "MPI_Alltoallv"};
  Next<const void*, Counts, Places, const Datatype*, void*, Counts, Places, const Datatype*, Word>
      alltoallw{"MPI_Alltoallw"};
  Next<const void*, void*, Counts, Word, Word, Word> reduce_scatter{"MPI_Reduce_scatter"};
};

template <class Number>
const NextCollectives<Number>& next_collectives() {
  static const NextCollectives<Number> functions;
  return functions;
}

}  // namespace terrace::preload
