// SPDX-License-Identifier: BSD-3-Clause
// Reductions of elements that no plan can hold in the team's scratch.
#include "threadranks/mpi/collective/long_elements.hpp"

#include <numeric>
#include <utility>

#include "base/contract.hpp"

namespace terrace::threadranks::mpi {

LongElements::LongElements(const RankInCall& who, const void* input, void* output,
                           const Elements& elements, std::vector<std::size_t> counts)
    : who_(who),
      input_(static_cast<const std::byte*>(input)),
      output_(static_cast<std::byte*>(output)),
      combiner_(elements.combiner),
      bytes_(elements.bytes),
      total_(counts.empty() ? elements.count
                            : std::accumulate(counts.begin(), counts.end(), std::size_t{0})),
      counts_(std::move(counts)),
      taker_(is_scattered() ? 0 : who.root) {
  TERRACE_ASSERT(combiner_ != nullptr);
  TERRACE_ASSERT(!is_scattered() || counts_.size() == who.rank_count, counts_.size());
  const bool gathers = !has_one_taker() || (is_scattered() ? counts_[who.rank] > 0 : who.is_root());
  if (gathers) gathered_ = std::make_unique<std::byte[]>(bytes_ * who.rank_count);
  find_taker();
}

void LongElements::find_taker() {
  if (!is_scattered()) return;
  while (next_ < total_ && next_ >= taken_before_ + counts_[taker_])
    taken_before_ += counts_[taker_++];
}

bool LongElements::has_call() {
  if (is_gathering_) {
    combine_gathered();
    is_gathering_ = false;
    ++next_;
    find_taker();
  }
  return next_ < total_;
}

/// In place, the result overwrites no element that is still to be gathered: it has the number of
/// the element, or a smaller one if results are scattered.
void LongElements::combine_gathered() {
  if (is_scattered() ? who_.rank != taker_ : !gets_result(who_)) return;
  const std::size_t operand_count = who_.collective == Collective::scan     ? who_.rank + 1
                                    : who_.collective == Collective::exscan ? who_.rank
                                                                            : who_.rank_count;
  std::vector<const void*> operands;
  for (std::size_t i = 0; i < operand_count; ++i) operands.push_back(gathered_.get() + i * bytes_);
  void* const result = output_ + (next_ - taken_before_) * bytes_;
  combiner_->combine(operands.data(), operands.size(), &result, 1, 1);
}

}  // namespace terrace::threadranks::mpi
