// SPDX-License-Identifier: BSD-3-Clause
// The underlying MPI, as the preload's core sees it: opaque handles, and the few functions that the
// core needs. One adapter per ABI stands behind it, so the core includes no mpi.h.
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
#include "mpi_calls/predefined_types.hpp"

namespace terrace::preload {

struct CommState;

/// A predefined type as this MPI has it.
struct PredefinedType {
  Handle handle = 0;
  std::size_t bytes = 0;   ///< of its signature
  std::size_t extent = 0;  ///< that it occupies: more for some pairs, which have gaps
  TypeClass kind = TypeClass::opaque;

  bool has_gaps() const { return bytes != extent; }
};

/// How elements of a type lie in memory.
struct TypeLayout {
  std::size_t bytes = 0;         ///< of its signature
  std::intptr_t extent = 0;      ///< from one element to the next
  std::intptr_t true_lower = 0;  ///< its first byte
  std::size_t true_extent = 0;   ///< up to its last

  /// As it lies, it can be cut and moved: no gaps, nothing before its address.
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

/// Blocks of bytes, as MPI's calls with a count for each take them; those of regular calls have the
/// same length, in a row.
struct ByteBlocks {
  std::byte* at = nullptr;
  std::vector<int> counts;
  std::vector<int> displacements;
};

/// The binary interfaces that MPIs have, with handles of their own.
enum class Abi : std::uint8_t { mpich, openmpi, standard };

/// Functions return false (or nothing) if the MPI refused.
class UnderlyingMpi {
 public:
  UnderlyingMpi(Abi its_abi, Handle its_handle_bits, std::intptr_t in_place,
                bool takes_equal_buffers)
      : abi(its_abi),
        handle_bits(its_handle_bits),
        in_place_(in_place),
        takes_equal_buffers_(takes_equal_buffers) {}
  virtual ~UnderlyingMpi() = default;
  UnderlyingMpi(const UnderlyingMpi&) = delete;
  UnderlyingMpi& operator=(const UnderlyingMpi&) = delete;

  const Abi abi;
  const Handle handle_bits;  ///< those of a word that are a handle's

  virtual std::string library() const = 0;  ///< "MPICH 4.0.2", for reports
  virtual Handle world() const = 0;
  virtual bool is_null(Handle communicator) const = 0;
  /// The name that MPI_Comm_set_name has set; "" if there is none.
  virtual std::string name_of(Handle communicator) const = 0;
  bool is_in_place(const void* buffer) const {
    return reinterpret_cast<std::intptr_t>(buffer) == in_place_;
  }
  /// Whether it takes the same address as input and output, which MPI_IN_PLACE should say.
  bool takes_equal_buffers() const { return takes_equal_buffers_; }

  virtual std::optional<int> size_of(Handle communicator) = 0;
  virtual std::optional<int> rank_in(Handle communicator) = 0;
  /// Both sides of an intercommunicator are not one team.
  virtual bool is_intercommunicator(Handle communicator) = 0;
  /// Whether MPI_Comm_spawn has started this job.
  virtual bool is_spawned() = 0;

  /// Its ranks by their numbers in MPI_COMM_WORLD; empty if one is not in it (ranks that were
  /// spawned or accepted), and once MPI_Finalize has been called: sessions go on without it.
  virtual std::vector<int> ranks_in_world(Handle communicator) = 0;

  /// What was attached to this communicator, or null. Duplicates start with nothing attached; when
  /// the communicator is freed, or the MPI ends, `let_go` (comm_states.hpp) is called on
  /// what is attached.
  virtual CommState* attached_to(Handle communicator) = 0;
  virtual bool attach(Handle communicator, CommState* comm_state) = 0;
  virtual void detach(Handle communicator) = 0;

  // Small collectives on the user's communicator, unseen by tools; every rank makes them. A rank
  // without Terrace may be among them that never comes: they say so after TERRACE_STALL_SECONDS,
  // `what` being what waits.
  virtual bool allgather(Handle communicator, const void* own, void* all, std::size_t bytes,
                         const char* what) = 0;
  virtual bool bcast(Handle communicator, void* bytes, std::size_t count, int root,
                     const char* what) = 0;

  /// Ends the job.
  virtual void end_job() noexcept = 0;
  /// Tells the communicator's error handler that a block was longer than its taker wants. What the
  /// call is to return, if that comes back.
  virtual int fail_as_truncated(Handle communicator) = 0;

  /// Lets the MPI work on whatever it has pending; any thread may.
  virtual void progress() noexcept = 0;

  /// Nothing for a type that the MPI refuses to communicate: null, or not committed. Error handlers
  /// of the program's do not hear of it.
  virtual std::optional<std::size_t> bytes_of_type(Handle type) = 0;
  /// Whether LOGICAL is 0 or 1 to this MPI, as for most compilers of Fortran.
  virtual bool is_one_true(Handle fortran_logical) = 0;
  /// Whether the MPI would combine elements of this type by this operator; for those that are not
  /// its own, whether they are such at all. Handles are never remembered: the program may free
  /// them and get them again for others. Error handlers of the program's do not hear of it.
  virtual bool can_reduce(Handle type, Handle op) = 0;
  virtual bool commutes(Handle op) = 0;
  /// Nothing for types that are too long to be told, or have nothing in them.
  virtual std::optional<TypeLayout> layout_of(Handle type) = 0;
  /// inout = in op inout. May throw what a function of the program's throws.
  virtual bool reduce_local(const void* in, void* inout, std::size_t count, Handle type,
                            Handle op) = 0;
  virtual bool pack(Handle communicator, const void* from, std::int64_t count, Handle type,
                    void* packed, std::size_t bytes) = 0;
  virtual bool unpack(Handle communicator, const void* packed, std::size_t bytes, void* to,
                      std::int64_t count, Handle type) = 0;

  // The MPI's own results, for TERRACE_CHECK: unseen by tools.
  virtual bool next_barrier(Handle communicator) = 0;
  virtual bool next_bcast(Handle communicator, void* bytes, std::size_t count, int root) = 0;
  virtual bool next_reduction(Collective collective, Handle communicator, const void* input,
                              void* output, std::size_t count, Handle type, Handle op,
                              int root) = 0;
  virtual bool next_exchange(Collective collective, Handle communicator, const ByteBlocks& input,
                             const ByteBlocks& output, int root) = 0;
  virtual Handle int_type() const = 0;
  virtual Handle sum() const = 0;

  const PredefinedType* find_type(Handle type) const { return types_.find(type); }
  const PredefinedOperator* find_operator(Handle op) const { return operators_.find(op); }

 protected:
  HandleTable<PredefinedType, 256> types_;
  HandleTable<PredefinedOperator, 64> operators_;

 private:
  std::intptr_t in_place_;
  bool takes_equal_buffers_;
};

/// The kernel that combines elements of this type, or null if the MPI must: we have none, or only
/// some MPIs pair them.
inline Reduction kernel_for(const PredefinedType& type, Operator op) {
  return is_beyond_standard(type.kind, op) ? nullptr : kernel_for(type.kind, type.bytes, op);
}

/// Once it is found.
extern std::atomic<UnderlyingMpi*> known_underlying_mpi;
UnderlyingMpi* find_underlying_mpi();

/// The MPI below this process, found at the first call. Null: there is none we can use, and calls
/// pass through; said once.
inline UnderlyingMpi* underlying_mpi() {
  // acquire: pairs with the release in `look` of underlying_mpi.cpp.
  UnderlyingMpi* const known = known_underlying_mpi.load(std::memory_order_acquire);
  return known != nullptr ? known : find_underlying_mpi();
}

/// `handle_bits` of the underlying MPI; 0 before it is known.
extern std::atomic<Handle> known_handle_bits;
Handle find_handle_bits();

}  // namespace terrace::preload
