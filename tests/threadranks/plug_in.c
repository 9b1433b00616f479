/* SPDX-License-Identifier: BSD-3-Clause
 * A library that a program opens: it has a variable, and calls the program, a library of it, and
 * one that two plug-ins have in common. Its constructor looks for the program's symbols. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>

int number_of_program(void);
int bump(void);
int count_in_common(void);

static int calls, has_found;

__attribute__((constructor)) static void look_for_program(void) {
  has_found = dlsym(RTLD_DEFAULT, "number_of_program") != NULL;
}

int call_plug_in(void) {
  return has_found ? ++calls : 0;
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
