// SPDX-License-Identifier: BSD-3-Clause
// Expressions: symbolic values, each stored once, so that equal numbers mean equal expressions.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "plan/postcondition.hpp"

namespace terrace {

class Expressions {
 public:
  using Id = std::uint32_t;

  /// An input block, not combined with anything.
  Id leaf(Term term);
  /// parts[0] + parts[1] + ..., from the left; one part is that part.
  Id combine(std::span<const Id> parts);

  /// The input blocks in the order in which they are combined.
  const Terms& terms(Id id) const { return nodes_[id].terms; }
  /// "0 + 1 + (2 + 3)", blocks other than 0 as "2:1".
  std::string text(Id id) const;

 private:
  struct Node {
    std::vector<Id> parts;  ///< none: a leaf
    Terms terms;
  };

  std::vector<Node> nodes_;
  std::map<Term, Id> leaves_;
  std::map<std::vector<Id>, Id> sums_;
};

}  // namespace terrace
