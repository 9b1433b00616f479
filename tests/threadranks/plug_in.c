/* SPDX-License-Identifier: BSD-3-Clause
 * A library that a program opens: it has a variable, calls the program, and a library of it. */
int number_of_program(void);
int bump(void);

static int calls;

int call_plug_in(void) {
  return ++calls;
}
int number_by_plug_in(void) {
  return number_of_program();
}
int bump_by_plug_in(void) {
  return bump();
}
