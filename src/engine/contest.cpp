// SPDX-License-Identifier: BSD-3-Clause
// Puts the ways to make a call, and the outcome of a trial, into words.
#include "engine/contest.hpp"

#include "base/bytes.hpp"
#include "base/durations.hpp"

namespace terrace {

namespace {

const char* copies_text(CopyBy copies) {
  switch (copies) {
    case CopyBy::pages:
      break;
    case CopyBy::lines:
      return ", copied line by line";
    case CopyBy::string:
      return ", copied by string instructions";
  }
  return "";
}

}  // namespace

std::string to_text(const Contender& contender) {
  if (is_fallback(contender)) return "the MPI";
  if (contender.how == Contender::How::composed) return kComposed;
  if (contender.how == Contender::How::uneven) return "Terrace";
  if (contender.how == Contender::How::pulled)
    return std::string(contender.choice.algorithm) + ", pulled";
  return to_text(contender.choice) + copies_text(contender.copies);
}

ClassOfCalls class_of(const Question& question) {
  return {question.collective, length_class(question.bytes), question.order, question.is_exact};
}

std::string outcome_of(const Contest& contest) {
  const Trial& trial = contest.trial;
  std::string text = "trial of " + std::string(to_text(contest.calls.collective));
  if (contest.calls.bytes > 0) text += " of " + bytes_text(contest.calls.bytes);
  if (trial.are_of_runs()) text += " and what the program does between";
  const double usual = trial.median_ns(trial.usual()), now = trial.median_ns(trial.standing());
  text += ": " + to_text(contest.ways[trial.usual()]) + " " + duration_text(usual);
  for (std::size_t one = 0; one < contest.ways.size(); ++one)
    if (one != trial.usual() && trial.median_ns(one) > 0)
      text += "; " + to_text(contest.ways[one]) + " " + duration_text(trial.median_ns(one));
  if (contest.leaves_out_mpi)
    text += "; not tried: the MPI, whose sums may have other last bits (TERRACE_TRIALS=sums)";
  if (trial.standing() == trial.usual()) return text + ": stays";
  return text + ": " + to_text(contest.standing()) + " from now on, " +
         std::to_string(static_cast<int>(100 * (1 - now / usual))) + " % less";
}

}  // namespace terrace
