// SPDX-License-Identifier: BSD-3-Clause
// Operators: MPI's own, by kernels, and user-defined ones, by their functions.
#pragma once

#include <memory>
#include <optional>

#include "engine/signature.hpp"
#include "kernels/combiner.hpp"
#include "kernels/kernels.hpp"
#include "threadranks/types/datatype.hpp"

namespace terrace::threadranks {

/// An operator of the program's, of one rank.
struct UserOperator : Numbered<ObjectKind::user_operator> {
  /// inout[i] = in[i] op inout[i], for so many elements of a type.
  using Apply = void(const UserOperator& op, const void* in, void* inout, std::size_t count,
                     Datatype& type);
  Apply* apply = nullptr;
  void* function = nullptr;  ///< the program's, for `apply`
  bool commutes = true;
  int references = 1;  ///< the program's, and calls' on their way

  void retain() { ++references; }
  void release() {
    if (--references == 0) delete this;
  }
};

/// The kernel of MPI's own operator for a type; null: MPI does not pair them. What only some MPIs
/// pair is paired here, too.
Reduction kernel_for(const Datatype& type, Operator op);

/// Combines by a function of the program's. Operands are packed elements, handed over as the type
/// has them.
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
  UserOperator& op_;
  Datatype& type_;
};

}  // namespace terrace::threadranks
