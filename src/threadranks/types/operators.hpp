// SPDX-License-Identifier: BSD-3-Clause
// Operators: predefined ones, by kernels, and user-defined ones, by their functions.
#pragma once

#include <memory>
#include <optional>

#include "engine/signature.hpp"
#include "kernels/kernels.hpp"
#include "threadranks/types/datatype.hpp"

namespace terrace::threadranks {

/// A user-defined operator of one rank.
struct UserOperator : Numbered<ObjectKind::user_operator> {
  /// inout[i] = in[i] op inout[i], for `count` elements of a type.
  using Apply = void(const UserOperator& op, const void* in, void* inout, std::size_t count,
                     Datatype& type);
  Apply* apply = nullptr;
  void* function = nullptr;  ///< the user's, for `apply`
  bool commutes = true;
  int references = 1;  ///< of the program and of calls in progress

  void retain() { ++references; }
  void release() {
    if (--references == 0) delete this;
  }
};

/// The kernel of a predefined operator for a type; null: MPI does not allow the pair. Pairs that
/// only some MPIs allow are allowed here.
Reduction kernel_for(const Datatype& type, Operator op);

}  // namespace terrace::threadranks
