// SPDX-License-Identifier: BSD-3-Clause
// What every plan that could be chosen is predicted to cost, on every machine file: the numbers
// that the tables for many ranks are made from (run.py in this folder). A line for each:
//
//     machine ranks places domains largest reach collective bytes algorithm radix strip ring
//     streams bounces ns
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "api/prediction.hpp"
#include "execute/call.hpp"
#include "model/read_machine_model.hpp"
#include "plan/lower.hpp"
#include "plan/part.hpp"
#include "team/memory.hpp"

namespace {

using namespace terrace;
using model::MachineModel;

constexpr std::size_t KiB = 1024;

std::string filter;

std::vector<Locality> places_of(const MachineModel& model, Rank ranks, bool is_spread) {
  const auto cores =
      static_cast<Rank>(resources_at(model::machine_of(model).value(), "core").size());
  std::vector<Locality> all = model::localities_on(model, cores).value();
  if (!is_spread) {
    all.resize(ranks);
    return all;
  }
  std::vector<Locality> some;
  for (Rank rank = 0; rank < ranks; ++rank) some.push_back(all[std::size_t{rank} * cores / ranks]);
  return some;
}

std::size_t scratch_of(Rank ranks, bool is_direct) {
  if (is_direct) return std::size_t{4} << 20;
  return ranks > 64 ? 256 * KiB : ranks > 16 ? 512 * KiB : 1024 * KiB;
}

struct Written {
  Plan plan;
  std::size_t blocks = 0, stand_ins = 0;
};

class Costs {
 public:
  Costs(const MachineModel& model, std::string places, const Scene& scene)
      : model_(model), places_(std::move(places)), scene_(scene) {}

  void print(Collective collective, std::size_t bytes, bool is_direct);

 private:
  const Written* written(const Algorithm& row, std::uint32_t radix, Lowering lowering,
                         std::uint32_t ring, std::uint32_t pockets);
  void print(const Algorithm& row, std::size_t bytes, bool is_direct, Choice choice);
  Rank ranks() const { return static_cast<Rank>(scene_.places.size()); }

  const MachineModel& model_;
  std::string places_;
  const Scene& scene_;
  std::map<std::string, std::unique_ptr<Written>> written_;
};

const Written* Costs::written(const Algorithm& row, std::uint32_t radix, Lowering lowering,
                              std::uint32_t ring, std::uint32_t pockets) {
  const std::string key = std::string(row.name) + " " + std::to_string(radix) + " " +
                          std::to_string(static_cast<int>(lowering)) + " " + std::to_string(ring) +
                          " " + std::to_string(pockets);
  const auto [found, is_new] = written_.try_emplace(key);
  if (!is_new) return found->second.get();
  const Plan plan = row.write({scene_.hierarchy, 0, radix});
  Result<Plan> result = lower(plan, lowering, ring, pockets);
  if (!result || result.value().lines > kLineSlots) return nullptr;
  found->second = std::make_unique<Written>();
  found->second->plan = std::move(result).value();
  const Part part = part_of(found->second->plan, 0);
  found->second->blocks = part.scratch_blocks;
  found->second->stand_ins = part.stand_ins;
  return found->second.get();
}

void Costs::print(const Algorithm& row, std::size_t bytes, bool is_direct, Choice choice) {
  const Written* plan = nullptr;
  if (bytes <= kPayloadBytes && row.fits_lines) {
    const std::uint32_t pockets =
        has_block_per_rank(row.collective)
            ? static_cast<std::uint32_t>(std::min<std::size_t>(kPayloadBytes / bytes, ranks()))
            : 1;
    plan = written(row, choice.radix, Lowering::lines, 2, pockets);
    if (plan != nullptr && (choice.strip_bytes != kWhole || choice.bounces || choice.ring != 2))
      return;
  }
  if (plan == nullptr) plan = written(row, choice.radix, Lowering::owner, choice.ring, 1);
  if (plan == nullptr) return;
  model::CostQuestion question;
  question.bytes = static_cast<double>(bytes);
  question.is_direct = is_direct && !choice.bounces;
  question.streams = choice.streams;
  const Plan& p = plan->plan;
  const std::size_t blocks = (plan->blocks - (question.is_direct ? plan->stand_ins : 0u)) * p.ring;
  std::size_t strip = choice.strip_bytes;
  if (blocks != 0)
    strip =
        std::min(strip, scratch_of(ranks(), is_direct) / blocks / kLinePairBytes * kLinePairBytes);
  question.strip_bytes = strip >= bytes ? 0 : static_cast<double>(strip);
  if (strip == 0) return;
  const auto cost = model::cost_of(p, model_, scene_.places, question);
  if (!cost) return;
  std::size_t largest = 1;
  for (const Group& g : scene_.hierarchy.all.children) largest = std::max(largest, g.ranks.size());
  if (scene_.hierarchy.all.children.empty()) largest = ranks();
  std::printf("%s %u %s %zu %zu %s %s %zu %s %u %zd %u %d %d %.1f\n", model_.name.c_str(), ranks(),
              places_.c_str(), std::max<std::size_t>(scene_.hierarchy.all.children.size(), 1),
              largest, is_direct ? "direct" : "bounced", to_text(row.collective), bytes,
              std::string(row.name).c_str(), choice.radix,
              choice.strip_bytes == kWhole ? -1 : static_cast<ssize_t>(choice.strip_bytes),
              choice.ring, choice.streams, choice.bounces, cost.value().total);
}

void Costs::print(Collective collective, std::size_t bytes, bool is_direct) {
  for (const Algorithm& row : algorithms()) {
    if (row.collective != collective || row.name.find(filter) == std::string_view::npos) continue;
    std::vector<std::uint32_t> radices = {8};
    const Plan as_usual = row.write({scene_.hierarchy, 0, 8});
    for (const std::uint32_t radix : {2u, 4u, 16u, ranks()})
      if (row.write({scene_.hierarchy, 0, radix}) != as_usual &&
          std::find(radices.begin(), radices.end(), radix) == radices.end())
        radices.push_back(radix);
    for (const std::uint32_t radix : radices) {
      Choice choice;
      choice.algorithm = row.name;
      choice.radix = radix;
      if (is_direct) {
        choice.strip_bytes = kWhole;
        print(row, bytes, true, choice);
        if (bytes > 1024 * KiB) {
          choice.streams = true;
          print(row, bytes, true, choice);
          choice.streams = false;
        }
        choice.bounces = true;
        choice.strip_bytes = 256 * KiB;
        if (bytes <= 64 * KiB) print(row, bytes, true, choice);
        continue;
      }
      for (const std::size_t strip : {4 * KiB, 16 * KiB, 64 * KiB, 256 * KiB, 1024 * KiB}) {
        choice.strip_bytes = strip;
        for (const std::uint32_t ring : {2u, 4u}) {
          choice.ring = ring;
          if (strip >= bytes && ring > 2) continue;
          print(row, bytes, false, choice);
        }
        if (strip >= bytes) break;
      }
    }
  }
}

}  // namespace

int main(int count, char** words) {
  const MachineModel model =
      model::read_machine_model(TERRACE_SOURCE_DIR "/machines/" + std::string(words[1]) + ".json")
          .value();
  if (count < 4) {
    std::printf("%zu\n", resources_at(model::machine_of(model).value(), "core").size());
    return 0;
  }
  const Rank ranks = static_cast<Rank>(std::stoul(words[2]));
  if (count > 4) filter = words[4];
  const bool is_spread = std::string(words[3]) == "spread";
  const Scene scene(model, places_of(model, ranks, is_spread));
  Costs costs(model, words[3], scene);
  for (std::uint32_t number = 0; number < kCollectiveCount; ++number) {
    const auto collective = static_cast<Collective>(number);
    if (is_uneven(collective)) continue;
    for (const std::size_t bytes :
         {8u, 32u, 112u, 512u, 2048u, 8192u, 32768u, 131072u, 524288u, 2097152u, 4194304u}) {
      if (collective == Collective::barrier && bytes != 8) continue;
      for (const bool is_direct : {true, false}) costs.print(collective, bytes, is_direct);
    }
  }
  return 0;
}
