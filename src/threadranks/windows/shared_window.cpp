// SPDX-License-Identifier: BSD-3-Clause
// What any rank, or the network, does to a member's part of a window.
#include "threadranks/windows/shared_window.hpp"

#include <algorithm>
#include <cstdlib>
#include <iterator>

#include "threadranks/ranks/rank_state.hpp"

namespace terrace::threadranks {

SharedWindow::SharedWindow(const RanksJob& job, const SharedCommunicator& communicator,
                           Flavor its_flavor)
    : flavor(its_flavor),
      context(communicator.context),
      is_reached(
          communicator.spanning != nullptr &&
          (flavor != Flavor::counter || communicator.spanning->here().places.front() == kCounting)),
      members(communicator.members.size()),
      references(static_cast<int>(communicator.members_here())) {
  for (std::size_t i = 0; i < members.size(); ++i) {
    members[i].mailbox = job.mailbox_of(communicator.members[i]);
    if (members[i].mailbox != nullptr)
      members[i].posts = std::vector<std::atomic<std::uint32_t>>(members.size());
  }
}

SharedWindow::~SharedWindow() {
  std::free(memory);
}

void WindowMember::note_post(int target) {
  Mailbox& its = *mailbox;  // once it is counted, the window may be freed
  // release: pairs with the acquire in `Window::start`; what the target stored before is there.
  posts[static_cast<std::size_t>(target)].fetch_add(1, std::memory_order_release);
  its.notify();
}

void WindowMember::note_completion() {
  Mailbox& its = *mailbox;  // as above
  // release: pairs with the acquire in `Window::has_completed`; what was put is there.
  completions.fetch_add(1, std::memory_order_release);
  its.notify();
}

bool WindowMember::has_attached(std::byte* first, std::byte* end) {
  const std::lock_guard guard(attaching);
  auto behind = attached.upper_bound(first);
  if (behind == attached.begin()) return false;
  const auto& [start, length] = *std::prev(behind);
  if (end <= start + length) return true;
  // Memory that was attached in several pieces, one behind the other.
  std::byte* reached = start + length;
  for (; behind != attached.end() && behind->first <= reached; ++behind)
    reached = std::max(reached, behind->first + behind->second);
  return end <= reached;
}

}  // namespace terrace::threadranks
