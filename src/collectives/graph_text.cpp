// SPDX-License-Identifier: BSD-3-Clause
// Reads graphs. See graph_text.hpp.
#include "collectives/graph_text.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include "base/contract.hpp"
#include "base/number.hpp"

namespace terrace {

namespace {

constexpr std::string_view kRing = "ring:", kGrid = "grid:", kTorus = "torus:";
constexpr std::string_view kBlanks = " \t\r";
constexpr std::size_t kMostDimensions = 16;

Error wrong_graph(std::string sentence) {
  return {ErrorCode::argument, std::move(sentence)};
}

/// Takes what comes before the first `end` away from the text; all of it if there is none.
std::string_view take_until(std::string_view& text, char end) {
  const std::size_t at = text.find(end);
  const std::string_view taken = text.substr(0, at);
  text.remove_prefix(at == text.npos ? text.size() : at + 1);
  return taken;
}

/// The next word; "" at the end.
std::string_view take_word(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  const std::string_view word = text.substr(0, text.find_first_of(kBlanks));
  text.remove_prefix(word.size());
  return word;
}

/// Whether a word is a number, but one that no rank can have.
bool is_beyond_ranks(std::string_view word) {
  return !word.empty() && word.find_first_not_of("0123456789") == word.npos &&
         !number_from_text<Rank>(word);
}

Error too_many_ranks(Rank most_ranks) {
  return wrong_graph("more ranks than the " + std::to_string(most_ranks) +
                     " that are possible here: expected smaller dimensions");
}

/// Reads "4x3". Errors: a number that is none, more ranks than that, or too many dimensions.
Result<std::vector<Rank>> extents_from_text(std::string_view text, Rank most_ranks) {
  std::vector<Rank> extents;
  std::uint64_t ranks = 1;
  for (bool is_last = false; !is_last;) {
    is_last = text.find('x') == text.npos;
    const std::string_view word = take_until(text, 'x');
    const std::optional<Rank> extent = number_from_text<Rank>(word, 1);
    if (is_beyond_ranks(word)) return too_many_ranks(most_ranks);
    if (!extent)
      return wrong_graph("'" + std::string(word) +
                         "' given, expected the number of ranks in each dimension, at least one, "
                         "as in ring:8 or grid:4x3");
    extents.push_back(*extent);
    ranks *= *extent;
    if (extents.size() > kMostDimensions)
      return wrong_graph("more than " + std::to_string(kMostDimensions) +
                         " dimensions given: expected " + std::to_string(kMostDimensions) +
                         " at most");
    if (ranks > most_ranks) return too_many_ranks(most_ranks);
  }
  return extents;
}

/// The rank one step below or above in a dimension, whose ranks are `stride` apart.
std::optional<Rank> beside(Rank rank, Rank stride, Rank extent, bool is_above, bool is_periodic) {
  const Rank at = rank / stride % extent;
  const bool is_outside = is_above ? at + 1 == extent : at == 0;
  if (!is_outside) return is_above ? rank + stride : rank - stride;
  if (!is_periodic) return std::nullopt;
  return is_above ? rank - at * stride : rank + (extent - 1) * stride;
}

/// Reads the lines of a list of edges one after the other.
class EdgeList {
 public:
  explicit EdgeList(Rank most_ranks) : most_ranks_(most_ranks) {}

  /// Errors: argument.
  Result<bool> add(std::string_view line) {
    ++line_;
    line = line.substr(0, line.find('#'));
    if (line.find_first_not_of(kBlanks) == line.npos) return true;
    const bool has_colon = line.find(':') != line.npos;
    std::string_view before = take_until(line, ':');
    const std::string_view word = take_word(before);
    const std::optional<Rank> rank = number_from_text<Rank>(word);
    if (!has_colon || !(rank || is_beyond_ranks(word)) || !take_word(before).empty())
      return wrong_line("expected a rank, a colon, and to whom it gives blocks, as in `0: 1 2`");
    if (rank != targets_.size())
      return wrong_line("rank " + std::string(word) + " given, expected rank " +
                        std::to_string(targets_.size()) + ": each rank has a line, in order");
    if (*rank == most_ranks_)
      return wrong_line("more ranks than the " + std::to_string(most_ranks_) +
                        " that are possible here: expected fewer lines");
    targets_.emplace_back();
    return add_targets(line);
  }

  /// Errors: argument.
  Result<std::vector<EdgesOfRank>> edges() const {
    const std::size_t ranks = targets_.size();
    if (ranks == 0) return wrong_graph("no rank given, expected a line for each, as in `0: 1 2`");
    std::vector<EdgesOfRank> all(ranks);
    for (Rank giver = 0; giver < ranks; ++giver)
      for (const auto& [taker, line] : targets_[giver]) {
        if (taker >= ranks)
          return wrong_graph("line " + std::to_string(line) + ": rank " + std::to_string(taker) +
                             " is outside the graph, which has lines for " + std::to_string(ranks) +
                             (ranks == 1 ? " rank" : " ranks") +
                             ": expected a line for each rank, in order");
        all[giver].targets.push_back({taker});
        all[taker].sources.push_back({giver});
      }
    return all;
  }

 private:
  struct Target {
    Rank taker = 0;
    std::size_t line = 0;
  };

  Result<bool> add_targets(std::string_view words) {
    for (std::string_view word = take_word(words); !word.empty(); word = take_word(words)) {
      const std::optional<Rank> taker = number_from_text<Rank>(word);
      if (!taker)
        return wrong_line("'" + std::string(word) + "' given, expected ranks below " +
                          std::to_string(most_ranks_));
      targets_.back().push_back({*taker, line_});
    }
    return true;
  }

  Error wrong_line(const std::string& sentence) const {
    return wrong_graph("line " + std::to_string(line_) + ": " + sentence);
  }

  Rank most_ranks_;
  std::size_t line_ = 0;
  std::vector<std::vector<Target>> targets_;
};

}  // namespace

std::vector<EdgesOfRank> cartesian_graph(std::span<const Rank> extents, bool is_periodic) {
  Rank ranks = 1;
  for (const Rank extent : extents) {
    TERRACE_REQUIRE(extent > 0, extents.size());
    ranks *= extent;
  }
  std::vector<EdgesOfRank> all(ranks);
  for (Rank rank = 0; rank < ranks; ++rank) {
    Rank stride = ranks;
    // What moves up arrives from below, even where both neighbours are the same rank.
    for (std::uint32_t i = 0; i < extents.size(); ++i) {
      stride /= extents[i];
      const std::uint32_t down = 2 * i, up = down + 1;
      const auto below = beside(rank, stride, extents[i], false, is_periodic);
      const auto above = beside(rank, stride, extents[i], true, is_periodic);
      all[rank].targets.push_back({below, down});
      all[rank].targets.push_back({above, up});
      all[rank].sources.push_back({below, up});
      all[rank].sources.push_back({above, down});
    }
  }
  return all;
}

bool names_grid(std::string_view text) {
  constexpr std::array kForms = {kRing, kGrid, kTorus};
  return std::any_of(kForms.begin(), kForms.end(),
                     [text](std::string_view form) { return text.starts_with(form); });
}

Result<std::vector<EdgesOfRank>> grid_from_text(std::string_view text, Rank most_ranks) {
  TERRACE_ASSERT(names_grid(text), text.size());
  const std::string_view form = text.substr(0, text.find(':') + 1);
  const auto extents = extents_from_text(text.substr(form.size()), most_ranks);
  if (!extents) return extents.error();
  if (form == kRing && extents.value().size() > 1)
    return wrong_graph("a ring has one dimension: expected torus:" +
                       std::string(text.substr(form.size())));
  return cartesian_graph(extents.value(), form != kGrid);
}

Result<std::vector<EdgesOfRank>> graph_from_lines(std::string_view text, Rank most_ranks) {
  EdgeList list(most_ranks);
  while (!text.empty())
    if (const Result<bool> added = list.add(take_until(text, '\n')); !added) return added.error();
  return list.edges();
}

}  // namespace terrace
