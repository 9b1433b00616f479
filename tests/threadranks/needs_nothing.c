/* SPDX-License-Identifier: BSD-3-Clause
 * A library of a program that needs no other: its constructor may be the first code of a rank. */
static int value = 1;

__attribute__((constructor)) static void begin(void) {
  value *= 42;
}

int value_of_needs_nothing(void) {
  return value;
}
