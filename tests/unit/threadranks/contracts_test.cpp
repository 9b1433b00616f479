// SPDX-License-Identifier: BSD-3-Clause
// Goal: messages that do not fit their slots, numbers of objects that are not there, and packets
// that no process of the job can have sent end the process.
#include <gtest/gtest.h>
#include <mpi.h>

#include "threadranks/handles/integer_handles.hpp"
#include "threadranks/matching/mailbox.hpp"
#include "threadranks/matching/match_queues.hpp"
#include "threadranks/network/process_network.hpp"
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

using PacketHeading = ProcessNetwork::PacketHeading;
using PacketKind = ProcessNetwork::PacketKind;

/// An empty message of the second of two processes, which have a rank each.
PacketHeading packet_of(PacketKind kind) {
  PacketHeading packet;
  packet.envelope.context = 8;
  packet.envelope.tag = 1;
  packet.kind = kind;
  packet.process = 1;
  return packet;
}

/// The first process takes it, so many times.
void take(const PacketHeading& packet, int times = 1) {
  terrace::testing_ranks::TestProcesses processes({1, 1}, terrace::testing_ranks::end_test);
  const terrace_ranks_transport* const way = processes.transport().of(1);
  terrace_ranks_request request{};
  for (int i = 0; i < times; ++i) way->send(way->self, 0, 0, &packet, sizeof packet, &request);
  processes.jobs()[0]->network()->drive();
  std::_Exit(0);
}

TEST(PacketContracts, are_of_a_kind_and_of_the_process_that_sends_them) {
  PacketHeading packet = packet_of(PacketKind::message);
  EXPECT_EXIT(take(packet), testing::ExitedWithCode(0), "");
  packet.process = 0;
  EXPECT_BROKEN(take(packet), "packet->process == from.process");
  packet = packet_of(static_cast<PacketKind>(7));
  EXPECT_BROKEN(take(packet), "packet.kind <= PacketKind::left");
  packet = packet_of(PacketKind::left);
  EXPECT_EXIT(take(packet), testing::ExitedWithCode(0), "");
  EXPECT_BROKEN(take(packet, 2), "left_ < process_count_");
}

TEST(PacketContracts, are_for_a_rank_here_and_of_a_communicator) {
  PacketHeading packet = packet_of(PacketKind::message);
  packet.to = 1;
  EXPECT_BROKEN(take(packet), "mailboxes_.packet.to. != nullptr");
  packet = packet_of(PacketKind::message);
  packet.envelope.bytes = kMostEagerBetweenProcesses + 1;
  EXPECT_BROKEN(take(packet), "envelope.bytes <= kMostEagerBetweenProcesses");
  packet = packet_of(PacketKind::cancel);
  packet.envelope.context = 0;
  EXPECT_BROKEN(take(packet), "envelope.context != 0");
  packet = packet_of(PacketKind::announced);
  packet.envelope.source = -1;
  EXPECT_BROKEN(take(packet), "envelope.source >= 0");
  packet = packet_of(PacketKind::announced);
  EXPECT_BROKEN(take(packet), "packet.sending != 0");
}

TEST(PacketContracts, want_messages_that_were_announced_to_their_process) {
  for (const PacketKind kind : {PacketKind::wanted, PacketKind::cancelled}) {
    PacketHeading packet = packet_of(kind);
    EXPECT_BROKEN(take(packet), "number != 0");
    RendezvousSend sending;
    sending.process = 2;
    packet.sending = reinterpret_cast<std::uintptr_t>(&sending);
    EXPECT_BROKEN(take(packet), "sending.process == process");
  }
}

}  // namespace
