// SPDX-License-Identifier: BSD-3-Clause
// Claims on which algorithm is faster, tested on the paper's own equations all over a box.
#pragma once

#include "papers/claim.hpp"
#include "papers/parameters.hpp"

namespace terrace::papers {

/// Whether something holds for the parameters at every length of `lines_in_cache`.
using ShapeAt = bool (*)(const model::hpdc13::Costs&, model::hpdc13::Threads, double m);

bool one_stage_is_best(const model::hpdc13::Costs&, model::hpdc13::Threads, double m);
bool two_stages_are_best(const model::hpdc13::Costs&, model::hpdc13::Threads, double m);
bool binary_reduction_is_best(const model::hpdc13::Costs&, model::hpdc13::Threads, double m);
bool cyclic_is_faster_than_naive(const model::hpdc13::Costs&, model::hpdc13::Threads, double m);
bool hierarchical_is_faster_than_cyclic(const model::hpdc13::Costs&, model::hpdc13::Threads,
                                        double m);
/// From naive to cyclic less is gained than from cyclic to hierarchical.
bool cyclic_gains_less(const model::hpdc13::Costs&, model::hpdc13::Threads, double m);
/// All three.
bool tiles_are_in_order(const model::hpdc13::Costs&, model::hpdc13::Threads, double m);
bool dissemination_is_slower_than_tree(const model::hpdc13::Costs&, model::hpdc13::Threads,
                                       double m);
/// At 768 KiB, and not with one line.
bool dissemination_and_tiles_cross(const model::hpdc13::Costs&, model::hpdc13::Threads, double m);
/// Both.
bool dissemination_is_worst(const model::hpdc13::Costs&, model::hpdc13::Threads, double m);

/// The share of the node's box in which a shape holds at all lengths from `from` lines on.
BoxShare share_in(const PaperNode& node, ShapeAt holds, double from = 1);

ClaimAnswer best_broadcast_on_westmere();     // A9
ClaimAnswer best_broadcast_on_magny_cours();  // A10
ClaimAnswer best_reduction_tree();            // A12
ClaimAnswer order_of_tiles();                 // A13
ClaimAnswer worst_of_three();                 // A14

}  // namespace terrace::papers
