// SPDX-License-Identifier: BSD-3-Clause
// A stack onto which any thread puts nodes, and from which one takes all at once. A node has a
// member `below`. Templates, so that the litmus tests explore what runs
// (docs/design/weak-memory.md).
#pragma once

#include <atomic>

namespace terrace {

template <template <class> class Atomic, class Node>
[[gnu::always_inline]] inline void push_onto(Atomic<Node*>& stack, Node& node) {
  // relaxed: the exchange below decides.
  Node* below = stack.load(std::memory_order_relaxed);
  // release: pairs with the acquire in `take_all_from`. relaxed: tried again.
  do node.below = below;
  while (!stack.compare_exchange_weak(below, &node, std::memory_order_release,
                                      std::memory_order_relaxed));
}

/// All that are on it, the last first.
template <template <class> class Atomic, class Node>
[[gnu::always_inline]] inline Node* take_all_from(Atomic<Node*>& stack) {
  // relaxed: who finds nothing looks again later.
  if (stack.load(std::memory_order_relaxed) == nullptr) return nullptr;
  // acquire: pairs with the release in `push_onto`.
  return stack.exchange(nullptr, std::memory_order_acquire);
}

}  // namespace terrace
