// SPDX-License-Identifier: BSD-3-Clause
// Counts and displacements of blocks, of either width in MPI: int, or MPI_Count and MPI_Aint.
#pragma once

#include <cstddef>
#include <cstdint>

namespace terrace {

/// An array of the caller's, of int, or of MPI_Count or MPI_Aint; none; or the numbers of blocks of
/// one length in a row.
class MpiCounts {
 public:
  MpiCounts() = default;
  MpiCounts(const int* at) : at_(at), form_(at != nullptr ? Form::narrow : Form::none) {}
  MpiCounts(const std::int64_t* at) : at_(at), form_(at != nullptr ? Form::wide : Form::none) {}
  /// One count for all blocks.
  static MpiCounts all(std::int64_t count) { return {Form::all, count}; }
  /// The places of blocks with so many elements.
  static MpiCounts multiples_of(std::int64_t count) { return {Form::multiples, count}; }

  explicit operator bool() const { return form_ != Form::none; }
  std::int64_t operator[](std::size_t i) const {
    switch (form_) {
      case Form::wide:
        return static_cast<const std::int64_t*>(at_)[i];
      case Form::all:
        return count_;
      case Form::multiples:
        return count_ * static_cast<std::int64_t>(i);
      case Form::none:
      case Form::narrow:
        break;
    }
    return static_cast<const int*>(at_)[i];
  }

 private:
  enum class Form : std::uint8_t { none, narrow, wide, all, multiples };
  MpiCounts(Form form, std::int64_t count) : count_(count), form_(form) {}

  const void* at_ = nullptr;
  std::int64_t count_ = 0;
  Form form_ = Form::none;
};

}  // namespace terrace
