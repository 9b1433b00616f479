// SPDX-License-Identifier: BSD-3-Clause
// Goals and methods:
// - Each block goes along its edge and nowhere else, whatever the graph: random grids, graphs that
//   all know, and distributed ones, with edges that are there several times and edges to oneself;
//   blocks of lengths of their own, without and with gaps, some of them anywhere in memory; calls
//   that block, are started, or persist, among messages and other collectives that are in progress;
//   ranks complete what they have started in orders of their own. Every byte of the buffers is
//   compared with a model of the graph.
// - A rank that has started a call of short blocks owes its neighbours nothing more: it leaves MPI
//   until the other one has got them.
// - A giver that runs ahead overwrites nothing that a slow taker has still to get: along a single
//   edge, blocks of all lengths, and a taker that dawdles now and then.
// - A block that is longer than its place is an error of its taker, and is cut, wherever its giver
//   leaves it.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "unit/seeds.hpp"
#include "unit/threadranks/ranks.hpp"

namespace {

using terrace::for_seeds;
using terrace::testing_ranks::class_of;
using terrace::testing_ranks::run_ranks;

using Random = std::mt19937_64;

int below(Random& random, int end) {
  return static_cast<int>(random() % static_cast<unsigned>(end));
}

std::size_t index(int number) {
  return static_cast<std::size_t>(number);
}

constexpr int kNobody = -1;

/// The block that a rank takes: which of whose.
struct Taken {
  int giver = kNobody;
  int number = 0;
};

/// A graph as its model knows it.
struct Graph {
  std::vector<std::vector<Taken>> sources;  ///< by rank
  std::vector<std::vector<int>> targets;
};

/// Matches edges between the same two ranks in the order of both lists.
Graph matched(const std::vector<std::vector<int>>& givers,
              const std::vector<std::vector<int>>& targets) {
  Graph graph{{}, targets};
  for (std::size_t taker = 0; taker < givers.size(); ++taker) {
    std::vector<Taken>& sources = graph.sources.emplace_back();
    std::vector<int> next(givers.size(), 0);
    for (const int giver : givers[taker]) {
      int& number = next[index(giver)];
      while (targets[index(giver)][index(number)] != static_cast<int>(taker)) ++number;
      sources.push_back({giver, number++});
    }
  }
  return graph;
}

/// A communicator of all ranks with a topology; the caller frees it.
struct World {
  MPI_Comm comm = MPI_COMM_NULL;
  Graph graph;
};

World distributed_graph(Random& random, int ranks, int rank) {
  std::vector<std::vector<int>> givers(index(ranks)), targets(index(ranks));
  for (int edge = below(random, 3 * ranks + 1); edge > 0; --edge) {
    const int from = below(random, ranks), to = below(random, ranks);
    for (int copies = 1 + below(random, 4) / 3; copies > 0; --copies) {
      givers[index(to)].push_back(from);
      targets[index(from)].push_back(to);
    }
  }
  for (auto* lists : {&givers, &targets})
    for (auto& list : *lists) std::shuffle(list.begin(), list.end(), random);
  World world{MPI_COMM_NULL, matched(givers, targets)};
  const auto &in = givers[index(rank)], &out = targets[index(rank)];
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, static_cast<int>(in.size()), in.data(),
                                 MPI_UNWEIGHTED, static_cast<int>(out.size()), out.data(),
                                 MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &world.comm);
  return world;
}

/// Its edges go both ways, as neighbourhood collectives need it.
World known_graph(Random& random, int ranks) {
  std::vector<std::vector<int>> lists(index(ranks));
  for (int edge = below(random, 2 * ranks + 1); edge > 0; --edge) {
    const int one = below(random, ranks), other = below(random, ranks);
    lists[index(one)].push_back(other);
    if (one != other) lists[index(other)].push_back(one);
  }
  std::vector<int> ends, edges;
  for (const auto& list : lists) {
    edges.insert(edges.end(), list.begin(), list.end());
    ends.push_back(static_cast<int>(edges.size()));
  }
  World world{MPI_COMM_NULL, matched(lists, lists)};
  MPI_Graph_create(MPI_COMM_WORLD, ranks, ends.data(), edges.data(), 0, &world.comm);
  return world;
}

/// In each dimension a rank's first block goes down and its second up, so its first place is for
/// what comes up from below.
World grid(Random& random, int ranks) {
  const int columns = ranks % 2 == 0 && below(random, 2) == 0 ? 2 : 1;
  const int sizes[] = {ranks / columns, columns}, dimensions = columns == 1 ? 1 : 2;
  const int periods[] = {below(random, 3) != 0, below(random, 2)};
  World world;
  for (int rank = 0; rank < ranks; ++rank) {
    std::vector<Taken>& sources = world.graph.sources.emplace_back();
    for (int i = 0; i < dimensions; ++i)
      for (const int step : {-1, 1}) {
        int place[] = {rank / columns, rank % columns};
        place[i] += step;
        const bool is_outside = place[i] < 0 || place[i] >= sizes[i];
        place[i] = (place[i] + sizes[i]) % sizes[i];
        const int peer = place[0] * columns + place[1];
        sources.push_back({is_outside && !periods[i] ? kNobody : peer, 2 * i + (step < 0 ? 1 : 0)});
      }
    world.graph.targets.emplace_back(index(2 * dimensions), kNobody);  // only their number counts
  }
  MPI_Cart_create(MPI_COMM_WORLD, dimensions, sizes, periods, 0, &world.comm);
  return world;
}

World any_world(Random& random, int ranks, int rank) {
  World world;
  switch (below(random, 4)) {
    case 0:
      world = grid(random, ranks);
      break;
    case 1:
      world = known_graph(random, ranks);
      break;
    default:
      world = distributed_graph(random, ranks, rank);
  }
  if (below(random, 3) == 0) {
    MPI_Comm copy;
    MPI_Comm_dup(world.comm, &copy);
    MPI_Comm_free(&world.comm);
    world.comm = copy;
  }
  return world;
}

/// Lengths that are carried by a line, bounced, and taken from where they are.
int any_length(Random& random) {
  constexpr int kEnds[] = {3, 14, 60, 300, 2000, 30000};
  return below(random, kEnds[below(random, 6)]);
}

enum class Kind { allgather, allgatherv, alltoall, alltoallv, alltoallw };
enum class Mode { blocking, started, persistent };

bool has_one_block(Kind kind) {
  return kind == Kind::allgather || kind == Kind::allgatherv;
}

/// One side of a rank's call: blocks of ints, one after the other, with an int between any two
/// where their places can be told, and a gap behind each int in some.
class Side {
 public:
  Side(Random& own, std::vector<int> lengths, bool has_places, bool may_be_anywhere)
      : lengths_(std::move(lengths)), stride_(1 + below(own, 2)) {
    int end = 0;
    for (const int length : lengths_) {
      starts_.push_back(end);
      end += length + (has_places ? 1 : 0);
    }
    ints_.assign(index(stride_ * end + 1), 0);
    MPI_Type_create_resized(MPI_INT, 0, stride_ * static_cast<int>(sizeof(int)), &type_);
    MPI_Type_commit(&type_);
    is_anywhere_ = may_be_anywhere && below(own, 2) == 0;
    MPI_Aint begin = 0;
    if (is_anywhere_) MPI_Get_address(ints_.data(), &begin);
    for (const int start : starts_)
      places_.push_back(begin + start * stride_ * static_cast<int>(sizeof(int)));
    types_.assign(lengths_.size() + 1, type_);  // no null array where there are no blocks
  }
  ~Side() { free_type(); }
  Side(const Side&) = delete;
  Side& operator=(const Side&) = delete;

  void free_type() {
    if (type_ != MPI_DATATYPE_NULL) MPI_Type_free(&type_);
  }
  void clear(int value) { std::fill(ints_.begin(), ints_.end(), value); }
  template <class Value>
  void fill(std::size_t block, Value value) {
    for (int i = 0; i < lengths_[block]; ++i)
      ints_[index((starts_[block] + i) * stride_)] = value(i);
  }
  const std::vector<int>& ints() const { return ints_; }

  /// Its type, or int where that is the same.
  MPI_Datatype type() const { return stride_ == 1 ? MPI_INT : type_; }
  const MPI_Datatype* types() const { return types_.data(); }
  void* buffer() { return is_anywhere_ ? MPI_BOTTOM : ints_.data(); }
  int first_length() const { return lengths_.empty() ? 0 : lengths_.front(); }
  const int* lengths() const { return lengths_.data(); }
  const int* starts() const { return starts_.data(); }
  const MPI_Aint* places() const { return places_.data(); }

 private:
  std::vector<int> lengths_, starts_, ints_;
  std::vector<MPI_Aint> places_;
  std::vector<MPI_Datatype> types_;
  int stride_;
  bool is_anywhere_ = false;
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

/// What all ranks draw alike of a call.
struct Terms {
  Terms(Random& shared, const Graph& graph)
      : kind(static_cast<Kind>(below(shared, 5))), number(static_cast<int>(shared() % 100000)) {
    const bool is_even = kind == Kind::allgather || kind == Kind::alltoall;
    const int one_for_all = any_length(shared);
    for (const auto& targets : graph.targets) {
      const int one = any_length(shared);
      std::vector<int>& own = lengths.emplace_back();
      for (std::size_t i = 0; i < targets.size(); ++i) {
        const int other = any_length(shared);
        own.push_back(is_even ? one_for_all : has_one_block(kind) ? one : other);
      }
    }
  }
  Kind kind;
  int number;
  std::vector<std::vector<int>> lengths;  ///< of each rank's blocks
};

/// One rank's part of a neighbourhood collective.
class Exchange {
 public:
  Exchange(Random& own, const Terms& terms, const World& world, int rank)
      : terms_(terms),
        world_(world),
        rank_(rank),
        given_(own, given_lengths(), has_given_places(), terms.kind == Kind::alltoallw),
        taken_(own, taken_lengths(own), has_taken_places(), terms.kind == Kind::alltoallw) {}

  void make() {
    prepare(0);
    call([&](auto blocking, auto, auto, auto... arguments) {
      EXPECT_EQ(blocking(arguments..., world_.comm), MPI_SUCCESS);
    });
    compare();
  }
  void start(MPI_Request* request) {
    prepare(0);
    call([&](auto, auto nonblocking, auto, auto... arguments) {
      EXPECT_EQ(nonblocking(arguments..., world_.comm, request), MPI_SUCCESS);
    });
    given_.free_type();
    taken_.free_type();
  }
  void init(MPI_Request* request) {
    call([&](auto, auto, auto persistent, auto... arguments) {
      EXPECT_EQ(persistent(arguments..., world_.comm, MPI_INFO_NULL, request), MPI_SUCCESS);
    });
  }
  /// Before a call of that round, which shows in its values.
  void prepare(int round) {
    round_ = round;
    given_.clear(-3);
    taken_.clear(kUntouched);
    const std::size_t blocks = given_lengths().size();
    for (std::size_t block = 0; block < blocks; ++block)
      given_.fill(block, [&](int i) { return value(rank_, static_cast<int>(block), i); });
  }
  void compare() {
    std::vector<int> got = taken_.ints();
    taken_.clear(kUntouched);
    for (std::size_t place = 0; place < sources().size(); ++place) {
      const Taken& source = sources()[place];
      if (source.giver == kNobody) continue;
      const int number = has_one_block(terms_.kind) ? 0 : source.number;
      const int length = terms_.lengths[index(source.giver)][index(source.number)];
      taken_.fill(place, [&](int i) {
        return i < length ? value(source.giver, number, i) : int{kUntouched};
      });
    }
    EXPECT_TRUE(got == taken_.ints())
        << "rank " << rank_ << ", kind " << static_cast<int>(terms_.kind);
  }

 private:
  static constexpr int kUntouched = -7;

  int value(int giver, int block, int i) const {
    return terms_.number + 1000 * round_ + 100000 * giver + 17 * block + 3 * i;
  }
  const std::vector<Taken>& sources() const { return world_.graph.sources[index(rank_)]; }
  bool has_given_places() const {
    return terms_.kind == Kind::alltoallv || terms_.kind == Kind::alltoallw;
  }
  bool has_taken_places() const {
    return terms_.kind != Kind::allgather && terms_.kind != Kind::alltoall;
  }
  std::vector<int> given_lengths() const {
    std::vector<int> all = terms_.lengths[index(rank_)];
    if (has_one_block(terms_.kind) && all.size() > 1) all.resize(1);
    return all;
  }
  /// Some places are longer than what comes.
  std::vector<int> taken_lengths(Random& own) const {
    std::vector<int> all;
    for (const Taken& source : sources()) {
      const int more = has_taken_places() ? below(own, 3) / 2 : 0;
      all.push_back(source.giver == kNobody
                        ? even_length()
                        : terms_.lengths[index(source.giver)][index(source.number)] + more);
    }
    return all;
  }
  int even_length() const { return has_taken_places() ? 2 : terms_.lengths[index(rank_)].front(); }

  /// Calls `with` with the three functions of the kind, and the arguments that they share.
  template <class With>
  void call(const With& with) {
    switch (terms_.kind) {
      case Kind::allgather:
        return with(MPI_Neighbor_allgather, MPI_Ineighbor_allgather, MPI_Neighbor_allgather_init,
                    given_.buffer(), given_.first_length(), given_.type(), taken_.buffer(),
                    taken_.first_length(), taken_.type());
      case Kind::allgatherv:
        return with(MPI_Neighbor_allgatherv, MPI_Ineighbor_allgatherv, MPI_Neighbor_allgatherv_init,
                    given_.buffer(), given_.first_length(), given_.type(), taken_.buffer(),
                    taken_.lengths(), taken_.starts(), taken_.type());
      case Kind::alltoall:
        return with(MPI_Neighbor_alltoall, MPI_Ineighbor_alltoall, MPI_Neighbor_alltoall_init,
                    given_.buffer(), given_.first_length(), given_.type(), taken_.buffer(),
                    taken_.first_length(), taken_.type());
      case Kind::alltoallv:
        return with(MPI_Neighbor_alltoallv, MPI_Ineighbor_alltoallv, MPI_Neighbor_alltoallv_init,
                    given_.buffer(), given_.lengths(), given_.starts(), given_.type(),
                    taken_.buffer(), taken_.lengths(), taken_.starts(), taken_.type());
      case Kind::alltoallw:
        return with(MPI_Neighbor_alltoallw, MPI_Ineighbor_alltoallw, MPI_Neighbor_alltoallw_init,
                    given_.buffer(), given_.lengths(), given_.places(), given_.types(),
                    taken_.buffer(), taken_.lengths(), taken_.places(), taken_.types());
    }
  }

  const Terms terms_;
  const World& world_;
  int rank_;
  int round_ = 0;
  Side given_, taken_;
};

/// Something in progress.
class Pending {
 public:
  virtual ~Pending() = default;
  /// Once its request is over.
  virtual void check() = 0;
  MPI_Request request = MPI_REQUEST_NULL;
};

struct PendingExchange final : Pending {
  PendingExchange(Random& own, const Terms& terms, const World& world, int rank)
      : exchange(own, terms, world, rank) {
    exchange.start(&request);
  }
  void check() override { exchange.compare(); }
  Exchange exchange;
};

struct PendingSum final : Pending {
  PendingSum(MPI_Comm comm, int number, int ranks, int rank)
      : given(number + rank), wanted(number * ranks + ranks * (ranks - 1) / 2) {
    MPI_Iallreduce(&given, &sum, 1, MPI_INT, MPI_SUM, comm, &request);
  }
  void check() override { EXPECT_EQ(sum, wanted); }
  int given, wanted, sum = -1;
};

/// A message from below, which completes with the one that goes up.
struct PendingMessage final : Pending {
  PendingMessage(MPI_Comm comm, int number, int ranks, int rank) : sent(number + rank) {
    const int below = (rank + ranks - 1) % ranks;
    wanted = number + below;
    MPI_Irecv(&got, 1, MPI_INT, below, 3, comm, &request);
    MPI_Isend(&sent, 1, MPI_INT, (rank + 1) % ranks, 3, comm, &sending);
  }
  ~PendingMessage() override { MPI_Wait(&sending, MPI_STATUS_IGNORE); }
  void check() override { EXPECT_EQ(got, wanted); }
  MPI_Request sending = MPI_REQUEST_NULL;
  int sent, wanted, got = -1;
};

/// A persistent exchange, which is started again and again.
struct Persistent {
  Persistent(Random& own, const Terms& terms, const World& world, int rank)
      : exchange(own, terms, world, rank) {
    exchange.init(&request);
  }
  ~Persistent() { MPI_Request_free(&request); }
  void start() {
    exchange.prepare(++rounds);
    MPI_Start(&request);
    is_active = true;
  }
  void complete() {
    if (!std::exchange(is_active, false)) return;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    exchange.compare();
  }
  Exchange exchange;
  MPI_Request request = MPI_REQUEST_NULL;
  int rounds = 0;
  bool is_active = false;
};

/// The random program of one rank. What all must do alike comes from `shared`.
class RankProgram {
 public:
  RankProgram(std::uint64_t seed, int ranks, int rank)
      : shared_(seed),
        own_(seed * 1000 + static_cast<unsigned>(rank)),
        ranks_(ranks),
        rank_(rank),
        world_(any_world(shared_, ranks, rank)) {}
  void run() {
    for (int i = 0; i < 2; ++i) add_persistent();
    for (int step = 0; step < 24; ++step) {
      take_step();
      while (pending_.size() > 9 || (!pending_.empty() && below(own_, 4) == 0)) complete_any();
    }
    while (!pending_.empty()) complete_any();
    for (const auto& one : persistent_) one->complete();
    persistent_.clear();
    MPI_Comm_free(&world_.comm);
  }

 private:
  void add_persistent() {
    const Terms terms(shared_, world_.graph);
    persistent_.push_back(std::make_unique<Persistent>(own_, terms, world_, rank_));
  }
  void take_step() {
    const int number = below(shared_, 1000);
    switch (below(shared_, 9)) {
      case 0:
      case 1:
        return Exchange(own_, Terms(shared_, world_.graph), world_, rank_).make();
      case 2:
      case 3:
      case 4: {
        const Terms terms(shared_, world_.graph);
        pending_.push_back(std::make_unique<PendingExchange>(own_, terms, world_, rank_));
        return;
      }
      case 5: {
        // In which order they are started is each rank's own matter.
        const std::size_t first = index(below(own_, 2));
        for (const std::size_t which : {first, 1 - first}) {
          persistent_[which]->complete();
          persistent_[which]->start();
        }
        return;
      }
      case 6: {
        // By the team that blocking exchanges have.
        const std::vector<int> given(index(1 + any_length(shared_)), rank_ + number);
        std::vector<int> sum(given.size());
        MPI_Allreduce(given.data(), sum.data(), static_cast<int>(given.size()), MPI_INT, MPI_SUM,
                      world_.comm);
        EXPECT_EQ(sum.back(), number * ranks_ + ranks_ * (ranks_ - 1) / 2);
        return;
      }
      case 7:
        pending_.push_back(std::make_unique<PendingSum>(world_.comm, number, ranks_, rank_));
        return;
      default:
        pending_.push_back(std::make_unique<PendingMessage>(world_.comm, number, ranks_, rank_));
    }
  }
  void complete_any() {
    const auto one = pending_.begin() + below(own_, static_cast<int>(pending_.size()));
    if (below(own_, 2) == 0) {
      MPI_Wait(&(*one)->request, MPI_STATUS_IGNORE);
    } else {
      for (int is_over = 0; is_over == 0;) MPI_Test(&(*one)->request, &is_over, MPI_STATUS_IGNORE);
    }
    (*one)->check();
    pending_.erase(one);
  }

  Random shared_, own_;
  int ranks_, rank_;
  World world_;
  std::vector<std::unique_ptr<Persistent>> persistent_;
  std::vector<std::unique_ptr<Pending>> pending_;
};

TEST(RandomNeighbours, get_the_blocks_of_their_edges) {
  for_seeds(150, [](std::uint64_t seed) {
    SCOPED_TRACE("TERRACE_SEED=" + std::to_string(seed));
    const int ranks = 1 + static_cast<int>(seed % 5);
    run_ranks(ranks, [&](int rank) { RankProgram(seed, ranks, rank).run(); });
  });
}

TEST(RandomNeighbours, are_not_held_up_by_a_rank_that_has_started) {
  if (terrace::testing_ranks::test_workers() > 0 || terrace::testing_ranks::test_processes() > 1)
    GTEST_SKIP() << "a fibre that leaves MPI keeps its core, and messages need both sides";
  constexpr int kFoundingRounds = 8;  // until all lanes have had a call, for which both must come
  std::atomic<int> completed{0};
  run_ranks(2, [&](int rank) {
    const int size = 2, periodic = 1;
    MPI_Comm ring;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring);
    for (int round = 0; round < 40; ++round) {
      const int length = round % 2 == 0 ? 2 : 100;  // carried by a line, and bounced
      const std::vector<int> given(index(2 * length), 10 * round + rank);
      std::vector<int> got(given.size());
      MPI_Request request;
      MPI_Ineighbor_alltoall(given.data(), length, MPI_INT, got.data(), length, MPI_INT, ring,
                             &request);
      // acquire and release: each pairs with the other rank's, which orders nothing but the rounds.
      const bool leaves = round >= kFoundingRounds && round / 2 % 2 == rank;
      while (leaves && completed.load(std::memory_order_acquire) <= round)
        std::this_thread::yield();
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      if (!leaves) completed.store(round + 1, std::memory_order_release);
      EXPECT_EQ(got, std::vector<int>(given.size(), 10 * round + 1 - rank));
    }
    MPI_Comm_free(&ring);
  });
}

TEST(RandomNeighbours, take_their_time_while_givers_run_ahead) {
  run_ranks(2, [](int rank) {
    const int peer = 1 - rank;
    MPI_Comm edge;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, rank, &peer, MPI_UNWEIGHTED, peer, &peer,
                                   MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &edge);
    Random random(7);
    for (int call = 0; call < 600; ++call) {
      const int length = call % 3 == 0 ? 60 + below(random, 190) : 1 + below(random, 250);
      std::vector<int> values(index(length), rank == 0 ? call : -1);
      if (rank == 1 && call % 100 < 4) std::this_thread::sleep_for(std::chrono::milliseconds(2));
      MPI_Neighbor_alltoall(values.data(), length, MPI_INT, values.data(), length, MPI_INT, edge);
      EXPECT_EQ(values, std::vector<int>(index(length), call));
    }
    MPI_Comm_free(&edge);
  });
}

/// One block for each neighbour in a ring, of which the first place is too short.
void cut_first_blocks(MPI_Comm ring, Mode mode, int length) {
  const int given[] = {length, length}, starts[] = {0, length}, wanted[] = {length - 1, length};
  std::vector<int> out(index(2 * length)), in(index(2 * length), -7);
  std::iota(out.begin(), out.end(), 0);
  MPI_Request request = MPI_REQUEST_NULL;
  int error = MPI_SUCCESS;
  if (mode == Mode::blocking) {
    error = MPI_Neighbor_alltoallv(out.data(), given, starts, MPI_INT, in.data(), wanted, starts,
                                   MPI_INT, ring);
  } else if (mode == Mode::started) {
    MPI_Ineighbor_alltoallv(out.data(), given, starts, MPI_INT, in.data(), wanted, starts, MPI_INT,
                            ring, &request);
    error = MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else {
    MPI_Neighbor_alltoallv_init(out.data(), given, starts, MPI_INT, in.data(), wanted, starts,
                                MPI_INT, ring, MPI_INFO_NULL, &request);
    for (int round = 0; round < 3; ++round) {
      MPI_Start(&request);
      error = MPI_Wait(&request, MPI_STATUS_IGNORE);
      EXPECT_EQ(class_of(error), MPI_ERR_TRUNCATE) << round;
    }
    MPI_Request_free(&request);
  }
  EXPECT_EQ(class_of(error), MPI_ERR_TRUNCATE) << length;
  EXPECT_EQ(in[index(length) - 1], -7) << length;  // beyond its place
  EXPECT_EQ(in[index(length)], 0) << length;       // the other block has come
}

TEST(RandomNeighbours, whose_blocks_are_too_long_are_told) {
  for (const int ranks : {1, 2, 3})
    run_ranks(ranks, [&](int) {
      const int periodic = 1;
      MPI_Comm ring;
      MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, &periodic, 0, &ring);
      MPI_Comm_set_errhandler(ring, MPI_ERRORS_RETURN);
      for (const int length : {2, 40, 3000})
        for (const Mode mode : {Mode::blocking, Mode::started, Mode::persistent})
          for (int again = 0; again < 6; ++again) cut_first_blocks(ring, mode, length);
      MPI_Comm_free(&ring);
    });
}

}  // namespace
