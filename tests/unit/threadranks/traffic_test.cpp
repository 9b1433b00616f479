// SPDX-License-Identifier: BSD-3-Clause
// Random programs of messages and collectives, against a model that knows what each must bring.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <random>
#include <string>

#include "terrace/ownership.h"
#include "unit/seeds.hpp"
#include "unit/threadranks/ranks.hpp"

using terrace::testing_ranks::run_ranks;

namespace {

using Random = std::mt19937_64;

int below(Random& random, int end) {
  return static_cast<int>(random() % static_cast<unsigned>(end));
}

/// What all ranks do next.
enum class Act { exchange, storm, cancel, collective, nonblocking, split, free_one, finish_some };

/// Words that no other rank brings in that step.
std::uint64_t word(int step, int rank, int i) {
  return static_cast<std::uint64_t>(step) * 1'000'003 + static_cast<std::uint64_t>(rank) * 1009 +
         static_cast<std::uint64_t>(i);
}

std::vector<std::uint64_t> words_of(int step, int rank, int count) {
  std::vector<std::uint64_t> words(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) words[static_cast<std::size_t>(i)] = word(step, rank, i);
  return words;
}

/// As MPI_Send, in memory that is the receiver's from then on.
int give_words(const void* words, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(std::uint64_t);
  void* memory = nullptr;
  MPI_Alloc_mem(static_cast<MPI_Aint>(bytes), MPI_INFO_NULL, &memory);
  std::memcpy(memory, words, bytes);
  return MPIX_Give(&memory, count, type, to, tag, comm);
}

/// A communicator, and which ranks of the job its members are, in order. Each rank has as many, but
/// what is behind a number differs.
struct Room {
  MPI_Comm comm;
  std::vector<int> members;
  int rank;  ///< this one's
};

/// A nonblocking collective or message that is not finished, and what it must bring.
struct Pending {
  MPI_Request request = MPI_REQUEST_NULL;
  std::vector<std::uint64_t> out, in, expected;
  int step = 0;
};

class Player {
 public:
  Player(std::uint64_t seed, int rank, int ranks)
      : random_(seed), own_(seed * 7919 + static_cast<unsigned>(rank)), rank_(rank) {
    std::vector<int> all(static_cast<std::size_t>(ranks));
    for (int i = 0; i < ranks; ++i) all[static_cast<std::size_t>(i)] = i;
    rooms_.push_back({MPI_COMM_WORLD, all, rank});
  }

  /// "" if all came as the model says.
  std::string play(int steps) {
    for (step_ = 1; step_ <= steps && complaint_.empty(); ++step_) act();
    finish(0);
    while (rooms_.size() > 1) leave(rooms_.size() - 1);
    return complaint_;
  }

 private:
  /// Every rank draws the same numbers, whether it is a member of what they are about or not.
  void act() {
    const auto chosen = static_cast<Act>(below(random_, 8));
    const int at = below(random_, 1 << 20), length = draw_length(), kind = below(random_, 5);
    const int root = below(random_, 1 << 20);
    Room& room = rooms_[static_cast<std::size_t>(at) % rooms_.size()];
    switch (chosen) {
      case Act::exchange:
        return exchange(room, length, root);
      case Act::storm:
        return storm(room, length);
      case Act::cancel:
        return cancel(room);
      case Act::collective:
        return collective(room, kind, length, root, false);
      case Act::nonblocking:
        return collective(room, kind, length, root, true);
      case Act::split:
        return split(kind);
      case Act::free_one:
        if (rooms_.size() > 1) leave(rooms_.size() - 1);
        return;
      case Act::finish_some:
        return finish(pending_.size() / 2);
    }
  }

  int draw_length() {
    const int lengths[] = {0, 1, 5, 12, 13, 100, 700, 1100, 4000, 40'000, 150'000};
    const int drawn = below(random_, 22);
    return drawn < 11 ? lengths[drawn] : lengths[drawn % 7];
  }

  void complain(const std::string& what) {
    if (complaint_.empty())
      complaint_ =
          "step " + std::to_string(step_) + ", rank " + std::to_string(rank_) + ": " + what;
  }

  void compare(const std::vector<std::uint64_t>& got, const std::vector<std::uint64_t>& expected,
               const std::string& what) {
    if (got != expected) complain(what + " brought something else");
  }

  static int size_of(const Room& room) { return static_cast<int>(room.members.size()); }

  /// Each to the next but some in a ring, blocking or not, as each rank likes.
  void exchange(Room& room, int length, int distance) {
    const int ranks = size_of(room), far = distance % ranks;
    const int to = (room.rank + far) % ranks, from = (room.rank + ranks - far) % ranks;
    Pending one;
    one.step = step_;
    one.out = words_of(step_, room.rank, length);
    one.expected = words_of(step_, from, length);
    one.in.resize(one.expected.size());
    const int source = below(own_, 2) ? MPI_ANY_SOURCE : from;  // the tag is this step's own
    if (below(own_, 2)) {
      MPI_Status status;
      MPI_Sendrecv(one.out.data(), length, MPI_UINT64_T, to, step_, one.in.data(), length,
                   MPI_UINT64_T, source, step_, room.comm, &status);
      if (status.MPI_SOURCE != from || status.MPI_TAG != step_) complain("another envelope");
      return compare(one.in, one.expected, "an exchange");
    }
    Pending sent;
    sent.step = step_;
    sent.out = std::move(one.out);
    keep(std::move(one), [&](Pending& kept) {
      MPI_Irecv(kept.in.data(), length, MPI_UINT64_T, source, step_, room.comm, &kept.request);
    });
    keep(std::move(sent), [&](Pending& kept) {
      const auto send = below(own_, 3) ? MPI_Isend : MPI_Issend;
      send(kept.out.data(), length, MPI_UINT64_T, to, step_, room.comm, &kept.request);
    });
  }

  /// Everybody to the first of the room, which takes them as they come, found by probes or not;
  /// those of one sender must come in their order.
  void storm(Room& room, int length) {
    constexpr int kEach = 6;
    const int ranks = size_of(room), count = std::min(length, 2000) + 1;
    if (room.rank != 0) {
      for (int i = 0; i < kEach; ++i) {
        const auto words = words_of(step_ + i, room.rank, count);
        const auto send =
            std::array{MPI_Send, MPI_Ssend, give_words}[static_cast<std::size_t>(below(own_, 3))];
        send(words.data(), count, MPI_UINT64_T, 0, step_, room.comm);
      }
      return;
    }
    std::vector<int> next(static_cast<std::size_t>(ranks));
    for (int i = 0; i < kEach * (ranks - 1); ++i) {
      std::vector<std::uint64_t> in(static_cast<std::size_t>(count));
      MPI_Status status;
      if (const int way = below(own_, 3); way == 0) {
        std::uint64_t* taken = nullptr;
        MPIX_Take(&taken, count, MPI_UINT64_T, MPI_ANY_SOURCE, step_, room.comm, &status);
        std::copy_n(taken, count, in.begin());
        MPI_Free_mem(taken);
      } else if (way == 1) {
        MPI_Message message;
        MPI_Mprobe(MPI_ANY_SOURCE, step_, room.comm, &message, &status);
        MPI_Mrecv(in.data(), count, MPI_UINT64_T, &message, &status);
      } else {
        // Where nothing older is on its way, the next message of one sender has this step's tag.
        const int one = 1 + below(own_, ranks - 1);
        const bool any_tag = pending_.empty() && next[static_cast<std::size_t>(one)] < kEach;
        MPI_Recv(in.data(), count, MPI_UINT64_T, any_tag ? one : MPI_ANY_SOURCE,
                 any_tag ? MPI_ANY_TAG : step_, room.comm, &status);
        if (status.MPI_TAG != step_) complain("a message of another step");
      }
      int& turn = next[static_cast<std::size_t>(status.MPI_SOURCE)];
      compare(in, words_of(step_ + turn++, status.MPI_SOURCE, count), "a message of many");
    }
  }

  /// A receive without a sender, and a send that is taken or cancelled: its receiver is told
  /// which by a message behind it.
  void cancel(Room& room) {
    const int ranks = size_of(room);
    std::uint64_t never = 0;
    int flag = 0;
    MPI_Request request;
    MPI_Status status;
    MPI_Irecv(&never, 1, MPI_UINT64_T, MPI_ANY_SOURCE, 30'000 + step_, room.comm, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &flag);
    if (!flag) complain("a receive of nothing was not cancelled");
    if (ranks < 2 || room.rank > 1) return;
    const auto words = words_of(step_, 0, 3000);
    if (room.rank == 0) {
      MPI_Isend(words.data(), 3000, MPI_UINT64_T, 1, step_, room.comm, &request);
      for (int looks = below(own_, 3); looks > 0; --looks) MPI_Test(&request, &flag, &status);
      flag = 0;
      if (request != MPI_REQUEST_NULL) {
        MPI_Cancel(&request);
        MPI_Wait(&request, &status);
        MPI_Test_cancelled(&status, &flag);
      }
      MPI_Send(&flag, 1, MPI_INT, 1, 15'000 + step_, room.comm);
      return;
    }
    std::vector<std::uint64_t> in(3000);
    MPI_Irecv(in.data(), 3000, MPI_UINT64_T, 0, step_, room.comm, &request);
    MPI_Recv(&flag, 1, MPI_INT, 0, 15'000 + step_, room.comm, MPI_STATUS_IGNORE);
    if (flag) MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    if (!flag) compare(in, words, "a send that was not cancelled");
  }

  void collective(Room& room, int kind, int length, int drawn_root, bool is_begun) {
    const int ranks = size_of(room), root = drawn_root % ranks;
    const int count = kind >= 3 ? std::min(length, 4000) : length;
    const auto all = static_cast<std::size_t>(count) * static_cast<std::size_t>(ranks);
    Pending one;
    one.step = step_;
    one.out = words_of(step_, room.rank, kind == 4 ? static_cast<int>(all) : count);
    one.in.resize(kind >= 3 ? all : static_cast<std::size_t>(count));
    one.expected = one.in;
    if (kind == 1 && room.rank == root) one.in = one.out;
    for (std::size_t i = 0; i < one.expected.size(); ++i)
      one.expected[i] = expected_word(kind, room, root, count, static_cast<int>(i));
    if (kind == 2 && room.rank != root) one.expected.clear();
    const auto make = [&](Pending& to) { call(room, kind, count, root, is_begun, to); };
    if (is_begun) return keep(std::move(one), make);
    make(one);
    if (kind == 2 && room.rank != root) one.in.clear();
    compare(one.in, one.expected, "a collective of kind " + std::to_string(kind));
  }

  std::uint64_t expected_word(int kind, const Room& room, int root, int count, int i) const {
    const int ranks = size_of(room);
    std::uint64_t sum = 0;
    if (kind == 1) return word(step_, root, i);
    if (kind == 3) return word(step_, i / count, i % count);
    if (kind == 4) return word(step_, i / count, room.rank * count + i % count);
    for (int other = 0; other < ranks; ++other) sum += word(step_, other, i);
    return sum;
  }

  static void call(const Room& room, int kind, int count, int root, bool is_begun, Pending& to) {
    auto* const out = to.out.data();
    auto* const in = to.in.data();
    const MPI_Datatype type = MPI_UINT64_T;
    MPI_Request* const request = &to.request;
    switch (kind) {
      case 0:
        is_begun ? MPI_Iallreduce(out, in, count, type, MPI_SUM, room.comm, request)
                 : MPI_Allreduce(out, in, count, type, MPI_SUM, room.comm);
        return;
      case 1:
        is_begun ? MPI_Ibcast(in, count, type, root, room.comm, request)
                 : MPI_Bcast(in, count, type, root, room.comm);
        return;
      case 2:
        is_begun ? MPI_Ireduce(out, in, count, type, MPI_SUM, root, room.comm, request)
                 : MPI_Reduce(out, in, count, type, MPI_SUM, root, room.comm);
        return;
      case 3:
        is_begun ? MPI_Iallgather(out, count, type, in, count, type, room.comm, request)
                 : MPI_Allgather(out, count, type, in, count, type, room.comm);
        return;
      default:
        is_begun ? MPI_Ialltoall(out, count, type, in, count, type, room.comm, request)
                 : MPI_Alltoall(out, count, type, in, count, type, room.comm);
    }
  }

  template <class Begin>
  void keep(Pending one, Begin&& begin) {
    pending_.push_back(std::move(one));
    begin(pending_.back());
  }

  /// Until no more are left, from the first on or as they come.
  void finish(std::size_t left) {
    std::vector<MPI_Request> requests;
    while (pending_.size() > left) {
      requests.clear();
      for (const Pending& one : pending_) requests.push_back(one.request);
      int found = 0;
      const auto all = static_cast<int>(requests.size());
      if (below(own_, 2))
        MPI_Waitany(all, requests.data(), &found, MPI_STATUS_IGNORE);
      else
        MPI_Wait(requests.data(), MPI_STATUS_IGNORE);
      const Pending& one = pending_[static_cast<std::size_t>(found)];
      if (!one.expected.empty())
        compare(one.in, one.expected, "what was begun in step " + std::to_string(one.step));
      pending_.erase(pending_.begin() + found);
    }
  }

  /// Of all ranks: one room or two, in the order of ranks or backward, or the same once more.
  void split(int kind) {
    if (rooms_.size() > 4) return;
    Room made{MPI_COMM_NULL, {}, 0};
    const int ranks = size_of(rooms_[0]), colors = kind == 0 ? 1 : 2;
    const bool is_backward = kind == 2;
    if (kind == 4)
      MPI_Comm_dup(MPI_COMM_WORLD, &made.comm);
    else
      MPI_Comm_split(MPI_COMM_WORLD, rank_ % colors, is_backward ? -rank_ : rank_, &made.comm);
    for (int other = 0; other < ranks; ++other)
      if (kind == 4 || other % colors == rank_ % colors) made.members.push_back(other);
    if (is_backward) std::reverse(made.members.begin(), made.members.end());
    const auto found = std::find(made.members.begin(), made.members.end(), rank_);
    made.rank = static_cast<int>(found - made.members.begin());
    int rank = -1, size = -1;
    MPI_Comm_rank(made.comm, &rank);
    MPI_Comm_size(made.comm, &size);
    if (rank != made.rank || size != size_of(made)) complain("another rank after a split");
    rooms_.push_back(made);
  }

  /// Messages may be on their way in it still.
  void leave(std::size_t at) {
    finish(0);
    MPI_Comm_free(&rooms_[at].comm);
    rooms_.erase(rooms_.begin() + static_cast<std::ptrdiff_t>(at));
  }

  Random random_;  ///< the same at all ranks
  Random own_;
  int rank_;
  int step_ = 0;
  std::vector<Room> rooms_;
  std::deque<Pending> pending_;
  std::string complaint_;
};

void play(std::uint64_t seed, int steps) {
  const int ranks = 2 + static_cast<int>(seed % 5);
  run_ranks(ranks, [&](int rank) {
    Player player(seed, rank, ranks);
    EXPECT_EQ(player.play(steps), "") << "TERRACE_SEED=" << seed;
  });
}

}  // namespace

// Goal: messages, collectives and communicators, mixed at random, bring what the model says.
// Method: all ranks draw the same steps and each its own ways through them. TERRACE_SEED replays
// one program; TERRACE_SWEEP plays so many times the usual number.
TEST(Traffic, of_random_programs_brings_what_it_must) {
  terrace::for_seeds(10, [](std::uint64_t seed) { play(seed, 120); });
}
