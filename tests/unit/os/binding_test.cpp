// SPDX-License-Identifier: BSD-3-Clause
// Live bindings: what a thread is bound to is what is read back.
#include "os/binding.hpp"

#include <gtest/gtest.h>

#ifdef __linux__
#include <sched.h>

#include <thread>

namespace terrace {
namespace {

TEST(Binding, a_thread_bound_to_one_pu_reads_that_pu) {
  const Result<PuSet> before = binding_of_this_thread();
  ASSERT_TRUE(before.ok()) << before.error().sentence;
  for (std::uint32_t pu : before.value().list()) {
    Result<PuSet> bound = PuSet{};
    Result<PuSet> process = PuSet{};
    std::thread([&] {
      cpu_set_t mask;
      CPU_ZERO(&mask);
      CPU_SET(pu, &mask);
      ASSERT_EQ(sched_setaffinity(0, sizeof mask, &mask), 0);
      bound = binding_of_this_thread();
      process = binding_of_this_process();
    }).join();
    ASSERT_TRUE(bound.ok() && process.ok());
    EXPECT_EQ(bound.value(), PuSet{pu});
    EXPECT_EQ(process.value(), before.value()) << "the main thread may still use them all";
  }
}

}  // namespace
}  // namespace terrace
#endif
