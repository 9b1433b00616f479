// SPDX-License-Identifier: BSD-3-Clause
// The table of claims: A of the HPDC'13 paper (and what its longer manuscript and its successor
// add), B of the ParCo'18 paper. Letters after a number are parts of a claim that come out
// differently.
#include <array>

#include "papers/by_name.hpp"
#include "papers/claim.hpp"
#include "papers/exact.hpp"
#include "papers/fitted.hpp"
#include "papers/levels.hpp"
#include "papers/messages.hpp"
#include "papers/ratios.hpp"
#include "papers/shapes.hpp"
#include "papers/simulated.hpp"
#include "papers/splitting.hpp"

namespace terrace::papers {
namespace {

using model::hpdc13::kWestmere;

ClaimAnswer three_levels_of_two() {
  constexpr std::array<model::parco18::Level, 3> kLevels = {
      {{2, 1, 1, 1}, {2, 1, 1, 1}, {2, 1, 1, 1}}};
  return gain_of_levels(kLevels);
}

constexpr const char* kTheirCode =
    "their code and their machines; nothing that is printed gives the times of either side";

constexpr const char* kSimulated =
    "our plans, simulated with flags, contention and caches; trees of every radix to q, 64 B, 4, "
    "64 "
    "and 768 KiB";

constexpr const char* kPlansByLevel =
    "the six algorithms by name, over all ranks and _by_level, simulated and costed on the "
    "platforms' machine files, messages between nodes by LogGP; the largest factor over algorithms "
    "and lengths; a point counts within a quarter of each print";

constexpr const char* kTheirMpi =
    "contention and Open MPI 2.0.1's protocols: factors beyond those of the box cannot come from "
    "the number and the distance of messages";

constexpr std::array kClaims = std::to_array<PaperClaim>({
    {"A1", "HPDC'13 3.4, Figure 15",
     "reading a modified line on Westmere takes Rl = 1.2, Rs = 28.5, Rr = 105.2 ns",
     "the parameters of Terrace's model; reproduced if they have these values",
     "they are measurements, taken over as the model's inputs; only such a machine could differ",
     [] { return latencies_of_westmere(kWestmere); }},
    {"A2", "HPDC'13 3.4",
     "an allreduce of one line by the tree on Westmere: "
     "3 (Rs + 2 Rl) + (Rr + 2 Rl) + (Rr + Rl) = 306.7 ns",
     "reads on the longest path, counted by walking the tree; reproduced if the sum is 306.7, and "
     "the "
     "time of our plan too",
     "arithmetic",
     [] {
       return with_simulated_line(line_on_westmere(kWestmere), westmere(), "allreduce.tree", 306.7);
     }},
    {"A3", "HPDC'13 3.4", "measured: 339.8 ns (one line less no line), model to measurement 0.9026",
     "the gap as a time per step, then tried on the other machine",
     "what a step costs beyond its reads; with measured steps on such a machine this would be no "
     "fit",
     measured_line},
    {"A4", "HPDC'13 3.4, Figure 17",
     "Magny-Cours: 3 (Rs + 2 Rl) + 2 (Rr + 2 Rl) + (Rd + Rl) + (Rs + Rl) = 608.4 ns, where Rd > "
     "Rr; measured 647.4",
     "reads on the longest path, counted by walking the tree over a square of sockets; reproduced "
     "if the sum has these terms and our reads, which the paper does not print, make it 608.4",
     "the terms are certain; of the reads only their sum is printed, so Terrace's are one choice "
     "of many",
     [] {
       return with_simulated_line(line_on_magny_cours(kMagnyCours), magny_cours(),
                                  "allreduce.tree_staged", 608.4);
     }},
    {"A5", "HPDC'13 3.4, Figure 18",
     "relative errors of the models of tree and tiles on Westmere are all below 5 %",
     "from when on the error that is printed for one line would be below 5 % if it were the same "
     "time at every length",
     "the figure's curves, which are printed as a picture, and the parameters they used, which are "
     "not printed",
     errors_below_5_percent},
    {"A6", "HPDC'13 3.3, 3.4, Figure 19",
     "tiles overtake the tree at 16 KB on Westmere, 14 KB on Magny-Cours",
     "where (5) and (11) meet; one parameter, B_alpha, fitted at each point of the box of the "
     "others, "
     "between b_alpha / q and b_alpha, then changed by 0.1 ns a line",
     "B_alpha to a tenth of a nanosecond: the crossover is a small difference of large numbers",
     [] { return crossovers(16 * 1024, 14 * 1024); }},
    {"A6s", "HPDC'13 3.3, 3.4, Figure 19", "the same",
     "allreduce.tree with radix 2 and allreduce.tiled, simulated on the machine files with nothing "
     "fitted; reproduced if within a factor of 2 on both",
     "that simulated tiles overlap the reads of all their operands, which the code of 2013 added "
     "up "
     "one after the other between barriers",
     [] { return simulated_crossovers(16 * 1024, 14 * 1024); }},
    {"A7", "HPDC'13 2.2",
     "an n-ary tree over q threads has the height ceil(log_n((n - 1) q + 1)) - 1, about "
     "ceil(log_n q); n = 2 is best",
     "every q up to 300 and n up to q; reproduced if no lower tree holds q threads and none takes "
     "fewer steps of one child than the binary one",
     "arithmetic; it is so because each child costs a whole latency (A12)",
     [] { return height_of_trees(300); }},
    {"A7b", "HPDC'13 2.2, below (3)", "the time of a reduction grows monotonically with n",
     "(n - 1) ceil(log_n q) for every n; reproduced if it never falls",
     "the ceilings: a wider tree may save a level; that n = 2 is best does not hang on it",
     trees_grow_with_radix},
    {"A8", "HPDC'13 2.3, Figure 6",
     "dissemination of 12 threads: 8 of them regularly, the 4 in excess handled per socket, 2 "
     "steps "
     "more",
     "played with sets; reproduced if each thread ends with each value once, in as many steps as "
     "(7) has terms",
     "arithmetic",
     [] {
       return dissemination_of_excess({6, 2});
     }},
    {"A9", "HPDC'13 3.1, Figure 10", "on Westmere, broadcast in one stage is best at all lengths",
     "(4)'s two ways and n-ary trees, one line to 768 KiB",
     "B_beta: whether 6 readers of the other socket get a line for little more than one (caches "
     "that keep what a neighbour fetched) or share the link",
     best_broadcast_on_westmere},
    {"A9s", "HPDC'13 3.1, Figure 10", "the same", kSimulated,
     "B_beta again: a simulated link is shared by all who read over it, and has no neighbour's "
     "copy",
     simulated_broadcast_on_westmere},
    {"A10", "HPDC'13 3.1, Figure 11",
     "on Magny-Cours, broadcast in two stages is best at all lengths", "as A9, 4 sockets of 8",
     "at few lines a_alpha, the second stage's latency, which the equations leave nothing to pay "
     "for: contention of many readers of one line is not in them; at many lines B_beta",
     best_broadcast_on_magny_cours},
    {"A10s", "HPDC'13 3.1, Figure 11", "the same", kSimulated,
     "with contention for single lines the second stage pays from the first line on; at many lines "
     "B_beta decides as in the equations",
     simulated_broadcast_on_magny_cours},
    {"A11", "HPDC'13 3.1", "flatter broadcast trees gain much beyond 768 KB, where L3 is full",
     "our plans, simulated: how much faster the tree of radix q is than the binary one; a point "
     "counts if that is a quarter more at 4 MiB than at 256 KiB",
     "capacities put the step elsewhere, and memory then limits both trees; the code published "
     "with the paper cuts vectors into pieces of 128 KiB a thread, which are 768 KiB for 6 threads",
     simulated_slope_beyond_the_cache},
    {"A12", "HPDC'13 3.1, Figure 12", "binary reduction trees dominate all others on both machines",
     "(3) with (1) as the text tells it, n = 2 to q, one line to 768 KiB",
     "that each child costs a whole latency, as the equations have it; processors overlap reads of "
     "several children",
     best_reduction_tree},
    {"A12s", "HPDC'13 3.1, Figure 12", "the same", kSimulated,
     "with one line, that reads of several children overlap and fewer flags are waited for; with "
     "more, whether n divides q: three of six threads make a round less than two do",
     simulated_reduction_trees},
    {"A13", "HPDC'13 3.2, Figure 13",
     "tiles: cyclic is slightly faster than naive, hierarchical much faster than both",
     "(10), and the rivals with the same parameters: per step the slowest of caches and links",
     "how much of a link many readers get (B_beta), and the latency of p far steps instead of q "
     "near ones",
     order_of_tiles},
    {"A13s", "HPDC'13 3.2, Figure 13", "the same",
     "reduce.tiled_naive, reduce.tiled_cyclic and reduce.tiled_tree, simulated and costed; 8, 64 "
     "and "
     "768 KiB",
     "a step reads all its operands at once here, so their order hardly matters: naive and cyclic "
     "are alike; that tiles within sockets win hangs on how much of their cache many readers get "
     "(B_alpha)",
     order_of_tiles_by_name},
    {"A14", "HPDC'13 3.3, 3.6",
     "dissemination is the worst of the three, but for short vectors, where tiles are",
     "(5), (6) and (7), (11), one line to 768 KiB: worse than the tree throughout, than tiles at "
     "the longest, better than tiles at the shortest",
     "at few lines steps alone count, and of far ones (7) has one less than (5), which the paper "
     "says itself of dissemination; measured, something else must cost it more than its steps",
     worst_of_three},
    {"A14s", "HPDC'13 3.3, 3.6", "the same",
     "allreduce.tree with radix 2, allreduce.tiled_tree and allreduce.dissemination, simulated and "
     "costed; 64 B, 4, 64 and 768 KiB",
     "dissemination has fewer steps than the tree, which wins with one line; that it moves more "
     "makes it lose with many, where links are shared by many, on Magny-Cours",
     worst_of_three_by_name},
    {"A15", "HPDC'13 3.3, Figure 14",
     "on Westmere MPICH2 is worst, then Open MPI and MVAPICH2; HMPI always best",
     "bytes that each way of reaching a buffer moves", kTheirCode, order_of_mpis},
    {"A16", "HPDC'13 3.3",
     "on Westmere 3.6 times faster than Open MPI 1.6, 4.3 than MVAPICH2, 8.8 than MPICH2, in the "
     "mean over lengths",
     "bytes moved, as in A15", kTheirCode, speed_up_over_mpis},
    {"A17", "HPDC'13 abstract, 3.6",
     "allreduce on 192 cores of Xeon nodes and 256 of Opteron nodes: 2.5 and 2.3 times faster than "
     "MVAPICH2, 6.3 and 4.7 than MPICH2",
     "not computed", kTheirCode, not_computed},
    {"A18", "HPDC'13 3.6, Figures 23, 24",
     "broadcast 1.8 and reduction 1.4 times faster than MVAPICH2 on 16 Xeon nodes (2.1 and 1.6 on "
     "Opterons, in the longer manuscript)",
     "not computed", kTheirCode, not_computed},
    {"A19", "HPDC'13 3.5, Figure 20",
     "reduction 1.5 times faster than OpenMP's on Westmere (1.8 on Magny-Cours, in the longer "
     "manuscript)",
     "(3) or (10), whichever is faster, against a sum by one thread after the other",
     "how their OpenMP combines arrays; with 2 threads of today we measure 1.2 to 7.6 "
     "(docs/reference/figures.md)",
     speed_up_over_openmp},
    {"A20", "HPDC'13 3.6, Figure 25", "HMPI's barrier scales better than MVAPICH2's, to 192 cores",
     "not computed", kTheirCode, not_computed},
    {"A21", "HPDC'13 3.7, Figure 26",
     "multiplying a dense matrix of 49152 rows: 1.2 times faster than MVAPICH2 on up to 96 cores",
     "not computed", kTheirCode, not_computed},
    {"A22", "HPDC'13 3.7, Figure 27",
     "building trees for 4 million bodies: 2.8 times faster than MVAPICH2, more with more nodes",
     "not computed", kTheirCode, not_computed},
    {"A23", "HPDC'13 3, 3.4",
     "256 runs averaged, pages of 4 KB, prefetchers on, buffers modified by their owners",
     "a way to measure, not a number", "machines; our models too begin with modified buffers",
     not_computed},
    {"A24", "HPDC'13 3, Figures 8, 9",
     "nodes of 2 x 6 cores (Xeon X5650, 12 MB of inclusive L3 a socket) and 4 x 8 (Opteron 6100, "
     "10 MB, 2 of them for a directory)",
     "the machines in hwloc's words, divided by our splitting; reproduced if parts and cores are "
     "these",
     "arithmetic; what the machines cost is assumed where the paper prints nothing",
     [] { return levels_of_platforms(nodes_of_hpdc13()); }},
    {"A25", "Cluster Computing 17 (2014), abstract",
     "2.3 and 2.1 times faster than the best MPI in the geometric mean, 16 Xeon and 8 Opteron "
     "nodes",
     "not computed", kTheirCode, not_computed},
    {"B1", "ParCo'18 6",
     "a flat-tree broadcast to 8 processes in 3 levels of 2: at least 7/3 times faster by levels",
     "(p - 1)(alpha + m beta) against the sum over levels, with equal parameters; reproduced if it "
     "is 7/3",
     "arithmetic; with faster inner levels it is more", three_levels_of_two},
    {"B2", "ParCo'18 7.2, Figures 5 to 7",
     "broadcast by levels is up to 21 times faster on NTW10E5 (240 cores), 11 on SMP20E7 (160), 22 "
     "on SMP12E5 (96)",
     "six algorithms over all ranks and by levels, with Hockney's costs and our splitting; the "
     "largest factor over algorithms and lengths; a point counts within a quarter of each print",
     kTheirMpi, gain_of_broadcasts},
    {"B2s", "ParCo'18 7.2, Figures 5 to 7", "the same", kPlansByLevel,
     "that links, caches and single lines are shared puts NTW10E5 and SMP20E7 where they were "
     "measured; 22 on SMP12E5 is beyond it, and leaves Open MPI 2.0.1's protocols",
     simulated_broadcasts_by_level},
    {"B3", "ParCo'18 7.2, Figures 8 to 10",
     "reduction by levels is up to 39, 11 and 8 times faster",
     "as B2, backwards, with a cost of combining", kTheirMpi, gain_of_reductions},
    {"B3s", "ParCo'18 7.2, Figures 8 to 10", "the same", kPlansByLevel,
     "39 is beyond what messages and sharing give; on the machines of one node Terrace's plans "
     "gain more than was measured, because a root that reads from 95 or 159 others is slow in the "
     "model",
     simulated_reductions_by_level},
    {"B3b", "ParCo'18 7.2",
     "linear, chain and pipeline gain much by levels, binary, binomial and in-order binary little",
     "as B3; a point counts if each of the three gains more than any of the others",
     "that the three take time in proportion to the ranks, and trees do not",
     which_reductions_gain},
    {"B3bs", "ParCo'18 7.2", "the same",
     "as B3s; a point counts if each of the three gains more than any of the others",
     "chains and binary trees: linear and pipeline gain most and binomial and in-order trees "
     "least, but a binary tree by rank crosses boundaries at every edge, and gains more by levels "
     "than four chains do",
     which_simulated_reductions_gain},
    {"B4", "ParCo'18 7.3, Figures 11 to 13",
     "multiplying matrices by levels is 12, 5 and 6 times faster than without",
     "a block of 8 doubles along a row and a column of ranks in a binary tree, alone on the "
     "machine; a point counts within a quarter of each print",
     "all rows and columns broadcast at once, and contend; and Open MPI's code",
     gain_of_matrix_multiplication},
    {"B4s", "ParCo'18 7.3, Figures 11 to 13", "the same",
     "blocks of 8 doubles in a binary tree along all rows of ranks at once, then down all columns, "
     "as one plan, simulated and costed; a point counts within a quarter of each print",
     "not contention: that all rows and columns broadcast at once is in it now; Open MPI's code, "
     "or what else their times have in them",
     simulated_matrix_multiplication},
    {"B5", "ParCo'18 7.4, Figure 14",
     "on NTW24E5 vectors are processed about 10 times faster along the machine's levels than along "
     "four that were set by hand",
     "a gather at each level, with what the network of each node has to carry; a point counts if "
     "the largest factor over lengths and manual levels is 8 to 12.5",
     "where the ranks were placed, which the paper does not say, and how its network contends",
     gain_of_vector_processing},
    {"B5s", "ParCo'18 7.4, Figure 14", "the same",
     "the gathers of all levels as one plan, simulated and costed; a point counts as in B5",
     "where the ranks were placed: node by node in turn, roots of manual levels lie on a few "
     "nodes, and their network carries what all others send",
     simulated_vector_processing},
    {"B6", "ParCo'18 7.1, Table 1", "3, 3, 4 and 5 hierarchical levels",
     "the machines in hwloc's words, divided by our splitting; reproduced if there are as many "
     "levels",
     "that pairs of NUMA nodes count as a level, as the table's caption says",
     [] { return levels_of_platforms(platforms()); }},
    {"B7", "ParCo'18 5.1, 5.2",
     "which communicators, and which of their roots, each step makes on 4 nodes of 8 cores, and "
     "for "
     "8 processes bound differently",
     "our own splitting, step by step; reproduced if all groups and roots are those listed",
     "the rules of sections 3.2.2 and 3.2.3", [] { return splits_of_examples(examples()); }},
    {"B8", "ParCo'18 1", "18 of 48 applications of the ECP say that they heed topology",
     "a survey that the paper cites; nothing to compute", "the survey (Bernholdt and others, 2018)",
     [] {
       return ClaimAnswer{ClaimVerdict::not_reproduced, "not computed"};
     }},
});

}  // namespace

std::span<const PaperClaim> claims() {
  return kClaims;
}

}  // namespace terrace::papers
