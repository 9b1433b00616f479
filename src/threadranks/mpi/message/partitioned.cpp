// SPDX-License-Identifier: BSD-3-Clause
// Partitioned messages: MPI 4.0, chapter 4. MPI_Pready takes no lock, so that threads of a rank
// copy their partitions at the same time.
#include <memory>
#include <string>

#include "threadranks/mpi/adapter.hpp"

namespace terrace::threadranks::mpi {
namespace {

using Ours = threadranks::Request;

int prepare(const char* function, bool sends, const void* buffer, int partitions, MPI_Count count,
            MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Request* handle) {
  Caller caller(function, comm);
  caller.check_peer(peer, false);
  caller.check_tag(tag, false);
  const Layout one = caller.layout(buffer, count, type);
  if (!caller.error() && partitions < 0)
    caller.fail(MPI_ERR_ARG, std::to_string(partitions) + " partitions");
  MPI_Count elements = 0;
  if (!caller.error() && __builtin_mul_overflow(count, partitions, &elements))
    caller.fail(MPI_ERR_COUNT, "more elements than a count can tell");
  if (caller.error()) return caller.error();
  auto request = std::make_unique<Ours>();
  request->kind = Ours::Kind::partitioned;
  request->is_persistent = true;
  request->communicator = &caller.communicator();
  request->hold({buffer, static_cast<std::size_t>(elements), one.type});
  const Partitions all{request->layout, static_cast<std::size_t>(partitions)};
  const auto make = sends ? PartitionedSide::sender : PartitionedSide::receiver;
  request->parts().partitioned = make(caller.communicator(), our_rank(peer), tag, all);
  *handle = handle_of_object<MPI_Request>(*request.release());
  return MPI_SUCCESS;
}

/// The side of a call's request, or an error that says why there is none.
PartitionedSide* side_of(const char* function, MPI_Request handle, bool sends, int& error) {
  Ours* const request = object_of<Ours>(handle);
  PartitionedSide* const side =
      request != nullptr && request->rare ? request->rare->partitioned.get() : nullptr;
  error = MPI_SUCCESS;
  if (side != nullptr && side->is_sender() == sends) return side;
  error =
      fail(function, MPI_ERR_REQUEST,
           sends ? "this is no request of MPI_Psend_init" : "this is no request of MPI_Precv_init");
  return nullptr;
}

int check_partition(const char* function, const PartitionedSide& side, int partition) {
  if (partition >= 0 && static_cast<std::size_t>(partition) < side.partitions()) return MPI_SUCCESS;
  return fail(function, MPI_ERR_ARG,
              "there is no partition " + std::to_string(partition) + ", the message has " +
                  std::to_string(side.partitions()));
}

/// Any thread of the sender, without its rank's lock. `partition_of(i)` for i below `count`.
template <class PartitionOf>
int declare_ready(const char* function, MPI_Request handle, int count, PartitionOf partition_of) {
  int error;
  PartitionedSide* const side = side_of(function, handle, true, error);
  if (error) return error;
  if (!object_of<Ours>(handle)->is_active)
    return fail(function, MPI_ERR_REQUEST, "the request is not active: call MPI_Start before");
  for (int i = 0; i < count && !error; ++i)
    error = check_partition(function, *side, partition_of(i));
  // After the last partition, the request may be complete, and freed by another thread.
  for (int i = 0; i < count && !error; ++i)
    if (!side->declare_ready(static_cast<std::size_t>(partition_of(i))))
      error = fail(function, MPI_ERR_ARG,
                   "partition " + std::to_string(partition_of(i)) + " was ready already");
  return error;
}

}  // namespace
}  // namespace terrace::threadranks::mpi

namespace mpi = terrace::threadranks::mpi;

TERRACE_MPI(int, Psend_init,
            (const void* buffer, int partitions, MPI_Count count, MPI_Datatype type, int to,
             int tag, MPI_Comm comm, MPI_Info, MPI_Request* request)) {
  return mpi::prepare("MPI_Psend_init", true, buffer, partitions, count, type, to, tag, comm,
                      request);
}

TERRACE_MPI(int, Precv_init,
            (void* buffer, int partitions, MPI_Count count, MPI_Datatype type, int from, int tag,
             MPI_Comm comm, MPI_Info, MPI_Request* request)) {
  return mpi::prepare("MPI_Precv_init", false, buffer, partitions, count, type, from, tag, comm,
                      request);
}

TERRACE_MPI(int, Pready, (int partition, MPI_Request request)) {
  return mpi::declare_ready("MPI_Pready", request, 1, [&](int) { return partition; });
}

TERRACE_MPI(int, Pready_range, (int first, int last, MPI_Request request)) {
  if (last < first)
    return mpi::fail("MPI_Pready_range", MPI_ERR_ARG, "the last partition is below the first one");
  return mpi::declare_ready("MPI_Pready_range", request, last - first + 1,
                            [&](int i) { return first + i; });
}

TERRACE_MPI(int, Pready_list, (int count, const int* partitions, MPI_Request request)) {
  return mpi::declare_ready("MPI_Pready_list", request, count,
                            [&](int i) { return partitions[i]; });
}

TERRACE_MPI(int, Parrived, (MPI_Request request, int partition, int* flag)) {
  const mpi::RankCall call("MPI_Parrived");
  *flag = 1;
  if (request == MPI_REQUEST_NULL) return MPI_SUCCESS;
  int error;
  auto* const side = mpi::side_of("MPI_Parrived", request, false, error);
  if (!error) error = mpi::check_partition("MPI_Parrived", *side, partition);
  if (error || !mpi::object_of<mpi::Ours>(request)->is_active) return error;
  *flag = call.state().test([&] { return side->has_arrived(static_cast<std::size_t>(partition)); });
  return MPI_SUCCESS;
}
