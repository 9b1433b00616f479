// SPDX-License-Identifier: BSD-3-Clause
// Makes and reads pages that may only be written.
#include "preload/setup/peer_visibility.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <string>

#include "base/pages.hpp"
#include "preload/lookup/symbol_lookup.hpp"

namespace terrace::preload {

namespace {

#if defined(__x86_64__)
constexpr std::size_t kLongestPage = 4096;
#else
constexpr std::size_t kLongestPage = 65536;
#endif

/// Numbers of pages that show each value.
constexpr std::size_t kPagesOfClear = 1, kPagesOfShutIn = 2;

/// Pages that are never read. They are not zero, or they would have no file, by whose name mappings
/// show whose they are.
constinit char pages[(kPagesOfShutIn + 1) * kLongestPage] = {1};

char* first_page() {
  const std::size_t page = page_bytes();
  return pages + (page - reinterpret_cast<std::uintptr_t>(pages) % page) % page;
}

/// The bytes of a mapping, which is the first word of its line.
std::size_t bytes_of(std::string_view line) {
  std::size_t begin = 0, end = 0;
  const char* const last = line.data() + line.size();
  const auto first = std::from_chars(line.data(), last, begin, 16);
  if (first.ptr == last || *first.ptr != '-') return 0;
  std::from_chars(first.ptr + 1, last, end, 16);
  return end - begin;
}

}  // namespace

PeerVisibility show_visibility(PeerVisibility own) {
  static const PeerVisibility shown = [own] {
    const std::size_t count = own == PeerVisibility::clear ? kPagesOfClear : kPagesOfShutIn;
    mprotect(first_page(), count * page_bytes(), PROT_WRITE);
    return own;
  }();
  return shown;
}

PeerVisibility visibility_in(std::string_view mappings) {
  const std::string ours = std::string("/") + kOurFileNames;
  while (!mappings.empty()) {
    const std::string_view line = mappings.substr(0, mappings.find('\n'));
    mappings.remove_prefix(std::min(line.size() + 1, mappings.size()));
    if (line.find(" -w-p ") == std::string_view::npos || line.find(ours) == std::string_view::npos)
      continue;
    return bytes_of(line) == kPagesOfClear * page_bytes() ? PeerVisibility::clear
                                                          : PeerVisibility::shut_in;
  }
  return PeerVisibility::unknown;
}

bool is_shut_in(std::span<const SeenProcess> processes, std::int64_t own) {
  const auto find = [&](std::int64_t number) {
    return std::find_if(processes.begin(), processes.end(),
                        [number](const SeenProcess& one) { return one.number == number; });
  };
  auto above = find(own);
  if (above == processes.end()) return true;  // there is no /proc of this process's own
  // A process comes without its environment unless it is of a rank.
  while (above != processes.end() && !above->is_hidden &&
         (above->number == own || !above->environment.empty()))
    above = find(above->parent);
  if (above == processes.end()) return false;
  return above->is_hidden ||
         std::any_of(processes.begin(), processes.end(), [&](const SeenProcess& one) {
           return one.is_hidden && one.parent == above->number;
         });
}

}  // namespace terrace::preload
