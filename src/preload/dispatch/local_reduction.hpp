// SPDX-License-Identifier: BSD-3-Clause
// Reductions without a kernel: user-defined operators and types, and whatever else the underlying
// MPI can combine, by its own MPI_Reduce_local, two operands at a time.
#pragma once

#include <cstddef>
#include <memory>

#include "kernels/combiner.hpp"
#include "preload/mpi/underlying_mpi.hpp"

namespace terrace::preload {

/// The reduction of one call. Peers see elements without gaps: as they lie if the type has none (it
/// is dense), packed otherwise. A user-defined function sees the layout that it knows from the
/// type, in buffers of our own.
class LocalReduction final : public Combiner {
 public:
  /// Operands are vectors of `count` elements.
  LocalReduction(UnderlyingMpi& underlying, Handle communicator, Handle type,
                 const TypeLayout& layout, Handle op, std::size_t count);

  void combine(const void* const* operands, std::size_t operand_count, void* const* targets,
               std::size_t target_count, std::size_t element_count) noexcept override;

 private:
  /// Memory for some elements in the type's layout, which keeps their alignment.
  class Place {
   public:
    Place(const TypeLayout& layout, std::size_t elements);
    void* origin() const { return origin_; }  ///< the address to give to MPI

   private:
    std::unique_ptr<std::byte[]> memory_;
    void* origin_;
  };

  void combine_some(const void* const* operands, std::size_t operand_count, void* const* targets,
                    std::size_t target_count, std::size_t begin, std::size_t elements);
  /// Copies an operand's elements into the next place, in the type's layout.
  void lay_out(const void* operand, std::size_t elements);
  /// Combines the sum and the next operand into the next place.
  void add(std::size_t elements);
  const void* without_gaps(std::size_t elements);
  void give_up(const char* why) noexcept;

  UnderlyingMpi& underlying_;
  Handle communicator_;
  Handle type_;
  TypeLayout layout_;
  Handle op_;
  std::size_t elements_at_once_;
  Place sum_;
  Place next_;
  std::unique_ptr<std::byte[]> packed_;  ///< the sum, of types that are not dense
};

}  // namespace terrace::preload
