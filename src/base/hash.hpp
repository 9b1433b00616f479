// SPDX-License-Identifier: BSD-3-Clause
// Hashes of texts and of numbers, the same in every process and build.
#pragma once

#include <cstdint>
#include <string_view>

namespace terrace {

/// 64 bits of a text (FNV-1a): for telling texts apart, not for keeping secrets.
inline std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

/// Hashes numbers, one after the other, for tables in memory.
class Hash {
 public:
  Hash& add(std::uint64_t number) {
    value_ = (value_ ^ number) * 0x9e3779b97f4a7c15u;
    value_ ^= value_ >> 32;
    return *this;
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0;
};

}  // namespace terrace
