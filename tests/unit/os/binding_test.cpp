// SPDX-License-Identifier: BSD-3-Clause
// Live bindings: what a thread is bound to is what is read back.
#include "os/binding.hpp"

#include <gtest/gtest.h>

#ifdef __linux__
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
      ASSERT_TRUE(bind_this_thread({pu, kMostPus - 1}).ok()) << "one that there is not";
      bound = binding_of_this_thread();
      process = binding_of_this_process();
    }).join();
    ASSERT_TRUE(bound.ok() && process.ok());
    EXPECT_EQ(bound.value(), PuSet{pu});
    EXPECT_EQ(process.value(), before.value()) << "the main thread may still use them all";
  }
}

TEST(Binding, a_thread_is_not_bound_where_no_pu_is) {
  const Result<PuSet> before = binding_of_this_thread();
  const Result<bool> bound = bind_this_thread({kMostPus - 1});
  ASSERT_FALSE(bound.ok());
  EXPECT_NE(bound.error().sentence.find("on PUs 65535"), std::string::npos);
  EXPECT_EQ(binding_of_this_thread().value(), before.value());
}

}  // namespace
}  // namespace terrace
#endif
