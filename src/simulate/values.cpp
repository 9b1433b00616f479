// SPDX-License-Identifier: BSD-3-Clause
// Coherence of payloads: who holds which piece.
#include "simulate/values.hpp"

#include <algorithm>
#include <limits>

namespace terrace::simulate {

namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

std::uint64_t bit(Domain domain) {
  return std::uint64_t{1} << domain;
}

}  // namespace

Values::Values(const Hardware& hardware)
    : hardware_(&hardware),
      own_lines_(hardware.rank_count()),
      domain_lines_(hardware.domain_count()) {}

Piece Values::add(Rank home, std::uint32_t count) {
  const auto first = static_cast<Piece>(values_.size());
  Value value;
  value.home = home;
  values_.resize(values_.size() + count, value);
  presence_.resize(values_.size() * hardware_->domain_count());
  for (Piece piece = first; piece < values_.size(); ++piece) touch(piece, 0, 0);
  return first;
}

void Values::touch(Piece piece, std::int64_t own_lines_since, std::int64_t domain_lines_since) {
  Value& value = values_[piece];
  const Domain domain = hardware_->domain_of(value.home);
  value.domains = bit(domain);
  value.writer = value.reader = {value.home, own_lines_[value.home] - own_lines_since};
  value.shared_from = kNever;
  presence(piece, domain) = {domain_lines_[domain] - domain_lines_since, 0};
}

bool Values::is_held(const Holder& holder) const {
  return static_cast<double>(own_lines_[holder.rank] - holder.touched) <
         std::max(hardware_->private_lines(), 1.0);
}

bool Values::is_in(Piece piece, Domain domain, double now) const {
  if ((values_[piece].domains & bit(domain)) == 0) return false;
  const Presence& here = presence(piece, domain);
  const auto since = static_cast<double>(domain_lines_[domain] - here.touched);
  return here.arrival <= now && since < hardware_->domain_lines();
}

Found Values::find(Piece piece, Rank rank, double now) const {
  const Value& value = values_[piece];
  const Domain here = hardware_->domain_of(rank), there = hardware_->domain_of(value.writer.rank);
  const bool is_written = now < value.shared_from;
  const bool wrote_it = value.writer.rank == rank;
  const bool is_shared = !is_written || !wrote_it;
  const bool is_here = is_in(piece, here, now);
  if (is_here && (wrote_it || value.reader.rank == rank) &&
      is_held(wrote_it ? value.writer : value.reader))
    return {Found::Where::own, rank, is_shared};
  if (is_written && !wrote_it && is_held(value.writer) && is_in(piece, there, now))
    return {Found::Where::modified, value.writer.rank, is_shared};
  if (is_here) return {Found::Where::domain, rank, is_shared};
  for (const Domain domain : hardware_->nearest_to(here))
    if (is_in(piece, domain, now))
      return {Found::Where::shared, hardware_->members_of(domain).front(), is_shared};
  return {Found::Where::memory, value.home, is_shared};
}

/// Into the rank's caches, and its domain's, where it is not there yet.
void Values::bring(Piece piece, Rank rank, std::int64_t lines, double now, double arrival) {
  const Domain here = hardware_->domain_of(rank);
  const bool is_here = is_in(piece, here, now);
  values_[piece].domains |= bit(here);
  Presence& place = presence(piece, here);
  place = {domain_lines_[here], is_here ? place.arrival : arrival};  // its own lines come after it
  if (!is_here) domain_lines_[here] += lines;
}

void Values::read(Piece piece, Rank rank, std::int64_t lines, double now, double arrival) {
  Value& value = values_[piece];
  if (find(piece, rank, now).where == Found::Where::own) lines = 0;
  bring(piece, rank, lines, now, arrival);
  if (value.writer.rank != rank) value.shared_from = std::min(value.shared_from, arrival);
  (value.writer.rank == rank ? value.writer : value.reader) = {rank, own_lines_[rank]};
  own_lines_[rank] += lines;
}

void Values::write(Piece piece, Rank rank, std::int64_t lines, double now) {
  Value& value = values_[piece];
  if (find(piece, rank, now).where == Found::Where::own) lines = 0;
  bring(piece, rank, lines, now, now);
  value.domains = bit(hardware_->domain_of(rank));
  value.writer = value.reader = {rank, own_lines_[rank]};
  value.shared_from = kNever;
  own_lines_[rank] += lines;
}

void Values::stream(Piece piece) {
  values_[piece].domains = 0;
  values_[piece].shared_from = 0;
}

double Values::queue(Piece piece, double now, double service) {
  Value& value = values_[piece];
  const double start = std::max(now, value.served);
  value.served = start + service;
  return start - now;
}

std::size_t Values::bytes() const {
  return values_.capacity() * sizeof(Value) + presence_.capacity() * sizeof(Presence) +
         (own_lines_.capacity() + domain_lines_.capacity()) * sizeof(std::int64_t);
}

}  // namespace terrace::simulate
