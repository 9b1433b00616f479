// SPDX-License-Identifier: BSD-3-Clause
// Turns handles into objects, and checks arguments.
#include "threadranks/mpi/adapter.hpp"

namespace terrace::threadranks::mpi {

int our_rank(int rank) {
  return rank == MPI_ANY_SOURCE ? kAnySource : rank == MPI_PROC_NULL ? kProcNull : rank;
}

int their_rank(int rank) {
  return rank == kAnySource ? MPI_ANY_SOURCE : rank == kProcNull ? MPI_PROC_NULL : rank;
}

int our_tag(int tag) {
  return tag == MPI_ANY_TAG ? kAnyTag : tag;
}

Communicator* communicator_of(MPI_Comm comm) {
  if (comm == MPI_COMM_WORLD) return &rank_of_caller().everybody();
  if (comm == MPI_COMM_SELF) return &rank_of_caller().self();
  return object_of<Communicator>(comm);
}

MPI_Comm handle_of(Communicator* communicator) {
  if (communicator == nullptr) return MPI_COMM_NULL;
  if (communicator == &communicator->state().everybody()) return MPI_COMM_WORLD;
  if (communicator == &communicator->state().self()) return MPI_COMM_SELF;
  return handle_of_object<MPI_Comm>(*communicator);
}

Datatype* type_of(MPI_Datatype type) {
  Datatype* const predefined = predefined_type_of(type);
  return predefined != nullptr ? predefined : object_of<Datatype>(type);
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
  static RankGroup& empty = *new RankGroup;
  return group == MPI_GROUP_EMPTY ? &empty : object_of<RankGroup>(group);
}

KeptObject::~KeptObject() {
  for (Datatype* type : types_) type->release();
  for (UserOperator* op : operators_) op->release();
}

void KeptObject::keep(Datatype& type) {
  type.retain();
  types_.push_back(&type);
}

void KeptObject::keep(UserOperator& op) {
  op.retain();
  operators_.push_back(&op);
}

Caller::Caller(const char* function, MPI_Comm comm)
    : function_(function),
      comm_(comm),
      communicator_(communicator_of(comm)),
      critical_(communicator_ != nullptr ? &communicator_->state().call_lock() : nullptr,
                function) {
  if (communicator_ == nullptr) {
    error_ = mpi::fail(function, MPI_ERR_COMM, "this is no communicator");
    return;
  }
  RankState& state = communicator_->state();
  state.enter_function(function);
  if (!state.may_call()) fail(MPI_ERR_OTHER, "MPI is not initialized, or finalized already");
}

int Caller::fail(int error_class, const std::string& sentence) {
  if (error_ == MPI_SUCCESS) error_ = mpi::fail(comm_, function_, error_class, sentence);
  return error_;
}

void Caller::check_peer(int rank, bool takes_any) {
  if ((takes_any && rank == MPI_ANY_SOURCE) || rank == MPI_PROC_NULL) return;
  check_member(rank);
}

void Caller::check_member(int rank) {
  if (error_ || (rank >= 0 && rank < communicator_->peer_count())) return;
  fail(MPI_ERR_RANK, "rank " + std::to_string(rank) + " is not in the communicator, which has " +
                         std::to_string(communicator_->peer_count()));
}

void Caller::check_tag(int tag, bool takes_any) {
  if (error_ || tag >= 0 || (takes_any && tag == MPI_ANY_TAG)) return;
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

Layout Caller::layout(const void* buffer, std::int64_t count, MPI_Datatype type) {
  Datatype* const known = type_of(type);
  if (!error_ && known == nullptr) fail(MPI_ERR_TYPE, "this is no datatype");
  if (!error_ && !known->is_committed) fail(MPI_ERR_TYPE, "the datatype is not committed");
  if (!error_ && count < 0) fail(MPI_ERR_COUNT, std::to_string(count) + " elements");
  if (!error_ && kept_) kept_->keep(*known);
  return {buffer, static_cast<std::size_t>(count), known};
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
