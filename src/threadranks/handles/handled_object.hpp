// SPDX-License-Identifier: BSD-3-Clause
// Objects that programs know by handles. A handle may outlive its object, and is an address in most
// ABIs, so an object begins with a mark that it loses when it ends, and its memory then rests:
//
//     new     [mark | ...]     MPI_X_free      [0 | ...]  rests, behind others of its kind
//     handle ----^ is known             handle --^ is none: MPI_ERR_COMM, MPI_ERR_TYPE, ...
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

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
  file,
};
inline constexpr std::size_t kObjectKindCount = static_cast<std::size_t>(ObjectKind::file) + 1;

/// The first base class of such objects.
class HandledObject {
 public:
  /// Whether the object at an address is of that kind, and has not ended. Its memory may rest.
  bool is(ObjectKind kind) const noexcept { return mark_ == mark_of(kind); }

  // Counts a handle that the program gets, and may give back. The object may live on.
  void hand_out() noexcept { ++handed_out_; }
  /// Counts that the program has given it back. False: it has none. The object may live on.
  bool take_back() noexcept {
    if (handed_out_ == 0) return false;
    --handed_out_;
    return true;
  }
  bool is_handed_out() const noexcept { return handed_out_ > 0; }

 protected:
  explicit HandledObject(ObjectKind kind) noexcept : mark_(mark_of(kind)) {}
  HandledObject(const HandledObject& other) noexcept : mark_(other.mark_) {}
  HandledObject& operator=(const HandledObject&) noexcept { return *this; }
  void lose_mark() noexcept { mark_ = 0; }
  /// Volatile, for nothing that is told of the language reads the mark afterwards.
  ~HandledObject() { *static_cast<volatile std::uint32_t*>(&mark_) = 0; }

 private:
  /// No pointer to aligned memory begins like this, as where a free list has its links.
  static constexpr std::uint32_t mark_of(ObjectKind kind) noexcept {
    return 0x54520001u | static_cast<std::uint32_t>(kind) << 8;
  }

  std::uint32_t mark_;
  std::uint32_t handed_out_ = 1;
};

/// A queue of that length, in which what was given back last rests.
template <class Value, std::size_t kLength>
class LastGivenBack {
 public:
  explicit LastGivenBack(Value none = {}) noexcept { values_.fill(none); }
  /// Puts one in, and takes out the one that was put in that many times before.
  Value replace_oldest(Value newest) noexcept {
    next_ = (next_ + 1) % kLength;
    return std::exchange(values_[next_], newest);
  }

 private:
  std::array<Value, kLength> values_;
  std::size_t next_ = 0;
};

/// Memory for an object of that kind, of the calling rank: none that has been given back lately.
void* take_handle_block(ObjectKind kind, std::size_t bytes);
void give_handle_block(ObjectKind kind, void* block) noexcept;

}  // namespace terrace::threadranks
