// SPDX-License-Identifier: BSD-3-Clause
// The equations, in the paper's symbols and order.
#include "model/hpdc13.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace terrace::model::hpdc13 {

std::uint32_t ceil_log(std::uint32_t base, std::uint64_t value) {
  std::uint32_t exponent = 0;
  for (std::uint64_t power = 1; power < value; ++exponent) {
    if (power > value / base) return exponent + 1;  // the next power is beyond, and may not fit
    power *= base;
  }
  return exponent;
}

std::uint32_t height(std::uint32_t n, std::uint32_t q) {
  return ceil_log(n, std::uint64_t{n - 1} * q + 1) - 1;
}

std::uint32_t height_approximated(std::uint32_t n, std::uint32_t q) {
  return ceil_log(n, q);
}

double equation_1(const Costs& c, Threads t, std::uint32_t n, double m) {
  double sum = 0;
  for (std::uint32_t i = 0; i <= ceil_log(n, t.q); ++i)
    sum += std::max(c.a_alpha + c.b_alpha * m, c.a_alpha + c.B_alpha * std::pow(n, i) * m);
  return (n - 1) * sum;
}

double equation_1_of_the_text(const Costs& c, Threads t, std::uint32_t n, double m) {
  double sum = 0;
  for (std::uint32_t left = t.q; left > 1;) {
    left = (left + n - 1) / n;
    sum += std::max(c.a_alpha + c.b_alpha * m, c.a_alpha + c.B_alpha * left * m);
  }
  return (n - 1) * sum;
}

double equation_2(const Costs& c, Threads t, std::uint32_t n, double m) {
  return (n - 1) * (c.a_beta + c.b_beta * m) * ceil_log(n, t.s);
}

double equation_3(const Costs& c, Threads t, std::uint32_t n, double m) {
  return equation_1(c, t, n, m) + equation_2(c, t, n, m);
}

double two_stage_broadcast(const Costs& c, Threads t, double m) {
  return c.a_alpha + c.B_alpha * (t.q - 1) * m + c.a_beta + c.b_beta * m;
}

double one_stage_broadcast(const Costs& c, Threads t, double m) {
  return c.a_beta + c.B_beta * t.q * m;
}

double equation_4(const Costs& c, Threads t, double m) {
  return std::min(two_stage_broadcast(c, t, m), one_stage_broadcast(c, t, m));
}

double equation_5(const Costs& c, Threads t, std::uint32_t n, double m) {
  return equation_3(c, t, n, m) + equation_4(c, t, m);
}

double equation_6(const Costs& c, Threads t, double m) {
  return (c.a_alpha + c.B_alpha * t.q * m) * ceil_log(2, t.q) +
         (c.a_beta + c.B_beta * t.q * m) * ceil_log(2, t.s);
}

double equation_7(const Costs& c, Threads t, double m) {
  const std::uint32_t q_ = std::bit_floor(t.q), r = t.q - q_;
  return (c.a_alpha + c.B_alpha * q_ * m) * ceil_log(2, q_) +
         (c.a_beta + c.B_beta * q_ * m) * ceil_log(2, t.s) + 2 * (c.a_alpha + c.B_alpha * r * m);
}

double equation_8(const Costs& c, Threads t, double m) {
  return c.a_alpha * t.q + c.B_alpha * t.q * m;
}

double equation_9(const Costs& c, Threads t, double m) {
  return (c.a_beta + c.B_beta * m) * ceil_log(2, t.s);
}

double equation_10(const Costs& c, Threads t, double m) {
  return equation_8(c, t, m) + equation_9(c, t, m);
}

double equation_11(const Costs& c, Threads t, double m) {
  return equation_10(c, t, m) + equation_4(c, t, m);
}

double tree_on_westmere(const Costs& c, double m) {
  constexpr double q = 6;
  return (c.a_alpha + 2 * c.B_alpha * m) + 2 * (c.a_alpha + c.b_alpha * m) +
         (c.a_beta + c.b_beta * m) + (c.a_beta + c.B_beta * q * m);
}

double crossover_on_westmere(const Costs& c) {
  return 3 * c.a_alpha / (2 * c.b_alpha - 4 * c.B_alpha + c.b_beta - c.B_beta);
}

double line_tree_on_westmere(const Reads& r) {
  return 3 * (r.Rs + 2 * r.Rl) + (r.Rr + 2 * r.Rl) + (r.Rr + r.Rl);
}

double line_tree_on_magny_cours(const Reads& r) {
  return 3 * (r.Rs + 2 * r.Rl) + 2 * (r.Rr + 2 * r.Rl) + (r.Rd + r.Rl) + (r.Rs + r.Rl);
}

}  // namespace terrace::model::hpdc13
