/* SPDX-License-Identifier: BSD-3-Clause
 * More thread-local memory than there is room for. */
__thread char large[1 << 20];
int main(void) {
  large[1] = 1;
  return large[0];
}
