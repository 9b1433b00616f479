// SPDX-License-Identifier: BSD-3-Clause
// Sentences about ways to make calls.
#include "api/contest.hpp"

#include "base/bytes.hpp"
#include "base/durations.hpp"

namespace terrace {

std::string to_text(const Contender& contender) {
  const Choice& choice = contender.choice;
  if (contender.how == Contender::How::handed) return "the MPI";
  std::string text(choice.algorithm);
  if (contender.how == Contender::How::pulled) return text + ", pulled";
  if (choice.strip_bytes != kWhole && choice.strip_bytes != 0)
    text += ", strips of " + bytes_text(choice.strip_bytes);
  if (choice.streams) text += ", stored past the caches";
  if (choice.streams_scratch) text += ", scratch past the caches";
  if (choice.scratch_span > kAtOnce) text += ", through " + bytes_text(choice.scratch_span);
  return text;
}

ClassOfCalls class_of(const Question& question) {
  return {question.collective, length_class(question.bytes), question.order, question.is_exact};
}

std::string to_text(const ClassOfCalls& calls, const Contest& contest) {
  const Trial& trial = contest.trial;
  std::string text = "trial of " + std::string(to_text(calls.collective));
  if (calls.bytes > 0) text += " of " + bytes_text(calls.bytes);
  const double usual = trial.median_ns(0), now = trial.median_ns(trial.standing());
  text += ": " + to_text(contest.ways[0]) + " " + duration_text(usual);
  for (std::size_t one = 1; one < contest.ways.size(); ++one)
    if (trial.median_ns(one) > 0)
      text += "; " + to_text(contest.ways[one]) + " " + duration_text(trial.median_ns(one));
  if (trial.standing() == 0) return text + ": stays";
  return text + ": " + to_text(contest.standing()) + " from now on, " +
         std::to_string(static_cast<int>(100 * (1 - now / usual))) + " % less";
}

}  // namespace terrace
