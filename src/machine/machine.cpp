// SPDX-License-Identifier: BSD-3-Clause
// Queries of a machine that has been read, and its printed form.
#include "machine/machine.hpp"

#include <algorithm>

#include "base/bytes.hpp"
#include "base/contract.hpp"

namespace terrace {
namespace {

void collect(const Resource& resource, std::string_view level,
             std::vector<const Resource*>& found) {
  if (resource.level == level) found.push_back(&resource);
  for (const Resource& child : resource.children) collect(child, level, found);
}

/// Puts each level behind the one it was first seen inside.
void collect_levels(const Resource& resource, std::size_t position,
                    std::vector<std::string>& levels) {
  const auto known = std::find(levels.begin(), levels.end(), resource.level);
  if (known == levels.end())
    levels.insert(levels.begin() + static_cast<std::ptrdiff_t>(position), resource.level);
  else
    position = static_cast<std::size_t>(known - levels.begin());
  for (const Resource& child : resource.children) collect_levels(child, position + 1, levels);
}

/// A resource and those inside it that cover the same PUs: they share a line.
std::vector<const Resource*> chain_from(const Resource& resource) {
  std::vector<const Resource*> chain = {&resource};
  while (chain.back()->children.size() == 1 &&
         chain.back()->children.front().pus == chain.back()->pus)
    chain.push_back(&chain.back()->children.front());
  return chain;
}

std::string line_of(const std::vector<const Resource*>& chain, bool is_numbered) {
  std::string line;
  for (const Resource* resource : chain) {
    if (!line.empty()) line += " + ";
    line += resource->level;
    if (is_numbered && resource->level != "node") line += ' ' + std::to_string(resource->index);
    if (resource->bytes != 0) line += " (" + bytes_text(resource->bytes) + ')';
  }
  return line;
}

/// Everything a reader sees of a resource except numbers; equal neighbours are merged.
std::string likeness(const Resource& resource) {
  std::string text = line_of({&resource}, false) + '[';
  for (const Resource& child : resource.children) text += likeness(child) + ' ';
  return text + ']';
}

void write(const std::vector<Resource>& siblings, std::size_t indent, bool is_numbered,
           std::string& text) {
  for (std::size_t i = 0; i < siblings.size();) {
    const std::string mine = likeness(siblings[i]);
    std::size_t next = i + 1;
    while (next < siblings.size() && likeness(siblings[next]) == mine) ++next;
    const bool is_alone = next == i + 1;
    const std::vector<const Resource*> chain = chain_from(siblings[i]);
    text.append(indent, ' ');
    if (!is_alone) text += std::to_string(next - i) + " x ";
    text += line_of(chain, is_numbered && is_alone) + '\n';
    write(chain.back()->children, indent + 2, is_numbered && is_alone, text);
    i = next;
  }
}

}  // namespace

Locality instances_around(const Machine& machine, const PuSet& binding, std::uint64_t node_index) {
  Locality locality{{{"node", node_index}}};
  const PuSet bound = binding & machine.node.pus;
  if (bound.empty()) return locality;
  for (const Resource* resource = &machine.node; resource != nullptr;) {
    TERRACE_ASSERT(resource->pus.contains(bound));
    const Resource* inner = nullptr;
    for (const Resource& child : resource->children)
      if (child.pus.contains(bound)) inner = &child;
    if (inner != nullptr) locality.places.push_back({inner->level, inner->index});
    resource = inner;
  }
  return locality;
}

Locality locality_of(const Machine& machine, const PuSet& binding, std::uint64_t node_index) {
  if ((binding & machine.node.pus) == machine.node.pus) return {{{"node", node_index}}};
  return instances_around(machine, binding, node_index);
}

std::vector<const Resource*> resources_at(const Machine& machine, std::string_view level) {
  std::vector<const Resource*> found;
  collect(machine.node, level, found);
  return found;
}

std::vector<std::string> levels_of(const Machine& machine) {
  std::vector<std::string> levels;
  collect_levels(machine.node, 0, levels);
  return levels;
}

std::string to_text(const Machine& machine) {
  std::string text = machine.origin + ": " + std::to_string(machine.node.pus.count()) + " PUs\n";
  Resource outside;  // so that the node is printed like everything inside it
  outside.children.push_back(machine.node);
  write(outside.children, 0, true, text);
  return text;
}

}  // namespace terrace
