// SPDX-License-Identifier: BSD-3-Clause
// Runs the MPI's collective after Terrace's, and finds the first difference between their results.
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

/// The call's name as the subject of a sentence.
void say_difference(CommState& comm_state, Collective collective, const std::string& call,
                    const std::string& where) {
  comm_state.tally.count_difference(collective);
  say("check: " + call + " on a communicator of " + std::to_string(comm_state.size) +
      " ranks differs from the MPI's at rank " + std::to_string(comm_state.rank) + ": " + where +
      "; the program goes on with the MPI's result");
}

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

/// Sums of whole numbers are exact as long as no partial sum exceeds the mantissa.
template <class Real>
bool is_exactly_summable(std::span<const Real> input, std::span<const Real> magnitudes) {
  const Real most = std::ldexp(Real(1), std::numeric_limits<Real>::digits);
  return std::all_of(input.begin(), input.end(), is_whole<Real>) &&
         std::all_of(magnitudes.begin(), magnitudes.end(), [&](Real x) { return x < most; });
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

/// Null: none on this node.
MpiWaitEnvironment* peers_of(CommState& comm_state) {
  return comm_state.team ? &comm_state.team->wait_environment : nullptr;
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

template <class Real>
bool is_nan_at(const std::byte* place) {
  Real number;
  std::memcpy(&number, place, sizeof number);
  return std::isnan(number);
}

/// The call whose result is compared. The MPI's allreduce gives all that a reduce_scatter divides.
Collective mpis(Collective collective) {
  return collective == Collective::reduce_scatter ? Collective::allreduce : collective;
}

}  // namespace

BcastCheck::BcastCheck(UnderlyingMpi& underlying, CommState& comm_state, const void* bytes,
                       std::size_t count, int root)
    : underlying_(underlying), comm_state_(comm_state), root_(root), expected_(count) {
  if (root == comm_state.rank) std::memcpy(expected_.data(), bytes, count);
}

void BcastCheck::compare(void* bytes) {
  const LivenessWatch watch(peers_of(comm_state_));
  underlying_.next_bcast(comm_state_.communicator, expected_.data(), expected_.size(), root_);
  comm_state_.tally.count_checked();
  const auto* ours = static_cast<const std::byte*>(bytes);
  const auto at = std::mismatch(expected_.begin(), expected_.end(), ours).first;
  if (at == expected_.end()) return;
  const auto offset = static_cast<std::size_t>(at - expected_.begin());
  say_difference(comm_state_, Collective::bcast, to_text(Collective::bcast),
                 "byte " + std::to_string(offset) + " of " + std::to_string(expected_.size()) +
                     " is " + hexadecimal(ours + offset, 1) + " by Terrace, " +
                     hexadecimal(&*at, 1) + " by the MPI");
  std::memcpy(bytes, expected_.data(), expected_.size());
}

ReductionCheck::ReductionCheck(UnderlyingMpi& underlying, CommState& comm_state,
                               Collective collective, const MpiCall& call, const Elements& elements,
                               const void* input, std::size_t blocks)
    : underlying_(underlying),
      comm_state_(comm_state),
      collective_(collective),
      call_(call),
      elements_(elements),
      given_(elements.count * elements.bytes * blocks),
      expected_(elements.count * elements.bytes) {
  const PredefinedType& type = *underlying.find_type(call.type);
  is_complex_ = type.kind == TypeClass::complex;
  is_floating_ = type.kind == TypeClass::floating || is_complex_;
  op_ = underlying.find_operator(call.op)->op;
  if (chooses(op_)) value_bytes_ = bytes_of_value(type);
  // A copy: our own run may overwrite the input.
  std::memcpy(given_.data(), input, given_.size());
}

void ReductionCheck::run_the_mpis() {
  const LivenessWatch watch(peers_of(comm_state_));
  underlying_.next_reduction(mpis(collective_), call_.communicator, given_.data(), expected_.data(),
                             elements_.count, call_.type, call_.op, call_.root);
  if (value_bytes_ > 0) find_nans();
  if (!is_floating_) return;
  if (number_bytes() == sizeof(float))
    find_limits<float>(numbers_in<float>(given_));
  else if (number_bytes() == sizeof(double))
    find_limits<double>(numbers_in<double>(given_));
  else
    find_limits<long double>(numbers_in<long double>(given_));
}

bool ReductionCheck::is_nan(const std::byte* element) const {
  return value_bytes_ == sizeof(float)    ? is_nan_at<float>(element)
         : value_bytes_ == sizeof(double) ? is_nan_at<double>(element)
                                          : is_nan_at<long double>(element);
}

/// Tells all ranks of the NaNs that any has.
void ReductionCheck::find_nans() {
  std::vector<int> own(given_.size() / elements_.bytes);
  for (std::size_t i = 0; i < own.size(); ++i)
    own[i] = is_nan(given_.data() + i * elements_.bytes) ? 1 : 0;
  const int has_any = std::find(own.begin(), own.end(), 1) != own.end();
  int ranks_with_any = 0;
  const Handle type = underlying_.int_type(), sum = underlying_.sum();
  underlying_.next_reduction(Collective::allreduce, call_.communicator, &has_any, &ranks_with_any,
                             1, type, sum, 0);
  if (ranks_with_any == 0) return;
  nans_.resize(elements_.count);
  underlying_.next_reduction(mpis(collective_), call_.communicator, own.data(), nans_.data(),
                             elements_.count, type, sum, call_.root);
}

std::size_t ReductionCheck::number_bytes() const {
  return is_complex_ ? elements_.bytes / 2 : elements_.bytes;
}

template <class Real>
void ReductionCheck::find_limits(std::span<const Real> input) {
  const std::size_t count = expected_.size() / sizeof(Real);
  const auto* expected = reinterpret_cast<const Real*>(expected_.data());
  const double bound =
      2.0 * (comm_state_.size - 1) * static_cast<double>(std::numeric_limits<Real>::epsilon());
  limits_.assign(count, 0.0);
  if (op_ == Operator::product)
    for (std::size_t i = 0; i < count; ++i) {
      // A complex product rounds both parts by about as much as it is long.
      const Real other = is_complex_ ? expected[i ^ 1] : Real(0);
      limits_[i] = (is_complex_ ? 3 : 1) * bound *
                   static_cast<double>(std::abs(expected[i]) + std::abs(other));
    }
  if (op_ != Operator::sum) return;
  std::vector<Real> magnitudes(input.size()), sums(count);
  std::transform(input.begin(), input.end(), magnitudes.begin(),
                 [](Real x) { return std::abs(x); });
  // All ranks must learn whether sums are exact, so all add up what only a root needs.
  const bool is_rooted = collective_ == Collective::reduce;
  underlying_.next_reduction(is_rooted ? Collective::allreduce : mpis(collective_),
                             call_.communicator, magnitudes.data(), sums.data(), elements_.count,
                             call_.type, underlying_.sum(), 0);
  const int rounds_here = !is_exactly_summable<Real>(input, sums);
  int ranks_that_round = 0;
  underlying_.next_reduction(Collective::allreduce, call_.communicator, &rounds_here,
                             &ranks_that_round, 1, underlying_.int_type(), underlying_.sum(), 0);
  if (ranks_that_round == 0) return;
  for (std::size_t i = 0; i < count; ++i) limits_[i] = bound * static_cast<double>(sums[i]);
}

template <class Real>
std::size_t ReductionCheck::first_difference(const void* output) const {
  const auto* ours = static_cast<const Real*>(output);
  const auto* theirs = reinterpret_cast<const Real*>(expected_.data());
  const std::size_t numbers = elements_.bytes / sizeof(Real);
  std::size_t at = 0;
  while (at < limits_.size() &&
         !(is_compared(at / numbers) && differs(ours[at], theirs[at], limits_[at])))
    ++at;
  return at / numbers;
}

std::size_t ReductionCheck::first_difference(const void* output) const {
  if (is_floating_)
    return number_bytes() == sizeof(float)    ? first_difference<float>(output)
           : number_bytes() == sizeof(double) ? first_difference<double>(output)
                                              : first_difference<long double>(output);
  const auto* ours = static_cast<const std::byte*>(output);
  const std::size_t bytes = elements_.bytes;
  std::size_t at = 0;
  while (at < elements_.count &&
         !(is_compared(at) && std::memcmp(&expected_[at * bytes], ours + at * bytes, bytes) != 0))
    ++at;
  return at;
}

void ReductionCheck::narrow_to(std::size_t first, std::size_t count) {
  TERRACE_REQUIRE(first <= elements_.count && count <= elements_.count - first, first, count,
                  elements_.count);
  const auto cut = [=](auto& values, std::size_t per_element) {
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(first * per_element);
    values = {begin, begin + static_cast<std::ptrdiff_t>(count * per_element)};
  };
  if (is_floating_) cut(limits_, elements_.bytes / number_bytes());
  if (!nans_.empty()) cut(nans_, 1);
  cut(expected_, elements_.bytes);
  elements_.count = count;
}

void ReductionCheck::compare(void* output, std::size_t first, std::size_t count) {
  run_the_mpis();
  if (output == nullptr) return;
  narrow_to(first, count);
  comm_state_.tally.count_checked();
  const std::size_t at = first_difference(output);
  if (at == elements_.count) return;
  const std::size_t offset = at * elements_.bytes;
  say_difference(comm_state_, collective_,
                 to_text(collective_) + (", " + to_text(elements_.combination) + ","),
                 "element " + std::to_string(at) + " of " + std::to_string(elements_.count) +
                     " is " +
                     hexadecimal(static_cast<const std::byte*>(output) + offset, elements_.bytes) +
                     " by Terrace, " + hexadecimal(expected_.data() + offset, elements_.bytes) +
                     " by the MPI");
  std::memcpy(output, expected_.data(), expected_.size());
}

ExchangeCheck::ExchangeCheck(UnderlyingMpi& underlying, CommState& comm_state,
                             Collective collective, int root, std::vector<Block> given)
    : underlying_(underlying),
      comm_state_(comm_state),
      collective_(collective),
      root_(root),
      given_(std::move(given)) {
  for (const Block& block : given_) copy_.insert(copy_.end(), block.at, block.at + block.bytes);
}

void ExchangeCheck::compare(const std::vector<Block>& outputs) {
  std::vector<std::byte> expected_bytes(bytes_of(outputs));
  const LivenessWatch watch(peers_of(comm_state_));
  underlying_.next_exchange(collective_, comm_state_.communicator, in_a_row(copy_, given_),
                            in_a_row(expected_bytes, outputs), root_);
  comm_state_.tally.count_checked();
  const std::byte* expected = expected_bytes.data();
  for (std::size_t i = 0; i < outputs.size(); expected += outputs[i++].bytes) {
    const Block& block = outputs[i];
    const auto [theirs, ours] = std::mismatch(expected, expected + block.bytes, block.at);
    if (ours == block.at + block.bytes) continue;
    say_difference(comm_state_, collective_, to_text(collective_),
                   "byte " + std::to_string(ours - block.at) + " of block " + std::to_string(i) +
                       ", of " + std::to_string(block.bytes) + " bytes, is " +
                       hexadecimal(ours, 1) + " by Terrace, " + hexadecimal(theirs, 1) +
                       " by the MPI");
    std::memcpy(block.at, expected, block.bytes);
  }
}

}  // namespace terrace::preload
