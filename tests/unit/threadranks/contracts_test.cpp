// SPDX-License-Identifier: BSD-3-Clause
// Goal: messages that do not fit their slots, and numbers of objects that are not there, end the
// process.
#include <gtest/gtest.h>
#include <mpi.h>

#include "threadranks/handles/integer_handles.hpp"
#include "threadranks/matching/mailbox.hpp"
#include "threadranks/matching/match_queues.hpp"
#include "threadranks/ranks/communicator.hpp"
#include "threadranks/ranks/rank_state.hpp"
#include "unit/contracts.hpp"
#include "unit/threadranks/ranks.hpp"

namespace {

using namespace terrace::threadranks;

TEST(ThreadRankContracts, keep_messages_in_their_slots) {
  Envelope envelope;
  envelope.kind = Protocol::eager;
  envelope.bytes = kEnvelopeBytes;
  EXPECT_EQ(kEnvelopeBytes, ArrivedMessage(envelope).bytes);
  envelope.bytes = kEnvelopeBytes + 1;
  EXPECT_BROKEN(ArrivedMessage{envelope}, "bytes <= kEnvelopeBytes");
  Mailbox mailbox;
  EXPECT_BROKEN_IN_DEBUG_BUILDS(mailbox.put(envelope, [](std::byte*) {}),
                                "heading.bytes <= kEnvelopeBytes");
}

TEST(ThreadRankContracts, give_numbers_back_once) {
  struct Object : Numbered<ObjectKind::group> {};
  NumberedObjects numbers;
  Object object;
  const int number = numbers.take(object, ObjectKind::group);
  numbers.give_back(number);
  EXPECT_BROKEN(numbers.give_back(number), "object != nullptr");
  EXPECT_BROKEN(numbers.give_back(7), "number >= 0");
}

TEST(ThreadRankContracts, place_ranks_in_their_communicators) {
  const auto make = [](int place) {
    terrace::testing_ranks::begin_job(1);
    terrace_ranks_enter(0);
    auto* const shared = new SharedCommunicator(current_rank()->job(), 100, {0});
    Communicator(*current_rank(), *shared, place);
    std::_Exit(0);
  };
  EXPECT_EXIT(make(0), testing::ExitedWithCode(0), "");
  EXPECT_BROKEN(make(1), "place >= 0");
}

TEST(ThreadRankContracts, post_a_receive_once) {
  Mailbox own;
  MatchQueues queues;
  PostedRecv receiving;
  receiving.is_done = true;
  EXPECT_BROKEN_IN_DEBUG_BUILDS(queues.receive(receiving, own), "!receiving.is_done");
}

}  // namespace
