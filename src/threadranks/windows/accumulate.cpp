// SPDX-License-Identifier: BSD-3-Clause
// Combines elements of an origin with those of a target.
#include "threadranks/windows/accumulate.hpp"

#include <algorithm>
#include <memory>

namespace terrace::threadranks {

/// Packed elements are combined, as kernels want them, and laid out again.
void accumulate(const Accumulation& how, const Layout& origin, const Layout& target) {
  const std::size_t bytes = target.bytes();
  if (how.kind == Accumulation::Kind::nothing || bytes == 0) return;
  if (how.kind == Accumulation::Kind::replace) return copy_elements(origin, target, bytes);
  constexpr std::size_t kFew = 64;
  alignas(kFew) std::byte few[2 * kFew];
  const std::size_t room = std::max(kFew, (bytes + kFew - 1) / kFew * kFew);
  const auto many = room > kFew ? std::make_unique<std::byte[]>(2 * room) : nullptr;
  std::byte* const sum = many ? many.get() : few;
  std::byte* const given = sum + room;
  pack(target, sum, bytes);
  pack(origin, given, bytes);
  accumulate(how, given, sum, bytes);
  unpack(sum, target, bytes);
}

void accumulate(const Accumulation& how, const std::byte* given, std::byte* sums,
                std::size_t bytes) {
  const void* operands[] = {sums, given};
  void* result = sums;
  how.reduction(operands, 2, &result, 1, bytes / how.element_bytes, Stores::cached);
}

}  // namespace terrace::threadranks
