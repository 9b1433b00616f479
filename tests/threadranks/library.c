/* SPDX-License-Identifier: BSD-3-Clause
 * A library with a variable that programs see directly, and one that they do not. */
int seen_directly = 3;
int bump(void) {
  static int calls;
  seen_directly += 1;
  return ++calls;
}

int variable_of_library = 30;
