// SPDX-License-Identifier: BSD-3-Clause
// XPMEM, a kernel module by which a process lets others attach its memory: its library, found by
// name at run time, this process's memory, and that of its peers (docs/design/reach.md).
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "base/result.hpp"
#include "preload/transport/memory_proof.hpp"
#include "preload/transport/registration_cache.hpp"

namespace terrace::preload {

/// All addresses of this process, for peers of the same user to attach.
class Segment {
 public:
  /// Returns the one segment for all teams, as long as one has it.
  static Result<std::shared_ptr<const Segment>> own();
  ~Segment();
  Segment(const Segment&) = delete;
  Segment& operator=(const Segment&) = delete;

  std::int64_t number() const { return number_; }

 private:
  explicit Segment(std::int64_t number) : number_(number) {}

  std::int64_t number_;
};

/// The part of a peer's memory that is attached here, for all teams that it shares with this
/// process, whose calls may be on in several threads.
class PeerSpace final : private RangeMapper {
 public:
  /// Returns the space of the process that has made a segment of this number. Nothing is attached
  /// yet.
  static Result<std::shared_ptr<PeerSpace>> of(std::int64_t segment);
  ~PeerSpace() override;
  PeerSpace(const PeerSpace&) = delete;
  PeerSpace& operator=(const PeerSpace&) = delete;

  /// Stays, and stays where it is, until it is given back. Null: errno says why.
  AttachedRange* take(std::uint64_t address, std::size_t bytes) noexcept;
  void give_back(AttachedRange& range) noexcept;

  /// Returns what is wrong with attaching, tried on the peer's proof: an error number, or 0. EIO:
  /// it is not the process that was meant.
  int try_on(const MemoryProof& proof) noexcept;

 private:
  explicit PeerSpace(std::int64_t permit);
  std::byte* attach(std::uint64_t begin, std::size_t bytes) noexcept override;
  void detach(std::byte* at) noexcept override;

  std::int64_t permit_;
  std::mutex mutex_;
  RangeCache ranges_;
};

}  // namespace terrace::preload
