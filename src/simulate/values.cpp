// SPDX-License-Identifier: BSD-3-Clause
// Coherence of payloads: which caches hold which piece.
#include "simulate/values.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "base/contract.hpp"

namespace terrace::simulate {

namespace {

constexpr double kNotShared = std::numeric_limits<double>::infinity();

std::uint64_t bit(Domain domain) {
  return std::uint64_t{1} << domain;
}

}  // namespace

NodeValues::NodeValues(const Hardware& hardware)
    : hardware_(&hardware),
      own_lines_(hardware.rank_count()),
      domain_lines_(hardware.domain_count()) {}

PieceIndex NodeValues::add(Rank home, std::uint32_t count) {
  const auto first = static_cast<PieceIndex>(values_.size());
  Value value;
  value.home = static_cast<std::uint16_t>(home);
  values_.resize(values_.size() + count, value);
  served_.resize(values_.size());
  for (PieceIndex piece = first; piece < values_.size(); ++piece) touch(piece, 0, 0);
  return first;
}

void NodeValues::touch(PieceIndex piece, std::int64_t own_lines_since,
                       std::int64_t domain_lines_since) {
  Value& value = values_[piece];
  const Domain domain = hardware_->domain_of(value.home);
  leave_alone(value, domain, {domain_lines_[domain] - domain_lines_since, 0});
  value.writer = value.reader = value.home;
  value.writer_touched = value.reader_touched = own_lines_[value.home] - own_lines_since;
  value.shared_from = kNotShared;
}

/// No other domain has it any more.
void NodeValues::leave_alone(Value& value, Domain domain, const Presence& presence) {
  if (value.has_block) free_blocks_.push_back(static_cast<std::uint32_t>(value.only.touched));
  value.has_block = false;
  value.only = presence;
  value.domains = bit(domain);
}

void NodeValues::add_presence(Value& value, Domain domain, const Presence& presence) {
  const bool has_others = (value.domains & ~bit(domain)) != 0;
  if (has_others && !value.has_block) give_block(value);
  (value.has_block ? blocks_[place_in_block(value, domain)] : value.only) = presence;
  value.domains |= bit(domain);
}

/// Gives a block to a value that one domain has.
void NodeValues::give_block(Value& value) {
  TERRACE_ASSERT(!value.has_block && std::has_single_bit(value.domains), value.domains);
  if (free_blocks_.empty()) {
    free_blocks_.push_back(static_cast<std::uint32_t>(blocks_.size() / hardware_->domain_count()));
    blocks_.resize(blocks_.size() + hardware_->domain_count());
  }
  const Presence only = value.only;
  value.only.touched = free_blocks_.back();
  value.has_block = true;
  free_blocks_.pop_back();
  blocks_[place_in_block(value, static_cast<Domain>(std::countr_zero(value.domains)))] = only;
}

std::size_t NodeValues::place_in_block(const Value& value, Domain domain) const {
  TERRACE_ASSERT(value.has_block && domain < hardware_->domain_count(), domain);
  return static_cast<std::size_t>(value.only.touched) * hardware_->domain_count() + domain;
}

const NodeValues::Presence& NodeValues::presence(const Value& value, Domain domain) const {
  return value.has_block ? blocks_[place_in_block(value, domain)] : value.only;
}

bool NodeValues::is_held(Rank rank, std::int64_t touched) const {
  return static_cast<double>(own_lines_[rank] - touched) <
         std::max(hardware_->private_lines(), 1.0);
}

bool NodeValues::is_in(PieceIndex piece, Domain domain, double now) const {
  TERRACE_ASSERT(piece < values_.size() && domain < 64, piece, domain);
  const Value& value = values_[piece];
  if ((value.domains & bit(domain)) == 0) return false;
  const Presence& here = presence(value, domain);
  const auto since = static_cast<double>(domain_lines_[domain] - here.touched);
  return here.arrival <= now && since < hardware_->domain_lines();
}

FoundValue NodeValues::find(PieceIndex piece, Rank rank, double now) const {
  const Value& value = values_[piece];
  const Domain here = hardware_->domain_of(rank), there = hardware_->domain_of(value.writer);
  const bool is_written = now < value.shared_from;
  const bool wrote_it = value.writer == rank;
  const bool is_shared = !is_written || !wrote_it;
  const bool is_here = is_in(piece, here, now);
  if (is_here && (wrote_it || value.reader == rank) &&
      is_held(rank, wrote_it ? value.writer_touched : value.reader_touched))
    return {FoundValue::Where::own, rank, is_shared, is_here};
  if (is_written && !wrote_it && is_held(value.writer, value.writer_touched) &&
      is_in(piece, there, now))
    return {FoundValue::Where::modified, value.writer, is_shared, is_here};
  if (is_here) return {FoundValue::Where::domain, rank, is_shared, is_here};
  for (const Domain domain : hardware_->nearest_to(here))
    if (is_in(piece, domain, now))
      return {FoundValue::Where::shared, hardware_->members_of(domain).front(), is_shared, is_here};
  return {FoundValue::Where::memory, value.home, is_shared, is_here};
}

/// The rank's domain has the piece from now on: since when, and lines that are new there.
NodeValues::Presence NodeValues::bring(const Value& value, Rank rank, std::int64_t lines,
                                       const FoundValue& found, double arrival) {
  const Domain here = hardware_->domain_of(rank);
  if (found.is_here) return {domain_lines_[here], presence(value, here).arrival};
  const Presence brought{domain_lines_[here], arrival};  // its own lines come after it
  domain_lines_[here] += lines;
  return brought;
}

void NodeValues::read(PieceIndex piece, Rank rank, std::int64_t lines, const FoundValue& found,
                      double arrival) {
  Value& value = values_[piece];
  if (found.where == FoundValue::Where::own) lines = 0;
  const Presence brought = bring(value, rank, lines, found, arrival);
  add_presence(value, hardware_->domain_of(rank), brought);
  const bool wrote_it = value.writer == rank;
  if (!wrote_it) value.shared_from = std::min(value.shared_from, arrival);
  if (!wrote_it) value.reader = static_cast<std::uint16_t>(rank);
  (wrote_it ? value.writer_touched : value.reader_touched) = own_lines_[rank];
  own_lines_[rank] += lines;
}

void NodeValues::write(PieceIndex piece, Rank rank, std::int64_t lines, const FoundValue& found,
                       double now) {
  Value& value = values_[piece];
  if (found.where == FoundValue::Where::own) lines = 0;
  leave_alone(value, hardware_->domain_of(rank), bring(value, rank, lines, found, now));
  value.writer = value.reader = static_cast<std::uint16_t>(rank);
  value.writer_touched = value.reader_touched = own_lines_[rank];
  value.shared_from = kNotShared;
  own_lines_[rank] += lines;
}

void NodeValues::stream(PieceIndex piece) {
  Value& value = values_[piece];
  leave_alone(value, 0, {});
  value.domains = 0;
  value.shared_from = 0;
}

double NodeValues::queue(PieceIndex piece, double now, double service) {
  const double start = std::max(now, served_[piece]);
  served_[piece] = start + service;
  return start - now;
}

std::size_t NodeValues::bytes() const {
  return values_.capacity() * sizeof(Value) + served_.capacity() * sizeof(double) +
         blocks_.capacity() * sizeof(Presence) + free_blocks_.capacity() * sizeof(std::uint32_t) +
         (own_lines_.capacity() + domain_lines_.capacity()) * sizeof(std::int64_t);
}

}  // namespace terrace::simulate
