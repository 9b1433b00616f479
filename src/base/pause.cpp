// SPDX-License-Identifier: BSD-3-Clause
// Chooses the break between two looks on AArch64.
#include "base/pause.hpp"

#include <array>
#include <cstdlib>

#if defined(__aarch64__) && defined(__linux__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

namespace terrace {

namespace {

constexpr std::array<const char*, 3> kNames = {"yield", "isb", "wfe"};

/// Cores that run several threads and give others their time at a `yield`: ThunderX2, as Broadcom
/// and Cavium number it, and ThunderX3.
constexpr bool heeds_yield(std::uint64_t implementer, std::uint64_t part) {
  return (implementer == 0x42 && part == 0x516) ||
         (implementer == 0x43 && (part == 0x0af || part == 0x0b8));
}

#if defined(__aarch64__)
/// The kernel reads the register for programs where it says so.
std::uint64_t midr_here() {
#if defined(__linux__) && defined(HWCAP_CPUID)
  if ((getauxval(AT_HWCAP) & HWCAP_CPUID) == 0) return 0;
  std::uint64_t midr = 0;
  asm("mrs %0, midr_el1" : "=r"(midr));
  return midr;
#else
  return 0;
#endif
}

PauseKind chosen_here() {
  const char* const text = std::getenv("TERRACE_PAUSE");
  const auto wanted = text != nullptr ? pause_kind_from_text(text) : std::nullopt;
  if (!wanted || (*wanted == PauseKind::wfe && !has_event_stream()))
    return pause_kind_for(midr_here());
  return *wanted;
}
#endif

}  // namespace

const char* to_text(PauseKind kind) {
  return kNames[static_cast<std::size_t>(kind)];
}

std::optional<PauseKind> pause_kind_from_text(std::string_view text) {
  for (std::size_t i = 0; i < kNames.size(); ++i)
    if (text == kNames[i]) return static_cast<PauseKind>(i);
  return std::nullopt;
}

PauseKind pause_kind_for(std::uint64_t midr) {
  const std::uint64_t implementer = midr >> 24 & 0xff, part = midr >> 4 & 0xfff;
  return heeds_yield(implementer, part) ? PauseKind::yield : PauseKind::isb;
}

bool has_event_stream() {
#if defined(__aarch64__) && defined(__linux__)
  return (getauxval(AT_HWCAP) & HWCAP_EVTSTRM) != 0;
#else
  return false;
#endif
}

std::size_t pause_kind_count() {
#if defined(__aarch64__)
  return has_event_stream() ? 3 : 2;
#else
  return 1;
#endif
}

#if defined(__aarch64__)
std::atomic<PauseKind> detail::pause_kind{chosen_here()};
#endif

}  // namespace terrace
