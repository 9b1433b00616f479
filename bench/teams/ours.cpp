// SPDX-License-Identifier: BSD-3-Clause
// Our engine as a contender: seats that choose, or that one choice is forced on.

#include "contenders.hpp"

namespace terrace::bench {

namespace {

constexpr std::size_t kScratchBytes = 1 << 20;  // as the preload gives teams of up to 16 ranks

const Reduction kSum = find_reduction(Type::float64, Operator::sum);

/// A seat per rank, each on lines of its own.
struct alignas(kLinePairBytes) SeatPlace {
  std::unique_ptr<Seat> seat;
};

std::string name_of(const Choice& choice) {
  return std::string(choice.algorithm) + "/" + std::to_string(choice.strip_bytes >> 10) + "K/" +
         std::to_string(choice.ring) + (choice.streams ? "/stream" : "") +
         (choice.bounces ? "/bounced" : "");
}

class Ours final : public Contender {
 public:
  Ours(const Crew& crew, Collective collective, Reach reach, const Choice* forced)
      : collective_(collective),
        memory_(crew.ranks(), kScratchBytes),
        shelf_(flat_hierarchy(crew.ranks())),
        places_(crew.ranks()) {
    if (forced) name_ = name_of(*forced);
    if (forced) options_.forced = *forced;
    options_.reach = reach;
    options_.traits = {crew.ranks(), reach == Reach::direct,
                       shared_cores_of(crew.ranks(), crew.ranks(), crew.pus())};
    options_.waiting = WaitPolicy::for_ranks(crew.ranks(), crew.pus());
    options_.world = &world_;
  }
  std::string name() const override { return name_; }
  std::string plan() const override { return places_[0].seat->last_plan(); }
  void prepare(Rank rank) override {
    terrace::prepare(memory_.memory().ranks[rank], 0);
    places_[rank].seat = std::make_unique<Seat>(memory_.memory(), rank, shelf_, options_);
  }
  void call(Rank rank, const Vectors& vectors) noexcept override {
    Seat& seat = *places_[rank].seat;
    const Elements elements{vectors.count, sizeof(double), kSum, false};
    switch (collective_) {
      case Collective::barrier:
        seat.barrier();
        break;
      case Collective::bcast:
        seat.bcast(rank == 0 ? vectors.inputs[0] : vectors.outputs[rank], vectors.bytes(), 0);
        break;
      case Collective::reduce:
        seat.reduce(vectors.inputs[rank], vectors.outputs[rank], elements, 0);
        break;
      case Collective::allreduce:
        seat.allreduce(vectors.inputs[rank], vectors.outputs[rank], elements);
        break;
      case Collective::allgather:
        seat.allgather(own_block(vectors.inputs, rank, vectors), vectors.outputs[rank],
                       vectors.bytes());
        break;
      case Collective::gather:
        seat.gather(own_block(vectors.inputs, rank, vectors), vectors.outputs[rank],
                    vectors.bytes(), 0);
        break;
      case Collective::scatter:
        seat.scatter(vectors.inputs[rank], own_block(vectors.outputs, rank, vectors),
                     vectors.bytes(), 0);
        break;
      case Collective::alltoall:
        seat.alltoall(vectors.inputs[rank], vectors.outputs[rank], vectors.bytes());
        break;
      case Collective::reduce_scatter_block:
        seat.reduce_scatter_block(vectors.inputs[rank], vectors.outputs[rank], elements);
        break;
      case Collective::scan:
        seat.scan(vectors.inputs[rank], vectors.outputs[rank], elements);
        break;
      case Collective::exscan:
        seat.exscan(vectors.inputs[rank], vectors.outputs[rank], elements);
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
  ThreadMemory memory_;
  PlanShelf shelf_;
  World world_;
  SeatOptions options_;
  std::vector<SeatPlace> places_;
};

}  // namespace

std::unique_ptr<Contender> make_ours(const Crew& crew, Collective collective, Reach reach,
                                     const Choice* forced) {
  return std::make_unique<Ours>(crew, collective, reach, forced);
}

}  // namespace terrace::bench
