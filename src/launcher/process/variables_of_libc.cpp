// SPDX-License-Identifier: BSD-3-Clause
// Lends libc's variables to one rank after the other.
#include "launcher/process/variables_of_libc.hpp"

#include <argp.h>
#include <obstack.h>
#include <regex.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "launcher/process/abort_report.hpp"
#include "launcher/process/launched_job.hpp"
#include "launcher/process/launcher_api.h"

namespace terrace {

namespace {

constexpr const char* kZone = "TZ";
/// Keeps the place of TZ in the environment while that is not set: the list must not grow or move
/// while other threads read it.
char place_of_zone[] = "TERRACE_RUN_ZONE=";

std::mutex zone_mutex;
std::mutex pattern_mutex;

bool are_equal(const char* one, const char* other) {
  return one == nullptr || other == nullptr ? one == other : std::strcmp(one, other) == 0;
}

/// The text for TZ in the environment. Texts that have been there stay valid.
char* text_of_zone(const char* zone) {
  static std::set<std::string> texts;
  if (zone == nullptr) return place_of_zone;
  return const_cast<char*>(texts.insert(std::string(kZone) + "=" + zone).first->c_str());
}

void set_zone(const char* zone) {
  for (char** one = environ; *one != nullptr; ++one) {
    const std::string_view text = *one;
    if (!text.starts_with("TZ=") && text != place_of_zone) continue;
    // relaxed: either text is there from before, and complete.
    std::atomic_ref(*one).store(text_of_zone(zone), std::memory_order_relaxed);
    return;
  }
}

/// Calls the rank's own function: the process's libc has one for all.
void call_ranks_function() {
  const terrace_rank* const rank = rank_here();
  if (rank != nullptr && rank->on_full_obstack != nullptr) rank->on_full_obstack();
  end_processes(EXIT_FAILURE);  // libc goes on for ever where its function returns
}

}  // namespace

char** take_variables() {
  static std::vector<char*> kept;
  for (char** one = environ; *one != nullptr; ++one) kept.push_back(*one);
  kept.push_back(nullptr);
  if (std::getenv(kZone) == nullptr) putenv(place_of_zone);
  return kept.data();
}

LibcHeld::LibcHeld() {
  zone_mutex.lock();
  pattern_mutex.lock();
}

LibcHeld::~LibcHeld() {
  pattern_mutex.unlock();
  zone_mutex.unlock();
}

}  // namespace terrace

using namespace terrace;

TERRACE_LAUNCHER_API void terrace_rank_enter_zone(const char* zone) {
  zone_mutex.lock();
  if (!are_equal(std::getenv(kZone), zone)) set_zone(zone);
  tzset();  // not all functions do so that read the variables
}

TERRACE_LAUNCHER_API void terrace_rank_leave_zone(terrace_zone* told) {
  *told = {{tzname[0], tzname[1]}, timezone, daylight};
  zone_mutex.unlock();
}

TERRACE_LAUNCHER_API const char* terrace_rank_compile_pattern(unsigned long syntax,
                                                              const char* text, size_t bytes,
                                                              re_pattern_buffer* pattern) {
  const std::lock_guard lock(pattern_mutex);
  re_set_syntax(syntax);
  return re_compile_pattern(text, bytes, pattern);
}

TERRACE_LAUNCHER_API void terrace_rank_print_bug_address(const char* address) {
  // relaxed: ranks of one program set the same text.
  std::atomic_ref(argp_program_bug_address).store(address, std::memory_order_relaxed);
}

TERRACE_LAUNCHER_API void terrace_rank_on_full_obstack(terrace_rank* rank, void (*function)(void)) {
  rank->on_full_obstack = function;
  obstack_alloc_failed_handler = call_ranks_function;
}
