/* SPDX-License-Identifier: BSD-3-Clause
 * A library that is being opened for a while. */
#include <unistd.h>

__attribute__((constructor)) static void begin(void) {
  usleep(500000);
}
