// SPDX-License-Identifier: BSD-3-Clause
// Which performance guidelines our chosen plans miss by prediction, and by how much: on every
// machine file, or those that are named; 2, 4, 8, 16 and 32 ranks, spread over the node and side
// by side, and with --whole on all cores; 8 bytes to 4 MiB. A line for each guideline missed, with
// the machine, ranks, places, reach, bytes and ratio; then the worst of each.
#include <cstdio>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "explain/guidelines.hpp"
#include "machine_files/read_machine_model.hpp"

namespace {

using namespace terrace;

/// Ratio up to which a call counts as no slower.
constexpr double kNoSlower = 1.05;

std::map<std::string, double> worst;
int missed = 0, looked_at = 0;

void list(const RankPlatform& platform, const char* places, bool is_direct, std::size_t bytes) {
  const auto all = explain::guided(platform, is_direct, bytes);
  if (!all) {
    std::fprintf(stderr, "guidelines: %s\n", all.error().sentence.c_str());
    return;
  }
  for (const explain::Guided& one : all.value()) {
    ++looked_at;
    const std::string reach = is_direct ? "direct" : "bounced";
    double& most = worst[reach + " " + std::string(one.guideline)];
    most = std::max(most, one.ratio);
    if (one.ratio <= kNoSlower) continue;
    ++missed;
    std::printf("%s %zu %s %s %zu %.2f %s\n", platform.machine.name.c_str(), platform.places.size(),
                places, reach.c_str(), one.bytes, one.ratio, std::string(one.guideline).c_str());
  }
}

void list(const model::MachineModel& machine, Rank ranks, bool is_spread,
          const std::vector<Locality>& cores) {
  const auto places = explain::some_places(cores, ranks, is_spread);
  if (!places) return;
  const RankPlatform platform(machine, places.value());
  for (std::size_t bytes = 8; bytes <= std::size_t{4} << 20; bytes *= 4)
    for (const bool is_direct : {true, false})
      list(platform, is_spread ? "spread" : "packed", is_direct, bytes);
}

}  // namespace

int main(int count, char** words) {
  std::vector<std::string> names;
  bool is_whole = false;
  for (int i = 1; i < count; ++i)
    if (std::strcmp(words[i], "--whole") == 0)
      is_whole = true;
    else
      names.push_back(words[i]);
  for (const std::string& name : names.empty() ? model::machine_model_names() : names) {
    const auto machine = model::read_machine_model(name);
    if (!machine) {
      std::fprintf(stderr, "guidelines: %s\n", machine.error().sentence.c_str());
      return 1;
    }
    const auto cores =
        static_cast<Rank>(resources_at(model::machine_of(machine.value()).value(), "core").size());
    const std::vector<Locality> all = model::localities_on(machine.value(), cores).value();
    for (const Rank ranks : {2u, 4u, 8u, 16u, 32u})
      for (const bool is_spread : {true, false})
        if (ranks < cores || (ranks == cores && is_spread))
          list(machine.value(), ranks, is_spread, all);
    if (is_whole && cores > 32) list(machine.value(), cores, true, all);
  }
  std::printf("missed %d of %d\n", missed, looked_at);
  for (const auto& [guideline, ratio] : worst)
    std::printf("at most %.2f %s\n", ratio, guideline.c_str());
  return 0;
}
