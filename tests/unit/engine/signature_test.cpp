// SPDX-License-Identifier: BSD-3-Clause
// Goal: two calls have the same signature only if they may meet, and it can be read again.
#include "engine/signature.hpp"

#include <gtest/gtest.h>

#include <set>

namespace terrace {
namespace {

TEST(Signature, differs_where_collective_bytes_root_or_order_do) {
  std::set<std::pair<std::uint64_t, std::uint64_t>> numbers;
  for (const Collective collective :
       {Collective::bcast, Collective::reduce, Collective::gather, Collective::scatter,
        Collective::gatherv, Collective::scatterv})
    for (const std::size_t bytes :
         {std::size_t{0}, std::size_t{1}, std::size_t{8}, std::size_t{1} << 50})
      for (const Rank root : {0u, 1u, 65534u}) {
        const Signature signature{collective, bytes, root};
        Signature in_order = signature;
        in_order.in_rank_order = true;
        Signature sum = signature, maximum = signature;
        sum.combination = Combination(Type::float64, Operator::sum);
        maximum.combination = Combination(Type::float64, Operator::maximum);
        for (const Signature& one : {signature, in_order, sum, maximum}) {
          const CallIdentity identity = identity_of(one);
          EXPECT_EQ(one, signature_from(identity));
          EXPECT_TRUE(numbers.insert({identity.bytes, identity.what}).second) << to_text(one);
        }
      }
}

TEST(Signature, knows_no_root_where_there_is_none) {
  EXPECT_EQ(identity_of({Collective::allreduce, 8, 0}), identity_of({Collective::allreduce, 8, 3}));
}

TEST(Signature, knows_no_sign_where_it_makes_no_difference) {
  EXPECT_EQ(Combination(Type::int64, Operator::sum), Combination(Type::uint64, Operator::sum));
  EXPECT_NE(Combination(Type::int64, Operator::maximum),
            Combination(Type::uint64, Operator::maximum));
  EXPECT_NE(Combination(Type::int64, Operator::sum), Combination(Type::float64, Operator::sum));
}

TEST(Signature, can_be_said) {
  EXPECT_EQ("barrier", to_text(Signature{Collective::barrier, 0, 0}));
  EXPECT_EQ("allreduce of 8 bytes", to_text(Signature{Collective::allreduce, 8, 0}));
  EXPECT_EQ("reduce of 8 bytes in the order of ranks to rank 2",
            to_text(Signature{Collective::reduce, 8, 2, true}));
  EXPECT_EQ("allreduce of 8 bytes, sum of float64",
            to_text(Signature{Collective::allreduce, 8, 0, false, {Type::float64, Operator::sum}}));
  EXPECT_EQ("reduce of 8 bytes, an operator of the program or the MPI, to rank 1",
            to_text(Signature{Collective::reduce, 8, 1, false, Combination::of_others()}));
  EXPECT_EQ("bcast of 64 bytes from rank 3", to_text(Signature{Collective::bcast, 64, 3}));
  EXPECT_EQ("reduce of 64 bytes to rank 3", to_text(Signature{Collective::reduce, 64, 3}));
  EXPECT_EQ("gatherv of up to 64 bytes to rank 3", to_text(Signature{Collective::gatherv, 64, 3}));
  EXPECT_EQ("alltoallw of up to 64 bytes", to_text(Signature{Collective::alltoallw, 64, 0}));
  EXPECT_EQ("gather of 64 bytes to rank 3", to_text(Signature{Collective::gather, 64, 3}));
  EXPECT_EQ("scatter of 64 bytes from rank 3", to_text(Signature{Collective::scatter, 64, 3}));
}

}  // namespace
}  // namespace terrace
