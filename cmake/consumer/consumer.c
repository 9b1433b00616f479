// SPDX-License-Identifier: BSD-3-Clause
// The smallest program that uses an installed Terrace; the check of the installation builds it.
#include <terrace/terrace.h>

int main(void) {
  return 0;
}
