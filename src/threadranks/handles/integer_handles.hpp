// SPDX-License-Identifier: BSD-3-Clause
// Integer handles: numbers for objects, for ABIs whose handles are integers. An object gets its
// number when its handle is first asked for, and frees it when destroyed; so there is one handle
// per object.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "threadranks/handles/handled_object.hpp"

namespace terrace::threadranks {

class NumberedObject;

/// The numbers of one rank's objects. Threads of the rank that take numbers or give them back hold
/// its lock; any of them may find at the same time.
class NumberedObjects {
 public:
  int take(NumberedObject& object, ObjectKind kind);
  void give_back(int number);
  /// Null: no object of that kind has the number.
  NumberedObject* find(int number, ObjectKind kind) const {
    // acquire: pairs with the release in `grow`. Who knows a number has heard of it after that.
    const Table* const table = table_.load(std::memory_order_acquire);
    if (number < 0 || table == nullptr || static_cast<std::size_t>(number) >= table->room)
      return nullptr;
    const Entry& entry = table->entries[static_cast<std::size_t>(number)];
    return entry.kind == kind ? entry.object : nullptr;
  }

 private:
  struct Entry {
    NumberedObject* object = nullptr;
    ObjectKind kind{};
  };
  struct Table {
    explicit Table(std::size_t its_room) : room(its_room), entries(new Entry[its_room]) {}
    std::size_t room;
    std::unique_ptr<Entry[]> entries;
  };
  Entry& entry(int number) { return tables_.back()->entries[static_cast<std::size_t>(number)]; }
  void grow();

  std::atomic<const Table*> table_{nullptr};    ///< the last one
  std::vector<std::unique_ptr<Table>> tables_;  ///< older ones stay, since threads may look there
  int used_ = 0;                                ///< numbers so far
  std::vector<int> free_;
  LastGivenBack<int, 32> resting_{-1};  ///< of handles that the program has just freed
};

/// A copy is another object, with another number.
class NumberedObject : public HandledObject {
 public:
  /// The object lives on without a handle.
  void end_handle() {
    lose_mark();
    give_number_back();
  }

 protected:
  explicit NumberedObject(ObjectKind kind) noexcept : HandledObject(kind) {}
  NumberedObject(const NumberedObject& other) noexcept : HandledObject(other) {}
  NumberedObject& operator=(const NumberedObject&) noexcept { return *this; }
  ~NumberedObject() { give_number_back(); }
  int number(NumberedObjects& numbers, ObjectKind kind) {
    if (numbers_ == nullptr) {
      number_ = numbers.take(*this, kind);
      numbers_ = &numbers;
    }
    return number_;
  }

 private:
  void give_number_back() {
    if (numbers_ != nullptr) numbers_->give_back(number_);
    numbers_ = nullptr;
  }

  NumberedObjects* numbers_ = nullptr;
  int number_ = 0;
};

/// The base class of objects with handles.
template <ObjectKind kind>
class Numbered : public NumberedObject {
 public:
  static constexpr ObjectKind kObjectKind = kind;
  Numbered() noexcept : NumberedObject(kind) {}
  static void* operator new(std::size_t bytes) { return take_handle_block(kind, bytes); }
  static void operator delete(void* block) noexcept { give_handle_block(kind, block); }
  /// The number in the calling rank's table.
  int number_in(NumberedObjects& numbers) { return number(numbers, kind); }
};

}  // namespace terrace::threadranks
