// SPDX-License-Identifier: BSD-3-Clause
// Times the sum kernels of each instruction set against memcpy and a plain loop on the same memory,
// and prints one JSON object per line. run.py asks the question and keeps the answer.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "kernels/testing.hpp"

namespace {

using terrace::Stores;

constexpr std::size_t kMostOperands = 8;
constexpr std::size_t kLargestBytes = std::size_t{32} << 20;
constexpr std::size_t kLine = 64;
// Arrays start this much more than a multiple of 4 KiB apart. Loads would else wait for stores
// whose addresses agree in their last twelve bits.
constexpr std::size_t kStagger = 5 * kLine;
constexpr int kRounds = 25;
// Shorter than a time slice, so that some rounds pass undisturbed on a busy machine.
constexpr double kNanosecondsPerSample = 5e5;

double now_ns() {
  using namespace std::chrono;
  return static_cast<double>(
      duration_cast<nanoseconds>(steady_clock::now().time_since_epoch()).count());
}

/// The operands and the target, far enough apart and touched.
struct Arrays {
  std::vector<double> memory;
  std::vector<const void*> operands;
  void* target = nullptr;

  Arrays() : memory((kMostOperands + 1) * stride() + kLine / sizeof(double), 1.0) {
    double* first = memory.data();
    while (reinterpret_cast<std::uintptr_t>(first) % kLine != 0) ++first;
    for (std::size_t j = 0; j < kMostOperands; ++j) operands.push_back(first + (j + 1) * stride());
    target = first;
  }
  static std::size_t stride() { return (kLargestBytes + kStagger) / sizeof(double); }
};

/// Nanoseconds per call of one thing to be timed, one sample per round.
template <class Call>
double sample(std::size_t calls, const Call& call) {
  const double start = now_ns();
  for (std::size_t i = 0; i < calls; ++i) {
    call();
    asm volatile("" ::: "memory");  // or the compiler would drop repeated plain loops
  }
  return (now_ns() - start) / static_cast<double>(calls);
}

/// Finds how many calls fill one sample, judged by doubling.
template <class Call>
std::size_t calls_per_sample(const Call& call) {
  std::size_t calls = 1;
  while (sample(calls, call) * static_cast<double>(calls) < kNanosecondsPerSample) calls *= 2;
  return calls;
}

struct Spread {
  double median, low, high;
};

Spread spread_of(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  return {samples[samples.size() / 2], samples.front(), samples.back()};
}

/// A contestant at one point; all are timed in turn, so that a change of the machine's mood meets
/// all alike.
struct Contestant {
  std::string name;  // instruction set, "memcpy" or "plain loop"
  terrace::Reduction reduction;
  std::size_t operand_count;
  Stores stores;
};

void plain_sum(const Arrays& arrays, std::size_t elements) {
  const auto* a = static_cast<const double*>(arrays.operands[0]);
  const auto* b = static_cast<const double*>(arrays.operands[1]);
  auto* to = static_cast<double*>(arrays.target);
  for (std::size_t i = 0; i < elements; ++i) to[i] = a[i] + b[i];
}

template <class Use>
auto with_call(const Contestant& who, Arrays& arrays, std::size_t bytes, const Use& use) {
  const std::size_t elements = bytes / sizeof(double);
  if (who.name == "memcpy")
    return use([&] { std::memcpy(arrays.target, arrays.operands[0], bytes); });
  if (who.name == "plain loop") return use([&] { plain_sum(arrays, elements); });
  return use([&] {
    who.reduction(arrays.operands.data(), who.operand_count, &arrays.target, 1, elements,
                  who.stores);
  });
}

std::vector<Contestant> contestants(std::size_t bytes) {
  std::vector<Contestant> all = {{"memcpy", nullptr, 1, Stores::cached},
                                 {"plain loop", nullptr, 2, Stores::cached}};
  for (const std::string& set : terrace::available_instruction_sets())
    for (std::size_t operand_count : {2, 3, 4, 8}) {
      const auto sum =
          terrace::find_reduction_for(set, terrace::Type::float64, terrace::Operator::sum);
      all.push_back({set, sum, operand_count, Stores::cached});
      if (bytes >= 4096) all.push_back({set, sum, operand_count, Stores::streaming});
    }
  return all;
}

void print(const Contestant& who, std::size_t bytes, const Spread& ns) {
  const double moved = static_cast<double>(bytes * (who.operand_count + 1));
  std::printf(
      "{\"who\": \"%s\", \"operands\": %zu, \"bytes\": %zu, \"stores\": \"%s\", \"ns\": %.2f, "
      "\"ns_low\": %.2f, \"ns_high\": %.2f, \"gb_per_s\": %.3f, \"gb_per_s_best\": %.3f}\n",
      who.name.c_str(), who.operand_count, bytes,
      who.stores == Stores::streaming ? "streaming" : "cached", ns.median, ns.low, ns.high,
      moved / ns.median, moved / ns.low);
}

void measure(std::size_t bytes, Arrays& arrays) {
  const std::vector<Contestant> all = contestants(bytes);
  std::vector<std::size_t> calls;
  for (const Contestant& who : all)
    calls.push_back(
        with_call(who, arrays, bytes, [](const auto& call) { return calls_per_sample(call); }));
  std::vector<std::vector<double>> samples(all.size());
  for (int round = 0; round < kRounds; ++round)
    for (std::size_t c = 0; c < all.size(); ++c)
      samples[c].push_back(with_call(all[c], arrays, bytes,
                                     [&](const auto& call) { return sample(calls[c], call); }));
  for (std::size_t c = 0; c < all.size(); ++c) print(all[c], bytes, spread_of(samples[c]));
}

}  // namespace

int main() {
  Arrays arrays;
  for (std::size_t bytes :
       {std::size_t{8}, std::size_t{64}, std::size_t{512}, std::size_t{4} << 10,
        std::size_t{32} << 10, std::size_t{256} << 10, std::size_t{2} << 20, kLargestBytes})
    measure(bytes, arrays);
  return 0;
}
