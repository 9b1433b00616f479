// SPDX-License-Identifier: BSD-3-Clause
// Accumulates: elements in a target's memory that are combined with an origin's. Each takes the
// lock of its target's member, so accumulates are atomic, and an origin's are in order.
#pragma once

#include <cstddef>

#include "threadranks/types/datatype.hpp"
#include "threadranks/types/operators.hpp"

namespace terrace::threadranks {

/// How elements are combined: by a kernel, or they are replaced, or stay.
struct Accumulation {
  enum class Kind : std::uint8_t { combine, replace, nothing };

  Kind kind = Kind::nothing;
  Reduction reduction = nullptr;
  std::size_t element_bytes = 1;
  // By what another process finds the kernel, whose address differs there:
  TypeClass elements = TypeClass::opaque;
  Operator op = Operator::sum;
};

/// The elements of `origin` into those of `target`. The caller has the lock.
void accumulate(const Accumulation& how, const Layout& origin, const Layout& target);
/// The same with packed elements, from where kernels want them: places for lines.
void accumulate(const Accumulation& how, const std::byte* given, std::byte* sums,
                std::size_t bytes);

}  // namespace terrace::threadranks
