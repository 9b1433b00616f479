// SPDX-License-Identifier: BSD-3-Clause
// setlocale: sets the locale for a rank's threads instead of the process: the calling thread, and
// those that the rank creates later.
#include <errno.h>
#include <locale.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "launcher/rank_libc/rank_libc.hpp"

namespace terrace::rank_libc {

namespace {

struct Category {
  int number;
  int mask;
  const char* name;
};
constexpr Category kCategories[] = {
    {LC_CTYPE, LC_CTYPE_MASK, "LC_CTYPE"},
    {LC_NUMERIC, LC_NUMERIC_MASK, "LC_NUMERIC"},
    {LC_TIME, LC_TIME_MASK, "LC_TIME"},
    {LC_COLLATE, LC_COLLATE_MASK, "LC_COLLATE"},
    {LC_MONETARY, LC_MONETARY_MASK, "LC_MONETARY"},
    {LC_MESSAGES, LC_MESSAGES_MASK, "LC_MESSAGES"},
};
constexpr size_t kCount = sizeof kCategories / sizeof *kCategories;
constexpr size_t kLongestName = 64;

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
locale_t the_locale = nullptr;
char names[kCount][kLongestName] = {"C", "C", "C", "C", "C", "C"};
char all_names[kCount * (kLongestName + 16)];

bool is_meant(const Category& one, int number) {
  return number == LC_ALL || one.number == number;
}

/// The meaning of "".
const char* name_from_variables(const Category& category) {
  const char* const in_turn[] = {"LC_ALL", category.name, "LANG"};
  for (const char* variable : in_turn) {
    const char* const value = getenv(variable);
    if (value != nullptr && *value != '\0') return value;
  }
  return "C";
}

/// "C", or "LC_CTYPE=de_DE.UTF-8;LC_NUMERIC=C;..." where they differ.
char* answer(int number) {
  for (size_t i = 0; i < kCount; ++i)
    if (kCategories[i].number == number) return names[i];
  bool is_one = true;
  for (size_t i = 1; i < kCount; ++i) is_one = is_one && strcmp(names[i], names[0]) == 0;
  if (is_one) return names[0];
  all_names[0] = '\0';
  for (size_t i = 0; i < kCount; ++i) {
    if (i != 0) strcat(all_names, ";");
    strcat(strcat(strcat(all_names, kCategories[i].name), "="), names[i]);
  }
  return all_names;
}

/// The part of `wanted`, which may be such a list, for a category.
void copy_name(const Category& category, const char* wanted, char* name) {
  const char* begin = *wanted == '\0' ? name_from_variables(category) : wanted;
  if (const char* const listed = strchr(wanted, '=') ? strstr(wanted, category.name) : nullptr)
    begin = listed + strlen(category.name) + 1;
  const size_t length = strcspn(begin, ";");
  const size_t kept = length < kLongestName ? length : kLongestName - 1;
  memcpy(name, begin, kept);
  name[kept] = '\0';
}

char* set(int number, const char* wanted) {
  char new_names[kCount][kLongestName];
  locale_t made =
      the_locale == nullptr ? newlocale(LC_ALL_MASK, "C", nullptr) : duplocale(the_locale);
  for (size_t i = 0; i < kCount && made != nullptr; ++i) {
    memcpy(new_names[i], names[i], kLongestName);
    if (!is_meant(kCategories[i], number)) continue;
    copy_name(kCategories[i], wanted, new_names[i]);
    const locale_t next = newlocale(kCategories[i].mask, new_names[i], made);
    if (next == nullptr) freelocale(made);
    made = next;
  }
  if (made == nullptr) return nullptr;
  memcpy(names, new_names, sizeof names);
  // The previous locale is not freed: threads of the rank may use it.
  the_locale = made;
  uselocale(made);
  return answer(number);
}

}  // namespace

void use_locale_of_rank() {
  pthread_mutex_lock(&mutex);
  const locale_t locale = the_locale;
  pthread_mutex_unlock(&mutex);
  if (locale != nullptr) uselocale(locale);
}

}  // namespace terrace::rank_libc

using namespace terrace::rank_libc;

extern "C" {

char* own_setlocale(int category, const char* wanted) TERRACE_INSTEAD_OF(setlocale);
char* own_setlocale(int category, const char* wanted) {
  pthread_mutex_lock(&mutex);
  char* const found = wanted == nullptr ? answer(category) : set(category, wanted);
  pthread_mutex_unlock(&mutex);
  return found;
}

}  // extern "C"
