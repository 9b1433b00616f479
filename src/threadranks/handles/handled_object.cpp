// SPDX-License-Identifier: BSD-3-Clause
// Memory of objects behind handles.
#include "threadranks/handles/handled_object.hpp"

#include "threadranks/handles/free_lists.hpp"

namespace terrace::threadranks {

void* take_handle_block(ObjectKind kind, std::size_t bytes) {
  FreeListsOfRank* const lists = free_lists_of_caller();
  return lists != nullptr ? lists->handles[static_cast<std::size_t>(kind)].take(bytes)
                          : FreeList::make(bytes);
}

void give_handle_block(ObjectKind kind, void* block) noexcept {
  if (FreeListsOfRank* const lists = free_lists_of_caller())
    lists->handles[static_cast<std::size_t>(kind)].put_back(block);
  else
    FreeList::free(block);
}

}  // namespace terrace::threadranks
