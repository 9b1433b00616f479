// SPDX-License-Identifier: BSD-3-Clause
// The break between two looks at what another core will write. On AArch64 it is chosen by what is
// known of the core (docs/design/waiting.md).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace terrace {

/// The instruction by which a thread takes that break on AArch64; the last one only if
/// `has_event_stream`.
enum class PauseKind : std::uint8_t {
  yield,  ///< a hint that cores with several threads heed, and most others pass over
  isb,    ///< empties the pipeline, which takes tens of cycles
  wfe,    ///< until the line changes; the kernel's events end it after 100 us at the latest
};

const char* to_text(PauseKind kind);
std::optional<PauseKind> pause_kind_from_text(std::string_view text);

/// Returns the kind that suits a core: its MIDR_EL1, or 0 if that is not known.
PauseKind pause_kind_for(std::uint64_t midr);
/// Whether the kernel wakes a core that waits for an event at regular times. Without that `wfe`
/// could last.
bool has_event_stream();

#if defined(__aarch64__)
namespace detail {
/// Set by TERRACE_PAUSE, or by the core, from the program's beginning.
extern std::atomic<PauseKind> pause_kind;
}  // namespace detail

// relaxed, both: any kind is right at any time; no partner.
inline PauseKind pause_kind() noexcept {
  return detail::pause_kind.load(std::memory_order_relaxed);
}
/// Sets the kind, for measurements and tests. `wfe` needs the event stream.
inline void set_pause_kind(PauseKind kind) noexcept {
  detail::pause_kind.store(kind, std::memory_order_relaxed);
}
#else
// Constant, since these processors have one instruction for it.
constexpr PauseKind pause_kind() noexcept {
  return PauseKind::yield;
}
inline void set_pause_kind(PauseKind) noexcept {}
#endif
/// Returns how many of the kinds, from the first on, can be chosen here.
std::size_t pause_kind_count();

/// Tells the core that this is a spin loop.
[[gnu::always_inline]] inline void pause() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  if (pause_kind() == PauseKind::yield)
    asm volatile("yield");
  else
    asm volatile("isb" ::: "memory");
#endif
}

/// Waits until a counter that had the value `seen` may have changed, where `pause_kind` is `wfe`;
/// else pauses. It may always return early.
inline void pause_until_changed(const std::atomic<std::uint64_t>& counter,
                                std::uint64_t seen) noexcept {
#if defined(__aarch64__)
  if (pause_kind() == PauseKind::wfe) {
    std::uint64_t now = 0;
    // The exclusive load makes a store by another core an event. One that came before it shows in
    // `now`; one that comes after it ends the wait.
    asm volatile("ldaxr %0, %1" : "=r"(now) : "Q"(counter) : "memory");
    if (now == seen) asm volatile("wfe" ::: "memory");
    return;
  }
#endif
  static_cast<void>(counter);
  static_cast<void>(seen);
  pause();
}

}  // namespace terrace
