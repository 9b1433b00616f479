// SPDX-License-Identifier: BSD-3-Clause
// Reads users' plans. See written_plan.hpp.
#include "written_plan.hpp"

#include <condition_variable>
#include <iostream>
#include <mutex>
#include <thread>

#include "base/paths.hpp"
#include "base/text_file.hpp"
#include "base/wait_at_most.hpp"
#include "collectives/neighbours.hpp"

namespace terrace {

namespace {

/// Says after two seconds what takes so long, unless it has ended before.
class Patience {
 public:
  explicit Patience(std::string sentence)
      : speaker_([this, sentence = std::move(sentence)] {
          std::unique_lock lock(mutex_);
          if (!wait_at_most(2'000'000'000, ended_, lock, [this] { return has_ended_; }))
            std::cerr << sentence << std::endl;
        }) {}
  ~Patience() {
    {
      const std::lock_guard lock(mutex_);
      has_ended_ = true;
    }
    ended_.notify_one();
    speaker_.join();
  }
  Patience(const Patience&) = delete;
  Patience& operator=(const Patience&) = delete;

 private:
  std::mutex mutex_;
  std::condition_variable ended_;
  bool has_ended_ = false;
  std::thread speaker_;  // last: it uses the others
};

/// "allreduce.all_read, allreduce.tree, ...": all that can be named.
std::string algorithms_of(Collective collective) {
  std::string names;
  for (const auto table : {algorithms(), algorithms_by_name()})
    for (const Algorithm& row : table)
      if (row.collective == collective)
        names += (names.empty() ? "" : ", ") + std::string(row.name);
  return names;
}

}  // namespace

const char* name_of(Lowering lowering) {
  return lowering == Lowering::lines ? "lines" : lowering == Lowering::owner ? "owner" : "none";
}

Lowering lowering_from(const std::string& text, const Verb& verb) {
  if (text.empty()) return Lowering::none;
  if (text == "lines") return Lowering::lines;
  if (text == "owner") return Lowering::owner;
  verb.refuse("--lower '" + text + "' given, expected lines or owner");
}

void check_is_file(const std::string& path, const Verb& verb) {
  if (is_there(path)) return;
  if (const auto collective = collective_from_text(path))
    verb.refuse("'" + path + "' is a collective: expected one of its algorithms, " +
                algorithms_of(planned_as(*collective)) + ", or a file");
  for (const GraphAlgorithm& row : graph_algorithms())
    if (path == to_text(row.collective))
      verb.refuse("'" + path + "' is a collective: expected " + std::string(row.name) +
                  ", or a file");
  verb.refuse("'" + path + "' is neither an algorithm (terrace plan --list) nor a file");
}

Plan plan_in_file(const std::string& path, const Verb& verb) {
  check_is_file(path, verb);
  return verb.value(plan_from_text(verb.value(read_text_file(path, kMostPlanBytes))), path);
}

Collective collective_of(const Plan& plan, const std::string& given, const Verb& verb) {
  const std::string expected = "expected --collective barrier, bcast, reduce, allreduce, ...";
  const auto collective =
      given.empty() ? collective_of_plan(plan.name) : collective_from_text(given);
  if (collective) return *collective;
  if (!given.empty()) verb.refuse("'" + given + "' given, " + expected);
  verb.refuse("the plan's name '" + plan.name + "' does not begin with a collective: " + expected);
}

PlanVerdict judge(const Plan& lowered, Collective collective, Rank root, const Verb& verb) {
  return judge(lowered, postcondition(collective, lowered.ranks, root), root, verb);
}

PlanVerdict judge(const Plan& lowered, const Postcondition& wanted, Rank root, const Verb& verb) {
  PlanVerdict verdict;
  verdict.lowering = lowered.lowering;
  const Patience patience(std::string(verb.name) + ": still proving " + lowered.name + " over " +
                          (lowered.lowering == Lowering::lines ? "lines" : "exposed buffers") +
                          ", in all circumstances; that grows with the square of " +
                          std::to_string(lowered.ranks) + " ranks and more");
  VerifyOptions options;
  options.root = root;
  auto proof = verify(lowered, wanted, options);
  if (!proof) {
    verdict.complaint = proof.error().sentence;
    return verdict;
  }
  verdict.proof = std::move(proof).value();
  if (auto agreed = verify_contracts(lowered, contracts_of(lowered), options); !agreed)
    verdict.complaint = agreed.error().sentence;
  return verdict;
}

}  // namespace terrace
