// SPDX-License-Identifier: BSD-3-Clause
// The hierarchy as communicators see it: level after level from the top, with the groups of all
// parents side by side; and sentences on why a rank is where it is. Pure functions.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "communicators/split.hpp"

namespace terrace::communicators {

/// The result of splitting all communicators of the layer above.
struct Layer {
  std::vector<const Group*> groups;      ///< parent by parent
  std::vector<std::vector<Rank>> roots;  ///< of the parts of each parent that is divided

  /// The types of its groups, each once, as users of MPI know them: "L3Cache", or "L3Cache, Core"
  /// where parents differ.
  std::string type() const;
};

/// Ends where no group can be divided. Points into the hierarchy.
std::vector<Layer> layers_of(const Hierarchy& hierarchy);

/// "L3Cache 1"; without the number for levels of the network, as it means nothing to people.
std::string name_of(const Group& group);

/// "0-3 8", in ascending order.
std::string ranks_text(std::span<const Rank> ranks);

/// In one sentence, why a rank is in the group that it is in at a level (from 1), or in none. With
/// no level: at the first one where it is alone, or in no group. `localities` are those that the
/// hierarchy was made of.
std::string why(const Hierarchy& hierarchy, std::span<const Locality> localities, Rank rank,
                std::optional<std::size_t> level);

/// In one sentence, why a split of these ranks makes no group at all.
std::string why_undivided(std::span<const Locality> localities, const SplitRequest& request);

}  // namespace terrace::communicators
