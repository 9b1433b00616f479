// SPDX-License-Identifier: BSD-3-Clause
// Collectives of intercommunicators: each group receives the contributions of the other's members.
// All are exchanges of blocks in the team of both groups.
#pragma once

#include <array>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "threadranks/mpi/collective/blocks.hpp"
#include "threadranks/mpi/collective/operators.hpp"

namespace terrace::threadranks::mpi {

class IntercommCollective {
 public:
  IntercommCollective() = default;
  IntercommCollective(const IntercommCollective&) = delete;
  IntercommCollective& operator=(const IntercommCollective&) = delete;

  // Each function sets up one collective; false: an error. The root is MPI_ROOT at itself, and
  // MPI_PROC_NULL at the rest of its group.
  bool barrier(Caller& caller);
  bool bcast(Caller& caller, const BufferSide& side, int root) {
    return move_blocks(caller, Collective::bcast, side, side, root);
  }
  /// All collectives that move blocks, of equal or different length.
  bool move(Caller& caller, Collective collective, const BufferSide& given,
            const BufferSide& wanted, int root) {
    return move_blocks(caller, collective, given, wanted, root);
  }
  bool move(Caller& caller, Collective collective, const VectorBuffer& given,
            const VectorBuffer& wanted, int root) {
    return move_blocks(caller, collective, given, wanted, root);
  }
  /// Each member of a group combines a slice and sends it to its destination.
  bool combine(Caller& caller, Collective collective, const void* in, void* out, std::int64_t count,
               MPI_Datatype type, MPI_Op op, int root);
  bool reduce_scatter_block(Caller& caller, const void* in, void* out, std::int64_t count,
                            MPI_Datatype type, MPI_Op op);
  bool reduce_scatter(Caller& caller, const void* in, void* out, const MpiCounts& counts,
                      MPI_Datatype type, MPI_Op op);

  // Functions of a collective op.
  bool has_call();
  template <class Endpoint>
  bool call(Endpoint& endpoint) {
    if (totals_.told < Totals::kWords)
      return endpoint.agree(kPlan, totals_.words[totals_.told++], 0);
    Exchange& exchange = exchanges_[next_];
    if (exchange.is_barrier) {
      stage_ = Stage::over;
      return endpoint.barrier();
    }
    const BlockTables tables{exchange.in.table(), exchange.out.table()};
    if (stage_ == Stage::lengths) {
      stage_ = Stage::told;
      return endpoint.tell_lengths(kPlan, tables, true, 0, exchange.lengths);
    }
    stage_ = Stage::over;
    return endpoint.move_blocks(kPlan, tables, exchange.most, 0);
  }
  void finish() const {}
  void restart();
  /// Names a block that does not fit; "" if there is none.
  const std::string& truncation() const { return truncation_; }

 private:
  /// The call that all members make of the team of both groups.
  static constexpr Collective kPlan = Collective::alltoallv;

  /// Whether all vectors of a reduction are equally long: slices of vectors that are not may be.
  struct Totals {
    static constexpr std::size_t kWords = 2;
    bool are_compared = false;
    std::size_t told = kWords;                  ///< how many of the words all have agreed on
    std::array<std::uint64_t, kWords> own{};    ///< count and bytes of elements; its complement
    std::array<std::uint64_t, kWords> words{};  ///< the greatest of all members
  };

  /// Blocks by the places of all members. Giver and taker of a block know its length in a correct
  /// program.
  struct Exchange {
    PackedBlocks in, out;
    Lengths lengths;
    std::uint64_t most = 0;   ///< of all members' blocks, in bytes
    bool moves = false;       ///< whether blocks may be shorter: they are moved, not combined
    bool is_barrier = false;  ///< no member has blocks
    std::function<void()> then;
  };
  enum class Stage : std::uint8_t { lengths, told, blocks, over };

  /// The buffers of a reduction.
  struct Reduction {
    KeptElements vector;  ///< the program's input
    Combining combining;
    std::unique_ptr<std::byte[]> packed;
    std::unique_ptr<std::byte[]> parts;  ///< a slice of each
    std::unique_ptr<std::byte[]> slice;  ///< the combined one
    KeptElements result;                 ///< the program's output
    std::unique_ptr<std::byte[]> packed_result;
    std::vector<std::int64_t> given, wanted;
  };

  bool begin(Caller& caller);
  Exchange& add_exchange();
  void compare_totals(std::uint64_t mine);
  void heed_totals();
  void heed_lengths(Exchange& exchange);
  template <class Side>
  bool move_blocks(Caller& caller, Collective collective, const Side& given, const Side& wanted,
                   int root);
  bool combine_for_all(Caller& caller, const BufferSide& brought, void* out, MPI_Op op);
  bool combine_for_root(Caller& caller, const BufferSide& side, MPI_Op op, int root);
  bool find_operands(Caller& caller, const Layout& vector, MPI_Op op);
  void read_operands() const { reduction_.vector.pack(reduction_.packed.get()); }
  void hold_result(const Layout& result);
  void add_slices(Exchange& exchange, int first, const std::vector<std::int64_t>& counts);
  void take_slices(Exchange& exchange, int first, int givers, std::int64_t count);
  void combine_slices(int givers, std::int64_t count);
  void take_result(Exchange& exchange, int first, const std::vector<std::int64_t>& counts);
  std::size_t element_bytes() const { return reduction_.vector.layout().type->size(); }

  Communicator* communicator_ = nullptr;
  std::deque<Exchange> exchanges_;  ///< the callbacks of some use others
  std::size_t next_ = 0;
  Stage stage_ = Stage::lengths;
  std::string truncation_;
  Totals totals_;
  Reduction reduction_;
};

}  // namespace terrace::threadranks::mpi
