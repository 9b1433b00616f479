// SPDX-License-Identifier: BSD-3-Clause
// Variables without effect are named, those with an effect are not.
#include "preload/setup/env_check.hpp"

#include <gmock/gmock.h>

#include "base/pause.hpp"
#include "base/switch.hpp"
#include "preload/mpi/settings.hpp"

namespace terrace::preload {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Complaints, name_what_nobody_heeds) {
  const std::vector<std::string> environment = {
      "TERRACE=foo",          "TERRACE_REPROT=1",      "TERRACE_REPORT=2",
      "TERRACE_ISA=AVX9",     "TERRACE_OFF_COMMS=",    "HOME=/",
      "TERRACE_REACH=direct", "TERRACE_SHARED_HEAP=7", "TERRACE_PAUSE=doze"};
  EXPECT_THAT(
      env_warnings_about(environment, "AVX2"),
      ElementsAre("TERRACE is 'foo': expected on or off; ignored",
                  "TERRACE_REPROT is no setting of Terrace; the closest is TERRACE_REPORT",
                  "TERRACE_REPORT is '2': expected on or off; ignored",
                  "TERRACE_ISA is 'AVX9': expected AVX3, AVX2, SSE4, SVE, NEON or baseline, and "
                  "a processor that has it; using AVX2",
                  "TERRACE_OFF_COMMS is no setting of Terrace; the closest is TERRACE_OFF",
                  "TERRACE_REACH is 'direct': expected auto, bounced, pulled or attached; "
                  "ignored",
                  "TERRACE_SHARED_HEAP is '7': expected on, off, or a number of bytes from "
                  "4096 on; taken as on",
                  std::string("TERRACE_PAUSE is 'doze': expected yield, isb or wfe, on an "
                              "AArch64 processor; wfe needs a kernel that wakes cores which "
                              "wait for events; using ") +
                      (pause_kind_count() > 1 ? to_text(pause_kind()) : "the processor's own")));
}

TEST(Complaints, leave_alone_what_is_heeded_or_not_ours) {
  const std::vector<std::string> environment = {"TERRACE=",
                                                "TERRACE=Off",
                                                "TERRACE_CHECK=TRUE",
                                                "TERRACE_ISA=AVX2",
                                                "TERRACE_ISA=",
                                                "TERRACE_PAUSE=",
                                                "TERRACE_PLAN=x",
                                                "TERRACE_OFF=a,b",
                                                "TERRACE_BUILD=x",
                                                "TERRACED=houses",
                                                "MYTERRACE_X=1",
                                                "TERRACE_LOCALITY=n 0",
                                                "TERRACE_NODES=2",
                                                "TERRACE_REACH=",
                                                "TERRACE_REACH=pulled",
                                                "TERRACE_REACH=auto",
                                                "TERRACE_REACH=bounced",
                                                "TERRACE_REACH=attached",
                                                "TERRACE_SHARED_HEAP=no",
                                                "TERRACE_SHARED_HEAP=8192",
                                                "TERRACE_TRIALS=sums",
                                                "TERRACE_TRIALS=off",
                                                "TERRACE_FIBRES=auto",
                                                "TERRACE_PROGRESS=8-15,24",
                                                "TERRACE_PROGRESS=on",
                                                "TERRACE_CC=ccache clang",
                                                "TERRACE_CXX=clang++",
                                                "TERRACE_FC=gfortran-12"};
  EXPECT_THAT(env_warnings_about(environment, "AVX2"), IsEmpty());
}

// Lmod, Environment Modules and Spack set them for every program of a job.
TEST(Complaints, leave_alone_what_environment_modules_set) {
  const std::vector<std::string> environment = {
      "TERRACE_ROOT=/opt/terrace", "TERRACE_HOME=/opt/terrace", "TERRACE_DIR=/opt/terrace",
      "TERRACE_LIB=/opt/lib",      "TERRACE_VERSION=1.0.0",     "TERRACE_MPI_ROOT=/opt/terrace"};
  EXPECT_THAT(env_warnings_about(environment, "AVX2"), IsEmpty());
  EXPECT_THAT(env_warnings_about(std::vector<std::string>{"TERRACE_ROOTS=1"}, "AVX2"),
              testing::SizeIs(1));
}

TEST(Complaints, name_what_is_neither_a_switch_nor_processing_units) {
  for (const char* word : {"8-", "cores", "-1", "99999999"})
    EXPECT_THAT(env_warnings_about(std::vector{std::string("TERRACE_PROGRESS=") + word}, "AVX2"),
                ElementsAre(testing::HasSubstr("expected on, off, or PUs")))
        << word;
}

TEST(Complaints, words_for_on_and_off) {
  for (const char* word : {"on", "ON", "1", "yes", "True"})
    EXPECT_EQ(switch_from_text(word), true) << word;
  for (const char* word : {"off", "OFF", "0", "No", "false"})
    EXPECT_EQ(switch_from_text(word), false) << word;
  for (const char* word : {"", "foo", "2", "offf"})
    EXPECT_EQ(switch_from_text(word), std::nullopt) << word;
}

}  // namespace
}  // namespace terrace::preload
