// SPDX-License-Identifier: BSD-3-Clause
// Asks the processor which instruction sets it has, and chooses one kernel set per process.
//
// It uses the compiler's own query, which is linked statically with its support library and knows
// whether the system saves the wide registers, so nothing beyond libc is needed at run time; on
// AArch64, what the system says of itself.
#include "kernels/kernel_set.hpp"

#if defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#endif

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "base/contract.hpp"
#include "kernels/overlap.hpp"
#include "kernels/testing.hpp"

namespace terrace {
namespace {

constexpr const char* kNames[kInstructionSets] = {"baseline", "SSE4", "AVX2",
                                                  "AVX3",     "NEON", "SVE"};

// The processor must have everything that Highway lets the compiler use for the set.
bool processor_has(InstructionSet set) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_cpu_init();
  const bool sse4 = __builtin_cpu_supports("sse4.1") && __builtin_cpu_supports("sse4.2") &&
                    __builtin_cpu_supports("aes") && __builtin_cpu_supports("pclmul");
  const bool avx2 = sse4 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                    __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
  const bool avx3 = avx2 && __builtin_cpu_supports("avx512f") &&
                    __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
                    __builtin_cpu_supports("avx512bw");
  switch (set) {
    case InstructionSet::baseline:
      return true;
    case InstructionSet::sse4:
      return sse4;
    case InstructionSet::avx2:
      return avx2;
    case InstructionSet::avx3:
      return avx3;
    case InstructionSet::neon:
    case InstructionSet::sve:
      return false;
  }
  return false;
#else
#if defined(__aarch64__) && defined(__linux__)
  if (set == InstructionSet::sve) return (getauxval(AT_HWCAP) & HWCAP_SVE) != 0;
#endif
  // Elsewhere a set is compiled only if every processor the compiler targets has it.
  return set == InstructionSet::baseline || set == InstructionSet::neon;
#endif
}

KernelSet load(InstructionSet set) {
  KernelSet kernels;
  if (!processor_has(set)) return kernels;
  add_plain(kernels);  // first: some sets have better
  const bool complete = add_sums(set, kernels) && add_products(set, kernels) &&
                        add_extremes(set, kernels) && add_logic(set, kernels) &&
                        add_complex(set, kernels) && add_copies(set, kernels);
  TERRACE_ASSERT(!complete || kernels.copy != nullptr);
  if (complete) kernels.name = kNames[static_cast<std::size_t>(set)];
  return kernels;
}

/// The sets this process can run, from the least to the most capable; the others have no name.
const std::array<KernelSet, kInstructionSets>& all_sets() {
  static const std::array<KernelSet, kInstructionSets> sets = [] {
    std::array<KernelSet, kInstructionSets> loaded;
    for (std::size_t i = 0; i < kInstructionSets; ++i) loaded[i] = load(InstructionSet(i));
    return loaded;
  }();
  return sets;
}

const KernelSet* find_set(const char* name) {
  if (name == nullptr) return nullptr;
  for (const KernelSet& set : all_sets())
    if (set.name != nullptr && std::strcmp(set.name, name) == 0) return &set;
  return nullptr;
}

const KernelSet& choose() {
  if (const KernelSet* forced = find_set(std::getenv("TERRACE_ISA"))) return *forced;
  const KernelSet* best = nullptr;
  for (const KernelSet& set : all_sets()) {
    if (set.name == nullptr) continue;
    // Vectors of SVE may be as short as NEON's, and then only have their masks to compute as well.
    const bool is_sve = &set == &all_sets()[static_cast<std::size_t>(InstructionSet::sve)];
    if (is_sve && best != nullptr && set.vector_bytes <= best->vector_bytes) continue;
    best = &set;
  }
  TERRACE_REQUIRE(best != nullptr);
  return *best;  // the baseline is always there
}

const KernelSet& chosen() {
  static const KernelSet& set = choose();
  return set;
}

}  // namespace

Reduction find_reduction(Type type, Operator op) {
  TERRACE_ASSERT(static_cast<std::size_t>(type) < kTypes, type);
  TERRACE_ASSERT(static_cast<std::size_t>(op) < kOperators, op);
  return chosen().at(type, op);
}

void copy_to_all(const void* from, void* const* targets, std::size_t target_count,
                 std::size_t bytes, Stores stores) noexcept {
  TERRACE_ASSERT(std::none_of(targets, targets + target_count, [&](const void* target) {
    return target == nullptr || overlap_partly(from, target, bytes);
  }));
  chosen().copy(from, targets, target_count, bytes, stores);
}

const char* instruction_set() {
  return chosen().name;
}

std::vector<std::string> available_instruction_sets() {
  std::vector<std::string> names;
  for (const KernelSet& set : all_sets())
    if (set.name != nullptr) names.emplace_back(set.name);
  return names;
}

Reduction find_reduction_for(const std::string& set, Type type, Operator op) {
  const KernelSet* kernels = find_set(set.c_str());
  return kernels == nullptr ? nullptr : kernels->at(type, op);
}

CopyToAll find_copy_for(const std::string& set) {
  const KernelSet* kernels = find_set(set.c_str());
  return kernels == nullptr ? nullptr : kernels->copy;
}

}  // namespace terrace
