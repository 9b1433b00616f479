/* SPDX-License-Identifier: BSD-3-Clause
 * A library that a program opens, and that says that it needs none, and has no name, as extension
 * modules of interpreters: it has addresses of variables of the program and of its library. */
extern int variable_of_program, variable_of_library;

static int* const variables[] = {&variable_of_program, &variable_of_library};

int sum_by_module(void) {
  return *variables[0] + *variables[1];
}
