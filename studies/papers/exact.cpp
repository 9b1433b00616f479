// SPDX-License-Identifier: BSD-3-Clause
// Checks sums, heights and counts.
#include "papers/exact.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <vector>

namespace terrace::papers {

using namespace model::hpdc13;

namespace {

ClaimVerdict exact(bool holds) {
  return holds ? ClaimVerdict::reproduced : ClaimVerdict::not_reproduced;
}

bool prints(double number, double printed) {
  return std::abs(number - printed) < 0.05;
}

/// A step of a reduction: the parent reads its child's line and its own, and writes.
void add_step(double Reads::*child, Reads& counts) {
  counts.*child += 1;
  counts.Rl += 2;
}

/// A stage of a broadcast: reads and writes.
void add_stage(double Reads::*from, Reads& counts) {
  counts.*from += 1;
  counts.Rl += 1;
}

/// "4 Rs + 2 Rr + Rd + 12 Rl"
std::string text_of(const Reads& counts) {
  std::string text;
  const auto add = [&text](double count, const char* name) {
    if (count == 0) return;
    text += (text.empty() ? "" : " + ") + (count == 1 ? "" : number_text(count) + " ") + name;
  };
  add(counts.Rs, "Rs");
  add(counts.Rr, "Rr");
  add(counts.Rd, "Rd");
  add(counts.Rl, "Rl");
  return text;
}

/// (n - 1) messages for each of so many steps: equation (1) with a = 1 and no bandwidth.
double steps_of_tree(std::uint32_t q, std::uint32_t n) {
  return (n - 1) * static_cast<double>(height_approximated(n, q));
}

/// Whether no lower tree holds q threads.
bool is_lowest(std::uint32_t n, std::uint32_t q, std::uint32_t h) {
  const auto holds = [n](std::uint32_t height_of_tree) {
    return (std::pow(n, height_of_tree + 1) - 1) / (n - 1);
  };
  return q <= holds(h) && (h == 0 || q > holds(h - 1));
}

/// How often each thread has each thread's value, as dissemination goes on.
using Counts = std::vector<std::vector<int>>;

void add(Counts& to, std::size_t rank, const Counts& from, std::size_t other) {
  for (std::size_t i = 0; i < to.size(); ++i) to[rank][i] += from[other][i];
}

/// One step of the threads `members`: each takes over what the one `distance` before it has.
void disseminate(Counts& counts, const std::vector<std::size_t>& members, std::size_t distance) {
  const Counts before = counts;
  for (std::size_t j = 0; j < members.size(); ++j) {
    const std::size_t other = (j + members.size() - distance) % members.size();
    add(counts, members[j], before, members[other]);
  }
}

}  // namespace

Reads reads_of_line_tree(Threads threads, Sockets sockets, bool in_two_stages) {
  Reads counts;
  for (std::uint32_t left = threads.q; left > 1; left = (left + 1) / 2)
    add_step(&Reads::Rs, counts);
  // The other half is next to this one in either direction: only a corner is diagonally opposite.
  for (std::uint32_t left = threads.s; left > 1; left = (left + 1) / 2)
    add_step(&Reads::Rr, counts);
  const bool has_corner = sockets == Sockets::square && threads.s > 2;
  add_stage(has_corner ? &Reads::Rd : &Reads::Rr, counts);
  if (in_two_stages) add_stage(&Reads::Rs, counts);
  return counts;
}

double price_of(const Reads& counts, const Reads& prices) {
  return counts.Rl * prices.Rl + counts.Rs * prices.Rs + counts.Rr * prices.Rr +
         counts.Rd * prices.Rd;
}

ClaimAnswer latencies_of_westmere(const Reads& reads) {
  const bool holds = prints(reads.Rl, 1.2) && prints(reads.Rs, 28.5) && prints(reads.Rr, 105.2);
  return {exact(holds), "Rl = " + number_text(reads.Rl, 1) + ", Rs = " + number_text(reads.Rs, 1) +
                            ", Rr = " + number_text(reads.Rr, 1) + " ns"};
}

ClaimAnswer line_on_westmere(const Reads& reads) {
  const Reads counts = reads_of_line_tree({6, 2}, Sockets::neighbours, false);
  const double time = price_of(counts, reads);
  const bool holds = prints(time, 306.7) && prints(line_tree_on_westmere(reads), time);
  return {exact(holds), text_of(counts) + " = " + number_text(time, 1) + " ns"};
}

ClaimAnswer line_on_magny_cours(const Reads& reads) {
  const Reads counts = reads_of_line_tree({8, 4}, Sockets::square, true);
  const double time = price_of(counts, reads);
  const bool is_the_sum = prints(line_tree_on_magny_cours(reads), time);
  const bool holds = is_the_sum && prints(time, 608.4) && reads.Rd > reads.Rr;
  return {exact(holds),
          text_of(counts) + " = " + number_text(time, 1) +
              " ns with Rl = " + number_text(reads.Rl, 2) + ", Rs = " + number_text(reads.Rs, 0) +
              ", Rr = " + number_text(reads.Rr, 0) + ", Rd = " + number_text(reads.Rd, 1)};
}

ClaimAnswer height_of_trees(std::uint32_t most_threads) {
  bool heights = true, binary = true;
  std::size_t lower = 0, trees = 0;
  for (std::uint32_t q = 2; q <= most_threads; ++q)
    for (std::uint32_t n = 2; n <= q; ++n) {
      heights = heights && is_lowest(n, q, height(n, q));
      binary = binary && steps_of_tree(q, 2) <= steps_of_tree(q, n);
      lower += height_approximated(n, q) > height(n, q) ? 1 : 0;
      ++trees;
    }
  return {exact(heights && binary),
          "for q up to " + std::to_string(most_threads) +
              " and n up to q: h is the lowest that holds q threads, and n = 2 is never beaten; "
              "ceil(log_n q) is one more than h in " +
              percent_text(static_cast<double>(lower) / static_cast<double>(trees)) + " of them"};
}

ClaimAnswer trees_grow_with_radix() {
  std::string counter_example;
  for (std::uint32_t q = 2; q <= 64 && counter_example.empty(); ++q)
    for (std::uint32_t n = 3; n <= q; ++n)
      if (steps_of_tree(q, n) < steps_of_tree(q, n - 1)) {
        counter_example = "q = " + std::to_string(q) + ": n = " + std::to_string(n - 1) +
                          " takes " + number_text(steps_of_tree(q, n - 1)) +
                          " (a + b m), n = " + std::to_string(n) + " takes " +
                          number_text(steps_of_tree(q, n));
        break;
      }
  return {exact(counter_example.empty()), counter_example};
}

ClaimAnswer dissemination_of_excess(Threads threads) {
  const std::size_t regular = std::bit_floor(threads.q), excess = threads.q - regular;
  const std::size_t p = threads.q * threads.s;
  Counts counts(p, std::vector<int>(p, 0));
  for (std::size_t rank = 0; rank < p; ++rank) counts[rank][rank] = 1;
  const auto thread = [&](std::size_t socket, std::size_t i) { return socket * threads.q + i; };
  const auto of_sockets = [&](auto step) {
    for (std::size_t socket = 0; socket < threads.s; ++socket) step(socket);
  };
  std::size_t steps = excess > 0 ? 2 : 0;
  of_sockets([&](std::size_t socket) {
    for (std::size_t i = 0; i < excess; ++i)
      add(counts, thread(socket, i), counts, thread(socket, regular + i));
  });
  for (std::size_t distance = 1; distance < regular; distance *= 2, ++steps)
    of_sockets([&](std::size_t socket) {
      std::vector<std::size_t> members;
      for (std::size_t i = 0; i < regular; ++i) members.push_back(thread(socket, i));
      disseminate(counts, members, distance);
    });
  for (std::size_t distance = 1; distance < threads.s; distance *= 2, ++steps)
    for (std::size_t i = 0; i < regular; ++i) {
      std::vector<std::size_t> members;
      of_sockets([&](std::size_t socket) { members.push_back(thread(socket, i)); });
      disseminate(counts, members, distance);
    }
  of_sockets([&](std::size_t socket) {
    for (std::size_t i = 0; i < excess; ++i)
      counts[thread(socket, regular + i)] = counts[thread(socket, i)];
  });
  const bool is_right = std::ranges::all_of(counts, [](const std::vector<int>& row) {
    return std::ranges::all_of(row, [](int count) { return count == 1; });
  });
  const double terms = equation_7({1, 0, 0, 1, 0, 0}, threads, 1);
  const bool holds = is_right && terms == static_cast<double>(steps);
  return {exact(holds), std::to_string(regular * threads.s) + " + " +
                            std::to_string(excess * threads.s) + " excess threads (" +
                            std::to_string(excess) + " per socket), " + std::to_string(steps) +
                            " steps, as many as equation (7) has terms; " +
                            (is_right ? "every thread ends with each value exactly once"
                                      : "some thread ends with a value twice or never")};
}

ClaimAnswer gain_of_levels(std::span<const model::parco18::Level> levels) {
  model::parco18::Level all{1, levels.front().alpha, levels.front().beta, levels.front().m};
  for (const model::parco18::Level& level : levels) all.p *= level.p;
  const double flat = model::parco18::flat_tree(all);
  const double by_levels = model::parco18::hierarchical_flat_tree(levels);
  const double unit = all.alpha + all.m * all.beta;
  const bool holds = std::abs(flat / by_levels - 7.0 / 3) < 1e-9;
  return {exact(holds), number_text(flat / unit, 0) + " against " +
                            number_text(by_levels / unit, 0) +
                            " messages: " + number_text(flat / by_levels, 3)};
}

}  // namespace terrace::papers
