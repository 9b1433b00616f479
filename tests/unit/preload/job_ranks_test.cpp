// SPDX-License-Identifier: BSD-3-Clause
// Who of a job has Terrace, told from processes as the launchers that we know start them.
#include "preload/setup/job_ranks.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <sstream>
#include <string>
#include <vector>

#include "base/pages.hpp"
#include "preload/mpi/settings.hpp"
#include "preload/setup/peer_visibility.hpp"

namespace terrace::preload {
namespace {

constexpr const char* kMpi = "7f00-7f01 r-xp 00000000 08:01 42 /usr/lib/libmpi.so.12\n";
const std::string kBoth =
    std::string("7e00-7e01 r-xp 00000000 08:01 41 /opt/lib/libterrace-mpi.so\n") + kMpi;

std::string environment(std::initializer_list<const char*> variables) {
  std::string text;
  for (const char* variable : variables) text += variable + std::string(1, '\0');
  return text;
}

SeenProcess pmix_rank(std::int64_t number, const char* job, const char* rank,
                      const std::string& mappings) {
  const std::string job_entry = std::string("PMIX_NAMESPACE=") + job;
  const std::string rank_entry = std::string("PMIX_RANK=") + rank;
  return {number, 1, "app",
          environment({"HOME=/", "PMIX_RANKS=9", job_entry.c_str(), rank_entry.c_str()}), mappings};
}

Presences seen_by_first(const std::vector<SeenProcess>& processes, Launcher launcher) {
  return presences_in(processes, processes[0].number, launcher);
}

// What each rank's process has mapped decides.
TEST(Job, ranks_have_terrace_or_not_by_what_they_have_mapped) {
  const Presences seen =
      seen_by_first({pmix_rank(10, "job", "0", kBoth), pmix_rank(11, "job", "1", kMpi),
                     pmix_rank(12, "job", "2", "/bin/sh\n")},
                    Launcher::pmix);
  const Presences right = {{0, Presence::with}, {1, Presence::without}, {2, Presence::no_mpi}};
  EXPECT_EQ(seen, right);
}

// The agreement tells builds and libraries apart; what matters here is that the rank comes to it.
TEST(Job, each_library_of_ours_counts) {
  const std::string large = std::string("/opt/lib/libterrace-mpi-large.so\n") + kMpi;
  const std::string other = std::string("/opt/lib/libterrace.so.1\n") + kMpi;
  const Presences seen =
      seen_by_first({pmix_rank(10, "job", "0", kBoth), pmix_rank(11, "job", "1", large),
                     pmix_rank(12, "job", "2", other)},
                    Launcher::pmix);
  EXPECT_EQ(seen.at(1), Presence::with);
  EXPECT_EQ(seen.at(2), Presence::without);
}

TEST(Job, ranks_of_other_jobs_do_not_count) {
  const Presences seen = seen_by_first({pmix_rank(10, "job", "0", kBoth),
                                        pmix_rank(11, "other", "1", kBoth),
                                        {12, 1, "app", environment({"PMIX_RANK=1"}), kBoth}},
                                       Launcher::pmix);
  EXPECT_EQ(seen, (Presences{{0, Presence::with}}));
}

// A shell around the program has the rank's variables and, perhaps, its own Terrace.
TEST(Job, a_rank_in_a_shell_is_judged_by_the_process_that_has_the_mpi) {
  const Presences seen = seen_by_first(
      {pmix_rank(10, "job", "0", kBoth), pmix_rank(11, "job", "1", "/bin/sh\n"),
       pmix_rank(12, "job", "1", kBoth), pmix_rank(13, "job", "2", "/opt/lib/libterrace-mpi.so\n"),
       pmix_rank(14, "job", "2", kMpi)},
      Launcher::pmix);
  EXPECT_EQ(seen.at(1), Presence::with);
  EXPECT_EQ(seen.at(2), Presence::without);
}

// MPICH's launcher names ranks, but not jobs: those are told by the launcher's process.
TEST(Job, jobs_of_hydra_are_told_by_their_proxy) {
  const auto rank = [](std::int64_t number, std::int64_t parent, const char* variable) {
    return SeenProcess{number, parent, "app", environment({variable}), kBoth};
  };
  const std::vector<SeenProcess> processes = {
      rank(30, 20, "PMI_RANK=0"),
      rank(31, 25, "PMI_RANK=1"),
      {25, 20, "sh", environment({"PMI_RANK=1"}), ""},
      {20, 5, "hydra_pmi_proxy", "", ""},
      {5, 1, "mpiexec.hydra", "", ""},
      rank(40, 21, "PMI_RANK=2"),
      {21, 5, "hydra_pmi_proxy", "", ""},
      rank(50, 1, "PMI_RANK=3"),
  };
  const Presences right = {{0, Presence::with}, {1, Presence::with}};
  EXPECT_EQ(seen_by_first(processes, Launcher::hydra), right);
}

// MPICH 5's proxy starts what its ranks spawn next to them, with ranks from 0 again.
TEST(Job, spawned_ranks_are_not_taken_for_those_that_spawned_them) {
  const auto rank = [](std::int64_t number, std::initializer_list<const char*> variables,
                       const std::string& mappings) {
    return SeenProcess{number, 20, "app", environment(variables), mappings};
  };
  const std::vector<SeenProcess> processes = {
      rank(30, {"PMI_RANK=0"}, kBoth),
      rank(31, {"PMI_RANK=1"}, kMpi),
      rank(32, {"PMI_RANK=1", "PMI_SPAWNED=1"}, kBoth),
      rank(33, {"PMI_RANK=2", "PMI_SPAWNED=1"}, kBoth),
      {20, 5, "hydra_pmi_proxy", "", ""},
  };
  const Presences parents = {{0, Presence::with}, {1, Presence::without}};
  EXPECT_EQ(presences_in(processes, 30, Launcher::hydra), parents);
  const Presences spawned = {{1, Presence::with}, {2, Presence::with}};
  EXPECT_EQ(presences_in(processes, 32, Launcher::hydra), spawned);
}

TEST(Job, jobs_of_slurm_are_steps) {
  const auto rank = [](std::int64_t number, const char* step, const char* task) {
    return SeenProcess{number, 1, "app", environment({"SLURM_JOB_ID=7", step, task}), kBoth};
  };
  const std::vector<SeenProcess> processes = {rank(10, "SLURM_STEP_ID=0", "SLURM_PROCID=0"),
                                              rank(11, "SLURM_STEP_ID=0", "SLURM_PROCID=1"),
                                              rank(12, "SLURM_STEP_ID=1", "SLURM_PROCID=2")};
  const Presences right = {{0, Presence::with}, {1, Presence::with}};
  EXPECT_EQ(seen_by_first(processes, Launcher::slurm), right);
}

// Programs may overwrite their environment with a title: then others do not see them either.
TEST(Job, nobody_is_seen_by_a_process_that_shows_no_rank) {
  const Presences seen = seen_by_first(
      {{10, 1, "app", "title", kBoth}, pmix_rank(11, "job", "1", kBoth)}, Launcher::pmix);
  EXPECT_TRUE(seen.empty());
}

TEST(Job, the_rank_to_blame_is_the_first_of_those_asked_for) {
  const Presences seen = {
      {0, Presence::with}, {1, Presence::without}, {2, Presence::without}, {3, Presence::no_mpi}};
  const std::vector<int> good = {0, 3, 4}, bad = {0, 2, 1};
  EXPECT_EQ(first_of(good, Presence::without, seen), std::nullopt);
  EXPECT_EQ(first_of(good, Presence::no_mpi, seen), 3);
  EXPECT_EQ(first_of(bad, Presence::without, seen), 2);
}

TEST(Job, tasks_per_node_are_read_as_slurm_writes_them) {
  EXPECT_EQ(tasks_on_node("8", 0), 8u);
  EXPECT_EQ(tasks_on_node("8", 1), 0u);
  EXPECT_EQ(tasks_on_node("4(x2),1,3(x2)", 1), 4u);
  EXPECT_EQ(tasks_on_node("4(x2),1,3(x2)", 2), 1u);
  EXPECT_EQ(tasks_on_node("4(x2),1,3(x2)", 4), 3u);
  EXPECT_EQ(tasks_on_node("", 0), 0u);
}

// Pages that may be written and not read, so many for each value.
TEST(Job, ranks_show_whether_they_see_the_others) {
  const auto shows = [](std::size_t pages) {
    std::ostringstream text;
    text << "7e80000-" << std::hex << 0x7e80000 + pages * page_bytes()
         << " -w-p 00001000 08:01 41 /opt/lib/libterrace-mpi-large.so\n";
    return presence_in(kBoth + text.str());
  };
  EXPECT_EQ(presence_in(kBoth), Presence::with);
  EXPECT_EQ(shows(1), Presence::sighted);
  EXPECT_EQ(shows(2), Presence::shut_in);
  EXPECT_EQ(presence_in(kBoth + "7e80-7e90 -w-p 00001000 08:01 41 /usr/lib/libother.so\n"),
            Presence::with);
}

TEST(Job, this_process_shows_what_it_sees) {
  const auto maps = [] {
    std::error_code failure;
    return contents("/proc/self/maps", failure);
  };
  // The test holds the preload's objects in itself, under another name than the library's.
  const auto as_library = [&] {
    std::string text = maps();
    for (std::size_t at = 0; (at = text.find("/test_preload", at)) != std::string::npos; ++at)
      text.replace(at, 13, "/libterrace-mpi");
    return text;
  };
  EXPECT_EQ(visibility_in(as_library()), PeerVisibility::unknown);
  EXPECT_EQ(show_visibility(PeerVisibility::shut_in), PeerVisibility::shut_in);
  EXPECT_EQ(visibility_in(as_library()), PeerVisibility::shut_in);
  EXPECT_EQ(show_visibility(PeerVisibility::clear), PeerVisibility::shut_in)
      << "it was told otherwise";
}

// The launcher, or a rank below it, may not be looked into; what else of the user's may not be does
// not matter.
TEST(Job, ranks_know_that_peers_may_be_hidden) {
  const auto process = [](std::int64_t number, std::int64_t parent, bool is_hidden,
                          const char* variable = "") {
    return SeenProcess{number, parent,   "app", variable[0] ? environment({variable}) : "",
                       "",     is_hidden};
  };
  const auto job = [&](bool launcher_hidden, bool peer_hidden, bool shell_hidden) {
    return std::vector<SeenProcess>{process(1, 0, false),
                                    process(2, 1, true),
                                    process(5, 1, launcher_hidden),
                                    process(10, 5, shell_hidden, "PMI_RANK=0"),
                                    process(11, 10, false, "PMI_RANK=0"),
                                    process(12, 5, peer_hidden)};
  };
  EXPECT_FALSE(is_shut_in(job(false, false, false), 11));
  EXPECT_TRUE(is_shut_in(job(true, false, false), 11));
  EXPECT_TRUE(is_shut_in(job(false, true, false), 11));
  EXPECT_TRUE(is_shut_in(job(false, false, true), 11));
  EXPECT_TRUE(is_shut_in({}, 11)) << "there is no /proc";
  EXPECT_FALSE(is_shut_in(std::vector<SeenProcess>{process(11, 0, false, "PMI_RANK=0")}, 11))
      << "its launcher is outside the container";
}

// Otherwise a rank that others see well would find none, and fall back to the MPI for calls that
// they run.
TEST(Job, a_lack_of_file_descriptors_is_no_empty_file) {
  std::error_code failure;
  EXPECT_NE(contents("/proc/self/stat", failure), "");
  EXPECT_EQ(contents("/proc/no/such/file", failure), "");
  EXPECT_FALSE(failure);
  rlimit limit{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
  const rlimit none{0, limit.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  EXPECT_EQ(contents("/proc/self/stat", failure), "");
  EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
  EXPECT_EQ(failure, std::errc::too_many_files_open);
}

}  // namespace
}  // namespace terrace::preload
