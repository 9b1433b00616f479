// SPDX-License-Identifier: BSD-3-Clause
// Copies by one instruction, `rep movsb` of x86-64.
#pragma once

#include <cstddef>

namespace terrace {

/// Whether the processor says that it is good at them (ERMS).
bool can_copy_by_string();

/// Copies `bytes` bytes through the caches. A processor may take lines that it overwrites whole
/// without reading them, and so more of them at the same time than by loads and stores, if a peer
/// has them. Some need up to two and a half times as long for some distances between the addresses
/// modulo 4 KiB, so it is a way to try (docs/design/choices.md). Stores of the instruction may
/// overtake each other, but stores after it come after them. The regions must not overlap, except
/// that a target equal to `from` is left alone.
void copy_by_string(const void* from, void* to, std::size_t bytes) noexcept;

}  // namespace terrace
