// SPDX-License-Identifier: BSD-3-Clause
// Section 6 of Goglin, Jeannot, Mansouri, Mercier: Hardware topology management in MPI applications
// through hierarchical communicators (ParCo 76, 2018, doi:10.1016/j.parco.2018.05.006): a broadcast
// by a flat tree, over all ranks at once or level by level, with Hockney's costs of a message.
#pragma once

#include <span>

namespace terrace::model::parco18 {

/// The letters of section 6, of all ranks or of one level.
struct Level {
  double p = 1;      ///< ranks that take part in one group
  double alpha = 0;  ///< time of a message without its bytes
  double beta = 0;   ///< time for a unit of length
  double m = 1;      ///< length
};

/// (p - 1) (alpha + m beta)
double flat_tree(const Level& all);
/// The sum over the levels of (p_i - 1) (alpha_i + m_i beta_i): groups of a level work at once.
/// (The example of the 2018 text prints alpha_0 + beta_1 for its third level; the report RR-9077
/// has alpha_2 + beta_2, as the sum does.)
double hierarchical_flat_tree(std::span<const Level> levels);

}  // namespace terrace::model::parco18
