// SPDX-License-Identifier: BSD-3-Clause
// Compares the environment's variables with the known settings.
#include "preload/setup/env_check.hpp"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <numeric>
#include <string_view>

#include "base/pause.hpp"
#include "base/switch.hpp"
#include "kernels/kernels.hpp"
#include "preload/mpi/settings.hpp"

namespace terrace::preload {

namespace {

constexpr std::string_view kSwitches[] = {"TERRACE",        "TERRACE_ACROSS_NODES",
                                          "TERRACE_CHECK",  "TERRACE_MEASURE",
                                          "TERRACE_REPORT", "TERRACE_REPRODUCIBLE"};
constexpr std::string_view kOthers[] = {"TERRACE_OFF",         "TERRACE_OFF_COMMUNICATORS",
                                        "TERRACE_PLAN",        "TERRACE_ISA",
                                        "TERRACE_PAUSE",       "TERRACE_BIND",
                                        "TERRACE_LOCALITY",    "TERRACE_PUS",
                                        "TERRACE_MACHINE",     "TERRACE_NODES",
                                        "TERRACE_SHARED_HEAP", "TERRACE_STALL_SECONDS",
                                        "TERRACE_NETWORK",     "TERRACE_LOG",
                                        "TERRACE_REACH",       "TERRACE_TRACE",
                                        "TERRACE_TRIALS",      "TERRACE_TUNING",
                                        "TERRACE_FIBRES",      "TERRACE_CC",
                                        "TERRACE_CXX",         "TERRACE_FC",
                                        "TERRACE_PROGRESS"};
/// Variables of this repository's own programs.
constexpr std::string_view kOurs[] = {"TERRACE_BIN", "TERRACE_BUILD", "TERRACE_BENCH_FORTRAN",
                                      "TERRACE_SWEEP", "TERRACE_VERIFY_RANKS"};
/// Variables of environment modules, which say where Terrace is: packaging/modulefile.in, and what
/// sites and Spack call such variables.
constexpr std::string_view kOfModules[] = {"TERRACE_ROOT",    "TERRACE_HOME",     "TERRACE_DIR",
                                           "TERRACE_INC",     "TERRACE_LIB",      "TERRACE_PATH",
                                           "TERRACE_VERSION", "TERRACE_MPI_ROOT", "TERRACE_DOC"};

template <class Names>
bool holds(const Names& names, std::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

/// The number of letters to change, insert or delete (Levenshtein distance).
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t changed = diagonal + (a[i] != b[j]);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

std::string closest_name(std::string_view name) {
  std::vector<std::string_view> known(std::begin(kSwitches), std::end(kSwitches));
  known.insert(known.end(), std::begin(kOthers), std::end(kOthers));
  return std::string(*std::min_element(known.begin(), known.end(), [name](auto a, auto b) {
    return distance(name, a) < distance(name, b);
  }));
}

/// Words that our malloc accepts (heap/library/malloc.cpp).
bool says_which_blocks_are_shared(const std::string& value) {
  if (value.empty() || switch_from_text(value)) return true;
  std::uint64_t bytes = 0;
  const char* const end = value.data() + value.size();
  const auto [stop, error] = std::from_chars(value.data(), end, bytes);
  return error == std::errc() && stop == end && bytes >= 4096;
}

/// "" if the entry is valid, or does not concern Terrace.
std::string complaint_about(const std::string& name, const std::string& value,
                            const std::string& instruction_set) {
  if (holds(kSwitches, name))
    return switch_from_text(value) || value.empty()
               ? ""
               : name + " is '" + value + "': expected on or off; ignored";
  if (name == "TERRACE_STALL_SECONDS" && !stall_seconds_from(value))
    return name + " is '" + value + "': expected whole seconds, 0 for never; ignored";
  if (name == "TERRACE_PROGRESS" && !progress_from(value))
    return name + " is '" + value + "': expected on, off, or PUs as in 8-15; ignored";
  if (name == "TERRACE_LOG" && !value.empty() && value != "info")
    return name + " is '" + value + "': expected info; ignored";
  if (name == "TERRACE_REACH" && !reach_from(value))
    return name + " is '" + value + "': expected auto, bounced, pulled or attached; ignored";
  if (name == "TERRACE_TRIALS" && !trials_from(value))
    return name + " is '" + value + "': expected on, off or sums; ignored";
  if (name == "TERRACE_SHARED_HEAP" && !says_which_blocks_are_shared(value))
    return name + " is '" + value +
           "': expected on, off, or a number of bytes from 4096 on; taken as on";
  if (name == "TERRACE_ISA" && !value.empty() && value != instruction_set)
    return name + " is '" + value +
           "': expected AVX3, AVX2, SSE4, SVE, NEON or baseline, and a processor that has it; "
           "using " +
           instruction_set;
  if (name == "TERRACE_PAUSE" && !value.empty() && value != to_text(pause_kind()))
    return name + " is '" + value +
           "': expected yield, isb or wfe, on an AArch64 processor; wfe needs a kernel that wakes "
           "cores which wait for events; using " +
           (pause_kind_count() > 1 ? to_text(pause_kind()) : "the processor's own");
  if (!name.starts_with("TERRACE_") || holds(kOthers, name) || holds(kOurs, name) ||
      holds(kOfModules, name))
    return "";
  return name + " is no setting of Terrace; the closest is " + closest_name(name);
}

}  // namespace

std::vector<std::string> env_warnings_about(std::span<const std::string> environment,
                                            const std::string& instruction_set) {
  std::vector<std::string> sentences;
  for (const std::string& entry : environment) {
    const std::size_t equals = entry.find('=');
    if (!entry.starts_with("TERRACE") || equals == entry.npos) continue;
    std::string sentence =
        complaint_about(entry.substr(0, equals), entry.substr(equals + 1), instruction_set);
    if (!sentence.empty()) sentences.push_back(std::move(sentence));
  }
  return sentences;
}

std::vector<std::string> env_warnings() {
  std::vector<std::string> environment;
  for (char** entry = environ; *entry != nullptr; ++entry) environment.emplace_back(*entry);
  return env_warnings_about(environment, instruction_set());
}

}  // namespace terrace::preload
