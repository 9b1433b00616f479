// SPDX-License-Identifier: BSD-3-Clause
// The blocking collectives, compared with what plain loops come to, and while messages are pending.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "unit/threadranks/ranks.hpp"

using terrace::testing_ranks::run_ranks;

namespace {

const int kTeamSizes[] = {1, 2, 3, 5};
const int kCounts[] = {1, 3, 14, 500, 20'000};

/// Element i of what a rank brings.
long element(int rank, int i) {
  return rank * 1000L + i % 977;
}

std::vector<long> brought(int rank, int count) {
  std::vector<long> elements(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) elements[static_cast<std::size_t>(i)] = element(rank, i);
  return elements;
}

/// Calls `check` for each number of ranks and elements, as each rank.
void for_each(const std::function<void(int rank, int ranks, int count)>& check) {
  for (const int ranks : kTeamSizes)
    run_ranks(ranks, [&](int rank) {
      for (const int count : kCounts) check(rank, ranks, count);
    });
}

/// The sum of element i over the ranks before `end`.
long sum_of(int end, int i) {
  long sum = 0;
  for (int rank = 0; rank < end; ++rank) sum += element(rank, i);
  return sum;
}

void expect_sums(const std::vector<long>& got, int end, int first = 0) {
  for (std::size_t i = 0; i < got.size(); ++i)
    ASSERT_EQ(got[i], sum_of(end, first + static_cast<int>(i))) << i;
}

}  // namespace

// Goal: reductions and scans come to the sums, in place too.
TEST(Collectives, combine) {
  for_each([](int rank, int ranks, int count) {
    const std::vector<long> in = brought(rank, count);
    std::vector<long> out(in.size());
    MPI_Allreduce(in.data(), out.data(), count, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    expect_sums(out, ranks);
    out = in;
    MPI_Allreduce(MPI_IN_PLACE, out.data(), count, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    expect_sums(out, ranks);
    const int root = count % ranks;
    out = in;
    MPI_Reduce(rank == root ? MPI_IN_PLACE : in.data(), out.data(), count, MPI_LONG, MPI_SUM, root,
               MPI_COMM_WORLD);
    if (rank == root) expect_sums(out, ranks);
    MPI_Scan(in.data(), out.data(), count, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    expect_sums(out, rank + 1);
    MPI_Exscan(in.data(), out.data(), count, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (rank > 0) expect_sums(out, rank);
    std::vector<long> all = brought(rank, count * ranks);
    MPI_Reduce_scatter_block(all.data(), out.data(), count, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    expect_sums(out, ranks, rank * count);
  });
}

// Goal: blocks go where they belong.
TEST(Collectives, move_blocks) {
  for_each([](int rank, int ranks, int count) {
    const int root = (count + 1) % ranks;
    std::vector<long> one = brought(rank == root ? 77 : rank, count);
    MPI_Bcast(one.data(), count, MPI_LONG, root, MPI_COMM_WORLD);
    ASSERT_EQ(one, brought(77, count));

    const std::vector<long> in = brought(rank, count);
    const auto total = static_cast<std::size_t>(count) * static_cast<std::size_t>(ranks);
    std::vector<long> all(total), expected;
    for (int other = 0; other < ranks; ++other)
      for (const long value : brought(other, count)) expected.push_back(value);
    MPI_Allgather(in.data(), count, MPI_LONG, all.data(), count, MPI_LONG, MPI_COMM_WORLD);
    ASSERT_EQ(all, expected);
    std::fill(all.begin(), all.end(), 0);
    MPI_Gather(in.data(), count, MPI_LONG, all.data(), count, MPI_LONG, root, MPI_COMM_WORLD);
    if (rank == root) {
      ASSERT_EQ(all, expected);
    }
    MPI_Scatter(expected.data(), count, MPI_LONG, one.data(), count, MPI_LONG, root,
                MPI_COMM_WORLD);
    ASSERT_EQ(one, in);
    std::vector<long> out(total);
    for (std::size_t i = 0; i < total; ++i)
      all[i] = rank * 1'000'000L + static_cast<long>(i) / count * 1000;
    MPI_Alltoall(all.data(), count, MPI_LONG, out.data(), count, MPI_LONG, MPI_COMM_WORLD);
    for (std::size_t i = 0; i < total; ++i)
      ASSERT_EQ(out[i], static_cast<long>(i) / count * 1'000'000L + rank * 1000L);
  });
}

// Goal: blocks of different length go where they belong.
TEST(Collectives, move_uneven_blocks) {
  for_each([](int rank, int ranks, int most) {
    std::vector<int> counts, places;
    int total = 0;
    for (int other = 0; other < ranks; ++other) {
      counts.push_back(most * (other % 3) / 2);
      places.push_back(total);
      total += counts.back() + 1;
    }
    const int own = counts[static_cast<std::size_t>(rank)];
    const std::vector<long> in = brought(rank, own);
    std::vector<long> all(static_cast<std::size_t>(total), -1), expected = all;
    for (int other = 0; other < ranks; ++other)
      for (int i = 0; i < counts[static_cast<std::size_t>(other)]; ++i)
        expected[static_cast<std::size_t>(places[static_cast<std::size_t>(other)] + i)] =
            element(other, i);
    MPI_Allgatherv(in.data(), own, MPI_LONG, all.data(), counts.data(), places.data(), MPI_LONG,
                   MPI_COMM_WORLD);
    ASSERT_EQ(all, expected);
    std::fill(all.begin(), all.end(), -1);
    MPI_Gatherv(in.data(), own, MPI_LONG, all.data(), counts.data(), places.data(), MPI_LONG, 0,
                MPI_COMM_WORLD);
    if (rank == 0) {
      ASSERT_EQ(all, expected);
    }
    std::vector<long> one(in.size());
    MPI_Scatterv(expected.data(), counts.data(), places.data(), MPI_LONG, one.data(), own, MPI_LONG,
                 0, MPI_COMM_WORLD);
    ASSERT_EQ(one, in);
    MPI_Reduce_scatter(brought(rank, std::accumulate(counts.begin(), counts.end(), 0)).data(),
                       one.data(), counts.data(), MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    expect_sums(one, ranks, std::accumulate(counts.begin(), counts.begin() + rank, 0));
    // Rank r sends so many elements to rank s as s has; so each gets the same number from all.
    std::vector<int> own_counts(static_cast<std::size_t>(ranks), own), own_places;
    for (int other = 0; other < ranks; ++other) own_places.push_back(other * own);
    std::vector<long> got(static_cast<std::size_t>(own * ranks));
    MPI_Alltoallv(expected.data(), counts.data(), places.data(), MPI_LONG, got.data(),
                  own_counts.data(), own_places.data(), MPI_LONG, MPI_COMM_WORLD);
    for (std::size_t i = 0; i < got.size(); ++i)
      ASSERT_EQ(got[i], element(rank, static_cast<int>(i) % own));
  });
}

// Goal: a rank in a collective still serves messages, on which a peer's arrival depends.
TEST(Collectives, let_messages_go_on) {
  run_ranks(3, [](int rank) {
    std::vector<char> bytes(3'000'000, static_cast<char>(rank));
    MPI_Request request = MPI_REQUEST_NULL;
    for (int i = 0; i < 20; ++i) {
      if (rank == 0) MPI_Irecv(bytes.data(), 3'000'000, MPI_BYTE, 1, i, MPI_COMM_WORLD, &request);
      if (rank == 1) MPI_Ssend(bytes.data(), 3'000'000, MPI_BYTE, 0, i, MPI_COMM_WORLD);
      MPI_Barrier(MPI_COMM_WORLD);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      ASSERT_EQ(bytes[2'999'999], rank == 0 ? 1 : rank);
    }
  });
}

// Goal: operators of the program's combine in the order of ranks where they do not commute.
TEST(Collectives, combine_by_functions_of_the_program) {
  run_ranks(4, [](int rank) {
    // Decimal numbers put behind each other: length and value.
    MPI_User_function* const append = [](void* in, void* inout, int* count, MPI_Datatype*) {
      auto* const left = static_cast<long*>(in);
      auto* const right = static_cast<long*>(inout);
      for (int i = 0; i < *count; ++i) {
        right[2 * i + 1] += left[2 * i + 1] * right[2 * i];
        right[2 * i] *= left[2 * i];
      }
    };
    MPI_Op op;
    MPI_Datatype number;
    MPI_Op_create(append, 0, &op);
    MPI_Type_contiguous(2, MPI_LONG, &number);
    MPI_Type_commit(&number);
    const long in[2] = {10, rank + 1};
    long out[2] = {};
    MPI_Allreduce(in, out, 1, number, op, MPI_COMM_WORLD);
    EXPECT_EQ(out[0], 10'000);
    EXPECT_EQ(out[1], 1234);
    MPI_Scan(in, out, 1, number, op, MPI_COMM_WORLD);
    EXPECT_EQ(out[1], 1234 / (rank == 3 ? 1 : rank == 2 ? 10 : rank == 1 ? 100 : 1000));
    MPI_Op_free(&op);
    MPI_Type_free(&number);
  });
}

namespace {

/// Pairs of 10^digits and the digits' value: put behind each other, which does not commute.
void append_digits(void* in, void* inout, int* count, MPI_Datatype* type) {
  int bytes;
  MPI_Aint low, extent;
  MPI_Type_size(*type, &bytes);
  MPI_Type_get_extent(*type, &low, &extent);
  for (int e = 0; e < *count; ++e) {
    auto* const left = reinterpret_cast<long*>(static_cast<char*>(in) + e * extent);
    auto* const right = reinterpret_cast<long*>(static_cast<char*>(inout) + e * extent);
    for (std::size_t i = 0; i < static_cast<std::size_t>(bytes) / sizeof(long); i += 2) {
      right[i + 1] += left[i + 1] * right[i];
      right[i] *= left[i];
    }
  }
}

/// Elements of so many longs, with a gap behind each.
class LongVectors {
 public:
  LongVectors(int rank, int ranks, int longs) : rank_(rank), ranks_(ranks), longs_(longs) {
    MPI_Datatype dense;
    MPI_Type_contiguous(longs, MPI_LONG, &dense);
    MPI_Type_create_resized(dense, 0, static_cast<MPI_Aint>(sizeof(long)) * extent(), &type);
    MPI_Type_commit(&type);
    MPI_Type_free(&dense);
    MPI_Op_create(append_digits, 0, &op);
  }
  ~LongVectors() {
    MPI_Type_free(&type);
    MPI_Op_free(&op);
  }

  std::vector<long> brought(int count) const {
    std::vector<long> in(static_cast<std::size_t>(count) * static_cast<std::size_t>(extent()));
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = i % 2 == 0 ? 10 : digit(rank_, i);
    return in;
  }
  std::vector<long> room(int count) const {
    return std::vector<long>(static_cast<std::size_t>(count) * static_cast<std::size_t>(extent()));
  }
  /// Of ranks before `end`, from that element of the input on.
  void expect(const std::vector<long>& got, int count, int end, int first = 0) const {
    for (int e = 0; e < count; ++e)
      for (const int i : {1, longs_ / 2 | 1, longs_ - 1}) {
        const auto at = static_cast<std::size_t>(e * extent() + i);
        ASSERT_EQ(got[at], digits(end, static_cast<std::size_t>((first + e) * extent() + i)))
            << "rank " << rank_ << " of " << ranks_ << ", element " << e << ", at " << i;
      }
  }

  MPI_Datatype type;
  MPI_Op op;

 private:
  int extent() const { return longs_ + 2; }
  static long digit(int rank, std::size_t i) {
    return 1 + static_cast<long>((static_cast<std::size_t>(rank) + i / 2) % 9);
  }
  /// Has a digit for each of up to 18 ranks.
  long digits(int end, std::size_t i) const {
    long value = 0;
    for (int rank = 0; rank < end; ++rank) value = value * 10 + digit(rank, i);
    return value;
  }

  int rank_, ranks_, longs_;
};

void combine_long_elements(int rank, int ranks, int longs) {
  const LongVectors vectors(rank, ranks, longs);
  const int root = ranks - 1;
  std::vector<long> in = vectors.brought(2), out = vectors.room(2);
  MPI_Reduce(in.data(), out.data(), 2, vectors.type, vectors.op, root, MPI_COMM_WORLD);
  if (rank == root) vectors.expect(out, 2, ranks);
  MPI_Request request;
  MPI_Iallreduce(in.data(), out.data(), 2, vectors.type, vectors.op, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  vectors.expect(out, 2, ranks);
  MPI_Scan(in.data(), out.data(), 2, vectors.type, vectors.op, MPI_COMM_WORLD);
  vectors.expect(out, 2, rank + 1);
  MPI_Exscan(MPI_IN_PLACE, in.data(), 2, vectors.type, vectors.op, MPI_COMM_WORLD);
  if (rank > 0) vectors.expect(in, 2, rank);
}

void scatter_long_results(int rank, int ranks, int longs) {
  const LongVectors vectors(rank, ranks, longs);
  std::vector<long> in = vectors.brought(ranks), out = vectors.room(2);
  MPI_Reduce_scatter_block(in.data(), out.data(), 1, vectors.type, vectors.op, MPI_COMM_WORLD);
  vectors.expect(out, 1, ranks, rank);
  // The last rank gets two, the first none.
  std::vector<int> counts(static_cast<std::size_t>(ranks), 1);
  counts.front() = 0;
  counts.back() = 2;
  MPI_Reduce_scatter(in.data(), out.data(), counts.data(), vectors.type, vectors.op,
                     MPI_COMM_WORLD);
  vectors.expect(out, counts[static_cast<std::size_t>(rank)], ranks, std::max(rank - 1, 0));
  MPI_Reduce_scatter_block(MPI_IN_PLACE, in.data(), 1, vectors.type, vectors.op, MPI_COMM_WORLD);
  vectors.expect(in, 1, ranks, rank);
}

}  // namespace

// Goal: elements of the program's that are longer than the team's scratch are combined, in order.
TEST(Collectives, combine_elements_longer_than_scratch) {
  const int kLongsOf9MiB = 9 << 17, kLongsOf320KiB = 40 << 10;
  run_ranks(2, [&](int rank) {
    combine_long_elements(rank, 2, kLongsOf9MiB);
    scatter_long_results(rank, 2, kLongsOf9MiB);
  });
  run_ranks(16, [&](int rank) { scatter_long_results(rank, 16, kLongsOf320KiB); });
}

// Goal: several collectives on their way at once, on one communicator and on two, among messages;
// what they bring may be freed with them.
TEST(Collectives, go_on_while_ranks_do_other_things) {
  run_ranks(4, [](int rank) {
    MPI_Comm other;
    MPI_Request pending[6];
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    for (int round = 0; round < 30; ++round) {
      long sum = 0, mine = rank + round, all[4] = {}, scanned = 0, token = -1;
      int counts[4] = {1, 1, 1, 1}, places[4] = {3, 2, 1, 0};
      long placed[4] = {};
      MPI_Iallreduce(&mine, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD, &pending[0]);
      MPI_Iallgather(&mine, 1, MPI_LONG, all, 1, MPI_LONG, MPI_COMM_WORLD, &pending[1]);
      MPI_Iscan(&mine, &scanned, 1, MPI_LONG, MPI_SUM, other, &pending[2]);
      MPI_Igatherv(&mine, 1, MPI_LONG, placed, counts, places, MPI_LONG, round % 4, other,
                   &pending[3]);
      MPI_Ibarrier(MPI_COMM_WORLD, &pending[4]);
      MPI_Irecv(&token, 1, MPI_LONG, (rank + 3) % 4, round, MPI_COMM_WORLD, &pending[5]);
      MPI_Ssend(&mine, 1, MPI_LONG, (rank + 1) % 4, round, MPI_COMM_WORLD);
      if (round % 3 == 0) MPI_Barrier(MPI_COMM_WORLD);
      if (round % 2) {
        MPI_Waitall(6, pending, MPI_STATUSES_IGNORE);
      } else {
        for (int done = 0; done < 6; ++done) {
          int index = -1;
          MPI_Waitany(6, pending, &index, MPI_STATUS_IGNORE);
        }
      }
      ASSERT_EQ(sum, 6 + 4 * round);
      ASSERT_EQ(scanned, rank * (rank + 1) / 2 + (rank + 1) * round);
      ASSERT_EQ(token, (rank + 3) % 4 + round);
      for (int i = 0; i < 4; ++i) {
        ASSERT_EQ(all[i], i + round);
        if (rank == round % 4) {
          ASSERT_EQ(placed[3 - i], i + round);
        }
      }
    }
    MPI_Comm_free(&other);
  });
}

// Goal: a nonblocking collective waits for no rank when it is begun, on a communicator that no rank
// has used before either.
TEST(Collectives, begin_without_waiting_for_others) {
  run_ranks(2, [](int rank) {
    MPI_Request request;
    std::vector<long> long_message(100'000, rank);
    if (rank == 0) {
      MPI_Ibarrier(MPI_COMM_WORLD, &request);
      MPI_Recv(long_message.data(), 100'000, MPI_LONG, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      MPI_Ssend(long_message.data(), 100'000, MPI_LONG, 0, 0, MPI_COMM_WORLD);
      MPI_Ibarrier(MPI_COMM_WORLD, &request);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    EXPECT_EQ(long_message[99'999], 1);
  });
}
