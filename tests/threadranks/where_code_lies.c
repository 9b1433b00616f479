// SPDX-License-Identifier: BSD-3-Clause
// Prints which file the code of the program and of its library lie in, as the kernel sees it.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

int bump(void);

static void print_file_of(uintptr_t address) {
  char line[4096], access[8], path[4096];
  FILE* maps = fopen("/proc/self/maps", "r");
  while (maps != NULL && fgets(line, sizeof line, maps) != NULL) {
    unsigned long begin, end;
    if (sscanf(line, "%lx-%lx %7s %*s %*s %*s %4095s", &begin, &end, access, path) == 4 &&
        address >= begin && address < end)
      printf("%s %s\n", access, path);
  }
  if (maps != NULL) fclose(maps);
}

int main(void) {
  print_file_of((uintptr_t)main);
  print_file_of((uintptr_t)bump);
  return 0;
}
