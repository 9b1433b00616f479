// SPDX-License-Identifier: BSD-3-Clause
// Records: what each member of a communicator sends to the others before a split, of bounded
// length, and what all conclude from them. Pure functions, so all ranks conclude the same, errors
// included, and no rank leaves a call that others are waiting in.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/locality.hpp"
#include "base/rank.hpp"
#include "communicators/split.hpp"

namespace terrace::communicators {

/// The reasons for which a call can fail; the adapter maps them to the MPI's error classes.
enum class Failure : std::uint8_t { none, communicator, rank, argument, other };

/// A rank's place, as the rank knows it.
struct NodePlacement {
  std::string who;         ///< "rank 3 on n017", for messages; not sent
  std::uint64_t host = 0;  ///< which running system: a hash of its name and boot
  std::uint64_t node = 0;  ///< the same, but for pretended nodes
  /// The node first or after the network; its number means nothing. Within the node, all resources
  /// that hold the binding.
  Locality locality;
  bool is_bound = true;                    ///< to less than the whole node
  std::uint64_t settings = 0;              ///< a hash of the variables that decide the above
  std::string trouble;                     ///< why the locality is not valid; "" if it is
  std::uint64_t network = 0;               ///< a hash of the network's description; 0 without one
  std::vector<std::uint32_t> coordinates;  ///< in the network's torus; none without one
  std::string network_trouble;  ///< why the places above the node are not valid; "" if they are
};

/// A rank's arguments of a call. Ranks may differ in `key` and `most_levels`.
struct SplitWish {
  Failure failure = Failure::none;  ///< found in its own arguments
  std::string why;                  ///< it is a failure: a sentence that is not sent
  bool is_out = false;              ///< it gave MPI_UNDEFINED, and wants no communicator
  bool wants_roots = false;
  int split_type = 0;
  int key = 0;
  int most_levels = 0;
  SplitRequest request;

  /// Notes that an argument is wrong.
  void reject(std::string sentence) {
    failure = Failure::argument;
    why = std::move(sentence);
  }
};

/// Sent as bytes between processes of the same build.
struct Record {
  std::uint32_t stamp = 0;
  std::uint8_t failure = 0;
  std::uint8_t is_out = 0;
  std::uint8_t wants_roots = 0;
  std::uint8_t scope = 0;
  std::uint8_t is_in_trouble = 0;
  std::uint8_t is_network_in_trouble = 0;
  std::uint8_t is_bound = 0;
  std::uint8_t is_level_cut = 0;  ///< its name is longer than `level`
  std::int32_t split_type = 0;
  std::int32_t key = 0;
  std::int32_t most_levels = 0;
  std::uint64_t host = 0;
  std::uint64_t node = 0;
  std::uint64_t settings = 0;
  std::uint64_t network = 0;
  std::array<char, 48> level{};
  std::uint64_t coordinate = 0;  ///< from 1, in the dimension of the torus that it names; or 0
  std::array<char, 400> locality{};
};
static_assert(sizeof(Record) == 512, "a bound that docs/design/communicators.md states");

Record record_of(const NodePlacement& placement, const SplitWish& wish);
SplitRequest request_of(const Record& record);

/// A failure that all ranks return, and the lowest rank that it is due to.
struct Complaint {
  Failure failure = Failure::none;
  Rank rank = 0;
  std::string what;          ///< of the call that this rank made
  bool is_on_names = false;  ///< no more than that it names another level

  bool operator==(const Complaint&) const = default;
};

/// Nothing if the ranks agree: all that take part ask for the same, with valid arguments. Different
/// names of levels are reported only if nothing else is wrong.
std::optional<Complaint> complaint_about(std::span<const Record> records);

/// The lowest rank that does not know its place, or whose variables differ from rank 0's.
std::optional<Rank> first_in_trouble(std::span<const Record> records);

/// The lowest rank of which that holds for the places above nodes.
std::optional<Rank> first_without_network(std::span<const Record> records);

/// Whether ranks that may run anywhere on their node are in what holds the whole node, such as the
/// only package. In the hierarchy they stop at the node.
enum class Unbound : std::uint8_t { stop_at_node, are_in_instances };

/// Localities by rank; nodes are numbered in the order of first appearance. If a rank had an error,
/// each rank's place is its host alone; if the network had one, the network is flat.
std::vector<Locality> localities_of(std::span<const Record> records,
                                    Unbound unbound = Unbound::stop_at_node);

/// The ranks in the order of their keys, equal keys in the old order. `ranks` is ascending.
std::vector<Rank> in_order_of_keys(std::span<const Record> records, std::vector<Rank> ranks);

}  // namespace terrace::communicators
