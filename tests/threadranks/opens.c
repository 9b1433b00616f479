// SPDX-License-Identifier: BSD-3-Clause
// Opens libraries at run time: a rank's are its own, and find its program.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expect.h"

int bump(void);
int value_of_needs_nothing(void);

extern int variable_of_library;
int variable_of_program;

static int number = 3;

int number_of_program(void) {
  return number;
}

static void open_a_plug_in(const char* path) {
  void* const handle = dlopen(path, RTLD_NOW);
  EXPECT(handle != NULL);
  if (handle == NULL) {
    printf("%s\n", dlerror());
    return;
  }
  int (*const call)(void) = (int (*)(void))dlsym(handle, "call_plug_in");
  int (*const ask)(void) = (int (*)(void))dlsym(handle, "number_by_plug_in");
  int (*const bump_there)(void) = (int (*)(void))dlsym(handle, "bump_by_plug_in");
  EXPECT(call() == 1 && call() == 2);
  number = 4;
  EXPECT(ask() == 4);
  EXPECT(bump() == 1 && bump_there() == 2);
  EXPECT(dlopen(path, RTLD_LAZY) == handle);
  EXPECT(dlclose(handle) == 0 && call() == 3);
  EXPECT(dlsym(RTLD_DEFAULT, "call_plug_in") == NULL);
  EXPECT(dlopen(path, RTLD_LAZY | RTLD_GLOBAL) == handle);
  EXPECT(dlsym(RTLD_DEFAULT, "call_plug_in") == (void*)call);
}

/// They have a library in common, which is new to the program.
static void open_another(const char* path, const char* first) {
  int (*const count)(void) = (int (*)(void))dlsym(dlopen(first, RTLD_NOW), "count_by_plug_in");
  void* const handle = dlopen(path, RTLD_NOW);
  EXPECT(handle != NULL);
  if (handle == NULL) printf("%s\n", dlerror());
  int (*const count_there)(void) =
      handle != NULL ? (int (*)(void))dlsym(handle, "count_by_plug_in") : count;
  EXPECT(count() == 1 && count_there() == 2 && count_there != count);
}

/// What such a library has relocated is known as soon as it is open.
static void open_a_module(const char* path) {
  void* const handle = dlopen(path, RTLD_NOW);
  EXPECT(handle != NULL);
  if (handle == NULL) printf("%s\n", dlerror());
  int (*const sum)(void) = handle != NULL ? (int (*)(void))dlsym(handle, "sum_by_module") : NULL;
  ++variable_of_program;
  variable_of_library += 100;
  EXPECT(sum != NULL && sum() == 1 + 130);
}

static void open_what_is_there(void) {
  void* const library = dlopen("libof_the_tests.so", RTLD_NOW | RTLD_NOLOAD);
  EXPECT(library != NULL && dlsym(library, "bump") == (void*)bump);
  void* const program = dlopen(NULL, RTLD_NOW);
  EXPECT(program != NULL && dlsym(program, "number_of_program") == (void*)number_of_program);
  EXPECT(dlsym(RTLD_DEFAULT, "number_of_program") == (void*)number_of_program);
  void* const math = dlopen("libm.so.6", RTLD_NOW);
  EXPECT(math != NULL && dlsym(math, "cos") != NULL && dlclose(math) == 0);
}

/// Without a library's handle, of libc's and the program's functions, and those of MPI if it is
/// there.
static void find_what_is_there(void) {
  void* const program = dlopen(NULL, RTLD_NOW);
  EXPECT(dlsym(program, "strlen") == dlsym(RTLD_DEFAULT, "strlen"));
  EXPECT(dlsym(program, "strlen") != NULL && dlsym(program, "exit") == (void*)exit);
  EXPECT(dlsym(program, "bump") == (void*)bump);
  EXPECT(dlsym(program, "not_there") == NULL && dlerror() != NULL);
  size_t (*const length)(const char*) = (size_t(*)(const char*))dlsym(RTLD_NEXT, "strlen");
  EXPECT(length != NULL && length("four") == 4);
  EXPECT(dlsym(RTLD_NEXT, "exit") == (void*)exit);
  EXPECT(dlsym(RTLD_NEXT, "bump") == (void*)bump);
  EXPECT(dlsym(RTLD_NEXT, "number_of_program") == NULL && dlerror() != NULL);
}

static void open_what_is_not_there(void) {
  EXPECT(dlopen("libnot_there.so", RTLD_NOW) == NULL);
  const char* const error = dlerror();
  EXPECT(error != NULL && strstr(error, "libnot_there.so") != NULL);
  EXPECT(dlerror() == NULL);
  EXPECT(dlopen("/dev/null", RTLD_NOW) == NULL && dlerror() != NULL);
}

int main(int argc, char** argv) {
  EXPECT(value_of_needs_nothing() == 42);
  open_a_plug_in(argc > 1 ? argv[1] : "");
  open_another(argc > 2 ? argv[2] : "", argc > 1 ? argv[1] : "");
  open_a_module(argc > 3 ? argv[3] : "");
  open_what_is_there();
  find_what_is_there();
  open_what_is_not_there();
  (void)ranks;
  if (right) printf("right\n");
  return 0;
}
