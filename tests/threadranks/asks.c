/* SPDX-License-Identifier: BSD-3-Clause
 * Asks for a number, on a line that does not end before the answer. */
#include <stdio.h>

int main(void) {
  int number = 0;
  printf("number? ");
  if (scanf("%d", &number) != 1) return 1;
  printf("got %d\n", number);
  return 0;
}
