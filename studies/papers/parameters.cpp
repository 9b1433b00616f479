// SPDX-License-Identifier: BSD-3-Clause
// Boxes of parameters, and the forms that the paper draws without an equation.
#include "papers/parameters.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace terrace::papers {

using namespace model::hpdc13;

namespace {

/// Rs and Rr are printed for Westmere alone.
constexpr std::size_t kAxesOfBandwidth = 4;

std::vector<Axis> axes_of_bandwidth(double least, double most, double q) {
  return {{"b_alpha (ns/line)", least, most, true},
          {"b_beta / b_alpha", 1, 3, true},
          {"B_alpha / b_alpha", 1 / q, 1, true},
          {"B_beta / b_beta", 1 / q, 1, true}};
}

std::vector<Axis> axes_of_magny_cours() {
  std::vector<Axis> axes = axes_of_bandwidth(4, 16, 8);
  axes.push_back({"Rs (ns)", 30, 70, false});
  axes.push_back({"Rr (ns)", 80, 160, false});
  return axes;
}

constexpr double kMiB = 1024 * 1024;

}  // namespace

const PaperNode& westmere() {
  static const PaperNode node{"Westmere", {6, 2}, {axes_of_bandwidth(2.5, 10, 6)}, 12 * kMiB};
  return node;
}

const PaperNode& magny_cours() {
  static const PaperNode node{"Magny-Cours", {8, 4}, {axes_of_magny_cours()}, 8 * kMiB};
  return node;
}

std::string box_text(const PaperNode& node) {
  const bool has_latencies = node.box.axes.size() > kAxesOfBandwidth;
  return std::string(node.name) + ": " + node.box.text() +
         (has_latencies ? "" : ", Rs = 28.5 ns, Rr = 105.2 ns");
}

Costs parameters_at(const PaperNode& node, FactorPoint point) {
  const bool has_latencies = node.box.axes.size() > kAxesOfBandwidth;
  const double Rs = has_latencies ? point[kAxesOfBandwidth] : kWestmere.Rs;
  const double Rr = has_latencies ? point[kAxesOfBandwidth + 1] : kWestmere.Rr;
  Costs c;
  c.b_alpha = point[0];
  c.b_beta = point[0] * point[1];
  c.B_alpha = c.b_alpha * point[2];
  c.B_beta = c.b_beta * point[3];
  c.a_alpha = Rs - c.b_alpha;  // a + b is the latency of the first line (section 2.1)
  c.a_beta = Rr - c.b_beta;
  return c;
}

Costs parameters_in_the_middle(const PaperNode& node) {
  std::vector<double> point;
  for (const Axis& axis : node.box.axes)
    point.push_back(axis.is_logarithmic ? std::sqrt(axis.from * axis.to)
                                        : (axis.from + axis.to) / 2);
  return parameters_at(node, point);
}

const std::vector<double>& lines_in_cache() {
  static const std::vector<double> lines = [] {
    std::vector<double> powers;
    for (double m = 1; m <= 8192; m *= 2) powers.push_back(m);
    powers.push_back(12'288);
    return powers;
  }();
  return lines;
}

double nary_broadcast(const Costs& c, Threads t, std::uint32_t n, double m) {
  double time = ceil_log(n, t.s) * (c.a_beta + c.b_beta * m);
  for (std::uint64_t have = 1; have < t.q; have *= n) {
    const double readers = static_cast<double>(std::min<std::uint64_t>(have * (n - 1), t.q - have));
    time += c.a_alpha + std::max(c.b_alpha, c.B_alpha * readers) * m;
  }
  return time;
}

double naive_tiles(const Costs& c, Threads t, double m) {
  const double p = t.q * t.s, tile = m / p;
  const double cache = c.a_alpha + std::max(c.b_alpha, c.B_alpha * p) * tile;
  const double link = c.a_beta + std::max(c.b_beta, c.B_beta * t.q) * tile;
  return p * std::max(cache, t.s > 1 ? link : 0);
}

double cyclic_tiles(const Costs& c, Threads t, double m) {
  const double p = t.q * t.s, tile = m / p;
  double time = 0;
  for (std::uint32_t shift = 0; shift < t.q * t.s; ++shift) {
    // q - inner threads of a socket read from one socket, the others from the next one.
    const std::uint32_t inner = shift % t.q, socket = shift / t.q;
    const std::uint32_t near = socket == 0 ? 0 : t.q - inner;
    const std::uint32_t next = socket + 1 == t.s ? 0 : inner;
    const double over_a_link = std::max(near, next);
    const double cache = c.a_alpha + std::max(c.b_alpha, c.B_alpha * t.q) * tile;
    const double link = c.a_beta + std::max(c.b_beta, c.B_beta * over_a_link) * tile;
    time += std::max(cache, over_a_link > 0 ? link : 0);
  }
  return time;
}

double reduction_tree(const Costs& c, Threads t, std::uint32_t n, double m) {
  return equation_1_of_the_text(c, t, n, m) + equation_2(c, t, n, m);
}

double tree_allreduce(const Costs& c, Threads t, double m) {
  return reduction_tree(c, t, 2, m) + equation_4(c, t, m);
}

double dissemination_allreduce(const Costs& c, Threads t, double m) {
  return std::has_single_bit(t.q * t.s) ? equation_6(c, t, m) : equation_7(c, t, m);
}

double tiled_allreduce(const Costs& c, Threads t, double m) {
  return equation_11(c, t, m);
}

}  // namespace terrace::papers
