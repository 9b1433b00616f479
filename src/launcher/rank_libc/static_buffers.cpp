// SPDX-License-Identifier: BSD-3-Clause
// Functions that return a text or a time in static memory of libc: here the memory is the rank's.
// Those that depend on the time zone are in time_zone.cpp.
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "launcher/rank_libc/rank_libc.hpp"

namespace {

char* rest_of_words = nullptr;
tm broken_down;
char time_as_text[64];

}  // namespace

extern "C" {

char* own_strtok(char* text, const char* between) TERRACE_INSTEAD_OF(strtok);
char* own_strtok(char* text, const char* between) {
  return strtok_r(text, between, &rest_of_words);
}

tm* own_gmtime(const time_t* seconds) TERRACE_INSTEAD_OF(gmtime);
tm* own_gmtime(const time_t* seconds) {
  return gmtime_r(seconds, &broken_down);
}

char* own_asctime(const tm* time) TERRACE_INSTEAD_OF(asctime);
char* own_asctime(const tm* time) {
  return asctime_r(time, time_as_text);
}

}  // extern "C"
