// SPDX-License-Identifier: BSD-3-Clause
// What differs between the processors for which programs are made: the numbers of relocations, and
// where a program expects its own thread-local variables.
#pragma once

#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <optional>

#include "launcher/elf/elf_image.hpp"

namespace terrace {

/// The processor of this build, as in an image's header; EM_NONE: ranks cannot be threads here.
#if defined(__x86_64__)
inline constexpr std::uint16_t kThisProcessor = EM_X86_64;
#elif defined(__aarch64__)
inline constexpr std::uint16_t kThisProcessor = EM_AARCH64;
#else
inline constexpr std::uint16_t kThisProcessor = EM_NONE;
#endif

/// Relocations by what they do.
struct RelocationTypes {
  std::uint32_t copy;       ///< brings a library's variable to the program's place for it
  std::uint32_t irelative;  ///< calls a function that chooses another
};

constexpr std::optional<RelocationTypes> relocation_types(std::uint16_t processor) {
  if (processor == EM_X86_64) return RelocationTypes{R_X86_64_COPY, R_X86_64_IRELATIVE};
  if (processor == EM_AARCH64) return RelocationTypes{R_AARCH64_COPY, R_AARCH64_IRELATIVE};
  return std::nullopt;
}

/// The thread's own words that AArch64 has at the thread pointer, in bytes.
inline constexpr std::size_t kThreadWords = 16;

/// Returns where the thread-local variables of a program (not a library) begin, in bytes from the
/// thread pointer. On x86-64 they end at or before it, on AArch64 they begin behind the thread's
/// own words: as near as the remainder allows that their address has by their alignment, which they
/// keep.
constexpr std::ptrdiff_t offset_of_locals(const ThreadLocals& locals, std::uint16_t processor) {
  const std::uint64_t mask = locals.alignment - 1;
  if (processor == EM_AARCH64)
    return static_cast<std::ptrdiff_t>(kThreadWords + ((locals.address - kThreadWords) & mask));
  const std::uint64_t padding = (0 - locals.address - locals.bytes) & mask;
  return -static_cast<std::ptrdiff_t>(locals.bytes + padding);
}

/// Returns the bytes of a launcher's reserve that hold them.
constexpr std::size_t reserve_for(const ThreadLocals& locals, std::uint16_t processor) {
  const std::ptrdiff_t offset = offset_of_locals(locals, processor);
  if (processor == EM_AARCH64)
    return static_cast<std::size_t>(offset) - kThreadWords + locals.bytes;
  return static_cast<std::size_t>(-offset);
}

}  // namespace terrace
