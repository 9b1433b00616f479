// SPDX-License-Identifier: BSD-3-Clause
// The boxes from which the parameters of the HPDC'13 model are taken, and times that its paper
// draws but gives no equation for, in the same parameters.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/hpdc13.hpp"
#include "papers/box.hpp"

namespace terrace::papers {

/// One of the paper's two nodes, as far as the parameters go.
struct PaperNode {
  const char* name;
  model::hpdc13::Threads threads;
  FactorBox box;
  double cache_bytes;  ///< of a socket's L3, for vectors
};

/// Axes of Westmere: b_alpha, b_beta / b_alpha, B_alpha / b_alpha, B_beta / b_beta. Rs and Rr, the
/// first line within and between sockets (a + b), are printed. A line within a socket takes 2.5 to
/// 10 ns (25 to 6 GB/s to one core), up to three times as long from the other socket; a link that
/// all q threads of a socket read over is 1 to q times as fast as one reader is alone.
const PaperNode& westmere();

/// Axes of Magny-Cours: the same, and Rs and Rr, which are not printed.
const PaperNode& magny_cours();

/// "Westmere: b_alpha 2.5 to 10 ..."
std::string box_text(const PaperNode& node);

/// The parameters at a point of the node's box.
model::hpdc13::Costs parameters_at(const PaperNode& node, FactorPoint point);

/// The parameters in the middle of the box, for figures.
model::hpdc13::Costs parameters_in_the_middle(const PaperNode& node);

/// One line to 768 KiB, by powers of two: in cache, where the equations are at home.
const std::vector<double>& lines_in_cache();

/// Broadcast by an n-ary tree, as reduction by one is told: sockets first, then each thread that
/// has the vector is read by n - 1 others at a time. With n = q it is the broadcast in two stages.
double nary_broadcast(const model::hpdc13::Costs&, model::hpdc13::Threads, std::uint32_t n,
                      double m);

/// Section 3.2's rivals of the hierarchical tiles: thread i combines tile i of all p vectors, and
/// all begin with the vector of thread 0 (naive) or each with its own (cyclic). In each of the p
/// steps, what takes longest is a socket's cache or a link between two sockets.
double naive_tiles(const model::hpdc13::Costs&, model::hpdc13::Threads, double m);
double cyclic_tiles(const model::hpdc13::Costs&, model::hpdc13::Threads, double m);

/// Equation (3) with (1) as the text below it tells it: the tree that is costed here.
double reduction_tree(const model::hpdc13::Costs&, model::hpdc13::Threads, std::uint32_t n,
                      double m);

/// The three allreduces of Figure 14, each as the paper's section 2 ends with it.
double tree_allreduce(const model::hpdc13::Costs&, model::hpdc13::Threads, double m);
double dissemination_allreduce(const model::hpdc13::Costs&, model::hpdc13::Threads, double m);
double tiled_allreduce(const model::hpdc13::Costs&, model::hpdc13::Threads, double m);

}  // namespace terrace::papers
