// SPDX-License-Identifier: BSD-3-Clause
// Coherence of single lines, by rank: modified or exclusive at the owner, or shared with readers.
#include "simulate/signals.hpp"

#include <algorithm>
#include <bit>

#include "base/contract.hpp"

namespace terrace::simulate {

Signals::Signals(const Hardware& hardware, std::uint32_t signals_of_each, std::uint32_t lines_each)
    : hardware_(&hardware),
      signals_of_each_(signals_of_each),
      lines_each_(lines_each),
      words_((hardware.rank_count() + 63) / 64),
      signals_(std::size_t{hardware.rank_count()} * signals_of_each),
      arrival_(signals_.size() * hardware.domain_count()),
      sharers_(signals_.size() * words_) {}

bool Signals::has_copy(SignalNumber signal, Rank rank) const {
  TERRACE_ASSERT(signal < signals_.size() && rank < hardware_->rank_count(), signal, rank);
  const std::uint64_t word = sharers_[std::size_t{signal} * words_ + rank / 64];
  return (word >> (rank % 64) & 1) != 0;
}

/// A neighbour who shares the last cache supplies it if one has got a copy, else the owner.
Fetched Signals::fetch_alone(SignalNumber signal, Rank rank, double now) {
  if (owner(signal) == rank || has_copy(signal, rank)) return {0, 0, true};
  Signal& line = signals_[signal];
  const Domain here = hardware_->domain_of(rank);
  TERRACE_ASSERT(here < hardware_->domain_count() && here < 64, here);
  const std::uint64_t here_bit = std::uint64_t{1} << here;
  double& arrival = arrival_[std::size_t{signal} * hardware_->domain_count() + here];
  const model::Distance& far = hardware_->distance_at(hardware_->distance(rank, owner(signal)));
  const bool is_shared = line.domains != 0 && line.shared_from <= now;
  const bool is_here = (line.domains & here_bit) != 0;
  const double first = is_here && arrival <= now     ? hardware_->last_cache().latency
                       : is_shared && far.shared > 0 ? far.shared
                                                     : far.modified;
  const double latency = first + (lines_each_ - 1) * far.further_line;
  if (line.domains == 0) line.shared_from = now + latency;
  if (!is_here) arrival = now + latency;
  line.domains |= here_bit;
  sharers_[std::size_t{signal} * words_ + rank / 64] |= std::uint64_t{1} << (rank % 64);
  ++transfers_;
  return {latency, lines_each_ * far.further_line, false};
}

/// Copies leave one after the other.
Fetched Signals::fetch(SignalNumber signal, Rank rank, double now) {
  Signal& line = signals_[signal];
  const double start = std::max(now, line.served);
  Fetched fetched = fetch_alone(signal, rank, start);
  if (fetched.is_hit) return fetched;
  line.served =
      start + hardware_->distance_at(hardware_->distance(rank, owner(signal))).further_reader;
  fetched.latency += start - now;
  return fetched;
}

double Signals::own(SignalNumber signal, double now) {
  Signal& line = signals_[signal];
  double longest = 0;
  for (std::uint64_t domains = line.domains; domains != 0; domains &= domains - 1) {
    const auto domain = static_cast<Domain>(std::countr_zero(domains));
    const std::span<const Rank> members = hardware_->members_of(domain);
    const Rank sharer = members.front() == owner(signal) ? members.back() : members.front();
    longest = std::max(
        longest, hardware_->distance_at(hardware_->distance(owner(signal), sharer)).ownership);
  }
  line.owned = std::max(now, line.owned) + longest;
  return line.owned;
}

void Signals::invalidate(SignalNumber signal) {
  TERRACE_ASSERT(signal < signals_.size(), signal, signals_.size());
  signals_[signal].domains = 0;
  std::fill_n(sharers_.begin() + static_cast<std::ptrdiff_t>(std::size_t{signal} * words_), words_,
              0);
}

void Signals::wait(SignalNumber signal, Rank rank, std::uint64_t value) {
  TERRACE_ASSERT(signal < signals_.size() && rank < hardware_->rank_count(), signal, rank);
  std::uint32_t place = free_spinner_;
  if (place == kNoSpinner) {
    place = static_cast<std::uint32_t>(spinners_.size());
    spinners_.emplace_back();
  } else {
    free_spinner_ = spinners_[place].next;
  }
  spinners_[place] = {rank, value, kNoSpinner};
  Signal& line = signals_[signal];
  (line.first_spinner == kNoSpinner ? line.first_spinner : spinners_[line.last_spinner].next) =
      place;
  line.last_spinner = place;
}

void Signals::take_spinners(SignalNumber signal, std::vector<Spinner>& spinners) {
  Signal& line = signals_[signal];
  for (std::uint32_t place = line.first_spinner; place != kNoSpinner;) {
    spinners.push_back(spinners_[place]);
    const std::uint32_t next = spinners_[place].next;
    spinners_[place].next = free_spinner_;
    free_spinner_ = place;
    place = next;
  }
  line.first_spinner = line.last_spinner = kNoSpinner;
}

std::size_t Signals::bytes() const {
  return signals_.capacity() * sizeof(Signal) + arrival_.capacity() * sizeof(double) +
         sharers_.capacity() * sizeof(std::uint64_t) + spinners_.capacity() * sizeof(Spinner);
}

}  // namespace terrace::simulate
