// SPDX-License-Identifier: BSD-3-Clause
// Teaches: the C++ header. Ranges and values instead of addresses and counts, types deduced, errors
// thrown; what makes no sense, such as a bitwise operator on floats, does not compile.
#include <array>
#include <iostream>
#include <terrace/terrace.hpp>
#include <thread>
#include <vector>

int main() {
  const terrace::team team(4);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < team.ranks(); ++rank)
    threads.emplace_back([&team, rank] {
      const terrace::member me = team.join(rank);
      const int highest = me.allreduce(rank * rank, terrace::maximum);
      std::array<double, 3> ones = {1, 1, 1};
      me.allreduce(ones, terrace::sum);
      if (rank == 0) std::cout << "highest " << highest << ", sum of ones " << ones[2] << '\n';
    });
  for (std::thread& thread : threads) thread.join();

  try {
    (void)team.join(7);
  } catch (const terrace::error& error) {
    std::cout << error.what() << '\n';
  }
}
