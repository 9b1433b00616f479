// SPDX-License-Identifier: BSD-3-Clause
// OpenMP's barrier and array reduction as contenders, and loops between its barriers for what it
// has no construct for. The constructs are orphaned: they bind to the parallel region that the crew
// runs in, so they use its threads, pinned alike.
#include "contenders.hpp"
#include "recipes.hpp"

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

/// Threads share their memory: a barrier until all inputs are there, each makes its output, and a
/// barrier before anybody changes its input.
class OpenMpLoops final : public Contender {
 public:
  OpenMpLoops(Collective collective, Rank ranks) : recipes_(recipes_of(collective, ranks)) {}
  std::string name() const override { return "openmp loops"; }
  void call(Rank rank, const Vectors& vectors) noexcept override {
#pragma omp barrier
    make(recipes_[rank], vectors.inputs.data(), vectors.outputs[rank], vectors.count,
         Stores::cached);
#pragma omp barrier
  }

 private:
  std::vector<Recipe> recipes_;
};

}  // namespace

Contenders make_openmp_peers(Collective collective, Rank ranks) {
  Contenders peers;
  if (collective == Collective::barrier) peers.push_back(std::make_unique<OpenMpBarrier>());
  if (collective == Collective::reduce || collective == Collective::allreduce)
    peers.push_back(std::make_unique<OpenMpSum>());
  if (collective > Collective::allreduce)
    peers.push_back(std::make_unique<OpenMpLoops>(collective, ranks));
  return peers;
}

#else

Contenders make_openmp_peers(Collective, Rank) {
  return {};
}

#endif

}  // namespace terrace::bench
