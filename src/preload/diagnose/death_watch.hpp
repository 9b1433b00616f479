// SPDX-License-Identifier: BSD-3-Clause
// Looks after peers while a thread is in a collective of the underlying MPI, where nothing of ours
// runs: under TERRACE_CHECK a rank may die between our collective and the MPI's.
#pragma once

namespace terrace::preload {

class MpiWorld;

/// As long as this lives, a dead peer of that team ends the job, some seconds after its death.
class DeathWatch {
 public:
  explicit DeathWatch(MpiWorld& world) noexcept;
  ~DeathWatch();
  DeathWatch(const DeathWatch&) = delete;
  DeathWatch& operator=(const DeathWatch&) = delete;

 private:
  MpiWorld& world_;
};

}  // namespace terrace::preload
