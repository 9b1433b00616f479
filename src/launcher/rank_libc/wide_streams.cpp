// SPDX-License-Identifier: BSD-3-Clause
// Functions of wide characters that use standard input or output implicitly.
#include <stdarg.h>
#include <stdio.h>
#include <wchar.h>

#include "launcher/rank_libc/rank_libc.hpp"

extern "C" {

int print_wide_list(const wchar_t* format, va_list values) TERRACE_INSTEAD_OF(vwprintf);
int print_wide_list(const wchar_t* format, va_list values) {
  return vfwprintf(stdout, format, values);
}

int print_wide(const wchar_t* format, ...) TERRACE_INSTEAD_OF(wprintf);
int print_wide(const wchar_t* format, ...) {
  va_list values;
  va_start(values, format);
  const int written = vfwprintf(stdout, format, values);
  va_end(values);
  return written;
}

// The names under -D_FORTIFY_SOURCE.
int print_wide_list_checked(int, const wchar_t* format, va_list values)
    TERRACE_INSTEAD_OF(__vwprintf_chk);
int print_wide_list_checked(int, const wchar_t* format, va_list values) {
  return vfwprintf(stdout, format, values);
}

int print_wide_checked(int, const wchar_t* format, ...) TERRACE_INSTEAD_OF(__wprintf_chk);
int print_wide_checked(int, const wchar_t* format, ...) {
  va_list values;
  va_start(values, format);
  const int written = vfwprintf(stdout, format, values);
  va_end(values);
  return written;
}

wint_t put_wide(wchar_t character) TERRACE_INSTEAD_OF(putwchar);
wint_t put_wide(wchar_t character) {
  return fputwc(character, stdout);
}

wint_t put_wide_unlocked(wchar_t character) TERRACE_INSTEAD_OF(putwchar_unlocked);
wint_t put_wide_unlocked(wchar_t character) {
  return fputwc_unlocked(character, stdout);
}

wint_t get_wide() TERRACE_INSTEAD_OF(getwchar);
wint_t get_wide() {
  return fgetwc(stdin);
}

wint_t get_wide_unlocked() TERRACE_INSTEAD_OF(getwchar_unlocked);
wint_t get_wide_unlocked() {
  return fgetwc_unlocked(stdin);
}

// scanf since C99, and as C23 has it.
int read_wide_list(const wchar_t* format, va_list values) TERRACE_INSTEAD_OF(__isoc99_vwscanf);
int read_wide_list(const wchar_t* format, va_list values) {
  return vfwscanf(stdin, format, values);
}

int read_wide_values(const wchar_t* format, ...) TERRACE_INSTEAD_OF(__isoc99_wscanf);
int read_wide_values(const wchar_t* format, ...) {
  va_list values;
  va_start(values, format);
  const int count = vfwscanf(stdin, format, values);
  va_end(values);
  return count;
}

int read_wide_values_of_c23(const wchar_t* format, ...) TERRACE_INSTEAD_OF(__isoc23_wscanf);
int read_wide_values_of_c23(const wchar_t* format, ...) {
  va_list values;
  va_start(values, format);
  const int count = vfwscanf(stdin, format, values);
  va_end(values);
  return count;
}

}  // extern "C"
