// SPDX-License-Identifier: BSD-3-Clause
// Our engine as a contender: endpoints that choose, or that one choice is forced on.
#include <sys/mman.h>

#include <algorithm>
#include <new>

#include "contenders.hpp"
#include "execute/call.hpp"

namespace terrace::bench {

namespace {

const Reduction kSum = find_reduction(Type::float64, Operator::sum);

/// A team's memory as teams of threads have it, or as processes share it.
class Pages {
 public:
  Pages(Rank ranks, bool are_shared)
      : scratch_bytes_(std::max(usual_scratch_bytes(ranks), least_scratch_bytes(ranks))),
        bytes_(share_bytes(scratch_bytes_) * ranks),
        place_(mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                    (are_shared ? MAP_SHARED : MAP_PRIVATE) | MAP_ANONYMOUS | MAP_NORESERVE, -1,
                    0)) {
    if (place_ == MAP_FAILED) throw std::bad_alloc();
    memory_ = laid_out(static_cast<std::byte*>(place_), ranks, scratch_bytes_);
  }
  ~Pages() { munmap(place_, bytes_); }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;

  const TeamMemory& memory() const { return memory_; }

 private:
  std::size_t scratch_bytes_, bytes_;
  void* place_;
  TeamMemory memory_;
};

/// An endpoint per rank, each on lines of its own.
struct alignas(kLinePairBytes) EndpointPlace {
  std::unique_ptr<TeamEndpoint> endpoint;
};

class Ours final : public Contender {
 public:
  Ours(const Crew& crew, const Hierarchy& hierarchy, Collective collective, Reach reach,
       const Choice* forced)
      : collective_(collective),
        memory_(crew.ranks(), reach != Reach::direct),
        plan_cache_(hierarchy),
        places_(crew.ranks()) {
    if (forced) name_ = to_text(*forced);
    if (forced) options_.forced = *forced;
    options_.reach = reach;
    options_.traits = {crew.ranks(), reach == Reach::direct,
                       shared_cores_of(crew.ranks(), crew.ranks(), crew.pus())};
    options_.waiting = WaitPolicy::for_ranks(crew.ranks(), crew.pus());
    options_.wait_environment = &wait_environment_;
  }
  std::string name() const override { return name_; }
  std::string plan() const override { return places_[0].endpoint->last_plan(); }
  void prepare(Rank rank) override {
    terrace::prepare(memory_.memory().ranks[rank], 0);
    places_[rank].endpoint =
        std::make_unique<TeamEndpoint>(memory_.memory(), rank, plan_cache_, options_);
  }
  void call(Rank rank, const Vectors& vectors) noexcept override {
    TeamEndpoint& endpoint = *places_[rank].endpoint;
    const Elements elements{vectors.count, sizeof(double), kSum, false};
    switch (collective_) {
      case Collective::barrier:
        endpoint.barrier();
        break;
      case Collective::bcast:
        endpoint.bcast(rank == 0 ? vectors.inputs[0] : vectors.outputs[rank], vectors.bytes(), 0);
        break;
      case Collective::reduce:
        endpoint.reduce(vectors.inputs[rank], vectors.outputs[rank], elements, 0);
        break;
      case Collective::allreduce:
        endpoint.allreduce(vectors.inputs[rank], vectors.outputs[rank], elements);
        break;
      case Collective::allgather:
        endpoint.allgather(own_block(vectors.inputs, rank, vectors), vectors.outputs[rank],
                           vectors.bytes());
        break;
      case Collective::gather:
        endpoint.gather(own_block(vectors.inputs, rank, vectors), vectors.outputs[rank],
                        vectors.bytes(), 0);
        break;
      case Collective::scatter:
        endpoint.scatter(vectors.inputs[rank], own_block(vectors.outputs, rank, vectors),
                         vectors.bytes(), 0);
        break;
      case Collective::alltoall:
        endpoint.alltoall(vectors.inputs[rank], vectors.outputs[rank], vectors.bytes());
        break;
      case Collective::reduce_scatter_block:
        endpoint.reduce_scatter_block(vectors.inputs[rank], vectors.outputs[rank], elements);
        break;
      case Collective::scan:
        endpoint.scan(vectors.inputs[rank], vectors.outputs[rank], elements);
        break;
      case Collective::exscan:
        endpoint.exscan(vectors.inputs[rank], vectors.outputs[rank], elements);
        break;
      default:
        break;  // uneven ones are not asked for
    }
  }

 private:
  static double* own_block(const std::vector<double*>& all, Rank rank, const Vectors& vectors) {
    return all[rank] + rank * vectors.count;
  }

  std::string name_ = "terrace";
  Collective collective_;
  Pages memory_;
  PlanCache plan_cache_;
  WaitEnvironment wait_environment_;
  EndpointOptions options_;
  std::vector<EndpointPlace> places_;
};

}  // namespace

std::unique_ptr<Contender> make_ours(const Crew& crew, Collective collective, Reach reach,
                                     const Choice* forced) {
  return std::make_unique<Ours>(crew, flat_hierarchy(crew.ranks()), collective, reach, forced);
}

std::unique_ptr<Contender> make_ours(const Crew& crew, const Hierarchy& hierarchy,
                                     Collective collective, Reach reach, const Choice& forced) {
  return std::make_unique<Ours>(crew, hierarchy, collective, reach, &forced);
}

}  // namespace terrace::bench
