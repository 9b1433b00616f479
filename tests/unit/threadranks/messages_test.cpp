// SPDX-License-Identifier: BSD-3-Clause
// Messages between ranks: every mode and length, MPI's order of matching, and random ones against
// what the standard says about them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <random>
#include <tuple>

#include "unit/seeds.hpp"
#include "unit/threadranks/ranks.hpp"

using terrace::testing_ranks::run_ranks;

namespace {

/// Bytes that tell where they are from.
std::vector<unsigned char> message(int source, int number, std::size_t bytes) {
  std::vector<unsigned char> content(bytes);
  for (std::size_t i = 0; i < bytes; ++i)
    content[i] = static_cast<unsigned char>(source * 31 + number * 7 + static_cast<int>(i % 251));
  return content;
}

using Send = int(const void*, int, MPI_Datatype, int, int, MPI_Comm);
using Isend = int(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);

const std::size_t kLengths[] = {0,   1,    8,    95,   96,   97,   216,     217,     224,
                                225, 1000, 1024, 1025, 8192, 8193, 100'000, 1 << 20, 3'000'001};

}  // namespace

// Goal: waiting for a send leaves a status as it was, but for what MPI says of cancelled ones.
TEST(Messages, leave_the_status_of_a_send) {
  run_ranks(2, [](int rank) {
    int sent = rank, got = -1, flag = 1;
    MPI_Request requests[2];
    MPI_Irecv(&got, 1, MPI_INT, 1 - rank, 7, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(&sent, 1, MPI_INT, 1 - rank, 7, MPI_COMM_WORLD, &requests[1]);
    MPI_Status status{};
    MPI_Wait(&requests[0], &status);
    MPI_Wait(&requests[1], &status);
    EXPECT_EQ(status.MPI_SOURCE, 1 - rank);
    EXPECT_EQ(status.MPI_TAG, 7);
    MPI_Test_cancelled(&status, &flag);
    EXPECT_EQ(flag, 0);
  });
}

// Goal: each mode delivers each length: in a letter, copied, shown, copied by both sides.
TEST(Messages, arrive_in_every_mode_and_length) {
  run_ranks(2, [](int rank) {
    int number = 0;
    for (Send* send : {MPI_Send, MPI_Ssend, MPI_Rsend, MPI_Bsend})
      for (const std::size_t bytes : kLengths) {
        const auto expected = message(0, ++number, bytes);
        if (rank == 0) {
          ASSERT_EQ(
              send(expected.data(), static_cast<int>(bytes), MPI_BYTE, 1, number, MPI_COMM_WORLD),
              MPI_SUCCESS);
          continue;
        }
        std::vector<unsigned char> got(bytes + 1, 0xee);
        MPI_Status status;
        MPI_Recv(got.data(), static_cast<int>(bytes), MPI_BYTE, 0, number, MPI_COMM_WORLD, &status);
        ASSERT_TRUE(std::equal(expected.begin(), expected.end(), got.begin())) << bytes;
        ASSERT_EQ(got[bytes], 0xee);
        ASSERT_EQ(status.MPI_SOURCE, 0);
        ASSERT_EQ(status.MPI_TAG, number);
      }
  });
}

// Goal: messages of middle length come whole from and to elements that lie apart, whether their
// receive is posted, they are unexpected, or the ring is full; and what is too long is cut.
TEST(Messages, of_middle_length_suit_any_layout) {
  // More than a sender has blocks, or the ring has slots.
  constexpr int kMost = 260, kMessages = 600;
  run_ranks(2, [](int rank) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Datatype apart;
    MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &apart);
    MPI_Type_commit(&apart);
    for (const int count : {25, 54, 55, 128, 256, kMost})
      for (const int layouts : {0, 1, 2, 3})
        for (const bool is_posted : {true, false}) {
          const bool is_apart = (rank == 0 ? layouts & 1 : layouts & 2) != 0;
          MPI_Datatype type = is_apart ? apart : MPI_INT;
          const std::size_t step = is_apart ? 2 : 1;
          std::vector<std::vector<int>> buffers(kMessages, std::vector<int>(2 * kMost, -1));
          std::vector<MPI_Request> requests(kMessages);
          const auto start = [&] {
            for (int m = 0; m < kMessages; ++m) {
              std::vector<int>& buffer = buffers[static_cast<std::size_t>(m)];
              MPI_Request& request = requests[static_cast<std::size_t>(m)];
              const int room = m % 3 == 2 ? count - 7 : count;
              for (int i = 0; rank == 0 && i < count; ++i)
                buffer[static_cast<std::size_t>(i) * step] = 1000 * m + i;
              rank == 0 ? MPI_Isend(buffer.data(), count, type, 1, 3, MPI_COMM_WORLD, &request)
                        : MPI_Irecv(buffer.data(), room, type, 0, 3, MPI_COMM_WORLD, &request);
            }
          };
          if (rank == 0 || is_posted) start();
          MPI_Barrier(MPI_COMM_WORLD);
          if (rank == 1 && !is_posted) start();
          for (int m = 0; m < kMessages; ++m) {
            MPI_Status status;
            const int error = MPI_Wait(&requests[static_cast<std::size_t>(m)], &status);
            if (rank == 0) continue;
            const int room = m % 3 == 2 ? count - 7 : count;
            int error_class = error;
            MPI_Error_class(error, &error_class);
            ASSERT_EQ(error_class, room < count ? MPI_ERR_TRUNCATE : MPI_SUCCESS) << count;
            const std::vector<int>& got = buffers[static_cast<std::size_t>(m)];
            for (int i = 0; i < 2 * kMost; ++i) {
              const bool is_there =
                  i % static_cast<int>(step) == 0 && i / static_cast<int>(step) < room;
              ASSERT_EQ(got[static_cast<std::size_t>(i)],
                        is_there ? 1000 * m + i / static_cast<int>(step) : -1)
                  << "element " << i << " of message " << m << " of " << count;
            }
          }
        }
    MPI_Type_free(&apart);
  });
}

// Goal: a job ends though messages in blocks of ranks that end before were never received.
TEST(Messages, that_are_not_received_end_with_the_job) {
  run_ranks(3, [](int rank) {
    const std::vector<char> bytes(500, 'x');
    for (int i = 0; i < 20; ++i)
      for (const int to : {(rank + 1) % 3, (rank + 2) % 3})
        MPI_Send(bytes.data(), 500, MPI_BYTE, to, i, MPI_COMM_WORLD);
  });
}

// Goal: a probe tells what is there without taking it; a matched probe takes it.
TEST(Messages, are_seen_by_probes) {
  run_ranks(2, [](int rank) {
    int words[3] = {7, 8, 9};
    if (rank == 0) {
      MPI_Send(words, 3, MPI_INT, 1, 5, MPI_COMM_WORLD);
      MPI_Send(words, 1, MPI_INT, 1, 6, MPI_COMM_WORLD);
      return;
    }
    MPI_Status status;
    int got[3] = {}, flag = 1;
    MPI_Message taken;
    MPI_Probe(0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    EXPECT_EQ(status.MPI_TAG, 5);
    MPI_Mprobe(MPI_ANY_SOURCE, 6, MPI_COMM_WORLD, &taken, &status);
    MPI_Iprobe(0, 6, MPI_COMM_WORLD, &flag, &status);
    EXPECT_FALSE(flag);
    MPI_Mrecv(got, 3, MPI_INT, &taken, &status);
    EXPECT_EQ(got[0], 7);
    EXPECT_EQ(got[1], 0);
    EXPECT_EQ(taken, MPI_MESSAGE_NULL);
    MPI_Recv(got, 3, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    EXPECT_EQ(got[2], 9);
  });
}

// Goal: sends that are over at once have requests of which each can be completed, asked about,
// cancelled and freed, whatever becomes of the others.
TEST(Messages, that_leave_at_once_have_requests) {
  run_ranks(2, [](int rank) {
    constexpr int kCount = 80;
    if (rank == 1) {
      for (int i = 0, got = -1; i < kCount; ++i) {
        MPI_Recv(&got, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        ASSERT_EQ(got, i);
      }
      return;
    }
    std::vector<MPI_Request> requests(kCount);
    std::vector<MPI_Status> statuses(kCount);
    for (int i = 0; i < kCount; ++i) {
      MPI_Isend(&i, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, &requests[static_cast<std::size_t>(i)]);
      ASSERT_NE(requests[static_cast<std::size_t>(i)], MPI_REQUEST_NULL);
    }
    int flag = 0, index = -1, some = 0, indices[4] = {};
    MPI_Request_free(&requests[0]);
    MPI_Cancel(&requests[1]);
    MPI_Wait(&requests[1], &statuses[1]);
    MPI_Test_cancelled(&statuses[1], &flag);
    EXPECT_FALSE(flag);
    MPI_Test(&requests[2], &flag, MPI_STATUS_IGNORE);
    EXPECT_TRUE(flag);
    MPI_Request_get_status(requests[3], &flag, MPI_STATUS_IGNORE);
    EXPECT_TRUE(flag);
    MPI_Waitany(4, &requests[0], &index, &statuses[3]);
    EXPECT_EQ(index, 3);
    MPI_Waitsome(4, &requests[4], &some, indices, statuses.data());
    EXPECT_EQ(some, 4);
    for (int i = 0; i < 8; ++i)
      EXPECT_EQ(requests[static_cast<std::size_t>(i)], MPI_REQUEST_NULL) << i;
    MPI_Testall(kCount, requests.data(), &flag, statuses.data());
    EXPECT_TRUE(flag);
    EXPECT_EQ(std::count(requests.begin(), requests.end(), MPI_REQUEST_NULL), kCount);
  });
}

namespace {

/// Elements that a message consists of.
struct Content {
  int count;
  MPI_Datatype type;
};

MPI_Request begin_synchronous(bool is_persistent, const Content& content, int to) {
  static std::vector<char> bytes(100'000, 'x');
  MPI_Request request;
  if (!is_persistent) {
    MPI_Issend(bytes.data(), content.count, content.type, to, 5, MPI_COMM_WORLD, &request);
    return request;
  }
  MPI_Ssend_init(bytes.data(), content.count, content.type, to, 5, MPI_COMM_WORLD, &request);
  MPI_Start(&request);
  return request;
}

/// Whether a test says so, of a few.
bool is_soon_over(MPI_Request request) {
  int flag = 0;
  for (int looks = 0; looks < 100 && !flag; ++looks)
    MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
  return flag != 0;
}

}  // namespace

// Goal: no synchronous send is over before its receive has begun, also of nothing, of an empty
// type, to the rank itself, and where the receiver has probed.
TEST(Messages, that_are_synchronous_wait_for_their_receive) {
  run_ranks(2, [](int rank) {
    MPI_Datatype empty;
    MPI_Type_contiguous(0, MPI_INT, &empty);
    MPI_Type_commit(&empty);
    const Content contents[] = {
        {0, MPI_BYTE}, {0, empty}, {3, empty}, {1, MPI_BYTE}, {100'000, MPI_BYTE}};
    static std::vector<char> got[2] = {std::vector<char>(100'000), std::vector<char>(100'000)};
    for (const Content& content : contents)
      for (const bool to_itself : {false, true})
        for (const bool is_persistent : {false, true})
          for (const int probes : {0, 1, 2}) {
            const bool sends = rank == 0 || to_itself, receives = rank == 1 || to_itself;
            const int from = to_itself ? rank : 0;
            MPI_Request request = MPI_REQUEST_NULL;
            MPI_Message message = MPI_MESSAGE_NULL;
            if (sends) request = begin_synchronous(is_persistent, content, to_itself ? rank : 1);
            if (receives && probes == 1) MPI_Probe(from, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            if (receives && probes == 2)
              MPI_Mprobe(from, 5, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
            MPI_Barrier(MPI_COMM_WORLD);
            EXPECT_FALSE(sends && is_soon_over(request)) << content.count << ", probes " << probes;
            MPI_Barrier(MPI_COMM_WORLD);
            void* const place = got[static_cast<std::size_t>(rank)].data();
            if (receives && probes == 2)
              MPI_Mrecv(place, content.count, content.type, &message, MPI_STATUS_IGNORE);
            else if (receives)
              MPI_Recv(place, content.count, content.type, from, 5, MPI_COMM_WORLD,
                       MPI_STATUS_IGNORE);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
          }
    MPI_Type_free(&empty);
  });
}

// Goal: the same of a blocking one; and one that is cancelled is not received.
TEST(Messages, that_are_synchronous_and_empty_block_and_can_be_cancelled) {
  static std::atomic<bool> receives;
  receives = false;
  run_ranks(2, [](int rank) {
    int flag = 0;
    MPI_Status status;
    if (rank == 0) {
      MPI_Ssend(nullptr, 0, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
      EXPECT_TRUE(receives);
      MPI_Request request;
      MPI_Issend(nullptr, 0, MPI_BYTE, 1, 2, MPI_COMM_WORLD, &request);
      MPI_Cancel(&request);
      MPI_Wait(&request, &status);
      MPI_Test_cancelled(&status, &flag);
      EXPECT_TRUE(flag);
      MPI_Barrier(MPI_COMM_WORLD);
      return;
    }
    MPI_Probe(0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    receives = true;
    MPI_Recv(nullptr, 0, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Iprobe(0, 2, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    EXPECT_FALSE(flag);
  });
}

// Goal: cancelled receives and sends are over, and match nothing.
TEST(Messages, can_be_cancelled) {
  run_ranks(2, [](int rank) {
    static std::vector<char> bytes(100'000, 'x');
    int flag = 0;
    MPI_Status status;
    MPI_Request request;
    if (rank == 0) {
      MPI_Isend(bytes.data(), 100'000, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &request);
      MPI_Cancel(&request);
      MPI_Wait(&request, &status);
      MPI_Test_cancelled(&status, &flag);
      EXPECT_TRUE(flag);
      MPI_Send(&rank, 1, MPI_INT, 1, 2, MPI_COMM_WORLD);
      MPI_Send(&rank, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
      return;
    }
    int got = -1;
    MPI_Irecv(&got, 1, MPI_INT, 0, 99, MPI_COMM_WORLD, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &flag);
    EXPECT_TRUE(flag);
    MPI_Recv(&got, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, &status);  // when the other is cancelled
    MPI_Recv(&got, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &status);
    EXPECT_EQ(got, 0);
  });
}

// Goal: a sender never waits because a mailbox is full, and what lies beside it keeps its order.
TEST(Messages, beyond_the_mailbox_keep_their_order) {
  constexpr int kCount = 3000;  // the mailbox has room for 256
  run_ranks(3, [](int rank) {
    if (rank > 0) {
      std::vector<int> numbers(kCount);
      std::vector<MPI_Request> requests(kCount);
      for (int i = 0; i < kCount; ++i) {
        numbers[static_cast<std::size_t>(i)] = i;
        MPI_Isend(&numbers[static_cast<std::size_t>(i)], 1, MPI_INT, 0, 0, MPI_COMM_WORLD,
                  &requests[static_cast<std::size_t>(i)]);
      }
      MPI_Waitall(kCount, requests.data(), MPI_STATUSES_IGNORE);
      return;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    int next[3] = {};
    for (int i = 0; i < 2 * kCount; ++i) {
      int number;
      MPI_Status status;
      MPI_Recv(&number, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
      ASSERT_EQ(number, next[status.MPI_SOURCE]++);
    }
  });
}

// Goal: persistent requests start again and again.
TEST(Messages, of_persistent_requests_start_again) {
  run_ranks(2, [](int rank) {
    int word = 0;
    MPI_Request request;
    if (rank == 0)
      MPI_Send_init(&word, 1, MPI_INT, 1, 3, MPI_COMM_WORLD, &request);
    else
      MPI_Recv_init(&word, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, &request);
    for (int i = 0; i < 100; ++i) {
      if (rank == 0) word = i;
      MPI_Start(&request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      ASSERT_EQ(word, i);
      ASSERT_NE(request, MPI_REQUEST_NULL);
    }
    MPI_Request_free(&request);
    EXPECT_EQ(request, MPI_REQUEST_NULL);
  });
}

namespace {

/// What receives of a run leave open.
enum class Wildcards { none, source, tag, both };

struct Planned {
  int source, to, tag, number;
  std::size_t bytes;
};

/// A receive and what it got. The first bytes of a message are its number.
struct Got {
  int source, tag;
  std::vector<unsigned char> bytes;
  MPI_Request request;
};

std::vector<Planned> plan_messages(std::mt19937_64& random, int ranks, int count) {
  std::vector<Planned> planned;
  for (int number = 0; number < count; ++number) {
    const std::size_t lengths[] = {8, 40, 96, 97, 217, 225, 700, 1024, 1025, 3000, 9000, 70'000};
    planned.push_back({static_cast<int>(random() % static_cast<unsigned>(ranks)),
                       static_cast<int>(random() % static_cast<unsigned>(ranks)),
                       static_cast<int>(random() % 3), number,
                       lengths[random() % std::size(lengths)]});
  }
  return planned;
}

/// Sends its messages in the order of the plan, posts a receive for each that it is to get, in
/// turns that the seed decides; then waits for all.
std::vector<Got> play(std::uint64_t seed, int rank, const std::vector<Planned>& plan,
                      Wildcards wildcards) {
  std::mt19937_64 random(seed * 1000 + static_cast<unsigned>(rank));
  std::vector<Planned> out, in;
  for (const Planned& one : plan) {
    if (one.source == rank) out.push_back(one);
    if (one.to == rank) in.push_back(one);
  }
  std::vector<Got> got(in.size());
  std::vector<std::vector<unsigned char>> sent(out.size());
  std::vector<MPI_Request> sends(out.size(), MPI_REQUEST_NULL);
  std::size_t o = 0, i = 0;
  while (o < out.size() || i < in.size()) {
    if (o < out.size() && (i == in.size() || random() % 2)) {
      const Planned& one = out[o];
      sent[o] = message(one.source, one.number, one.bytes);
      std::memcpy(sent[o].data(), &one.number, sizeof one.number);
      Isend* const isend = random() % 4 == 0 ? MPI_Issend : MPI_Isend;
      isend(sent[o].data(), static_cast<int>(one.bytes), MPI_BYTE, one.to, one.tag, MPI_COMM_WORLD,
            &sends[o]);
      ++o;
      continue;
    }
    Got& place = got[i];
    const bool any_source = wildcards == Wildcards::source || wildcards == Wildcards::both;
    const bool any_tag = wildcards == Wildcards::tag || wildcards == Wildcards::both;
    place.bytes.resize(70'000);
    MPI_Irecv(place.bytes.data(), 70'000, MPI_BYTE, any_source ? MPI_ANY_SOURCE : in[i].source,
              any_tag ? MPI_ANY_TAG : in[i].tag, MPI_COMM_WORLD, &place.request);
    ++i;
  }
  for (Got& one : got) {
    MPI_Status status;
    MPI_Wait(&one.request, &status);
    int bytes;
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    one.source = status.MPI_SOURCE;
    one.tag = status.MPI_TAG;
    one.bytes.resize(static_cast<std::size_t>(bytes));
  }
  MPI_Waitall(static_cast<int>(sends.size()), sends.data(), MPI_STATUSES_IGNORE);
  return got;
}

/// "" if each message came once, whole, and none that a receive could have got overtook another of
/// the same sender that it could have got as well.
std::string judge(const std::vector<Got>& got, const std::vector<Planned>& plan, int rank,
                  Wildcards wildcards) {
  std::map<std::pair<int, int>, int> last;
  const bool any_tag = wildcards == Wildcards::tag || wildcards == Wildcards::both;
  std::vector<bool> seen(plan.size());
  for (const Got& one : got) {
    int number;
    std::memcpy(&number, one.bytes.data(), sizeof number);
    if (number < 0 || number >= static_cast<int>(plan.size())) return "a strange number";
    const Planned& planned = plan[static_cast<std::size_t>(number)];
    if (seen[static_cast<std::size_t>(number)]) return "came twice";
    seen[static_cast<std::size_t>(number)] = true;
    if (planned.to != rank || planned.source != one.source || planned.tag != one.tag ||
        planned.bytes != one.bytes.size())
      return "message " + std::to_string(number) + " has another envelope";
    auto expected = message(planned.source, number, planned.bytes);
    std::memcpy(expected.data(), &number, sizeof number);
    if (expected != one.bytes) return "message " + std::to_string(number) + " has other bytes";
    const auto [place, is_new] = last.try_emplace({one.source, any_tag ? 0 : one.tag}, number);
    if (!is_new && place->second > number) return "message " + std::to_string(number) + " is late";
    place->second = number;
  }
  return "";
}

void stress(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const int ranks = 2 + static_cast<int>(random() % 6);
  const auto wildcards = static_cast<Wildcards>(random() % 4);
  const std::vector<Planned> plan = plan_messages(random, ranks, 300);
  run_ranks(ranks, [&](int rank) {
    const std::string complaint = judge(play(seed, rank, plan, wildcards), plan, rank, wildcards);
    EXPECT_EQ(complaint, "") << "rank " << rank << ", seed " << seed;
  });
}

}  // namespace

// Goal: random messages of random ranks, with wildcards and without, match as the standard says.
// Method: what a rank got is compared with what was sent. TERRACE_SEED replays one seed.
TEST(Messages, of_random_programs_match_in_order) {
  terrace::for_seeds(8, stress);
}
