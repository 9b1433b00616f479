// SPDX-License-Identifier: BSD-3-Clause
// Maps a team's memory, without reserving it.
#include "team/team_pages.hpp"

#include <sys/mman.h>

#include <new>

#include "base/pages.hpp"

namespace terrace {

TeamPages::TeamPages(Rank ranks, std::size_t scratch_bytes, bool may_have_huge_pages)
    : bytes_(share_bytes(scratch_bytes) * ranks),
      place_(mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)),
      is_counted_(may_have_huge_pages) {
  if (place_ == MAP_FAILED) {
    is_mapped_ = false;
    place_ = ::operator new(bytes_, std::align_val_t(page_bytes()));
  }
  // relaxed, here and below: a count that orders nothing; no partner.
  const bool is_one_of_few =
      is_counted_ && teams_.fetch_add(1, std::memory_order_relaxed) < kFewTeams;
  if (!is_one_of_few && is_mapped_) madvise(place_, bytes_, MADV_NOHUGEPAGE);
  memory_ = laid_out(static_cast<std::byte*>(place_), ranks, scratch_bytes);
}

TeamPages::~TeamPages() {
  if (is_counted_) teams_.fetch_sub(1, std::memory_order_relaxed);  // relaxed: as above
  if (is_mapped_)
    munmap(place_, bytes_);
  else
    ::operator delete(place_, std::align_val_t(page_bytes()));
}

}  // namespace terrace
