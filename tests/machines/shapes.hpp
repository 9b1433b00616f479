// SPDX-License-Identifier: BSD-3-Clause
// Machine shapes for tests of every room: what ranks on typical (and awkward) machines look like.
// The localities are computed here by plain division, without hwloc; the tests of machine/ check
// that hwloc, given the same shapes, says the same.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "base/locality.hpp"
#include "hierarchy/hierarchy.hpp"

namespace terrace::shapes {

/// `count` instances of a level in each instance of the level outside it.
struct RegularLevel {
  std::string name;
  std::uint32_t count = 1;
};

/// A machine on which all instances of a level look alike: levels outermost first, PUs last.
using RegularMachine = std::vector<RegularLevel>;

/// The PUs that a rank may use, ascending; none means that it is not bound.
using PuList = std::vector<std::uint32_t>;

struct Shape {
  std::string name;
  std::string synthetic;             ///< the machine, as hwloc writes it; "" if nothing is known
  std::vector<std::uint32_t> nodes;  ///< rank -> node
  std::vector<PuList> bindings;      ///< rank -> PUs of its node
  std::vector<Locality> localities;  ///< rank -> what must come out
};

/// Of ranks in this order, as "node:0/l3:0/core:1".
inline std::vector<Locality> localities_from(std::initializer_list<const char*> texts) {
  std::vector<Locality> localities;
  for (const char* text : texts) localities.push_back(locality_from_text(text).value());
  return localities;
}

struct NamedHierarchy {
  std::string name;
  Hierarchy hierarchy;
};

inline std::uint32_t pu_count(const RegularMachine& machine) {
  std::uint32_t count = 1;
  for (const RegularLevel& level : machine) count *= level.count;
  return count;
}

/// The chain of instances that hold all of `pus`; only the node if they are all PUs, or none.
inline Locality locality_on(const RegularMachine& machine, const PuList& pus, std::uint32_t node) {
  Locality locality{{{"node", node}}};
  std::uint32_t instance_pus = pu_count(machine);
  if (pus.empty() || pus.size() == instance_pus) return locality;
  for (const RegularLevel& level : machine) {
    instance_pus /= level.count;
    const std::uint32_t instance = pus.front() / instance_pus;
    if (pus.back() / instance_pus != instance) break;
    locality.places.push_back({level.name, instance});
  }
  return locality;
}

/// hwloc's way to write the machine; a NUMA node that covers its parent hangs on it in brackets.
inline std::string synthetic_of(const RegularMachine& machine) {
  std::string text;
  for (const RegularLevel& level : machine) {
    if (!text.empty()) text += ' ';
    if (level.name == "numa" && level.count == 1)
      text += "[numa]";
    else
      text += level.name + ':' + std::to_string(level.count);
  }
  return text;
}

/// All `pus` PUs from `first` on.
inline PuList pus_from(std::uint32_t first, std::uint32_t pus) {
  PuList list(pus);
  for (std::uint32_t i = 0; i < pus; ++i) list[i] = first + i;
  return list;
}

/// The shape in which `bind(rank)` says the PUs and `node(rank)` the node of each rank.
template <class Bind, class Node>
Shape shape_of(std::string name, const RegularMachine& machine, Rank rank_count, Bind bind,
               Node node) {
  Shape shape{std::move(name), synthetic_of(machine), {}, {}, {}};
  for (Rank rank = 0; rank < rank_count; ++rank) {
    shape.nodes.push_back(node(rank));
    shape.bindings.push_back(bind(rank));
    shape.localities.push_back(locality_on(machine, shape.bindings.back(), shape.nodes.back()));
  }
  return shape;
}

template <class Bind>
Shape shape_of(std::string name, const RegularMachine& machine, Rank rank_count, Bind bind) {
  return shape_of(std::move(name), machine, rank_count, bind, [](Rank) { return 0u; });
}

/// Ranks in order over the whole machine, one PU each; several per PU if there are too few.
inline Shape spread(std::string name, const RegularMachine& machine, Rank rank_count) {
  const std::uint32_t pus = pu_count(machine);
  return shape_of(std::move(name), machine, rank_count,
                  [=](Rank rank) { return PuList{rank * pus / rank_count}; });
}

inline std::vector<Shape> regular_shapes(Rank p) {
  return {
      spread("one package", {{"pack", 1}, {"numa", 1}, {"l3", 1}, {"core", 32}, {"pu", 1}}, p),
      spread("two packages", {{"pack", 2}, {"numa", 1}, {"l3", 1}, {"core", 16}, {"pu", 1}}, p),
      spread("four packages", {{"pack", 4}, {"numa", 1}, {"l3", 1}, {"core", 8}, {"pu", 1}}, p),
      spread("eight packages", {{"pack", 8}, {"numa", 1}, {"l3", 1}, {"core", 4}, {"pu", 1}}, p),
      spread("sub-NUMA clusters", {{"pack", 2}, {"numa", 4}, {"l3", 1}, {"core", 4}, {"pu", 1}}, p),
      spread("one L3 over several NUMA nodes",
             {{"pack", 2}, {"l3", 1}, {"numa", 2}, {"core", 8}, {"pu", 1}}, p),
      spread("several L3 per package",
             {{"pack", 2}, {"numa", 1}, {"l3", 4}, {"core", 4}, {"pu", 1}}, p),
      spread("shared L2", {{"pack", 2}, {"numa", 1}, {"l3", 1}, {"l2", 4}, {"core", 2}, {"pu", 1}},
             p),
      spread("cores with SMT", {{"pack", 2}, {"numa", 1}, {"l3", 1}, {"core", 4}, {"pu", 2}}, p),
      spread("every level splits",
             {{"pack", 2}, {"numa", 2}, {"l3", 2}, {"l2", 2}, {"core", 2}, {"pu", 2}}, p),
      spread("more ranks than cores", {{"pack", 2}, {"numa", 1}, {"core", 2}, {"pu", 1}}, p),
  };
}

/// ParCo'18, section 5.2: two ranks on a core each, two on an L2, four on a NUMA node.
inline PuList paper_binding(Rank rank) {
  const Rank r = rank % 8;
  if (r < 2) return {r};
  return r < 4 ? PuList{2, 3} : PuList{4, 5, 6, 7};
}

inline std::vector<Shape> uneven_shapes(Rank p) {
  const RegularMachine two = {{"pack", 2}, {"numa", 1}, {"l3", 1}, {"core", 16}, {"pu", 1}};
  const RegularMachine four = {{"pack", 4}, {"numa", 1}, {"l3", 2}, {"core", 4}, {"pu", 1}};
  const RegularMachine paper = {{"pack", 2}, {"numa", 1}, {"l3", 1},
                                {"l2", 2},   {"core", 2}, {"pu", 1}};
  const Rank most = (2 * p + 2) / 3;
  return {
      shape_of("uneven ranks per package", two, p,
               [=](Rank r) { return PuList{r < most ? r : 16 + r - most}; }),
      shape_of("last rank alone on its package", two, p,
               [=](Rank r) { return PuList{r + 1 < p ? r % 16 : 20}; }),
      shape_of("unbound", two, p, [](Rank) { return PuList{}; }),
      shape_of("every third rank unbound", two, p,
               [=](Rank r) { return r % 3 == 1 ? PuList{} : PuList{r * 32 / p}; }),
      shape_of("bound to two cores each", four, p,
               [=](Rank r) { return pus_from(r * 16 / p * 2, 2); }),
      shape_of("bound to an L3 each", four, p, [](Rank r) { return pus_from(r % 8 * 4, 4); }),
      shape_of("bound across L3s", four, p, [](Rank r) { return pus_from(r * 3 % 29, 3); }),
      shape_of("bound unevenly, as in the paper", paper, p, paper_binding),
  };
}

inline std::vector<Shape> scattered_shapes(Rank p) {
  const RegularMachine four = {{"pack", 4}, {"numa", 1}, {"l3", 2}, {"core", 4}, {"pu", 1}};
  const RegularMachine small = {{"pack", 1}, {"numa", 1}, {"l3", 1}, {"core", 2}, {"pu", 1}};
  return {
      shape_of("round robin over packages", four, p,
               [](Rank r) { return PuList{(r % 4 * 8 + r / 4) % 32}; }),
      shape_of("rank order unrelated to the machine", four, p,
               [](Rank r) { return PuList{(r * 13 + 5) % 32}; }),  // 13 and 32 share no factor
      shape_of("all ranks on one core", small, p, [](Rank) { return PuList{1}; }),
      shape_of("two cores in turn", small, p, [](Rank r) { return PuList{r % 2}; }),
      shape_of(
          "three nodes", four, p, [](Rank r) { return PuList{r * 7 % 32}; },
          [=](Rank r) { return r * 3 / p; }),
      shape_of(
          "two nodes in turn", small, p, [](Rank r) { return PuList{r / 2 % 2}; },
          [](Rank r) { return r % 2; }),
      Shape{"nothing known", "", std::vector<std::uint32_t>(p), std::vector<PuList>(p),
            std::vector<Locality>(p)},
  };
}

/// Every shape for `rank_count` ranks (1 or more); the same ones in the same order each time.
inline std::vector<Shape> shapes(Rank rank_count) {
  std::vector<Shape> all = regular_shapes(rank_count);
  for (Shape& shape : uneven_shapes(rank_count)) all.push_back(std::move(shape));
  for (Shape& shape : scattered_shapes(rank_count)) all.push_back(std::move(shape));
  for (Shape& shape : all)
    for (Locality& locality : shape.localities)
      for (LevelPlace& place : locality.places)
        if (place.level == "pack") place.level = "package";  // hwloc's word, and Terrace's
  return all;
}

inline std::vector<NamedHierarchy> hierarchies(Rank rank_count) {
  std::vector<NamedHierarchy> all;
  for (const Shape& shape : shapes(rank_count))
    all.push_back({shape.name, hierarchy_of(shape.localities)});
  return all;
}

}  // namespace terrace::shapes
