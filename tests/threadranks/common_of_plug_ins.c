/* SPDX-License-Identifier: BSD-3-Clause
 * A library that needs none, and is needed by two plug-ins. */
static int count = 40, has_begun;

__attribute__((constructor)) static void begin(void) {
  count = 0;
  has_begun = 1;
}

int has_common_begun(void) {
  return has_begun;
}
int count_in_common(void) {
  return ++count;
}
