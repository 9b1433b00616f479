// SPDX-License-Identifier: BSD-3-Clause
// Numbers for handles that are addresses, for Fortran and other languages.
#pragma once

#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace terrace::threadranks::mpi {

/// An address keeps its number forever: an object at the same address later gets the same number.
class AddressNumbers {
 public:
  explicit AddressNumbers(int first) : first_(first) {}

  int number_of(std::uintptr_t address) {
    const std::lock_guard lock(mutex_);
    const int next = first_ + static_cast<int>(addresses_.size());
    const auto [entry, is_new] = by_address_.try_emplace(address, next);
    if (is_new) addresses_.push_back(address);
    return entry->second;
  }
  /// 0: no address has that number.
  std::uintptr_t address_of(int number) {
    const std::lock_guard lock(mutex_);
    const auto index = static_cast<std::size_t>(number - first_);
    return number >= first_ && index < addresses_.size() ? addresses_[index] : 0;
  }

 private:
  const int first_;
  std::mutex mutex_;
  std::unordered_map<std::uintptr_t, int> by_address_;
  std::vector<std::uintptr_t> addresses_;
};

}  // namespace terrace::threadranks::mpi
