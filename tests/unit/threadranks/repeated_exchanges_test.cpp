// SPDX-License-Identifier: BSD-3-Clause
// Goal: exchanges of blocks that are like the last one of their kind, which take a short cut, and
// those that differ in one argument, which must not.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "unit/threadranks/ranks.hpp"

using terrace::testing_ranks::class_of;
using terrace::testing_ranks::run_ranks;

namespace {

/// Arguments that all ranks agree on.
struct Shape {
  int count = 1;  ///< of longs in a block
  int root = 0;
  bool is_in_place = false;
  int given_as = 0, wanted_as = 0;  ///< which type describes a side's longs
};

/// So many longs, as MPI_LONG, as pairs of MPI_INT, or spread out with a gap after each.
class Side {
 public:
  Side(int as, int longs, int blocks) : as_(as), longs_(longs) {
    cells_.resize(static_cast<std::size_t>(longs) * static_cast<std::size_t>(blocks) * step());
    if (as_ != 2) return;
    MPI_Type_create_resized(MPI_LONG, 0, 2 * sizeof(long), &spread_);
    MPI_Type_commit(&spread_);
  }
  Side(const Side&) = delete;
  Side& operator=(const Side&) = delete;
  ~Side() {
    if (spread_ != MPI_DATATYPE_NULL) MPI_Type_free(&spread_);
  }
  void* at() { return cells_.data(); }
  int count() const { return as_ == 1 ? 2 * longs_ : longs_; }
  MPI_Datatype type() const { return as_ == 0 ? MPI_LONG : as_ == 1 ? MPI_INT : spread_; }
  long& operator[](int i) { return cells_[static_cast<std::size_t>(i) * step()]; }

 private:
  std::size_t step() const { return as_ == 2 ? 2 : 1; }

  const int as_, longs_;
  MPI_Datatype spread_ = MPI_DATATYPE_NULL;
  std::vector<long> cells_;
};

/// What a rank gives another one in a call, as element i.
long value(int call, int from, int to, int i) {
  return ((call * 10L + from) * 10 + to) * 100 + i;
}

enum class Kind { allgather, alltoall, gather, scatter };

/// One call, with values of its own; arguments that mean nothing on a rank are nonsense there.
void exchange(Kind kind, const Shape& shape, int call, int rank, int ranks) {
  const bool gives_all = kind == Kind::alltoall || kind == Kind::scatter;
  const bool wants_all = kind != Kind::scatter, is_root = rank == shape.root;
  const bool has_given = kind != Kind::scatter || is_root;
  const bool has_wanted = kind != Kind::gather || is_root;
  const int n = shape.count;
  Side given(shape.given_as, n, ranks), wanted(shape.wanted_as, n, ranks);
  for (int to = 0; to < ranks; ++to)
    for (int i = 0; i < n; ++i) given[to * n + i] = value(call, rank, gives_all ? to : 0, i);
  const bool own_in_place = shape.is_in_place && (kind == Kind::allgather || is_root);
  void *out = given.at(), *in = wanted.at();
  if (own_in_place && kind == Kind::scatter) in = MPI_IN_PLACE;
  if (own_in_place && kind != Kind::scatter) {
    for (int i = 0; i < n; ++i) wanted[rank * n + i] = given[i];
    out = MPI_IN_PLACE;
  }
  const int out_count = has_given ? given.count() : -1, in_count = has_wanted ? wanted.count() : -1;
  const MPI_Datatype out_type = has_given ? given.type() : MPI_DATATYPE_NULL;
  const MPI_Datatype in_type = has_wanted ? wanted.type() : MPI_DATATYPE_NULL;
  if (kind == Kind::allgather)
    MPI_Allgather(out, out_count, out_type, in, in_count, in_type, MPI_COMM_WORLD);
  else if (kind == Kind::alltoall)
    MPI_Alltoall(out, out_count, out_type, in, in_count, in_type, MPI_COMM_WORLD);
  else if (kind == Kind::gather)
    MPI_Gather(out, out_count, out_type, in, in_count, in_type, shape.root, MPI_COMM_WORLD);
  else
    MPI_Scatter(out, out_count, out_type, in, in_count, in_type, shape.root, MPI_COMM_WORLD);
  if (!has_wanted || in == MPI_IN_PLACE) return;
  for (int from = 0; from < (wants_all ? ranks : 1); ++from)
    for (int i = 0; i < n; ++i)
      ASSERT_EQ(wanted[from * n + i],
                value(call, wants_all ? from : shape.root, gives_all ? rank : 0, i))
          << "call " << call << " of kind " << static_cast<int>(kind);
}

}  // namespace

TEST(RepeatedExchanges, bring_the_blocks_of_each_call) {
  for (const int ranks : {1, 2, 3})
    run_ranks(ranks, [ranks](int rank) {
      for (const Kind kind : {Kind::allgather, Kind::alltoall, Kind::gather, Kind::scatter}) {
        std::minstd_rand random(static_cast<unsigned>(ranks));
        const auto any = [&random](int end) { return static_cast<int>(random()) % end; };
        Shape shape;
        for (int call = 0; call < 400; ++call) {
          switch (any(10)) {  // mostly none
            case 0:
              shape.count = 1 + any(20);
              break;
            case 1:
              shape.root = any(ranks);
              break;
            case 2:
              shape.is_in_place = kind != Kind::alltoall && any(3) == 0;
              break;
            case 3:
              (any(2) == 0 ? shape.given_as : shape.wanted_as) = any(3);
              break;
            default:
              break;
          }
          exchange(kind, shape, call, rank, ranks);
        }
      }
    });
}

TEST(RepeatedExchanges, are_checked_where_an_argument_differs) {
  run_ranks(1, [](int) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    const long given[3] = {1, 2, 3};
    long wanted[3] = {};
    const auto gather = [&](int out_count, MPI_Datatype out_type, int in_count,
                            MPI_Datatype in_type) {
      return class_of(
          MPI_Allgather(given, out_count, out_type, wanted, in_count, in_type, MPI_COMM_WORLD));
    };
    for (int i = 0; i < 10; ++i) EXPECT_EQ(gather(3, MPI_LONG, 3, MPI_LONG), MPI_SUCCESS);
    EXPECT_EQ(gather(3, MPI_LONG, 2, MPI_LONG), MPI_ERR_TRUNCATE);
    EXPECT_EQ(gather(3, MPI_LONG, 3, MPI_INT), MPI_ERR_TRUNCATE);
    EXPECT_EQ(gather(3, MPI_LONG, -1, MPI_LONG), MPI_ERR_COUNT);
    EXPECT_EQ(gather(3, MPI_DATATYPE_NULL, 3, MPI_LONG), MPI_ERR_TYPE);
    EXPECT_EQ(gather(3, MPI_LONG, 3, MPI_LONG), MPI_SUCCESS);
    EXPECT_EQ(wanted[2], 3);
  });
}
