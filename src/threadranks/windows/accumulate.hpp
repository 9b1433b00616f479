// SPDX-License-Identifier: BSD-3-Clause
// Accumulates: elements in a target's memory that are combined with an origin's. Each takes the
// lock of its target's member, so each element is combined atomically, and an origin's calls are in
// order. A long one is made in pieces of whole elements, between which others get the lock.
#pragma once

#include <cstddef>

#include "threadranks/types/datatype.hpp"
#include "threadranks/types/operators.hpp"
#include "threadranks/windows/accumulate_lock.hpp"

namespace terrace::threadranks {

/// The way elements are combined: by a kernel, or they are replaced, or stay. They have the same
/// length on all sides.
struct Accumulation {
  enum class Kind : std::uint8_t { combine, replace, nothing };

  Kind kind = Kind::nothing;
  Reduction reduction = nullptr;
  std::size_t element_bytes = 1;
  // The rest lets another process find the kernel, whose address differs there:
  TypeClass elements = TypeClass::opaque;
  Operator op = Operator::sum;
};

/// Combines the elements of `origin` with those of `target`, and copies what was there before to
/// `fetched`. `origin` has a null type if the target stays, `fetched` if nothing is fetched.
void accumulate(const Accumulation& how, const Layout& origin, const Layout& fetched,
                const Layout& target, AccumulateLock& lock);
/// Combines packed elements; the result is in `sums`. The caller has the lock.
void accumulate(const Accumulation& how, const std::byte* given, std::byte* sums,
                std::size_t bytes);

}  // namespace terrace::threadranks
