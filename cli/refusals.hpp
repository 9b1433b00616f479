// SPDX-License-Identifier: BSD-3-Clause
// Verb: how a subcommand reports errors. Its messages begin with its name, as in "terrace plan:
// ..."; the type of the exception decides the exit status (subcommands.hpp).
#pragma once

#include <CLI/Error.hpp>
#include <string>
#include <utility>

#include "base/bytes.hpp"
#include "base/result.hpp"

namespace terrace {

struct Verb {
  const char* name;  ///< "terrace plan"

  /// A wrong argument.
  [[noreturn]] void refuse(const std::string& sentence) const {
    throw CLI::ValidationError(name, sentence);
  }

  /// Right arguments, with which something went wrong.
  [[noreturn]] void fail(const std::string& sentence) const {
    throw CLI::RuntimeError(std::string(name) + ": " + sentence, 1);
  }

  /// The value. On an error: fails if the system refused, and refuses if the user can change the
  /// cause; `of` names the subject of the error, as in "my.plan".
  template <class T>
  T value(Result<T> result, const std::string& of = "") const {
    if (result) return std::move(result).value();
    const std::string sentence = (of.empty() ? "" : of + ": ") + result.error().sentence;
    if (result.error().code == ErrorCode::system) fail(sentence);
    refuse(sentence);
  }

  /// Bytes with or without a unit; `of` is what the text was given for: "--strip ".
  std::size_t bytes(const std::string& text, const std::string& of = "") const {
    constexpr std::uint64_t kMost = std::uint64_t{64} << 30;
    if (const auto number = bytes_from_text(text, kMost)) return *number;
    refuse(of + "'" + text +
           "' given, expected a number of bytes up to 64GiB, such as 8, 64KiB or 4MiB");
  }
};

}  // namespace terrace
