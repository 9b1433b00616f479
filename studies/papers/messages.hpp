// SPDX-License-Identifier: BSD-3-Clause
// The ParCo paper's measurements, as far as messages alone explain them: Open MPI's broadcast and
// reduction algorithms over all ranks at once, and level by level, with Hockney's costs of a
// message at each level of a platform. Without contention or protocol, it shows what the number and
// the distance of messages explain, and what they do not.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/rank.hpp"
#include "papers/claim.hpp"
#include "papers/splitting.hpp"

namespace terrace::papers {

/// A message of m bytes between two ranks whose outermost different digit is l takes
/// alpha[l] + m beta[l]; of alpha, the sender is busy with a share.
struct MessageCosts {
  std::vector<double> alpha;  ///< ns, from the outermost level in
  std::vector<double> beta;   ///< ns per byte
  double busy = 1;
  double combine = 0;  ///< ns per byte that a reduction combines
  double segment = 0;  ///< bytes of a piece that is handed on; 0: messages go whole
};

/// Ranks numbered along the machine: part sizes from the outermost level in, and each rank's
/// digits.
struct Numbering {
  std::vector<std::uint32_t> parts;

  std::uint32_t ranks() const;
  /// The outermost level at which two different ranks lie in different parts.
  std::size_t level_between(Rank a, Rank b) const;
};

enum class PaperAlgorithm : std::uint8_t {
  linear,
  chain,  ///< four of them
  pipeline,
  split_binary,
  binary,
  binomial,
  in_order,  ///< a binary tree whose subtrees are runs of ranks
};

inline constexpr PaperAlgorithm kBroadcasts[] = {
    PaperAlgorithm::linear,       PaperAlgorithm::chain,  PaperAlgorithm::pipeline,
    PaperAlgorithm::split_binary, PaperAlgorithm::binary, PaperAlgorithm::binomial};
inline constexpr PaperAlgorithm kReductions[] = {
    PaperAlgorithm::linear, PaperAlgorithm::chain,    PaperAlgorithm::pipeline,
    PaperAlgorithm::binary, PaperAlgorithm::binomial, PaperAlgorithm::in_order};

const char* name_of(PaperAlgorithm algorithm);

/// Broadcast over all `members` at once, their first one being the root. A reduction is the same
/// backwards, if beta has `combine` in it.
double flat_time(PaperAlgorithm algorithm, std::span<const Rank> members,
                 const Numbering& numbering, const MessageCosts& costs, double bytes);

/// The same among the roots of each level's parts, then within each part, and so on.
double time_by_levels(PaperAlgorithm algorithm, std::span<const Rank> members,
                      const Numbering& numbering, const MessageCosts& costs, double bytes,
                      std::size_t level = 0);

/// flat / by levels, over all ranks.
double gain(PaperAlgorithm algorithm, const Numbering& numbering, const MessageCosts& costs,
            double bytes);

/// How many ranks a row has if they lie in a grid that is as square as it can be.
std::uint32_t row_of(std::uint32_t ranks);

/// Costs of messages on a platform, at a point of `message_box()`.
const FactorBox& message_box();
MessageCosts costs_at(const Platform& platform, FactorPoint point);
MessageCosts costs_in_the_middle(const Platform& platform);
const std::vector<double>& message_bytes();

/// Section 7.4: gathering at each of five levels. Sizes of manual levels from the outermost in, or
/// none: the machine's. By node: rank r on node r mod 24, else along the machine.
double vectors_time(std::span<const std::uint32_t> sizes, bool by_node, const MessageCosts& costs,
                    double bytes);

ClaimAnswer gain_of_broadcasts();             // B2
ClaimAnswer gain_of_reductions();             // B3
ClaimAnswer which_reductions_gain();          // B3b
ClaimAnswer gain_of_matrix_multiplication();  // B4
ClaimAnswer gain_of_vector_processing();      // B5

}  // namespace terrace::papers
