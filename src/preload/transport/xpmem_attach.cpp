// SPDX-License-Identifier: BSD-3-Clause
// Finds ranges that are already attached, and reports failures to attach.
#include "preload/transport/xpmem_attach.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>

#include "base/contract.hpp"
#include "base/fixed_text.hpp"
#include "base/say.hpp"
#include "preload/transport/device_memory.hpp"

namespace terrace::preload {

namespace {

/// In the place of memory that cannot be had, until the job has ended. Without address space for it
/// the step's touch ends the process, which has said why.
std::byte* bounce_block(std::size_t bytes) {
  void* const place = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return static_cast<std::byte*>(place);
}

class OwnMemory final : public Reachable {
 public:
  bool covers(const void*, std::size_t) const noexcept override { return !has_devices(); }
  bool enter() noexcept override { return true; }
  void leave() noexcept override {}
};

}  // namespace

XpmemAttacher::XpmemAttacher(std::vector<PeerToAttach> peers,
                             std::shared_ptr<const Segment> segment, Rank own,
                             UnderlyingMpi& underlying)
    : peers_(std::move(peers)),
      segment_(std::move(segment)),
      in_use_(peers_.size()),
      own_(own),
      underlying_(underlying) {}

Attacher::Place XpmemAttacher::attach(Rank owner, const std::byte* there,
                                      std::size_t bytes) noexcept {
  const auto address = reinterpret_cast<std::uint64_t>(there);
  AttachedRange* const range = find(owner, address, bytes);
  if (range != nullptr) return {range->here(address), true};
  complain(owner, there, bytes, errno);
  return {bounce_block(bytes), false};
}

/// Finds a range among the call's own, the last taken first: strips follow each other.
AttachedRange* XpmemAttacher::find(Rank owner, std::uint64_t address, std::size_t bytes) noexcept {
  TERRACE_ASSERT(owner < in_use_.size() && owner != own_, owner, own_, bytes);
  std::vector<AttachedRange*>& in_use = in_use_[owner];
  const auto found = std::find_if(in_use.rbegin(), in_use.rend(), [&](const AttachedRange* range) {
    return range->holds(address, bytes);
  });
  if (found != in_use.rend()) return *found;
  AttachedRange* const range = peers_[owner].space->take(address, bytes);
  if (range != nullptr) in_use.push_back(range);
  return range;
}

void XpmemAttacher::leave() noexcept {
  for (std::size_t rank = 0; rank < in_use_.size(); ++rank) {
    for (AttachedRange* const range : in_use_[rank]) peers_[rank].space->give_back(*range);
    in_use_[rank].clear();
  }
}

void XpmemAttacher::complain(Rank owner, const void* there, std::size_t bytes, int error) noexcept {
  char address[32];
  std::snprintf(address, sizeof address, "%p", there);
  say("rank " + std::to_string(own_) + " of a communicator cannot attach " + std::to_string(bytes) +
      " bytes at " + address + " of rank " + std::to_string(owner) + " (process " +
      std::to_string(peers_[owner].process) +
      "), a buffer of its call: xpmem_attach: " + std::strerror(error) +
      ". It could when the communicator was first used. Ending the job (TERRACE_REACH=bounced "
      "would not attach it)");
  underlying_.end_job();
}

namespace {

/// The message of a rank to the others, first about its own memory, then about theirs. Sent as
/// bytes.
struct Attempted {
  std::int64_t segment = -1;
  std::array<char, 160> obstacle{};  ///< "cannot attach ..."; "" if there is none
};

/// Half a sentence about the first rank that could not; "" if all could.
std::string first_obstacle(std::span<const Attempted> all) {
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    TERRACE_REQUIRE(all[rank].obstacle.back() == '\0', rank, all[rank].segment);
    if (const std::string obstacle = text_in(all[rank].obstacle); !obstacle.empty())
      return "rank " + std::to_string(rank) + " " + obstacle;
  }
  return "";
}

Attempted tell(const std::string& obstacle) {
  Attempted told;
  put_text(told.obstacle, obstacle.substr(0, told.obstacle.size() - 1));
  return told;
}

/// Returns all ranks but `own` as peers, tried on their proofs.
Result<std::vector<PeerToAttach>> peers_among(std::span<const ProvenProcess> processes,
                                              std::span<const Attempted> offers, Rank own) {
  std::vector<PeerToAttach> peers(processes.size());
  for (Rank rank = 0; rank < peers.size(); ++rank) {
    peers[rank].process = processes[rank].process;
    if (rank == own) continue;
    TERRACE_REQUIRE(offers[rank].segment != -1, offers[rank].segment, rank);  // as it has said
    auto space = PeerSpace::of(offers[rank].segment);
    if (!space) return space.error();
    peers[rank].space = std::move(space).value();
    if (const int error = peers[rank].space->try_on(processes[rank].proof))
      return Error{ErrorCode::system, std::string("cannot attach a peer's memory (xpmem_attach: ") +
                                          std::strerror(error) + ")"};
  }
  return peers;
}

}  // namespace

std::unique_ptr<Attacher> agree_to_attach(UnderlyingMpi& underlying, Handle communicator,
                                          std::span<const ProvenProcess> processes, Rank own,
                                          std::string& why) {
  std::vector<Attempted> all(processes.size());
  const auto all_hear = [&](const Attempted& mine) {
    const bool is_heard =
        underlying.allgather(communicator, &mine, all.data(), sizeof mine, kTeamSetup);
    why = is_heard ? first_obstacle(all) : "the MPI refused to set up the team";
    return why.empty();
  };
  auto segment = Segment::own();
  Attempted offer = tell(has_devices() ? "has a GPU's runtime"
                         : segment     ? ""
                                       : segment.error().sentence);
  if (segment) offer.segment = segment.value()->number();
  if (!all_hear(offer)) return nullptr;
  auto peers = peers_among(processes, all, own);
  if (!all_hear(tell(peers ? "" : peers.error().sentence))) return nullptr;
  return std::make_unique<XpmemAttacher>(std::move(peers).value(), std::move(segment).value(), own,
                                         underlying);
}

Reachable* own_memory() {
  static auto* const the = new OwnMemory;
  return the;
}

}  // namespace terrace::preload
