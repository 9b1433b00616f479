// SPDX-License-Identifier: BSD-3-Clause
// Reuses freed numbers first, so numbers never exceed the most objects that existed at one time.
#include "threadranks/ranks/integer_handles.hpp"

#include "base/contract.hpp"

namespace terrace::threadranks {

int NumberedObjects::take(NumberedObject& object, ObjectKind kind) {
  if (free_.empty()) {
    entries_.push_back({&object, kind});
    return static_cast<int>(entries_.size()) - 1;
  }
  const int number = free_.back();
  free_.pop_back();
  TERRACE_REQUIRE(entries_[static_cast<std::size_t>(number)].object == nullptr, number);
  entries_[static_cast<std::size_t>(number)] = {&object, kind};
  return number;
}

void NumberedObjects::give_back(int number) {
  TERRACE_REQUIRE(number >= 0 && static_cast<std::size_t>(number) < entries_.size() &&
                      entries_[static_cast<std::size_t>(number)].object != nullptr,
                  number, entries_.size());
  entries_[static_cast<std::size_t>(number)].object = nullptr;
  free_.push_back(number);
}

}  // namespace terrace::threadranks
