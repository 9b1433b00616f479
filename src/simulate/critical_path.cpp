// SPDX-License-Identifier: BSD-3-Clause
// Follows causes backwards: from a step to the one whose signal or message came last, or else to
// the one before it at the same rank.
#include "simulate/critical_path.hpp"

#include <algorithm>
#include <map>

namespace terrace::simulate {

namespace {

class PathFinder {
 public:
  explicit PathFinder(const SimulationOutcome& outcome) : steps_(outcome.last_steps) {
    for (std::size_t i = 0; i < steps_.size(); ++i) index_[steps_[i].number] = i;
  }

  std::vector<PathPiece> find(const std::vector<PlayedCall>& calls) {
    const auto last = std::max_element(
        calls.begin(), calls.end(),
        [](const PlayedCall& a, const PlayedCall& b) { return a.ended < b.ended; });
    if (last == calls.end()) return {};
    double at = last->ended;
    Rank rank = last->rank;
    std::size_t step = last_of(rank);
    add(PathPart::leave, rank, PathPiece::kNoStep,
        step == PathPiece::kNoStep ? last->begun : steps_[step].published, at);
    bool is_own = true;  // not reached by a signal
    while (step != PathPiece::kNoStep) {
      const PlayedStep& played = steps_[step];
      rank = played.number.rank;
      if (is_own) add(PathPart::publish, rank, step, played.done, played.published);
      add(PathPart::work, rank, step, played.working, played.done);
      at = played.waiting;
      const std::size_t cause = cause_of(played);
      is_own = cause == PathPiece::kNoStep;
      if (is_own)
        add(PathPart::look, rank, step, played.waiting, played.working);
      else
        add(played.awaits_message ? PathPart::message : PathPart::signal, rank, step,
            steps_[cause].done, played.working);
      step = is_own ? before(step) : cause;
    }
    const auto first = std::find_if(calls.begin(), calls.end(),
                                    [rank](const PlayedCall& call) { return call.rank == rank; });
    if (last_of(rank) != PathPiece::kNoStep)
      add(PathPart::enter, rank, PathPiece::kNoStep, first->begun, at);
    std::reverse(path_.begin(), path_.end());
    return std::move(path_);
  }

 private:
  void add(PathPart part, Rank rank, std::size_t step, double begin, double end) {
    if (end > begin) path_.push_back({part, rank, step, begin, end});
  }

  std::size_t last_of(Rank rank) const {
    const auto after =
        std::partition_point(steps_.begin(), steps_.end(),
                             [rank](const PlayedStep& step) { return step.number.rank <= rank; });
    if (after == steps_.begin() || std::prev(after)->number.rank != rank) return PathPiece::kNoStep;
    return static_cast<std::size_t>(after - steps_.begin()) - 1;
  }

  std::size_t before(std::size_t step) const {
    const bool is_first = step == 0 || steps_[step - 1].number.rank != steps_[step].number.rank;
    return is_first ? PathPiece::kNoStep : step - 1;
  }

  std::size_t cause_of(const PlayedStep& step) const {
    if (!step.cause) return PathPiece::kNoStep;
    const auto found = index_.find(*step.cause);
    return found == index_.end() ? PathPiece::kNoStep : found->second;
  }

  const std::vector<PlayedStep>& steps_;
  std::map<StepNumber, std::size_t> index_;
  std::vector<PathPiece> path_;
};

}  // namespace

const char* to_text(PathPart part) {
  switch (part) {
    case PathPart::enter:
      return "enter";
    case PathPart::look:
      return "look";
    case PathPart::signal:
      return "signal";
    case PathPart::message:
      return "message";
    case PathPart::work:
      return "work";
    case PathPart::publish:
      return "publish";
    case PathPart::leave:
      return "leave";
  }
  return "";
}

std::vector<PathPiece> critical_path(const SimulationOutcome& outcome) {
  return PathFinder(outcome).find(outcome.last_calls);
}

}  // namespace terrace::simulate
