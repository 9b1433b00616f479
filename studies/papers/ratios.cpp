// SPDX-License-Identifier: BSD-3-Clause
// Computes what counts can say about other programs.
#include "papers/ratios.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

#include "papers/parameters.hpp"

namespace terrace::papers {

using namespace model::hpdc13;

namespace {

constexpr double kCopy = 2, kCombine = 3;  // loads and stores per byte

/// gfortran's reduction of an array: each thread adds its copy to the shared one, one after the
/// other. Those of the other sockets have it far away.
double one_after_the_other(const Costs& c, Threads t, double m) {
  const double near = t.q - 1, far = t.q * (t.s - 1);
  return near * (c.a_alpha + c.b_alpha * m) + far * (c.a_beta + c.b_beta * m);
}

double best_reduction(const Costs& c, Threads t, double m) {
  return std::min(reduction_tree(c, t, 2, m), equation_10(c, t, m));
}

/// Over all lengths in cache.
double mean_gain_over_openmp(const PaperNode& node, FactorPoint point) {
  const Costs c = parameters_at(node, point);
  double logarithms = 0;
  for (const double m : lines_in_cache())
    logarithms +=
        std::log(one_after_the_other(c, node.threads, m) / best_reduction(c, node.threads, m));
  return std::exp(logarithms / static_cast<double>(lines_in_cache().size()));
}

std::string gain_on(const PaperNode& node) {
  const Spread gain = spread_of(
      node.box, [&](FactorPoint point) { return mean_gain_over_openmp(node, point); }, 512);
  return std::string(node.name) + " " + number_text(gain.least, 1) + " to " +
         number_text(gain.most, 1);
}

}  // namespace

double moved_directly(double p) {
  return kCombine * (p - 1) + kCopy * (p - 1);
}

double moved_by_staging(double p) {
  return kCopy * p + kCombine * (p - 1) + kCopy * p;
}

double moved_by_messages(double p) {
  const auto regular = static_cast<double>(std::bit_floor(static_cast<unsigned>(p)));
  const double excess = p - regular;
  const double message = 2 * kCopy;
  return regular * std::log2(regular) * (message + kCombine) + excess * (message + kCombine) +
         excess * message;
}

ClaimAnswer order_of_mpis() {
  return {ClaimVerdict::needs_hardware,
          "bytes moved per byte of the vector, p = 12: " + number_text(moved_directly(12)) +
              " in the ranks' own buffers, " + number_text(moved_by_staging(12)) +
              " through shared memory, " + number_text(moved_by_messages(12)) +
              " by messages that are copied in and out: the same order"};
}

ClaimAnswer speed_up_over_mpis() {
  return {ClaimVerdict::needs_hardware,
          "bytes moved say " + number_text(moved_by_staging(12) / moved_directly(12), 1) +
              " for long vectors over staging through shared memory (Open MPI, MVAPICH2), " +
              number_text(moved_by_messages(12) / moved_directly(12), 1) +
              " over messages (MPICH2); the rest is their code"};
}

ClaimAnswer speed_up_over_openmp() {
  return {ClaimVerdict::needs_hardware,
          "an OpenMP that adds one thread's copy after the other would be slower by a factor of " +
              gain_on(westmere()) + ", " + gain_on(magny_cours()) +
              " in the mean over lengths, depending on the parameters",
          std::nullopt, box_text(westmere()) + ". " + box_text(magny_cours())};
}

ClaimAnswer not_computed() {
  return {ClaimVerdict::needs_hardware, "not computed"};
}

}  // namespace terrace::papers
