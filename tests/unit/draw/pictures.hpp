// SPDX-License-Identifier: BSD-3-Clause
// What tests ask of pictures.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "hierarchy/hierarchy.hpp"

namespace terrace {

/// So many domains of so many ranks each.
inline Hierarchy domains(Rank count, Rank ranks_each) {
  Hierarchy hierarchy = flat_hierarchy(count * ranks_each);
  hierarchy.all.level = "node";
  for (Rank domain = 0; domain < count; ++domain) {
    Group group{"package", domain, {}, {}};
    for (Rank i = 0; i < ranks_each; ++i) {
      const Rank rank = domain * ranks_each + i;
      group.ranks.push_back(rank);
      group.children.push_back({"core", rank, {rank}, {}});
    }
    hierarchy.all.children.push_back(std::move(group));
  }
  return hierarchy;
}

/// The tooltips of the things of one kind.
inline std::vector<std::string> tooltips(const std::string& svg, const std::string& thing) {
  const std::string head = "<g class=\"" + thing + "\"><title>";
  std::vector<std::string> found;
  for (std::size_t at = svg.find(head); at != svg.npos; at = svg.find(head, at + 1)) {
    const std::size_t begin = at + head.size();
    found.push_back(svg.substr(begin, svg.find("</title>", begin) - begin));
  }
  return found;
}

/// Whether all that is opened is closed, in turn, and nothing stands unescaped: enough of XML for
/// what we write. (tests/cli reads pictures with a real parser.)
inline bool is_well_formed(std::string_view svg) {
  std::vector<std::string> open;
  for (std::size_t at = svg.find('<'); at != svg.npos; at = svg.find('<', at + 1)) {
    const std::size_t end = svg.find('>', at);
    if (end == svg.npos) return false;
    const std::string_view tag = svg.substr(at + 1, end - at - 1);
    if (tag.find('<') != tag.npos) return false;
    if (std::count(tag.begin(), tag.end(), '"') % 2 != 0) return false;
    if (tag.starts_with('/')) {
      if (open.empty() || open.back() != tag.substr(1)) return false;
      open.pop_back();
    } else if (!tag.ends_with('/')) {
      open.push_back(std::string(tag.substr(0, tag.find(' '))));
    }
  }
  return open.empty();
}

}  // namespace terrace
