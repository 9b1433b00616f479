// SPDX-License-Identifier: BSD-3-Clause
// Integer handles: numbers for objects, for ABIs whose handles are integers. An object gets its
// number when its handle is first asked for, and frees it when destroyed; so there is one handle
// per object.
#pragma once

#include <cstdint>
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

/// The numbers of one rank's objects. Only that rank's threads use it, one at a time.
class NumberedObjects {
 public:
  int take(NumberedObject& object, ObjectKind kind);
  void give_back(int number);
  /// Null: no object of that kind has the number.
  NumberedObject* find(int number, ObjectKind kind) const {
    if (number < 0 || static_cast<std::size_t>(number) >= entries_.size()) return nullptr;
    const Entry& entry = entries_[static_cast<std::size_t>(number)];
    return entry.kind == kind ? entry.object : nullptr;
  }

 private:
  struct Entry {
    NumberedObject* object;
    ObjectKind kind;
  };
  std::vector<Entry> entries_;
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
