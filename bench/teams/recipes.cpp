// SPDX-License-Identifier: BSD-3-Clause
// Promises turned into recipes.
#include "recipes.hpp"

#include <algorithm>
#include <set>

namespace terrace::bench {

namespace {

const Reduction kSum = find_reduction(Type::float64, Operator::sum);
constexpr std::size_t kMostTerms = 256;

Recipe recipe_of(const Postcondition& promise, Rank rank) {
  const auto ranks = static_cast<Rank>(promise.outputs.size());
  Recipe recipe;
  const auto& blocks = promise.outputs[rank];
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const std::size_t block = (i + rank) % blocks.size();
    if (blocks[block]) recipe.outputs.push_back({block, *blocks[block]});
  }
  std::set<Rank> peers;
  for (const Wanted& wanted : recipe.outputs)
    for (const Term& term : wanted.terms) peers.insert(term.rank);
  for (Rank i = 1; i < ranks; ++i)
    if (const Rank peer = (rank + i) % ranks; peers.count(peer)) recipe.peers.push_back(peer);
  return recipe;
}

}  // namespace

std::vector<Recipe> recipes_of(Collective collective, Rank ranks) {
  const Postcondition promise = postcondition(collective, ranks, 0);
  std::vector<Recipe> recipes;
  for (Rank rank = 0; rank < ranks; ++rank) recipes.push_back(recipe_of(promise, rank));
  std::set<Term> used;
  for (const Recipe& recipe : recipes)
    for (const Wanted& wanted : recipe.outputs)
      used.insert(wanted.terms.begin(), wanted.terms.end());
  for (const Term& term : used) recipes[term.rank].inputs.push_back(term.block);
  return recipes;
}

void make(const Recipe& recipe, const double* const* inputs, double* output, std::size_t count,
          Stores stores) {
  for (const Wanted& wanted : recipe.outputs) {
    const void* operands[kMostTerms];
    std::size_t terms = 0;
    for (const Term& term : wanted.terms)
      operands[terms++] = inputs[term.rank] + term.block * count;
    void* target = output + wanted.block * count;
    if (terms == 1)
      copy_to_all(operands[0], &target, 1, count * sizeof(double), stores);
    else
      kSum(operands, terms, &target, 1, count, stores);
  }
}

}  // namespace terrace::bench
