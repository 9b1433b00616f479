// SPDX-License-Identifier: BSD-3-Clause
// Keeps all signals from the calling thread for a while.
#pragma once

#include <pthread.h>
#include <signal.h>

namespace terrace {

class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

  /// Signals that are blocked again afterwards.
  const sigset_t& before() const { return before_; }

 private:
  sigset_t before_;
};

}  // namespace terrace
