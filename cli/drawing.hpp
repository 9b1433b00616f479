// SPDX-License-Identifier: BSD-3-Clause
// Drawings of hierarchies, as SVG that any browser shows.
#pragma once

#include <string>

#include "hierarchy/hierarchy.hpp"

namespace terrace {

/// A row of boxes per level, all ranks on top; below each box the parts that it is divided into, as
/// wide as they have ranks. What does not fit into a box is in its tooltip.
std::string svg_of(const Hierarchy& hierarchy);

}  // namespace terrace
