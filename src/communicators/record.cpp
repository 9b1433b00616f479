// SPDX-License-Identifier: BSD-3-Clause
// Writes records, and evaluates the records of all ranks.
#include "communicators/record.hpp"

#include <algorithm>
#include <unordered_map>

#include "base/contract.hpp"
#include "base/fixed_text.hpp"

namespace terrace::communicators {
namespace {

/// The version of the record's form; change it with the form.
constexpr std::uint32_t kStamp = 0x74720002;

constexpr const char* kOtherNames = "its info object names another level or part of the hierarchy";

bool name_the_same(const Record& a, const Record& b) {
  return a.level == b.level && a.is_level_cut == b.is_level_cut;
}

/// "" if two ranks ask for the same, except for names of levels.
std::string difference(const Record& first, const Record& other) {
  if (first.split_type != other.split_type) return "it gives another split type";
  if (first.wants_roots != other.wants_roots)
    return "it does not agree on whether roots communicators are wanted";
  if (first.scope != other.scope) return kOtherNames;
  return "";
}

Locality with_node(Locality locality, std::uint64_t number) {
  for (LevelPlace& place : locality.places)
    if (place.level == "node") place.index = number;
  return locality;
}

void stop_at_node(Locality& locality) {
  std::vector<LevelPlace>& places = locality.places;
  const auto node = std::find_if(places.begin(), places.end(),
                                 [](const LevelPlace& place) { return place.level == "node"; });
  if (node != places.end()) places.erase(node + 1, places.end());
}

/// 0, 1, ... in the order in which keys are first asked for.
class Numbers {
 public:
  std::uint64_t of(std::uint64_t key) {
    return numbers_.try_emplace(key, numbers_.size()).first->second;
  }

 private:
  std::unordered_map<std::uint64_t, std::uint64_t> numbers_;
};

}  // namespace

Record record_of(const NodePlacement& placement, const SplitWish& wish) {
  Record record;
  record.stamp = kStamp;
  record.failure = static_cast<std::uint8_t>(wish.failure);
  record.is_out = wish.is_out;
  record.wants_roots = wish.wants_roots;
  record.scope = static_cast<std::uint8_t>(wish.request.scope);
  record.is_in_trouble = !placement.trouble.empty();
  record.is_bound = placement.is_bound;
  record.is_network_in_trouble = !placement.network_trouble.empty();
  record.is_level_cut = !put_text(record.level, wish.request.level);
  record.split_type = wish.split_type;
  record.key = wish.key;
  record.most_levels = wish.most_levels;
  record.host = placement.host;
  record.node = placement.node;
  record.settings = placement.settings;
  record.network = placement.network;
  if (const auto dimension = torus_dimension(wish.request.level);
      dimension && *dimension <= placement.coordinates.size())
    record.coordinate = std::uint64_t{placement.coordinates[*dimension - 1]} + 1;
  put_text(record.locality, cut_to(record.locality.size() - 1, to_text(placement.locality)));
  return record;
}

SplitRequest request_of(const Record& record) {
  return {static_cast<Scope>(record.scope), text_in(record.level)};
}

std::optional<Complaint> complaint_about(std::span<const Record> records) {
  const Record* first = nullptr;
  std::optional<Complaint> on_names;
  for (Rank rank = 0; rank < records.size(); ++rank) {
    const Record& record = records[rank];
    if (record.stamp != kStamp) return Complaint{Failure::other, rank, "it has another Terrace"};
    if (record.failure != 0)
      return Complaint{static_cast<Failure>(record.failure), rank, "its arguments are wrong"};
    if (record.is_out) continue;
    if (first == nullptr) first = &record;
    if (std::string what = difference(*first, record); !what.empty())
      return Complaint{Failure::argument, rank, std::move(what)};
    if (!on_names && !name_the_same(*first, record))
      on_names = Complaint{Failure::argument, rank, kOtherNames, true};
  }
  return on_names;
}

std::optional<Rank> first_in_trouble(std::span<const Record> records) {
  for (Rank rank = 0; rank < records.size(); ++rank)
    if (records[rank].is_in_trouble || records[rank].settings != records[0].settings) return rank;
  return std::nullopt;
}

std::optional<Rank> first_without_network(std::span<const Record> records) {
  for (Rank rank = 0; rank < records.size(); ++rank)
    if (records[rank].is_network_in_trouble || records[rank].network != records[0].network)
      return rank;
  return std::nullopt;
}

std::vector<Locality> localities_of(std::span<const Record> records, Unbound unbound) {
  const bool is_trusted = !first_in_trouble(records);
  Numbers numbers;
  std::vector<Locality> localities;
  localities.reserve(records.size());
  for (const Record& record : records) {
    const std::uint64_t number = numbers.of(is_trusted ? record.node : record.host);
    Result<Locality> sent = locality_from_text(text_in(record.locality));
    const bool is_known = is_trusted && sent && !sent.value().places.empty();
    localities.push_back(is_known ? with_node(std::move(sent).value(), number)
                                  : Locality{{{"node", number}}});
    if (!record.is_bound && unbound == Unbound::stop_at_node) stop_at_node(localities.back());
  }
  return first_without_network(records) ? within(Scope::node, localities) : localities;
}

std::vector<Rank> in_order_of_keys(std::span<const Record> records, std::vector<Rank> ranks) {
  TERRACE_ASSERT(
      std::all_of(ranks.begin(), ranks.end(), [&](Rank rank) { return rank < records.size(); }));
  std::stable_sort(ranks.begin(), ranks.end(),
                   [&](Rank a, Rank b) { return records[a].key < records[b].key; });
  return ranks;
}

}  // namespace terrace::communicators
