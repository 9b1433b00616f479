// SPDX-License-Identifier: BSD-3-Clause
// The least that the hardware lets a collective cost, written by hand without any engine. Nothing
// here checks anything or serves a second purpose; that is why it is a floor.
#include <algorithm>
#include <array>
#include <cstring>

#include "contenders.hpp"

namespace terrace::bench {

namespace {

const Reduction kSum = find_reduction(Type::float64, Operator::sum);

/// Vectors up to here travel beside their flag: one line, or a pair that is fetched together.
constexpr std::size_t kLinePayloadDoubles = 15;

/// Every rank stores a line and polls all others: a barrier, or with payload an allreduce.
class LineExchange final : public Contender {
 public:
  LineExchange(Rank ranks, bool yields, bool carries, std::size_t slot_count)
      : ranks_(ranks), yields_(yields), carries_(carries), slot_count_(slot_count), slots_(ranks) {}
  std::string name() const override {
    return yields_    ? "bare yield barrier"
           : carries_ ? "line exchange with payload"
                      : "line exchange";
  }
  void call(Rank rank, const Vectors& vectors) noexcept override {
    Mine& mine = slots_[rank];
    const std::uint64_t turn = ++mine.turn;
    Slot& slot = mine.slots[turn % slot_count_];
    const std::size_t count = carries_ ? vectors.count : 0;
    for (std::size_t i = 0; i < count; ++i) slot.payload[i] = vectors.inputs[rank][i];
    // release: pairs with the acquire below on the other ranks.
    slot.turn.store(turn, std::memory_order_release);
    for (Rank other = 0; other < ranks_; ++other) {
      Slot& seen = slots_[other].slots[turn % slot_count_];
      // acquire: pairs with the release above. No rank is two turns ahead, so three slots suffice.
      while (seen.turn.load(std::memory_order_acquire) != turn)
        if (yields_) sched_yield();
    }
    for (std::size_t i = 0; i < count; ++i) {
      double sum = slots_[0].slots[turn % slot_count_].payload[i];
      for (Rank other = 1; other < ranks_; ++other)
        sum += slots_[other].slots[turn % slot_count_].payload[i];
      vectors.outputs[rank][i] = sum;
    }
  }

 private:
  static constexpr std::size_t kMostSlots = 16;
  struct alignas(kLinePairBytes) Slot {
    std::atomic<std::uint64_t> turn{0};
    double payload[kLinePayloadDoubles] = {};
  };
  struct alignas(kLinePairBytes) Mine {
    std::array<Slot, kMostSlots> slots;
    std::uint64_t turn = 0;
  };
  Rank ranks_;
  bool yields_, carries_;
  std::size_t slot_count_;
  std::vector<Mine> slots_;
};

/// Each rank combines its share of all inputs and stores it to all outputs: every input is read
/// once, every output written once, between two bare barriers. `leaders` of them get the result.
class SplitSum final : public Contender {
 public:
  SplitSum(Crew& crew, Rank leaders, Stores stores)
      : crew_(crew), leaders_(leaders), stores_(stores) {}
  std::string name() const override {
    return stores_ == Stores::streaming ? "split sum, streaming" : "split sum";
  }
  void call(Rank rank, const Vectors& vectors) noexcept override {
    crew_.barrier(rank);
    const std::size_t begin = edge(rank, vectors.count);
    const std::size_t count = edge(rank + 1, vectors.count) - begin;
    const void* operands[kMostRanks];
    void* targets[kMostRanks];
    for (Rank other = 0; other < crew_.ranks(); ++other) {
      operands[other] = vectors.inputs[other] + begin;
      targets[other] = vectors.outputs[other] + begin;
    }
    if (count != 0) kSum(operands, crew_.ranks(), targets, leaders_, count, stores_);
    crew_.barrier(rank);
  }
  static constexpr Rank kMostRanks = 256;

 private:
  std::size_t edge(Rank rank, std::size_t count) const {
    return rank == crew_.ranks() ? count : count * rank / crew_.ranks() / 8 * 8;
  }
  Crew& crew_;
  Rank leaders_;
  Stores stores_;
};

/// Each of the first `leaders` ranks reads all inputs whole. Best where a vector is a few lines.
class FullSum final : public Contender {
 public:
  FullSum(Crew& crew, Rank leaders) : crew_(crew), leaders_(leaders) {}
  std::string name() const override { return "full sum"; }
  void call(Rank rank, const Vectors& vectors) noexcept override {
    crew_.barrier(rank);
    if (rank < leaders_) {
      const void* operands[SplitSum::kMostRanks];
      std::copy(vectors.inputs.begin(), vectors.inputs.end(), operands);
      void* target = vectors.outputs[rank];
      kSum(operands, crew_.ranks(), &target, 1, vectors.count, Stores::cached);
    }
    crew_.barrier(rank);
  }

 private:
  Crew& crew_;
  Rank leaders_;
};

/// Every rank copies its input to a shared place and reads all of them: one barrier. More places in
/// turn give the peer's cache time to let go of what it has read.
class CopiedSum final : public Contender {
 public:
  CopiedSum(Crew& crew, std::size_t count, Rank leaders, std::size_t turns)
      : crew_(crew), leaders_(leaders), turns_(turns) {
    for (Rank rank = 0; rank < crew.ranks(); ++rank)
      places_.push_back({std::vector<double>(turns * (count + 16)), 0});
  }
  std::string name() const override { return "copied sum, " + std::to_string(turns_); }
  void call(Rank rank, const Vectors& vectors) noexcept override {
    const std::size_t turn = ++places_[rank].turn % turns_;
    std::memcpy(place(rank, turn), vectors.inputs[rank], vectors.bytes());
    crew_.barrier(rank);
    if (rank >= leaders_) return;
    const void* operands[SplitSum::kMostRanks];
    for (Rank other = 0; other < crew_.ranks(); ++other)
      operands[other] = other == rank ? vectors.inputs[rank] : place(other, turn);
    void* target = vectors.outputs[rank];
    kSum(operands, crew_.ranks(), &target, 1, vectors.count, Stores::cached);
  }

 private:
  struct alignas(kLinePairBytes) Place {
    std::vector<double> values;
    std::uint64_t turn;
  };
  double* place(Rank rank, std::size_t turn) {
    std::vector<double>& values = places_[rank].values;
    return values.data() + values.size() / turns_ * turn;
  }
  Crew& crew_;
  Rank leaders_;
  std::size_t turns_;
  std::vector<Place> places_;
};

/// Every other rank copies the root's vector whole, between two bare barriers.
class DirectCopy final : public Contender {
 public:
  DirectCopy(Crew& crew, Stores stores) : crew_(crew), stores_(stores) {}
  std::string name() const override {
    return stores_ == Stores::streaming ? "copy, streaming" : "copy";
  }
  void call(Rank rank, const Vectors& vectors) noexcept override {
    crew_.barrier(rank);
    void* target = vectors.outputs[rank];
    if (rank != 0) copy_to_all(vectors.inputs[0], &target, 1, vectors.bytes(), stores_);
    crew_.barrier(rank);
  }

 private:
  Crew& crew_;
  Stores stores_;
};

/// Both cores copy half of the root's vector: what two memory pipes can do.
class SplitCopy final : public Contender {
 public:
  explicit SplitCopy(Crew& crew) : crew_(crew) {}
  std::string name() const override { return "split copy"; }
  void call(Rank rank, const Vectors& vectors) noexcept override {
    crew_.barrier(rank);
    const std::size_t begin = vectors.count * rank / crew_.ranks();
    const std::size_t end = vectors.count * (rank + 1) / crew_.ranks();
    std::vector<double*>::const_iterator target = vectors.outputs.begin() + 1;
    for (; target != vectors.outputs.end(); ++target)
      std::memcpy(*target + begin, vectors.inputs[0] + begin, (end - begin) * sizeof(double));
    crew_.barrier(rank);
  }

 private:
  Crew& crew_;
};

/// One way only, as bcast and reduce need it: givers copy to their own place and raise a flag,
/// takers wait for it and read. The flag shares a line with the first values. Two places in turn,
/// since calls are timed one by one between barriers.
class OneWay final : public Contender {
 public:
  OneWay(Rank ranks, Collective collective, std::size_t count)
      : ranks_(ranks), is_bcast_(collective == Collective::bcast), half_(count / 8 * 8 + 16) {
    for (Rank rank = 0; rank < ranks; ++rank) places_.push_back(std::make_unique<Place>(2 * half_));
  }
  std::string name() const override { return "one way"; }
  void call(Rank rank, const Vectors& vectors) noexcept override {
    Place& mine = *places_[rank];
    const std::uint64_t turn = ++mine.turn;
    if ((rank == 0) == is_bcast_) {
      double* slot = mine.values + turn % 2 * half_;
      std::memcpy(slot + 1, vectors.inputs[rank], vectors.bytes());
      flag_of(slot).store(turn,
                          std::memory_order_release);  // pairs with the acquire in `values_of`
    } else if (is_bcast_) {
      std::memcpy(vectors.outputs[rank], values_of(0, turn), vectors.bytes());
    } else {
      const void* operands[kMostRanks];
      operands[0] = vectors.inputs[0];
      for (Rank other = 1; other < ranks_; ++other) operands[other] = values_of(other, turn);
      void* target = vectors.outputs[0];
      kSum(operands, ranks_, &target, 1, vectors.count, Stores::cached);
    }
  }

 private:
  struct Place {
    explicit Place(std::size_t count)
        : values(static_cast<double*>(
              ::operator new(count * sizeof(double), std::align_val_t(kLinePairBytes)))) {
      std::fill_n(values, count, 0.0);
    }
    ~Place() { ::operator delete(values, std::align_val_t(kLinePairBytes)); }
    Place(const Place&) = delete;
    double* values;
    alignas(kLinePairBytes) std::uint64_t turn = 0;
  };
  static std::atomic_ref<std::uint64_t> flag_of(double* slot) {
    return std::atomic_ref<std::uint64_t>(*reinterpret_cast<std::uint64_t*>(slot));
  }
  const double* values_of(Rank rank, std::uint64_t turn) {
    double* slot = places_[rank]->values + turn % 2 * half_;
    // acquire: pairs with the release above.
    while (flag_of(slot).load(std::memory_order_acquire) != turn) {
    }
    return slot + 1;
  }
  static constexpr Rank kMostRanks = 256;
  Rank ranks_;
  bool is_bcast_;
  std::size_t half_;
  std::vector<std::unique_ptr<Place>> places_;
};

constexpr std::size_t kStreamsFrom = 256 << 10;

void add_sums(Contenders& floors, Crew& crew, std::size_t bytes, Rank leaders) {
  floors.push_back(std::make_unique<FullSum>(crew, leaders));
  for (const std::size_t turns : {2u, 8u})
    floors.push_back(std::make_unique<CopiedSum>(crew, bytes / sizeof(double), leaders, turns));
  if (bytes >= 1024) floors.push_back(std::make_unique<SplitSum>(crew, leaders, Stores::cached));
  if (bytes >= kStreamsFrom)
    floors.push_back(std::make_unique<SplitSum>(crew, leaders, Stores::streaming));
}

}  // namespace

Contenders make_floors(Crew& crew, Collective collective, std::size_t bytes) {
  Contenders floors;
  const bool yields = crew.is_oversubscribed();
  const bool is_exchange = yields || collective == Collective::barrier ||
                           (collective == Collective::allreduce && bytes <= 64);
  if (is_exchange) {
    // Which number of slots is best depends on the caches' protocol, so several are floors.
    const bool carries = !yields && collective == Collective::allreduce;
    for (const std::size_t slots : {4u, 16u})
      floors.push_back(std::make_unique<LineExchange>(crew.ranks(), yields, carries, slots));
    return floors;
  }
  if (collective > Collective::allreduce) return make_block_floors(crew, collective, bytes);
  if (collective != Collective::allreduce)
    floors.push_back(std::make_unique<OneWay>(crew.ranks(), collective, bytes / sizeof(double)));
  if (collective == Collective::bcast) {
    floors.push_back(std::make_unique<DirectCopy>(crew, Stores::cached));
    if (bytes >= 1024) floors.push_back(std::make_unique<SplitCopy>(crew));
    if (bytes >= kStreamsFrom)
      floors.push_back(std::make_unique<DirectCopy>(crew, Stores::streaming));
    return floors;
  }
  add_sums(floors, crew, bytes, collective == Collective::allreduce ? crew.ranks() : 1);
  return floors;
}

}  // namespace terrace::bench
