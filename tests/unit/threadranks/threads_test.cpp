// SPDX-License-Identifier: BSD-3-Clause
// Goal: several threads of a rank call MPI at once (MPI_THREAD_MULTIPLE), and each call gives what
// it gives alone. Method: ranks with threads of their own, which wait for each other's calls in
// orders that hang if a waiting thread keeps the others out.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <mutex>
#include <numeric>
#include <thread>
#include <vector>

#include "unit/threadranks/ranks.hpp"

namespace {

using terrace::testing_ranks::run_ranks_without_mpi;
using terrace::testing_ranks::run_threads;

constexpr int kThreads = 4;

/// Runs `work` by each thread of each rank, with MPI_THREAD_MULTIPLE.
void run_ranks_of_threads(int ranks, const std::function<void(int rank, int thread)>& work) {
  run_ranks_without_mpi(ranks, [&](int rank) {
    int provided = MPI_THREAD_SINGLE;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided);
    EXPECT_EQ(provided, MPI_THREAD_MULTIPLE);
    run_threads(kThreads, [&](int thread) { work(rank, thread); });
    MPI_Finalize();
  });
}

int copies_nothing(MPI_Datatype, int, void*, void*, void*, int* flag) {
  return *flag = 0;
}
int deletes_nothing(MPI_Datatype, int, void*, void*) {
  return MPI_SUCCESS;
}

TEST(ThreadsOfRanks, get_the_level_that_they_ask_for) {
  for (const int level :
       {MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED, MPI_THREAD_MULTIPLE})
    run_ranks_without_mpi(2, [&](int) {
      int provided = -1, told = -1;
      MPI_Init_thread(nullptr, nullptr, level, &provided);
      MPI_Query_thread(&told);
      EXPECT_EQ(provided, level);
      EXPECT_EQ(told, level);
      MPI_Finalize();
    });
}

TEST(ThreadsOfRanks, send_and_receive_by_their_own_tags) {
  run_ranks_of_threads(2, [](int rank, int thread) {
    for (int round = 0; round < 300; ++round) {
      const int count = round % 50 == 0 ? 40000 : 1 + round % 40;
      std::vector<int> out(static_cast<std::size_t>(count), 1000 * thread + round), in(out.size());
      MPI_Request requests[2];
      MPI_Irecv(in.data(), count, MPI_INT, 1 - rank, thread, MPI_COMM_WORLD, &requests[0]);
      MPI_Isend(out.data(), count, MPI_INT, 1 - rank, thread, MPI_COMM_WORLD, &requests[1]);
      MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
      ASSERT_EQ(in, out);
    }
  });
}

TEST(ThreadsOfRanks, wait_for_each_other_within_a_rank) {
  run_ranks_of_threads(1, [](int, int thread) {
    // Each waits for the message that the next one sends when it has got its own.
    for (int round = 0; round < 200; ++round) {
      int token = round;
      if (thread > 0) MPI_Recv(&token, 1, MPI_INT, 0, thread, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      EXPECT_EQ(token, round);
      if (thread + 1 < kThreads) MPI_Ssend(&token, 1, MPI_INT, 0, thread + 1, MPI_COMM_WORLD);
    }
  });
}

TEST(ThreadsOfRanks, start_persistent_collectives_while_others_make_blocking_ones) {
  constexpr int kRanks = 2, kRounds = 200;
  run_ranks_of_threads(kRanks, [](int rank, int thread) {
    static thread_local std::vector<double> in, out;
    static std::array<MPI_Request, kRanks> persistent;
    static std::array<std::array<double, 2>, kRanks> buffers;
    static std::array<std::atomic<int>, kRanks> initialized;
    const auto own = static_cast<std::size_t>(rank);
    if (thread == 0) {
      initialized[own] = 0;
      MPI_Allreduce_init(&buffers[own][0], &buffers[own][1], 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD,
                         MPI_INFO_NULL, &persistent[own]);
      initialized[own] = 1;
      for (int round = 0; round < kRounds; ++round) {
        const std::size_t count = std::size_t{1} << round % 12;
        in.assign(count, round + rank);
        out.assign(count, 0);
        MPI_Allreduce(in.data(), out.data(), static_cast<int>(count), MPI_DOUBLE, MPI_SUM,
                      MPI_COMM_WORLD);
        EXPECT_EQ(out, std::vector<double>(count, 2 * round + 1));
      }
    } else if (thread == 1) {
      while (initialized[own] == 0) std::this_thread::yield();
      for (int round = 0; round < kRounds; ++round) {
        buffers[own] = {round + 1.0 + rank, 0};
        MPI_Start(&persistent[own]);
        MPI_Wait(&persistent[own], MPI_STATUS_IGNORE);
        EXPECT_EQ(buffers[own][1], 2 * round + 3);
      }
      MPI_Request_free(&persistent[own]);
    }
  });
}

TEST(ThreadsOfRanks, make_collectives_while_others_wait_for_messages) {
  std::vector<MPI_Comm> comms(3 * kThreads);
  run_ranks_without_mpi(3, [&](int rank) {
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, nullptr);
    MPI_Comm own[kThreads];
    for (MPI_Comm& comm : own) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    run_threads(kThreads, [&](int thread) {
      MPI_Comm comm = own[thread];
      for (int round = 0; round < 100; ++round) {
        // Rank 0 enters when it has a message from each other rank, which another of its threads
        // may be in a collective for.
        int dummy = 0;
        if (rank == 0)
          for (int from = 1; from < 3; ++from)
            MPI_Recv(&dummy, 1, MPI_INT, from, thread, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        else
          MPI_Ssend(&dummy, 1, MPI_INT, 0, thread, MPI_COMM_WORLD);
        const int mine = rank + thread;
        int sum = 0;
        MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comm);
        ASSERT_EQ(sum, 3 + 3 * thread);
        MPI_Request request;
        MPI_Iallreduce(&mine, &sum, 1, MPI_INT, MPI_MAX, comm, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        ASSERT_EQ(sum, 2 + thread);
      }
    });
    for (MPI_Comm& comm : own) MPI_Comm_free(&comm);
    MPI_Finalize();
  });
}

TEST(ThreadsOfRanks, make_communicators_at_the_same_time) {
  run_ranks_without_mpi(3, [&](int rank) {
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, nullptr);
    MPI_Comm own[kThreads];
    for (MPI_Comm& comm : own) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    run_threads(kThreads, [&](int thread) {
      for (int round = 0; round < 20; ++round) {
        MPI_Comm made;
        MPI_Comm_split(own[thread], 0, -rank, &made);
        int place = -1, sum = 0;
        MPI_Comm_rank(made, &place);
        EXPECT_EQ(place, 2 - rank);
        MPI_Allreduce(&place, &sum, 1, MPI_INT, MPI_SUM, made);
        EXPECT_EQ(sum, 3);
        MPI_Comm_free(&made);
      }
    });
    for (MPI_Comm& comm : own) MPI_Comm_free(&comm);
    MPI_Finalize();
  });
}

TEST(ThreadsOfRanks, make_and_free_objects_at_the_same_time) {
  run_ranks_of_threads(2, [](int, int thread) {
    for (int round = 0; round < 200; ++round) {
      MPI_Datatype type, copy;
      MPI_Type_vector(3, 1, 2, MPI_INT, &type);
      MPI_Type_commit(&type);
      MPI_Type_dup(type, &copy);
      int size = 0, key = 0;
      MPI_Type_size(copy, &size);
      EXPECT_EQ(size, 12);
      MPI_Type_create_keyval(copies_nothing, deletes_nothing, &key, nullptr);
      MPI_Type_set_attr(copy, key, &size);
      void* value = nullptr;
      int flag = 0;
      MPI_Type_get_attr(copy, key, &value, &flag);
      EXPECT_TRUE(flag && value == &size);
      MPI_Type_free_keyval(&key);
      MPI_Type_free(&type);
      MPI_Type_free(&copy);
      MPI_Info info;
      MPI_Info_create(&info);
      MPI_Info_set(info, "thread", std::to_string(thread).c_str());
      char text[8] = "";
      MPI_Info_get(info, "thread", 7, text, &flag);
      EXPECT_EQ(text, std::to_string(thread));
      MPI_Info_free(&info);
      MPI_Group all, some;
      MPI_Comm_group(MPI_COMM_WORLD, &all);
      const int one = 1;
      MPI_Group_incl(all, 1, &one, &some);
      MPI_Group_size(some, &size);
      EXPECT_EQ(size, 1);
      MPI_Group_free(&some);
      MPI_Group_free(&all);
    }
  });
}

TEST(ThreadsOfRanks, probe_and_take_each_message_once) {
  constexpr int kMessages = 400;
  std::atomic<int> sum{0};
  run_ranks_of_threads(2, [&](int rank, int thread) {
    for (int i = thread; i < kMessages; i += kThreads) {
      if (rank == 0) {
        MPI_Send(&i, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        continue;
      }
      MPI_Message message;
      int value = 0;
      MPI_Mprobe(0, 0, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
      MPI_Mrecv(&value, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
      sum += value;
    }
  });
  EXPECT_EQ(sum, kMessages * (kMessages - 1) / 2);
}

TEST(ThreadsOfRanks, complete_a_request_that_another_thread_waits_for) {
  run_ranks_without_mpi(1, [](int) {
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, nullptr);
    MPI_Request request;
    MPI_Grequest_start([](void*, MPI_Status*) -> int { return MPI_SUCCESS; },
                       [](void*) -> int { return MPI_SUCCESS; },
                       [](void*, int) -> int { return MPI_SUCCESS; }, nullptr, &request);
    MPI_Request const same = request;
    run_threads(2, [&](int thread) {
      if (thread == 0)
        MPI_Wait(&request, MPI_STATUS_IGNORE);
      else
        MPI_Grequest_complete(same);
    });
    EXPECT_EQ(request, MPI_REQUEST_NULL);
    MPI_Finalize();
  });
}

/// A lock of the program's own, which its callbacks take, and a thread holds while it calls MPI.
std::mutex of_program;

int takes_lock(MPI_Comm, int, void*, void*, void*, int* flag) {
  const std::lock_guard lock(of_program);
  return *flag = 0;
}
int takes_lock_too(MPI_Comm, int, void*, void*) {
  const std::lock_guard lock(of_program);
  return MPI_SUCCESS;
}
void takes_lock_as_operator(void* in, void* inout, int* count, MPI_Datatype*) {
  const std::lock_guard lock(of_program);
  for (int i = 0; i < *count; ++i) static_cast<int*>(inout)[i] += static_cast<int*>(in)[i];
}
void takes_lock_as_handler(MPI_Comm*, int*, ...) {
  const std::lock_guard lock(of_program);
}

void probe_with_lock() {
  {
    const std::lock_guard lock(of_program);
    int flag = 0;
    MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
  }
  std::this_thread::sleep_for(std::chrono::microseconds(20));  // others get the lock
}

TEST(ThreadsOfRanks, call_while_callbacks_of_others_wait_for_their_locks) {
  run_ranks_without_mpi(1, [](int) {
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, nullptr);
    int key = 0;
    MPI_Comm_create_keyval(takes_lock, takes_lock_too, &key, nullptr);
    MPI_Errhandler handler;
    MPI_Comm_create_errhandler(takes_lock_as_handler, &handler);
    MPI_Op op;
    MPI_Op_create(takes_lock_as_operator, 1, &op);
    std::atomic<bool> is_over{false};
    run_threads(2, [&](int thread) {
      while (thread == 1 && !is_over) probe_with_lock();
      for (int round = 0; thread == 0 && round < 200; ++round) {
        MPI_Comm one, copy;
        MPI_Comm_dup(MPI_COMM_SELF, &one);
        MPI_Comm_set_attr(one, key, &key);
        MPI_Comm_dup(one, &copy);
        MPI_Comm_set_errhandler(copy, handler);
        MPI_Send(nullptr, 0, MPI_INT, 5, 0, copy);  // there is no rank 5
        int in = 1, out = 2;
        MPI_Reduce_local(&in, &out, 1, MPI_INT, op);
        EXPECT_EQ(out, 3);
        MPI_Comm_free(&copy);
        MPI_Comm_free(&one);
        MPI_Request request;
        MPI_Grequest_start(
            [](void*, MPI_Status*) {
              const std::lock_guard lock(of_program);
              return static_cast<int>(MPI_SUCCESS);
            },
            [](void*) {
              const std::lock_guard lock(of_program);
              return static_cast<int>(MPI_SUCCESS);
            },
            [](void*, int) { return static_cast<int>(MPI_SUCCESS); }, nullptr, &request);
        MPI_Grequest_complete(request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
      }
      is_over = true;
    });
    MPI_Op_free(&op);
    MPI_Errhandler_free(&handler);
    MPI_Comm_free_keyval(&key);
    MPI_Finalize();
  });
}

TEST(ThreadsOfRanks, combine_in_collectives_while_operators_wait_for_their_locks) {
  if (terrace::testing_ranks::test_processes() > 1)
    GTEST_SKIP() << "over several processes, any thread in MPI may run operators";
  run_ranks_without_mpi(2, [](int rank) {
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, nullptr);
    MPI_Op op;
    MPI_Op_create(takes_lock_as_operator, 1, &op);
    std::atomic<bool> is_over{false};
    run_threads(2, [&](int thread) {
      while (thread == 1 && !is_over) probe_with_lock();
      for (int round = 0; thread == 0 && round < 100; ++round) {
        int in = 1 + rank, out = 0;
        MPI_Allreduce(&in, &out, 1, MPI_INT, op, MPI_COMM_WORLD);
        EXPECT_EQ(out, 3);
      }
      is_over = true;
    });
    MPI_Op_free(&op);
    MPI_Finalize();
  });
}

TEST(ThreadsOfRanks, put_and_get_with_requests) {
  run_ranks_without_mpi(2, [](int rank) {
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, nullptr);
    int* memory = nullptr;
    MPI_Win win;
    MPI_Win_allocate(kThreads * 4, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    MPI_Win_lock_all(0, win);
    run_threads(kThreads, [&](int thread) {
      for (int round = 1; round <= 200; ++round) {
        const int out = 1000 * thread + round;
        int in = 0;
        MPI_Request request;
        MPI_Rput(&out, 1, MPI_INT, 1 - rank, thread, 1, MPI_INT, win, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Win_flush(1 - rank, win);
        MPI_Rget(&in, 1, MPI_INT, 1 - rank, thread, 1, MPI_INT, win, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        ASSERT_EQ(in, out);
      }
    });
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
  });
}

TEST(ThreadsOfRanks, begin_sessions_of_their_own) {
  run_ranks_without_mpi(2, [](int rank) {
    run_threads(kThreads, [&](int thread) {
      MPI_Session session;
      MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
      MPI_Group group;
      MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
      MPI_Comm comm;
      MPI_Comm_create_from_group(group, std::to_string(thread).c_str(), MPI_INFO_NULL,
                                 MPI_ERRORS_RETURN, &comm);
      int sum = 0;
      MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
      EXPECT_EQ(sum, 1);
      MPI_Comm_free(&comm);
      MPI_Group_free(&group);
      MPI_Session_finalize(&session);
    });
  });
}

}  // namespace
