// SPDX-License-Identifier: BSD-3-Clause
// The adapter to one ABI, which the build names (abi/mpich.hpp and others): gives the core the
// functions of the underlying MPI. It is built once per ABI, in the ABI's namespace.
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <climits>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <memory>
#include <mutex>
#include <numeric>
#include <string_view>
#include <thread>
#include <type_traits>
#include <vector>

#include TERRACE_ABI_HEADER

#include "abi/library_version.hpp"
#include "base/contract.hpp"
#include "base/say.hpp"
#include "base/switch.hpp"
#include "base/ticks.hpp"
#include "preload/lookup/next_functions.hpp"
#include "preload/mpi/adapters.hpp"
#include "preload/mpi/exit_status.hpp"
#include "preload/mpi/mpi_functions.hpp"
#include "preload/mpi/settings.hpp"
#include "preload/mpi/watch_thread.hpp"

namespace terrace::preload::TERRACE_ABI {

namespace {

namespace abi = terrace::abi::TERRACE_ABI;

constexpr int kSuccess = 0;
constexpr std::chrono::milliseconds kTimeForAbortReport{300};
constexpr std::chrono::seconds kTimeForTheLauncher{5};

constexpr std::uint32_t kLooksBeforeNaps = 200;
constexpr std::chrono::microseconds kNapBetweenLooks{50};

/// Threads of a process wait for each other at their MPI's lock, at worst a turn of the
/// scheduler's. A thread that has waited there twice leaves driving the MPI to those that have the
/// lock, for a time.
constexpr std::chrono::microseconds kWaitsAtLock{20};
constexpr std::chrono::milliseconds kOthersDriveTheMpi{1};

/// The handle of a predefined object; 0 if this MPI does not have it.
Handle handle_of(std::string_view name) {
  for (const abi::Named& named : abi::kNamed)
    if (named.name == name) return widen(abi::handle_of(named.value, find_object));
  return 0;
}

/// Whether the last call of this thread on a private communicator met an error. Checked in
/// addition to the return code, since MPICH 5 returns success once a user's error handler has
/// returned.
thread_local bool has_met_an_error = false;

/// Records errors. (MPI_ERRORS_RETURN is not the same number in all MPIs of the standard ABI.)
void go_on(Comm*, int*, ...) {
  has_met_an_error = true;
}

/// A duplicate of a communicator starts with nothing attached.
int do_not_copy(Comm, int, void*, void*, void*, int* flag) {
  *flag = 0;
  return kSuccess;
}
int forget(Comm, int, void* attached, void*) {
  comm_state_events.deleted(static_cast<CommState*>(attached));
  return kSuccess;
}

/// Whether a call has succeeded; on a private communicator, its error handler tells as well.
template <class Call>
bool is_fine(Call call) {
  has_met_an_error = false;
  return call() && !has_met_an_error;
}

class Adapter final : public UnderlyingMpi {
 public:
  explicit Adapter(const MpiFunctions& functions)
      : UnderlyingMpi(Abi::TERRACE_ABI, std::is_pointer_v<Comm> ? ~Handle{0} : Handle{~0u},
                      abi::kInPlace, abi::kTakesEqualBuffers,
                      {sizeof(Request), abi::kStatusBytes, abi::kStatusErrorAt, abi::kStatusIgnore,
                       abi::kUndefined, abi::kErrorTruncate, abi::kErrorInStatus}),
        mpi_(functions) {
    name_everything();
  }

  /// Sets up objects that last until MPI_Finalize. False if the MPI refuses.
  bool begin();
  bool has_communicator() const override { return has_communicator_; }
  void end();

  std::string library() const override;
  Handle world() const override { return world_; }
  bool is_null(Handle communicator) const override { return communicator == null_; }
  std::string name_of(Handle communicator) const override;

  std::optional<int> size_of(Handle communicator) override {
    int size = 0;
    return mpi_.comm_size(comm(communicator), &size) == kSuccess ? std::optional(size)
                                                                 : std::nullopt;
  }
  std::optional<int> rank_in(Handle communicator) override {
    int rank = 0;
    return mpi_.comm_rank(comm(communicator), &rank) == kSuccess ? std::optional(rank)
                                                                 : std::nullopt;
  }
  bool is_intercommunicator(Handle communicator) override {
    int flag = 0;
    return mpi_.comm_test_inter(comm(communicator), &flag) != kSuccess || flag != 0;
  }

  bool is_among_threads() noexcept override;
  bool has_threads() const override { return has_threads_; }

  bool is_fault_tolerant() const override {
    const void* flag = nullptr;
    if constexpr (abi::kFaultToleranceFlag != nullptr) flag = find_object(abi::kFaultToleranceFlag);
    return flag != nullptr && *static_cast<const bool*>(flag);
  }

  bool is_spawned() override {
    Comm parent = comm(null_);
    return mpi_.comm_get_parent && mpi_.comm_get_parent(&parent) == kSuccess &&
           parent != comm(null_);
  }

  std::vector<int> ranks_in_world(Handle communicator) override;

  CommState* attached_to(Handle communicator) override {
    void* attached = nullptr;
    int flag = 0;
    mpi_.comm_get_attr(comm(communicator), key_, &attached, &flag);
    return flag ? static_cast<CommState*>(attached) : nullptr;
  }
  bool attach(Handle communicator, CommState* comm_state) override {
    return mpi_.comm_set_attr(comm(communicator), key_, comm_state) == kSuccess;
  }
  void detach(Handle communicator) override { mpi_.comm_delete_attr(comm(communicator), key_); }

  bool allgather(Handle communicator, const void* own, void* all, std::size_t bytes,
                 const char* what) override;
  bool bcast(Handle communicator, void* bytes, std::size_t count, int root,
             const char* what) override;

  std::optional<CommTopology> topology_of(Handle communicator) override;
  bool blocking_allgather(Handle communicator, const void* own, void* all, std::size_t bytes,
                          const char* what) override;
  bool send_along_edges(Handle communicator, EdgeCall kind, const Degrees& degrees,
                        const void* given, void* taken, std::size_t bytes,
                        const char* what) override;

  bool begin_allgather(Handle communicator, const void* own, void* all, std::size_t bytes,
                       Handle& request) override;
  bool begin_along_edges(Handle communicator, EdgeCall kind, const Degrees& degrees,
                         const void* given, void* taken, std::size_t bytes, EdgeCounts& counts,
                         Handle& request) override;

  std::optional<Handle> split(Handle communicator, int color, int key) override;
  bool begin_send(Handle communicator, const void* bytes, std::size_t count, int to, int tag,
                  Handle& request) override;
  bool begin_receive(Handle communicator, void* bytes, std::size_t most, int from, int tag,
                     Handle& request) override;
  std::optional<bool> is_over(Handle& request) override;
  bool await(Handle& request, const char* what) override {
    auto native = narrow<Request>(request);
    return is_fine([&] { return wait_for(native, what); });
  }
  bool receive_if_any(Handle communicator, void* bytes, std::size_t most, int tag) override;

  std::optional<Handle> new_carrier() override;
  int standard() const override {
    int version = 0, subversion = 0;
    mpi_.get_version(&version, &subversion);
    return 100 * version + subversion;
  }
  std::optional<Handle> keep_type(Handle type) override;
  void drop_type(Handle type) override {
    auto native = narrow<Datatype>(type);
    mpi_.type_free(&native);
  }

  void end_job() noexcept override;
  void raise(Handle communicator, int error) override;
  void progress() noexcept override;

  std::optional<std::size_t> bytes_of_type(Handle type) override {
    return is_usable(type) ? size_of_type(type) : std::nullopt;
  }
  bool is_one_true(Handle fortran_logical) override;
  bool can_reduce(Handle type, Handle op) override;
  bool commutes(Handle op) override {
    int flag = 0;
    return mpi_.op_commutative(narrow<Op>(op), &flag) == kSuccess && flag != 0;
  }
  std::optional<TypeLayout> layout_of(Handle type) override;
  bool reduce_local(const void* in, void* inout, std::size_t count, Handle type,
                    Handle op) override {
    return mpi_.reduce_local(in, inout, static_cast<int>(count), narrow<Datatype>(type),
                             narrow<Op>(op)) == kSuccess;
  }
  bool pack(Handle communicator, const void* from, std::int64_t count, Handle type, void* packed,
            std::size_t bytes) override;
  bool unpack(Handle communicator, const void* packed, std::size_t bytes, void* to,
              std::int64_t count, Handle type) override;

  bool next_barrier(Handle communicator) override {
    return is_fine([&] {
      return next_functions<Names::pmpi>().barrier(word_of(comm(communicator))) == kSuccess;
    });
  }
  bool next_bcast(Handle communicator, void* bytes, std::size_t count, int root,
                  Handle* request) override {
    return make_or_begin(request, [&](const auto& next, auto... tail) {
      return next.bcast(bytes, static_cast<int>(count), word_of(byte_), root,
                        word_of(comm(communicator)), tail...);
    });
  }
  bool next_reduction(Collective collective, Handle communicator, const void* input, void* output,
                      std::size_t count, Handle type, Handle op, int root,
                      Handle* request) override;
  bool next_exchange(Collective collective, Handle communicator, const ByteBlocks& input,
                     const ByteBlocks& output, int root, Handle* request) override;
  Handle int_type() const override { return int_; }
  Handle sum() const override { return sum_; }

 private:
  static void* status_ignore() { return reinterpret_cast<void*>(abi::kStatusIgnore); }
  static Comm comm(Handle handle) { return narrow<Comm>(handle); }
  void name_everything();
  bool is_alone_made(Comm self);
  bool learn_neighbours(Comm native, CommTopology& topology);
  /// Makes a collective, or begins it, if there is a request for it: `make` gets the functions, and
  /// what comes after other arguments.
  template <class Make>
  bool make_or_begin(Handle* request, const Make& make) {
    return is_fine([&] {
      if (request == nullptr) return make(next_collectives<int, Names::pmpi>()) == kSuccess;
      Request native{};
      const int error = make(next_starts<int, Names::pmpi>(), &native);
      *request = widen(native);
      return error == kSuccess;
    });
  }
  /// Waits for a collective of Terrace's own. False if the MPI refuses.
  bool wait_for(Request& request, const char* what);
  bool poll_until_over(Request& request, const char* what);
  void drive_among_threads() noexcept;
  /// Lets calls on a communicator of ours return errors. False if the MPI refuses.
  bool returns_errors(Comm own);
  bool is_usable(Handle type) const;
  std::optional<std::size_t> size_of_type(Handle type) const {
    Count bytes = 0;
    if (mpi_.type_size_x(narrow<Datatype>(type), &bytes) != kSuccess || bytes < 0)
      return std::nullopt;
    return static_cast<std::size_t>(bytes);
  }

  MpiFunctions mpi_;
  Handle world_ = 0;
  Handle null_ = 0;
  Handle null_type_ = 0;
  Handle int_ = 0;
  Handle sum_ = 0;
  Datatype byte_{};
  GroupHandle group_of_world_{};  ///< of MPI_COMM_WORLD
  /// This process alone; errors are returned.
  Comm alone_{};
  bool has_communicator_ = false;  ///< `alone_`
  // A message to this process from itself that is never sent: asking after it drives the MPI.
  // (Probing for one does not: MPICH 4.0 looks for it in a queue of this process and returns.)
  Request never_{};
  char never_received_ = 0;
  std::atomic_flag is_progressing_;
  bool has_threads_ = false;                       ///< that may call at the same time
  std::atomic<std::uint32_t> waiting_threads_{0};  ///< that have waited for peers so far
  // Guarded by `is_progressing_`.
  std::uint32_t waits_at_lock_ = 0;  ///< in a row
  KernelClock::time_point others_drive_until_;
  std::mutex making_;  ///< guards the next
  std::vector<Request> carriers_;
  std::mutex asking_;  ///< guards collectives on `alone_`
  int key_ = abi::kKeyvalInvalid;
};

/// A buffer and its layout. Some MPIs refuse to pack from address 0, which is MPI_BOTTOM, so such a
/// type is rebuilt relative to another address.
class AbiElements {
 public:
  AbiElements(const MpiFunctions& mpi, const void* buffer, std::int64_t count, Handle type,
              void* place)
      : mpi_(mpi),
        buffer_(const_cast<void*>(buffer)),
        count_(static_cast<int>(count)),
        type_(narrow<Datatype>(type)) {
    if (buffer != nullptr) return;
    std::intptr_t offset = -reinterpret_cast<std::intptr_t>(place);
    Datatype moved{};
    if (mpi_.type_create_hindexed(1, &count_, &offset, type_, &moved) != kSuccess) return;
    mpi_.type_commit(&moved);
    buffer_ = place;
    count_ = 1;
    type_ = moved;
    is_moved_ = true;
  }
  ~AbiElements() {
    if (is_moved_) mpi_.type_free(&type_);
  }
  AbiElements(const AbiElements&) = delete;
  AbiElements& operator=(const AbiElements&) = delete;

  void* buffer() const { return buffer_; }
  int count() const { return count_; }
  Datatype type() const { return type_; }

 private:
  const MpiFunctions& mpi_;
  void* buffer_;
  int count_;
  Datatype type_;
  bool is_moved_ = false;
};

/// Not by MPI_Bcast: Intel MPI 2021.18 mixes up the bcasts of several threads on several
/// communicators.
bool Adapter::bcast(Handle communicator, void* bytes, std::size_t count, int root,
                    const char* what) {
  const auto ranks = static_cast<std::size_t>(size_of(communicator).value_or(0));
  TERRACE_REQUIRE(static_cast<std::size_t>(root) < ranks, root, ranks);
  std::vector<char> all(ranks * count);
  if (!allgather(communicator, bytes, all.data(), count, what)) return false;
  std::memcpy(bytes, all.data() + static_cast<std::size_t>(root) * count, count);
  return true;
}

std::optional<Handle> Adapter::split(Handle communicator, int color, int key) {
  Comm made = comm(null_);
  const bool is_made = mpi_.comm_split(comm(communicator), color, key, &made) == kSuccess;
  return is_made && returns_errors(made) ? std::optional(widen(made)) : std::nullopt;
}

bool Adapter::begin_send(Handle communicator, const void* bytes, std::size_t count, int to, int tag,
                         Handle& request) {
  Request native{};
  const bool is_begun = is_fine([&] {
    return mpi_.isend(bytes, static_cast<int>(count), byte_, to, tag, comm(communicator),
                      &native) == kSuccess;
  });
  request = widen(native);
  return is_begun;
}

bool Adapter::begin_receive(Handle communicator, void* bytes, std::size_t most, int from, int tag,
                            Handle& request) {
  Request native{};
  const bool is_begun = is_fine([&] {
    return mpi_.irecv(bytes, static_cast<int>(most), byte_, from, tag, comm(communicator),
                      &native) == kSuccess;
  });
  request = widen(native);
  return is_begun;
}

/// Nothing is ever sent by it.
std::optional<Handle> Adapter::new_carrier() {
  if (!has_communicator_ || widen(alone_) == null_) return std::nullopt;
  Request native{};
  const bool is_made = is_fine([&] {
    return mpi_.send_init(nullptr, 0, byte_, abi::kProcNull, 0, alone_, &native) == kSuccess;
  });
  if (!is_made) return std::nullopt;
  const std::lock_guard lock(making_);
  carriers_.push_back(native);
  return widen(native);
}

/// Not a duplicate, which would run the copy callbacks of others' attributes.
std::optional<Handle> Adapter::keep_type(Handle type) {
  Datatype made{};
  if (mpi_.type_contiguous(1, narrow<Datatype>(type), &made) != kSuccess) return std::nullopt;
  mpi_.type_commit(&made);
  return widen(made);
}

std::optional<bool> Adapter::is_over(Handle& request) {
  auto native = narrow<Request>(request);
  int is_done = 0;
  const bool is_asked =
      is_fine([&] { return mpi_.test(&native, &is_done, status_ignore()) == kSuccess; });
  request = widen(native);
  return is_asked ? std::optional(is_done != 0) : std::nullopt;
}

/// Receives by a matched probe: after MPI_Iprobe, an MPI_Recv from any rank of MPICH 5 at times
/// never returned.
bool Adapter::receive_if_any(Handle communicator, void* bytes, std::size_t most, int tag) {
  int has_come = 0;
  Request message{};  // an MPI_Message, which has the form of a request in all ABIs
  return is_fine([&] {
    return mpi_.improbe(abi::kAnySource, tag, comm(communicator), &has_come, &message,
                        status_ignore()) == kSuccess &&
           has_come != 0 &&
           mpi_.mrecv(bytes, static_cast<int>(most), byte_, &message, status_ignore()) == kSuccess;
  });
}

bool Adapter::returns_errors(Comm own) {
  ErrhandlerHandle handler{};
  return mpi_.comm_create_errhandler(go_on, &handler) == kSuccess &&
         mpi_.comm_set_errhandler(own, handler) == kSuccess &&
         mpi_.errhandler_free(&handler) == kSuccess;
}

std::string Adapter::name_of(Handle communicator) const {
  char text[1024] = {};  // MPI_MAX_OBJECT_NAME is at most 128
  int length = 0;
  return mpi_.comm_get_name(comm(communicator), text, &length) == kSuccess ? text : "";
}

bool Adapter::allgather(Handle communicator, const void* own, void* all, std::size_t bytes,
                        const char* what) {
  Handle request = 0;
  if (!begin_allgather(communicator, own, all, bytes, request)) return false;
  auto native = narrow<Request>(request);
  return wait_for(native, what);
}

bool Adapter::blocking_allgather(Handle communicator, const void* own, void* all, std::size_t bytes,
                                 const char* what) {
  TERRACE_REQUIRE(bytes <= INT_MAX, bytes);
  const int count = static_cast<int>(bytes);
  const HandleWord byte = word_of(byte_);
  const StallWatch watch(what, stall_seconds());
  return is_fine([&] {
    return next_collectives<int, Names::pmpi>().allgather(own, count, byte, all, count, byte,
                                                          word_of(comm(communicator))) == kSuccess;
  });
}

bool Adapter::begin_allgather(Handle communicator, const void* own, void* all, std::size_t bytes,
                              Handle& request) {
  TERRACE_REQUIRE(bytes <= INT_MAX, bytes);
  const int count = static_cast<int>(bytes);
  Request native{};
  const bool is_begun = mpi_.iallgather(own, count, byte_, all, count, byte_, comm(communicator),
                                        &native) == kSuccess;
  request = widen(native);
  return is_begun;
}

bool Adapter::wait_for(Request& request, const char* what) {
  if (!is_among_threads()) return poll_until_over(request, what);
  // Each poll would wait at the MPI's lock for the turns of all other threads.
  const StallWatch watch(what, stall_seconds());
  return mpi_.wait(&request, status_ignore()) == kSuccess;
}

bool Adapter::poll_until_over(Request& request, const char* what) {
  const auto begin = KernelClock::now();
  const std::chrono::duration<double> patience(stall_seconds());
  bool is_said = patience.count() <= 0;
  for (std::uint32_t looks = 0;; ++looks) {
    int is_done = 0;
    if (mpi_.test(&request, &is_done, status_ignore()) != kSuccess) return false;
    if (is_done) return true;
    // Peers may need this core, and yielding alone does not always give it to them.
    if (looks < kLooksBeforeNaps)
      std::this_thread::yield();
    else
      std::this_thread::sleep_for(kNapBetweenLooks);
    if (is_said || KernelClock::now() - begin < patience) continue;
    say(stall_text(what));
    is_said = true;
  }
}

std::optional<CommTopology> Adapter::topology_of(Handle communicator) {
  const auto& blocking = next_neighbours<int, Names::pmpi>();
  const auto& started = next_neighbours<int, Names::pmpi, void*>();
  const bool has_all =
      mpi_.topo_test && mpi_.cartdim_get && mpi_.cart_shift && mpi_.graph_neighbors_count &&
      mpi_.graph_neighbors && mpi_.dist_graph_neighbors_count && mpi_.dist_graph_neighbors &&
      blocking.alltoall && blocking.alltoallv && started.alltoall && started.alltoallv;
  int kind = abi::kUndefined;
  if (!has_all || mpi_.topo_test(comm(communicator), &kind) != kSuccess) return std::nullopt;
  CommTopology topology;
  if (kind == abi::kCart)
    topology.kind = CommTopology::Kind::grid;
  else if (kind == abi::kGraph)
    topology.kind = CommTopology::Kind::graph;
  else if (kind == abi::kDistGraph)
    topology.kind = CommTopology::Kind::distributed_graph;
  else
    return std::nullopt;
  topology.is_known = learn_neighbours(comm(communicator), topology);
  return topology;
}

/// Learns the rest of a topology whose kind is known.
bool Adapter::learn_neighbours(Comm native, CommTopology& topology) {
  std::vector<std::int32_t>&sources = topology.sources, &targets = topology.targets;
  int in = 0, out = 0, is_weighted = 0;
  switch (topology.kind) {
    case CommTopology::Kind::grid: {
      int dimensions = 0;
      // MPICH 5 and Intel MPI crash in MPI_Cart_shift beyond.
      if (mpi_.cartdim_get(native, &dimensions) != kSuccess || dimensions > 16) return false;
      sources.resize(2 * static_cast<std::size_t>(dimensions));
      for (int i = 0; i < dimensions; ++i)
        if (mpi_.cart_shift(native, i, 1, &sources[2 * static_cast<std::size_t>(i)],
                            &sources[2 * static_cast<std::size_t>(i) + 1]) != kSuccess)
          return false;
      targets = sources;
      break;
    }
    case CommTopology::Kind::graph: {
      const std::optional<int> rank = rank_in(widen(native));
      if (!rank || mpi_.graph_neighbors_count(native, *rank, &in) != kSuccess) return false;
      sources.resize(static_cast<std::size_t>(in));
      if (mpi_.graph_neighbors(native, *rank, in, sources.data()) != kSuccess) return false;
      targets = sources;
      break;
    }
    case CommTopology::Kind::distributed_graph: {
      if (mpi_.dist_graph_neighbors_count(native, &in, &out, &is_weighted) != kSuccess)
        return false;
      sources.resize(static_cast<std::size_t>(in));
      targets.resize(static_cast<std::size_t>(out));
      std::vector<int> source_weights(sources.size()), target_weights(targets.size());
      if (mpi_.dist_graph_neighbors(native, in, sources.data(), source_weights.data(), out,
                                    targets.data(), target_weights.data()) != kSuccess)
        return false;
      break;
    }
  }
  topology.degrees.in = sources.size();
  topology.degrees.out = targets.size();
  const auto is_rank = [](std::int32_t rank) { return rank >= 0; };
  std::transform(sources.begin(), sources.end(), std::back_inserter(topology.degrees.have_givers),
                 is_rank);
  std::transform(targets.begin(), targets.end(), std::back_inserter(topology.degrees.have_takers),
                 is_rank);
  return true;
}

bool Adapter::begin_along_edges(Handle communicator, EdgeCall kind, const Degrees& degrees,
                                const void* given, void* taken, std::size_t bytes,
                                EdgeCounts& blocks, Handle& request) {
  TERRACE_ASSERT(bytes > 0 && bytes <= INT_MAX, bytes);
  const int count = static_cast<int>(bytes);
  const std::size_t most = std::max<std::size_t>({degrees.in, degrees.out, 1});
  TERRACE_REQUIRE(most <= INT_MAX / bytes, most, bytes);
  const std::vector<int>& counts = blocks.counts = std::vector<int>(most, count);
  std::vector<int>& places = blocks.places = std::vector<int>(most);
  for (std::size_t i = 0; i < most; ++i) places[i] = static_cast<int>(i) * count;
  const HandleWord byte = word_of(byte_), comm_word = word_of(comm(communicator));
  const auto call = [&](const auto& next, auto... its_request) {
    return kind.is_regular
               ? next.alltoall(given, count, byte, taken, count, byte, comm_word, its_request...)
               : next.alltoallv(given, counts.data(), places.data(), byte, taken, counts.data(),
                                places.data(), byte, comm_word, its_request...);
  };
  if (kind.is_blocking) return call(next_neighbours<int, Names::pmpi>()) == kSuccess;
  Request native{};
  void* const place = &native;
  const bool is_begun = call(next_neighbours<int, Names::pmpi, void*>(), place) == kSuccess;
  request = widen(native);
  return is_begun;
}

bool Adapter::send_along_edges(Handle communicator, EdgeCall kind, const Degrees& degrees,
                               const void* given, void* taken, std::size_t bytes,
                               const char* what) {
  EdgeCounts counts;
  Handle request = 0;
  if (!begin_along_edges(communicator, kind, degrees, given, taken, bytes, counts, request))
    return false;
  auto native = narrow<Request>(request);
  return kind.is_blocking || wait_for(native, what);
}

std::vector<int> Adapter::ranks_in_world(Handle communicator) {
  int is_over = 0;
  if (mpi_.finalized(&is_over) != kSuccess || is_over) return {};
  GroupHandle group{};
  const int size = size_of(communicator).value_or(0);
  std::vector<int> ranks(static_cast<std::size_t>(size)), found(ranks.size(), -1);
  std::iota(ranks.begin(), ranks.end(), 0);
  if (mpi_.comm_group(comm(communicator), &group) != kSuccess) return {};
  mpi_.group_translate_ranks(group, size, ranks.data(), group_of_world_, found.data());
  mpi_.group_free(&group);
  // MPI_UNDEFINED is negative in all ABIs.
  const bool are_within =
      std::all_of(found.begin(), found.end(), [](int rank) { return rank >= 0; });
  return are_within ? found : std::vector<int>();
}

/// Tests by a reduction of this process alone.
bool Adapter::is_one_true(Handle fortran_logical) {
  // The largest LOGICAL, little-endian.
  std::array<unsigned char, 16> yes = {1}, result = {};
  const bool is_done =
      mpi_.reduce_local(yes.data(), result.data(), 1, narrow<Datatype>(fortran_logical),
                        narrow<Op>(handle_of("MPI_LOR"))) == kSuccess;
  return is_done && result == yes;
}

/// MPI has no query for this either, so this process alone reduces no elements on a communicator
/// that returns errors.
bool Adapter::can_reduce(Handle type, Handle op) {
  const std::lock_guard lock(asking_);
  if (widen(alone_) == null_) return true;  // MPI ends, or has none for Terrace: the call will tell
  char in = 0, out = 0;
  has_met_an_error = false;
  return mpi_.allreduce(&in, &out, 0, narrow<Datatype>(type), narrow<Op>(op), alone_) == kSuccess &&
         !has_met_an_error;
}

std::optional<TypeLayout> Adapter::layout_of(Handle type) {
  TypeLayout layout;
  std::intptr_t lower = 0, true_extent = 0;
  const auto native = narrow<Datatype>(type);
  layout.bytes = size_of_type(type).value_or(0);
  if (layout.bytes == 0 || mpi_.type_get_extent(native, &lower, &layout.extent) != kSuccess ||
      mpi_.type_get_true_extent(native, &layout.true_lower, &true_extent) != kSuccess)
    return std::nullopt;
  layout.true_extent = static_cast<std::size_t>(true_extent);
  return layout;
}

bool Adapter::pack(Handle communicator, const void* from, std::int64_t count, Handle type,
                   void* packed, std::size_t bytes) {
  const AbiElements elements(mpi_, from, count, type, packed);
  int position = 0;
  const int most = static_cast<int>(bytes);
  return mpi_.pack(elements.buffer(), elements.count(), elements.type(), packed, most, &position,
                   comm(communicator)) == kSuccess &&
         position == most;
}

bool Adapter::unpack(Handle communicator, const void* packed, std::size_t bytes, void* to,
                     std::int64_t count, Handle type) {
  const AbiElements elements(mpi_, to, count, type, const_cast<void*>(packed));
  int position = 0;
  return mpi_.unpack(packed, static_cast<int>(bytes), &position, elements.buffer(),
                     elements.count(), elements.type(), comm(communicator)) == kSuccess;
}

bool Adapter::next_reduction(Collective collective, Handle communicator, const void* input,
                             void* output, std::size_t count, Handle type, Handle op, int root,
                             Handle* request) {
  const HandleWord type_word = word_of(narrow<Datatype>(type)), op_word = word_of(narrow<Op>(op)),
                   comm_word = word_of(comm(communicator));
  const int elements = static_cast<int>(count);
  return make_or_begin(request, [&](const auto& next, auto... tail) {
    const auto by = [&](const auto& function) {
      return function(input, output, elements, type_word, op_word, comm_word, tail...);
    };
    switch (collective) {
      case Collective::reduce:
        return next.reduce(input, output, elements, type_word, op_word, root, comm_word, tail...);
      case Collective::reduce_scatter_block:
        return by(next.reduce_scatter_block);
      case Collective::scan:
        return by(next.scan);
      case Collective::exscan:
        return by(next.exscan);
      default:
        return by(next.allreduce);
    }
  });
}

bool Adapter::next_exchange(Collective collective, Handle communicator, const ByteBlocks& input,
                            const ByteBlocks& output, int root, Handle* request) {
  const HandleWord comm_word = word_of(comm(communicator)), byte = word_of(byte_);
  const int given = input.counts.empty() ? 0 : input.counts[0];
  const int wanted = output.counts.empty() ? 0 : output.counts[0];
  const int *counts = output.counts.data(), *places = output.displacements.data();
  const int *given_counts = input.counts.data(), *given_places = input.displacements.data();
  return make_or_begin(request, [&](const auto& next, auto... tail) {
    switch (collective) {
      case Collective::allgatherv:
        return next.allgatherv(input.at, given, byte, output.at, counts, places, byte, comm_word,
                               tail...);
      case Collective::gatherv:
        return next.gatherv(input.at, given, byte, output.at, counts, places, byte, root, comm_word,
                            tail...);
      case Collective::scatterv:
        return next.scatterv(input.at, given_counts, given_places, byte, output.at, wanted, byte,
                             root, comm_word, tail...);
      case Collective::alltoallv:
      case Collective::alltoallw:  // of bytes
        return next.alltoallv(input.at, given_counts, given_places, byte, output.at, counts, places,
                              byte, comm_word, tail...);
      case Collective::allgather:
        return next.allgather(input.at, given, byte, output.at, wanted, byte, comm_word, tail...);
      case Collective::gather:
        return next.gather(input.at, given, byte, output.at, wanted, byte, root, comm_word,
                           tail...);
      case Collective::scatter:
        return next.scatter(input.at, given, byte, output.at, wanted, byte, root, comm_word,
                            tail...);
      default:
        return next.alltoall(input.at, given, byte, output.at, wanted, byte, comm_word, tail...);
    }
  });
}

void Adapter::name_everything() {
  world_ = handle_of("MPI_COMM_WORLD");
  null_ = handle_of("MPI_COMM_NULL");
  null_type_ = handle_of("MPI_DATATYPE_NULL");
  null_request_ = widen(abi::handle_of(abi::kRequestNull, find_object));
  int_ = handle_of("MPI_INT");
  sum_ = handle_of("MPI_SUM");
  byte_ = narrow<Datatype>(handle_of("MPI_BYTE"));
  for (const NamedType& row : named_types()) {
    const Handle handle = row.is_optional ? 0 : handle_of(row.name);
    if (handle == 0) continue;
    std::size_t bytes = row.is_fortran ? abi::bytes_in_handle(handle) : row.bytes;
    if (bytes == 0) bytes = size_of_type(handle).value_or(0);
    const std::size_t gaps = row.extent() - row.bytes;
    if (bytes > 0) types_.insert({handle, bytes, bytes + gaps, row.kind});
  }
  for (const NamedOperator& row : named_operators())
    if (const Handle handle = handle_of(row.name)) operators_.insert({handle, row.op});
}

/// MPI has no query for this, so none of its elements are packed, where errors are returned.
bool Adapter::is_usable(Handle type) const {
  if (type == null_type_) return false;
  if (widen(alone_) == null_) return true;  // MPI ends, or has none for Terrace: the call will tell
  char nothing = 0;
  int position = 0;
  has_met_an_error = false;
  return mpi_.pack(&nothing, 0, narrow<Datatype>(type), &nothing, 1, &position, alone_) ==
             kSuccess &&
         !has_met_an_error;
}

/// Whether Open MPI 4's mpirun started this process, which ends the job when a rank exits: it gives
/// these variables to its ranks, with its own arguments.
bool ends_job_by_exit() {
  return std::getenv("OMPI_MCA_orte_launch") != nullptr &&
         switch_in_environment("OMPI_MCA_orte_enable_recovery") != true &&
         switch_in_environment("OMPI_MCA_orte_abort_on_non_zero_status") != false;
}

/// Launchers drop output that they have not read when a job ends: Hydra dropped the very sentence
/// with the reason in ten of sixty jobs on a busy machine. So they get time to pass it on.
///
/// Open MPI 4's may hang or crash if a rank calls MPI_Abort while others are in MPI_Finalize: 9 of
/// 360 jobs did, without Terrace. When the rank exited instead, none of 411 did.
void Adapter::end_job() noexcept {
  std::this_thread::sleep_for(kTimeForAbortReport);
  if (ends_job_by_exit()) exit_as_failed();
  mpi_.end_job(comm(world_), 1);
  // MPICH 5 may return before its launcher ends this process, which must not continue.
  std::this_thread::sleep_for(kTimeForTheLauncher);
  kill(getpid(), SIGKILL);
}

void Adapter::raise(Handle communicator, int error) {
  mpi_.comm_call_errhandler(comm(communicator), error);
}

std::string Adapter::library() const {
  return terrace::abi::short_version(
      [this](char* text, int* length) { mpi_.get_library_version(text, length); });
}

/// MPI_Finalize first deletes what is attached to MPI_COMM_SELF: then all of MPI still works.
int end_of_mpi(Comm, int, void* attached, void*) {
  comm_state_events.mpi_ends();
  static_cast<Adapter*>(attached)->end();
  return kSuccess;
}

/// Split, not duplicated: a duplicate would run the copy callbacks of others' attributes. A program
/// may have used up all communicators of its MPI.
bool Adapter::is_alone_made(Comm self) {
  alone_ = comm(null_);
  Comm made = alone_;
  if (mpi_.comm_split(self, 0, 0, &made) != kSuccess || made == comm(null_)) return false;
  if (!returns_errors(made) ||
      mpi_.irecv(&never_received_, 1, byte_, abi::kAnySource, 0, made, &never_) != kSuccess)
    return false;
  alone_ = made;
  return true;
}

bool Adapter::begin() {
  const Comm self = comm(handle_of("MPI_COMM_SELF"));
  int end_key = abi::kKeyvalInvalid;
  has_communicator_ = is_alone_made(self);
  int level = abi::kThreadMultiple;
  mpi_.query_thread(&level);
  has_threads_ = level >= abi::kThreadMultiple;
  if (mpi_.comm_group(comm(world_), &group_of_world_) != kSuccess) return false;
  return mpi_.comm_create_keyval(do_not_copy, forget, &key_, nullptr) == kSuccess &&
         mpi_.comm_create_keyval(do_not_copy, end_of_mpi, &end_key, nullptr) == kSuccess &&
         mpi_.comm_set_attr(self, end_key, this) == kSuccess;
}

void Adapter::end() {
  // acquire: as in `progress`, which from now on finds it taken: what it asks after is gone.
  while (is_progressing_.test_and_set(std::memory_order_acquire)) pause();
  mpi_.group_free(&group_of_world_);
  if (!has_communicator_) return;
  for (Request& carrier : carriers_) mpi_.request_free(&carrier);
  carriers_.clear();
  mpi_.cancel(&never_);
  mpi_.wait(&never_, status_ignore());
  mpi_.comm_free(&alone_);
}

void Adapter::progress() noexcept {
  if (!has_communicator_) return;
  // acquire, release: pair with each other. One thread drives the MPI for all.
  if (is_progressing_.test_and_set(std::memory_order_acquire)) return;
  int flag = 0;
  if (is_among_threads())
    drive_among_threads();
  else
    mpi_.request_get_status(never_, &flag, status_ignore());
  is_progressing_.clear(std::memory_order_release);
}

/// Programs in Python, for one, ask for threads and have none.
bool Adapter::is_among_threads() noexcept {
  static thread_local bool is_counted __attribute__((tls_model("initial-exec"))) = false;
  if (!has_threads_) return false;
  // relaxed, both: a hint that orders nothing. No partner.
  if (!is_counted) waiting_threads_.fetch_add(1, std::memory_order_relaxed);
  is_counted = true;
  return waiting_threads_.load(std::memory_order_relaxed) > 1;
}

void Adapter::drive_among_threads() noexcept {
  const auto begin = KernelClock::now();
  if (begin < others_drive_until_) return;
  int flag = 0;
  mpi_.request_get_status(never_, &flag, status_ignore());
  const auto end = KernelClock::now();
  waits_at_lock_ = end - begin < kWaitsAtLock ? 0 : waits_at_lock_ + 1;
  if (waits_at_lock_ >= 2) others_drive_until_ = end + kOthersDriveTheMpi;
}

}  // namespace

FoundMpi look() {
  const MpiFunctions functions;
  if (!functions.is_complete()) return {};
  int is_initialized = 0;
  functions.initialized(&is_initialized);
  if (!is_initialized) return {true, nullptr};
  auto adapter = std::make_unique<Adapter>(functions);
  return {false, adapter->begin() ? adapter.release() : nullptr};
}

ToolWords tool_words() {
  return {abi::kErrorToolIndex,          abi::kErrorToolHandle, abi::kErrorToolName,
          abi::kErrorNoStartStop,        abi::kCounter,         abi::kAggregate,
          abi::kVerbosityBasic,          abi::kBoundToNothing,  handle_of("MPI_UNSIGNED_LONG_LONG"),
          abi::all_handles(find_object), sizeof(Datatype)};
}

}  // namespace terrace::preload::TERRACE_ABI
