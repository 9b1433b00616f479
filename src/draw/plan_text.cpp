// SPDX-License-Identifier: BSD-3-Clause
// A plan as a table: rounds down, ranks across.
#include <algorithm>
#include <map>

#include "base/counted.hpp"
#include "draw/plan.hpp"
#include "draw/rounds.hpp"
#include "draw/svg.hpp"

namespace terrace {

namespace {

constexpr std::size_t kMostLetters = 160;  ///< in a line of the table

std::string padded(std::string text, std::size_t width) {
  text.resize(std::max(width, text.size()), ' ');
  return text;
}

std::string without_blanks_at_end(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line + '\n';
}

class Table {
 public:
  Table(const Plan& plan, const Hierarchy& hierarchy, const std::vector<Act>& acts)
      : hierarchy_(hierarchy), order_(order_in(hierarchy)) {
    for (const Act& act : acts) cells_[{act.round, act.step->by}] = label_of(act, plan);
    for (const Rank rank : order_) width_ = std::max(width_, std::to_string(rank).size());
    for (const auto& [where, cell] : cells_) width_ = std::max(width_, cell.size());
    find_borders();
  }

  bool is_too_wide() const {
    return kHead + order_.size() * (width_ + 2) + 2 * borders_.size() > kMostLetters;
  }

  std::string text(std::uint32_t rounds) const {
    std::string text;
    for (std::size_t depth = 1;; ++depth) {
      const std::string line = line_of_groups(depth);
      if (line.empty()) break;
      text += line;
    }
    text += line("round", [](Rank rank) { return std::to_string(rank); });
    for (std::uint32_t round = 1; round <= rounds; ++round)
      text += line(std::to_string(round), [&](Rank rank) {
        const auto cell = cells_.find({round, rank});
        return cell == cells_.end() ? "." : cell->second;
      });
    return text;
  }

 private:
  static constexpr std::size_t kHead = 8;

  /// Columns with a bar before them: where the outermost groups begin.
  void find_borders() {
    std::size_t column = 0;
    for (const Group& child : hierarchy_.all.children) {
      if (column > 0 && hierarchy_.all.children.size() < order_.size()) borders_.push_back(column);
      column += child.ranks.size();
    }
  }

  std::string before(std::size_t column) const {
    return std::count(borders_.begin(), borders_.end(), column) ? "| " : "";
  }

  template <class Cell>
  std::string line(const std::string& head, Cell cell) const {
    std::string line = padded(head, kHead);
    for (std::size_t column = 0; column < order_.size(); ++column)
      line += before(column) + padded(cell(order_[column]), width_ + 2);
    return without_blanks_at_end(line);
  }

  /// The names of groups of several ranks, each above its first; "" if there are none so deep.
  std::string line_of_groups(std::size_t depth) const {
    std::map<std::size_t, std::pair<std::string, std::size_t>> names;  // by first column
    collect(hierarchy_.all, 0, depth, names);
    if (names.empty()) return "";
    std::string line(kHead, ' ');
    for (std::size_t column = 0; column < order_.size();) {
      const auto name = names.find(column);
      const std::size_t end = name == names.end() ? column + 1 : column + name->second.second;
      line += before(column);
      std::size_t width = (end - column) * (width_ + 2);
      for (const std::size_t border : borders_) width += border > column && border < end ? 2 : 0;
      const std::string text = name == names.end() ? "" : name->second.first;
      line += padded(text.substr(0, width - 1), width);
      column = end;
    }
    return without_blanks_at_end(line);
  }

  static void collect(const Group& group, std::size_t column, std::size_t depth,
                      std::map<std::size_t, std::pair<std::string, std::size_t>>& names) {
    if (depth == 0) {
      if (group.ranks.size() > 1)
        names[column] = {level_name(group.level) + ' ' + std::to_string(group.index),
                         group.ranks.size()};
      return;
    }
    for (const Group& child : group.children) {
      collect(child, column, depth - 1, names);
      column += child.ranks.size();
    }
  }

  const Hierarchy& hierarchy_;
  std::vector<Rank> order_;
  std::map<std::pair<std::uint32_t, Rank>, std::string> cells_;
  std::size_t width_ = 1;
  std::vector<std::size_t> borders_;
};

/// A line per step; ranks that do nothing in a round are not named.
std::string list(const std::vector<Act>& acts, const Plan& plan, std::uint32_t rounds) {
  std::string text;
  for (std::uint32_t round = 1; round <= rounds; ++round) {
    text += "round " + std::to_string(round) + '\n';
    for (const Act& act : acts)
      if (act.round == round)
        text += "  " + std::to_string(act.step->by) + ": " + label_of(act, plan) + '\n';
  }
  return text;
}

}  // namespace

std::string picture_text(const Plan& plan, const Hierarchy& hierarchy, const PlanPicture& options) {
  const std::vector<Act> acts = acts_of(plan);
  const std::uint32_t all = round_count(acts), rounds = std::min(all, options.most_rounds);
  const Table table(plan, hierarchy, acts);
  std::string text = plan.name + ": " + counted(plan.ranks, "rank") + ", " + counted(all, "round") +
                     ", " + counted(acts.size(), "step") + "\n\n";
  text += table.is_too_wide() ? list(acts, plan, rounds) : table.text(rounds);
  if (rounds < all)
    text += "... left out: " + counted(all - rounds, "round") + " (--rounds " +
            std::to_string(all) + " shows all)\n";
  text += '\n';
  for (const std::string& sign : signs_of(acts, plan)) text += sign + '\n';
  return text;
}

}  // namespace terrace
