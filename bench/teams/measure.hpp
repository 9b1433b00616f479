// SPDX-License-Identifier: BSD-3-Clause
// Measuring a point: batches of Terrace, of the floors and of the peers in turn, some hundred
// microseconds each, so that whatever the machine does happens to all of them.
#pragma once

#include <string>
#include <vector>

#include "contenders.hpp"
#include "samples.hpp"

namespace terrace::bench {

struct Point {
  Collective collective = Collective::allreduce;
  std::size_t bytes = 8;  ///< of a rank's vector, or of each of its blocks
  Rank ranks = 2;
};

struct Effort {
  int rounds = 40;  ///< batches of each contender
  double batch_us = 300;
  double most_seconds = 6;  ///< per point
};

struct Timing {
  std::string name;
  std::string plan;
  std::vector<Sample> samples;  ///< one per round
  std::size_t wrong = 0;        ///< batches that left a wrong result
};

/// Lets the contenders take turns on the crew's threads. Every result is checked at the end of
/// each batch, outside the timing; inputs change with every call.
std::vector<Timing> measure(Crew& crew, const Point& point, const Contenders& contenders,
                            const Effort& effort);

/// One line of the answer: Terrace at a point in a regime, against one peer ("" if there is none).
struct Row {
  Point point;
  std::string mode = "threads";
  std::string regime;
  std::string plan;
  Median us;
  std::string floor;
  double floor_us = 0;
  std::string peer;
  double peer_us = 0;
  Median ratio;     ///< peer / Terrace, paired by round
  Median of_floor;  ///< Terrace / the best floor, paired by round
  std::size_t dropped = 0;
  std::size_t wrong = 0;
};

/// Timings in the order Terrace, floors, peers.
std::vector<Row> rows_of(const Point& point, const std::vector<Timing>& timings,
                         std::size_t floors);

/// One JSON object without a line end.
std::string to_json(const Row& row);

/// Measures Terrace (direct reach) at a point with its floors, OpenMP's offers and `more` peers.
std::vector<Row> bench_threads(const Point& point, const Effort& effort, Contenders more = {});

/// OpenMP reads its variables when the process starts: starts this program again with what peers
/// need (active waiting, stacks for private copies), unless that has been done. `arguments` as in
/// main. Returns when nothing is to be done, or when it cannot be done.
void restart_for_peers(char** arguments);

}  // namespace terrace::bench
