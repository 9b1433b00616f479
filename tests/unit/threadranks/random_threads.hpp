// SPDX-License-Identifier: BSD-3-Clause
// Random programs of ranks with threads that call MPI at once (MPI_THREAD_MULTIPLE). Thread i of
// all ranks is lane i: it has a communicator, tags and random numbers of its own, so a model knows
// what each call must bring, whatever the other lanes do meanwhile. Lanes meet at each rank's list
// of requests, which any of its threads completes. Any mpi.h of MPI 4.0 will do.
#pragma once

#include "unit/threadranks/random_windows.hpp"

namespace terrace::random_programs {

/// A message or collective on its way, and what it must bring.
struct LanePending {
  MPI_Request request = MPI_REQUEST_NULL;
  std::vector<Bits> out, in, expected;
  int step = 0;
};

/// What a rank's threads have begun: begun by one, completed by any.
class SharedRequests {
 public:
  void add(std::unique_ptr<LanePending> one) {
    const std::lock_guard lock(mutex_);
    all_.push_back(std::move(one));
  }
  /// Tests some of them, or waits for them; "" if what they brought is right.
  std::string finish_some(Random& random, bool waits) {
    std::vector<std::unique_ptr<LanePending>> some;
    std::vector<MPI_Request> requests;
    for (int left = 1 + below(random, 4); left > 0; --left)
      if (std::unique_ptr<LanePending> one = take(random)) {
        requests.push_back(one->request);
        some.push_back(std::move(one));
      }
    const int count = static_cast<int>(some.size());
    int done = 0, places[4];
    if (waits)
      MPI_Waitall(count, requests.data(), MPI_STATUSES_IGNORE);
    else
      MPI_Testsome(count, requests.data(), &done, places, MPI_STATUSES_IGNORE);
    std::string complaint;
    for (std::size_t i = 0; i < some.size(); ++i) {
      LanePending& one = *some[i];
      one.request = requests[i];
      if (one.request != MPI_REQUEST_NULL)
        add(std::move(some[i]));
      else if (!one.expected.empty() && one.in != one.expected)
        complaint =
            "what was begun in step " + std::to_string(one.step) + " brought something else";
    }
    return complaint;
  }
  bool is_empty() {
    const std::lock_guard lock(mutex_);
    return all_.empty();
  }

 private:
  std::unique_ptr<LanePending> take(Random& random) {
    const std::lock_guard lock(mutex_);
    if (all_.empty()) return nullptr;
    std::swap(all_[static_cast<std::size_t>(below(random, static_cast<int>(all_.size())))],
              all_.back());
    std::unique_ptr<LanePending> one = std::move(all_.back());
    all_.pop_back();
    return one;
  }

  std::mutex mutex_;
  std::vector<std::unique_ptr<LanePending>> all_;
};

class Lane {
 public:
  static constexpr int kTags = 1000;  ///< of each lane, on the communicator of all

  /// `all`: of all lanes, by messages alone; `own`: of this lane.
  Lane(std::uint64_t seed, int number, MPI_Comm all, MPI_Comm own, SharedRequests& requests)
      : random_(seed * 31 + static_cast<unsigned>(number)),
        number_(number),
        all_(all),
        own_(own),
        requests_(requests) {
    MPI_Comm_rank(all, &rank_);
    MPI_Comm_size(all, &size_);
    mine_.seed(seed * 7919 + static_cast<unsigned>(number * 100 + rank_));
  }

  /// "" if all came as the model says.
  std::string play(int steps) {
    for (step_ = 1; step_ <= steps; ++step_) {
      act();
      note(requests_.finish_some(mine_, false));
    }
    return complaint_;
  }

 private:
  void note(const std::string& what) {
    if (what.empty() || !complaint_.empty()) return;
    complaint_ = "lane " + std::to_string(number_) + ", step " + std::to_string(step_) + ", rank " +
                 std::to_string(rank_) + ": " + what;
  }
  void compare(const std::vector<Bits>& got, const std::vector<Bits>& expected, const char* what) {
    if (got != expected) note(std::string(what) + " brought something else");
  }

  void act() {
    const int chosen = below(random_, 9), length = draw_length();
    const int root = below(random_, size_);
    switch (chosen) {
      case 0:
        return exchange(length, root);
      case 1:
        return many_to_one(std::min(length, 2000), root);
      case 2:
      case 3:
        return collective(below(random_, 4), std::min(length, 5000), root, false);
      case 4:
        return collective(below(random_, 4), std::min(length, 5000), root, true);
      case 5:
        return partitioned(1 + below(random_, 12), 1 + length / 16, root);
      case 6:
        return another_communicator(below(random_, 3));
      case 7:
        return persistent(length, root);
      default:
        return windows();
    }
  }

  int draw_length() {
    constexpr int kLengths[] = {0, 1, 5, 12, 13, 100, 700, 1100, 4000, 40'000};
    return kLengths[below(random_, 10)];
  }
  int tag() const { return number_ * kTags + step_ % kTags; }
  Bits word(int rank, int i) const {
    return (static_cast<Bits>(number_) << 48) + (static_cast<Bits>(step_) << 32) +
           static_cast<Bits>(rank) * 1'000'003 + static_cast<Bits>(i);
  }
  std::vector<Bits> words(int rank, int count) const {
    std::vector<Bits> made;
    for (int i = 0; i < count; ++i) made.push_back(word(rank, i));
    return made;
  }

  /// In a ring; begun here, completed by whichever thread comes to it.
  void exchange(int length, int distance) {
    const int to = (rank_ + distance) % size_, from = (rank_ + size_ - distance) % size_;
    auto received = std::make_unique<LanePending>(), sent = std::make_unique<LanePending>();
    received->step = sent->step = step_;
    received->expected = words(from, length);
    received->in.resize(static_cast<std::size_t>(length));
    sent->out = words(rank_, length);
    MPI_Irecv(received->in.data(), length, MPI_UINT64_T,
              below(mine_, 2) != 0 ? MPI_ANY_SOURCE : from, tag(), all_, &received->request);
    const auto send = below(mine_, 3) != 0 ? MPI_Isend : MPI_Issend;
    send(sent->out.data(), length, MPI_UINT64_T, to, tag(), all_, &sent->request);
    requests_.add(std::move(received));
    requests_.add(std::move(sent));
  }

  /// Found by probes, or received as they come; those of one sender in their order.
  void many_to_one(int length, int root) {
    constexpr int kEach = 4;
    if (rank_ != root) {
      for (int i = 0; i < kEach; ++i) {
        const std::vector<Bits> out = words(rank_ + 100 * i, length + i);
        MPI_Send(out.data(), length + i, MPI_UINT64_T, root, tag(), all_);
      }
      return;
    }
    std::vector<int> next(static_cast<std::size_t>(size_));
    for (int i = 0; i < kEach * (size_ - 1); ++i) {
      std::vector<Bits> in(static_cast<std::size_t>(length + kEach));
      MPI_Status status;
      receive(in, status);
      int count = 0;
      MPI_Get_count(&status, MPI_UINT64_T, &count);
      in.resize(static_cast<std::size_t>(count));
      int& turn = next[static_cast<std::size_t>(status.MPI_SOURCE)];
      compare(in, words(status.MPI_SOURCE + 100 * turn, length + turn), "a message of many");
      ++turn;
    }
  }

  void receive(std::vector<Bits>& in, MPI_Status& status) {
    const int count = static_cast<int>(in.size()), way = below(mine_, 4);
    MPI_Message message = MPI_MESSAGE_NULL;
    if (way == 0) MPI_Mprobe(MPI_ANY_SOURCE, tag(), all_, &message, &status);
    if (way == 1)
      for (int found = 0; !found;)
        MPI_Improbe(MPI_ANY_SOURCE, tag(), all_, &found, &message, &status);
    if (way < 2) {
      MPI_Mrecv(in.data(), count, MPI_UINT64_T, &message, &status);
      return;
    }
    // The tag is this lane's alone, so what is found stays until it is received.
    int source = MPI_ANY_SOURCE;
    if (way == 2) {
      MPI_Probe(MPI_ANY_SOURCE, tag(), all_, &status);
      source = status.MPI_SOURCE;
    }
    MPI_Recv(in.data(), count, MPI_UINT64_T, source, tag(), all_, &status);
  }

  /// 0: allreduce, 1: bcast, 2: allgather, 3: alltoall.
  void collective(int kind, int count, int root, bool is_begun) {
    auto one = std::make_unique<LanePending>();
    one->step = step_;
    const int all = count * size_;
    one->out = words(rank_, kind == 3 ? all : count);
    one->in.resize(static_cast<std::size_t>(kind >= 2 ? all : count));
    for (int i = 0; i < static_cast<int>(one->in.size()); ++i)
      one->expected.push_back(expected_word(kind, count, root, i));
    if (kind == 1 && rank_ == root) one->in = one->out;
    if (!is_begun) {
      call(kind, count, root, *one);
      return compare(one->in, one->expected, "a collective");
    }
    begin(kind, count, root, *one);
    requests_.add(std::move(one));
  }

  Bits expected_word(int kind, int count, int root, int i) const {
    if (kind == 1) return word(root, i);
    if (kind == 2) return word(i / count, i % count);
    if (kind == 3) return word(i / count, rank_ * count + i % count);
    Bits sum = 0;
    for (int other = 0; other < size_; ++other) sum += word(other, i);
    return sum;
  }

  void call(int kind, int count, int root, LanePending& one) const {
    const MPI_Datatype type = MPI_UINT64_T;
    if (kind == 0) MPI_Allreduce(one.out.data(), one.in.data(), count, type, MPI_SUM, own_);
    if (kind == 1) MPI_Bcast(one.in.data(), count, type, root, own_);
    if (kind == 2) MPI_Allgather(one.out.data(), count, type, one.in.data(), count, type, own_);
    if (kind == 3) MPI_Alltoall(one.out.data(), count, type, one.in.data(), count, type, own_);
  }
  void begin(int kind, int count, int root, LanePending& one) const {
    const MPI_Datatype type = MPI_UINT64_T;
    MPI_Request* const to = &one.request;
    if (kind == 0) MPI_Iallreduce(one.out.data(), one.in.data(), count, type, MPI_SUM, own_, to);
    if (kind == 1) MPI_Ibcast(one.in.data(), count, type, root, own_, to);
    if (kind == 2)
      MPI_Iallgather(one.out.data(), count, type, one.in.data(), count, type, own_, to);
    if (kind == 3) MPI_Ialltoall(one.out.data(), count, type, one.in.data(), count, type, own_, to);
  }

  /// Partitions become ready in any order, and are read as they arrive.
  void partitioned(int partitions, int each, int distance) {
    const int to = (rank_ + distance) % size_, from = (rank_ + size_ - distance) % size_;
    const int total = partitions * each;
    std::vector<Bits> out(static_cast<std::size_t>(total)), in(out.size());
    MPI_Request sent, received;
    MPI_Psend_init(out.data(), partitions, each, MPI_UINT64_T, to, tag(), own_, MPI_INFO_NULL,
                   &sent);
    MPI_Precv_init(in.data(), partitions, each, MPI_UINT64_T, from, tag(), own_, MPI_INFO_NULL,
                   &received);
    std::vector<int> order;
    for (int i = 0; i < partitions; ++i) order.push_back(i);
    for (int round = 0; round < 2; ++round) {
      MPI_Start(&received);
      MPI_Start(&sent);
      std::shuffle(order.begin(), order.end(), mine_);
      for (const int one : order) {
        for (int i = one * each; i < (one + 1) * each; ++i)
          out[static_cast<std::size_t>(i)] = word(rank_ + round, i);
        MPI_Pready(one, sent);
      }
      read_partitions(received, partitions, each, from + round, in);
      MPI_Wait(&received, MPI_STATUS_IGNORE);
      MPI_Wait(&sent, MPI_STATUS_IGNORE);
      compare(in, words(from + round, total), "a partitioned message");
    }
    MPI_Request_free(&sent);
    MPI_Request_free(&received);
  }

  void read_partitions(MPI_Request received, int partitions, int each, int from,
                       const std::vector<Bits>& in) {
    for (int one = 0; one < partitions; ++one) {
      int is_there = 0;
      MPI_Parrived(received, one, &is_there);
      for (int i = one * each; is_there && i < (one + 1) * each; ++i)
        if (in[static_cast<std::size_t>(i)] != word(from, i))
          note("a partition had not arrived when MPI_Parrived said so");
    }
  }

  void another_communicator(int way) {
    MPI_Comm made = MPI_COMM_NULL;
    if (way == 0) MPI_Comm_dup(own_, &made);
    if (way == 1) MPI_Comm_split(own_, rank_ % 2, -rank_, &made);
    if (way == 2) {
      MPI_Request request;
      MPI_Comm_idup(own_, &made, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    int members = 0, expected = 0;
    const int one = 1;
    for (int other = 0; other < size_; ++other)
      expected += way != 1 || other % 2 == rank_ % 2 ? 1 : 0;
    MPI_Allreduce(&one, &members, 1, MPI_INT, MPI_SUM, made);
    if (members != expected) note("a communicator has other members");
    MPI_Comm_free(&made);
  }

  void persistent(int length, int distance) {
    const int to = (rank_ + distance) % size_, from = (rank_ + size_ - distance) % size_;
    std::vector<Bits> out = words(rank_, length), in(out.size());
    MPI_Request requests[2];
    MPI_Recv_init(in.data(), length, MPI_UINT64_T, from, tag(), own_, &requests[0]);
    MPI_Send_init(out.data(), length, MPI_UINT64_T, to, tag(), own_, &requests[1]);
    for (int round = 0; round < 2; ++round) {
      std::fill(in.begin(), in.end(), 0);
      MPI_Startall(2, requests);
      for (int left = 2; left > 0;) {
        int found = 0, places[2];
        MPI_Waitsome(2, requests, &found, places, MPI_STATUSES_IGNORE);
        left -= found;
      }
      compare(in, words(from, length), "a persistent message");
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
  }

  void windows() {
    const RunThreads unused;
    note(WindowPlayer(random_(), own_, 1, unused).play(6));
  }

  Random random_;  ///< the same in the lane
  Random mine_;
  int number_;
  MPI_Comm all_, own_;
  SharedRequests& requests_;
  int rank_ = 0, size_ = 0;
  int step_ = 0;
  std::string complaint_;
};

/// Plays lanes by so many threads of the calling rank, as each rank does; "" if all came as it
/// must.
inline std::string play_lanes(std::uint64_t seed, int lanes, int steps,
                              const RunThreads& run_threads) {
  MPI_Comm all;
  MPI_Comm_dup(MPI_COMM_WORLD, &all);
  std::vector<MPI_Comm> own(static_cast<std::size_t>(lanes));
  for (MPI_Comm& comm : own) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  std::vector<std::string> complaints(static_cast<std::size_t>(lanes) + 1);
  SharedRequests requests;
  run_threads(lanes, [&](int lane) {
    const auto i = static_cast<std::size_t>(lane);
    complaints[i] = Lane(seed, lane, all, own[i], requests).play(steps);
  });
  Random random(seed);
  while (!requests.is_empty())
    if (const std::string what = requests.finish_some(random, true); !what.empty())
      complaints.back() = what;
  for (MPI_Comm& comm : own) MPI_Comm_free(&comm);
  MPI_Comm_free(&all);
  for (const std::string& complaint : complaints)
    if (!complaint.empty()) return complaint;
  return "";
}

}  // namespace terrace::random_programs
