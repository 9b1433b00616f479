// SPDX-License-Identifier: BSD-3-Clause
// Pictures of machines.
#pragma once

#include <span>
#include <string>

#include "base/locality.hpp"
#include "machine/machine.hpp"

namespace terrace {

/// Boxes in boxes: the node, what lies in it, down to its PUs. Ranks stand in the innermost box
/// that holds their binding; entry `i` of `ranks` belongs to rank `i`, and may be on another node,
/// of which the first is drawn. What does not fit is in a box's tooltip.
std::string svg_of(const Machine& machine, std::span<const Locality> ranks = {});

}  // namespace terrace
