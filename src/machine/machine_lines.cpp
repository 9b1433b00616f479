// SPDX-License-Identifier: BSD-3-Clause
// Writes each resource as its depth, level, index, bytes and PUs, before what lies inside it.
#include "machine/machine_lines.hpp"

#include <set>
#include <sstream>
#include <utility>

namespace terrace {

namespace {

constexpr const char* kNone = "-";

std::string words_for(const PuSet& pus) {
  return pus.empty() ? kNone : to_text(pus);
}

bool read_pus(std::istream& line, PuSet& pus) {
  std::string text;
  line >> text;
  if (text == kNone) return true;
  Result<PuSet> read = pu_set_from_text(text);
  if (!read) return false;
  pus = std::move(read).value();
  return true;
}

void write_resource(const Resource& resource, int depth, std::ostream& lines) {
  lines << "resource " << depth << ' ' << resource.level << ' ' << resource.index << ' '
        << resource.bytes << ' ' << words_for(resource.pus) << '\n';
  for (const Resource& child : resource.children) write_resource(child, depth + 1, lines);
}

/// Puts a resource behind the last one, inside the last of the depth above it.
bool read_resource(std::istream& line, Resource& node) {
  int depth = 0;
  Resource resource;
  line >> depth >> resource.level >> resource.index >> resource.bytes;
  if (!line || depth < 0 || !read_pus(line, resource.pus)) return false;
  if (depth == 0) {
    const bool is_first = node.level.empty();
    node = std::move(resource);
    return is_first;
  }
  Resource* parent = &node;
  for (int above = 1; above < depth; ++above) {
    if (parent->children.empty()) return false;
    parent = &parent->children.back();
  }
  parent->children.push_back(std::move(resource));
  return !node.level.empty();
}

bool read_line(const std::string& text, Machine& machine) {
  std::istringstream line(text);
  std::string what;
  line >> what;
  if (what == "resource") return read_resource(line, machine.node);
  if (what == "allowed") return read_pus(line, machine.allowed);
  if (what == "here") return static_cast<bool>(line >> machine.is_this_machine);
  if (what != "remark") return false;
  std::getline(line >> std::ws, machine.remarks.emplace_back());
  return true;
}

using PartNames = std::set<std::pair<std::string, std::uint64_t>>;

/// Whether it is as `Resource` promises: parts lie in their whole, side by side, and are numbered.
bool is_tree(const Resource& resource, PartNames& names) {
  if (!names.emplace(resource.level, resource.index).second) return false;
  const bool is_pu = resource.level == "pu";
  if (is_pu) return resource.children.empty() && resource.pus.count() == 1;
  PuSet together;
  for (const Resource& child : resource.children) {
    const bool fits = resource.pus.contains(child.pus) && (together & child.pus).empty();
    if (!fits || child.pus.empty() || !is_tree(child, names)) return false;
    together.insert(child.pus);
  }
  return together == resource.pus;
}

}  // namespace

std::string lines_of(const Machine& machine) {
  std::ostringstream lines;
  write_resource(machine.node, 0, lines);
  lines << "allowed " << words_for(machine.allowed) << "\nhere " << machine.is_this_machine << '\n';
  for (const std::string& remark : machine.remarks) lines << "remark " << remark << '\n';
  return lines.str();
}

std::optional<Machine> machine_from_lines(const std::string& text) {
  Machine machine;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (!read_line(line, machine)) return std::nullopt;
  PartNames names;
  const bool is_right = machine.node.level == "node" && is_tree(machine.node, names) &&
                        machine.node.pus.contains(machine.allowed);
  return is_right ? std::optional(std::move(machine)) : std::nullopt;
}

}  // namespace terrace
