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
