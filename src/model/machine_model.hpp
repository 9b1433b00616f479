// SPDX-License-Identifier: BSD-3-Clause
// MachineModel: the costs of a machine, as data. Its shape, and how long it takes to move lines
// between cores at each distance, to and from memory, and messages between nodes. `cost` and
// `simulate` compute with it; read_machine_model.hpp reads it from a file in which each number
// names its source.
//
// The letters a, b, B are those of the HPDC'13 paper (section 2.1): a reader of m lines alone takes
// a + b m; d readers over one link take a + B d m each. Beyond the paper, b depends on which of its
// caches the supplier has a line in, and writing has numbers of its own. Times are in nanoseconds,
// lengths in bytes, bandwidths in bytes per nanosecond (which is GB/s).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/locality.hpp"
#include "base/result.hpp"

namespace terrace::model {

/// Costs of a core by itself.
struct Core {
  double clock = 1;    ///< cycles per nanosecond
  double call = 0;     ///< entering and leaving a collective call
  double step = 0;     ///< each step of a plan
  double look = 0;     ///< each look at a peer's flag that is in the own cache
  double publish = 0;  ///< storing a flag or a line, beyond owning it
  double combine = 0;  ///< combining a line of one more operand, all in registers and first cache
  double copy = 0;     ///< storing a line into the own first cache
  /// Giving the core to another rank, until that runs. Files may leave it out.
  double yield = kUsualYield;

  static constexpr double kUsualYield = 600;
  /// The usual cost where ranks are switched in user space.
  static constexpr double kUsualSwitch = 30;

  bool operator==(const Core&) const = default;
};

/// A level of cache, from the core outwards. One instance is shared by the cores of one resource
/// of that level.
struct Cache {
  std::string level;          ///< "l1", "l2", "l3"
  std::string shared_by;      ///< "core", "l2", "l3", "numa", ...: the level of the machine
  double bytes = 0;           ///< what values have room in (a probe filter taken off)
  bool is_inclusive = false;  ///< holds whatever the caches inside it hold
  double latency = 0;         ///< one line that is here
  double line = 0;            ///< each further line of a stream that is here
  double shared_line = 0;     ///< each line, when all who share the cache stream at once, of all
};

/// The memory of one NUMA node, or of whatever level has one.
struct Memory {
  std::string level;               ///< "numa", "package", "node"
  double latency = 0;              ///< one line, at the own one
  double bandwidth = 0;            ///< of one such memory, all its cores reading
  double core_bandwidth = 0;       ///< of one core reading
  bool allocates_on_write = true;  ///< an ordinary store to what is not cached reads it first
  double streamed_store = 0;       ///< a line that one core stores past the caches, at least
};

/// The users of a link who share it: all who leave one place for another, or all who leave (and all
/// who enter) a place, wherever they go to.
enum class LinkSharing : std::uint8_t { between_two, at_each };

/// A span that no first cache holds. Probes measure it, and calls use it, if second caches hold
/// twice that.
inline constexpr std::size_t kPastFirstCaches = 256 * 1024;

/// One core stores a value into lines that another has read since they were stored to last; the
/// other copies it from there into memory of its own. What each of them takes for a line, as
/// measured between two cores.
struct ScratchCopy {
  double bytes = 0;      ///< of the value
  double span = 0;       ///< bytes that are stored to before a line comes round again
  bool streams = false;  ///< by non-temporal stores
  double write = 0, read = 0;

  bool operator==(const ScratchCopy&) const = default;
};

/// A distance between two cores and its costs. A model has them from near to far; two cores are at
/// the first that fits.
struct Distance {
  std::string name;   ///< "own", "l3", "package", "neighbour", "diagonal"
  std::string level;  ///< both lie in one resource of this level ...
  std::string part;   ///< ... in which they cross between resources of this level, or stay in one
                      ///< ("" if both are the same)
  /// Resources of level `part`, by their index on the node, that are this far apart; empty: any
  /// two.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> pairs;

  // Reading one line that a cache at this distance has, by its state there: M, E, S.
  double modified = 0, exclusive = 0, shared = 0;
  double ownership = 0;       ///< writing to a line of which a cache at this distance has a copy
  double memory = 0;          ///< reading a line that only the memory at this distance has
  double further_line = 0;    ///< g: each further line, of another writer, read at once with others
  double further_reader = 0;  ///< c: each further reader of the same line at the same time
  double a = 0, b = 0, B = 0;
  /// b, of lines that their supplier has in no first cache of its own. Files may leave it out: b.
  double b_outer = 0;
  /// Writing to further lines of one's own of which a cache at this distance has copies: in its
  /// first cache, and in others only. Files may leave them out: B.
  double w = 0, w_outer = 0;
  /// Whether the file has w. Then it also counts for a peer's lines that one wrote in the call
  /// before and that only the peer has read since, as both have copies; else these come as if read.
  bool has_w = false;
  LinkSharing link = LinkSharing::between_two;  ///< what d readers share
  /// Ordered by stores, span and bytes; files that were written by hand have none.
  std::vector<ScratchCopy> scratch;
};

/// The network level of any two nodes.
inline constexpr const char* kAnyTwoNodes = "job";

/// A level of the network, by LogGP, from near to far.
struct NetworkLevel {
  std::string level;  ///< both nodes lie in one such place; "job": any two
  double L = 0;       ///< latency of the wire and its switches
  double o = 0;       ///< a core's time to send or to receive a message
  double g = 0;       ///< between two messages of a node
  double G = 0;       ///< between two bytes of a message
  double eager = 0;   ///< longer messages first ask the receiver: a message more each way
  /// Number of nodes in each place of this level, in order; empty: all are in one.
  std::vector<std::uint32_t> nodes_of_parts;
};

/// One number of the file and where it comes from.
struct Given {
  std::string key;    ///< "distances[2].modified"
  std::string value;  ///< with its unit: "28.5 ns"
  std::string source;
};

struct MachineModel {
  std::string name;  ///< as one asks for it: "westmere-x5650"
  std::string title;
  std::string machine;  ///< one node, in hwloc's words (machine/pretend.hpp)
  std::uint32_t nodes = 1;
  std::uint32_t line_bytes = 64;
  Core core;
  std::vector<Cache> caches;
  Memory memory;
  std::vector<Distance> distances;
  std::vector<NetworkLevel> networks;
  std::vector<Given> given;  ///< in the order of the file

  double lines(double bytes) const { return bytes / line_bytes; }
};

/// Index into `distances`, for two ranks of one node; the last where none fits.
std::uint32_t distance_between(const MachineModel&, const Locality& a, const Locality& b);

/// Index into `networks`, for ranks of two nodes; the last where none fits.
std::uint32_t network_between(const MachineModel&, const Locality& a, const Locality& b);

/// Whether a distance is meant for two resources of its level `part`, which is so for all if it
/// lists none.
bool has_pair(const Distance&, std::uint64_t one, std::uint64_t other);

/// Whether two ranks are on the same node.
bool on_one_node(const Locality& a, const Locality& b);

/// The place of that level on the way to a rank; nothing if there is none.
const LevelPlace* place_at(const Locality&, std::string_view level);

}  // namespace terrace::model
