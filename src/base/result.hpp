// SPDX-License-Identifier: BSD-3-Clause
// Result: a value, or a sentence that says what happened, where, and what to do. Setup may fail
// this way; steps of a plan may not fail at all.
#pragma once

#include <string>
#include <utility>
#include <variant>

namespace terrace {

enum class ErrorCode : unsigned char {
  argument,     ///< the caller passed an invalid argument
  unsupported,  ///< right, but not something we do
  system,       ///< the operating system refused
};

struct Error {
  ErrorCode code = ErrorCode::argument;
  std::string sentence;
};

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  T& value() & { return std::get<0>(state_); }
  const T& value() const& { return std::get<0>(state_); }
  T&& value() && { return std::get<0>(std::move(state_)); }
  const Error& error() const { return std::get<1>(state_); }

 private:
  std::variant<T, Error> state_;
};

}  // namespace terrace
