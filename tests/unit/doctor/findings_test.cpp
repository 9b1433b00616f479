// SPDX-License-Identifier: BSD-3-Clause
// What the doctor says of pretended systems: files, links and outcomes of trials in a folder of
// tests/machines/systems, with what must be found.
#include "doctor/findings.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/cache_aligned.hpp"
#include "doctor/reaches.hpp"

namespace terrace {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

/// A folder that looks like the root of a system.
class PretendedSystem {
 public:
  explicit PretendedSystem(const json& description)
      : root_(fs::temp_directory_path() / ("terrace-doctor-" + std::to_string(getpid()))) {
    fs::create_directories(root_);
    for (const auto& [path, text] : description.at("files").items()) {
      const fs::path place = make_room_for(path);
      std::ofstream(place) << text.get<std::string>();
    }
    for (const auto& [path, target] : description.at("links").items())
      fs::create_symlink(target.get<std::string>(), make_room_for(path));
  }
  ~PretendedSystem() { fs::remove_all(root_); }
  PretendedSystem(const PretendedSystem&) = delete;
  PretendedSystem& operator=(const PretendedSystem&) = delete;

  std::string root() const { return root_.string(); }

 private:
  fs::path make_room_for(const std::string& path) const {
    const fs::path place = root_.string() + path;
    fs::create_directories(place.parent_path());
    return place;
  }

  fs::path root_;
};

json read_case(const std::string& name) {
  std::ifstream file(TERRACE_SOURCE_DIR "/tests/machines/systems/" + name + ".json");
  return json::parse(file);
}

Trials trials_of(const json& description) {
  Trials trials;
  const json& told = description.at("trials");
  if (told.contains("sharing")) trials.sharing = told["sharing"].get<std::string>();
  if (told.contains("copying")) trials.copying = told["copying"].get<std::string>();
  return trials;
}

std::string to_text(const std::vector<Finding>& findings) {
  std::string text;
  for (const Finding& one : findings)
    text += std::string(to_text(one.verdict)) + " | " + one.subject + " | " + one.found + " | " +
            one.means + " | " + one.change + "\n";
  return text;
}

bool is_as(const json& wanted, const Finding& finding, const std::string& root) {
  const auto has = [&](const char* key, const std::string& text) {
    if (!wanted.contains(key)) return true;
    std::string part = wanted[key].get<std::string>();
    if (const auto at = part.find("ROOT"); at != part.npos) part.replace(at, 4, root);
    return text.find(part) != text.npos;
  };
  return wanted.at("subject") == finding.subject &&
         wanted.at("verdict") == terrace::to_text(finding.verdict) && has("found", finding.found) &&
         has("means", finding.means) && has("change", finding.change);
}

class Systems : public testing::TestWithParam<const char*> {};

TEST_P(Systems, are_judged) {
  const json description = read_case(GetParam());
  const PretendedSystem system(description);
  const auto findings = examine(SystemView(system.root()), trials_of(description),
                                description.at("ranks").get<std::uint32_t>());
  for (const json& wanted : description.at("expect"))
    EXPECT_TRUE(
        std::any_of(findings.begin(), findings.end(),
                    [&](const Finding& finding) { return is_as(wanted, finding, system.root()); }))
        << "missing: " << wanted << "\nin\n"
        << to_text(findings);
  EXPECT_EQ(description.at("worst"), terrace::to_text(worst_of(findings))) << to_text(findings);
  for (const Finding& finding : findings) {
    EXPECT_FALSE(finding.subject.empty() || finding.found.empty());
    EXPECT_EQ(finding.verdict == Verdict::fine, finding.means.empty()) << finding.subject;
    EXPECT_TRUE(finding.verdict <= Verdict::note || !finding.change.empty()) << finding.subject;
  }
}

INSTANTIATE_TEST_SUITE_P(Pretended, Systems,
                         testing::Values("laptop", "docker", "kubernetes", "podman_rootless",
                                         "slurm", "wsl"),
                         [](const auto& name) { return std::string(name.param); });

std::string to_text(const std::vector<ReachHere>& reaches) {
  std::string text;
  for (const ReachHere& one : reaches)
    text +=
        one.name + (one.is_possible ? " yes | " : " no | ") + one.found + " | " + one.change + "\n";
  return text;
}

std::string reaches_text(const json& files, const Trials& trials) {
  const PretendedSystem system({{"files", files}, {"links", json::object()}});
  return to_text(reaches_on(SystemView(system.root()), trials));
}

TEST(Reaches, are_possible_where_trials_succeed) {
  const std::string text = reaches_text({{"/proc/sys/vm/overcommit_memory", "0\n"}}, {"", ""});
  EXPECT_NE(text.find("bounced yes"), text.npos) << text;
  EXPECT_NE(text.find("direct yes | in a shared heap"), text.npos) << text;
  EXPECT_NE(text.find("pulled yes | process_vm_readv works"), text.npos) << text;
  EXPECT_NE(text.find("XPMEM no | no /dev/xpmem | modprobe xpmem"), text.npos) << text;
}

TEST(Reaches, name_who_refuses_and_what_to_change) {
  const std::string status = "Seccomp:\t2\n", yama = "/proc/sys/kernel/yama/ptrace_scope";
  const Trials refused{"", "Operation not permitted"};
  struct Case {
    json files;
    Trials trials;
    const char* row;
  };
  const Case cases[] = {
      {{{yama, "1\n"}},
       refused,
       "pulled no | process_vm_readv: Operation not permitted; kernel.yama.ptrace_scope is 1 | "
       "sysctl -w kernel.yama.ptrace_scope=0 (as root)"},
      {{{yama, "3\n"}}, refused, "ptrace_scope is 3, until the kernel starts again | \n"},
      {{{"/proc/self/status", status}},
       refused,
       "(seccomp, mode 2) | let the filter pass process_vm_readv"},
      {{{"/proc/self/status", status}, {"/.dockerenv", ""}},
       refused,
       "(seccomp, mode 2) | docker run --cap-add=SYS_PTRACE"},
      {{{"/x", ""}},
       {"memfd_create: Function not implemented", ""},
       "bounced no | memfd_create: Function not implemented"},
      {{{"/proc/sys/vm/overcommit_memory", "2\n"}},
       {"", ""},
       "(vm.overcommit_memory is 2) | sysctl -w vm.overcommit_memory=0"},
      {{{"/proc/self/limits", "Max address space         4096000000  unlimited  bytes\n"}},
       {"", ""},
       "direct no | address space is limited | ulimit -v unlimited"},
      {{{"/proc/self/limits", "Max file size             1000000  unlimited  bytes\n"}},
       {"", ""},
       "direct no | the size of files is limited | ulimit -f unlimited"},
      {{{"/dev/xpmem", ""}},
       {"", ""},
       "XPMEM no | /dev/xpmem is there; libxpmem has not been tried"},
      {{{"/dev/xpmem", ""}},
       {"", "", "no libxpmem.so.0 is found"},
       "XPMEM no | /dev/xpmem is there, but no libxpmem.so.0 is found | install libxpmem.so.0"},
      {{{"/dev/xpmem", ""}},
       {"", "", "libxpmem cannot use /dev/xpmem: Permission denied"},
       "Permission denied | install libxpmem.so.0, or name its folder in LD_LIBRARY_PATH; let "
       "this"},
      {{{"/dev/xpmem", ""}}, {"", "", ""}, "XPMEM yes | used with TERRACE_REACH=attached only"},
      {{{"/x", ""}}, {}, "pulled no | process_vm_readv has not been tried"},
  };
  for (const Case& one : cases) {
    const std::string text = reaches_text(one.files, one.trials);
    EXPECT_NE(text.find(one.row), text.npos) << "missing: " << one.row << "\nin\n" << text;
  }
}

TEST(Reaches, tell_which_pages_long_vectors_have) {
  const auto pages_with = [](const std::string& enabled) {
    const std::string folder = "/sys/kernel/mm/transparent_hugepage/";
    const PretendedSystem system(
        {{"files", {{folder + "enabled", enabled}}}, {"links", json::object()}});
    return to_text(pages_on(SystemView(system.root())));
  };
  EXPECT_EQ(pages_with("[always] madvise never\n"),
            "huge where memory has room (always); shared memory: never");
  EXPECT_EQ(pages_with("always [madvise] never\n").find("4 KiB; huge where a program asks"), 0u);
  EXPECT_EQ(pages_with("").find("4 KiB, where pulling hardly pays"), 0u);
}

std::string verdict_on(const KeptCosts& costs) {
  const PretendedSystem system({{"files", {{"/x", ""}}}, {"links", json::object()}});
  Trials trials;
  trials.costs = costs;
  for (const Finding& one : examine(SystemView(system.root()), trials, 0))
    if (one.subject == "measured costs") return to_text({one});
  return "";
}

TEST(Doctor, names_measured_costs_that_are_doubtful) {
  const auto has = [](const KeptCosts& costs, const std::string& part) {
    return verdict_on(costs).find(part) != std::string::npos;
  };
  EXPECT_TRUE(
      has({"costs-x", 1, 0, 1.2, ""}, "fine | measured costs | 1 set of distances between cores"));
  EXPECT_TRUE(
      has({"costs-x", 2, 1, 1.2, ""}, "note | measured costs | 2 sets of distances between"));
  EXPECT_TRUE(has({"costs-x", 2, 1, 1.2, ""}, "1 measured fewer than three times"));
  EXPECT_TRUE(has({"costs-x", 2, 0, 3.1, "THIS"}, "they disagree: THIS"));
}

/// Nothing to read is no reason to crash.
TEST(Doctor, says_that_there_is_no_proc) {
  const json nothing = {{"files", {{"/empty", ""}}}, {"links", json::object()}};
  const PretendedSystem system(nothing);
  const auto findings = examine(SystemView(system.root()), {}, 0);
  EXPECT_EQ(worst_of(findings), Verdict::failure) << to_text(findings);
}

TEST(Doctor, looks_at_this_system) {
  const auto findings = examine(SystemView(), {"", "not permitted"}, 0);
  EXPECT_GE(findings.size(), 12u) << to_text(findings);
}

/// The finding on cache lines of a system whose caches have lines of `bytes`.
Finding finding_on_lines(std::size_t bytes) {
  const std::string folder = "/sys/devices/system/cpu/cpu0/cache/";
  const json one = {{"files",
                     {{folder + "index0/coherency_line_size", "64\n"},
                      {folder + "index2/coherency_line_size", std::to_string(bytes) + "\n"},
                      {folder + "uevent", ""}}},
                    {"links", json::object()}};
  const PretendedSystem system(one);
  for (const Finding& finding : examine(SystemView(system.root()), {}, 0))
    if (finding.subject == "cache lines") return finding;
  return {};
}

TEST(Doctor, names_a_machine_whose_cache_lines_are_longer_than_the_build_knows) {
  EXPECT_EQ(finding_on_lines(kLineBytes).verdict, Verdict::fine);
  EXPECT_EQ(finding_on_lines(kLineBytes).found, std::to_string(kLineBytes) + " bytes");
  const std::size_t more = 2 * kLinePairBytes;
  const Finding longer = finding_on_lines(more);
  EXPECT_EQ(longer.verdict, Verdict::warning);
  EXPECT_NE(longer.change.find("-DTERRACE_LINE_BYTES=" + std::to_string(more)), std::string::npos)
      << longer.change;
}

TEST(Doctor, reads_mounts_and_values) {
  const json one = {{"files",
                     {{"/proc/self/mounts",
                       "a /x ext4 rw 0 0\nshm /dev/shm tmpfs rw,size=64k,nodev 0 0\n"
                       "late /x tmpfs ro 0 0\n"}}},
                    {"links", json::object()}};
  const PretendedSystem system(one);
  const SystemView view(system.root());
  EXPECT_EQ(mount_on(view, "/x")->type, "tmpfs") << "the last one counts";
  EXPECT_EQ(mount_on(view, "/dev/shm")->option("size"), "64k");
  EXPECT_EQ(mount_on(view, "/dev/shm")->option("nodev"), "");
  EXPECT_EQ(mount_on(view, "/dev/shm")->option("siz"), std::nullopt);
  EXPECT_EQ(mount_on(view, "/y"), std::nullopt);
  EXPECT_EQ(value_after("b:", "a: 1\nb:\t 2 3 \nc: 4\n"), "2 3");
  EXPECT_EQ(value_after("d:", "a: 1\n"), "");
}

}  // namespace
}  // namespace terrace
