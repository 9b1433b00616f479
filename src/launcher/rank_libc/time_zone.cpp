// SPDX-License-Identifier: BSD-3-Clause
// Functions that depend on the time zone, and the variables that they set. The process's libc has
// one zone, so a rank enters its own, by its variable TZ, for as long as it is in one of them.
#include <stdlib.h>
#include <time.h>
#include <wchar.h>

#include "launcher/rank_libc/rank_libc.hpp"

extern "C" {

/// The program's variables of these names. Places that it reserves for them have the names with
/// underscores.
long own_timezone TERRACE_INSTEAD_OF(__timezone) = 0;
int own_daylight TERRACE_INSTEAD_OF(__daylight) = 0;
char* own_tzname[2] TERRACE_INSTEAD_OF(__tzname) = {nullptr, nullptr};
int own_getdate_err TERRACE_INSTEAD_OF(getdate_err) = 0;
extern long own_timezone_too TERRACE_ALSO_AS(timezone, __timezone);
extern int own_daylight_too TERRACE_ALSO_AS(daylight, __daylight);
extern char* own_tzname_too[2] TERRACE_ALSO_AS(tzname, __tzname);

}  // extern "C"

namespace terrace::rank_libc {

namespace {

char name_of_no_zone[] = "GMT";
tm broken_down, converted;
char time_as_text[64];

/// Makes libc's zone that of the rank, and in the end the rank's variables those of libc.
class InZone {
 public:
  InZone() { terrace_rank_enter_zone(getenv("TZ")); }
  ~InZone() {
    terrace_zone told;
    terrace_rank_leave_zone(&told);
    own_tzname[0] = told.names[0];
    own_tzname[1] = told.names[1];
    own_timezone = told.seconds_west;
    own_daylight = told.has_summer_time;
  }
  InZone(const InZone&) = delete;
  InZone& operator=(const InZone&) = delete;
};

template <class Function, class... Arguments>
auto in_zone(OfLibc<Function>& function, Arguments... arguments) {
  const InZone here;
  return function(arguments...);
}

OfLibc<tm*(const time_t*, tm*)> local_of_libc("localtime_r");
OfLibc<time_t(tm*)> make_of_libc("mktime");
OfLibc<char*(const char*, const char*, tm*)> parse_of_libc("strptime");
OfLibc<char*(const char*, const char*, tm*, locale_t)> parse_in_locale_of_libc("strptime_l");
OfLibc<int(const char*, tm*)> convert_of_libc("getdate_r");
OfLibc<size_t(char*, size_t, const char*, const tm*)> format_of_libc("strftime");
OfLibc<size_t(char*, size_t, const char*, const tm*, locale_t)> format_in_locale_of_libc(
    "strftime_l");
OfLibc<size_t(wchar_t*, size_t, const wchar_t*, const tm*)> format_wide_of_libc("wcsftime");
OfLibc<size_t(wchar_t*, size_t, const wchar_t*, const tm*, locale_t)> format_wide_in_locale_of_libc(
    "wcsftime_l");

}  // namespace

void begin_zone() {
  own_tzname[0] = own_tzname[1] = name_of_no_zone;
}

}  // namespace terrace::rank_libc

using namespace terrace::rank_libc;

extern "C" {

void own_tzset() TERRACE_INSTEAD_OF(tzset);
void own_tzset() {
  const InZone here;
}

tm* own_localtime_r(const time_t* seconds, tm* to) TERRACE_INSTEAD_OF(localtime_r);
tm* own_localtime_r(const time_t* seconds, tm* to) {
  return in_zone(local_of_libc, seconds, to);
}

tm* own_localtime(const time_t* seconds) TERRACE_INSTEAD_OF(localtime);
tm* own_localtime(const time_t* seconds) {
  return own_localtime_r(seconds, &broken_down);
}

char* own_ctime_r(const time_t* seconds, char* text) TERRACE_INSTEAD_OF(ctime_r);
char* own_ctime_r(const time_t* seconds, char* text) {
  tm local;
  return own_localtime_r(seconds, &local) == nullptr ? nullptr : asctime_r(&local, text);
}

char* own_ctime(const time_t* seconds) TERRACE_INSTEAD_OF(ctime);
char* own_ctime(const time_t* seconds) {
  return own_ctime_r(seconds, time_as_text);
}

time_t own_mktime(tm* local) TERRACE_INSTEAD_OF(mktime);
time_t own_mktime(tm* local) {
  return in_zone(make_of_libc, local);
}

time_t own_timelocal(tm* local) TERRACE_INSTEAD_OF(timelocal);
time_t own_timelocal(tm* local) {
  return in_zone(make_of_libc, local);
}

char* own_strptime(const char* text, const char* format, tm* to) TERRACE_INSTEAD_OF(strptime);
char* own_strptime(const char* text, const char* format, tm* to) {
  return in_zone(parse_of_libc, text, format, to);
}

char* own_strptime_l(const char* text, const char* format, tm* to, locale_t locale)
    TERRACE_INSTEAD_OF(strptime_l);
char* own_strptime_l(const char* text, const char* format, tm* to, locale_t locale) {
  return in_zone(parse_in_locale_of_libc, text, format, to, locale);
}

int own_getdate_r(const char* text, tm* to) TERRACE_INSTEAD_OF(getdate_r);
int own_getdate_r(const char* text, tm* to) {
  return in_zone(convert_of_libc, text, to);
}

tm* own_getdate(const char* text) TERRACE_INSTEAD_OF(getdate);
tm* own_getdate(const char* text) {
  own_getdate_err = own_getdate_r(text, &converted);
  return own_getdate_err == 0 ? &converted : nullptr;
}

size_t own_strftime(char* to, size_t room, const char* format, const tm* time)
    TERRACE_INSTEAD_OF(strftime);
size_t own_strftime(char* to, size_t room, const char* format, const tm* time) {
  return in_zone(format_of_libc, to, room, format, time);
}

size_t own_strftime_l(char* to, size_t room, const char* format, const tm* time, locale_t locale)
    TERRACE_INSTEAD_OF(strftime_l);
size_t own_strftime_l(char* to, size_t room, const char* format, const tm* time, locale_t locale) {
  return in_zone(format_in_locale_of_libc, to, room, format, time, locale);
}

size_t own_wcsftime(wchar_t* to, size_t room, const wchar_t* format, const tm* time)
    TERRACE_INSTEAD_OF(wcsftime);
size_t own_wcsftime(wchar_t* to, size_t room, const wchar_t* format, const tm* time) {
  return in_zone(format_wide_of_libc, to, room, format, time);
}

size_t own_wcsftime_l(wchar_t* to, size_t room, const wchar_t* format, const tm* time,
                      locale_t locale) TERRACE_INSTEAD_OF(wcsftime_l);
size_t own_wcsftime_l(wchar_t* to, size_t room, const wchar_t* format, const tm* time,
                      locale_t locale) {
  return in_zone(format_wide_in_locale_of_libc, to, room, format, time, locale);
}

// The names by which libstdc++ calls them.
extern size_t own_strftime_l_too(char*, size_t, const char*, const tm*, locale_t)
    TERRACE_ALSO_AS(__strftime_l, strftime_l);
extern size_t own_wcsftime_l_too(wchar_t*, size_t, const wchar_t*, const tm*, locale_t)
    TERRACE_ALSO_AS(__wcsftime_l, wcsftime_l);

}  // extern "C"
