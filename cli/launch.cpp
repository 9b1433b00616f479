// SPDX-License-Identifier: BSD-3-Clause
// Reads the launchers' environment variables. See launch.hpp.
#include "launch.hpp"

#include <cstdlib>
#include <optional>

#include "base/number.hpp"

namespace terrace {

namespace {

std::optional<Rank> number(const char* name) {
  const char* const value = std::getenv(name);
  return number_from_text<Rank>(value ? value : "");
}

}  // namespace

Launch launch_of_this_rank() {
  const char* const names[][2] = {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                  {"PMI_RANK", "PMI_SIZE"},
                                  {"SLURM_PROCID", "SLURM_NTASKS"}};
  for (const auto& [rank_name, size_name] : names) {
    const auto rank = number(rank_name), ranks = number(size_name);
    if (rank && ranks && *rank < *ranks) return {*rank, *ranks, true};
  }
  return {};
}

}  // namespace terrace
