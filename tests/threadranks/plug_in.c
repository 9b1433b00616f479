/* SPDX-License-Identifier: BSD-3-Clause
 * A library that a program opens: it has a variable, and calls the program, a library of it, and
 * one that two plug-ins have in common. Its constructors look for the program's symbols, and read
 * constants; they come after those of what it needs. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>

int number_of_program(void);
int bump(void);
int count_in_common(void);
int has_common_begun(void);

enum { kConstants = 100000, kPlace = 50000 };
static const char constants[kConstants] = {[kPlace] = 7};
static volatile int place_of_constant = kPlace;
static int calls, has_found, constructors, is_in_order;

/* The loader's arguments are the program's. */
__attribute__((constructor(101))) static void begin_first(int count, char** words, char** all) {
  is_in_order = constructors++ == 0 && has_common_begun() && count > 0 && words[count] == NULL &&
                words[0] != NULL && all != NULL && constants[place_of_constant] == 7;
}

__attribute__((constructor)) static void look_for_program(void) {
  is_in_order = is_in_order && constructors++ == 1;
  has_found = dlsym(RTLD_DEFAULT, "number_of_program") != NULL;
}

int call_plug_in(void) {
  return has_found && is_in_order ? ++calls : 0;
}
int number_by_plug_in(void) {
  return number_of_program();
}
int bump_by_plug_in(void) {
  return bump();
}
int count_by_plug_in(void) {
  return count_in_common();
}
