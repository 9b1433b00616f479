/* SPDX-License-Identifier: BSD-3-Clause
 * Frees what libc has allocated by the program's own allocator (allocator.c). Prints what is wrong,
 * or "right". */
#define _GNU_SOURCE
#include <dirent.h>
#include <execinfo.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

long foreign_blocks(void);

static int faults;
static void expect(int holds, const char* what) {
  if (holds) return;
  printf("wrong: %s\n", what);
  ++faults;
}

/* Frees a text, and looks where it was from. */
static void expect_text(char* text, const char* expected, const char* what) {
  const long before = foreign_blocks();
  expect(text != NULL && strcmp(text, expected) == 0, what);
  text = realloc(text, 4096); /* as if it was to grow */
  free(text);
  expect(foreign_blocks() == before, what);
}

static void texts(void) {
  char* text = NULL;
  wchar_t* const wide = wcsdup(L"wide");
  expect_text(strdup("one"), "one", "strdup");
  expect_text(strndup("onetwo", 3), "one", "strndup");
  expect(wide != NULL && wcscmp(wide, L"wide") == 0, "wcsdup");
  free(wide);
  expect(asprintf(&text, "%d of %s", 4, "five") == 9, "asprintf's length");
  expect_text(text, "4 of five", "asprintf");
}

static void paths(void) {
  char here[4096];
  expect(getcwd(here, sizeof here) == here, "getcwd into an array");
  expect_text(getcwd(NULL, 0), here, "getcwd");
  expect_text(getcwd(NULL, 4000), here, "getcwd with a length");
  expect_text(get_current_dir_name(), here, "get_current_dir_name");
  expect_text(realpath("/.", NULL), "/", "realpath");
  expect_text(canonicalize_file_name("/."), "/", "canonicalize_file_name");
}

static void lines(void) {
  char text[] = "one\ntwo, which is longer\nthree";
  FILE* const file = fmemopen(text, sizeof text - 1, "r");
  char* line = malloc(2);
  size_t bytes = 2;
  expect(getline(&line, &bytes, file) == 4 && strcmp(line, "one\n") == 0, "getline");
  expect(getline(&line, &bytes, file) == 21 && bytes >= 22, "getline of a longer line");
  expect(getdelim(&line, &bytes, 'r', file) == 3 && strcmp(line, "thr") == 0, "getdelim");
  expect(getline(&line, &bytes, file) == 2 && getline(&line, &bytes, file) == -1, "the end");
  expect_text(line, "ee", "the line");
  fclose(file);
}

static void streams(void) {
  char* text = NULL;
  size_t bytes = 7;
  FILE* const stream = open_memstream(&text, &bytes);
  fflush(stream);
  expect(text != NULL && *text == '\0' && bytes == 0, "an empty open_memstream");
  for (int i = 0; i < 5000; ++i) fprintf(stream, "%d ", i);
  fflush(stream);
  expect(bytes == 23890 && strlen(text) == bytes && strstr(text, " 4998 4999 ") != NULL,
         "open_memstream");
  fseek(stream, 2, SEEK_SET);
  fputs("x", stream);
  fclose(stream);
  expect(bytes == 3 && strcmp(text, "0 x") == 0, "open_memstream after fseek");
  free(text);
}

static int is_named(const struct dirent* entry) {
  return entry->d_name[0] != '.';
}

static void lists(void) {
  struct dirent** entries = NULL;
  const int count = scandir("/", &entries, is_named, alphasort);
  expect(count > 1 && strcmp(entries[0]->d_name, entries[1]->d_name) < 0, "scandir");
  for (int i = 0; i < count; ++i) free(entries[i]);
  free(entries);
  void* addresses[8];
  const int depth = backtrace(addresses, 8);
  char** const symbols = backtrace_symbols(addresses, depth);
  expect(depth > 0 && symbols != NULL && strchr(symbols[0], '[') != NULL, "backtrace_symbols");
  free(symbols);
  volatile size_t too_many = SIZE_MAX / 8;
  long* numbers = reallocarray(malloc(8), 2, sizeof *numbers);
  expect(numbers != NULL && reallocarray(NULL, too_many, 16) == NULL, "reallocarray");
  free(numbers);
}

int main(void) {
  texts();
  paths();
  lines();
  streams();
  lists();
  expect(foreign_blocks() == 0, "blocks of another allocator");
  if (faults == 0) printf("right\n");
  return 0;
}
