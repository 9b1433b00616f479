// SPDX-License-Identifier: BSD-3-Clause
// Kernels of predefined operators.
#include "threadranks/types/operators.hpp"

namespace terrace::threadranks {

Reduction kernel_for(const Datatype& type, Operator op) {
  const NamedType* const predefined = type.combined_as();
  return predefined ? terrace::kernel_for(predefined->kind, predefined->bytes, op) : nullptr;
}

}  // namespace terrace::threadranks
