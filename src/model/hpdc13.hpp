// SPDX-License-Identifier: BSD-3-Clause
// The equations of Li, Hoefler, Snir: NUMA-Aware Shared-Memory Collective Communication for MPI
// (HPDC'13, doi:10.1145/2462902.2462903), one function for each, named after its number. Times are
// in nanoseconds, lengths in cache lines, and may be fractions.
//
// A reader of m lines alone takes a + b m; d readers over one link a + B d m each (section 2.1).
// Where text and equations disagree, both stand here.
#pragma once

#include <cstdint>

namespace terrace::model::hpdc13 {

/// The paper's letters: alpha is within a socket, beta between sockets.
struct Costs {
  double a_alpha = 0, b_alpha = 0, B_alpha = 0;
  double a_beta = 0, b_beta = 0, B_beta = 0;
};

/// p = q s threads.
struct Threads {
  std::uint32_t q = 1;  ///< in each socket
  std::uint32_t s = 1;  ///< sockets
};

/// Smallest k with base^k >= value; base at least 2, value at least 1.
std::uint32_t ceil_log(std::uint32_t base, std::uint64_t value);

/// Section 2.2: the height of an n-ary tree over the q threads of a socket, of which a parent is
/// one of its own children's peers; and what the paper goes on with, since q is large.
std::uint32_t height(std::uint32_t n, std::uint32_t q);
std::uint32_t height_approximated(std::uint32_t n, std::uint32_t q);

/// n-ary reduction within sockets, as printed: one term more than the tree has steps, and readers
/// that become more from step to step.
double equation_1(const Costs&, Threads, std::uint32_t n, double m);
/// Equation 1 as the text below it tells: as many terms as steps, and readers that become fewer
/// upwards, from the ceil(q / n) parents of the first step on.
double equation_1_of_the_text(const Costs&, Threads, std::uint32_t n, double m);
/// n-ary reduction between sockets.
double equation_2(const Costs&, Threads, std::uint32_t n, double m);
/// n-ary reduction.
double equation_3(const Costs&, Threads, std::uint32_t n, double m);
/// Broadcast in two stages or one, whichever is faster, and each of them.
double equation_4(const Costs&, Threads, double m);
double two_stage_broadcast(const Costs&, Threads, double m);
double one_stage_broadcast(const Costs&, Threads, double m);
/// Allreduce by n-ary reduction and broadcast: the "tree".
double equation_5(const Costs&, Threads, std::uint32_t n, double m);
/// Dissemination by a power of two of threads; and by any other number, in which the threads of
/// each socket beyond the largest power of two take two steps more.
double equation_6(const Costs&, Threads, double m);
double equation_7(const Costs&, Threads, double m);
/// Tiled reduction: within sockets, between them, both.
double equation_8(const Costs&, Threads, double m);
double equation_9(const Costs&, Threads, double m);
double equation_10(const Costs&, Threads, double m);
/// Allreduce by tiled reduction and broadcast.
double equation_11(const Costs&, Threads, double m);

/// Section 3.4: equation (5) with n = 2 on Westmere (q = 6, s = 2), as unfolded there: three steps
/// within a socket, of which the first has two readers, and a broadcast of one stage.
double tree_on_westmere(const Costs&, double m);
/// The length from which equation (11), broadcast in one stage, is faster than that. Negative or
/// infinite if it never is. Small differences of large numbers: 0.1 ns in a bandwidth move it by a
/// third (docs/design/equations.md).
double crossover_on_westmere(const Costs&);

/// Section 3.4, in reads of one modified line: in the own L1, in another of the socket, in another
/// of a socket next to it, in one of the socket diagonally opposite.
struct Reads {
  double Rl = 0, Rs = 0, Rr = 0, Rd = 0;
};
inline constexpr Reads kWestmere{1.2, 28.5, 105.2,
                                 0};  ///< Figure 15; its two sockets are neighbours

/// An allreduce of one line by the tree; 306.7 ns in the paper, which measured 339.8.
double line_tree_on_westmere(const Reads&);
/// 608.4 ns in the paper, which measured 647.4; it does not print the reads themselves.
double line_tree_on_magny_cours(const Reads&);

}  // namespace terrace::model::hpdc13
