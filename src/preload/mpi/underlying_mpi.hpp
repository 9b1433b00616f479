// SPDX-License-Identifier: BSD-3-Clause
// The underlying MPI as the preload's core sees it: opaque handles, and the few functions that the
// core needs. An adapter per ABI implements it, so the core includes no mpi.h.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/handles.hpp"
#include "collectives/collectives.hpp"
#include "mpi_calls/predefined_types_and_operators.hpp"

namespace terrace::preload {

struct CommState;

/// A predefined type of this MPI.
struct PredefinedType {
  Handle handle = 0;
  std::size_t bytes = 0;   ///< of its signature
  std::size_t extent = 0;  ///< more than `bytes` for some pairs, which have gaps
  TypeClass kind = TypeClass::opaque;

  bool has_gaps() const { return bytes != extent; }
};

/// The layout of a type's elements in memory.
struct TypeLayout {
  std::size_t bytes = 0;         ///< of its signature
  std::intptr_t extent = 0;      ///< from one element to the next
  std::intptr_t true_lower = 0;  ///< its first byte
  std::size_t true_extent = 0;   ///< up to its last

  /// Whether elements can be cut and moved as they lie: no gaps, nothing before the address.
  bool is_dense() const {
    return true_lower == 0 && true_extent == bytes && extent == static_cast<std::intptr_t>(bytes);
  }
};

struct PredefinedOperator {
  Handle handle = 0;
  Operator op = Operator::sum;
};

/// Finds a known handle in a few instructions.
template <class Known, std::size_t kSlots>
class HandleTable {
 public:
  void insert(const Known& known) {
    std::size_t slot = first_slot(known.handle);
    while (is_taken_[slot]) slot = (slot + 1) % kSlots;
    rows_[slot] = known;
    is_taken_[slot] = true;
  }
  const Known* find(Handle handle) const {
    for (std::size_t slot = first_slot(handle); is_taken_[slot]; slot = (slot + 1) % kSlots)
      if (rows_[slot].handle == handle) return &rows_[slot];
    return nullptr;
  }

 private:
  static std::size_t first_slot(Handle handle) {
    return static_cast<std::size_t>((handle * 0x9E3779B97F4A7C15u) >> 32) % kSlots;
  }
  std::array<Known, kSlots> rows_{};
  std::array<bool, kSlots> is_taken_{};
};

/// Blocks of bytes, as MPI's calls with a count for each block take them; those of regular calls
/// have the same length and lie in a row.
struct ByteBlocks {
  std::byte* at = nullptr;
  std::vector<int> counts;
  std::vector<int> displacements;
};

/// The binary interfaces of MPIs, which differ in their handles.
enum class Abi : std::uint8_t { mpich, openmpi, standard };

/// Names what the other ranks wait for, if a rank does not come to the set-up.
inline constexpr const char* kTeamSetup =
    "the set-up of a communicator's team (with TERRACE=off, their calls fall back to the MPI)";

/// Facts of an ABI's requests and statuses that the core must know.
struct RequestWords {
  std::size_t bytes = 0;         ///< of a request
  std::size_t status_bytes = 0;  ///< of a status
  std::size_t error_at = 0;      ///< where a status has its error
  std::intptr_t ignore = 0;      ///< MPI_STATUS_IGNORE, and MPI_STATUSES_IGNORE
  int undefined = 0;             ///< MPI_UNDEFINED
  int truncated = 0;             ///< MPI_ERR_TRUNCATE
  int in_status = 0;             ///< MPI_ERR_IN_STATUS
};

/// Numbers of blocks that a rank gets and gives in a neighbourhood collective.
struct Degrees {
  std::size_t in = 0, out = 0;
  std::vector<bool> have_givers, have_takers;  ///< by block; others are MPI_PROC_NULL's
};

/// A kind of neighbourhood collective. MPIs may match blocks differently in each.
struct EdgeCall {
  bool is_blocking = true;  ///< otherwise nonblocking, or persistent
  bool is_regular = true;   ///< otherwise each block has a length of its own
};

/// Vectors that a neighbourhood collective of the MPI's reads: one item for each block.
struct EdgeCounts {
  std::vector<int> counts, places;
};

/// The topology of a communicator, as this rank knows it.
struct CommTopology {
  enum class Kind : std::uint8_t { grid, graph, distributed_graph };

  Kind kind = Kind::grid;
  bool is_known = false;  ///< what follows; otherwise the MPI refused to tell
  Degrees degrees;
  std::vector<std::int32_t> sources, targets;  ///< by block; negative: MPI_PROC_NULL
};

/// Functions return false (or nothing) if the MPI refused.
class UnderlyingMpi {
 public:
  UnderlyingMpi(Abi its_abi, Handle its_handle_bits, std::intptr_t in_place,
                bool takes_equal_buffers, const RequestWords& request_words)
      : abi(its_abi),
        handle_bits(its_handle_bits),
        requests(request_words),
        in_place_(in_place),
        takes_equal_buffers_(takes_equal_buffers) {}
  virtual ~UnderlyingMpi() = default;
  UnderlyingMpi(const UnderlyingMpi&) = delete;
  UnderlyingMpi& operator=(const UnderlyingMpi&) = delete;

  const Abi abi;
  const Handle handle_bits;  ///< the bits of a word that hold the handle
  const RequestWords requests;

  virtual std::string library() const = 0;  ///< "MPICH 4.0.2", for reports
  virtual Handle world() const = 0;
  virtual bool is_null(Handle communicator) const = 0;
  /// The name given by MPI_Comm_set_name; "" if there is none.
  virtual std::string name_of(Handle communicator) const = 0;
  const void* in_place() const { return reinterpret_cast<const void*>(in_place_); }
  bool is_in_place(const void* buffer) const {
    return reinterpret_cast<std::intptr_t>(buffer) == in_place_;
  }
  /// Whether the MPI accepts the same address as input and output, for which MPI has MPI_IN_PLACE.
  bool takes_equal_buffers() const { return takes_equal_buffers_; }
  /// Whether it does so in a reduction of `count` elements. Open MPI refuses it in a reduce, and in
  /// an allreduce of several, and may call the error handler of MPI_COMM_WORLD for that: a trial
  /// would end the job.
  bool takes_equal_buffers(Collective collective, std::int64_t count) const {
    if (collective == Collective::reduce) return false;
    return takes_equal_buffers_ && (collective != Collective::allreduce || count < 2);
  }

  virtual std::optional<int> size_of(Handle communicator) = 0;
  virtual std::optional<int> rank_in(Handle communicator) = 0;
  /// Whether it is an intercommunicator, whose two sides are not one team.
  virtual bool is_intercommunicator(Handle communicator) = 0;
  /// Whether several threads of this process may call MPI at the same time, and have waited for
  /// peers so far, this one included.
  virtual bool is_among_threads() noexcept = 0;
  /// Whether several threads of this process may call MPI at the same time.
  virtual bool has_threads() const = 0;
  /// Whether the MPI has given Terrace a communicator of this process alone, without which it makes
  /// no teams.
  virtual bool has_communicator() const = 0;
  /// Whether it lets the job go on without ranks that fail (ULFM). Calls of Terrace do not return
  /// when a communicator is revoked, or a peer fails.
  virtual bool is_fault_tolerant() const = 0;
  /// Whether MPI_Comm_spawn has started this job.
  virtual bool is_spawned() = 0;

  /// The ranks of a communicator by their numbers in MPI_COMM_WORLD. Empty if one is not in it
  /// (ranks that were spawned or accepted), and once MPI_Finalize has been called: sessions
  /// continue without it.
  virtual std::vector<int> ranks_in_world(Handle communicator) = 0;

  /// The state attached to this communicator, or null. Duplicates start with nothing attached. When
  /// the communicator is freed, or the MPI ends, `comm_state_events.deleted` (adapters.hpp) is
  /// called with the state.
  virtual CommState* attached_to(Handle communicator) = 0;
  virtual bool attach(Handle communicator, CommState* comm_state) = 0;
  virtual void detach(Handle communicator) = 0;

  // Small collectives on the user's communicator, unseen by tools; every rank makes them. A rank
  // without Terrace may be among them and never arrive: the others report that after
  // TERRACE_STALL_SECONDS; `what` names what they wait in.
  virtual bool allgather(Handle communicator, const void* own, void* all, std::size_t bytes,
                         const char* what) = 0;
  virtual bool bcast(Handle communicator, void* bytes, std::size_t count, int root,
                     const char* what) = 0;
  /// An allgather among the program's blocking calls: the others are nonblocking to the MPI, and
  /// must come at the same place among the program's nonblocking ones on all ranks.
  virtual bool blocking_allgather(Handle communicator, const void* own, void* all,
                                  std::size_t bytes, const char* what) = 0;

  /// The topology of a communicator; nothing: it has none, or this MPI has no such calls.
  virtual std::optional<CommTopology> topology_of(Handle communicator) = 0;
  /// Sends a block of `bytes` bytes along each edge, from the vector `given` to `taken`, by a call
  /// of that kind. What has no neighbour stays as it is.
  virtual bool send_along_edges(Handle communicator, EdgeCall kind, const Degrees& degrees,
                                const void* given, void* taken, std::size_t bytes,
                                const char* what) = 0;

  // Calls that wait for no rank: they are over when `request` is, until when all arguments last.
  virtual bool begin_allgather(Handle communicator, const void* own, void* all, std::size_t bytes,
                               Handle& request) = 0;
  virtual bool begin_along_edges(Handle communicator, EdgeCall kind, const Degrees& degrees,
                                 const void* given, void* taken, std::size_t bytes,
                                 EdgeCounts& counts, Handle& request) = 0;

  /// A communicator for each color, of the ranks that give it, in the order of their keys. All
  /// ranks make this call. Calls on the new communicator return errors. It lasts as long as MPI.
  virtual std::optional<Handle> split(Handle communicator, int color, int key) = 0;

  // Messages on a communicator that `split` has made, unseen by tools. False, or nothing: the MPI
  // refused.
  virtual bool begin_send(Handle communicator, const void* bytes, std::size_t count, int to,
                          int tag, Handle& request) = 0;
  virtual bool begin_receive(Handle communicator, void* bytes, std::size_t most, int from, int tag,
                             Handle& request) = 0;
  virtual std::optional<bool> is_over(Handle& request) = 0;
  /// Waits for a request. `what`: as above.
  virtual bool await(Handle& request, const char* what) = 0;
  /// Receives a message with this tag from any rank if one has come.
  virtual bool receive_if_any(Handle communicator, void* bytes, std::size_t most, int tag) = 0;

  /// A request that stands for a nonblocking call of Terrace's: to the MPI an inactive persistent
  /// one, which its functions pass over and whose status is empty. It lasts until MPI ends.
  virtual std::optional<Handle> new_carrier() = 0;
  Handle null_request() const { return null_request_; }
  /// The version of the standard that it follows: 501 for 5.1.
  virtual int standard() const = 0;

  /// A type like this one that stays when the program frees this one, until it is dropped.
  virtual std::optional<Handle> keep_type(Handle type) = 0;
  virtual void drop_type(Handle type) = 0;

  /// Ends the job.
  virtual void end_job() noexcept = 0;
  /// Calls the communicator's error handler, which may not return.
  virtual void raise(Handle communicator, int error) = 0;

  /// Lets the MPI make progress on pending work; any thread may call it.
  virtual void progress() noexcept = 0;

  /// Nothing for a type that the MPI refuses to communicate: null or not committed. The program's
  /// error handlers are not called.
  virtual std::optional<std::size_t> bytes_of_type(Handle type) = 0;
  /// Whether this MPI's LOGICAL is 0 or 1, as with most Fortran compilers.
  virtual bool is_one_true(Handle fortran_logical) = 0;
  /// Whether the MPI would combine elements of this type by this operator; if not predefined,
  /// whether they are valid at all. Handles are never remembered: the program may free them and get
  /// them again for others. The program's error handlers are not called.
  virtual bool can_reduce(Handle type, Handle op) = 0;
  virtual bool commutes(Handle op) = 0;
  /// Nothing for types whose layout is too long to describe, or empty.
  virtual std::optional<TypeLayout> layout_of(Handle type) = 0;
  /// inout = in op inout. May throw what a user-defined function throws.
  virtual bool reduce_local(const void* in, void* inout, std::size_t count, Handle type,
                            Handle op) = 0;
  virtual bool pack(Handle communicator, const void* from, std::int64_t count, Handle type,
                    void* packed, std::size_t bytes) = 0;
  virtual bool unpack(Handle communicator, const void* packed, std::size_t bytes, void* to,
                      std::int64_t count, Handle type) = 0;

  // The MPI's own collectives, for TERRACE_CHECK, and between nodes: unseen by tools. Where a
  // request is given, a call is only begun, and over when that is, until when all arguments last.
  virtual bool next_barrier(Handle communicator) = 0;
  virtual bool next_bcast(Handle communicator, void* bytes, std::size_t count, int root,
                          Handle* request) = 0;
  virtual bool next_reduction(Collective collective, Handle communicator, const void* input,
                              void* output, std::size_t count, Handle type, Handle op, int root,
                              Handle* request) = 0;
  virtual bool next_exchange(Collective collective, Handle communicator, const ByteBlocks& input,
                             const ByteBlocks& output, int root, Handle* request) = 0;
  virtual Handle int_type() const = 0;
  virtual Handle sum() const = 0;

  const PredefinedType* find_type(Handle type) const { return types_.find(type); }
  const PredefinedOperator* find_operator(Handle op) const { return operators_.find(op); }

 protected:
  Handle null_request_ = 0;
  HandleTable<PredefinedType, 256> types_;
  HandleTable<PredefinedOperator, 64> operators_;

 private:
  std::intptr_t in_place_;
  bool takes_equal_buffers_;
};

/// The kernel that combines elements of this type; null if the MPI must: we have none, or only some
/// MPIs allow the pair.
inline Reduction kernel_for(const PredefinedType& type, Operator op) {
  return is_beyond_standard(type.kind, op) ? nullptr : kernel_for(type.kind, type.bytes, op);
}

/// Valid once the MPI is found.
extern std::atomic<UnderlyingMpi*> known_underlying_mpi;
UnderlyingMpi* find_underlying_mpi();

/// The underlying MPI of this process, found at the first call. Null: there is none that we can
/// use, and calls are forwarded; warns once.
inline UnderlyingMpi* underlying_mpi() {
  // acquire: pairs with the release in `look` of underlying_mpi.cpp.
  UnderlyingMpi* const known = known_underlying_mpi.load(std::memory_order_acquire);
  return known != nullptr ? known : find_underlying_mpi();
}

/// `handle_bits` of the underlying MPI; 0 before it is known.
extern std::atomic<Handle> known_handle_bits;
Handle find_handle_bits();

}  // namespace terrace::preload
