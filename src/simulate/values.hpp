// SPDX-License-Identifier: BSD-3-Clause
// Values: where the payloads of a node's ranks lie, piece by piece: in whose caches, in which
// state, or in memory alone. A piece is one tile of one block of one strip; its lines share one
// state, as plans only touch them together.
//
//     modified    one rank has it, written                  exclusive   as read from memory
//     shared      several domains or ranks have it          invalid     memory alone has it
//
// Caches have room for so much: what has come into a domain since a piece was last touched there is
// counted, and a piece is gone when that is more than the domain's caches hold.
#pragma once

#include <cstdint>
#include <vector>

#include "simulate/hardware.hpp"

namespace terrace::simulate {

using Piece = std::uint32_t;

/// Where a rank finds a piece.
struct Found {
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
};

class Values {
 public:
  /// `hardware` must live as long, here and in copies.
  explicit Values(const Hardware& hardware);

  /// Pieces of a rank's memory; the number of the first.
  Piece add(Rank home, std::uint32_t count);

  /// Its owner has just touched it, and after that so many other lines came into the owner's own
  /// caches and its domain's since `now`.
  void touch(Piece piece, std::int64_t own_lines_since, std::int64_t domain_lines_since);

  Found find(Piece piece, Rank rank, double now) const;
  /// The rank has a copy from `arrival` on; until then, others do not get it from there.
  void read(Piece piece, Rank rank, std::int64_t lines, double now, double arrival);
  void write(Piece piece, Rank rank, std::int64_t lines, double now);
  /// Past the caches: only memory has it afterwards.
  void stream(Piece piece);

  /// Several readers of a line are served one after the other: how long one that comes `now` waits
  /// for those before it. It keeps the line busy for `service`.
  double queue(Piece piece, double now, double service);

  /// Those that may have copies, a bit each.
  std::uint64_t domains(Piece piece) const { return values_[piece].domains; }
  Rank home(Piece piece) const { return values_[piece].home; }
  std::int64_t own_lines(Rank rank) const { return own_lines_[rank]; }
  std::int64_t domain_lines(Rank rank) const { return domain_lines_[hardware_->domain_of(rank)]; }
  /// For what is renewed from strip to strip: which strip of which call a piece stands for.
  std::uint64_t& strip_of(Piece piece) { return values_[piece].strip; }
  /// Memory taken.
  std::size_t bytes() const;

 private:
  struct Holder {
    Rank rank = 0;
    std::int64_t touched = 0;  ///< the rank's count of lines then
  };
  struct Value {
    std::uint64_t domains = 0;  ///< that have had it since it was last written
    std::uint64_t strip = 0;
    double served = 0;  ///< when all readers so far will have been
    Holder writer, reader;
    Rank home = 0;
    double shared_from = 0;  ///< until then, its writer alone has it
  };

  /// Of a piece in a domain.
  struct Presence {
    std::int64_t touched = 0;  ///< the domain's count of lines then
    double arrival = 0;
  };

  bool is_held(const Holder& holder) const;
  bool is_in(Piece piece, Domain domain, double now) const;
  void bring(Piece piece, Rank rank, std::int64_t lines, double now, double arrival);
  Presence& presence(Piece piece, Domain domain) {
    return presence_[std::size_t{piece} * hardware_->domain_count() + domain];
  }
  const Presence& presence(Piece piece, Domain domain) const {
    return presence_[std::size_t{piece} * hardware_->domain_count() + domain];
  }

  const Hardware* hardware_;
  std::vector<Value> values_;
  std::vector<Presence> presence_;                      ///< per piece and domain
  std::vector<std::int64_t> own_lines_, domain_lines_;  ///< come in so far
};

}  // namespace terrace::simulate
