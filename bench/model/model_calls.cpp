// SPDX-License-Identifier: BSD-3-Clause
// Two threads on two cores: what lines cost between them, for a machine file written by hand, and
// how long calls take with one algorithm after the other. JSON, a line for each number.
//
// A call's time is from when the last of both enters to when the last has returned, after each has
// read its result of the call before and written to every line of its input, as predictions have
// it.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <functional>
#include <vector>

#include "collectives/collectives.hpp"
#include "crew.hpp"
#include "engine/team_endpoint.hpp"

namespace {

using namespace terrace;
using bench::now_ns;

constexpr Rank kRanks = 2;
constexpr std::size_t kLine = 64, kMostBytes = 1 << 20, kScratchBytes = std::size_t{8} << 20;
constexpr int kSamples = 400;
constexpr double kAhead = 2000;  ///< ns until both enter: more than a barrier takes

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

struct alignas(4096) Memory {
  std::vector<std::byte> bytes = std::vector<std::byte>(16 * kMostBytes + 4096);
  std::byte* begin() {
    return bytes.data() + (4096 - reinterpret_cast<std::uintptr_t>(bytes.data()) % 4096);
  }
};

void write_lines(std::byte* at, std::size_t bytes, int value) {
  for (std::size_t i = 0; i < bytes; i += kLine) at[i] = static_cast<std::byte>(value);
}

volatile std::byte sink;

void read_lines(const std::byte* at, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; i += kLine) sink = at[i];
}

/// The hierarchy as the machine file has it: each rank by itself.
Hierarchy two_cores() {
  Hierarchy hierarchy = flat_hierarchy(kRanks);
  for (Rank rank = 0; rank < kRanks; ++rank)
    hierarchy.all.children.push_back({"core", rank, {rank}, {}});
  return hierarchy;
}

class Measurement {
 public:
  Measurement() : crew_(kRanks) {}

  double clock() {
    std::vector<double> samples;
    for (int i = 0; i < kSamples; ++i) {
      const double begin = now_ns();
      samples.push_back(now_ns() - begin);
    }
    return median(samples);
  }

  /// Rank 0 works on what rank 1 has prepared, both with memory of their own.
  double after(const std::function<void(std::byte* theirs, std::byte* mine)>& prepare,
               const std::function<void(std::byte* theirs, std::byte* mine)>& work) {
    std::vector<double> samples(kSamples);
    crew_.run([&](Rank rank) {
      for (int i = 0; i < kSamples; ++i) {
        if (rank == 1) prepare(memory_[1].begin(), memory_[0].begin());
        crew_.barrier(rank);
        const double begin = now_ns();
        if (rank == 0) work(memory_[1].begin(), memory_[0].begin());
        if (rank == 0) samples[static_cast<std::size_t>(i)] = now_ns() - begin;
        crew_.barrier(rank);
      }
    });
    return median(samples) - clock();
  }

  double call(Collective collective, std::string_view algorithm, std::size_t bytes, bool is_direct);

  /// A call without peers: what a core does by itself.
  double lone_call(Collective collective, std::string_view algorithm);

  double signal() {
    std::vector<double> probes(kRanks);
    crew_.run([&](Rank rank) { probes[rank] = crew_.probe(rank); });
    return probes[0];
  }

 private:
  bench::Crew crew_;
  Memory memory_[kRanks];
};

void make(TeamEndpoint& endpoint, Collective collective, std::byte* input, std::byte* output,
          std::size_t bytes) {
  const Elements doubles{bytes / 8, 8, find_reduction(Type::float64, Operator::sum), false};
  switch (collective) {
    case Collective::barrier:
      endpoint.barrier();
      break;
    case Collective::bcast:
      endpoint.bcast(input, bytes, 0);
      break;
    case Collective::reduce:
      endpoint.reduce(input, output, doubles, 0);
      break;
    case Collective::allreduce:
      endpoint.allreduce(input, output, doubles);
      break;
    default:
      endpoint.allgather(input, output, bytes);
  }
}

double Measurement::call(Collective collective, std::string_view algorithm, std::size_t bytes,
                         bool is_direct) {
  ThreadMemory memory(kRanks, kScratchBytes);
  for (const RankMemory& share : memory.memory().ranks) prepare(share, 0);
  PlanCache plan_cache(two_cores());
  std::vector<double> begins[kRanks], ends[kRanks];
  std::atomic<double> together = 0;
  crew_.run([&](Rank rank) {
    WaitEnvironment wait_environment;
    EndpointOptions options;
    options.reach = is_direct ? Reach::direct : Reach::bounced;
    options.traits = {kRanks, is_direct, false};
    Choice choice;
    choice.algorithm = algorithm;
    if (is_direct) choice.strip_bytes = kWhole;
    options.forced = choice;
    options.wait_environment = &wait_environment;
    TeamEndpoint endpoint(memory.memory(), rank, plan_cache, options);
    std::byte* const input = memory_[rank].begin();
    std::byte* const output = input + 2 * kMostBytes;
    const std::size_t output_bytes = has_block_per_rank(collective) ? kRanks * bytes : bytes;
    for (int i = 0; i < kSamples; ++i) {
      write_lines(input, bytes, i);
      // Out of a barrier one comes a signal before the other.
      if (rank == 0) together.store(now_ns() + kAhead, std::memory_order_relaxed);
      crew_.barrier(rank);
      const double enter = together.load(std::memory_order_relaxed);
      while (now_ns() < enter) {
      }
      begins[rank].push_back(now_ns());
      make(endpoint, collective, input, output, bytes);
      ends[rank].push_back(now_ns());
      const bool has_result = collective != Collective::reduce || rank == 0;
      read_lines(collective == Collective::bcast ? input : output, has_result ? output_bytes : 0);
      crew_.barrier(rank);
    }
  });
  std::vector<double> samples;
  for (std::size_t i = kSamples / 10; i < kSamples; ++i)
    samples.push_back(std::max(ends[0][i], ends[1][i]) - std::max(begins[0][i], begins[1][i]));
  return median(samples) - clock();
}

double Measurement::lone_call(Collective collective, std::string_view algorithm) {
  ThreadMemory memory(1, kScratchBytes);
  prepare(memory.memory().ranks[0], 0);
  PlanCache plan_cache(flat_hierarchy(1));
  WaitEnvironment wait_environment;
  EndpointOptions options;
  options.traits = {1, true, false};
  options.reach = Reach::direct;
  options.wait_environment = &wait_environment;
  Choice choice;
  choice.algorithm = algorithm;
  options.forced = choice;
  TeamEndpoint endpoint(memory.memory(), 0, plan_cache, options);
  std::vector<double> samples;
  for (int i = 0; i < kSamples; ++i) {
    write_lines(memory_[0].begin(), 8, i);
    const double enter = now_ns() + kAhead;
    while (now_ns() < enter) {
    }
    const double begin = now_ns();
    make(endpoint, collective, memory_[0].begin(), memory_[0].begin() + kMostBytes, 8);
    samples.push_back(now_ns() - begin);
  }
  return median(samples) - clock();
}

void print_parameters(Measurement& machine) {
  const auto print = [](const char* name, double ns) {
    std::printf("{\"parameter\": \"%s\", \"ns\": %.2f}\n", name, ns);
  };
  const auto nothing = [](std::byte*, std::byte*) {};
  print("clock", machine.clock());
  print("signal", machine.signal());
  print("allreduce.all_read of 8 bytes by one rank",
        machine.lone_call(Collective::allreduce, "allreduce.all_read"));
  print("allreduce.tree of 8 bytes by one rank",
        machine.lone_call(Collective::allreduce, "allreduce.tree"));
  print("reduce.all_read of 8 bytes by one rank",
        machine.lone_call(Collective::reduce, "reduce.all_read"));
  print("barrier.all_read of one rank", machine.lone_call(Collective::barrier, "barrier.all_read"));
  for (const std::size_t lines : {1u, 16u, 64u, 256u, 1024u, 4096u}) {
    const std::size_t bytes = lines * kLine;
    const auto theirs = [bytes](std::byte* at, std::byte*) { write_lines(at, bytes, 1); };
    const auto name = [&](const char* what) {
      static char text[60];
      std::snprintf(text, sizeof text, "%s of %zu lines", what, lines);
      return text;
    };
    const auto copy = [bytes](std::byte* from, std::byte* to) { std::memcpy(to, from, bytes); };
    print(name("copying a peer's modified"), machine.after(theirs, copy));
    const auto read = [bytes](std::byte* at, std::byte*) {
      for (std::size_t i = 0; i < bytes; i += kLine) sink = at[i];
    };
    print(name("reading a peer's modified"), machine.after(theirs, read));
    const auto looked_at = [bytes](std::byte*, std::byte* at) {
      for (std::size_t i = 0; i < bytes; i += kLine) sink = at[i];
    };
    const auto own = [bytes](std::byte*, std::byte* at) { write_lines(at, bytes, 2); };
    print(name("writing own, read by a peer,"), machine.after(looked_at, own));
    const auto copy_own = [bytes](std::byte*, std::byte* at) {
      std::memcpy(at, at + 4 * kMostBytes, bytes);
    };
    print(name("copying own"), machine.after(nothing, copy_own));
    const auto combine = [bytes](std::byte*, std::byte* at) {
      const void* operands[] = {at + 4 * kMostBytes, at + 6 * kMostBytes};
      void* target = at;
      find_reduction(Type::float64, Operator::sum)(operands, 2, &target, 1, bytes / 8,
                                                   Stores::cached);
    };
    print(name("combining two own"), machine.after(nothing, combine));
  }
}

void print_calls(Measurement& machine) {
  for (const Algorithm& row : algorithms()) {
    const bool is_asked = row.collective <= Collective::allgather;
    if (!is_asked) continue;
    for (const std::size_t bytes : {8u, 64u, 1024u, 8192u, 65536u, 262144u, 1048576u}) {
      const bool is_barrier = row.collective == Collective::barrier;
      if (is_barrier && bytes != 8) continue;
      const bool fits = bytes <= kPayloadBytes ? row.fits_lines : row.fits_long;
      for (const bool is_direct : {true, false}) {
        if (!fits || (bytes <= kPayloadBytes && !is_direct)) continue;
        std::printf("{\"algorithm\": \"%s\", \"bytes\": %zu, \"reach\": \"%s\", \"ns\": %.1f}\n",
                    std::string(row.name).c_str(), is_barrier ? 0 : bytes,
                    is_direct ? "direct" : "bounced",
                    machine.call(row.collective, row.name, bytes, is_direct));
      }
    }
  }
}

}  // namespace

int main(int count, char** words) {
  Measurement machine;
  if (machine.signal() == 0) {
    std::fputs("model_calls: expected two cores of its own\n", stderr);
    return 1;
  }
  const bool parameters_only = count > 1 && std::strcmp(words[1], "--parameters") == 0;
  print_parameters(machine);
  if (!parameters_only) print_calls(machine);
  return 0;
}
