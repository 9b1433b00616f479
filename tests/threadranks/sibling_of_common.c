/* SPDX-License-Identifier: BSD-3-Clause
 * A library that two plug-ins need after another one, which uses it without saying so. */
static int has_begun;

__attribute__((constructor)) static void begin(void) {
  has_begun = 1;
}

int has_sibling_begun(void) {
  return has_begun;
}
