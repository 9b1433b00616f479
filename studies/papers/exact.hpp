// SPDX-License-Identifier: BSD-3-Clause
// Claims that are true to the digit or false. Each takes the numbers that it rests on as arguments,
// so that a test can show that another number changes the verdict.
#pragma once

#include <cstdint>
#include <span>

#include "model/hpdc13.hpp"
#include "model/parco18.hpp"
#include "papers/claim.hpp"

namespace terrace::papers {

/// How the sockets of a node lie: all next to each other, or four in a square.
enum class Sockets : std::uint8_t { neighbours, square };

/// How often each kind of read is on the longest path of an allreduce of one line: a binary tree
/// over the threads of each socket, then over sockets; then a broadcast in one stage or two.
/// Counted by walking the tree, step by step.
model::hpdc13::Reads reads_of_line_tree(model::hpdc13::Threads threads, Sockets sockets,
                                        bool in_two_stages);

/// That often, at these prices.
double price_of(const model::hpdc13::Reads& counts, const model::hpdc13::Reads& prices);

ClaimAnswer latencies_of_westmere(const model::hpdc13::Reads& reads);       // A1
ClaimAnswer line_on_westmere(const model::hpdc13::Reads& reads);            // A2
ClaimAnswer line_on_magny_cours(const model::hpdc13::Reads& reads);         // A4
ClaimAnswer height_of_trees(std::uint32_t most_threads);                    // A7
ClaimAnswer trees_grow_with_radix();                                        // A7b
ClaimAnswer dissemination_of_excess(model::hpdc13::Threads threads);        // A8
ClaimAnswer gain_of_levels(std::span<const model::parco18::Level> levels);  // B1

/// Reads on Magny-Cours that add up to the printed sum; the paper prints none of them.
inline constexpr model::hpdc13::Reads kMagnyCours{1.25, 50, 125, 143.4};

}  // namespace terrace::papers
