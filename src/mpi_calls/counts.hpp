// SPDX-License-Identifier: BSD-3-Clause
// Counts and displacements of blocks, of either width in MPI: int, or MPI_Count and MPI_Aint.
#pragma once

#include <cstddef>
#include <cstdint>

namespace terrace {

/// An array of the caller's: int, or MPI_Count and MPI_Aint. There may be none.
class MpiCounts {
 public:
  MpiCounts() = default;
  MpiCounts(const int* at) : at_(at) {}
  MpiCounts(const std::int64_t* at) : at_(at), is_wide_(true) {}

  explicit operator bool() const { return at_ != nullptr; }
  std::int64_t operator[](std::size_t i) const {
    return is_wide_ ? static_cast<const std::int64_t*>(at_)[i] : static_cast<const int*>(at_)[i];
  }

 private:
  const void* at_ = nullptr;
  bool is_wide_ = false;
};

}  // namespace terrace
