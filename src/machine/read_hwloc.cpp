// SPDX-License-Identifier: BSD-3-Clause
// The only file that uses hwloc. It lists hwloc's objects as sets of PUs and builds Terrace's tree
// by containment alone: since hwloc 2, NUMA nodes hang beside the tree, at the object that has
// their PUs, and their place among packages and caches differs from machine to machine.
#include <hwloc.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "base/bytes.hpp"
#include "base/text_file.hpp"
#include "machine/child_answer.hpp"
#include "machine/machine.hpp"
#include "machine/machine_lines.hpp"
#include "os/pu_set.hpp"

namespace terrace {
namespace {

static_assert(HWLOC_API_VERSION >= 0x00020100, "hwloc 2.1 or newer is needed");

/// Outermost first where two levels hold the same PUs.
enum class Kind : unsigned char { node, package, die, group, numa, l5, l4, l3, l2, l1, core, pu };

constexpr const char* kLevelNames[] = {"node", "package", "die", "group", "numa", "l5",
                                       "l4",   "l3",      "l2",  "l1",    "core", "pu"};

struct Found {
  Kind kind = Kind::node;
  Resource resource;
};

struct Unload {
  void operator()(hwloc_topology* topology) const { hwloc_topology_destroy(topology); }
};
using Topology = std::unique_ptr<hwloc_topology, Unload>;

Topology new_topology() {
  hwloc_topology_t topology = nullptr;
  return Topology(hwloc_topology_init(&topology) == 0 ? topology : nullptr);
}

/// Keeps the lower numbers of an infinite set, and of one with numbers beyond any machine's.
PuSet pu_set_of(hwloc_const_cpuset_t set) {
  PuSet pus;
  for (int pu = hwloc_bitmap_first(set); pu >= 0 && pu < static_cast<int>(kMostPus);
       pu = hwloc_bitmap_next(set, pu))
    pus.insert(static_cast<std::uint32_t>(pu));
  return pus;
}

/// Nothing for objects that are no level: instruction caches, devices.
std::optional<Kind> kind_of(hwloc_obj_type_t type) {
  switch (type) {
    case HWLOC_OBJ_MACHINE:
      return Kind::node;
    case HWLOC_OBJ_PACKAGE:
      return Kind::package;
    case HWLOC_OBJ_DIE:
      return Kind::die;
    case HWLOC_OBJ_GROUP:
      return Kind::group;
    case HWLOC_OBJ_NUMANODE:
      return Kind::numa;
    case HWLOC_OBJ_L5CACHE:
      return Kind::l5;
    case HWLOC_OBJ_L4CACHE:
      return Kind::l4;
    case HWLOC_OBJ_L3CACHE:
      return Kind::l3;
    case HWLOC_OBJ_L2CACHE:
      return Kind::l2;
    case HWLOC_OBJ_L1CACHE:
      return Kind::l1;
    case HWLOC_OBJ_CORE:
      return Kind::core;
    case HWLOC_OBJ_PU:
      return Kind::pu;
    default:
      return std::nullopt;
  }
}

std::uint64_t bytes_of(Kind kind, hwloc_obj_t object) {
  if (kind == Kind::numa) return object->attr->numanode.local_memory;
  return kind >= Kind::l5 && kind <= Kind::l1 ? object->attr->cache.size : 0;
}

int cores_in(hwloc_obj_t object) {
  int cores = object->type == HWLOC_OBJ_CORE ? 1 : 0;
  for (hwloc_obj_t child = object->first_child; child != nullptr; child = child->next_sibling)
    cores += cores_in(child);
  return cores;
}

/// `home` is the object itself, or the object that a NUMA node is attached to, which has the PUs.
void add(hwloc_obj_t object, hwloc_obj_t home, std::vector<Found>& found) {
  const std::optional<Kind> kind = kind_of(object->type);
  if (!kind) return;
  if (*kind == Kind::l1 && cores_in(object) < 2) return;  // the L1 of one core is that core
  Resource resource{kLevelNames[static_cast<std::size_t>(*kind)],
                    object->logical_index,
                    pu_set_of(home->cpuset),
                    bytes_of(*kind, object),
                    {}};
  // A NUMA node of memory alone has no PUs to place ranks on.
  if (!resource.pus.empty()) found.push_back({*kind, std::move(resource)});
}

/// Unless asked for them, hwloc leaves out memory-side caches: a memory child is a NUMA node.
void add_memory(hwloc_obj_t home, std::vector<Found>& found) {
  for (hwloc_obj_t child = home->memory_first_child; child != nullptr; child = child->next_sibling)
    add(child, home, found);
}

void add_all(hwloc_obj_t object, std::vector<Found>& found) {
  add(object, object, found);
  add_memory(object, found);
  for (hwloc_obj_t child = object->first_child; child != nullptr; child = child->next_sibling)
    add_all(child, found);
}

std::string name_of(const Resource& resource) {
  std::string name = resource.level + ' ' + std::to_string(resource.index);
  if (resource.bytes != 0) name += " (" + bytes_text(resource.bytes) + ')';
  return name;
}

/// Hangs `found` below the smallest resource that holds it. They come largest first, so what is
/// inside it comes later; no two overlap, because NUMA nodes have the PUs of what they hang on.
void place(Found found, Machine& machine) {
  Resource* parent = &machine.node;
  for (bool is_inside = true; is_inside;) {
    is_inside = false;
    for (Resource& child : parent->children)
      if (child.pus.contains(found.resource.pus)) {
        parent = &child;
        is_inside = true;
        break;
      }
  }
  const bool is_twin = parent->level == found.resource.level && parent->pus == found.resource.pus &&
                       found.kind == Kind::numa;
  if (is_twin)
    machine.remarks.push_back(name_of(found.resource) + " serves the same PUs as " +
                              name_of(*parent) + " and is no level of its own");
  else
    parent->children.push_back(std::move(found.resource));
}

/// hwloc makes groups to hang NUMA nodes on; they say nothing that the NUMA node does not.
void drop_groups_without_meaning(std::vector<Found>& found) {
  const auto is_repeated = [&](const Found& group) {
    return group.kind == Kind::group &&
           std::any_of(found.begin(), found.end(), [&](const Found& other) {
             return other.kind != Kind::group && other.resource.pus == group.resource.pus;
           });
  };
  std::vector<Found> kept;
  for (const Found& one : found)
    if (!is_repeated(one)) kept.push_back(one);
  found = std::move(kept);
}

/// Memory that all share around the nodes that some share, such as a pool of CXL memory: we place
/// ranks by the NUMA node nearest to them, so NUMA nodes do not lie inside each other.
void drop_outer_numa(std::vector<Found>& found, std::vector<std::string>& remarks) {
  const auto is_outer = [&](const Found& outer) {
    return outer.kind == Kind::numa &&
           std::any_of(found.begin(), found.end(), [&](const Found& inner) {
             return inner.kind == Kind::numa && inner.resource.pus != outer.resource.pus &&
                    outer.resource.pus.contains(inner.resource.pus);
           });
  };
  std::vector<Found> kept;
  for (const Found& one : found)
    if (is_outer(one))
      remarks.push_back(name_of(one.resource) +
                        " serves the PUs of several NUMA nodes and is no level of its own");
    else
      kept.push_back(one);
  found = std::move(kept);
}

/// Groups of several depths would share numbers in hwloc's count.
void number_groups(Resource& resource, std::uint64_t& next) {
  if (resource.level == "group") resource.index = next++;
  for (Resource& child : resource.children) number_groups(child, next);
}

void order_children(Resource& resource) {
  std::sort(resource.children.begin(), resource.children.end(),
            [](const Resource& a, const Resource& b) {
              return std::pair(a.level, a.index) < std::pair(b.level, b.index);
            });
  for (Resource& child : resource.children) order_children(child);
}

Machine machine_from(hwloc_topology_t topology) {
  Machine machine;
  machine.is_this_machine = hwloc_topology_is_thissystem(topology) != 0;
  std::vector<Found> found;
  add_all(hwloc_get_root_obj(topology), found);
  drop_outer_numa(found, machine.remarks);
  drop_groups_without_meaning(found);
  std::stable_sort(found.begin(), found.end(), [](const Found& a, const Found& b) {
    return std::pair(b.resource.pus.count(), a.kind) < std::pair(a.resource.pus.count(), b.kind);
  });
  machine.node = std::move(found.front().resource);  // the largest and outermost
  for (std::size_t i = 1; i < found.size(); ++i) place(std::move(found[i]), machine);
  order_children(machine.node);
  std::uint64_t next_group = 0;
  number_groups(machine.node, next_group);
  machine.allowed = pu_set_of(hwloc_topology_get_allowed_cpuset(topology)) & machine.node.pus;
  return machine;
}

/// Descriptions for hwloc to read; none: it reads the machine that it finds.
struct Description {
  const char* xml_path = nullptr;
  const char* words = nullptr;
};

std::optional<Machine> machine_by_hwloc(const Description& description) {
  const Topology topology = new_topology();
  if (!topology) return std::nullopt;
  const bool is_taken = (description.xml_path == nullptr ||
                         hwloc_topology_set_xml(topology.get(), description.xml_path) == 0) &&
                        (description.words == nullptr ||
                         hwloc_topology_set_synthetic(topology.get(), description.words) == 0);
  // All PUs, allowed or not: with a cpuset for each task, as Slurm makes them, every task would
  // otherwise number its own cores from 0, and ranks would seem to share them.
  if (!is_taken ||
      hwloc_topology_set_flags(topology.get(), HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED) != 0 ||
      hwloc_topology_load(topology.get()) != 0)
    return std::nullopt;
  const hwloc_const_cpuset_t all = hwloc_get_root_obj(topology.get())->cpuset;
  const int last = all == nullptr ? -1 : hwloc_bitmap_last(all);  // -1: none, or without end
  if (last < 0 || last >= static_cast<int>(kMostPus)) return std::nullopt;
  return machine_from(topology.get());
}

/// Reads in a child process, for hwloc trusts what it reads: 2.9 crashes if one object of an XML
/// file lacks a set of PUs. `error` is the answer if it refuses.
Result<Machine> described_machine(const Description& description, const Error& error) {
  const Result<std::string> answer = child_answer([&] {
    const std::optional<Machine> machine = machine_by_hwloc(description);
    return machine ? lines_of(*machine) : "";
  });
  if (!answer) {
    const bool is_refused = answer.error().code == ErrorCode::system;
    return Error{is_refused ? ErrorCode::system : error.code,
                 error.sentence + " (hwloc, which reads it, " + answer.error().sentence + ")"};
  }
  if (answer.value().empty()) return error;
  std::optional<Machine> machine = machine_from_lines(answer.value());
  if (machine) return *std::move(machine);
  return Error{error.code, error.sentence + " (its parts contradict each other)"};
}

/// hwloc's variables that name files or describe machines.
bool has_description_in_environment() {
  for (const char* name : {"HWLOC_XMLFILE", "HWLOC_SYNTHETIC", "HWLOC_FSROOT", "HWLOC_CPUID_PATH",
                           "HWLOC_COMPONENTS", "HWLOC_DUMPED_HWDATA_DIR", "HWLOC_PLUGINS_PATH"})
    if (std::getenv(name) != nullptr) return true;
  return false;
}

constexpr std::size_t kMostXmlBytes = std::size_t{64} << 20;

/// Returns how many PUs a description asks for: the product of its counts, or of the first ones if
/// that is too many already. Brackets hold memory, parentheses hold attributes; hwloc judges the
/// rest.
std::uint64_t pus_described_by(const std::string& text) {
  std::uint64_t pus = 1;
  int depth = 0;
  for (std::size_t at = 0; at < text.size() && pus <= kMostPus; ++at) {
    const char c = text[at];
    if (c == '[' || c == '(') ++depth;
    if (c == ']' || c == ')') --depth;
    const char before = at == 0 ? ' ' : text[at - 1];
    const bool is_count = c >= '0' && c <= '9' && (before == ' ' || before == ':');
    if (depth == 0 && is_count)
      pus *= std::min(std::strtoull(text.c_str() + at, nullptr, 0), kMostPus + 1ull);
  }
  return pus;
}

/// Whether "(indexes=...)" numbers PUs beyond any machine's: hwloc would take memory for all below.
bool has_too_high_index(const std::string& text) {
  constexpr std::string_view kIndexes = "indexes=";
  for (std::size_t at = text.find(kIndexes); at != text.npos; at = text.find(kIndexes, at + 1))
    for (std::size_t i = at + kIndexes.size(); i < text.size() && text[i] != ')'; ++i)
      if (std::strtoull(text.c_str() + i, nullptr, 0) >= kMostPus) return true;
  return false;
}

}  // namespace

Result<Machine> read_this_machine() {
  const Error error = {
      ErrorCode::system,
      "hwloc could not read this machine; see what `lstopo` says, or set TERRACE_MACHINE"};
  if (has_description_in_environment()) {
    Result<Machine> machine = described_machine({}, error);
    if (machine)
      machine.value().origin = machine.value().is_this_machine
                                   ? "this machine"
                                   : "the machine that HWLOC_XMLFILE or HWLOC_SYNTHETIC names";
    return machine;
  }
  std::optional<Machine> machine = machine_by_hwloc({});
  if (!machine) return error;
  machine->origin = "this machine";
  return *std::move(machine);
}

Result<Machine> read_machine_xml(const std::string& path) {
  if (const Result<std::string> text = read_text_file(path, kMostXmlBytes); !text)
    return Error{ErrorCode::argument, "cannot read a machine: " + text.error().sentence +
                                          "; expected a file that `lstopo FILE.xml` wrote"};
  Result<Machine> machine = described_machine(
      {path.c_str(), nullptr},
      {ErrorCode::argument,
       "cannot read a machine from '" + path + "': expected a file that `lstopo FILE.xml` wrote"});
  if (machine) machine.value().origin = "the machine in " + path;
  return machine;
}

Result<Machine> read_machine_synthetic(const std::string& text) {
  if (pus_described_by(text) > kMostPus)
    return Error{ErrorCode::argument, "the machine '" + text + "' would have more than " +
                                          std::to_string(kMostPus) + " PUs: expected fewer"};
  if (has_too_high_index(text))
    return Error{ErrorCode::argument, "the machine '" + text + "' numbers PUs from " +
                                          std::to_string(kMostPus) + " on: expected lower numbers"};
  Result<Machine> machine =
      described_machine({nullptr, text.c_str()},
                        {ErrorCode::argument,
                         "cannot understand the machine '" + text +
                             "': expected levels with counts in hwloc's words, as in "
                             "\"pack:2 [numa] l3:2 core:4 pu:1\", or a file of `lstopo FILE.xml`"});
  if (machine) machine.value().origin = "the machine \"" + text + '"';
  return machine;
}

Result<Machine> read_machine(const std::string& path_or_text) {
  const bool is_path =
      path_or_text.find('/') != std::string::npos ||
      (path_or_text.size() > 4 && path_or_text.compare(path_or_text.size() - 4, 4, ".xml") == 0);
  return is_path ? read_machine_xml(path_or_text) : read_machine_synthetic(path_or_text);
}

}  // namespace terrace
