// SPDX-License-Identifier: BSD-3-Clause
// Checks limits on memory and files, and the kind of pages.
#include <algorithm>
#include <limits>
#include <string>

#include "base/bytes.hpp"
#include "base/number.hpp"
#include "doctor/checks.hpp"
#include "doctor/reaches.hpp"
#include "os/quota.hpp"

namespace terrace {

namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

/// Memory of a team per rank and communicator in use.
constexpr std::uint64_t kShareBytes = kMiB;

/// An MPI's own segments take about this much per rank.
constexpr std::uint64_t kMpiBytesPerRank = 16 * kMiB;

/// Parses "65536k", "1g", "4096"; nothing for percentages and other words.
std::optional<std::uint64_t> bytes_from_option(std::string text) {
  std::uint64_t unit = 1;
  const std::size_t letter = std::string("kmg").find(text.empty() ? ' ' : char(text.back() | 0x20));
  if (letter != std::string::npos) {
    unit <<= 10 * (letter + 1);
    text.pop_back();
  }
  const auto number = number_from_text<std::uint64_t>(text);
  return number ? std::optional(*number * unit) : std::nullopt;
}

std::string shm_option(Keeper keeper) {
  switch (keeper) {
    case Keeper::docker:
      return "docker run --shm-size=1g, or --ipc=host";
    case Keeper::podman:
      return "podman run --shm-size=1g, or --ipc=host";
    case Keeper::kubernetes:
      return "an emptyDir of medium Memory, mounted on /dev/shm";
    default:
      return "mount -o remount,size=50% /dev/shm (as root)";
  }
}

std::string memory_option(Keeper keeper, const std::string& file) {
  switch (keeper) {
    case Keeper::docker:
      return "docker run --memory=SIZE";
    case Keeper::podman:
      return "podman run --memory=SIZE";
    case Keeper::kubernetes:
      return "resources: {limits: {memory: SIZE}}";
    case Keeper::slurm:
      return "#SBATCH --mem=SIZE, or --mem=0 for all of the node's";
    default:
      return "a larger number in " + file + " (as root)";
  }
}

/// The memory left below the tightest limit, and who set that limit.
struct Room {
  std::uint64_t bytes = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t limit = 0;
  std::string file{};  ///< "" for no limit
};

Room room_of(const SystemView& system) {
  Room room;
  const CgroupFiles files{system.place_of("/proc/self/cgroup"), system.place_of("/sys/fs/cgroup")};
  for (const MemoryLimit& one : memory_limits(files)) {
    const std::uint64_t left = one.limit - std::min(one.limit, one.used);
    if (left < room.bytes) room = {left, one.limit, one.file};
  }
  return room;
}

}  // namespace

void check_shm(const CheckedSystem& checked, std::vector<Finding>& findings) {
  const auto mount = mount_on(checked.system, "/dev/shm");
  const std::string means = "Terrace uses none of it; your MPI may fail or take slower ways";
  if (!mount) {
    findings.push_back({"/dev/shm", Verdict::warning, "nothing is mounted there", means,
                        "mount -t tmpfs tmpfs /dev/shm (as root)"});
    return;
  }
  const auto bytes = bytes_from_option(mount->option("size").value_or(""));
  const std::string found = mount->type + (bytes ? ", " + bytes_text(*bytes) : "");
  const bool is_small = bytes && *bytes < ranks_of(checked) * kMpiBytesPerRank;
  if (mount->type != "tmpfs")
    findings.push_back({"/dev/shm", Verdict::warning, found + ", not memory", means,
                        "mount -t tmpfs tmpfs /dev/shm (as root)"});
  else if (is_small)
    findings.push_back({"/dev/shm", Verdict::warning,
                        found + " for " + std::to_string(ranks_of(checked)) + " ranks", means,
                        shm_option(checked.keeper)});
  else if (bytes && *bytes <= 64 * kMiB)
    findings.push_back({"/dev/shm", Verdict::note, found, means, shm_option(checked.keeper)});
  else
    findings.push_back({"/dev/shm", Verdict::fine, found});
}

/// Memory files count like other memory.
void check_memory_limit(const CheckedSystem& checked, std::vector<Finding>& findings) {
  const Room room = room_of(checked.system);
  if (room.file.empty()) {
    findings.push_back({"memory limit", Verdict::fine, "none"});
    return;
  }
  const std::string found =
      bytes_text(room.bytes) + " left of " + bytes_text(room.limit) + ", set by " + room.file;
  const std::uint64_t teams = room.bytes / (kShareBytes * ranks_of(checked));
  const std::string means = "room for " + std::to_string(teams) + " communicators of " +
                            std::to_string(ranks_of(checked)) +
                            " ranks in use, if the program took nothing; beyond the limit the "
                            "kernel ends processes";
  if (teams < 64)
    findings.push_back(
        {"memory limit", Verdict::warning, found, means, memory_option(checked.keeper, room.file)});
  else
    findings.push_back({"memory limit", Verdict::fine, found});
}

void check_file_limits(const CheckedSystem& checked, std::vector<Finding>& findings) {
  constexpr std::uint64_t kFewFiles = 256;
  const auto files = limit_of(checked.system, "Max open files");
  const auto bytes = limit_of(checked.system, "Max file size");
  const std::string count = files ? std::to_string(*files) : "no limit";
  if (files && *files < kFewFiles)
    findings.push_back({"open files", Verdict::warning, count,
                        "an MPI needs most of them; where none is free, calls fall back to the MPI",
                        "ulimit -n 4096"});
  else
    findings.push_back({"open files", Verdict::fine, count});
  if (bytes && *bytes < 2 * kShareBytes * ranks_of(checked))
    findings.push_back({"file size", Verdict::failure, bytes_text(*bytes),
                        "a team's memory is a file, and larger: all calls fall back to the MPI",
                        "ulimit -f unlimited"});
}

void check_huge_pages(const CheckedSystem& checked, std::vector<Finding>& findings) {
  const auto [own, shared] = pages_on(checked.system);
  if (own.empty()) {
    findings.push_back({"huge pages", Verdict::note, "the kernel has none",
                        "long vectors are copied in pages of 4 KiB, a little slower"});
    return;
  }
  const std::string found = own + ", for shared memory " + (shared.empty() ? "never" : shared);
  if (own == "never")
    findings.push_back({"huge pages", Verdict::note, found,
                        "long vectors lie in pages of 4 KiB, and are copied a little slower",
                        "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled (as root)"});
  else
    findings.push_back({"huge pages", Verdict::fine, found});
}

}  // namespace terrace
