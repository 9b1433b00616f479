// SPDX-License-Identifier: BSD-3-Clause
// Communicators between two groups, and collectives on them.
#include <gtest/gtest.h>

#include <array>
#include <numeric>
#include <utility>
#include <vector>

#include "unit/threadranks/ranks.hpp"

using terrace::testing_ranks::class_of;
using terrace::testing_ranks::run_ranks;

namespace {

constexpr int kFirst = 2, kSecond = 3, kAll = kFirst + kSecond;

/// A job of two groups, of 2 and 3 ranks, and the communicator between them.
struct TwoGroups {
  MPI_Comm own, both;
  bool is_first;
  int rank, size, others;

  explicit TwoGroups(int in_world) : is_first(in_world < kFirst) {
    MPI_Comm_split(MPI_COMM_WORLD, is_first ? 0 : 1, in_world, &own);
    MPI_Intercomm_create(own, 0, MPI_COMM_WORLD, is_first ? kFirst : 0, 7, &both);
    MPI_Comm_rank(both, &rank);
    MPI_Comm_size(both, &size);
    MPI_Comm_remote_size(both, &others);
  }
  ~TwoGroups() {
    MPI_Comm_free(&both);
    MPI_Comm_free(&own);
  }
  /// What member `rank` of a group has.
  static int value(bool is_first, int rank) { return (is_first ? 100 : 200) + rank; }
  int mine() const { return value(is_first, rank); }
  int theirs(int other) const { return value(!is_first, other); }
  int their_sum() const {
    int sum = 0;
    for (int i = 0; i < others; ++i) sum += theirs(i);
    return sum;
  }
  /// The root is member 1 of the first group.
  int root() const { return !is_first ? 1 : rank == 1 ? MPI_ROOT : MPI_PROC_NULL; }
  bool is_root() const { return is_first && rank == 1; }
};

void in_two_groups(void (*program)(TwoGroups&)) {
  run_ranks(kAll, [&](int rank) {
    TwoGroups groups(rank);
    program(groups);
  });
}

}  // namespace

// Goal: ranks, sizes and messages are those of the other group.
TEST(TwoGroups, send_to_each_other) {
  in_two_groups([](TwoGroups& it) {
    EXPECT_EQ(it.size, it.is_first ? kFirst : kSecond);
    EXPECT_EQ(it.others, it.is_first ? kSecond : kFirst);
    int is_between = 0;
    MPI_Comm_test_inter(it.both, &is_between);
    EXPECT_EQ(is_between, 1);
    MPI_Group remote;
    int count = 0, rank = 0;
    MPI_Comm_remote_group(it.both, &remote);
    MPI_Group_size(remote, &count);
    MPI_Group_rank(remote, &rank);
    EXPECT_EQ(count, it.others);
    EXPECT_EQ(rank, MPI_UNDEFINED);
    MPI_Group_free(&remote);
    const int mine = it.mine();
    MPI_Request sent;
    MPI_Isend(&mine, 1, MPI_INT, it.rank % it.others, 3, it.both, &sent);
    int expected = 0;
    for (int i = 0; i < it.others; ++i) expected += i % it.size == it.rank ? 1 : 0;
    for (; expected > 0; --expected) {
      int got = 0;
      MPI_Status status;
      MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 3, it.both, &status);
      EXPECT_EQ(got, it.theirs(status.MPI_SOURCE));
    }
    MPI_Wait(&sent, MPI_STATUS_IGNORE);
  });
}

// Goal: one communicator of both, in the order that the groups want; and what is made of a
// communicator between groups is one, too.
TEST(TwoGroups, are_merged_split_and_duplicated) {
  in_two_groups([](TwoGroups& it) {
    MPI_Comm merged, copy, part;
    MPI_Intercomm_merge(it.both, it.is_first, &merged);
    int rank = -1, size = 0, result = -1;
    MPI_Comm_rank(merged, &rank);
    EXPECT_EQ(rank, it.is_first ? kSecond + it.rank : it.rank);
    MPI_Comm_free(&merged);
    MPI_Comm_dup(it.both, &copy);
    MPI_Comm_compare(it.both, copy, &result);
    EXPECT_EQ(result, MPI_CONGRUENT);
    MPI_Comm_free(&copy);
    // Member 2 of the second group has no counterpart.
    MPI_Comm_split(it.both, it.rank, 0, &part);
    EXPECT_EQ(part == MPI_COMM_NULL, it.rank == 2);
    if (part == MPI_COMM_NULL) return;
    MPI_Comm_remote_size(part, &size);
    EXPECT_EQ(size, 1);
    MPI_Comm_free(&part);
  });
}

// Goal: with a root, only its group or only the other one gives and takes.
TEST(TwoGroups, move_blocks_from_and_to_a_root) {
  in_two_groups([](TwoGroups& it) {
    int value = it.is_root() ? 42 : -1;
    MPI_Bcast(&value, 1, MPI_INT, it.root(), it.both);
    EXPECT_EQ(value, it.is_first && !it.is_root() ? -1 : 42);
    const int mine = it.mine();
    std::vector<int> all(kSecond, -1);
    MPI_Gather(&mine, 1, MPI_INT, all.data(), 1, MPI_INT, it.root(), it.both);
    for (int i = 0; i < kSecond; ++i) EXPECT_EQ(all[i], it.is_root() ? it.theirs(i) : -1);
    std::vector<int> given{10, 11, 12};
    int got = -1;
    MPI_Scatter(given.data(), 1, MPI_INT, &got, 1, MPI_INT, it.root(), it.both);
    EXPECT_EQ(got, it.is_first ? -1 : 10 + it.rank);
    const int counts[] = {1, 0, 2}, places[] = {3, 0, 1};
    std::vector<int> sent(2, mine), gathered(4, -1);
    MPI_Gatherv(sent.data(), it.is_first ? 0 : counts[it.rank], MPI_INT, gathered.data(), counts,
                places, MPI_INT, it.root(), it.both);
    const std::vector<int> placed{-1, 202, 202, 200};
    EXPECT_EQ(gathered, it.is_root() ? placed : std::vector<int>(4, -1));
  });
}

// Goal: every rank has what all ranks of the other group give.
TEST(TwoGroups, exchange_blocks) {
  in_two_groups([](TwoGroups& it) {
    const int mine = it.mine();
    std::vector<int> all(static_cast<std::size_t>(it.others), -1), to(all), from(all);
    MPI_Allgather(&mine, 1, MPI_INT, all.data(), 1, MPI_INT, it.both);
    for (int i = 0; i < it.others; ++i) {
      EXPECT_EQ(all[static_cast<std::size_t>(i)], it.theirs(i));
      to[static_cast<std::size_t>(i)] = 1000 * mine + i;
    }
    MPI_Request request;
    MPI_Ialltoall(to.data(), 1, MPI_INT, from.data(), 1, MPI_INT, it.both, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < it.others; ++i)
      EXPECT_EQ(from[static_cast<std::size_t>(i)], 1000 * it.theirs(i) + it.rank);
    MPI_Barrier(it.both);
  });
}

// Goal: sums are of the other group's elements, cut among the members for the work.
TEST(TwoGroups, combine_the_other_groups_elements) {
  in_two_groups([](TwoGroups& it) {
    constexpr int kCount = 7;
    std::vector<int> mine(kCount, it.mine()), sums(kCount, -1);
    mine[6] = 0;
    MPI_Allreduce(mine.data(), sums.data(), kCount, MPI_INT, MPI_SUM, it.both);
    EXPECT_EQ(sums, (std::vector<int>{it.their_sum(), it.their_sum(), it.their_sum(),
                                      it.their_sum(), it.their_sum(), it.their_sum(), 0}));
    std::fill(sums.begin(), sums.end(), -1);
    MPI_Reduce(mine.data(), sums.data(), kCount, MPI_INT, MPI_SUM, it.root(), it.both);
    EXPECT_EQ(sums[0], it.is_root() ? it.their_sum() : -1);
    EXPECT_EQ(sums[6], it.is_root() ? 0 : -1);
    // 6 elements, 3 for each of the first group and 2 for each of the second.
    const int own = it.is_first ? 3 : 2;
    std::vector<int> numbers(6);
    std::iota(numbers.begin(), numbers.end(), 0);
    std::vector<int> block(3, -1);
    MPI_Reduce_scatter_block(numbers.data(), block.data(), own, MPI_INT, MPI_SUM, it.both);
    for (int i = 0; i < own; ++i)
      EXPECT_EQ(block[static_cast<std::size_t>(i)], it.others * (own * it.rank + i));
    const int first_counts[] = {5, 1}, second_counts[] = {0, 4, 2}, starts[] = {0, 0, 4};
    const int* const counts = it.is_first ? first_counts : second_counts;
    const int start = it.is_first ? 5 * it.rank : starts[it.rank];
    std::vector<int> part(5, -1);
    MPI_Reduce_scatter(numbers.data(), part.data(), counts, MPI_INT, MPI_SUM, it.both);
    for (int i = 0; i < counts[it.rank]; ++i)
      EXPECT_EQ(part[static_cast<std::size_t>(i)], it.others * (start + i));
  });
}

// Goal: groups are enough to make communicators of one and of two.
TEST(TwoGroups, meet_without_a_communicator) {
  run_ranks(4, [](int rank) {
    MPI_Group all, own, other;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    const int first[] = {0, 3}, second[] = {2, 1};
    const bool is_first = rank == 0 || rank == 3;
    MPI_Group_incl(all, 2, is_first ? first : second, &own);
    MPI_Group_incl(all, 2, is_first ? second : first, &other);
    MPI_Comm comm, both;
    MPI_Comm_create_from_group(own, "one", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm);
    int sum = 0, got = -1;
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
    EXPECT_EQ(sum, 3);
    MPI_Intercomm_create_from_groups(own, 1, other, 1, "two", MPI_INFO_NULL, MPI_ERRORS_RETURN,
                                     &both);
    const int place = is_first ? rank / 3 : 2 - rank;
    MPI_Sendrecv(&rank, 1, MPI_INT, place, 0, &got, 1, MPI_INT, place, 0, both, MPI_STATUS_IGNORE);
    EXPECT_EQ(got, is_first ? second[place] : first[place]);
    MPI_Comm_free(&both);
    MPI_Comm_free(&comm);
    MPI_Group_free(&all);
    MPI_Group_free(&own);
    MPI_Group_free(&other);
  });
}

// Goal: who is given more than it wants gets an error, and nothing behind its buffer is written.
TEST(TwoGroups, truncate_blocks_that_are_too_long) {
  in_two_groups([](TwoGroups& it) {
    MPI_Comm_set_errhandler(it.both, MPI_ERRORS_RETURN);
    constexpr int kLong = 1000, kShort = 10;
    const int count = it.is_first ? kLong : kShort;
    std::vector<int> given(kLong * kSecond, it.mine()), got(kLong * kSecond + 1, -1);
    const int root = it.root();
    int error =
        class_of(MPI_Bcast(it.is_first ? given.data() : got.data(), count, MPI_INT, root, it.both));
    EXPECT_EQ(error, it.is_first ? MPI_SUCCESS : MPI_ERR_TRUNCATE);
    EXPECT_EQ(got[kShort], -1);
    error =
        class_of(MPI_Allgather(given.data(), count, MPI_INT, got.data(), count, MPI_INT, it.both));
    EXPECT_EQ(error, it.is_first ? MPI_SUCCESS : MPI_ERR_TRUNCATE);
    EXPECT_EQ(got[it.others * count], -1);
    std::fill(got.begin(), got.end(), -1);
    MPI_Request request;
    MPI_Ialltoall(given.data(), count, MPI_INT, got.data(), count, MPI_INT, it.both, &request);
    error = class_of(MPI_Wait(&request, MPI_STATUS_IGNORE));
    EXPECT_EQ(error, it.is_first ? MPI_SUCCESS : MPI_ERR_TRUNCATE);
    EXPECT_EQ(got[it.others * count], -1);
    // The call after a wrong one is right.
    int value = it.is_root() ? 42 : -1;
    EXPECT_EQ(MPI_Bcast(&value, 1, MPI_INT, root, it.both), MPI_SUCCESS);
    EXPECT_EQ(value, it.is_first && !it.is_root() ? -1 : 42);
  });
}

// Goal: vectors of different length are an error of all members, in each call of a persistent one
// too, also where their slices are alike, and where one member alone differs.
TEST(TwoGroups, do_not_combine_vectors_of_different_length) {
  in_two_groups([](TwoGroups& it) {
    MPI_Comm_set_errhandler(it.both, MPI_ERRORS_RETURN);
    const std::vector<int> given(1000, 1), untouched(1001, -1);
    std::vector<int> got(untouched);
    const auto expect_refused = [&](int error) { EXPECT_EQ(class_of(error), MPI_ERR_TRUNCATE); };
    for (const auto& [first, second] : {std::pair(1000, 12), std::pair(5, 4), std::pair(4, 5)}) {
      const int count = it.is_first ? first : second;
      expect_refused(MPI_Allreduce(given.data(), got.data(), count, MPI_INT, MPI_SUM, it.both));
      expect_refused(
          MPI_Reduce(given.data(), got.data(), count, MPI_INT, MPI_SUM, it.root(), it.both));
      MPI_Request request;
      MPI_Allreduce_init(given.data(), got.data(), count, MPI_INT, MPI_SUM, it.both, MPI_INFO_NULL,
                         &request);
      for (int round = 0; round < 3; ++round) {
        MPI_Start(&request);
        expect_refused(MPI_Wait(&request, MPI_STATUS_IGNORE));
      }
      MPI_Request_free(&request);
    }
    const int alone = it.is_first || it.rank < 2 ? 4 : 5;
    expect_refused(
        MPI_Reduce(given.data(), got.data(), alone, MPI_INT, MPI_SUM, it.root(), it.both));
    expect_refused(MPI_Allreduce(given.data(), got.data(), 4, it.is_first ? MPI_INT : MPI_SHORT,
                                 MPI_SUM, it.both));
    // 4 and 3 elements, of blocks as long as each other.
    const int block = it.is_first ? 2 : 1, counts[] = {block, block, block};
    expect_refused(
        MPI_Reduce_scatter_block(given.data(), got.data(), block, MPI_INT, MPI_SUM, it.both));
    expect_refused(MPI_Reduce_scatter(given.data(), got.data(), counts, MPI_INT, MPI_SUM, it.both));
    EXPECT_EQ(got, untouched);
  });
}

// Goal: what needs a communicator of one group refuses one of two, on all ranks.
TEST(TwoGroups, have_no_topology_windows_or_files) {
  in_two_groups([](TwoGroups& it) {
    MPI_Comm_set_errhandler(it.both, MPI_ERRORS_RETURN);
    MPI_Comm made;
    const int self = it.rank, one = 1, zero = 0, degrees[kAll] = {1, 1, 1, 1, 1};
    EXPECT_EQ(class_of(MPI_Dist_graph_create(it.both, 1, &self, degrees, &zero, MPI_UNWEIGHTED,
                                             MPI_INFO_NULL, 0, &made)),
              MPI_ERR_COMM);
    EXPECT_EQ(class_of(MPI_Dist_graph_create_adjacent(it.both, 1, &zero, MPI_UNWEIGHTED, 1, &zero,
                                                      MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made)),
              MPI_ERR_COMM);
    EXPECT_EQ(class_of(MPI_Graph_create(it.both, 1, &one, &zero, 0, &made)), MPI_ERR_COMM);
    EXPECT_EQ(class_of(MPI_Cart_create(it.both, 1, &one, &zero, 0, &made)), MPI_ERR_COMM);
    EXPECT_EQ(class_of(MPI_Intercomm_create(it.both, 0, MPI_COMM_WORLD, 0, 1, &made)),
              MPI_ERR_COMM);
    MPI_Group group;
    MPI_Comm_group(it.both, &group);
    EXPECT_EQ(class_of(MPI_Comm_create_group(it.both, group, 0, &made)), MPI_ERR_COMM);
    MPI_Group_free(&group);
    MPI_Win window;
    EXPECT_EQ(class_of(MPI_Win_create(nullptr, 0, 1, MPI_INFO_NULL, it.both, &window)),
              MPI_ERR_COMM);
    MPI_File file;
    EXPECT_EQ(class_of(MPI_File_open(it.both, "/dev/null", MPI_MODE_RDONLY, MPI_INFO_NULL, &file)),
              MPI_ERR_COMM);
  });
}
