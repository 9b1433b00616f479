// SPDX-License-Identifier: BSD-3-Clause
// hierarchical.h for C++11 and later: the hierarchy as a value that frees itself, and your own
// functions at every level. Errors are those of your MPI's error handlers: codes are returned.
//
//   terrace::Hierarchical levels(MPI_COMM_WORLD);
//   levels.bcast(values, 1000, MPI_DOUBLE, 0);
//   levels.upwards(0, [&](MPI_Comm step, int root) { return MPI_Barrier(step); });
#ifndef TERRACE_HIERARCHICAL_HPP
#define TERRACE_HIERARCHICAL_HPP

#include <mpi.h>

#include <type_traits>

#include "terrace/hierarchical.h"

namespace terrace {

/// Must be destroyed before MPI_Finalize, by all ranks, as that frees communicators.
class Hierarchical {
 public:
  explicit Hierarchical(MPI_Comm comm, MPI_Info info = MPI_INFO_NULL) {
    error_ = MPIX_Hierarchy_create(comm, info, &hierarchy_);
  }
  ~Hierarchical() { MPIX_Hierarchy_free(&hierarchy_); }
  Hierarchical(const Hierarchical&) = delete;
  Hierarchical& operator=(const Hierarchical&) = delete;

  /// Outcome of the constructor: MPI_SUCCESS, or there is no hierarchy to call anything on.
  int error() const { return error_; }
  const MPIX_Hierarchy* get() const { return hierarchy_; }

  int bcast(void* buffer, int count, MPI_Datatype type, int root) const {
    return MPIX_Hbcast(buffer, count, type, root, hierarchy_);
  }
  int reduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype type, MPI_Op op,
             int root) const {
    return MPIX_Hreduce(sendbuf, recvbuf, count, type, op, root, hierarchy_);
  }
  int gather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
             int recvcount, MPI_Datatype recvtype, int root) const {
    return MPIX_Hgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root,
                        hierarchy_);
  }

  /// At every level, on the way from a root to all others: `int function(MPI_Comm step, int root)`.
  template <class Function>
  int downwards(int root, Function&& function) const {
    Call<typename std::remove_reference<Function>::type> call = {function};
    return MPIX_Hierarchy_downwards(hierarchy_, root, call.at_level, &call);
  }
  /// Calls the function on the way from all to a root.
  template <class Function>
  int upwards(int root, Function&& function) const {
    Call<typename std::remove_reference<Function>::type> call = {function};
    return MPIX_Hierarchy_upwards(hierarchy_, root, call.at_level, &call);
  }

 private:
  /// An object for a `void*` to point to, whatever the function is: one of C, or a constant object.
  template <class Function>
  struct Call {
    Function& function;
    static int at_level(MPI_Comm step, int root, void* call) {
      return static_cast<Call*>(call)->function(step, root);
    }
  };

  MPIX_Hierarchy* hierarchy_ = nullptr;
  int error_ = MPI_SUCCESS;
};

}  // namespace terrace

#endif
