// SPDX-License-Identifier: BSD-3-Clause
// Combines operands by a user-defined function.
#pragma once

#include <cstddef>

#include "kernels/combiner.hpp"
#include "threadranks/types/operators.hpp"

namespace terrace::threadranks {

/// Combines by a user-defined function. Operands are packed elements, passed in the layout of the
/// type.
class UserCombiner final : public Combiner {
 public:
  UserCombiner(UserOperator& op, Datatype& type) : op_(op), type_(type) {
    op.retain();
    type.retain();
  }
  ~UserCombiner() {
    op_.release();
    type_.release();
  }
  UserCombiner(const UserCombiner&) = delete;
  UserCombiner& operator=(const UserCombiner&) = delete;
  void combine(const void* const* operands, std::size_t operand_count, void* const* targets,
               std::size_t target_count, std::size_t element_count) noexcept override;

 private:
  void apply(const void* in, void* inout, std::size_t element_count) noexcept;

  UserOperator& op_;
  Datatype& type_;
};

}  // namespace terrace::threadranks
