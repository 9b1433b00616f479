// SPDX-License-Identifier: BSD-3-Clause
// Random numbers: libc's own generators with the rank's state, so that each rank has the sequence
// that a process would have.
#include <pthread.h>
#include <stdlib.h>

#include "launcher/rank_libc/locked.hpp"
#include "launcher/rank_libc/rank_libc.hpp"

namespace terrace::rank_libc {

namespace {

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
/// State as long as libc's, so that the sequence is the same.
char first_state[128];
random_data numbers;
bool has_state = false;
drand48_data numbers_of_48;

random_data* numbers_here() {
  if (!has_state) initstate_r(1, first_state, sizeof first_state, &numbers);
  has_state = true;
  return &numbers;
}

long next_number() {
  const Locked lock(mutex);
  int32_t number = 0;
  random_r(numbers_here(), &number);
  return number;
}

void begin_numbers(unsigned seed) {
  const Locked lock(mutex);
  srandom_r(seed, numbers_here());
}

/// The six generators of 48 bits differ in what they give, and in whose state they change.
template <class Number>
Number drawn(int (*generator)(drand48_data*, Number*)) {
  const Locked lock(mutex);
  Number number = 0;
  generator(&numbers_of_48, &number);
  return number;
}

template <class Number>
Number drawn(int (*generator)(unsigned short*, drand48_data*, Number*), unsigned short* state) {
  const Locked lock(mutex);
  Number number = 0;
  generator(state, &numbers_of_48, &number);
  return number;
}

}  // namespace

}  // namespace terrace::rank_libc

using namespace terrace::rank_libc;

extern "C" {

int own_rand() TERRACE_INSTEAD_OF(rand);
int own_rand() {
  return static_cast<int>(next_number());
}

void own_srand(unsigned seed) TERRACE_INSTEAD_OF(srand);
void own_srand(unsigned seed) {
  begin_numbers(seed);
}

long own_random() TERRACE_INSTEAD_OF(random);
long own_random() {
  return next_number();
}

void own_srandom(unsigned seed) TERRACE_INSTEAD_OF(srandom);
void own_srandom(unsigned seed) {
  begin_numbers(seed);
}

char* own_initstate(unsigned seed, char* state, size_t bytes) TERRACE_INSTEAD_OF(initstate);
char* own_initstate(unsigned seed, char* state, size_t bytes) {
  const Locked lock(mutex);
  char* const before = reinterpret_cast<char*>(numbers_here()->state) - sizeof(int32_t);
  return initstate_r(seed, state, bytes, &numbers) == 0 ? before : nullptr;
}

char* own_setstate(char* state) TERRACE_INSTEAD_OF(setstate);
char* own_setstate(char* state) {
  const Locked lock(mutex);
  char* const before = reinterpret_cast<char*>(numbers_here()->state) - sizeof(int32_t);
  return setstate_r(state, &numbers) == 0 ? before : nullptr;
}

double own_drand48() TERRACE_INSTEAD_OF(drand48);
double own_drand48() {
  return drawn(drand48_r);
}

double own_erand48(unsigned short* state) TERRACE_INSTEAD_OF(erand48);
double own_erand48(unsigned short* state) {
  return drawn(erand48_r, state);
}

long own_lrand48() TERRACE_INSTEAD_OF(lrand48);
long own_lrand48() {
  return drawn(lrand48_r);
}

long own_nrand48(unsigned short* state) TERRACE_INSTEAD_OF(nrand48);
long own_nrand48(unsigned short* state) {
  return drawn(nrand48_r, state);
}

long own_mrand48() TERRACE_INSTEAD_OF(mrand48);
long own_mrand48() {
  return drawn(mrand48_r);
}

long own_jrand48(unsigned short* state) TERRACE_INSTEAD_OF(jrand48);
long own_jrand48(unsigned short* state) {
  return drawn(jrand48_r, state);
}

void own_srand48(long seed) TERRACE_INSTEAD_OF(srand48);
void own_srand48(long seed) {
  const Locked lock(mutex);
  srand48_r(seed, &numbers_of_48);
}

}  // extern "C"
