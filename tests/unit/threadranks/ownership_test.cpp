// SPDX-License-Identifier: BSD-3-Clause
// Messages that hand their memory over, among themselves and with those that are copied.
#include "terrace/ownership.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>

#include "unit/threadranks/ranks.hpp"

using terrace::testing_ranks::run_ranks;

namespace {

const MPI_Count kBytesSent[] = {1, 8, 96, 97, 224, 225, 1000, 8192, 8193, 100'000, 1 << 20};

void fill(unsigned char* memory, MPI_Count bytes, int number) {
  for (MPI_Count i = 0; i < bytes; ++i)
    memory[i] = static_cast<unsigned char>(number * 7 + static_cast<int>(i % 251));
}

unsigned char* filled(MPI_Count bytes, int number) {
  unsigned char* memory = nullptr;
  MPI_Alloc_mem(bytes, MPI_INFO_NULL, &memory);
  fill(memory, bytes, number);
  return memory;
}

/// Also frees it.
bool is_filled(unsigned char* memory, MPI_Count bytes, int number) {
  if (memory == nullptr) return false;
  std::vector<unsigned char> expected(static_cast<std::size_t>(bytes));
  fill(expected.data(), bytes, number);
  const bool is_right = std::equal(expected.begin(), expected.end(), memory);
  MPI_Free_mem(memory);
  return is_right;
}

void expect_status(const MPI_Status& status, int source, int tag, MPI_Count bytes) {
  int count = -1;
  MPI_Get_count(&status, MPI_BYTE, &count);
  EXPECT_EQ(count, bytes);
  EXPECT_EQ(status.MPI_SOURCE, source);
  EXPECT_EQ(status.MPI_TAG, tag);
}

void return_errors() {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
}

}  // namespace

// Goal: the memory itself arrives, whether or not it is waited for, and its giver has it no more.
TEST(Ownership, is_handed_over_with_the_message) {
  static std::atomic<unsigned char*> given;  // plain variables are shared by ranks of this test
  run_ranks(2, [](int rank) {
    int number = 0;
    for (const bool is_expected : {false, true})
      for (const MPI_Count bytes : kBytesSent) {
        unsigned char* memory = nullptr;
        ++number;
        MPI_Request request;
        if (rank == 1 && is_expected)
          MPIX_Itake(&memory, 1 << 20, MPI_BYTE, 0, number, MPI_COMM_WORLD, &request);
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 0) {
          memory = filled(bytes, number);
          given = memory;
          EXPECT_EQ(MPIX_Give(&memory, bytes, MPI_BYTE, 1, number, MPI_COMM_WORLD), MPI_SUCCESS);
          EXPECT_TRUE(memory == nullptr);
        }
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 0) continue;
        MPI_Status status;
        if (is_expected)
          MPI_Wait(&request, &status);
        else
          MPIX_Take(&memory, bytes, MPI_BYTE, 0, number, MPI_COMM_WORLD, &status);
        // Another process has it as a copy.
        EXPECT_TRUE(memory == given || terrace::testing_ranks::test_processes() > 1);
        expect_status(status, 0, number, bytes);
        EXPECT_TRUE(is_filled(memory, bytes, number)) << bytes;
      }
  });
}

// Goal: who knows nothing of ownership gets a given message like any other, also once it is probed.
TEST(Ownership, ends_at_ordinary_receives) {
  run_ranks(2, [](int rank) {
    int number = 0;
    for (const MPI_Count bytes : kBytesSent) {
      number += 3;
      std::vector<unsigned char> got(static_cast<std::size_t>(bytes));
      const int length = static_cast<int>(bytes);
      MPI_Request request;
      if (rank == 1) MPI_Irecv(got.data(), length, MPI_BYTE, 0, number, MPI_COMM_WORLD, &request);
      MPI_Barrier(MPI_COMM_WORLD);
      for (int i = 0; i < 3 && rank == 0; ++i) {
        unsigned char* memory = filled(bytes, number + i);
        MPIX_Give(&memory, bytes, MPI_BYTE, 1, number + i, MPI_COMM_WORLD);
      }
      if (rank == 0) continue;
      const auto is_right = [&](int of) {
        std::vector<unsigned char> expected(got.size());
        fill(expected.data(), bytes, of);
        return std::exchange(got, std::vector<unsigned char>(got.size())) == expected;
      };
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      EXPECT_TRUE(is_right(number)) << bytes;
      MPI_Status status;
      MPI_Probe(0, number + 1, MPI_COMM_WORLD, &status);
      expect_status(status, 0, number + 1, bytes);
      MPI_Recv(got.data(), length, MPI_BYTE, 0, number + 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      EXPECT_TRUE(is_right(number + 1)) << bytes;
      MPI_Message message;
      MPI_Mprobe(0, number + 2, MPI_COMM_WORLD, &message, &status);
      MPI_Mrecv(got.data(), length, MPI_BYTE, &message, MPI_STATUS_IGNORE);
      EXPECT_TRUE(is_right(number + 2)) << bytes;
    }
  });
}

// Goal: what was sent in any mode can be taken, before and after it is there, copies included that
// a sender has left because no receiver came.
TEST(Ownership, begins_at_ordinary_sends) {
  using Send = int(const void*, int, MPI_Datatype, int, int, MPI_Comm);
  static std::atomic<int> sent;
  sent = 0;
  run_ranks(2, [](int rank) {
    int number = 0;
    for (Send* send : {MPI_Send, MPI_Ssend, MPI_Bsend})
      for (const bool is_late : {false, true})
        for (const MPI_Count bytes : kBytesSent) {
          ++number;
          if (rank == 0) {
            std::vector<unsigned char> from(static_cast<std::size_t>(bytes));
            fill(from.data(), bytes, number);
            send(from.data(), static_cast<int>(bytes), MPI_BYTE, 1, number, MPI_COMM_WORLD);
            sent = number;
            continue;
          }
          // Longer ones, and synchronous ones, wait for a receiver.
          if (is_late && send != MPI_Ssend && bytes <= 8192)
            while (sent < number) std::this_thread::yield();
          unsigned char* memory = nullptr;
          MPI_Status status;
          if (is_late) {
            MPIX_Take(&memory, bytes, MPI_BYTE, 0, number, MPI_COMM_WORLD, &status);
          } else {
            MPI_Request request;
            MPIX_Itake(&memory, bytes, MPI_BYTE, 0, number, MPI_COMM_WORLD, &request);
            MPI_Wait(&request, &status);
          }
          expect_status(status, 0, number, bytes);
          EXPECT_TRUE(is_filled(memory, bytes, number)) << bytes;
        }
  });
}

// Goal: given and sent messages overtake each other as little as sent ones, beyond the mailbox too.
TEST(Ownership, keeps_the_order_of_messages) {
  constexpr int kCount = 600;  // the mailbox has room for 256
  run_ranks(3, [](int rank) {
    for (int i = 0; i < kCount && rank > 0; ++i) {
      unsigned char* memory = filled(40 + i, i);
      if (i % 2 == 0)
        MPIX_Give(&memory, 40 + i, MPI_BYTE, 0, i, MPI_COMM_WORLD);
      else
        MPI_Send(memory, 40 + i, MPI_BYTE, 0, i, MPI_COMM_WORLD);
      if (memory != nullptr) MPI_Free_mem(memory);
    }
    if (rank > 0) return;
    int next[3] = {0, 0, 0};
    for (int i = 0; i < 2 * kCount; ++i) {
      unsigned char* memory = nullptr;
      MPI_Status status;
      MPIX_Take(&memory, 5000, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
      const int number = next[status.MPI_SOURCE]++;
      expect_status(status, status.MPI_SOURCE, number, 40 + number);
      ASSERT_TRUE(is_filled(memory, 40 + number, number));
    }
  });
}

// Goal: messages to oneself, to and from MPI_PROC_NULL, and of nothing.
TEST(Ownership, of_nothing_and_of_nobody) {
  run_ranks(1, [](int) {
    unsigned char* memory = filled(10, 1);
    unsigned char* const own = memory;
    MPIX_Give(&memory, 10, MPI_BYTE, 0, 0, MPI_COMM_SELF);
    MPIX_Take(&memory, 10, MPI_BYTE, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    EXPECT_TRUE(memory == own);
    MPIX_Give(&memory, 10, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    EXPECT_TRUE(memory == nullptr);
    memory = own;  // freed: not to be looked at
    MPI_Status status;
    MPIX_Take(&memory, 10, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &status);
    EXPECT_TRUE(memory == nullptr);
    expect_status(status, MPI_PROC_NULL, MPI_ANY_TAG, 0);
    MPI_Request request;
    memory = own;
    MPIX_Itake(&memory, 10, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    EXPECT_TRUE(memory == nullptr);

    // Null may be given as nothing; it is received as nothing.
    for (int i = 0; i < 2; ++i) {
      memory = nullptr;
      ASSERT_EQ(MPIX_Give(&memory, 0, MPI_INT, 0, 0, MPI_COMM_WORLD), MPI_SUCCESS);
    }
    MPIX_Take(&memory, 3, MPI_INT, 0, 0, MPI_COMM_WORLD, &status);
    expect_status(status, 0, 0, 0);
    std::free(memory);
    int number = 17;
    MPI_Recv(&number, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &status);
    expect_status(status, 0, 0, 0);
    EXPECT_EQ(number, 17);
  });
}

// Goal: a take that is cancelled leaves the message to another; given up, it goes on.
TEST(Ownership, can_be_cancelled_or_left_alone) {
  run_ranks(1, [](int) {
    unsigned char* memory = filled(10, 1);
    unsigned char* taken = memory;
    MPI_Request request;
    MPI_Status status;
    int is_cancelled = 0;
    MPIX_Itake(&taken, 10, MPI_BYTE, 0, 5, MPI_COMM_WORLD, &request);
    EXPECT_TRUE(taken == nullptr);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &is_cancelled);
    EXPECT_TRUE(is_cancelled);
    EXPECT_TRUE(taken == nullptr);
    MPIX_Itake(&taken, 10, MPI_BYTE, 0, 5, MPI_COMM_WORLD, &request);
    MPI_Request_free(&request);
    MPIX_Give(&memory, 10, MPI_BYTE, 0, 5, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Iprobe(0, 5, MPI_COMM_WORLD, &is_cancelled, &status);
    EXPECT_FALSE(is_cancelled);
    EXPECT_TRUE(is_filled(taken, 10, 1));
  });
}

// Goal: what cannot be given stays the program's, and is an error of the right class.
TEST(Ownership, is_kept_after_an_error) {
  run_ranks(1, [](int) {
    return_errors();
    unsigned char* memory = filled(100, 3);
    unsigned char* const own = memory;
    unsigned char* null = nullptr;
    MPI_Request request;
    const auto give = [&](void* buffer, MPI_Count count, MPI_Datatype type, int to, int tag) {
      return MPIX_Give(buffer, count, type, to, tag, MPI_COMM_WORLD);
    };
    EXPECT_EQ(give(nullptr, 1, MPI_BYTE, 0, 0), MPI_ERR_BUFFER);
    EXPECT_EQ(give(&null, 1, MPI_BYTE, 0, 0), MPI_ERR_BUFFER);
    EXPECT_EQ(give(&memory, -1, MPI_BYTE, 0, 0), MPI_ERR_COUNT);
    EXPECT_EQ(give(&memory, 1, MPI_DATATYPE_NULL, 0, 0), MPI_ERR_TYPE);
    EXPECT_EQ(give(&memory, 1, MPI_DOUBLE_INT, 0, 0), MPI_ERR_TYPE);  // 4 bytes are left out
    EXPECT_EQ(give(&memory, 1, MPI_BYTE, 1, 0), MPI_ERR_RANK);
    EXPECT_EQ(give(&memory, 1, MPI_BYTE, 0, -5), MPI_ERR_TAG);
    EXPECT_EQ(MPIX_Take(nullptr, 1, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
              MPI_ERR_BUFFER);
    EXPECT_EQ(MPIX_Itake(&null, 1, MPI_DOUBLE_INT, 0, 0, MPI_COMM_WORLD, &request), MPI_ERR_TYPE);
    EXPECT_TRUE(memory == own);
    EXPECT_TRUE(is_filled(memory, 100, 3));
  });
}

// Goal: a message longer than expected is an error, and its beginning is there to be freed.
TEST(Ownership, of_too_long_a_message_is_truncated) {
  run_ranks(1, [](int) {
    return_errors();
    for (const bool is_given : {true, false}) {
      unsigned char* memory = filled(90, 3);
      for (int i = 0; i < 2; ++i)
        if (is_given) {
          MPIX_Give(&memory, 90, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
          if (i == 0) memory = filled(90, 3);
        } else {
          MPI_Send(memory, 90, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
        }
      if (memory != nullptr) MPI_Free_mem(memory);
      MPI_Status status;
      EXPECT_EQ(MPIX_Take(&memory, 20, MPI_INT, 0, 0, MPI_COMM_WORLD, &status), MPI_ERR_TRUNCATE);
      expect_status(status, 0, 0, 80);
      EXPECT_TRUE(is_filled(memory, 80, 3));
      MPI_Request request;
      MPIX_Itake(&memory, 20, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
      EXPECT_EQ(MPI_Wait(&request, &status), MPI_ERR_TRUNCATE);
      EXPECT_TRUE(is_filled(memory, 80, 3));
    }
  });
}

// Goal: where there is no memory for a sent message, its taker hears of it, and its sender goes on.
TEST(Ownership, without_memory_is_an_error) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers end a program that wants so much";
#elif defined(TERRACE_IS_EMULATED)
  GTEST_SKIP() << "an emulator has notes of each page: of so many, more than this machine's memory";
#endif
  constexpr std::size_t kBytes = std::size_t{64} << 40;  // an address space has no room for two
  void* const much =
      mmap(nullptr, kBytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (much == MAP_FAILED) GTEST_SKIP() << "this system gives nobody so much of an address space";
  run_ranks(2, [&](int rank) {
    return_errors();
    for (const bool waits : {false, true}) {
      unsigned char* memory = nullptr;
      MPI_Request request;
      if (rank == 0) {
        EXPECT_EQ(MPI_Send_c(much, kBytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD), MPI_SUCCESS);
      } else if (waits) {
        MPIX_Itake(&memory, kBytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &request);
        EXPECT_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_ERR_NO_MEM);
      } else {
        EXPECT_EQ(MPIX_Take(&memory, kBytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
                  MPI_ERR_NO_MEM);
      }
      EXPECT_TRUE(memory == nullptr);
    }
  });
  munmap(much, kBytes);
}
