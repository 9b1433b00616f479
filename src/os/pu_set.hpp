// SPDX-License-Identifier: BSD-3-Clause
// PuSet: a set of PUs (hardware threads), by the numbers that the operating system gives them:
// those of /proc/cpuinfo, taskset and numactl.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace terrace {

/// More than any machine has; a typing error must not ask for gigabytes.
inline constexpr std::uint32_t kMostPus = 65536;

class PuSet {
 public:
  PuSet() = default;
  PuSet(std::initializer_list<std::uint32_t> pus) {
    for (std::uint32_t pu : pus) insert(pu);
  }

  void insert(std::uint32_t pu);
  void insert(const PuSet& others);

  bool empty() const { return words_.empty(); }
  std::uint32_t count() const;
  bool contains(std::uint32_t pu) const;
  bool contains(const PuSet& others) const;
  std::uint32_t first() const;              ///< the lowest PU; the set is not empty
  std::vector<std::uint32_t> list() const;  ///< ascending

  PuSet operator&(const PuSet& others) const;
  bool operator==(const PuSet&) const = default;

 private:
  void drop_empty_words();

  std::vector<std::uint64_t> words_;  ///< bit b of word w is PU 64 w + b; the last word is not 0
};

/// "0-3,8"; the empty set is "".
std::string to_text(const PuSet&, char separator = ',');

/// Numbers and ranges with `separator` between them: "0-3,8". At least one; all below kMostPus.
/// Errors: argument.
Result<PuSet> pu_set_from_text(std::string_view text, char separator = ',');

}  // namespace terrace
