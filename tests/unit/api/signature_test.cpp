// SPDX-License-Identifier: BSD-3-Clause
// Goal: two calls have the same signature only if they may meet, and it can be read again.
#include "api/signature.hpp"

#include <gtest/gtest.h>

#include <set>

namespace terrace {
namespace {

TEST(Signature, differs_where_collective_bytes_root_or_order_do) {
  std::set<std::uint64_t> numbers;
  for (const Collective collective :
       {Collective::bcast, Collective::reduce, Collective::gather, Collective::scatter,
        Collective::gatherv, Collective::scatterv})
    for (const std::size_t bytes : {0, 1, 8, 1 << 30})
      for (const Rank root : {0u, 1u, 65534u}) {
        const Signature signature{collective, bytes, root};
        Signature in_order = signature;
        in_order.in_rank_order = true;
        for (const Signature& one : {signature, in_order}) {
          EXPECT_EQ(one, signature_from(signature_of(one)));
          EXPECT_TRUE(numbers.insert(signature_of(one)).second) << to_text(one);
        }
      }
}

TEST(Signature, knows_no_root_where_there_is_none) {
  EXPECT_EQ(signature_of({Collective::allreduce, 8, 0}),
            signature_of({Collective::allreduce, 8, 3}));
}

TEST(Signature, can_be_said) {
  EXPECT_EQ("barrier", to_text(Signature{Collective::barrier, 0, 0}));
  EXPECT_EQ("allreduce of 8 bytes", to_text(Signature{Collective::allreduce, 8, 0}));
  EXPECT_EQ("reduce of 8 bytes by an operator that does not commute to rank 2",
            to_text(Signature{Collective::reduce, 8, 2, true}));
  EXPECT_EQ("bcast of 64 bytes from rank 3", to_text(Signature{Collective::bcast, 64, 3}));
  EXPECT_EQ("reduce of 64 bytes to rank 3", to_text(Signature{Collective::reduce, 64, 3}));
  EXPECT_EQ("gatherv of up to 64 bytes to rank 3", to_text(Signature{Collective::gatherv, 64, 3}));
  EXPECT_EQ("alltoallw of up to 64 bytes", to_text(Signature{Collective::alltoallw, 64, 0}));
  EXPECT_EQ("gather of 64 bytes to rank 3", to_text(Signature{Collective::gather, 64, 3}));
  EXPECT_EQ("scatter of 64 bytes from rank 3", to_text(Signature{Collective::scatter, 64, 3}));
}

}  // namespace
}  // namespace terrace
