// SPDX-License-Identifier: BSD-3-Clause
// OpenMP's barrier and array reduction as contenders. The constructs are orphaned: they bind to
// the parallel region that the crew runs in, so they use its threads, pinned alike.
#include "contenders.hpp"

namespace terrace::bench {

#ifdef _OPENMP

namespace {

class OpenMpBarrier final : public Contender {
 public:
  std::string name() const override { return "openmp barrier"; }
  void call(Rank, const Vectors&) noexcept override {
#pragma omp barrier
  }
};

/// The total lies in one shared vector afterwards, not in every rank's own.
class OpenMpSum final : public Contender {
 public:
  std::string name() const override { return "openmp array reduction"; }
  Leaves leaves() const override { return Leaves::one_output; }
  void call(Rank, const Vectors& vectors) noexcept override {
    double* total = vectors.outputs[0];
    const std::size_t count = vectors.count;
    const int ranks = static_cast<int>(vectors.inputs.size());
#pragma omp for schedule(static, 1) reduction(+ : total[:count])
    for (int rank = 0; rank < ranks; ++rank) {
      const double* input = vectors.inputs[static_cast<std::size_t>(rank)];
      for (std::size_t i = 0; i < count; ++i) total[i] += input[i];
    }
  }
};

}  // namespace

Contenders make_openmp_peers(Collective collective) {
  Contenders peers;
  if (collective == Collective::barrier) peers.push_back(std::make_unique<OpenMpBarrier>());
  if (collective == Collective::reduce || collective == Collective::allreduce)
    peers.push_back(std::make_unique<OpenMpSum>());
  return peers;
}

#else

Contenders make_openmp_peers(Collective) {
  return {};
}

#endif

}  // namespace terrace::bench
