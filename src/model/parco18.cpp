// SPDX-License-Identifier: BSD-3-Clause
// The equations of section 6.
#include "model/parco18.hpp"

namespace terrace::model::parco18 {

double flat_tree(const Level& all) {
  return (all.p - 1) * (all.alpha + all.m * all.beta);
}

double hierarchical_flat_tree(std::span<const Level> levels) {
  double sum = 0;
  for (const Level& level : levels) sum += flat_tree(level);
  return sum;
}

}  // namespace terrace::model::parco18
