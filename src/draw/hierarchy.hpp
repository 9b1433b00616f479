// SPDX-License-Identifier: BSD-3-Clause
// Pictures of hierarchies.
#pragma once

#include <string>

#include "hierarchy/hierarchy.hpp"

namespace terrace {

/// A row of boxes per level, all ranks on top; below each box the parts that it is divided into, as
/// wide as they have ranks. What does not fit into a box is in its tooltip.
std::string svg_of(const Hierarchy& hierarchy);

/// A group a line, its parts indented below it: "Package 0: 0-3   roots 0 2", the roots being the
/// first rank of each part.
std::string picture_text(const Hierarchy& hierarchy);

}  // namespace terrace
