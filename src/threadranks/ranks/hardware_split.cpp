// SPDX-License-Identifier: BSD-3-Clause
// Ranks tell each other where they are bound, and each finds the part that it is in.
#include "threadranks/ranks/hardware_split.hpp"

#include <algorithm>
#include <optional>

#include "communicators/names.hpp"
#include "threadranks/ranks/rank_state.hpp"
#ifdef TERRACE_HAS_MACHINE
#include "communicators/placement.hpp"
#endif

namespace terrace::threadranks {

namespace {

using communicators::Child;
using communicators::Record;

#ifdef TERRACE_HAS_MACHINE
/// Returns the binding of a fibre's worker: the kernel thread that the fibre runs on may go
/// anywhere while the fibre has lost its worker. Nothing: the thread's own.
std::optional<PuSet> binding_of(const RankState& caller) {
  const std::optional<std::uint32_t> pu = caller.home().pu;
  return pu ? std::optional(PuSet{*pu}) : std::nullopt;
}
#endif

communicators::NodePlacement place_of(const RankState& caller) {
#ifdef TERRACE_HAS_MACHINE
  return communicators::own_placement(process_environment(), caller.rank(),
                                      caller.job().rank_count(), binding_of(caller));
#else
  communicators::NodePlacement nowhere;
  nowhere.trouble = "this build knows no machines";
  return nowhere;
#endif
}

std::vector<Record> gathered(Communicator& parent, const Record& own) {
  std::vector<Record> records(static_cast<std::size_t>(parent.size()));
  allgather(parent, &own, records.data(), sizeof own);
  return records;
}

/// Splits by process, whose ranks share memory.
Communicator* split_by_memory(Communicator& parent, const communicators::SplitWish& wish) {
  return split(parent, wish.is_out ? -1 : parent.state().job().process(), wish.key);
}

/// Different names of resources are no error for MPIs: no rank gets a communicator.
HardwareSplit answer_to(const communicators::Complaint& complaint, bool is_own,
                        const communicators::SplitWish& wish) {
  HardwareSplit answer;
  if (!complaint.is_on_names) answer.failure = complaint.failure;
  if (is_own) answer.sentence = wish.why.empty() ? complaint.what : wish.why;
  return answer;
}

}  // namespace

bool is_any(Communicator& parent, bool is_wanted) {
  const char own = is_wanted ? 1 : 0;
  std::vector<char> all(parent.shared().members.size());
  allgather(parent, &own, all.data(), 1);
  return std::any_of(all.begin(), all.end(), [](char one) { return one != 0; });
}

HardwareSplit split_along_hardware(Communicator& parent, const communicators::SplitWish& wish) {
  const std::vector<Record> records =
      gathered(parent, communicators::record_of(place_of(parent.state()), wish));
  const auto own = static_cast<Rank>(parent.rank());
  const auto complaint = communicators::complaint_about(records);
  if (complaint) return answer_to(*complaint, complaint->rank == own, wish);
  // What the others ask for, which a rank that takes no part does not know before.
  const auto asked = std::find_if(records.begin(), records.end(),
                                  [](const Record& record) { return record.is_out == 0; });
  HardwareSplit answer;
  if (asked == records.end()) return answer;
  const communicators::SplitRequest request = communicators::request_of(*asked);
  if (request.level == communicators::kSharedMemory) {
    answer.made = split_by_memory(parent, wish);
    answer.resource = communicators::kSharedMemory;
    return answer;
  }
  std::vector<Child> children =
      communicators::is_guided(asked->split_type)
          ? communicators::guided_children(records, request)
          : communicators::split(communicators::localities_of(records), request);
  communicators::leave_out(records, children);
  const auto part = std::find_if(children.begin(), children.end(), [&](const Child& child) {
    return std::binary_search(child.ranks.begin(), child.ranks.end(), own);
  });
  const bool is_in_one = part != children.end();
  answer.made = split(parent, is_in_one ? static_cast<int>(part - children.begin()) : -1, wish.key);
  if (is_in_one) answer.resource = communicators::uri_of(part->level);
  return answer;
}

std::vector<std::pair<std::string, bool>> resources_of([[maybe_unused]] const RankState& caller) {
#ifdef TERRACE_HAS_MACHINE
  return communicators::own_resources(process_environment(), caller.rank(),
                                      caller.job().rank_count(), binding_of(caller));
#else
  return {};
#endif
}

}  // namespace terrace::threadranks
