// SPDX-License-Identifier: BSD-3-Clause
// Makes blocks for copies of messages, of which a rank has only so many.
#include "threadranks/matching/copied_messages.hpp"

#include <new>

namespace terrace::threadranks {

CopiedMessage* CopiedMessages::make() noexcept {
  if (all_.size() == kMost) return nullptr;
  try {
    all_.reserve(kMost);
    all_.push_back(std::make_unique_for_overwrite<CopiedMessage>());
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
  all_.back()->home = this;
  return all_.back().get();
}

}  // namespace terrace::threadranks
