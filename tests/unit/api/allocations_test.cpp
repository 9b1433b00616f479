// SPDX-License-Identifier: BSD-3-Clause
// Goal: calls of kinds that were made before allocate no memory. Method: `operator new` counts
// while its thread makes such calls; machine and trials, which may work anything out anew, are off.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // these have their own

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <new>
#include <vector>

#include "unit/api/threads.hpp"

namespace {

thread_local bool is_counting = false;
thread_local int allocations = 0;

// Not inlined: compilers take what `new` returned for memory that only `delete` may free.
[[gnu::noinline]] void* allocate(std::size_t bytes, std::size_t alignment) {
  if (is_counting) ++allocations;
  void* place = nullptr;
  if (posix_memalign(&place, std::max(alignment, sizeof(void*)), std::max<std::size_t>(bytes, 1)))
    throw std::bad_alloc();
  return place;
}

[[gnu::noinline]] void give_back(void* place) {
  std::free(place);
}

}  // namespace

void* operator new(std::size_t bytes) {
  return allocate(bytes, alignof(std::max_align_t));
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return allocate(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* place) noexcept {
  give_back(place);
}
void operator delete(void* place, std::size_t) noexcept {
  give_back(place);
}
void operator delete(void* place, std::align_val_t) noexcept {
  give_back(place);
}
void operator delete(void* place, std::size_t, std::align_val_t) noexcept {
  give_back(place);
}

namespace {

using namespace terrace::testing_api;

constexpr std::array<std::size_t, 3> kCounts = {1, 700, 100000};

/// One call of each kind and size; whether all went well.
bool make_calls(terrace_team* team, int rank, const std::vector<double>& input,
                std::vector<double>& output) {
  bool is_right = terrace_barrier(team, rank) == TERRACE_OK;
  for (const std::size_t count : kCounts) {
    const double* const in = input.data();
    double* const out = output.data();
    for (int root = 0; root < 2; ++root) {
      is_right &= !terrace_bcast(out, count, TERRACE_DOUBLE, root, team, rank);
      is_right &= !terrace_reduce(in, out, count, TERRACE_DOUBLE, TERRACE_SUM, root, team, rank);
      is_right &= !terrace_gather(in, out, count, TERRACE_DOUBLE, root, team, rank);
      is_right &= !terrace_scatter(in, out, count, TERRACE_DOUBLE, root, team, rank);
    }
    is_right &= !terrace_allreduce(in, out, count, TERRACE_DOUBLE, TERRACE_SUM, team, rank);
    is_right &= !terrace_allgather(in, out, count, TERRACE_DOUBLE, team, rank);
    is_right &= !terrace_alltoall(in, out, count, TERRACE_DOUBLE, team, rank);
    is_right &=
        !terrace_reduce_scatter_block(in, out, count, TERRACE_DOUBLE, TERRACE_SUM, team, rank);
    is_right &= !terrace_scan(in, out, count, TERRACE_DOUBLE, TERRACE_SUM, team, rank);
    is_right &= !terrace_exscan(in, out, count, TERRACE_DOUBLE, TERRACE_SUM, team, rank);
  }
  return is_right;
}

TEST(Allocations, are_none_once_calls_are_known) {
  setenv("TERRACE_MEASURE", "off", 1);
  setenv("TERRACE_TRIALS", "off", 1);
  const Team team(2);
  EXPECT_EQ("", team.each([&](int rank) -> std::string {
    std::vector<double> input(2 * kCounts.back(), 1), output(2 * kCounts.back());
    bool is_right = make_calls(team.team, rank, input, output);
    is_counting = true;
    const int before = allocations;
    for (int i = 0; i < 20; ++i) is_right &= make_calls(team.team, rank, input, output);
    is_counting = false;
    if (!is_right) return failure("calls", rank);
    return allocations == before ? "" : std::to_string(allocations - before) + " allocations";
  }));
  unsetenv("TERRACE_MEASURE");
  unsetenv("TERRACE_TRIALS");
}

}  // namespace

#endif
