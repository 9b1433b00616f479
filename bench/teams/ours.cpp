// SPDX-License-Identifier: BSD-3-Clause
// Our engine as a contender: seats that choose, or one named algorithm without any choice.
#include <algorithm>

#include "contenders.hpp"

namespace terrace::bench {

namespace {

constexpr std::size_t kScratchBytes = 8 << 20;

const Reduction kSum = find_reduction(Type::float64, Operator::sum);

/// A seat per rank, each on lines of its own.
struct alignas(kLinePairBytes) SeatPlace {
  std::unique_ptr<Seat> seat;
};

class Chosen final : public Contender {
 public:
  Chosen(const Crew& crew, Collective collective, Reach reach)
      : collective_(collective),
        memory_(crew.ranks(), kScratchBytes),
        shelf_(flat_hierarchy(crew.ranks())),
        places_(crew.ranks()) {
    options_.reach = reach;
    options_.traits = {crew.ranks(), reach == Reach::direct, crew.is_crowded()};
    options_.waiting = WaitPolicy::for_ranks(crew.ranks(), crew.pus());
    options_.world = &world_;
  }
  std::string name() const override { return "terrace"; }
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
    }
  }

 private:
  Collective collective_;
  ThreadMemory memory_;
  PlanShelf shelf_;
  World world_;
  SeatOptions options_;
  std::vector<SeatPlace> places_;
};

struct alignas(kLinePairBytes) MemberPlace {
  std::unique_ptr<Member> member;
  const Part* part = nullptr;
};

class Named final : public Contender {
 public:
  Named(const Crew& crew, Collective collective, Reach reach, const Override& override)
      : collective_(collective),
        override_(override),
        reach_(reach),
        memory_(crew.ranks(), kScratchBytes),
        shelf_(flat_hierarchy(crew.ranks())),
        waiting_(WaitPolicy::for_ranks(crew.ranks(), crew.pus())),
        places_(crew.ranks()) {}

  /// Whether the algorithm can carry vectors of this size.
  bool fits(std::size_t bytes) {
    key_.algorithm = override_.algorithm;
    key_.radix = override_.radix;
    key_.ring = override_.ring;
    key_.lowering = bytes <= kPayloadBytes ? Lowering::lines : Lowering::owner;
    if (shelf_.part(key_, 0) != nullptr) return true;
    key_.lowering = Lowering::owner;
    return shelf_.part(key_, 0) != nullptr;
  }
  std::string name() const override {
    return override_.algorithm + "/" + std::to_string(override_.strip_bytes >> 10) + "K" + "/" +
           std::to_string(override_.ring) + (override_.streams ? "/stream" : "") +
           (reach_ == Reach::direct ? "" : "/bounced");
  }
  std::string plan() const override { return override_.algorithm; }
  void prepare(Rank rank) override {
    terrace::prepare(memory_.memory().ranks[rank], 0);
    places_[rank].member = std::make_unique<Member>(memory_.memory(), rank);
    places_[rank].part = shelf_.part(key_, rank);
  }
  void call(Rank rank, const Vectors& vectors) noexcept override {
    const MemberPlace& place = places_[rank];
    const bool is_bcast = collective_ == Collective::bcast;
    Call call;
    call.output = is_bcast && rank == 0 ? vectors.inputs[0] : vectors.outputs[rank];
    call.input = is_bcast ? call.output : vectors.inputs[rank];
    call.element_count = collective_ == Collective::barrier ? 0 : vectors.count;
    call.element_bytes = sizeof(double);
    call.strip_elements = strip_elements(*place.part, call.element_count, sizeof(double),
                                         override_.strip_bytes, kScratchBytes);
    call.reduction = kSum;
    call.reach = reach_;
    call.stores = override_.streams ? Stores::streaming : Stores::cached;
    Run run(*place.member, *place.part, call);
    complete(run, waiting_, world_);
  }

 private:
  Collective collective_;
  Override override_;
  Reach reach_;
  ThreadMemory memory_;
  PlanShelf shelf_;
  PlanShelf::Key key_;
  WaitPolicy waiting_;
  World world_;
  std::vector<MemberPlace> places_;
};

}  // namespace

std::unique_ptr<Contender> make_ours(const Crew& crew, Collective collective, std::size_t bytes,
                                     Reach reach, const Override* override) {
  if (override == nullptr) return std::make_unique<Chosen>(crew, collective, reach);
  const Algorithm* row = find_algorithm(override->algorithm);
  if (row == nullptr || row->collective != collective) return nullptr;
  auto named = std::make_unique<Named>(crew, collective, reach, *override);
  if (!named->fits(bytes)) return nullptr;
  return named;
}

}  // namespace terrace::bench
