/* SPDX-License-Identifier: BSD-3-Clause
 * A program that does nothing, to be linked in ways in which ranks cannot be threads. */
int main(void) {
  return 0;
}
