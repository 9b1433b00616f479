// SPDX-License-Identifier: BSD-3-Clause
// Makes the MPI's collective beside Terrace's, and finds the first difference between their
// results.
#include "preload/dispatch/compare_with_mpi.hpp"

#include <algorithm>
#include <climits>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "base/contract.hpp"
#include "base/say.hpp"
#include "preload/waiting/liveness_watch.hpp"

namespace terrace::preload {

namespace {

std::string hexadecimal(const std::byte* bytes, std::size_t count) {
  static const char digits[] = "0123456789abcdef";
  std::string text = "0x";
  for (std::size_t i = count; i-- > 0;) {  // little-endian
    text += digits[std::to_integer<unsigned>(bytes[i]) >> 4];
    text += digits[std::to_integer<unsigned>(bytes[i]) & 15];
  }
  return text;
}

template <class Real>
bool differs(Real ours, Real theirs, double limit) {
  if (ours == theirs || (std::isnan(ours) && std::isnan(theirs))) return false;
  return !(std::abs(static_cast<double>(ours) - static_cast<double>(theirs)) <= limit);
}

/// Whether a number is whole: added to one so large that their sum has no bits for a fraction.
/// Not by std::trunc, for which some processors need libm.
template <class Real>
bool is_whole(Real x) {
  const Real large = std::ldexp(Real(1), std::numeric_limits<Real>::digits - 1);
  const Real size = std::abs(x);
  return size >= large || size + large - large == size;
}

/// Whether sums of whole numbers of these magnitudes are exact: no partial sum exceeds the
/// mantissa.
template <class Real>
bool are_sums_exact(std::span<const Real> magnitudes) {
  const Real most = std::ldexp(Real(1), std::numeric_limits<Real>::digits);
  return std::all_of(magnitudes.begin(), magnitudes.end(), [&](Real x) { return x < most; });
}

template <class Real>
std::span<const Real> numbers_in(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const Real*>(bytes.data()), bytes.size() / sizeof(Real)};
}

std::size_t bytes_of(const std::vector<Block>& blocks) {
  std::size_t bytes = 0;
  for (const Block& block : blocks) bytes += block.bytes;
  return bytes;
}

/// Places the blocks one after the other, with the counts and displacements that MPI takes.
ByteBlocks in_a_row(std::vector<std::byte>& bytes, const std::vector<Block>& blocks) {
  ByteBlocks row{bytes.data(), {}, {}};
  std::size_t begin = 0;
  for (const Block& block : blocks) {
    TERRACE_REQUIRE(begin <= INT_MAX && block.bytes <= INT_MAX, begin, block.bytes, blocks.size());
    row.counts.push_back(static_cast<int>(block.bytes));
    row.displacements.push_back(static_cast<int>(begin));
    begin += block.bytes;
  }
  return row;
}

/// Whether the operator chooses one of its operands by their order, in which a NaN has no place.
bool chooses(Operator op) {
  return op == Operator::minimum || op == Operator::maximum || op == Operator::minimum_location ||
         op == Operator::maximum_location;
}

/// Bytes of the floating-point number by which elements without gaps are chosen; 0: there is none.
std::size_t bytes_of_value(const PredefinedType& type) {
  if (type.kind == TypeClass::floating) return type.bytes;
  if (type.kind == TypeClass::floating_and_int) return type.bytes - sizeof(int);
  return type.kind == TypeClass::two_floating ? type.bytes / 2 : 0;
}

/// Calls `visit` with a floating-point number of so many bytes.
template <class Visit>
auto with_real(std::size_t bytes, const Visit& visit) {
  if (bytes == sizeof(float)) return visit(float{});
  if (bytes == sizeof(double)) return visit(double{});
  return visit(static_cast<long double>(0));
}

template <class Real>
bool is_nan_at(const std::byte* place) {
  Real number;
  std::memcpy(&number, place, sizeof number);
  return std::isnan(number);
}

template <class Real>
bool is_equal_at(const std::byte* place, const std::byte* other) {
  Real numbers[2];
  std::memcpy(&numbers[0], place, sizeof(Real));
  std::memcpy(&numbers[1], other, sizeof(Real));
  return numbers[0] == numbers[1];
}

/// The call whose result is compared. The MPI's allreduce gives all that a reduce_scatter divides.
Collective mpis(Collective collective) {
  return collective == Collective::reduce_scatter ? Collective::allreduce : collective;
}

}  // namespace

MpiCheck::MpiCheck(UnderlyingMpi& underlying, CommState& comm_state, Collective collective)
    : underlying_(underlying),
      collective_(collective),
      ranks_(comm_state.size),
      rank_(comm_state.rank),
      communicator_(comm_state.communicator),
      tally_(&comm_state.tally),
      peers_(comm_state.team ? &comm_state.team->wait_environment : nullptr) {}

void MpiCheck::begin() {
  TERRACE_REQUIRE(!is_begun_ && requests_.empty());
  is_begun_ = true;
  make_calls();
}

bool MpiCheck::are_calls_over() {
  // One at a time: what is over is not asked again.
  while (!requests_.empty()) {
    const std::optional<bool> is_over = underlying_.is_over(requests_.back());
    if (!is_over) has_failed_ = true;
    if (is_over == false) return false;
    requests_.pop_back();
  }
  return true;
}

void MpiCheck::finish_calls() {
  const LivenessWatch watch(peers_);
  if (!is_begun_) make_calls();
  for (Handle& request : requests_)
    has_failed_ |= !underlying_.await(request, "a call of the MPI's for TERRACE_CHECK");
  requests_.clear();
}

void MpiCheck::compare() {
  TERRACE_REQUIRE(requests_.empty(), requests_.size());
  if (!has_failed_) return compare_results();
  say_once(std::string("check: the MPI has failed in a call that was to be compared with ") +
           to_text(collective_));
}

void MpiCheck::note_call(bool is_made) {
  if (is_made) return;
  has_failed_ = true;
  if (is_begun_) requests_.pop_back();
}

void MpiCheck::bcast(void* bytes, std::size_t count, int root) {
  note_call(underlying_.next_bcast(communicator_, bytes, count, root, next_request()));
}

void MpiCheck::reduction(Collective collective, const void* input, void* output, std::size_t count,
                         Handle type, Handle op, int root) {
  note_call(underlying_.next_reduction(collective, communicator_, input, output, count, type, op,
                                       root, next_request()));
}

void MpiCheck::exchange(const ByteBlocks& input, const ByteBlocks& output, int root) {
  note_call(
      underlying_.next_exchange(collective_, communicator_, input, output, root, next_request()));
}

void MpiCheck::say_difference(const std::string& call, const std::string& where) {
  if (tally_ != nullptr) tally_->count_difference(collective_);
  say(std::string("check: ") + (is_begun_ ? "i" : "") + call + " on a communicator of " +
      std::to_string(ranks_) + " ranks differs from the MPI's at rank " + std::to_string(rank_) +
      ": " + where + "; the program goes on with the MPI's result");
}

void MpiCheck::count_checked() {
  if (tally_ != nullptr) tally_->count_checked();
}

BcastCheck::BcastCheck(UnderlyingMpi& underlying, CommState& comm_state, void* bytes,
                       std::size_t count, int root)
    : MpiCheck(underlying, comm_state, Collective::bcast),
      bytes_(static_cast<std::byte*>(bytes)),
      root_(root),
      expected_(count) {}

void BcastCheck::copy_input() {
  if (root_ == rank_) std::memcpy(expected_.data(), bytes_, expected_.size());
}

void BcastCheck::make_calls() {
  bcast(expected_.data(), expected_.size(), root_);
}

void BcastCheck::compare_results() {
  count_checked();
  const auto at = std::mismatch(expected_.begin(), expected_.end(), bytes_).first;
  if (at == expected_.end()) return;
  const auto offset = static_cast<std::size_t>(at - expected_.begin());
  say_difference(to_text(collective_), "byte " + std::to_string(offset) + " of " +
                                           std::to_string(expected_.size()) + " is " +
                                           hexadecimal(bytes_ + offset, 1) + " by Terrace, " +
                                           hexadecimal(&*at, 1) + " by the MPI");
  std::memcpy(bytes_, expected_.data(), expected_.size());
}

ReductionCheck::ReductionCheck(UnderlyingMpi& underlying, CommState& comm_state,
                               Collective collective, const MpiCall& call, const Elements& elements,
                               const ReducedVectors& vectors)
    : MpiCheck(underlying, comm_state, collective),
      call_(call),
      elements_(elements),
      vectors_(vectors),
      given_(elements.count * elements.bytes * vectors.blocks),
      expected_(elements.count * elements.bytes) {
  vectors_.count = std::min(vectors.count, elements.count);
  TERRACE_REQUIRE(vectors.first <= elements.count - vectors_.count, vectors.first, vectors_.count,
                  elements.count);
  const PredefinedType& type = *underlying.find_type(call.type);
  is_complex_ = type.kind == TypeClass::complex;
  is_floating_ = type.kind == TypeClass::floating || is_complex_;
  op_ = underlying.find_operator(call.op)->op;
  if (chooses(op_)) value_bytes_ = bytes_of_value(type);
}

std::size_t ReductionCheck::number_bytes() const {
  return is_complex_ ? elements_.bytes / 2 : elements_.bytes;
}

void ReductionCheck::copy_input() {
  std::memcpy(given_.data(), vectors_.input, given_.size());
  if (value_bytes_ > 0) find_nans();
  if (is_floating_ && op_ == Operator::sum)
    with_real(number_bytes(), [this](auto number) { find_magnitudes<decltype(number)>(); });
}

bool ReductionCheck::is_nan(const std::byte* element) const {
  return with_real(value_bytes_, [&](auto number) { return is_nan_at<decltype(number)>(element); });
}

void ReductionCheck::find_nans() {
  own_nans_.resize(given_.size() / elements_.bytes);
  for (std::size_t i = 0; i < own_nans_.size(); ++i)
    own_nans_[i] = is_nan(given_.data() + i * elements_.bytes) ? 1 : 0;
  nans_.resize(elements_.count);
}

template <class Real>
void ReductionCheck::find_magnitudes() {
  const std::span<const Real> input = numbers_in<Real>(given_);
  magnitudes_.own.resize(given_.size());
  magnitudes_.sums.resize(expected_.size());
  auto* const own = reinterpret_cast<Real*>(magnitudes_.own.data());
  std::transform(input.begin(), input.end(), own, [](Real x) { return std::abs(x); });
  magnitudes_.has_fractions = !std::all_of(input.begin(), input.end(), is_whole<Real>);
}

/// Makes calls that follow from the arguments which all ranks share.
void ReductionCheck::make_calls() {
  const Collective collective = mpis(collective_);
  const Handle ints = underlying_.int_type(), sum = underlying_.sum();
  const int root = call_.root;
  reduction(collective, given_.data(), expected_.data(), elements_.count, call_.type, call_.op,
            root);
  if (value_bytes_ > 0)
    reduction(collective, own_nans_.data(), nans_.data(), elements_.count, ints, sum, root);
  if (!is_floating_ || op_ != Operator::sum) return;
  Magnitudes& of = magnitudes_;
  reduction(collective, of.own.data(), of.sums.data(), elements_.count, call_.type, sum, root);
  reduction(Collective::allreduce, &of.has_fractions, &of.ranks_with_fractions, 1, ints, sum, 0);
}

template <class Real>
void ReductionCheck::find_limits() {
  const std::span<const Real> expected = numbers_in<Real>(expected_);
  const double bound =
      2.0 * (ranks_ - 1) * static_cast<double>(std::numeric_limits<Real>::epsilon());
  limits_.assign(expected.size(), 0.0);
  if (op_ == Operator::product)
    for (std::size_t i = 0; i < expected.size(); ++i) {
      // A complex product rounds both parts by about as much as it is long.
      const Real other = is_complex_ ? expected[i ^ 1] : Real(0);
      limits_[i] = (is_complex_ ? 3 : 1) * bound *
                   static_cast<double>(std::abs(expected[i]) + std::abs(other));
    }
  if (op_ != Operator::sum) return;
  const std::span<const Real> sums = numbers_in<Real>(magnitudes_.sums);
  if (magnitudes_.ranks_with_fractions == 0 && are_sums_exact(sums)) return;
  for (std::size_t i = 0; i < sums.size(); ++i) limits_[i] = bound * static_cast<double>(sums[i]);
}

template <class Real>
std::size_t ReductionCheck::first_difference_of_numbers() {
  find_limits<Real>();
  const auto* ours = reinterpret_cast<const Real*>(vectors_.output);
  const std::span<const Real> theirs = numbers_in<Real>(expected_);
  const std::size_t numbers = elements_.bytes / sizeof(Real);
  const std::size_t first = vectors_.first * numbers, count = vectors_.count * numbers;
  std::size_t at = 0;
  while (at < count && !(is_compared((first + at) / numbers) &&
                         differs(ours[at], theirs[first + at], limits_[first + at])))
    ++at;
  return at / numbers;
}

/// Compares elements; of pairs, zeros of either sign are one value.
bool ReductionCheck::are_alike(const std::byte* ours, const std::byte* theirs) const {
  if (std::memcmp(ours, theirs, elements_.bytes) == 0) return true;
  if (value_bytes_ == 0 ||
      std::memcmp(ours + value_bytes_, theirs + value_bytes_, elements_.bytes - value_bytes_) != 0)
    return false;
  return with_real(value_bytes_,
                   [&](auto number) { return is_equal_at<decltype(number)>(ours, theirs); });
}

std::size_t ReductionCheck::first_difference() {
  if (is_floating_)
    return with_real(number_bytes(), [this](auto number) {
      return first_difference_of_numbers<decltype(number)>();
    });
  const std::size_t bytes = elements_.bytes;
  const std::byte* const theirs = expected_.data() + vectors_.first * bytes;
  std::size_t at = 0;
  while (at < vectors_.count && !(is_compared(vectors_.first + at) &&
                                  !are_alike(vectors_.output + at * bytes, theirs + at * bytes)))
    ++at;
  return at;
}

void ReductionCheck::compare_results() {
  if (vectors_.output == nullptr) return;
  count_checked();
  const std::size_t at = first_difference();
  if (at == vectors_.count) return;
  const std::size_t bytes = elements_.bytes;
  const std::byte* const theirs = expected_.data() + vectors_.first * bytes;
  say_difference(to_text(collective_) + (", " + to_text(elements_.combination) + ","),
                 "element " + std::to_string(at) + " of " + std::to_string(vectors_.count) +
                     " is " + hexadecimal(vectors_.output + at * bytes, bytes) + " by Terrace, " +
                     hexadecimal(theirs + at * bytes, bytes) + " by the MPI");
  std::memcpy(vectors_.output, theirs, vectors_.count * bytes);
}

ExchangeCheck::ExchangeCheck(UnderlyingMpi& underlying, CommState& comm_state,
                             Collective collective, int root, std::vector<Block> given,
                             std::vector<Block> outputs)
    : MpiCheck(underlying, comm_state, collective),
      root_(root),
      given_(std::move(given)),
      outputs_(std::move(outputs)),
      input_(bytes_of(given_)),
      expected_(bytes_of(outputs_)),
      input_row_(in_a_row(input_, given_)),
      expected_row_(in_a_row(expected_, outputs_)) {}

void ExchangeCheck::copy_input() {
  std::byte* to = input_.data();
  for (const Block& block : given_) to = std::copy_n(block.at, block.bytes, to);
}

void ExchangeCheck::make_calls() {
  exchange(input_row_, expected_row_, root_);
}

void ExchangeCheck::compare_results() {
  count_checked();
  const std::byte* expected = expected_.data();
  for (std::size_t i = 0; i < outputs_.size(); expected += outputs_[i++].bytes) {
    const Block& block = outputs_[i];
    const auto [theirs, ours] = std::mismatch(expected, expected + block.bytes, block.at);
    if (ours == block.at + block.bytes) continue;
    say_difference(to_text(collective_), "byte " + std::to_string(ours - block.at) + " of block " +
                                             std::to_string(i) + ", of " +
                                             std::to_string(block.bytes) + " bytes, is " +
                                             hexadecimal(ours, 1) + " by Terrace, " +
                                             hexadecimal(theirs, 1) + " by the MPI");
    std::memcpy(block.at, expected, block.bytes);
  }
}

}  // namespace terrace::preload
