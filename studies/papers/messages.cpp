// SPDX-License-Identifier: BSD-3-Clause
// Builds trees of messages, and computes their times.
#include "papers/messages.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace terrace::papers {
namespace {

/// Children of each member, by their positions; a parent comes before its children in `order`.
struct Tree {
  std::vector<std::vector<std::size_t>> children;
  std::vector<std::size_t> order;

  explicit Tree(std::size_t members) : children(members) {}
  void add(std::size_t parent, std::size_t child) { children[parent].push_back(child); }
};

void add_chains(Tree& tree, std::size_t chains) {
  const std::size_t members = tree.children.size(), length = (members - 1 + chains - 1) / chains;
  for (std::size_t i = 1; i < members; ++i) tree.add((i - 1) % length == 0 ? 0 : i - 1, i);
}

/// Of the positions from `first` to `last`, the first is the root; two runs of the others follow.
void add_runs(Tree& tree, std::size_t first, std::size_t last) {
  if (first == last) return;
  const std::size_t middle = first + (last - first + 1) / 2;
  tree.add(first, first + 1);
  add_runs(tree, first + 1, middle);
  if (middle == last) return;
  tree.add(first, middle + 1);
  add_runs(tree, middle + 1, last);
}

void add_binomial(Tree& tree) {
  const std::size_t members = tree.children.size();
  std::size_t distance = 1;
  while (distance < members) distance *= 2;
  for (distance /= 2; distance > 0; distance /= 2)
    for (std::size_t i = 0; i + distance < members; i += 2 * distance) tree.add(i, i + distance);
}

Tree tree_of(PaperAlgorithm algorithm, std::size_t members) {
  Tree tree(members);
  if (algorithm == PaperAlgorithm::linear) add_chains(tree, members > 1 ? members - 1 : 1);
  if (algorithm == PaperAlgorithm::chain) add_chains(tree, 4);
  if (algorithm == PaperAlgorithm::pipeline) add_chains(tree, 1);
  if (algorithm == PaperAlgorithm::binomial) add_binomial(tree);
  if (algorithm == PaperAlgorithm::in_order) add_runs(tree, 0, members - 1);
  if (algorithm == PaperAlgorithm::binary || algorithm == PaperAlgorithm::split_binary)
    for (std::size_t i = 1; i < members; ++i) tree.add((i - 1) / 2, i);
  tree.order = {0};
  for (std::size_t i = 0; i < tree.order.size(); ++i)
    for (const std::size_t child : tree.children[tree.order[i]]) tree.order.push_back(child);
  return tree;
}

std::size_t pieces(const MessageCosts& costs, double bytes) {
  if (costs.segment <= 0) return 1;
  return static_cast<std::size_t>(std::max(1.0, std::ceil(bytes / costs.segment)));
}

/// What a message to a child takes: of the sender, and until it is there.
struct Edge {
  std::size_t child;
  double busy, flight;
};

std::vector<Edge> edges_of(const Tree& tree, std::size_t at, std::span<const Rank> members,
                           const Numbering& numbering, const MessageCosts& costs, double length) {
  std::vector<Edge> edges;
  for (const std::size_t child : tree.children[at]) {
    const std::size_t level = numbering.level_between(members[at], members[child]);
    edges.push_back({child, costs.busy * costs.alpha[level] + length * costs.beta[level],
                     (1 - costs.busy) * costs.alpha[level]});
  }
  return edges;
}

/// Each member hands on each piece to its children, one after the other, as soon as it has it.
double time_down(const Tree& tree, std::span<const Rank> members, const Numbering& numbering,
                 const MessageCosts& costs, double bytes) {
  const std::size_t count = pieces(costs, bytes);
  const double length = bytes / static_cast<double>(count);
  std::vector<double> arrivals(members.size() * count, 0);
  double last = 0;
  for (const std::size_t at : tree.order) {
    const std::vector<Edge> edges = edges_of(tree, at, members, numbering, costs, length);
    double clock = 0;
    for (std::size_t piece = 0; piece < count; ++piece) {
      clock = std::max(clock, arrivals[at * count + piece]);
      for (const Edge& edge : edges) {
        clock += edge.busy;
        arrivals[edge.child * count + piece] = clock + edge.flight;
      }
    }
    last = std::max(last, clock);
  }
  return last;
}

/// Members in parts of a level, in order.
std::vector<std::vector<Rank>> parts_at(std::size_t level, std::span<const Rank> members,
                                        const Numbering& numbering) {
  std::vector<std::vector<Rank>> parts;
  for (const Rank rank : members) {
    const bool opens =
        parts.empty() || numbering.level_between(parts.back().front(), rank) <= level;
    if (opens) parts.emplace_back();
    parts.back().push_back(rank);
  }
  return parts;
}

std::vector<Rank> first_ranks(std::uint32_t count, std::uint32_t stride = 1) {
  std::vector<Rank> ranks;
  for (Rank i = 0; i < count; ++i) ranks.push_back(i * stride);
  return ranks;
}

/// The platform's parts; those of our own machines cannot fail to be read.
Numbering numbering_of(const Platform& platform) {
  const auto parts = programs_of(platform);
  return {parts ? parts.value() : std::vector<std::uint32_t>{1}};
}

MessageCosts combining(MessageCosts costs) {
  for (double& beta : costs.beta) beta += costs.combine;
  return costs;
}

double largest_gain(std::span<const PaperAlgorithm> algorithms, const Numbering& numbering,
                    const MessageCosts& costs) {
  double most = 0;
  for (const PaperAlgorithm algorithm : algorithms)
    for (const double bytes : message_bytes())
      most = std::max(most, gain(algorithm, numbering, costs, bytes));
  return most;
}

constexpr std::size_t kPointsOfMessages = 256;
constexpr double kNearPrinted = 1.25;

struct Printed {
  std::size_t platform;
  double gain;
};

/// A factor at every point of the box, next to a printed one.
struct Factors {
  Spread spread;
  double share_near = 0;  ///< within a quarter of the printed one
};

template <class Factor>
Factors factors_near(double printed, Factor factor) {
  std::size_t near = 0;
  const Spread spread = spread_of(
      message_box(),
      [&](FactorPoint point) {
        const double value = factor(point);
        near += value < printed * kNearPrinted && value > printed / kNearPrinted ? 1 : 0;
        return value;
      },
      kPointsOfMessages);
  return {spread, static_cast<double>(near) / kPointsOfMessages};
}

ClaimVerdict verdict_on_share(double share) {
  return share >= kMostOfTheBox ? ClaimVerdict::holds_in_box : ClaimVerdict::not_reproduced;
}

/// "NTW10E5 9.0 to 21.0, median 15.0 (printed 21, within a quarter of it in 12 % of the box)".
template <class Gain>
ClaimAnswer judge(std::span<const Printed> printed, Gain gain_on) {
  std::string text;
  double smallest = 1;
  for (const Printed& one : printed) {
    const Platform& platform = platforms()[one.platform];
    const Numbering numbering = numbering_of(platform);
    const Factors factors = factors_near(
        one.gain, [&](FactorPoint point) { return gain_on(numbering, costs_at(platform, point)); });
    smallest = std::min(smallest, factors.share_near);
    text += (text.empty() ? "" : "; ") + std::string(platform.name) + " " +
            number_text(factors.spread.least, 1) + " to " + number_text(factors.spread.most, 1) +
            ", median " + number_text(factors.spread.median, 1) + " (printed " +
            number_text(one.gain) + ", within a quarter of it in " +
            percent_text(factors.share_near) + " of the box)";
  }
  return {verdict_on_share(smallest), text, smallest, message_box().text()};
}

/// A block of 8 doubles along a row and a column, in a binary tree.
double gain_of_summa(const Numbering& numbering, const MessageCosts& costs) {
  constexpr double kBlock = 8 * sizeof(double);
  const std::uint32_t row = row_of(numbering.ranks());
  const std::vector<Rank> along = first_ranks(row);
  const std::vector<Rank> down = first_ranks(numbering.ranks() / row, row);
  const auto both = [&](auto time) {
    return time(PaperAlgorithm::binary, along) + time(PaperAlgorithm::binary, down);
  };
  const double flat = both([&](PaperAlgorithm algorithm, const std::vector<Rank>& members) {
    return flat_time(algorithm, members, numbering, costs, kBlock);
  });
  const double by_levels = both([&](PaperAlgorithm algorithm, const std::vector<Rank>& members) {
    return time_by_levels(algorithm, members, numbering, costs, kBlock);
  });
  return flat / by_levels;
}

constexpr std::uint32_t kNodes = 24, kCoresOfNode = 24, kCoresOfNuma = 6, kCoresOfPackage = 12;
constexpr std::uint32_t kRanks = kNodes * kCoresOfNode;

std::uint32_t switch_of(std::uint32_t node) {
  std::uint32_t index = 0;
  for (const std::uint32_t nodes : platforms()[3].switches) {
    if (node < nodes) break;
    node -= nodes;
    ++index;
  }
  return index;
}

/// Of NTW24E5, as its levels are numbered: switch, node, package, NUMA node, core.
std::size_t level_between_cores(std::uint32_t a, std::uint32_t b) {
  if (switch_of(a / kCoresOfNode) != switch_of(b / kCoresOfNode)) return 0;
  if (a / kCoresOfNode != b / kCoresOfNode) return 1;
  if (a / kCoresOfPackage != b / kCoresOfPackage) return 2;
  return a / kCoresOfNuma != b / kCoresOfNuma ? 3 : 4;
}

using Groups = std::vector<std::vector<std::uint32_t>>;  ///< of cores; the first of each gathers

/// Every group gathers at once: the slowest root, or the node whose network has most to carry.
double gather_time(const Groups& groups, const MessageCosts& costs, double bytes) {
  double slowest = 0;
  std::vector<double> carried(kNodes, 0);
  for (const std::vector<std::uint32_t>& group : groups) {
    double time = 0;
    for (std::size_t i = 1; i < group.size(); ++i) {
      const std::size_t level = level_between_cores(group[0], group[i]);
      time += costs.alpha[level] + bytes * costs.beta[level];
      if (level > 1) continue;
      for (const std::uint32_t core : {group[0], group[i]})
        carried[core / kCoresOfNode] += bytes * costs.beta[level];
    }
    slowest = std::max(slowest, time);
  }
  return std::max(slowest, *std::ranges::max_element(carried));
}

/// Levels of the machine, innermost first: cores of a NUMA node, then roots further out.
std::vector<Groups> groups_of_machine() {
  std::vector<Groups> levels(5);
  for (std::uint32_t core = 0; core < kRanks; ++core) {
    const bool is_numa = core % kCoresOfNuma == 0, is_package = core % kCoresOfPackage == 0;
    const bool is_node = core % kCoresOfNode == 0;
    const std::uint32_t node = core / kCoresOfNode;
    const bool is_switch = is_node && (node == 0 || switch_of(node) != switch_of(node - 1));
    const auto enter = [core](Groups& groups, bool opens) {
      if (opens) groups.emplace_back();
      groups.back().push_back(core);
    };
    enter(levels[0], is_numa);
    if (is_numa) enter(levels[1], is_package);
    if (is_package) enter(levels[2], is_node);
    if (is_node) enter(levels[3], is_switch);
    if (is_switch) enter(levels[4], core == 0);
  }
  return levels;
}

std::vector<Groups> groups_of_sizes(std::span<const std::uint32_t> sizes, bool by_node) {
  std::vector<Groups> levels;
  std::uint32_t stride = 1;
  for (std::size_t i = sizes.size(); i-- > 0; stride *= sizes[i]) {
    levels.emplace_back();
    for (std::uint32_t rank = 0; rank < kRanks; rank += stride) {
      if (rank % (stride * sizes[i]) == 0) levels.back().emplace_back();
      const std::uint32_t core = by_node ? rank % kNodes * kCoresOfNode + rank / kNodes : rank;
      levels.back().back().push_back(core);
    }
  }
  return levels;
}

constexpr std::uint32_t kManual[4][5] = {
    {3, 4, 2, 3, 8}, {6, 2, 2, 3, 8}, {3, 2, 2, 8, 6}, {3, 2, 4, 6, 4}};

/// Of the slowest manual levels over the machine's, the most over all lengths; and whether the
/// machine's are always the fastest.
struct VectorGain {
  double most = 0;
  bool is_always_best = true;
};

VectorGain vector_gain(bool by_node, const MessageCosts& costs) {
  VectorGain answer;
  for (const double bytes : message_bytes()) {
    const double machine = vectors_time({}, false, costs, bytes);
    for (const auto& sizes : kManual) {
      const double gain = vectors_time(sizes, by_node, costs, bytes) / machine;
      answer.most = std::max(answer.most, gain);
      answer.is_always_best = answer.is_always_best && gain > 1;
    }
  }
  return answer;
}

}  // namespace

std::uint32_t row_of(std::uint32_t ranks) {
  auto row = static_cast<std::uint32_t>(std::ceil(std::sqrt(ranks)));
  while (ranks % row != 0) ++row;
  return row;
}

std::uint32_t Numbering::ranks() const {
  std::uint32_t product = 1;
  for (const std::uint32_t part : parts) product *= part;
  return product;
}

std::size_t Numbering::level_between(Rank a, Rank b) const {
  std::size_t level = parts.size() - 1;
  for (std::size_t i = parts.size(); i-- > 0; a /= parts[i], b /= parts[i])
    if (a % parts[i] != b % parts[i]) level = i;
  return level;
}

const char* name_of(PaperAlgorithm algorithm) {
  constexpr const char* kNames[] = {"linear", "chain",    "pipeline",       "split binary",
                                    "binary", "binomial", "in-order binary"};
  return kNames[static_cast<std::size_t>(algorithm)];
}

double flat_time(PaperAlgorithm algorithm, std::span<const Rank> members,
                 const Numbering& numbering, const MessageCosts& costs, double bytes) {
  if (members.size() < 2) return 0;
  const bool splits = algorithm == PaperAlgorithm::split_binary && members.size() > 2;
  const Tree tree = tree_of(algorithm, members.size());
  const double part = splits ? bytes / 2 : bytes;
  double time = time_down(tree, members, numbering, costs, part);
  if (splits) {  // the two halves are exchanged between the two subtrees
    const std::size_t level = numbering.level_between(members.front(), members.back());
    time += costs.alpha[level] + part * costs.beta[level];
  }
  return time;
}

double time_by_levels(PaperAlgorithm algorithm, std::span<const Rank> members,
                      const Numbering& numbering, const MessageCosts& costs, double bytes,
                      std::size_t level) {
  if (members.size() < 2 || level == numbering.parts.size()) return 0;
  std::vector<Rank> roots;
  double slowest = 0;
  for (const std::vector<Rank>& part : parts_at(level, members, numbering)) {
    roots.push_back(part.front());
    slowest =
        std::max(slowest, time_by_levels(algorithm, part, numbering, costs, bytes, level + 1));
  }
  return flat_time(algorithm, roots, numbering, costs, bytes) + slowest;
}

double gain(PaperAlgorithm algorithm, const Numbering& numbering, const MessageCosts& costs,
            double bytes) {
  const std::vector<Rank> all = first_ranks(numbering.ranks());
  return flat_time(algorithm, all, numbering, costs, bytes) /
         time_by_levels(algorithm, all, numbering, costs, bytes);
}

const FactorBox& message_box() {
  static const FactorBox box{{{"alpha of the nearest (us)", 0.2, 0.6, true},
                              {"alpha per level outwards", 1, 3, true},
                              {"alpha of the network over the node's", 2, 10, true},
                              {"beta of the nearest (ns/B)", 0.1, 0.5, true},
                              {"beta per level outwards", 1, 2, true},
                              {"share of alpha that the sender is busy", 0.3, 1, false},
                              {"combining (ns/B)", 0.1, 0.5, true},
                              {"pieces of 32 KiB if > 0.5, else whole", 0, 1, false}}};
  return box;
}

MessageCosts costs_at(const Platform& platform, FactorPoint point) {
  MessageCosts costs;
  double alpha = 1000 * point[0], beta = point[3];
  const std::size_t levels = platform.levels;
  const std::size_t of_network = platform.nodes == 1 ? 0 : 1 + (platform.switches.empty() ? 0 : 1);
  costs.alpha.resize(levels);
  costs.beta.resize(levels);
  for (std::size_t level = levels; level-- > 0;) {
    costs.alpha[level] = alpha;
    costs.beta[level] = beta;
    const bool leaves_node = level == of_network;
    alpha *= leaves_node ? point[2] : level > of_network ? point[1] : 1.2;  // a switch further
    beta *= point[4];
  }
  costs.busy = point[5];
  costs.combine = point[6];
  costs.segment = point[7] > 0.5 ? 32 * 1024 : 0;
  return costs;
}

MessageCosts costs_in_the_middle(const Platform& platform) {
  std::vector<double> point;
  for (const Axis& axis : message_box().axes)
    point.push_back(axis.is_logarithmic ? std::sqrt(axis.from * axis.to)
                                        : (axis.from + axis.to) / 2);
  return costs_at(platform, point);
}

const std::vector<double>& message_bytes() {
  static const std::vector<double> bytes = {4, 1024, 65'536, 1'048'576};
  return bytes;
}

double vectors_time(std::span<const std::uint32_t> sizes, bool by_node, const MessageCosts& costs,
                    double bytes) {
  double time = 0;
  for (const Groups& groups : sizes.empty() ? groups_of_machine() : groups_of_sizes(sizes, by_node))
    time += gather_time(groups, costs, bytes);
  return time;
}

ClaimAnswer gain_of_broadcasts() {
  constexpr Printed kPrinted[] = {{2, 21}, {1, 11}, {0, 22}};
  return judge(kPrinted, [](const Numbering& numbering, const MessageCosts& costs) {
    return largest_gain(kBroadcasts, numbering, costs);
  });
}

ClaimAnswer gain_of_reductions() {
  constexpr Printed kPrinted[] = {{2, 39}, {1, 11}, {0, 8}};
  return judge(kPrinted, [](const Numbering& numbering, const MessageCosts& costs) {
    return largest_gain(kReductions, numbering, combining(costs));
  });
}

ClaimAnswer which_reductions_gain() {
  const std::span<const PaperAlgorithm> all(kReductions);
  double smallest = 1;
  std::string text;
  for (const std::size_t index : {2u, 1u, 0u}) {
    const Platform& platform = platforms()[index];
    const Numbering numbering = numbering_of(platform);
    const BoxShare share = share_of(
        message_box(),
        [&](FactorPoint point) {
          const MessageCosts costs = combining(costs_at(platform, point));
          const auto most = [&](std::size_t i) {
            return largest_gain(all.subspan(i, 1), numbering, costs);
          };
          return std::min({most(0), most(1), most(2)}) > std::max({most(3), most(4), most(5)});
        },
        kPointsOfMessages);
    smallest = std::min(smallest, share.fraction());
    text += (text.empty() ? "" : "; ") + std::string(platform.name) + " " +
            papers::text_of(share, message_box());
  }
  return {verdict_on_share(smallest), text, smallest, message_box().text()};
}

ClaimAnswer gain_of_matrix_multiplication() {
  constexpr Printed kPrinted[] = {{2, 12}, {1, 5}, {0, 6}};
  return judge(kPrinted, gain_of_summa);
}

ClaimAnswer gain_of_vector_processing() {
  constexpr double kPrinted = 10;
  const Platform& platform = platforms()[3];
  std::string text;
  double smallest = 1;
  for (const bool by_node : {false, true}) {
    std::size_t best = 0;
    const Factors factors = factors_near(kPrinted, [&](FactorPoint point) {
      const VectorGain gain = vector_gain(by_node, costs_at(platform, point));
      best += gain.is_always_best ? 1 : 0;
      return gain.most;
    });
    smallest = std::min(smallest, factors.share_near);
    text += (text.empty() ? "" : "; ") +
            std::string(by_node ? "ranks placed node by node in turn: "
                                : "ranks placed along the machine: ") +
            number_text(factors.spread.least, 1) + " to " + number_text(factors.spread.most, 1) +
            " times faster than the slowest manual levels, within a quarter of 10 in " +
            percent_text(factors.share_near) + " of the box, faster than all four at all lengths " +
            "in " + percent_text(static_cast<double>(best) / kPointsOfMessages);
  }
  return {verdict_on_share(smallest), text, smallest, message_box().text()};
}

}  // namespace terrace::papers
