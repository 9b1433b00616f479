// SPDX-License-Identifier: BSD-3-Clause
// Reading variables.
#include "preload/settings.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string_view>

#include "machine/quota.hpp"
#include "preload/say.hpp"

namespace terrace::preload {

namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

bool is_on(const char* name) {
  const std::string value = variable(name);
  return !value.empty() && value != "0" && value != "off" && value != "no";
}

std::uint32_t number(const char* name) {
  const unsigned long value = std::strtoul(variable(name).c_str(), nullptr, 10);
  return static_cast<std::uint32_t>(std::min(value, 1'000'000ul));
}

std::uint32_t off_bits(const std::string& list) {
  std::uint32_t bits = 0;
  std::istringstream words(list);
  for (std::string word; std::getline(words, word, ',');) {
    if (const auto collective = collective_from_text(word))
      bits |= 1u << static_cast<unsigned>(*collective);
    else if (!word.empty())
      say_once("TERRACE_OFF names \"" + word +
               "\", which is no collective of ours; known: barrier, bcast, reduce, allreduce");
  }
  return bits;
}

}  // namespace

TeamSettings team_settings() {
  return {off_bits(variable("TERRACE_OFF")), is_on("TERRACE_CHECK")};
}

std::string plan_text() {
  const std::string path = variable("TERRACE_PLAN");
  if (path.empty()) return "";
  std::ifstream file(path);
  std::ostringstream text;
  if (!file || !(text << file.rdbuf())) {
    say_once("TERRACE_PLAN: cannot read \"" + path + "\"; running our own plans");
    return "";
  }
  return text.str();
}

bool is_switched_off() {
  const std::string value = variable("TERRACE");
  return value == "off" || value == "0" || value == "no";
}

bool is_report_wanted() {
  return is_on("TERRACE_REPORT");
}

std::string locality_text() {
  return variable("TERRACE_LOCALITY");
}

std::uint32_t pus_of_job() {
  if (const std::uint32_t told = number("TERRACE_PUS"); told > 0) return told;
  const long online = sysconf(_SC_NPROCESSORS_ONLN);
  return usable_pus(static_cast<std::uint32_t>(std::max(online, 1l)), cpu_quota());
}

std::uint32_t ranks_on_node() {
  for (const char* name : {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "PMI_LOCAL_SIZE"})
    if (const std::uint32_t ranks = number(name); ranks > 0) return ranks;
  return 0;
}

}  // namespace terrace::preload
