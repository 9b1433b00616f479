// SPDX-License-Identifier: BSD-3-Clause
// Enumerates nestings, makes plans on them, ranks them, and proves the best. See search.hpp.
#include "explain/search.hpp"

#include <algorithm>
#include <unordered_map>

#include "verify/verify.hpp"

namespace terrace::explain {

namespace {

/// The ranks of a hierarchy, neighbours on the machine next to each other.
void append_in_order(const Group& group, std::vector<Rank>& order) {
  if (group.children.empty()) order.insert(order.end(), group.ranks.begin(), group.ranks.end());
  for (const Group& child : group.children) append_in_order(child, order);
}

/// Groups of neighbours, `branches.front()` of them, and so on inside.
Group nested(std::span<const Rank> ranks, std::span<const std::uint32_t> branches) {
  Group group{kRunLevel, 0, {ranks.begin(), ranks.end()}, {}};
  std::sort(group.ranks.begin(), group.ranks.end());
  if (branches.empty() || ranks.size() <= branches.front()) return group;
  const std::size_t count = branches.front();
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t begin = ranks.size() * i / count, end = ranks.size() * (i + 1) / count;
    group.children.push_back(nested(ranks.subspan(begin, end - begin), branches.subspan(1)));
    group.children.back().index = i;
  }
  std::sort(group.children.begin(), group.children.end(),
            [](const Group& a, const Group& b) { return a.leader() < b.leader(); });
  return group;
}

/// Every list of branches, outermost first, that leaves at least two ranks to each group. The last
/// number of its text is how many ranks the innermost groups have at most.
void append_branches(std::size_t ranks, std::vector<std::uint32_t>& begun,
                     std::vector<std::vector<std::uint32_t>>& all) {
  all.push_back(begun);
  for (std::uint32_t count = 2; 2 * count <= ranks; ++count) {
    begun.push_back(count);
    append_branches((ranks + count - 1) / count, begun, all);
    begun.pop_back();
  }
}

std::string text_of(std::size_t ranks, const std::vector<std::uint32_t>& branches) {
  std::string text;
  for (const std::uint32_t count : branches) {
    text += std::to_string(count) + " x ";
    ranks = (ranks + count - 1) / count;
  }
  return text + std::to_string(ranks);
}

class Search {
 public:
  Search(const Predicted& call, RankPlatform platform, const SearchLimits& limits)
      : call_(call), platform_(std::move(platform)), limits_(limits) {}

  Result<SearchResult> run() {
    const std::vector<Nested> nestings =
        nestings_of(platform_.hierarchy, limits_.most_nestings, result_.nestings_left);
    result_.nestings = nestings.size();
    for (const Nested& nesting : nestings) {
      platform_.hierarchy = nesting.hierarchy;
      Drafts drafts(platform_);
      CandidateQuestion asked = candidates_about(call_, platform_);
      asked.depths.clear();  // the nestings have more than these
      for (const Choice& choice : all_candidates(asked)) try_choice(choice, nesting.text, drafts);
    }
    if (hits_.empty())
      return Error{ErrorCode::unsupported,
                   std::string("no algorithm fits ") + to_text(call_.collective)};
    prove_the_best();
    return std::move(result_);
  }

 private:
  Rank ranks() const { return static_cast<Rank>(platform_.places.size()); }

  void try_choice(const Choice& choice, const std::string& nesting, Drafts& drafts) {
    const Result<Draft> draft = drafts.find(call_, choice);
    if (!draft) return;
    // Of one plan, the fastest way to run it.
    Result<Prediction> prediction = predict(call_, choice, drafts);
    if (!prediction) return;
    const auto [best, is_new] = known_.try_emplace(to_text(*draft.value().written), 0.0);
    const double total = prediction.value().cost.total;
    if (!is_new && total >= best->second) return;
    result_.plans += is_new;
    if (!is_new)
      std::erase_if(hits_, [&](const Hit& hit) { return hit.written == draft.value().written; });
    best->second = total;
    hits_.push_back({nesting, std::move(prediction).value(), draft.value().written});
    forget_the_slowest();
  }

  static bool is_faster(const Hit& a, const Hit& b) {
    return a.prediction.cost.total < b.prediction.cost.total;
  }

  /// Keeps the best so far and some more, should proofs refuse any.
  void forget_the_slowest() {
    const std::size_t most = 4 * (limits_.best + 1);
    if (hits_.size() < 2 * most) return;
    std::stable_sort(hits_.begin(), hits_.end(), is_faster);
    hits_.erase(hits_.begin() + static_cast<std::ptrdiff_t>(most), hits_.end());
  }

  void prove_the_best() {
    std::stable_sort(hits_.begin(), hits_.end(), is_faster);
    VerifyOptions options;
    options.root = call_.root;
    for (Hit& hit : hits_) {
      if (result_.best.size() == limits_.best) return;
      const Algorithm& row = *find_algorithm(hit.prediction.choice.algorithm);
      const Postcondition promised = postcondition(row, ranks(), call_.root);
      if (const auto proof = verify(*hit.prediction.plan, promised, options); proof)
        result_.best.push_back(std::move(hit));
      else
        result_.faults.push_back(hit.written->name + " on " + hit.nesting + ": " +
                                 proof.error().sentence);
    }
  }

  const Predicted& call_;
  RankPlatform platform_;
  const SearchLimits& limits_;
  SearchResult result_;
  std::vector<Hit> hits_;                          ///< not proved yet
  std::unordered_map<std::string, double> known_;  ///< plans, and the least they take
};

}  // namespace

std::vector<Nested> nestings_of(const Hierarchy& machine, std::size_t most, std::size_t& left) {
  std::vector<Nested> nestings{{"as the machine", machine}};
  std::vector<Rank> order;
  append_in_order(machine.all, order);
  std::vector<std::vector<std::uint32_t>> all;
  std::vector<std::uint32_t> begun;
  append_branches(order.size(), begun, all);
  // Fewer levels first: they are the likelier ones where not all can be tried.
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return a.size() < b.size(); });
  const std::size_t tried = std::min(all.size(), most);
  for (std::size_t i = 0; i < tried; ++i)
    nestings.push_back({text_of(order.size(), all[i]), Hierarchy{nested(order, all[i])}});
  left = all.size() - tried;
  return nestings;
}

Result<SearchResult> search(const Predicted& call, RankPlatform platform,
                            const SearchLimits& limits) {
  return Search(call, as_in_a_team(std::move(platform)), limits).run();
}

}  // namespace terrace::explain
