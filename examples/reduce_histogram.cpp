// SPDX-License-Identifier: BSD-3-Clause
// Teaches: reducing a long vector to one rank, in place there. Each thread counts its share of the
// numbers below a million by their remainder; the root ends with the counts of all.
#include <cstdint>
#include <iostream>
#include <terrace/terrace.hpp>
#include <thread>
#include <vector>

int main() {
  constexpr int kRanks = 2, kRoot = 0;
  constexpr std::uint64_t kNumbers = 1'000'000, kBins = 65'536;
  const terrace::team team(kRanks);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < kRanks; ++rank)
    threads.emplace_back([&team, rank] {
      const terrace::member me = team.join(rank);
      // Allocated and filled by the thread itself, so its pages lie near it.
      std::vector<std::uint32_t> counts(kBins);
      for (std::uint64_t i = static_cast<std::uint64_t>(rank); i < kNumbers; i += kRanks)
        ++counts[i * i % kBins];
      me.reduce(counts, terrace::sum, kRoot);
      if (rank == kRoot)
        std::cout << "bin 0 has " << counts[0] << ", bin 1 has " << counts[1] << '\n';
    });
  for (std::thread& thread : threads) thread.join();
}
