// SPDX-License-Identifier: BSD-3-Clause
// The table of performance variables.
#include "engine/performance_variables.hpp"

#include <algorithm>
#include <cstring>

namespace terrace {

std::vector<PerformanceVariable> performance_variables(bool has_underlying_mpi) {
  using Counts = PerformanceVariable::Counts;
  std::vector<PerformanceVariable> all;
  // Thread ranks do not count those along the edges of graphs.
  for (std::uint32_t i = 0; i < (has_underlying_mpi ? kAllCollectives : kCollectiveCount); ++i) {
    const auto collective = static_cast<Collective>(i);
    const std::string name = to_text(collective), begin = "terrace_" + name + "_";
    all.push_back({Counts::calls_run, collective, begin + "calls_run",
                   "calls of " + name + " that Terrace has run"});
    if (has_underlying_mpi)
      all.push_back({Counts::calls_fallen_back, collective, begin + "calls_fallen_back",
                     "calls of " + name + " that fell back to the MPI"});
    all.push_back(
        {Counts::bytes_run, collective, begin + "bytes_run",
         "bytes of the calls of " + name + " that Terrace has run, as this rank gave them"});
  }
  all.push_back({Counts::teams_founded, Collective::barrier, "terrace_teams_founded",
                 "teams of ranks that Terrace has founded"});
  if (has_underlying_mpi)
    all.push_back({Counts::teams_rested, Collective::barrier, "terrace_teams_rested",
                   "communicators that got a team of earlier ones instead of a new one"});
  return all;
}

void put_string(const std::string& text, char* place, int* length) {
  const int wanted = static_cast<int>(text.size()) + 1;
  const int room = length != nullptr ? *length : 0;
  if (place == nullptr || room <= 0) {
    if (length != nullptr) *length = wanted;
    return;
  }
  const int written = std::min(room, wanted);
  std::memcpy(place, text.data(), static_cast<std::size_t>(written - 1));
  place[written - 1] = '\0';
  *length = written;
}

}  // namespace terrace
