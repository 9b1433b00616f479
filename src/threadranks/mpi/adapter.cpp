// SPDX-License-Identifier: BSD-3-Clause
// Turns handles into objects, and checks arguments.
#include "threadranks/mpi/adapter.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "threadranks/ranks/forked_child.hpp"

namespace terrace::threadranks::mpi {

Communicator* communicator_of(MPI_Comm comm) {
  if (comm == MPI_COMM_WORLD) return &rank_of_caller().everybody();
  if (Communicator* const made = object_of<Communicator>(comm)) return made;
  return comm == MPI_COMM_SELF ? &rank_of_caller().self() : nullptr;
}

MPI_Comm handle_of(Communicator* communicator) {
  if (communicator == nullptr) return MPI_COMM_NULL;
  if (communicator == &communicator->state().everybody()) return MPI_COMM_WORLD;
  if (communicator == &communicator->state().self()) return MPI_COMM_SELF;
  return handle_of_object<MPI_Comm>(*communicator);
}

MPI_Datatype handle_of(Datatype* type) {
  if (type == nullptr) return MPI_DATATYPE_NULL;
  if (type->predefined() != nullptr) return handle_of_predefined(*type);
  return handle_of_object<MPI_Datatype>(*type);
}

Datatype* known_type(const char* function, MPI_Datatype type, int& error) {
  Datatype* const found = type_of(type);
  error = found != nullptr ? MPI_SUCCESS : fail(function, MPI_ERR_TYPE, "this is no datatype");
  return found;
}

RankGroup* group_of(MPI_Group group) {
  static RankGroup& empty = *::new RankGroup;  // of no rank
  return group == MPI_GROUP_EMPTY ? &empty : object_of<RankGroup>(group);
}

void Caller::refuse_communicator() {
  error_ = mpi::fail(function_, MPI_ERR_COMM, "this is no communicator");
}

namespace {

/// Whether the function needs nothing but what the rank itself has: a forked child may call it.
bool is_local(std::string_view function) {
  static constexpr std::string_view kLocal[] = {"MPI_Cart_coords",      "MPI_Cart_get",
                                                "MPI_Cart_rank",        "MPI_Cart_shift",
                                                "MPI_Cartdim_get",      "MPI_Comm_compare",
                                                "MPI_Comm_get_attr",    "MPI_Comm_get_errhandler",
                                                "MPI_Comm_get_name",    "MPI_Comm_group",
                                                "MPI_Comm_rank",        "MPI_Comm_remote_group",
                                                "MPI_Comm_remote_size", "MPI_Comm_set_errhandler",
                                                "MPI_Comm_size",        "MPI_Comm_test_inter",
                                                "MPI_Topo_test"};
  return std::find(std::begin(kLocal), std::end(kLocal), function) != std::end(kLocal);
}

}  // namespace

void Caller::refuse_call() {
  if (!phase_of_parent())
    fail(MPI_ERR_OTHER, "MPI is not initialized, or finalized already");
  else if (!is_local(function_))
    fail(MPI_ERR_OTHER, kObstacleInChild);
}

int Caller::fail(int error_class, const std::string& sentence) {
  if (error_ == MPI_SUCCESS) error_ = mpi::fail(comm_, function_, error_class, sentence);
  return error_;
}

void Caller::check_special_peer(int rank, bool takes_any) {
  if ((takes_any && rank == MPI_ANY_SOURCE) || rank == MPI_PROC_NULL) return;
  check_member(rank);
}

void Caller::check_member(int rank) {
  if (error_ || (rank >= 0 && rank < communicator_->peer_count())) return;
  fail(MPI_ERR_RANK, "rank " + std::to_string(rank) + " is not in the communicator, which has " +
                         std::to_string(communicator_->peer_count()));
}

void Caller::check_special_tag(int tag, bool takes_any) {
  if (error_ || (takes_any && tag == MPI_ANY_TAG)) return;
  fail(MPI_ERR_TAG, "the tag " + std::to_string(tag) + " is negative");
}

/// On an intercommunicator, a root is a rank of the other group, MPI_ROOT or MPI_PROC_NULL.
void Caller::check_root(int root) {
  if (error_ || (root >= 0 && root < communicator_->peer_count())) return;
  const bool is_between = communicator_->is_intercomm();
  if (is_between && (root == MPI_ROOT || root == MPI_PROC_NULL)) return;
  fail(MPI_ERR_ROOT, "root " + std::to_string(root) + " is not in the communicator, which has " +
                         std::to_string(communicator_->peer_count()));
}

void Caller::check_intracomm() {
  if (!error_ && communicator_->is_intercomm())
    fail(MPI_ERR_COMM, "the communicator has two groups, and must have one");
}

void Caller::check_intercomm() {
  if (!error_ && !communicator_->is_intercomm())
    fail(MPI_ERR_COMM, "the communicator has only one group");
}

void Caller::check_elements(Datatype* type, std::int64_t count) {
  if (!error_ && type == nullptr) fail(MPI_ERR_TYPE, "this is no datatype");
  if (!error_ && !type->is_committed) fail(MPI_ERR_TYPE, "the datatype is not committed");
  if (!error_ && count < 0) fail(MPI_ERR_COUNT, std::to_string(count) + " elements");
}

std::string fault_of_buffer(const Layout& elements, const void* buffer) {
  constexpr std::intptr_t kFirstAddress = 4096;  // nothing lies below
  const std::size_t bytes = elements.bytes();
  if (bytes == 0) return "";
  if (buffer == MPI_IN_PLACE) return "MPI_IN_PLACE stands where a buffer is wanted";
  const std::intptr_t first =
      reinterpret_cast<std::intptr_t>(elements.buffer) + elements.type->true_lower();
  const bool is_null = buffer == nullptr && first > -kFirstAddress && first < kFirstAddress;
  return is_null ? "the buffer of " + std::to_string(bytes) + " bytes is null" : "";
}

void Caller::refuse_buffer(const Layout& elements, const void* buffer) {
  if (error_) return;
  if (const std::string fault = fault_of_buffer(elements, buffer); !fault.empty())
    fail(MPI_ERR_BUFFER, fault);
}

void Caller::refuse_in_place() {
  fail(MPI_ERR_BUFFER, "MPI_IN_PLACE stands where the collective does not allow it");
}

int put_complete_request(Communicator& communicator, const Status* status, MPI_Request* handle) {
  const RankCall call;
  auto request = std::make_unique<threadranks::Request>();
  request->kind =
      status != nullptr ? threadranks::Request::Kind::receive : threadranks::Request::Kind::send;
  if (status != nullptr) request->receiving.status = *status;
  request->receiving.is_done = true;
  request->is_active = true;
  request->communicator = &communicator;
  *handle = handle_of_object<MPI_Request>(*request.release());
  return MPI_SUCCESS;
}

}  // namespace terrace::threadranks::mpi
