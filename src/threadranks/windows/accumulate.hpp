// SPDX-License-Identifier: BSD-3-Clause
// Accumulates: elements in a target's memory that are combined with an origin's. Each takes the
// lock of its target's member, so elements are combined one at a time, and an origin's calls are in
// order. Long ones are made in pieces, between which others get the lock.
#pragma once

#include <cstddef>

#include "threadranks/types/datatype.hpp"
#include "threadranks/types/operators.hpp"
#include "threadranks/windows/accumulate_lock.hpp"

namespace terrace::threadranks {

/// How elements are combined: by a kernel, or they are replaced, or stay. All sides have elements
/// of the same length.
struct Accumulation {
  enum class Kind : std::uint8_t { combine, replace, nothing };

  Kind kind = Kind::nothing;
  Reduction reduction = nullptr;
  std::size_t element_bytes = 1;
  // By what another process finds the kernel, whose address differs there:
  TypeClass elements = TypeClass::opaque;
  Operator op = Operator::sum;
};

/// The elements of `origin` into those of `target`; what was there goes to `fetched`. One of the
/// two may have a null type, if nothing is brought, or got.
void accumulate(const Accumulation& how, const Layout& origin, const Layout& fetched,
                const Layout& target, AccumulateLock& lock);
/// The same with packed elements, from where kernels want them: places for lines.
void accumulate(const Accumulation& how, const std::byte* given, std::byte* sums,
                std::size_t bytes);

}  // namespace terrace::threadranks
