// SPDX-License-Identifier: BSD-3-Clause
// Communicators: members, creation and freeing.
#include <algorithm>
#include <memory>
#include <string>

#include "threadranks/mpi/collective/collective_op.hpp"
#include "threadranks/mpi/group/attributes.hpp"

namespace terrace::threadranks::mpi {

int put_new(const Communicator& old, Communicator* made, MPI_Comm* comm) {
  if (made != nullptr) made->errhandler = old.errhandler;
  *comm = handle_of(made);
  return MPI_SUCCESS;
}

namespace {

/// The group of a handle, whose members the communicator must have. Null after an error.
const RankGroup* group_within(Caller& caller, MPI_Group handle) {
  const RankGroup* const group = group_of(handle);
  if (!caller.error() && group == nullptr) caller.fail(MPI_ERR_GROUP, "this is no group");
  if (caller.error()) return nullptr;
  std::vector<Rank> all = caller.communicator().members();
  std::sort(all.begin(), all.end());
  for (const Rank member : group->members)
    if (!std::binary_search(all.begin(), all.end(), member)) {
      caller.fail(MPI_ERR_GROUP, "the group has rank " + std::to_string(member) +
                                     " of the job, which the communicator does not have");
      return nullptr;
    }
  return group;
}

int split(const char* function, MPI_Comm comm, int color, int key, MPI_Comm* made) {
  Caller caller(function, comm);
  if (!caller.error() && color < 0 && color != MPI_UNDEFINED)
    caller.fail(MPI_ERR_ARG, "the color " + std::to_string(color) + " is negative");
  if (caller.error()) return caller.error();
  return put_new(caller.communicator(), threadranks::split(caller.communicator(), color, key),
                 made);
}

/// Duplication as a collective op, during which other work proceeds.
class Duplicating {
 public:
  bool set_up(Caller& caller, MPI_Comm* place) {
    *place = MPI_COMM_NULL;
    if (caller.error()) return false;
    old_ = &caller.communicator();
    if (const int error = copy_attributes(*old_, attributes_)) {
      caller.fail(error, "an attribute cannot be copied");
      return false;
    }
    place_ = place;
    return true;
  }
  bool has_call() const { return !is_made_; }
  template <class Endpoint>
  bool call(Endpoint& endpoint) {
    is_made_ = true;
    duplication_.prepare(*old_);
    return duplication_.call(endpoint);
  }
  void finish() {
    Communicator* const copy = duplication_.made();
    if (old_->topology() != nullptr) copy->set_topology(old_->topology()->copy());
    copy->attributes = std::move(attributes_);
    put_new(*old_, copy, place_);
  }

 private:
  Communicator* old_ = nullptr;
  MPI_Comm* place_ = nullptr;
  Duplication duplication_;
  Attributes attributes_;
  bool is_made_ = false;
};

int duplicate(const char* function, MPI_Comm comm, MPI_Comm* made) {
  Caller caller(function, comm);
  return make_at_once<Duplicating>(caller,
                                   [&](auto& its, auto& work) { return work.set_up(its, made); });
}

int begin_duplicate(const char* function, MPI_Comm comm, MPI_Comm* made, MPI_Request* request) {
  Caller caller(function, comm);
  if (caller.error()) return caller.error();
  return begin(caller,
               operation_for<Duplicating>(
                   caller, [&](auto& its, auto& work) { return work.set_up(its, made); }),
               request);
}

/// `waits`: until no nonblocking call is in progress; otherwise their requests keep it.
int release(const char* function, MPI_Comm* comm, bool waits) {
  Caller caller(function, *comm);
  if (caller.error()) return caller.error();
  Communicator& old = caller.communicator();
  if (old.is_predefined)
    return caller.fail(MPI_ERR_COMM, "MPI_COMM_WORLD and MPI_COMM_SELF cannot be freed");
  if (!old.take_back()) return caller.fail(MPI_ERR_COMM, "the communicator is freed already");
  if (waits && !old.are_all_over()) caller.state().wait([&] { return old.are_all_over(); });
  if (const int error = delete_attributes(old)) {
    old.hand_out();
    return error;
  }
  old.release();
  *comm = MPI_COMM_NULL;
  return MPI_SUCCESS;
}

/// Hashes a program's string to a tag that no program uses in MPI_COMM_WORLD's own context.
int tag_of(const char* word) {
  unsigned tag = 0;
  for (; *word != '\0'; ++word) tag = tag * 31 + static_cast<unsigned char>(*word);
  return static_cast<int>(tag & 0x3fffffff);
}

/// Members of two groups find each other without a common communicator, by their ranks in the job.
int create_from_groups(const char* function, MPI_Group local, int leader, MPI_Group remote,
                       int remote_leader, const char* word, MPI_Comm* made) {
  Caller caller(function, MPI_COMM_WORLD);
  const RankGroup* const ours = group_within(caller, local);
  const RankGroup* const others = group_of(remote);
  if (ours == nullptr) return caller.error();
  // Without members of one group the call is local.
  *made = MPI_COMM_NULL;
  if (ours->members.empty() || (others != nullptr && others->members.empty())) return MPI_SUCCESS;
  if (leader < 0 || leader >= static_cast<int>(ours->members.size()))
    return caller.fail(MPI_ERR_RANK,
                       "the group has no rank " + std::to_string(leader) + " to be its leader");
  Communicator& everybody = caller.communicator();
  const std::unique_ptr<Communicator> members(of_group(everybody, *ours, tag_of(word)));
  if (!members) return caller.fail(MPI_ERR_GROUP, "the caller is not in its group");
  LeaderBridge meeting{&everybody, 0, tag_of(word)};
  if (members->rank() == leader) {
    if (others == nullptr) return caller.fail(MPI_ERR_GROUP, "the remote group is none");
    if (remote_leader < 0 || remote_leader >= static_cast<int>(others->members.size()))
      return caller.fail(MPI_ERR_RANK, "the other group has no such leader");
    meeting.remote_leader =
        static_cast<int>(others->members[static_cast<std::size_t>(remote_leader)]);
  }
  Communicator* const joined = between(*members, leader, meeting);
  if (joined == nullptr) return caller.fail(MPI_ERR_COMM, "the groups have a member in common");
  *made = handle_of(joined);
  return MPI_SUCCESS;
}

/// Only leaders know the bridge communicator.
int create_between(MPI_Comm comm, int leader, MPI_Comm peers, int remote_leader, int tag,
                   MPI_Comm* made) {
  Caller caller("MPI_Intercomm_create", comm);
  caller.check_intracomm();
  caller.check_member(leader);
  if (caller.error()) return caller.error();
  Communicator& local = caller.communicator();
  LeaderBridge meeting{nullptr, remote_leader, tag};
  if (local.rank() == leader) {
    Caller leaders("MPI_Intercomm_create", peers);
    leaders.check_member(remote_leader);
    leaders.check_tag(tag, false);
    if (leaders.error()) return leaders.error();
    meeting.peers = &leaders.communicator();
  }
  Communicator* const joined = between(local, leader, meeting);
  if (joined == nullptr) return caller.fail(MPI_ERR_COMM, "the groups have a member in common");
  return put_new(local, joined, made);
}

}  // namespace
}  // namespace terrace::threadranks::mpi

namespace mpi = terrace::threadranks::mpi;

TERRACE_MPI(int, Comm_rank, (MPI_Comm comm, int* rank)) {
  mpi::Caller caller("MPI_Comm_rank", comm);
  if (!caller.error()) *rank = caller.communicator().rank();
  return caller.error();
}
TERRACE_MPI(int, Comm_size, (MPI_Comm comm, int* size)) {
  mpi::Caller caller("MPI_Comm_size", comm);
  if (!caller.error()) *size = caller.communicator().size();
  return caller.error();
}
TERRACE_MPI(int, Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm* made)) {
  return mpi::split("MPI_Comm_split", comm, color, key, made);
}
TERRACE_MPI(int, Comm_dup, (MPI_Comm comm, MPI_Comm* made)) {
  return mpi::duplicate("MPI_Comm_dup", comm, made);
}
TERRACE_MPI(int, Comm_dup_with_info, (MPI_Comm comm, MPI_Info, MPI_Comm* made)) {
  return mpi::duplicate("MPI_Comm_dup_with_info", comm, made);
}
TERRACE_MPI(int, Comm_idup, (MPI_Comm comm, MPI_Comm* made, MPI_Request* request)) {
  return mpi::begin_duplicate("MPI_Comm_idup", comm, made, request);
}
TERRACE_MPI(int, Comm_idup_with_info,
            (MPI_Comm comm, MPI_Info, MPI_Comm* made, MPI_Request* request)) {
  return mpi::begin_duplicate("MPI_Comm_idup_with_info", comm, made, request);
}
TERRACE_MPI(int, Comm_free, (MPI_Comm * comm)) {
  return mpi::release("MPI_Comm_free", comm, false);
}
TERRACE_MPI(int, Comm_disconnect, (MPI_Comm * comm)) {
  return mpi::release("MPI_Comm_disconnect", comm, true);
}
TERRACE_MPI(int, Comm_create, (MPI_Comm comm, MPI_Group group, MPI_Comm* made)) {
  mpi::Caller caller("MPI_Comm_create", comm);
  const auto* const ours = mpi::group_within(caller, group);
  if (ours == nullptr) return caller.error();
  // Groups without a common member are different, except the two groups of one intercommunicator.
  auto& old = caller.communicator();
  const int place = ours->rank_of(caller.state().rank());
  const int color = old.is_intercomm() || place < 0 ? 0 : static_cast<int>(ours->members.front());
  return mpi::put_new(old, terrace::threadranks::split(old, place < 0 ? -1 : color, place), made);
}
TERRACE_MPI(int, Comm_create_group, (MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* made)) {
  mpi::Caller caller("MPI_Comm_create_group", comm);
  caller.check_intracomm();
  caller.check_tag(tag, false);
  const auto* const ours = mpi::group_within(caller, group);
  if (ours == nullptr) return caller.error();
  return mpi::put_new(caller.communicator(),
                      terrace::threadranks::of_group(caller.communicator(), *ours, tag), made);
}
TERRACE_MPI(int, Comm_test_inter, (MPI_Comm comm, int* flag)) {
  mpi::Caller caller("MPI_Comm_test_inter", comm);
  if (!caller.error()) *flag = caller.communicator().is_intercomm();
  return caller.error();
}
TERRACE_MPI(int, Comm_remote_size, (MPI_Comm comm, int* size)) {
  mpi::Caller caller("MPI_Comm_remote_size", comm);
  caller.check_intercomm();
  if (!caller.error()) *size = caller.communicator().peer_count();
  return caller.error();
}
TERRACE_MPI(int, Intercomm_create,
            (MPI_Comm comm, int leader, MPI_Comm peers, int remote_leader, int tag,
             MPI_Comm* made)) {
  return mpi::create_between(comm, leader, peers, remote_leader, tag, made);
}
TERRACE_MPI(int, Intercomm_create_from_groups,
            (MPI_Group local, int leader, MPI_Group remote, int remote_leader, const char* word,
             MPI_Info, MPI_Errhandler handler, MPI_Comm* made)) {
  const mpi::RankCall call;
  const int error = mpi::create_from_groups("MPI_Intercomm_create_from_groups", local, leader,
                                            remote, remote_leader, word, made);
  return error || *made == MPI_COMM_NULL ? error : PMPI_Comm_set_errhandler(*made, handler);
}
TERRACE_MPI(int, Comm_create_from_group,
            (MPI_Group group, const char* word, MPI_Info, MPI_Errhandler handler, MPI_Comm* made)) {
  const mpi::RankCall call;
  const int error = PMPI_Comm_create_group(MPI_COMM_WORLD, group, mpi::tag_of(word), made);
  return error || *made == MPI_COMM_NULL ? error : PMPI_Comm_set_errhandler(*made, handler);
}
TERRACE_MPI(int, Intercomm_merge, (MPI_Comm comm, int high, MPI_Comm* made)) {
  mpi::Caller caller("MPI_Intercomm_merge", comm);
  caller.check_intercomm();
  if (caller.error()) return caller.error();
  return mpi::put_new(caller.communicator(),
                      terrace::threadranks::merge(caller.communicator(), high != 0), made);
}
TERRACE_MPI(int, Comm_get_parent, (MPI_Comm * parent)) {
  const mpi::RankCall call;
  *parent = MPI_COMM_NULL;
  return MPI_SUCCESS;
}
TERRACE_MPI(int, Comm_set_name, (MPI_Comm comm, const char* name)) {
  mpi::Caller caller("MPI_Comm_set_name", comm);
  if (!caller.error()) caller.communicator().name = name;
  return caller.error();
}
TERRACE_MPI(int, Comm_get_name, (MPI_Comm comm, char* name, int* length)) {
  if (comm == MPI_COMM_NULL)
    return mpi::put_text("MPI_COMM_NULL", name, MPI_MAX_OBJECT_NAME, length);
  mpi::Caller caller("MPI_Comm_get_name", comm);
  return caller.error()
             ? caller.error()
             : mpi::put_text(caller.communicator().name, name, MPI_MAX_OBJECT_NAME, length);
}
