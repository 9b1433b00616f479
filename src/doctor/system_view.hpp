// SPDX-License-Identifier: BSD-3-Clause
// The system as its files describe it, under a root that tests may put in place of "/", and the
// results of trials.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace terrace {

class SystemView {
 public:
  /// "" means the running system.
  explicit SystemView(std::string root = "") : root_(std::move(root)) {}

  bool is_this_system() const { return root_.empty(); }
  /// Returns where a file of the system lies, for those who read it themselves.
  std::string place_of(const std::string& path) const { return root_ + path; }
  bool has(const std::string& path) const;
  /// The contents of a file; nothing if it cannot be read.
  std::optional<std::string> text(const std::string& path) const;
  /// Its first line; "" if it cannot be read.
  std::string line(const std::string& path) const;
  /// The target of a symbolic link; "" if there is none.
  std::string link(const std::string& path) const;
  /// The names in a folder, sorted; nothing if it cannot be read.
  std::vector<std::string> names_in(const std::string& folder) const;

 private:
  std::string root_;
};

/// The rest of the line that begins with `key`, without blanks around it; "" if there is none.
std::string value_after(std::string_view key, const std::string& text);

/// The soft limit of a row of /proc/self/limits; nothing if there is none.
std::optional<std::uint64_t> limit_of(const SystemView& system, const char* row);

/// An entry of the table of mounts.
struct Mount {
  std::string type;
  std::string options;  ///< "rw,size=65536k"

  /// The value of an option: "" for one without a value; nothing if it is not there.
  std::optional<std::string> option(std::string_view name) const;
  bool operator==(const Mount&) const = default;
};
/// The last mount on `folder`.
std::optional<Mount> mount_on(const SystemView& system, const std::string& folder);

/// Costs of this machine that earlier jobs have measured.
struct KeptCosts {
  std::string file;
  std::size_t regimes = 0;    ///< sets of distances between cores
  std::size_t unsettled = 0;  ///< of them, measured fewer than three times within 30 days
  double ratio = 1;           ///< the largest factor between measurements of one of them
  std::string about{};        ///< "a line in copies of 64 KiB took 2.4 and 13 ns to write"
};

/// The results of trials: "" if it works, else the reason; nothing if it was not tried. And the
/// costs that are kept.
struct Trials {
  std::optional<std::string> sharing;  ///< opening a peer's memory through /proc
  std::optional<std::string> copying;  ///< reading a peer's memory by process_vm_readv
  std::optional<std::string> xpmem{};  ///< finding libxpmem, and that finding the kernel's module
  std::optional<KeptCosts> costs{};    ///< nothing: none are kept
};

}  // namespace terrace
