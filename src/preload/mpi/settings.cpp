// SPDX-License-Identifier: BSD-3-Clause
// Reads the environment variables.
#include "preload/mpi/settings.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <sstream>
#include <string_view>
#include <vector>

#include "base/contract.hpp"
#include "base/number.hpp"
#include "base/say.hpp"
#include "base/switch.hpp"
#include "base/text_file.hpp"
#include "engine/machine_watch.hpp"
#include "os/quota.hpp"
#include "plan/plan.hpp"

namespace terrace::preload {

namespace {

constexpr double kStallSeconds = 30;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

bool is_on(const char* name) {
  return switch_in_environment(name).value_or(false);
}

std::string without_blanks_around(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t");
  return first == text.npos ? "" : text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::uint32_t leading_number(const std::string& text) {
  return static_cast<std::uint32_t>(std::min(std::strtoul(text.c_str(), nullptr, 10), 1'000'000ul));
}

std::uint32_t number(const char* name) {
  return leading_number(variable(name));
}

/// Not one of our collectives, but it can be left out by the same setting.
constexpr const char* kSplit = "comm_split_type";

std::string known_collectives() {
  std::string list;
  for (std::uint32_t i = 0; i < kAllCollectives; ++i)
    list += std::string(to_text(static_cast<Collective>(i))) + ", ";
  return list + kSplit;
}

/// The bit of the collective of that name; 0: there is none.
std::uint32_t off_bit(const std::string& word) {
  for (std::uint32_t i = 0; i < kAllCollectives; ++i)
    if (word == to_text(static_cast<Collective>(i))) return 1u << i;
  return 0;
}

/// The words between commas, without surrounding blanks.
std::vector<std::string> words_of(const std::string& list) {
  std::vector<std::string> words;
  std::istringstream text(list);
  for (std::string word; std::getline(text, word, ',');)
    words.push_back(without_blanks_around(word));
  return words;
}

std::uint32_t off_bits(const std::string& list) {
  std::uint32_t bits = 0;
  for (const std::string& word : words_of(list)) {
    if (const std::uint32_t bit = off_bit(word))
      bits |= bit;
    else if (!word.empty() && word != kSplit)
      say_once("TERRACE_OFF names \"" + word +
               "\", which is not a collective; known: " + known_collectives());
  }
  return bits;
}

}  // namespace

TeamSettings team_settings() {
  return {off_bits(variable("TERRACE_OFF")),
          is_on("TERRACE_CHECK"),
          is_reproducible_wanted(),
          reach_from(variable("TERRACE_REACH")).value_or(ReachWanted::whatever_pays),
          is_measuring_wanted(),
          trials_from(variable("TERRACE_TRIALS")).value_or(TrialSetting::on)};
}

void require_sound(const TeamSettings& settings) {
  TERRACE_REQUIRE(settings.off >> kAllCollectives == 0, settings.off);
  TERRACE_REQUIRE(settings.reach <= ReachWanted::attached, settings.reach);
  TERRACE_REQUIRE(settings.trials <= TrialSetting::any_sums, settings.trials);
}

std::string first_difference(const TeamSettings& a, const TeamSettings& b) {
  if (a.off != b.off) return "TERRACE_OFF";
  if (a.checks != b.checks) return "TERRACE_CHECK";
  if (a.is_reproducible != b.is_reproducible) return "TERRACE_REPRODUCIBLE";
  if (a.reach != b.reach) return "TERRACE_REACH";
  if (a.measures != b.measures) return "TERRACE_MEASURE";
  return a.trials != b.trials ? "TERRACE_TRIALS" : "";
}

bool runs_only_terrace_exec() {
  const std::string command = variable("OMPI_COMMAND");
  return variable("OMPI_NUM_APP_CTX") == "1" &&
         command.substr(command.find_last_of('/') + 1) == "terrace" &&
         variable("OMPI_ARGV").starts_with("exec ");
}

bool is_across_nodes_wanted() {
  return switch_in_environment(kAcrossNodes).value_or(runs_only_terrace_exec());
}

std::optional<TrialSetting> trials_from(const std::string& text) {
  if (text.empty()) return TrialSetting::on;
  if (text == "sums") return TrialSetting::any_sums;
  const auto truth = switch_from_text(text);
  if (!truth) return std::nullopt;
  return *truth ? TrialSetting::on : TrialSetting::off;
}

std::optional<ReachWanted> reach_from(const std::string& text) {
  if (text.empty() || text == "auto") return ReachWanted::whatever_pays;
  if (text == "bounced") return ReachWanted::bounced;
  if (text == "pulled") return ReachWanted::pulled;
  return text == "attached" ? std::optional(ReachWanted::attached) : std::nullopt;
}

std::string plan_text() {
  const std::string path = plan_path();
  if (path.empty()) return "";
  Result<std::string> text = read_text_file(path, kMostPlanBytes);
  if (text) return std::move(text).value();
  say_once("TERRACE_PLAN: " + text.error().sentence + "; running Terrace's own plans");
  return "";
}

std::string plan_path() {
  return variable("TERRACE_PLAN");
}

std::string trace_path() {
  return variable("TERRACE_TRACE");
}

bool is_switched_off() {
  return switch_in_environment("TERRACE") == false;
}

bool is_switched_off_for(const std::string& communicator) {
  const std::vector<std::string> names = words_of(variable("TERRACE_OFF_COMMUNICATORS"));
  return !communicator.empty() && std::count(names.begin(), names.end(), communicator) > 0;
}

bool is_split_switched_off() {
  const std::vector<std::string> names = words_of(variable("TERRACE_OFF"));
  return std::count(names.begin(), names.end(), kSplit) > 0;
}

bool is_reproducible_wanted() {
  return is_on("TERRACE_REPRODUCIBLE");
}

bool is_report_wanted() {
  return is_on("TERRACE_REPORT");
}

std::optional<double> stall_seconds_from(const std::string& text) {
  if (text.empty()) return kStallSeconds;
  const auto seconds = number_from_text<std::uint32_t>(text);
  if (!seconds) return std::nullopt;
  return *seconds == 0 ? std::numeric_limits<double>::infinity() : *seconds;
}

double stall_seconds() {
  return stall_seconds_from(variable("TERRACE_STALL_SECONDS")).value_or(kStallSeconds);
}

std::optional<ProgressSetting> progress_from(const std::string& text) {
  if (text.empty()) return ProgressSetting{};
  if (const auto truth = switch_from_text(text)) return ProgressSetting{*truth, {}};
  Result<PuSet> pus = pu_set_from_text(text);
  if (!pus) return std::nullopt;
  return ProgressSetting{true, std::move(pus).value()};
}

const ProgressSetting& progress_setting() {
  static const auto* const the =  // never destroyed: programs may call until they have ended
      new ProgressSetting(progress_from(variable("TERRACE_PROGRESS")).value_or(ProgressSetting{}));
  return *the;
}

std::string locality_text() {
  return variable("TERRACE_LOCALITY");
}

std::uint32_t pus_of_job() {
  if (const std::uint32_t told = number("TERRACE_PUS"); told > 0) return told;
  const long online = sysconf(_SC_NPROCESSORS_ONLN);
  return usable_pus(static_cast<std::uint32_t>(std::max(online, 1l)), cpu_quota());
}

std::uint32_t tasks_on_node(std::string_view counts, std::uint32_t node) {
  while (!counts.empty()) {
    const std::string entry(counts.substr(0, counts.find(',')));
    counts.remove_prefix(std::min(entry.size() + 1, counts.size()));
    const std::size_t times = entry.find("(x");
    const std::uint32_t nodes = times == entry.npos ? 1 : leading_number(entry.substr(times + 2));
    if (node < nodes) return leading_number(entry);
    node -= nodes;
  }
  return 0;
}

std::uint32_t ranks_on_node() {
  for (const char* name : {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "PMI_LOCAL_SIZE"})
    if (const std::uint32_t ranks = number(name); ranks > 0) return ranks;
  return tasks_on_node(variable("SLURM_STEP_TASKS_PER_NODE"), number("SLURM_NODEID"));
}

}  // namespace terrace::preload
