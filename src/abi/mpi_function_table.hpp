// SPDX-License-Identifier: BSD-3-Clause
// Tables of an MPI's functions, which are found by name at run time.
#pragma once

#include <functional>
#include <utility>

#include "base/found_function.hpp"

namespace terrace::abi {

/// The base of a table of an MPI's functions: each is a member of the derived class, an
/// MpiFunction.
class MpiFunctionTable {
 public:
  /// Returns the address of a function or object; null if the MPI has none of that name.
  using FindSymbol = std::function<void*(const char* name)>;

  /// Whether the MPI has all functions of the table.
  bool is_complete() const { return missing_ == nullptr; }
  /// The name of the first function that the MPI lacks; null if it has all.
  const char* missing() const { return missing_; }

 protected:
  explicit MpiFunctionTable(FindSymbol find) : find_(std::move(find)) {}

 private:
  template <class Signature>
  friend class MpiFunction;
  void* find(const char* name) {
    void* const function = find_(name);
    if (function == nullptr && missing_ == nullptr) missing_ = name;
    return function;
  }

  FindSymbol find_;
  const char* missing_ = nullptr;
};

/// A function of an MPI, found by its table and called like the function itself.
template <class Signature>
class MpiFunction : public FoundFunction<Signature> {
 public:
  MpiFunction(MpiFunctionTable& table, const char* name)
      : FoundFunction<Signature>(table.find(name)) {}
};

}  // namespace terrace::abi
