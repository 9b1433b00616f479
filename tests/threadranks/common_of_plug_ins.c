/* SPDX-License-Identifier: BSD-3-Clause
 * A library that says that it needs none, and is needed by two plug-ins. Its constructor uses their
 * next one, whose constructor the loader has called before. */
int has_sibling_begun(void);

static int count = 40, has_begun;

__attribute__((constructor)) static void begin(void) {
  count = 0;
  has_begun = has_sibling_begun();
}

int has_common_begun(void) {
  return has_begun;
}
int count_in_common(void) {
  return ++count;
}
