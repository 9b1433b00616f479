// SPDX-License-Identifier: BSD-3-Clause
// Two threads make COUNT calls of an 8-byte allreduce on their endpoints: what run.py counts the
// instructions of. Waiting yields at once, so that a simulator which runs one thread at a time
// lets the peer come; run.py subtracts what is spent in waiting.
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "engine/team_endpoint.hpp"

namespace {

using namespace terrace;

constexpr Rank kRanks = 2;
constexpr std::size_t kScratchBytes = 1 << 20;

bool make_calls(const TeamMemory& memory, PlanCache& plan_cache, Rank rank, long count) {
  WaitEnvironment wait_environment;
  EndpointOptions options;
  options.reach = Reach::direct;
  options.traits = {kRanks, true, false};
  options.waiting.spins = 0;
  options.wait_environment = &wait_environment;
  TeamEndpoint endpoint(memory, rank, plan_cache, options);
  const Elements elements{1, sizeof(double), find_reduction(Type::float64, Operator::sum), false};
  bool right = true;
  for (long i = 0; i < count; ++i) {
    const double input = static_cast<double>(i) + rank;
    double output = 0;
    endpoint.allreduce(&input, &output, elements);
    right &= output == 2 * static_cast<double>(i) + 1;
  }
  return right;
}

}  // namespace

int main(int count, char** words) {
  const long calls = count > 1 ? std::atol(words[1]) : 1000;
  ThreadMemory memory(kRanks, kScratchBytes);
  for (const RankMemory& share : memory.memory().ranks) prepare(share, 0);
  PlanCache plan_cache(flat_hierarchy(kRanks));
  bool right[kRanks];
  std::thread other([&] { right[1] = make_calls(memory.memory(), plan_cache, 1, calls); });
  right[0] = make_calls(memory.memory(), plan_cache, 0, calls);
  other.join();
  if (right[0] && right[1]) return 0;
  std::fputs("team_calls: wrong sums\n", stderr);
  return 1;
}
