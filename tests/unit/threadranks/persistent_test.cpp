// SPDX-License-Identifier: BSD-3-Clause
// Requests that are started again and again, requests of the program's own, duplicates on their
// way.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>
#include <span>

#include "unit/threadranks/ranks.hpp"

using terrace::testing_ranks::class_of;
using terrace::testing_ranks::run_ranks;

// Goal: each start makes the collective anew, of what lies there then, though the program has freed
// the type and the operator.
TEST(Persistent, collectives_are_made_at_each_start) {
  run_ranks(3, [](int rank) {
    MPI_Op op;
    MPI_Op_create(
        [](void* in, void* inout, int* count, MPI_Datatype*) {
          for (int i = 0; i < 2 * *count; ++i)
            static_cast<int*>(inout)[i] += static_cast<int*>(in)[i];
        },
        1, &op);
    MPI_Datatype pair;
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    int mine[2] = {}, sum[2] = {};
    MPI_Request requests[2];
    MPI_Allreduce_init(mine, sum, 1, pair, op, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
    MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
    MPI_Type_free(&pair);
    MPI_Op_free(&op);
    for (int round = 1; round <= 3; ++round) {
      mine[0] = round;
      mine[1] = rank;
      MPI_Startall(2, requests);
      MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
      EXPECT_EQ(sum[0], 3 * round);
      EXPECT_EQ(sum[1], 3);
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
  });
}

namespace {

/// An array as a call may read it while it is initialized, and never again.
template <class Number>
class Fleeting {
 public:
  Fleeting(std::initializer_list<Number> values) : values_(values) {}
  ~Fleeting() {
    // Where memory that is read wrongly has been freed, too, it most likely says this.
    std::fill(values_.begin(), values_.end(), std::numeric_limits<Number>::max() / 2);
  }
  Fleeting(const Fleeting&) = delete;
  Fleeting& operator=(const Fleeting&) = delete;
  const Number* data() const { return values_.data(); }
  operator const Number*() const { return data(); }

 private:
  std::vector<Number> values_;
};

/// The functions with arrays, with counts of either width.
struct Narrow {
  using Counts = int;
  using Places = int;
  static constexpr auto allgatherv = MPI_Allgatherv_init;
  static constexpr auto gatherv = MPI_Gatherv_init;
  static constexpr auto scatterv = MPI_Scatterv_init;
  static constexpr auto alltoallv = MPI_Alltoallv_init;
  static constexpr auto alltoallw = MPI_Alltoallw_init;
  static constexpr auto reduce_scatter = MPI_Reduce_scatter_init;
  static constexpr auto neighbor_allgatherv = MPI_Neighbor_allgatherv_init;
  static constexpr auto neighbor_alltoallv = MPI_Neighbor_alltoallv_init;
  static constexpr auto neighbor_alltoallw = MPI_Neighbor_alltoallw_init;
};
struct Wide {
  using Counts = MPI_Count;
  using Places = MPI_Aint;
  static constexpr auto allgatherv = MPI_Allgatherv_init_c;
  static constexpr auto gatherv = MPI_Gatherv_init_c;
  static constexpr auto scatterv = MPI_Scatterv_init_c;
  static constexpr auto alltoallv = MPI_Alltoallv_init_c;
  static constexpr auto alltoallw = MPI_Alltoallw_init_c;
  static constexpr auto reduce_scatter = MPI_Reduce_scatter_init_c;
  static constexpr auto neighbor_allgatherv = MPI_Neighbor_allgatherv_init_c;
  static constexpr auto neighbor_alltoallv = MPI_Neighbor_alltoallv_init_c;
  static constexpr auto neighbor_alltoallw = MPI_Neighbor_alltoallw_init_c;
};

/// A type of one integer, with a gap behind it or without.
MPI_Datatype one_integer(bool has_gap) {
  MPI_Datatype type;
  MPI_Type_create_resized(MPI_INT, 0, has_gap ? 8 : 4, &type);
  MPI_Type_commit(&type);
  return type;
}

/// Three ranks exchange an integer for each pair: rank r gives rank q 10 r + q, and 100 in each
/// round more. All arrays, types and operators are gone before the first start.
template <class Width>
class VectorsOfThree {
 public:
  VectorsOfThree(int rank, bool have_gaps, MPI_Comm comm)
      : rank_(rank), step_(have_gaps ? 2 : 1), comm_(comm) {
    MPI_Datatype type = one_integer(have_gaps);
    const int periods[] = {1}, sizes[] = {3};
    MPI_Cart_create(comm, 1, sizes, periods, 0, &ring_);
    begin_all(type);
    begin_ring(type);
    MPI_Type_free(&type);
    MPI_Comm_free(&ring_);
  }
  ~VectorsOfThree() {
    for (MPI_Request& request : requests_) MPI_Request_free(&request);
  }

  void run(int round) {
    for (std::size_t i = 0; i < 3; ++i)
      given_[i * step_] = value(rank_, static_cast<int>(i), round);
    for (Got& got : got_) got.fill(-1);
    MPI_Startall(kCalls, requests_.data());
    MPI_Waitall(kCalls, requests_.data(), MPI_STATUSES_IGNORE);
    const int left = (rank_ + 2) % 3, right = (rank_ + 1) % 3;
    const int all[] = {0, 1, 2}, beside[] = {left, right};
    expect("allgatherv", 0, all, 0, round);
    if (rank_ == 1) expect("gatherv", 1, all, 0, round);
    expect("scatterv", 2, {&all[1], 1}, rank_, round);
    expect("alltoallv", 3, all, rank_, round);
    expect("alltoallw", 4, all, rank_, round);
    EXPECT_EQ(got_[5][0], value(0, rank_, round) + value(1, rank_, round) + value(2, rank_, round));
    expect("neighbor_allgatherv", 6, beside, 0, round);
    EXPECT_EQ(at(7, 0), value(left, 1, round)) << "neighbor_alltoallv";
    EXPECT_EQ(at(7, 1), value(right, 0, round)) << "neighbor_alltoallv";
    EXPECT_EQ(at(8, 0), value(left, 1, round)) << "neighbor_alltoallw";
    EXPECT_EQ(at(8, 1), value(right, 0, round)) << "neighbor_alltoallw";
  }

 private:
  static constexpr int kCalls = 9;
  using Got = std::array<int, 6>;
  using Counts = Fleeting<typename Width::Counts>;
  using Places = Fleeting<typename Width::Places>;

  static int value(int from, int to, int round) { return 100 * round + 10 * from + to; }
  int at(std::size_t call, std::size_t i) const { return got_[call][i * step_]; }
  /// Expects of each of `from` what it gives `to`.
  void expect(const char* call, std::size_t number, std::span<const int> from, int to,
              int round) const {
    for (std::size_t i = 0; i < from.size(); ++i)
      EXPECT_EQ(at(number, i), value(from[i], to, round)) << call << ", block " << i;
  }
  int* got(std::size_t call) { return got_[call].data(); }

  void begin_all(MPI_Datatype type) {
    const Counts ones{1, 1, 1};
    const Places places{0, 1, 2};
    const int apart = 4 * static_cast<int>(step_);
    const Places offsets{0, apart, 2 * apart};
    const std::array<MPI_Datatype, 3> types{type, type, type};
    const MPI_Info none = MPI_INFO_NULL;
    const bool is_root = rank_ == 1;
    Width::allgatherv(given_.data(), 1, type, got(0), ones, places, type, comm_, none,
                      &requests_[0]);
    // Elsewhere, arrays of the root's are nothing.
    const typename Width::Counts* const counts_of_root = is_root ? ones.data() : nullptr;
    const typename Width::Places* const places_of_root = is_root ? places.data() : nullptr;
    Width::gatherv(given_.data(), 1, type, got(1), counts_of_root, places_of_root, type, 1, comm_,
                   none, &requests_[1]);
    Width::scatterv(given_.data(), counts_of_root, places_of_root, type, got(2), 1, type, 1, comm_,
                    none, &requests_[2]);
    Width::alltoallv(given_.data(), ones, places, type, got(3), ones, places, type, comm_, none,
                     &requests_[3]);
    Width::alltoallw(given_.data(), ones, offsets, types.data(), got(4), ones, offsets,
                     types.data(), comm_, none, &requests_[4]);
    MPI_Op add;
    MPI_Op_create(
        [](void* in, void* inout, int* count, MPI_Datatype* its) {
          MPI_Aint first = 0, extent = 0;
          MPI_Type_get_extent(*its, &first, &extent);
          for (int i = 0; i < *count; ++i)
            static_cast<int*>(inout)[i * extent / 4] += static_cast<int*>(in)[i * extent / 4];
        },
        1, &add);
    Width::reduce_scatter(given_.data(), got(5), ones, type, add, comm_, none, &requests_[5]);
    MPI_Op_free(&add);
  }
  void begin_ring(MPI_Datatype type) {
    const Counts ones{1, 1};
    const Places places{0, 1};
    const Fleeting<MPI_Aint> offsets{0, 4 * static_cast<MPI_Aint>(step_)};
    const std::array<MPI_Datatype, 2> types{type, type};
    Width::neighbor_allgatherv(given_.data(), 1, type, got(6), ones, places, type, ring_,
                               MPI_INFO_NULL, &requests_[6]);
    Width::neighbor_alltoallv(given_.data(), ones, places, type, got(7), ones, places, type, ring_,
                              MPI_INFO_NULL, &requests_[7]);
    Width::neighbor_alltoallw(given_.data(), ones, offsets, types.data(), got(8), ones, offsets,
                              types.data(), ring_, MPI_INFO_NULL, &requests_[8]);
  }

  int rank_;
  std::size_t step_;
  MPI_Comm comm_, ring_;
  Got given_{};
  std::array<Got, kCalls> got_;
  std::array<MPI_Request, kCalls> requests_;
};

}  // namespace

// Goal: what arrays, types and operators say counts when a request is initialized: the program may
// change and free them, and the communicator, before it starts the request.
TEST(Persistent, collectives_read_arrays_when_they_are_initialized) {
  run_ranks(3, [](int rank) {
    for (const bool have_gaps : {false, true}) {
      MPI_Comm comm;
      MPI_Comm_dup(MPI_COMM_WORLD, &comm);
      VectorsOfThree<Narrow> narrow(rank, have_gaps, comm);
      VectorsOfThree<Wide> wide(rank, have_gaps, comm);
      MPI_Comm_free(&comm);
      for (int round = 1; round <= 3; ++round) {
        narrow.run(round);
        wide.run(round);
      }
    }
  });
}

// Goal: what a start had to do for its blocks, which were longer or shorter than wanted, does not
// last until the next one.
TEST(Persistent, collectives_truncate_anew_at_each_start) {
  run_ranks(2, [](int rank) {
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    // Of itself each wants what it gives; rank 1 wants less of rank 0, and rank 0 more of rank 1.
    const int given[] = {2, 2}, wanted[] = {rank == 0 ? 2 : 1, rank == 0 ? 3 : 2},
              places[] = {0, 4};
    int from[8], to[8];
    MPI_Request request;
    MPI_Alltoallv_init(from, given, places, MPI_INT, to, wanted, places, MPI_INT, comm,
                       MPI_INFO_NULL, &request);
    for (int round = 1; round <= 3; ++round) {
      std::fill(std::begin(from), std::end(from), 10 * round + rank);
      std::fill(std::begin(to), std::end(to), -1);
      MPI_Start(&request);
      EXPECT_EQ(class_of(MPI_Wait(&request, MPI_STATUS_IGNORE)),
                rank == 0 ? MPI_SUCCESS : MPI_ERR_TRUNCATE);
      EXPECT_EQ(to[rank * 4], 10 * round + rank);
      EXPECT_TRUE(rank == 1 || to[5] == 10 * round + 1);
      EXPECT_EQ(to[rank == 0 ? 6 : 1], -1) << "beyond what is given or wanted";
    }
    MPI_Request_free(&request);
    MPI_Comm_free(&comm);
  });
}

// Goal: ranks may start requests of a communicator in different orders.
TEST(Persistent, collectives_are_started_in_any_order) {
  run_ranks(3, [](int rank) {
    int word = rank == 0 ? 42 : -1, sum = -1;
    MPI_Request requests[2];
    MPI_Bcast_init(&word, 1, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
    MPI_Allreduce_init(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL,
                       &requests[1]);
    for (int i = 0; i < 2; ++i) MPI_Start(&requests[rank == 1 ? 1 - i : i]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    EXPECT_EQ(word, 42);
    EXPECT_EQ(sum, 3);
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
  });
}

// Goal: one wait completes messages and collectives, whichever of them depend on which, in any
// order, and lanes whose calls wait for each other's ranks. Method: ranks that leave calls pending
// in different orders, more than there are lanes, after rounds in which they were prepared.
TEST(Persistent, collectives_and_messages_complete_in_one_wait) {
  run_ranks(3, [](int rank) {
    constexpr int kCalls = 7, kLong = 40000;
    std::vector<int> sent(kLong, rank), received(kLong);
    for (int round = 0; round < 60; ++round) {
      std::array<int, kCalls> in{}, out{};
      std::vector<MPI_Request> requests(kCalls + 2, MPI_REQUEST_NULL);
      const int right = (rank + 1) % 3, left = (rank + 2) % 3;
      MPI_Irecv(received.data(), kLong, MPI_INT, left, round, MPI_COMM_WORLD, &requests[kCalls]);
      // This send blocks until its receiver makes progress.
      if (rank == 0 && round % 2 == 0)
        MPI_Send(sent.data(), kLong, MPI_INT, right, round, MPI_COMM_WORLD);
      else
        MPI_Isend(sent.data(), kLong, MPI_INT, right, round, MPI_COMM_WORLD, &requests[kCalls + 1]);
      for (int i = 0; i < kCalls; ++i) {
        in[static_cast<std::size_t>(i)] = rank * i + round;
        MPI_Iallreduce(&in[static_cast<std::size_t>(i)], &out[static_cast<std::size_t>(i)], 1,
                       MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[static_cast<std::size_t>(i)]);
      }
      if (rank == 1) std::reverse(requests.begin(), requests.begin() + kCalls);
      if (rank == 2 && round % 3 == 0) MPI_Wait(&requests[kCalls - 1], MPI_STATUS_IGNORE);
      MPI_Waitall(kCalls + 2, requests.data(), MPI_STATUSES_IGNORE);
      for (int i = 0; i < kCalls; ++i)
        EXPECT_EQ(out[static_cast<std::size_t>(i)], 3 * i + 3 * round);
      EXPECT_EQ(received, std::vector<int>(kLong, left));
    }
  });
}

// Goal: blocking collectives match each other, and nonblocking ones each other, also of neighbours,
// whatever the order of one kind to the other.
TEST(Persistent, nonblocking_collectives_match_apart_from_blocking_ones) {
  run_ranks(3, [](int rank) {
    const int sizes[] = {3}, periods[] = {1};
    MPI_Comm ring;
    MPI_Cart_create(MPI_COMM_WORLD, 1, sizes, periods, 0, &ring);
    for (int round = 0; round < 12; ++round) {
      std::array<int, 4000> begun{};
      int mine = rank + round, sum = -1, last = -1, later[2] = {}, now[2] = {}, word = mine;
      MPI_Request requests[3];
      const auto begin = [&] {
        if (rank == 1) begun.fill(round);
        MPI_Ibcast(begun.data(), 4000, MPI_INT, 1, ring, &requests[0]);
        MPI_Iallreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, ring, &requests[1]);
        MPI_Ineighbor_allgather(&mine, 1, MPI_INT, later, 1, MPI_INT, ring, &requests[2]);
      };
      const int place = (rank + round) % 4;
      if (place == 0) begin();
      MPI_Barrier(ring);
      if (place == 1) begin();
      MPI_Bcast(&word, 1, MPI_INT, 2, ring);
      if (place == 2) begin();
      const int other = -mine;
      MPI_Neighbor_allgather(&other, 1, MPI_INT, now, 1, MPI_INT, ring);
      MPI_Allreduce(&mine, &last, 1, MPI_INT, MPI_MAX, ring);
      if (place == 3) begin();
      MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
      const int left = (rank + 2) % 3 + round, right = (rank + 1) % 3 + round;
      EXPECT_EQ(begun[3999], round);
      EXPECT_EQ(sum, 3 + 3 * round);
      EXPECT_EQ(later[0], left);
      EXPECT_EQ(later[1], right);
      EXPECT_EQ(now[0], -left);
      EXPECT_EQ(now[1], -right);
      EXPECT_EQ(word, 2 + round);
      EXPECT_EQ(last, 2 + round);
    }
    MPI_Comm_free(&ring);
  });
}

// Goal: a communicator is freed without a wait for what is pending on it, which ends all the same.
TEST(Persistent, communicators_are_freed_before_their_collectives_are_over) {
  run_ranks(3, [](int rank) {
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Request requests[2];
    int sum = -1, word = rank == 0 ? 7 : -1;
    if (rank == 1) MPI_Recv(nullptr, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm, &requests[0]);
    MPI_Ibcast(&word, 1, MPI_INT, 0, comm, &requests[1]);
    MPI_Comm_free(&comm);
    if (rank == 0) MPI_Send(nullptr, 0, MPI_INT, 1, 0, MPI_COMM_WORLD);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    EXPECT_EQ(sum, 3);
    EXPECT_EQ(word, 7);
  });
}

// Goal: what a collective on its way looks at stays there though its rank goes on, and others come
// late.
TEST(Persistent, nonblocking_reduce_scatter_waits_for_late_members) {
  run_ranks(3, [](int rank) {
    const int counts[] = {1, 2, 1}, ones[] = {1, 1, 1, 1};
    int part[2] = {-1, -1}, word = 0;
    MPI_Request request;
    if (rank == 2) MPI_Recv(&word, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Ireduce_scatter(ones, part, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    if (rank == 0) {
      std::vector<int> own(100);
      for (int i = 0; i < 3; ++i)
        MPI_Sendrecv(own.data(), 100, MPI_INT, 0, 1, own.data(), 100, MPI_INT, 0, 1, MPI_COMM_SELF,
                     MPI_STATUS_IGNORE);
      MPI_Send(&word, 1, MPI_INT, 2, 0, MPI_COMM_WORLD);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < counts[rank]; ++i) EXPECT_EQ(part[i], 3);
  });
}

// Goal: no rank waits where it begins a reduction until the others of its process do, also not to
// measure the machine, for which the first calls of a team are the time.
TEST(Persistent, nonblocking_reductions_wait_for_no_member_where_they_begin) {
  run_ranks(4, [](int rank) {
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Request request;
    MPI_Ibarrier(comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    int sum = -1;
    if (rank > 0) MPI_Recv(nullptr, 0, MPI_INT, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm, &request);
    if (rank < 3) MPI_Send(nullptr, 0, MPI_INT, rank + 1, 0, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    EXPECT_EQ(sum, 6);
    MPI_Comm_free(&comm);
  });
}

// Goal: a message each way by one request, from a buffer to which another message also comes.
TEST(Persistent, exchanges_are_one_request) {
  run_ranks(3, [](int rank) {
    const int next = (rank + 1) % 3, before = (rank + 2) % 3;
    std::vector<int> numbers(5000, rank);
    int got = -1;
    MPI_Request requests[2];
    MPI_Isendrecv(&rank, 1, MPI_INT, next, 1, &got, 1, MPI_INT, before, 1, MPI_COMM_WORLD,
                  &requests[0]);
    MPI_Isendrecv_replace(numbers.data(), 5000, MPI_INT, next, 2, before, 2, MPI_COMM_WORLD,
                          &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    EXPECT_EQ(got, before);
    EXPECT_EQ(numbers, std::vector<int>(5000, before));
  });
}

// Goal: a duplicate is there when its request is over, with the attributes of the call's time.
TEST(Persistent, duplicates_are_made_on_the_way) {
  run_ranks(4, [](int rank) {
    int key = 0, flag = 0, first = 1, second = 2;
    int* found = nullptr;
    MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &key, nullptr);
    MPI_Comm parts[2];
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &parts[0]);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &parts[1]);
    MPI_Comm_set_attr(parts[0], key, &first);
    // In another order on some ranks: the communicators have nothing to do with each other.
    MPI_Comm copies[2];
    MPI_Request requests[2];
    for (int i = 0; i < 2; ++i) {
      const int which = rank == 0 ? 1 - i : i;
      MPI_Comm_idup(parts[which], &copies[which], &requests[which]);
    }
    MPI_Comm_set_attr(parts[0], key, &second);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Comm_get_attr(copies[0], key, &found, &flag);
    ASSERT_TRUE(flag);
    EXPECT_EQ(*found, 1);
    int sum = 0;
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, copies[1]);
    EXPECT_EQ(sum, rank % 2 ? 4 : 2);
    for (int i = 0; i < 2; ++i) {
      MPI_Comm_free(&parts[i]);
      MPI_Comm_free(&copies[i]);
    }
    MPI_Comm_free_keyval(&key);
  });
}

namespace {

struct Task {
  int queried = 0, freed = 0;
};

int query(void* task, MPI_Status* status) {
  ++static_cast<Task*>(task)->queried;
  MPI_Status_set_elements(status, MPI_INT, 7);
  MPI_Status_set_cancelled(status, 0);
  status->MPI_SOURCE = 5;
  return MPI_SUCCESS;
}
int free_task(void* task) {
  ++static_cast<Task*>(task)->freed;
  return MPI_SUCCESS;
}
int cancel(void*, int) {
  return MPI_SUCCESS;
}

}  // namespace

// Goal: a request of the program's own is over when the program says so, and is waited for with
// others.
TEST(Persistent, programs_have_requests_of_their_own) {
  run_ranks(1, [](int) {
    Task task;
    MPI_Request request;
    MPI_Grequest_start(query, free_task, cancel, &task, &request);
    int flag = 1, count = 0;
    MPI_Status status;
    MPI_Test(&request, &flag, &status);
    EXPECT_EQ(flag, 0);
    MPI_Grequest_complete(request);
    MPI_Wait(&request, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    EXPECT_EQ(count, 7);
    EXPECT_EQ(status.MPI_SOURCE, 5);
    EXPECT_EQ(request, MPI_REQUEST_NULL);
    EXPECT_EQ(task.queried, 1);
    EXPECT_EQ(task.freed, 1);
  });
}
