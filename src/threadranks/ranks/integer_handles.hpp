// SPDX-License-Identifier: BSD-3-Clause
// Integer handles: numbers for objects, for ABIs whose handles are integers. An object gets its
// number when its handle is first asked for, and frees it when destroyed; so there is one handle
// per object.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

namespace terrace::threadranks {

enum class ObjectKind : std::uint8_t {
  communicator,
  group,
  datatype,
  errhandler,
  user_operator,
  info,
  request,
  message,
  session,
  window,
};

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
};

/// A copy is another object, with another number.
class NumberedObject {
 protected:
  NumberedObject() = default;
  NumberedObject(const NumberedObject&) noexcept {}
  NumberedObject& operator=(const NumberedObject&) noexcept { return *this; }
  ~NumberedObject() {
    if (numbers_ != nullptr) numbers_->give_back(number_);
  }
  int number(NumberedObjects& numbers, ObjectKind kind) {
    if (numbers_ == nullptr) {
      number_ = numbers.take(*this, kind);
      numbers_ = &numbers;
    }
    return number_;
  }

 private:
  NumberedObjects* numbers_ = nullptr;
  int number_ = 0;
};

/// The base class of objects with handles.
template <ObjectKind kind>
class Numbered : public NumberedObject {
 public:
  static constexpr ObjectKind kObjectKind = kind;
  /// The number in the calling rank's table.
  int number_in(NumberedObjects& numbers) { return number(numbers, kind); }
};

}  // namespace terrace::threadranks
