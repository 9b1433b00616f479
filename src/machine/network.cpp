// SPDX-License-Identifier: BSD-3-Clause
// Reads networks: lines to parts, parts to the tree that they form, the tree to the places of
// hosts.
#include "machine/network.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

#include "base/hash.hpp"
#include "base/number.hpp"
#include "base/text_file.hpp"
#include "machine/network_parts.hpp"

namespace terrace {
namespace {

// Limits that keep a file that is wrong, or meant to harm, from taking all memory or the whole
// stack.
constexpr std::size_t kMostNames = 1'000'000;
constexpr std::size_t kMostLetters = 255;  // of a name, as DNS has it
constexpr std::size_t kMostFactors = 64;
constexpr std::size_t kMostDepth = 100;
constexpr std::size_t kMostBytes = std::size_t{64} << 20;

using Part = NetworkPart;
using Parts = std::vector<Part>;

Error at_line(const std::string& origin, std::size_t line, const std::string& what) {
  return {ErrorCode::argument, origin + ", line " + std::to_string(line) + ": " + what};
}

std::string_view trimmed(std::string_view text) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

/// Quotes a text in a sentence, which a line of megabytes would bury.
std::string short_quote(std::string_view text) {
  constexpr std::size_t kMostQuoted = 200;
  return "'" + std::string(text.substr(0, kMostQuoted)) +
         (text.size() > kMostQuoted ? "...'" : "'");
}

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

/// At separators outside brackets.
std::vector<std::string_view> split_outside(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> pieces;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const bool is_end = i == text.size();
    if (!is_end && text[i] == '[') ++depth;
    if (!is_end && text[i] == ']') --depth;
    if (!is_end && (depth > 0 || separators.find(text[i]) == std::string_view::npos)) continue;
    if (i > begin) pieces.push_back(text.substr(begin, i - begin));
    begin = i + 1;
  }
  return pieces;
}

/// The numbers of "001-003,7", as text with their zeros.
std::optional<std::vector<std::string>> numbers_in(std::string_view ranges) {
  std::vector<std::string> numbers;
  for (const std::string_view range : split_outside(ranges, ",")) {
    const std::size_t dash = range.find('-');
    const std::string_view first_text = range.substr(0, dash);
    const auto first = number_from_text<std::uint64_t>(first_text);
    const auto last = dash == std::string_view::npos
                          ? first
                          : number_from_text<std::uint64_t>(range.substr(dash + 1));
    if (!first || !last || *last < *first || first_text.size() > kMostLetters) return std::nullopt;
    if (*last - *first >= kMostNames - numbers.size()) return std::nullopt;
    for (std::uint64_t i = 0; i <= *last - *first; ++i) {  // as no number is above the largest last
      std::string digits = std::to_string(*first + i);
      if (digits.size() < first_text.size())
        digits.insert(0, first_text.size() - digits.size(), '0');
      numbers.push_back(std::move(digits));
    }
  }
  if (numbers.empty()) return std::nullopt;
  return numbers;
}

/// One name with brackets, of which there may be several, to all that it stands for.
std::optional<std::vector<std::string>> expand(std::string_view name) {
  std::vector<std::string> names = {""};
  while (!name.empty()) {
    const std::size_t open = name.find('['), close = name.find(']');
    if ((open == std::string_view::npos) != (close == std::string_view::npos)) return std::nullopt;
    const std::string_view plain = name.substr(0, open);
    if (names.back().size() + plain.size() > kMostLetters) return std::nullopt;
    for (std::string& one : names) one += plain;
    if (open == std::string_view::npos) break;
    if (close < open) return std::nullopt;
    const auto numbers = numbers_in(name.substr(open + 1, close - open - 1));
    if (!numbers || names.size() * numbers->size() > kMostNames) return std::nullopt;
    std::vector<std::string> longer;
    for (const std::string& one : names)
      for (const std::string& number : *numbers) longer.push_back(one + number);
    names = std::move(longer);
    name.remove_prefix(close + 1);
  }
  return names;
}

/// The lines of a file without comments, continued ones joined, with the number of the first.
std::vector<std::pair<std::size_t, std::string>> lines_of(std::string_view text) {
  std::vector<std::pair<std::size_t, std::string>> lines;
  bool is_continued = false;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    line = trimmed(line.substr(0, line.find('#')));
    const bool goes_on = !line.empty() && line.back() == '\\';
    if (goes_on) line.remove_suffix(1);
    if (is_continued)
      lines.back().second += ' ' + std::string(line);
    else if (!line.empty() || goes_on)
      lines.emplace_back(number, line);
    is_continued = goes_on;
  }
  return lines;
}

/// Not one of a node's own, which would be taken for those.
bool is_level_name(std::string_view name) {
  constexpr std::string_view kTaken[] = {"job", "run", "node", "package", "die",  "numa", "l5",
                                         "l4",  "l3",  "l2",   "l1",      "core", "pu"};
  if (std::find(std::begin(kTaken), std::end(kTaken), name) != std::end(kTaken)) return false;
  return !name.empty() &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_-") == std::string_view::npos;
}

/// All that expressions between blanks and commas stand for.
Result<std::vector<std::string>> names_in(std::string_view text) {
  std::vector<std::string> all;
  for (const std::string_view one : split_outside(text, " \t,")) {
    Result<std::vector<std::string>> names = names_from(one);
    if (!names) return names;
    if (names.value().size() > kMostNames - all.size())
      return Error{ErrorCode::argument, "there are more than a million names in this line"};
    all.insert(all.end(), names.value().begin(), names.value().end());
  }
  return all;
}

/// "rack rack1: leaf[1-2]".
Result<Part> part_of_ours(const std::string& origin, std::size_t number, const std::string& line) {
  const std::size_t colon = line.find(':');
  const std::vector<std::string_view> head =
      split_outside(std::string_view(line).substr(0, colon), " \t");
  if (colon == std::string::npos || head.size() != 2 || !is_level_name(head[0]))
    return at_line(origin, number,
                   short_quote(line) +
                       ": expected LEVEL NAME: MEMBERS, as in rack rack1: leaf[1-2]; levels are "
                       "words in small letters, and not those of a machine");
  Result<std::vector<std::string>> members = names_in(std::string_view(line).substr(colon + 1));
  if (!members) return at_line(origin, number, members.error().sentence);
  return Part{std::string(head[0]), std::string(head[1]), std::move(members).value(), number};
}

/// "4x3x2"; nothing if it is something else, or of too many factors.
std::optional<std::vector<std::uint64_t>> product_from(std::string_view text) {
  std::vector<std::uint64_t> factors;
  for (const std::string_view one : split_outside(text, "x")) {
    const auto factor = number_from_text<std::uint64_t>(one, 1, kMostNames);
    if (!factor || factors.size() == kMostFactors) return std::nullopt;
    factors.push_back(*factor);
  }
  if (factors.empty()) return std::nullopt;
  return factors;
}

/// Shapes that are no tree by themselves: "torus NAME 4x3x2: HOSTS", "graph NAME 2x4: HOSTS", and
/// the links of the graph, "link A B WEIGHT".
class Shapes {
 public:
  explicit Shapes(std::string origin) : origin_(std::move(origin)) {}

  static bool is_one(const std::string& line) {
    const std::string_view word = std::string_view(line).substr(0, line.find_first_of(" \t"));
    return word == "torus" || word == "graph" || word == "link";
  }

  std::optional<Error> add(std::size_t number, const std::string& line, Parts& parts) {
    if (line.starts_with("link")) return add_link(number, line);
    const std::size_t colon = line.find(':');
    const auto head = split_outside(std::string_view(line).substr(0, colon), " \t");
    const auto factors = head.size() == 3 ? product_from(head[2]) : std::nullopt;
    if (colon == std::string::npos || !factors)
      return at_line(
          origin_, number,
          short_quote(line) +
              ": expected torus NAME 4x3x2: HOSTS, with the torus's dimensions, or "
              "graph NAME 2x4: HOSTS, with the parts to divide into, in 64 factors at most");
    const std::string_view expression = trimmed(std::string_view(line).substr(colon + 1));
    Result<std::vector<std::string>> hosts = names_in(expression);
    if (!hosts) return at_line(origin_, number, hosts.error().sentence);
    hosts_ += hosts.value().size();
    if (hosts_ > kMostNames)
      return at_line(origin_, number, "there are more than a million hosts in toruses and graphs");
    if (head[0] == "torus")
      return add_torus(number, std::string(head[1]), *factors, hosts.value(), parts);
    graphs_.push_back({std::string(head[1]), *factors, std::move(hosts).value(), {}, number});
    return std::nullopt;
  }

  /// When all links are known.
  std::optional<Error> finish(Parts& parts) {
    for (const Graph& graph : graphs_) {
      Result<std::vector<NetworkPart>> made = parts_of_graph(graph);
      if (!made)
        return Error{made.error().code,
                     at_line(origin_, graph.line, made.error().sentence).sentence};
      parts.insert(parts.end(), made.value().begin(), made.value().end());
    }
    return std::nullopt;
  }

 private:
  std::optional<Error> add_torus(std::size_t number, const std::string& name,
                                 const std::vector<std::uint64_t>& dimensions,
                                 const std::vector<std::string>& hosts, Parts& parts) {
    std::uint64_t wanted = 1, parts_wanted = 0;
    for (const std::uint64_t size : dimensions) {
      parts_wanted += wanted;
      wanted = std::min<std::uint64_t>(wanted * size, 2 * kMostNames);
    }
    if (wanted != hosts.size())
      return at_line(origin_, number,
                     "the torus " + name + " has " + std::to_string(wanted) +
                         " places: expected as many hosts, not " + std::to_string(hosts.size()));
    if (parts_wanted > kMostNames)
      return at_line(origin_, number,
                     "the torus " + name + " has " + std::to_string(parts_wanted) +
                         " parts, and at most a million are read: leave out dimensions of 1");
    const std::vector<NetworkPart> made = parts_of_torus(name, number, dimensions, hosts);
    parts.insert(parts.end(), made.begin(), made.end());
    return std::nullopt;
  }

  std::optional<Error> add_link(std::size_t number, const std::string& line) {
    constexpr std::uint64_t kMostWeight = 1'000'000;
    const auto words = split_outside(line, " \t");
    const auto weight = words.size() == 4
                            ? number_from_text<std::uint64_t>(words[3], 1, kMostWeight)
                            : std::optional<std::uint64_t>(1);
    if (words.size() < 3 || words.size() > 4 || !weight || words[1] == words[2] || graphs_.empty())
      return at_line(origin_, number,
                     short_quote(line) +
                         ": expected link A B or link A B WEIGHT, of two hosts or switches and up "
                         "to a million, below the graph that it is of");
    const Result<std::vector<std::string>> from = names_from(words[1]), to = names_from(words[2]);
    if (!from || !to) return at_line(origin_, number, (from ? to : from).error().sentence);
    if (from.value().size() * to.value().size() > kMostNames - links_)
      return at_line(origin_, number,
                     short_quote(line) +
                         ": this makes more than a million links in all: link switches instead "
                         "of all their hosts");
    links_ += from.value().size() * to.value().size();
    for (const std::string& one : from.value())
      for (const std::string& other : to.value())
        if (one != other) graphs_.back().links.push_back({one, other, *weight});
    return std::nullopt;
  }

  std::string origin_;
  std::vector<Graph> graphs_;
  std::size_t hosts_ = 0, links_ = 0;  ///< of all that there are
};

/// The value of a key in a line of topology.conf; "" if it is not there.
std::string_view value_of(std::string_view line, std::string_view key) {
  for (const std::string_view word : split_outside(line, " \t")) {
    const std::size_t equals = word.find('=');
    if (equals != std::string_view::npos && lower(word.substr(0, equals)) == key)
      return word.substr(equals + 1);
  }
  return {};
}

/// Tells parts of no level yet, as that follows from what lies below.
Result<Part> part_of_slurm(const std::string& origin, std::size_t number, const std::string& line) {
  const std::string_view name_of_switch = value_of(line, "switchname"),
                         name_of_block = value_of(line, "blockname");
  const bool is_block = name_of_switch.empty();
  Part part{is_block ? "block" : "switch",
            std::string(is_block ? name_of_block : name_of_switch),
            {},
            number};
  if (part.name.empty())
    return at_line(origin, number,
                   short_quote(line) + ": expected SwitchName=, BlockName= or BlockSizes=");
  for (const char* key : {"switches", "nodes"}) {
    const std::string_view value = value_of(line, key);
    if (value.empty()) continue;
    Result<std::vector<std::string>> names = names_from(value);
    if (!names) return at_line(origin, number, names.error().sentence);
    part.members.insert(part.members.end(), names.value().begin(), names.value().end());
  }
  return part;
}

/// Aggregated blocks: as many neighbouring blocks as make the next size, in the order of the file.
void aggregate_blocks(std::string_view sizes_text, Parts& parts) {
  std::vector<std::uint64_t> sizes;
  for (const std::string_view size : split_outside(sizes_text, ","))
    sizes.push_back(number_from_text<std::uint64_t>(size, 1).value_or(1));
  std::vector<std::string> below;
  for (const Part& part : parts) below.push_back(part.name);
  for (std::size_t i = 1; i < sizes.size(); ++i) {
    const std::size_t together = std::max<std::uint64_t>(sizes[i] / sizes[i - 1], 1);
    std::vector<std::string> made;
    for (std::size_t first = 0; first < below.size(); first += together) {
      const std::size_t end = std::min(first + together, below.size());
      Part part{"block", "blocks of " + std::to_string(sizes[i]) + " from " + below[first], {}, 0};
      for (std::size_t one = first; one < end; ++one) part.members.push_back(below[one]);
      made.push_back(part.name);
      parts.push_back(std::move(part));
    }
    below = std::move(made);
  }
}

/// The tree that parts make of their members.
class Tree {
 public:
  Tree(const Parts& parts, std::string origin) : parts_(parts), origin_(std::move(origin)) {}

  /// Nothing if each part and host lies in at most one other, none in itself and none too deep.
  std::optional<Error> connect() {
    for (std::size_t i = 0; i < parts_.size(); ++i)
      if (!by_name_.try_emplace(parts_[i].name, i).second)
        return at_line(origin_, parts_[i].line, parts_[i].name + " is there twice");
    for (std::size_t i = 0; i < parts_.size(); ++i)
      for (std::size_t at = 0; at < parts_[i].members.size(); ++at) {
        const std::string& member = parts_[i].members[at];
        if (const auto [found, is_new] = parent_.try_emplace(member, RankPlace{i, at}); !is_new)
          return at_line(origin_, parts_[i].line,
                         member + " lies in " + parts_[found->second.part].name + " already");
      }
    for (const Part& part : parts_) {
      const std::vector<std::size_t> way = way_to(part.name);
      if (way.size() <= kMostDepth) continue;
      const bool is_circle = std::set<std::size_t>(way.begin(), way.end()).size() < way.size();
      return at_line(origin_, part.line,
                     part.name + (is_circle ? " lies in itself"
                                            : " lies in more than 100 parts, one in the other: "
                                              "leave some out"));
    }
    return std::nullopt;
  }

  bool is_part(const std::string& name) const { return by_name_.count(name) != 0; }

  /// The parts that this lies in, outermost first; of more than may be, one too many.
  std::vector<std::size_t> way_to(const std::string& name) const {
    std::vector<std::size_t> way;
    for (auto found = parent_.find(name); found != parent_.end() && way.size() <= kMostDepth;
         found = parent_.find(parts_[found->second.part].name))
      way.push_back(found->second.part);
    std::reverse(way.begin(), way.end());
    return way;
  }

  /// Along each dimension of the innermost torus on a host's way: a slice's place among those of
  /// its parent, and in the last dimension that of what lies in the innermost slice.
  std::vector<std::uint32_t> coordinates_of(const std::string& host,
                                            const std::vector<std::size_t>& way) const {
    std::size_t torus = way.size();
    while (torus > 0 && parts_[way[torus - 1]].level != "torus") --torus;
    std::vector<std::uint32_t> coordinates;
    for (std::size_t next = torus; torus > 0; ++next) {
      const std::string& name = next < way.size() ? parts_[way[next]].name : host;
      coordinates.push_back(static_cast<std::uint32_t>(parent_.at(name).place));
      const std::string slice = "slice" + std::to_string(coordinates.size());
      if (next == way.size() || parts_[way[next]].level != slice) break;
    }
    return coordinates;
  }

  /// Returns how many parts lie below, one in the other: 0 where hosts are attached. Calls itself
  /// as deep as connect() allows.
  std::size_t height_of(std::size_t part) const {
    std::size_t height = 0;
    for (const std::string& member : parts_[part].members)
      if (const auto found = by_name_.find(member); found != by_name_.end())
        height = std::max(height, height_of(found->second) + 1);
    return height;
  }

 private:
  /// The part that something lies in, and its place among the members.
  struct RankPlace {
    std::size_t part = 0, place = 0;
  };

  const Parts& parts_;
  std::string origin_;
  std::map<std::string, std::size_t> by_name_;
  std::map<std::string, RankPlace> parent_;
};

Result<Network> network_of(Parts parts, const std::string& origin, bool is_slurms) {
  Tree tree(parts, origin);
  if (const std::optional<Error> error = tree.connect()) return *error;
  std::vector<std::string> levels;
  for (std::size_t i = 0; i < parts.size(); ++i)
    levels.push_back(is_slurms ? parts[i].level + std::to_string(tree.height_of(i))
                               : parts[i].level);
  Network network;
  network.origin = origin;
  for (const Part& part : parts)
    for (const std::string& member : part.members) {
      if (tree.is_part(member)) continue;
      network.hosts.push_back(member);
      std::vector<LevelPlace>& places = network.places[member];
      const std::vector<std::size_t> way = tree.way_to(member);
      for (const std::size_t around : way) places.push_back({levels[around], around});
      if (auto coordinates = tree.coordinates_of(member, way); !coordinates.empty())
        network.coordinates[member] = std::move(coordinates);
    }
  if (network.hosts.empty()) return Error{ErrorCode::argument, origin + " names no hosts"};
  return network;
}

}  // namespace

Result<std::vector<std::string>> names_from(std::string_view expression) {
  std::vector<std::string> names;
  for (const std::string_view one : split_outside(expression, ",")) {
    const auto expanded = expand(one);
    if (!expanded || names.size() + expanded->size() > kMostNames)
      return Error{ErrorCode::argument, short_quote(expression) +
                                            ": expected names, as in n[001-016],login, of a "
                                            "million hosts at most, of 255 letters each"};
    names.insert(names.end(), expanded->begin(), expanded->end());
  }
  return names;
}

Result<Network> network_from_text(std::string_view text, const std::string& origin) {
  Parts parts;
  const auto lines = lines_of(text);
  if (lines.empty()) return Error{ErrorCode::argument, origin + " is empty"};
  const auto& first = lines.front().second;
  const bool is_slurms =
      first.substr(0, first.find_first_of(" \t:")).find('=') != std::string::npos;
  std::string sizes;
  std::size_t members = 0;
  Shapes shapes(origin);
  for (const auto& [number, line] : lines) {
    if (!is_slurms && Shapes::is_one(line)) {
      if (const std::optional<Error> error = shapes.add(number, line, parts)) return *error;
      continue;
    }
    if (is_slurms && !value_of(line, "blocksizes").empty()) {
      sizes = value_of(line, "blocksizes");
      if (split_outside(sizes, ",").size() > kMostDepth)
        return at_line(origin, number, "BlockSizes= has more than 100 sizes: leave some out");
      continue;
    }
    Result<Part> part =
        is_slurms ? part_of_slurm(origin, number, line) : part_of_ours(origin, number, line);
    if (!part) return part.error();
    members += part.value().members.size();
    if (members > 2 * kMostNames)
      return at_line(origin, number, "there are more than two million names up to this line");
    parts.push_back(std::move(part).value());
  }
  if (const std::optional<Error> error = shapes.finish(parts)) return *error;
  if (!sizes.empty()) aggregate_blocks(sizes, parts);
  return network_of(std::move(parts), origin, is_slurms);
}

Result<Network> read_network(const std::string& path) {
  Result<std::string> text = read_text_file(path, kMostBytes);
  if (!text) return Error{ErrorCode::argument, "cannot read a network: " + text.error().sentence};
  return network_from_text(text.value(), path);
}

Result<std::vector<LevelPlace>> places_of(const Network& network, const std::string& host) {
  for (const std::string& name : {host, host.substr(0, host.find('.'))})
    if (const auto found = network.places.find(name); found != network.places.end())
      return found->second;
  return Error{ErrorCode::argument,
               "the host " + host + " is not in " + network.origin + ": add it there"};
}

std::vector<std::uint32_t> coordinates_of(const Network& network, const std::string& host) {
  for (const std::string& name : {host, host.substr(0, host.find('.'))})
    if (network.places.count(name) != 0) {
      const auto found = network.coordinates.find(name);
      return found == network.coordinates.end() ? std::vector<std::uint32_t>{} : found->second;
    }
  return {};
}

std::string host_of_node(const Network& network, std::uint64_t node) {
  return node < network.hosts.size() ? network.hosts[node]
                                     : "of pretended node " + std::to_string(node);
}

Result<std::vector<LevelPlace>> places_from_slurm(std::string_view address,
                                                  std::string_view pattern) {
  const std::vector<std::string_view> names = split_outside(address, "."),
                                      kinds = split_outside(pattern, ".");
  if (names.size() != kinds.size() || names.empty() || kinds.back() != "node")
    return Error{ErrorCode::argument, "SLURM_TOPOLOGY_ADDR is '" + std::string(address) +
                                          "' and its pattern '" + std::string(pattern) +
                                          "': expected as many names as kinds, the node last"};
  std::vector<LevelPlace> places;
  for (std::size_t i = 0; i + 1 < names.size(); ++i) {
    const std::string level = lower(kinds[i]) + std::to_string(names.size() - 2 - i);
    if (!is_level_name(level))
      return Error{ErrorCode::argument, "SLURM_TOPOLOGY_ADDR_PATTERN has the kind '" +
                                            std::string(kinds[i]) + "': expected a word"};
    places.push_back({level, hash_of(names[i])});
  }
  return places;
}

}  // namespace terrace
