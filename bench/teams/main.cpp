// SPDX-License-Identifier: BSD-3-Clause
// Measures thread teams from the command line: what ./dev bench teams runs, and sweeps over
// algorithms and strips that bypass the choice. One JSON object per line.
#include <cstdio>
#include <cstring>
#include <sstream>
#include <string>

#include "measure.hpp"

namespace {

using terrace::bench::Timing;

using namespace terrace;
using namespace terrace::bench;

struct Options {
  std::vector<std::string> collectives = {"barrier", "allreduce", "reduce",
                                          "bcast",   "allgather", "gather",
                                          "scatter", "alltoall",  "reduce_scatter_block",
                                          "scan",    "exscan"};
  std::vector<std::size_t> bytes = {8, 64, 512, 4096, 32768, 262144, 1 << 20, 4 << 20, 16 << 20};
  Rank ranks = 2;
  std::vector<std::string> algorithms;  ///< a sweep over these instead of the choice
  std::vector<std::size_t> strips = {65536};
  std::vector<bool> streams = {false};
  std::vector<std::size_t> rings = {2};
  Reach reach = Reach::direct;
  Effort effort;
};

constexpr const char* kHelp =
    "bench_teams [--collective LIST] [--bytes LIST] [--ranks N] [--rounds N] [--batch-us T]\n"
    "            [--algorithm LIST [--strip LIST] [--ring LIST] [--stream no|yes|both] [--reach "
    "direct|bounced]]\n"
    "Bytes are those of a rank's vector, or of each block where there is one per rank.\n"
    "With --algorithm each named algorithm runs with each strip size, bypassing the choice.\n";

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> words;
  std::istringstream stream(text);
  for (std::string word; std::getline(stream, word, ',');) words.push_back(word);
  return words;
}

std::vector<std::size_t> sizes(const std::string& text) {
  std::vector<std::size_t> values;
  for (const std::string& word : split(text)) values.push_back(std::stoul(word));
  return values;
}

bool take(Options& options, const std::string& name, const std::string& value) {
  if (name == "--collective")
    options.collectives = split(value);
  else if (name == "--bytes")
    options.bytes = sizes(value);
  else if (name == "--ranks")
    options.ranks = static_cast<Rank>(std::stoul(value));
  else if (name == "--rounds")
    options.effort.rounds = std::stoi(value);
  else if (name == "--batch-us")
    options.effort.batch_us = std::stod(value);
  else if (name == "--algorithm")
    options.algorithms = split(value);
  else if (name == "--strip")
    options.strips = sizes(value);
  else if (name == "--stream")
    options.streams =
        value == "both" ? std::vector<bool>{false, true} : std::vector<bool>{value == "yes"};
  else if (name == "--ring")
    options.rings = sizes(value);
  else if (name == "--reach")
    options.reach = value == "direct" ? Reach::direct : Reach::bounced;
  else
    return false;
  return true;
}

/// Every combination of the options.
std::vector<Choice> choices(const Options& options) {
  std::vector<Choice> result;
  for (const std::string& algorithm : options.algorithms)
    for (const std::size_t strip : options.strips)
      for (const bool streams : options.streams)
        for (const std::size_t ring : options.rings) {
          Choice choice;
          choice.algorithm = algorithm;
          choice.strip_bytes = strip;
          choice.ring = static_cast<std::uint32_t>(ring);
          choice.streams = streams;
          choice.bounces = options.reach == Reach::bounced;
          result.push_back(choice);
        }
  return result;
}

/// Each choice as a contender against the floors; each row names one of them.
void sweep(const Options& options, const Point& point) {
  Crew crew(point.ranks);
  Contenders contenders;
  for (const Choice& choice : choices(options)) {
    const Algorithm* row = find_algorithm(choice.algorithm);
    if (row != nullptr && row->collective == point.collective)
      contenders.push_back(make_ours(crew, point.collective, options.reach, &choice));
  }
  if (contenders.empty()) return;
  const std::size_t ours = contenders.size();
  for (auto& floor : make_floors(crew, point.collective, point.bytes))
    contenders.push_back(std::move(floor));
  const std::vector<Timing> timings =
      terrace::bench::measure(crew, point, contenders, options.effort);
  for (std::size_t i = 0; i < ours; ++i) {
    std::vector<Timing> chosen = {timings[i]};
    chosen[0].plan = timings[i].name;
    chosen.insert(chosen.end(), timings.begin() + static_cast<std::ptrdiff_t>(ours), timings.end());
    for (const Row& row : rows_of(point, chosen, timings.size() - ours))
      std::printf("%s\n", to_json(row).c_str());
  }
}

void run(const Options& options) {
  for (const std::string& name : options.collectives) {
    const auto collective = collective_from_text(name);
    if (!collective || is_vector(*collective)) continue;
    for (const std::size_t bytes : options.bytes) {
      const bool is_barrier = *collective == Collective::barrier;
      const Point point{*collective, is_barrier ? 0 : bytes, options.ranks};
      if (options.algorithms.empty())
        for (const Row& row : bench_threads(point, options.effort, make_fortran_peers(*collective)))
          std::printf("%s\n", to_json(row).c_str());
      else
        sweep(options, point);
      std::fflush(stdout);
      if (is_barrier) break;
    }
  }
}

}  // namespace

int main(int count, char** arguments) {
  restart_for_peers(arguments);
  Options options;
  for (int i = 1; i < count; i += 2)
    if (i + 1 == count || !take(options, arguments[i], arguments[i + 1])) {
      std::fputs(kHelp, stderr);
      return 2;
    }
  run(options);
  return 0;
}
