// SPDX-License-Identifier: BSD-3-Clause
// Values: where the payloads of a node's ranks lie, piece by piece: in whose caches, in which
// state, or in memory alone. A piece is one tile of one block of one strip; its lines share one
// state, as plans only touch them together.
//
//     modified    one rank has it, written                  exclusive   as read from memory
//     shared      several domains or ranks have it          invalid     memory alone has it
//
// Caches have limited room: what has come into a domain since a piece was last touched there is
// counted, and a piece is evicted when that exceeds the capacity of the domain's caches.
//
// There may be hundreds of thousands of pieces, and a long simulation spends most of its time on
// cache misses for them. So all data of a piece fits one cache line of the simulating machine, as
// long as only one domain has it.
#pragma once

#include <cstdint>
#include <vector>

#include "simulate/hardware.hpp"

namespace terrace::simulate {

using PieceIndex = std::uint32_t;

/// The place where a rank finds a piece.
struct FoundValue {
  enum class Where : std::uint8_t {
    own,       ///< in its own caches
    domain,    ///< in the last cache of its domain
    modified,  ///< in another core's caches alone, written
    shared,    ///< in another domain's last cache
    memory,
  };
  Where where = Where::memory;
  Rank from = 0;           ///< who supplies it, or near whose memory it lies
  bool is_shared = false;  ///< others than this rank have copies, or may
  bool is_here = false;    ///< in its domain's caches, or its own
};

class NodeValues {
 public:
  /// `hardware` must live as long, here and in copies.
  explicit NodeValues(const Hardware& hardware);

  /// Pieces of a rank's memory; the number of the first.
  PieceIndex add(Rank home, std::uint32_t count);

  /// The owner has just touched the piece; since `now`, this many other lines have come into the
  /// owner's own caches and its domain's.
  void touch(PieceIndex piece, std::int64_t own_lines_since, std::int64_t domain_lines_since);

  FoundValue find(PieceIndex piece, Rank rank, double now) const;
  /// The rank has a copy from `arrival` on; until then, others do not get it from there.
  /// `found` is what `find` has just said.
  void read(PieceIndex piece, Rank rank, std::int64_t lines, const FoundValue& found,
            double arrival);
  void write(PieceIndex piece, Rank rank, std::int64_t lines, const FoundValue& found, double now);
  /// Past the caches: only memory has it afterwards.
  void stream(PieceIndex piece);

  /// Several readers of a line are served one after the other: how long one that comes `now` waits
  /// for those before it. It keeps the line busy for `service`.
  double queue(PieceIndex piece, double now, double service);

  /// The piece will be asked for soon.
  void expect(PieceIndex piece) const { __builtin_prefetch(&values_[piece]); }

  /// The domains that may have copies, a bit each.
  std::uint64_t domains(PieceIndex piece) const { return values_[piece].domains; }
  Rank home(PieceIndex piece) const { return values_[piece].home; }
  std::int64_t own_lines(Rank rank) const { return own_lines_[rank]; }
  std::int64_t domain_lines(Rank rank) const { return domain_lines_[hardware_->domain_of(rank)]; }
  /// The strip of the call that a piece stands for, where it is renewed from strip to strip.
  std::uint64_t& strip_of(PieceIndex piece) { return values_[piece].strip; }
  /// Memory taken.
  std::size_t bytes() const;

 private:
  /// A piece's presence in a domain.
  struct Presence {
    std::int64_t touched = 0;  ///< the domain's count of lines then
    double arrival = 0;
  };
  struct alignas(64) Value {
    std::uint64_t domains = 0;  ///< that have had it since it was last written
    std::uint64_t strip = 0;
    double shared_from = 0;                               ///< until then, its writer alone has it
    std::int64_t writer_touched = 0, reader_touched = 0;  ///< the ranks' counts of lines then
    Presence only;  ///< in the one domain that has it; if there are more, `touched` is which block
    std::uint16_t writer = 0, reader = 0, home = 0;
    bool has_block = false;  ///< a presence for each domain
  };
  static_assert(sizeof(Value) == 64);

  bool is_held(Rank rank, std::int64_t touched) const;
  bool is_in(PieceIndex piece, Domain domain, double now) const;
  Presence bring(const Value& value, Rank rank, std::int64_t lines, const FoundValue& found,
                 double arrival);
  void leave_alone(Value& value, Domain domain, const Presence& presence);
  void add_presence(Value& value, Domain domain, const Presence& presence);
  void give_block(Value& value);
  std::size_t place_in_block(const Value& value, Domain domain) const;
  /// The value's presence in a domain.
  const Presence& presence(const Value& value, Domain domain) const;

  const Hardware* hardware_;
  std::vector<Value> values_;
  std::vector<double> served_;    ///< by piece: when all readers so far will have been
  std::vector<Presence> blocks_;  ///< of pieces in several domains, a fixed number for each
  std::vector<std::uint32_t> free_blocks_;
  std::vector<std::int64_t> own_lines_, domain_lines_;  ///< come in so far
};

}  // namespace terrace::simulate
