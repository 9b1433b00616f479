// SPDX-License-Identifier: BSD-3-Clause
// The intercepted functions as the next library in the chain defines them, for all ABIs.
#pragma once

#include <cstdint>
#include <string>

#include "preload/lookup/next_function.hpp"

namespace terrace::preload {

/// The type of a large count in all ABIs.
using LargeCount = std::int64_t;

/// The two names of each function.
enum class Names : std::uint8_t {
  mpi,   ///< MPI_X, which programs call: the next tool's, or the MPI's
  pmpi,  ///< PMPI_X, which tools call: the MPI's
};

/// The next function of that name, MPI_X, by one of its two names.
inline void* find_next_by(Names names, const std::string& name) {
  return find_next(names == Names::pmpi ? "P" + name : name);
}

/// The intercepted functions, as they come next in the chain; handles are words.
template <Names kNames>
struct NextFunctions {
  template <class Signature>
  struct Next : NextFunction<Signature> {
    explicit Next(const char* name) : NextFunction<Signature>(find_next_by(kNames, name)) {}
  };

  Next<int(HandleWord)> barrier{"MPI_Barrier"};
  Next<int(HandleWord, void*)> ibarrier{"MPI_Ibarrier"};
  Next<int(HandleWord, HandleWord, void*)> barrier_init{"MPI_Barrier_init"};
  Next<int(void*)> comm_free{"MPI_Comm_free"};
  Next<int(void*)> comm_disconnect{"MPI_Comm_disconnect"};
  Next<int()> finalize{"MPI_Finalize"};
  Next<int(HandleWord, int, int, HandleWord, void*)> comm_split_type{"MPI_Comm_split_type"};
  Next<int(void*)> get_hw_resource_info{"MPI_Get_hw_resource_info"};
};

template <Names kNames>
const NextFunctions<kNames>& next_functions() {
  static const NextFunctions<kNames> functions;
  return functions;
}

/// The functions that take requests.
struct NextRequestFunctions {
  template <class Signature>
  struct Next : NextFunction<Signature> {
    Next(Names names, const char* name) : NextFunction<Signature>(find_next_by(names, name)) {}
  };
  explicit NextRequestFunctions(Names its_names) : names(its_names) {}

  Names names;
  using OfOne = Next<int(void*, void*)>;
  using OfAll = Next<int(int, void*, void*)>;
  using FindsOne = Next<int(int, void*, int*, int*, void*)>;
  using FindsSome = Next<int(int, void*, int*, int*, void*)>;
  OfOne wait{names, "MPI_Wait"};
  OfAll waitall{names, "MPI_Waitall"};
  Next<int(int, void*, int*, void*)> waitany{names, "MPI_Waitany"};
  FindsSome waitsome{names, "MPI_Waitsome"};
  Next<int(void*, int*, void*)> test{names, "MPI_Test"};
  Next<int(int, void*, int*, void*)> testall{names, "MPI_Testall"};
  FindsOne testany{names, "MPI_Testany"};
  FindsSome testsome{names, "MPI_Testsome"};
  Next<int(HandleWord, int*, void*)> request_get_status{names, "MPI_Request_get_status"};
  Next<int(int, const void*, int*, void*)> request_get_status_all{names,
                                                                  "MPI_Request_get_status_all"};
  Next<int(int, const void*, int*, int*, void*)> request_get_status_any{
      names, "MPI_Request_get_status_any"};
  Next<int(int, const void*, int*, int*, void*)> request_get_status_some{
      names, "MPI_Request_get_status_some"};
  Next<int(void*)> request_free{names, "MPI_Request_free"};
  Next<int(void*)> cancel{names, "MPI_Cancel"};
  Next<int(void*)> start{names, "MPI_Start"};
  Next<int(int, void*)> startall{names, "MPI_Startall"};
};

template <Names kNames>
const NextRequestFunctions& next_request_functions() {
  static const NextRequestFunctions functions(kNames);
  return functions;
}

/// Functions that exist twice: with counts of int, and as MPI_X_c with MPI_Count.
template <class Number, Names kNames>
struct NextCollectives {
  template <class... Arguments>
  struct Next : NextFunction<int(Arguments...)> {
    explicit Next(const char* name)
        : NextFunction<int(Arguments...)>(
              find_next_by(kNames, std::string(name) + (sizeof(Number) > 4 ? "_c" : ""))) {}
  };

  Next<void*, Number, HandleWord, int, HandleWord> bcast{"MPI_Bcast"};
  Next<const void*, void*, Number, HandleWord, HandleWord, int, HandleWord> reduce{"MPI_Reduce"};
  using Combining = Next<const void*, void*, Number, HandleWord, HandleWord, HandleWord>;
  Combining allreduce{"MPI_Allreduce"};
  Combining reduce_scatter_block{"MPI_Reduce_scatter_block"};
  Combining scan{"MPI_Scan"};
  Combining exscan{"MPI_Exscan"};
  using Moving = Next<const void*, Number, HandleWord, void*, Number, HandleWord, HandleWord>;
  Moving allgather{"MPI_Allgather"};
  Moving alltoall{"MPI_Alltoall"};
  using MovingWithRoot =
      Next<const void*, Number, HandleWord, void*, Number, HandleWord, int, HandleWord>;
  MovingWithRoot gather{"MPI_Gather"};
  MovingWithRoot scatter{"MPI_Scatter"};
  // Counts and displacements of one kind or the other, one per rank.
  using Counts = const Number*;
  using Places = const std::conditional_t<std::is_same_v<Number, int>, int, std::intptr_t>*;
  Next<const void*, Number, HandleWord, void*, Counts, Places, HandleWord, HandleWord> allgatherv{
      "MPI_Allgatherv"};
  Next<const void*, Number, HandleWord, void*, Counts, Places, HandleWord, int, HandleWord> gatherv{
      "MPI_Gatherv"};
  Next<const void*, Counts, Places, HandleWord, void*, Number, HandleWord, int, HandleWord>
      scatterv{"MPI_Scatterv"};
  Next<const void*, Counts, Places, HandleWord, void*, Counts, Places, HandleWord, HandleWord>
      alltoallv{"MPI_Alltoallv"};
  Next<const void*, Counts, Places, const void*, void*, Counts, Places, const void*, HandleWord>
      alltoallw{"MPI_Alltoallw"};
  Next<const void*, void*, Counts, HandleWord, HandleWord, HandleWord> reduce_scatter{
      "MPI_Reduce_scatter"};
};

template <class Number, Names kNames>
const NextCollectives<Number, kNames>& next_collectives() {
  static const NextCollectives<Number, kNames> functions;
  return functions;
}

/// Nonblocking collectives, which exist twice likewise: the last argument is where the request
/// goes.
template <class Number, Names kNames>
struct NextStarts {
  template <class... Arguments>
  struct Next : NextFunction<int(Arguments..., void*)> {
    explicit Next(const char* name)
        : NextFunction<int(Arguments..., void*)>(
              find_next_by(kNames, std::string(name) + (sizeof(Number) > 4 ? "_c" : ""))) {}
  };

  Next<void*, Number, HandleWord, int, HandleWord> bcast{"MPI_Ibcast"};
  Next<const void*, void*, Number, HandleWord, HandleWord, int, HandleWord> reduce{"MPI_Ireduce"};
  using Combining = Next<const void*, void*, Number, HandleWord, HandleWord, HandleWord>;
  Combining allreduce{"MPI_Iallreduce"};
  Combining reduce_scatter_block{"MPI_Ireduce_scatter_block"};
  Combining scan{"MPI_Iscan"};
  Combining exscan{"MPI_Iexscan"};
  using Moving = Next<const void*, Number, HandleWord, void*, Number, HandleWord, HandleWord>;
  Moving allgather{"MPI_Iallgather"};
  Moving alltoall{"MPI_Ialltoall"};
  using MovingWithRoot =
      Next<const void*, Number, HandleWord, void*, Number, HandleWord, int, HandleWord>;
  MovingWithRoot gather{"MPI_Igather"};
  MovingWithRoot scatter{"MPI_Iscatter"};
  using Counts = const Number*;
  using Places = const std::conditional_t<std::is_same_v<Number, int>, int, std::intptr_t>*;
  Next<const void*, Number, HandleWord, void*, Counts, Places, HandleWord, HandleWord> allgatherv{
      "MPI_Iallgatherv"};
  Next<const void*, Number, HandleWord, void*, Counts, Places, HandleWord, int, HandleWord> gatherv{
      "MPI_Igatherv"};
  Next<const void*, Counts, Places, HandleWord, void*, Number, HandleWord, int, HandleWord>
      scatterv{"MPI_Iscatterv"};
  Next<const void*, Counts, Places, HandleWord, void*, Counts, Places, HandleWord, HandleWord>
      alltoallv{"MPI_Ialltoallv"};
  Next<const void*, Counts, Places, const void*, void*, Counts, Places, const void*, HandleWord>
      alltoallw{"MPI_Ialltoallw"};
  Next<const void*, void*, Counts, HandleWord, HandleWord, HandleWord> reduce_scatter{
      "MPI_Ireduce_scatter"};
};

template <class Number, Names kNames>
const NextStarts<Number, kNames>& next_starts() {
  static const NextStarts<Number, kNames> functions;
  return functions;
}

/// Functions that initialize persistent collectives, which exist twice likewise: the last arguments
/// are an info and where the request goes.
template <class Number, Names kNames>
struct NextInits {
  template <class... Arguments>
  struct Next : NextFunction<int(Arguments..., HandleWord, void*)> {
    explicit Next(const char* name)
        : NextFunction<int(Arguments..., HandleWord, void*)>(
              find_next_by(kNames, std::string(name) + (sizeof(Number) > 4 ? "_c" : ""))) {}
  };

  Next<void*, Number, HandleWord, int, HandleWord> bcast{"MPI_Bcast_init"};
  Next<const void*, void*, Number, HandleWord, HandleWord, int, HandleWord> reduce{
      "MPI_Reduce_init"};
  using Combining = Next<const void*, void*, Number, HandleWord, HandleWord, HandleWord>;
  Combining allreduce{"MPI_Allreduce_init"};
  Combining reduce_scatter_block{"MPI_Reduce_scatter_block_init"};
  Combining scan{"MPI_Scan_init"};
  Combining exscan{"MPI_Exscan_init"};
  using Moving = Next<const void*, Number, HandleWord, void*, Number, HandleWord, HandleWord>;
  Moving allgather{"MPI_Allgather_init"};
  Moving alltoall{"MPI_Alltoall_init"};
  using MovingWithRoot =
      Next<const void*, Number, HandleWord, void*, Number, HandleWord, int, HandleWord>;
  MovingWithRoot gather{"MPI_Gather_init"};
  MovingWithRoot scatter{"MPI_Scatter_init"};
  using Counts = const Number*;
  using Places = const std::conditional_t<std::is_same_v<Number, int>, int, std::intptr_t>*;
  Next<const void*, Number, HandleWord, void*, Counts, Places, HandleWord, HandleWord> allgatherv{
      "MPI_Allgatherv_init"};
  Next<const void*, Number, HandleWord, void*, Counts, Places, HandleWord, int, HandleWord> gatherv{
      "MPI_Gatherv_init"};
  Next<const void*, Counts, Places, HandleWord, void*, Number, HandleWord, int, HandleWord>
      scatterv{"MPI_Scatterv_init"};
  Next<const void*, Counts, Places, HandleWord, void*, Counts, Places, HandleWord, HandleWord>
      alltoallv{"MPI_Alltoallv_init"};
  Next<const void*, Counts, Places, const void*, void*, Counts, Places, const void*, HandleWord>
      alltoallw{"MPI_Alltoallw_init"};
  Next<const void*, void*, Counts, HandleWord, HandleWord, HandleWord> reduce_scatter{
      "MPI_Reduce_scatter_init"};
};

template <class Number, Names kNames>
const NextInits<Number, kNames>& next_inits() {
  static const NextInits<Number, kNames> functions;
  return functions;
}

/// Neighbourhood collectives, which exist twice likewise. `Tail`: the last arguments, nothing for
/// MPI_Neighbor_X, a request for MPI_Ineighbor_X, and an info before it for MPI_Neighbor_X_init.
template <class Number, Names kNames, class... Tail>
struct NextNeighbours {
  static std::string name_of(const char* collective) {
    constexpr std::size_t kTail = sizeof...(Tail);
    return std::string(kTail == 1 ? "MPI_Ineighbor_" : "MPI_Neighbor_") + collective +
           (kTail == 2 ? "_init" : "") + (sizeof(Number) > 4 ? "_c" : "");
  }
  template <class... Arguments>
  struct Next : NextFunction<int(Arguments..., HandleWord, Tail...)> {
    explicit Next(const char* collective)
        : NextFunction<int(Arguments..., HandleWord, Tail...)>(
              find_next_by(kNames, name_of(collective))) {}
  };

  using Counts = const Number*;
  using Places = const std::conditional_t<std::is_same_v<Number, int>, int, std::intptr_t>*;
  using Offsets = const std::intptr_t*;
  using Moving = Next<const void*, Number, HandleWord, void*, Number, HandleWord>;
  Moving allgather{"allgather"};
  Moving alltoall{"alltoall"};
  Next<const void*, Number, HandleWord, void*, Counts, Places, HandleWord> allgatherv{"allgatherv"};
  Next<const void*, Counts, Places, HandleWord, void*, Counts, Places, HandleWord> alltoallv{
      "alltoallv"};
  Next<const void*, Counts, Offsets, const void*, void*, Counts, Offsets, const void*> alltoallw{
      "alltoallw"};
};

template <class Number, Names kNames, class... Tail>
const NextNeighbours<Number, kNames, Tail...>& next_neighbours() {
  static const NextNeighbours<Number, kNames, Tail...> functions;
  return functions;
}

}  // namespace terrace::preload
