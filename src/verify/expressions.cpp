// SPDX-License-Identifier: BSD-3-Clause
// Stores expressions once. See expressions.hpp.
#include "verify/expressions.hpp"

#include <algorithm>

#include "base/contract.hpp"

namespace terrace {

Expressions::Id Expressions::leaf(Term term) {
  const auto [found, is_new] = leaves_.try_emplace(term, static_cast<Id>(nodes_.size()));
  if (is_new) nodes_.push_back({{}, {term}});
  return found->second;
}

Expressions::Id Expressions::combine(std::span<const Id> parts) {
  TERRACE_ASSERT(!parts.empty());
  TERRACE_ASSERT(
      std::all_of(parts.begin(), parts.end(), [&](Id id) { return id < nodes_.size(); }));
  if (parts.size() == 1) return parts.front();
  // (0 + 1) + 2 is 0 + 1 + 2, from the left.
  std::vector<Id> key = nodes_[parts.front()].parts;
  if (key.empty()) key.push_back(parts.front());
  key.insert(key.end(), parts.begin() + 1, parts.end());
  const auto [found, is_new] = sums_.try_emplace(key, static_cast<Id>(nodes_.size()));
  if (!is_new) return found->second;
  Terms terms;
  for (const Id part : key)
    terms.insert(terms.end(), nodes_[part].terms.begin(), nodes_[part].terms.end());
  nodes_.push_back({key, std::move(terms)});
  return found->second;
}

std::string Expressions::text(Id id) const {
  TERRACE_ASSERT(id < nodes_.size(), id, nodes_.size());
  const Node& node = nodes_[id];
  if (node.parts.empty()) {
    const Term& term = node.terms.front();
    return std::to_string(term.rank) + (term.block ? ":" + std::to_string(term.block) : "");
  }
  std::string result;
  for (const Id part : node.parts) {
    if (!result.empty()) result += " + ";
    result += nodes_[part].parts.empty() ? text(part) : "(" + text(part) + ")";
  }
  return result;
}

}  // namespace terrace
