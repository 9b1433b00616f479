// SPDX-License-Identifier: BSD-3-Clause
// Copies from one source to several targets, per instruction set.
#include "kernels/targets.hpp"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/copies.cpp"
#include "hwy/foreach_target.h"
// Highway wants its headers in this order.
#include "kernels/copy_inl.hpp"
#include "kernels/kernel_set.hpp"

HWY_BEFORE_NAMESPACE();
namespace terrace {
namespace HWY_NAMESPACE {

void add_these_copies(KernelSet& kernels) {
  kernels.copy = copy;
  kernels.vector_bytes = hn::Lanes(hn::ScalableTag<std::uint8_t>());
}

}  // namespace HWY_NAMESPACE
}  // namespace terrace
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace terrace {

bool add_copies(InstructionSet set, KernelSet& kernels) {
  constexpr void (*kAdd[kInstructionSets])(KernelSet&) = TERRACE_FOR_EACH_SET(add_these_copies);
  const auto add = kAdd[static_cast<std::size_t>(set)];
  if (add != nullptr) add(kernels);
  return add != nullptr;
}

}  // namespace terrace
#endif
