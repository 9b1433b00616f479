// SPDX-License-Identifier: BSD-3-Clause
// OpenMP's array reduction as gfortran compiles it, as a contender.
#include "contenders.hpp"

#ifdef TERRACE_BENCH_FORTRAN
extern "C" void terrace_bench_fortran_sum(const double* const* inputs, const std::int64_t* ranks,
                                          const std::int64_t* count, double* total);
#endif

namespace terrace::bench {

#ifdef TERRACE_BENCH_FORTRAN

namespace {

class FortranSum final : public Contender {
 public:
  std::string name() const override { return "openmp array reduction (Fortran)"; }
  Leaves leaves() const override { return Leaves::one_output; }
  void call(Rank, const Vectors& vectors) noexcept override {
    const auto ranks = static_cast<std::int64_t>(vectors.inputs.size());
    const auto count = static_cast<std::int64_t>(vectors.count);
    terrace_bench_fortran_sum(vectors.inputs.data(), &ranks, &count, vectors.outputs[0]);
  }
};

}  // namespace

Contenders make_fortran_peers(Collective collective) {
  Contenders peers;
  if (collective == Collective::reduce || collective == Collective::allreduce)
    peers.push_back(std::make_unique<FortranSum>());
  return peers;
}

#else

Contenders make_fortran_peers(Collective) {
  return {};
}

#endif

}  // namespace terrace::bench
