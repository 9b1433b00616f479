// SPDX-License-Identifier: BSD-3-Clause
// Reuses freed numbers first, so numbers hardly exceed the most objects that existed at one time.
#include "threadranks/handles/integer_handles.hpp"

#include <algorithm>

#include "base/contract.hpp"

namespace terrace::threadranks {

void NumberedObjects::grow() {
  constexpr std::size_t kFirst = 64;
  const std::size_t room = tables_.empty() ? kFirst : 2 * tables_.back()->room;
  auto table = std::make_unique<Table>(room);
  if (!tables_.empty())
    std::copy_n(tables_.back()->entries.get(), tables_.back()->room, table->entries.get());
  tables_.push_back(std::move(table));
  // release: pairs with the acquire in `find`; the entries are there.
  table_.store(tables_.back().get(), std::memory_order_release);
}

int NumberedObjects::take(NumberedObject& object, ObjectKind kind) {
  int number = used_;
  if (!free_.empty()) {
    number = free_.back();
    free_.pop_back();
  } else {
    if (tables_.empty() || static_cast<std::size_t>(used_) == tables_.back()->room) grow();
    ++used_;
  }
  TERRACE_REQUIRE(entry(number).object == nullptr, number);
  entry(number) = {&object, kind};
  return number;
}

void NumberedObjects::give_back(int number) {
  TERRACE_REQUIRE(number >= 0 && number < used_ && entry(number).object != nullptr, number, used_);
  const bool is_of_request = entry(number).kind == ObjectKind::request;
  entry(number).object = nullptr;
  if (is_of_request) return free_.push_back(number);  // taken with each message: from the cache
  if (const int oldest = resting_.replace_oldest(number); oldest >= 0) free_.push_back(oldest);
}

}  // namespace terrace::threadranks
