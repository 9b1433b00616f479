// SPDX-License-Identifier: BSD-3-Clause
// Writes level after level; all resources of one level must have as many children of the same kind.
#include "machine/synthetic.hpp"

#include <algorithm>
#include <vector>

namespace terrace {

namespace {

std::string word_for(const Resource& resource, std::size_t count) {
  std::string word = resource.level == "package" ? "pack" : resource.level;
  const bool is_cache = word.size() == 2 && word[0] == 'l';
  if (word == "l1") word = "l1d";
  word += ':' + std::to_string(count);
  if (is_cache && resource.bytes != 0) word += "(size=" + std::to_string(resource.bytes) + ')';
  return word;
}

}  // namespace

Result<std::string> words_of(const Machine& machine) {
  std::string words;
  for (std::vector<const Resource*> level = {&machine.node}; !level.front()->children.empty();) {
    const std::vector<Resource>& first = level.front()->children;
    std::vector<const Resource*> next;
    for (const Resource* one : level) {
      const bool is_alike =
          one->children.size() == first.size() &&
          std::all_of(one->children.begin(), one->children.end(), [&](const Resource& child) {
            return child.level == first.front().level && child.bytes == first.front().bytes;
          });
      // NUMA nodes may have more or less memory, which no word is about.
      const bool is_memory = first.front().level == "numa" && one->children.size() == first.size();
      if (!is_alike && !is_memory)
        return Error{ErrorCode::unsupported, "the parts of this machine differ: one " + one->level +
                                                 " has " + std::to_string(one->children.size()) +
                                                 " parts, another " + std::to_string(first.size()) +
                                                 ", or other caches"};
      for (const Resource& child : one->children) next.push_back(&child);
    }
    words += (words.empty() ? "" : " ") + word_for(first.front(), first.size());
    level = std::move(next);
  }
  return words;
}

}  // namespace terrace
