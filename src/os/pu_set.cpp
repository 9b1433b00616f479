// SPDX-License-Identifier: BSD-3-Clause
// Sets of PUs as words of 64 bits, and their text form.
#include "os/pu_set.hpp"

#include <algorithm>
#include <bit>

#include "base/contract.hpp"
#include "base/number.hpp"

namespace terrace {
namespace {

constexpr std::uint32_t kWordBits = 64;

/// "5" or "2-3".
bool read_range(std::string_view text, PuSet& pus) {
  const std::size_t dash = text.find('-');
  const auto first = number_from_text(text.substr(0, dash), 0u, kMostPus - 1);
  if (!first) return false;
  const auto last = dash == std::string_view::npos
                        ? first
                        : number_from_text(text.substr(dash + 1), *first, kMostPus - 1);
  if (!last) return false;
  for (std::uint32_t pu = *first; pu <= *last; ++pu) pus.insert(pu);
  return true;
}

}  // namespace

void PuSet::insert(std::uint32_t pu) {
  TERRACE_ASSERT(pu < kMostPus, pu);
  if (pu / kWordBits >= words_.size()) words_.resize(pu / kWordBits + 1);
  words_[pu / kWordBits] |= std::uint64_t{1} << (pu % kWordBits);
}

void PuSet::insert(const PuSet& others) {
  if (others.words_.size() > words_.size()) words_.resize(others.words_.size());
  for (std::size_t i = 0; i < others.words_.size(); ++i) words_[i] |= others.words_[i];
}

std::uint32_t PuSet::count() const {
  int bits = 0;
  for (std::uint64_t word : words_) bits += std::popcount(word);
  return static_cast<std::uint32_t>(bits);
}

bool PuSet::contains(std::uint32_t pu) const {
  return pu / kWordBits < words_.size() && (words_[pu / kWordBits] >> (pu % kWordBits) & 1) != 0;
}

bool PuSet::contains(const PuSet& others) const {
  return (*this & others) == others;
}

std::uint32_t PuSet::first() const {
  TERRACE_REQUIRE(!words_.empty() && words_.back() != 0, words_.size());
  std::uint32_t word = 0;
  while (words_[word] == 0) ++word;
  return word * kWordBits + static_cast<std::uint32_t>(std::countr_zero(words_[word]));
}

std::vector<std::uint32_t> PuSet::list() const {
  std::vector<std::uint32_t> pus;
  for (std::uint32_t word = 0; word < words_.size(); ++word)
    for (std::uint64_t bits = words_[word]; bits != 0; bits &= bits - 1)
      pus.push_back(word * kWordBits + static_cast<std::uint32_t>(std::countr_zero(bits)));
  return pus;
}

PuSet PuSet::operator&(const PuSet& others) const {
  PuSet both;
  both.words_.resize(std::min(words_.size(), others.words_.size()));
  for (std::size_t i = 0; i < both.words_.size(); ++i)
    both.words_[i] = words_[i] & others.words_[i];
  both.drop_empty_words();
  return both;
}

void PuSet::drop_empty_words() {
  while (!words_.empty() && words_.back() == 0) words_.pop_back();
}

std::string to_text(const PuSet& set, char separator) {
  std::string text;
  const std::vector<std::uint32_t> pus = set.list();
  for (std::size_t i = 0; i < pus.size(); ++i) {
    std::size_t last = i;  // of a run of neighbours
    while (last + 1 < pus.size() && pus[last + 1] == pus[last] + 1) ++last;
    if (!text.empty()) text += separator;
    text += std::to_string(pus[i]);
    if (last > i) text.append("-").append(std::to_string(pus[last]));
    i = last;
  }
  return text;
}

Result<PuSet> pu_set_from_text(std::string_view text, char separator) {
  PuSet set;
  std::string_view rest = text;
  for (bool more = true; more;) {
    const std::size_t end = rest.find(separator);
    more = end != std::string_view::npos;
    if (!read_range(rest.substr(0, end), set)) {
      std::string sentence = "expected numbers or ranges of PUs with '";
      sentence.append(1, separator).append("' between them, as in 0-3").append(1, separator);
      return Error{ErrorCode::argument, sentence.append("8, not '").append(text).append("'")};
    }
    if (more) rest.remove_prefix(end + 1);
  }
  return set;
}

}  // namespace terrace
