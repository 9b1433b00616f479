/* SPDX-License-Identifier: BSD-3-Clause
 * A library that needs none, and is needed by two plug-ins. */
static int count = 40;

__attribute__((constructor)) static void begin(void) {
  count = 0;
}

int count_in_common(void) {
  return ++count;
}
