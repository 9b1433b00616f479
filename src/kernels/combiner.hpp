// SPDX-License-Identifier: BSD-3-Clause
// A combiner: stands in for a missing kernel, as for user-defined operators.
#pragma once

#include <cstddef>

namespace terrace {

class Combiner {
 public:
  virtual ~Combiner() = default;

  /// Combines as a Reduction does, and in the same order; the loop over elements may call foreign
  /// code, so operands and targets lie where their elements may be used in place: as far apart from
  /// a multiple of 16 bytes as whole elements are.
  virtual void combine(const void* const* operands, std::size_t operand_count, void* const* targets,
                       std::size_t target_count, std::size_t element_count) noexcept = 0;
};

}  // namespace terrace
