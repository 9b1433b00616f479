// SPDX-License-Identifier: BSD-3-Clause
// Starts threads of Terrace's own beside those of the program.
#pragma once

#include <pthread.h>

#include "base/signals_blocked.hpp"

namespace terrace {

/// Starts a thread in which all signals are blocked: they are for the program's own threads.
/// `attributes` may be null. False: no thread can be created.
inline bool start_own_thread(pthread_t& thread, const pthread_attr_t* attributes,
                             void* (*run)(void*), void* argument) {
  const SignalsBlocked blocked;
  return pthread_create(&thread, attributes, run, argument) == 0;
}

}  // namespace terrace
