// SPDX-License-Identifier: BSD-3-Clause
// Writes what a page shows as JSON, and puts it into the page.
#include "draw/page.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/contract.hpp"
#include "draw/page_files.hpp"
#include "draw/reasons.hpp"
#include "draw/rounds.hpp"
#include "draw/svg.hpp"
#include "draw/timeline_view.hpp"
#include "plan/step_forms.hpp"
#include "simulate/critical_path.hpp"

namespace terrace {

namespace {

using nlohmann::ordered_json;

/// In text that a script element holds, no "<" may begin a tag, whatever names contain.
std::string text_of(const ordered_json& json) {
  const std::string plain =
      json.dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace);
  std::string safe;
  for (const char c : plain) safe += c == '<' ? std::string("\\u003c") : std::string(1, c);
  return safe;
}

std::string group_name(const Group& group) {
  if (group.level == kJobLevel || group.level == kRunLevel) return "all ranks";
  return level_name(group.level) + ' ' + std::to_string(group.index);
}

/// Boxes beside the rows, outer ones first: ranks of a group are next to each other.
void add_groups(const Group& group, std::uint32_t depth, std::size_t first, ordered_json& groups) {
  for (const Group& child : group.children) {
    const bool is_single = child.ranks.size() == 1 && child.children.empty();
    groups.push_back({{"name", group_name(child)},
                      {"depth", depth},
                      {"first", first},
                      {"count", child.ranks.size()},
                      {"single", is_single}});
    add_groups(child, depth + 1, first, groups);
    first += child.ranks.size();
  }
}

const char* word_for(StepKind kind, bool combines) {
  switch (kind) {
    case StepKind::expose:
      return "expose";
    case StepKind::deliver:
      return "deliver";
    case StepKind::hold:
      return "hold";
    case StepKind::send:
      return "send";
    case StepKind::receive:
      return "receive";
    case StepKind::reduce:
    case StepKind::copy:
      break;
  }
  return combines ? "reduce" : "copy";
}

/// A step without its waits, which the page lists.
std::string statement_of(const Step& step, const Plan& plan) {
  Step bare = step;
  bare.waits.clear();
  const std::string text = to_text(bare, plan);
  return text.substr(text.find(": ") + 2);
}

/// For each receive, the send that it belongs to: a rank's k-th from a peer to that peer's k-th.
std::map<std::size_t, std::size_t> sends_of_receives(const Plan& plan) {
  std::map<std::pair<Rank, Rank>, std::deque<std::size_t>> under_way;
  std::map<std::size_t, std::size_t> found;
  for (std::size_t i = 0; i < plan.body.size() + plan.closing.size(); ++i) {
    const Step& step = step_at(plan, i);
    if (step.kind == StepKind::send) under_way[{step.by, step.peer}].push_back(i);
    if (step.kind != StepKind::receive) continue;
    auto& sends = under_way[{step.peer, step.by}];
    if (sends.empty()) continue;
    found[i] = sends.front();
    sends.pop_front();
  }
  return found;
}

/// A need of a step: what it waits for, and in which strip, counted back from its own.
struct Need {
  std::size_t form = 0;  ///< index of the step in the plan, closing steps counted on
  std::uint32_t lag = 0;
  std::string why;
};

class PlanWriter {
 public:
  explicit PlanWriter(const PlanView& view)
      : view_(view),
        plan_(*view.plan),
        acts_(acts_of(plan_)),
        steps_of_(steps_by_rank(plan_)),
        sends_(sends_of_receives(plan_)) {
    find_needs();
    view.outcome ? find_played() : find_unplayed();
  }

  ordered_json write() const {
    ordered_json json;
    json["kind"] = "plan";
    json["title"] = view_.title;
    json["machine"] = view_.machine;
    json["facts"] = ordered_json::array();
    for (const auto& [name, value] : view_.facts) json["facts"].push_back({name, value});
    json["ranks"] = plan_.ranks;
    json["order"] = order_in(*view_.hierarchy);
    json["groups"] = ordered_json::array();
    add_groups(view_.hierarchy->all, 0, 0, json["groups"]);
    json["rounds"] = round_count(acts_);
    json["forms"] = forms();
    json["steps"] = steps();
    add_times(json);
    return json;
  }

 private:
  struct Instance {
    std::size_t form = 0;
    std::uint32_t strip = 0;
    const simulate::PlayedStep* played = nullptr;
  };

  bool counts(const Wait& wait) const {
    return wait.when == When::always || (wait.when == When::if_direct) == view_.is_direct;
  }

  void find_needs() {
    for (std::size_t form = 0; form < acts_.size(); ++form) {
      const Step& step = step_at(plan_, form);
      std::vector<Need>& needs = needs_.emplace_back();
      for (const Wait& wait : step.waits) {
        if (!counts(wait) || wait.steps == 0 || wait.steps > steps_of_[wait.rank].size()) continue;
        const std::size_t waited = steps_of_[wait.rank][wait.steps - 1];
        std::string why = reason_of(plan_, step, step_at(plan_, waited))
                              .value_or("what it did before that, this step depends on");
        if (wait.lag > 0)
          why += ", " + std::to_string(wait.lag) + (wait.lag == 1 ? " strip" : " strips") +
                 " before, in the same slot of scratch";
        needs.push_back({waited, wait.lag, std::move(why)});
      }
      if (const auto sent = sends_.find(form); sent != sends_.end())
        needs.push_back({sent->second, 0, "it sends the message that this step takes"});
    }
  }

  void find_played() {
    for (const simulate::PlayedStep& played : view_.outcome->last_steps) {
      const auto& [rank, strip, position] = played.number;
      TERRACE_REQUIRE(rank < steps_of_.size() && position < steps_of_[rank].size(), rank, position);
      add({steps_of_[rank][position], strip, &played});
    }
  }

  void find_unplayed() {
    for (const std::vector<std::size_t>& steps : steps_of_)
      for (const std::size_t form : steps) add({form, 0, nullptr});
  }

  void add(const Instance& instance) {
    index_[{instance.form, instance.strip}] = instances_.size();
    instances_.push_back(instance);
  }

  /// -1: there is none.
  std::ptrdiff_t instance_at(std::size_t form, std::uint32_t strip) const {
    const auto found = index_.find({form, strip});
    return found == index_.end() ? -1 : static_cast<std::ptrdiff_t>(found->second);
  }

  std::string distance_between(Rank a, Rank b) const {
    return a == b ? "" : distance_text(meeting_of(*view_.hierarchy, a, b));
  }

  ordered_json forms() const {
    ordered_json all = ordered_json::array();
    for (std::size_t i = 0; i < acts_.size(); ++i) {
      const Act& act = acts_[i];
      const Step& step = *act.step;
      const bool combines = step.kind == StepKind::reduce && step.from.size() > 1;
      ordered_json needs = ordered_json::array();
      for (const Need& need : needs_[i])
        needs.push_back({{"form", need.form},
                         {"why", need.why},
                         {"distance", distance_between(step.by, step_at(plan_, need.form).by)}});
      const auto& own = steps_of_[step.by];
      all.push_back({{"rank", step.by},
                     {"position", std::find(own.begin(), own.end(), i) - own.begin()},
                     {"round", act.round},
                     {"kind", word_for(step.kind, combines)},
                     {"label", label_of(act, plan_)},
                     {"statement", statement_of(step, plan_)},
                     {"from", act.takes_from},
                     {"to", act.stores_to},
                     {"needs", std::move(needs)}});
    }
    return all;
  }

  ordered_json steps() const {
    ordered_json all = ordered_json::array();
    for (const Instance& instance : instances_) {
      ordered_json needs = ordered_json::array();
      for (const Need& need : needs_[instance.form])
        needs.push_back(
            need.lag > instance.strip ? -1 : instance_at(need.form, instance.strip - need.lag));
      ordered_json step = {
          {"form", instance.form}, {"strip", instance.strip}, {"needs", std::move(needs)}};
      if (instance.played != nullptr) add_played(*instance.played, step);
      all.push_back(std::move(step));
    }
    return all;
  }

  double since_begin(double time) const { return time - view_.outcome->calls.back().first_begin; }

  void add_played(const simulate::PlayedStep& played, ordered_json& step) const {
    step["bytes"] = played.bytes;
    step["times"] = {since_begin(played.waiting), since_begin(played.working),
                     since_begin(played.done), since_begin(played.published)};
    if (!played.cause) return;
    const auto& [rank, strip, position] = *played.cause;
    TERRACE_REQUIRE(rank < steps_of_.size() && position < steps_of_[rank].size(), rank, position);
    step["cause"] = instance_at(steps_of_[rank][position], strip);
    step["by_message"] = played.awaits_message;
  }

  void add_times(ordered_json& json) const {
    if (view_.outcome == nullptr) {
      json["duration"] = nullptr;
      return;
    }
    json["duration"] = since_begin(view_.outcome->calls.back().last_end);
    json["mean"] = view_.outcome->calls.back().mean;
    json["calls"] = ordered_json::array();
    for (const simulate::PlayedCall& call : view_.outcome->last_calls)
      json["calls"].push_back({since_begin(call.begun), since_begin(call.ended)});
    json["path"] = ordered_json::array();
    for (const simulate::PathPiece& piece : simulate::critical_path(*view_.outcome))
      json["path"].push_back(
          {{"part", to_text(piece.part)},
           {"rank", piece.rank},
           {"step", piece.step == simulate::PathPiece::kNoStep ? ordered_json(nullptr)
                                                               : ordered_json(piece.step)},
           {"begin", since_begin(piece.begin)},
           {"end", since_begin(piece.end)}});
  }

  const PlanView& view_;
  const Plan& plan_;
  std::vector<Act> acts_;  ///< one for each form
  std::vector<std::vector<std::size_t>> steps_of_;
  std::map<std::size_t, std::size_t> sends_;
  std::vector<std::vector<Need>> needs_;
  std::vector<Instance> instances_;  ///< in the order of `last_steps`
  std::map<std::pair<std::size_t, std::uint32_t>, std::size_t> index_;
};

// ---------------------------------------------------------------------------------------------
// Timelines.

ordered_json rows_of(const TimelineView& seen) {
  ordered_json rows = ordered_json::array();
  for (const TimelineRow& row : seen.rows)
    rows.push_back({{"rank", row.first}, {"thread", row.second}, {"name", row_name(row)}});
  return rows;
}

/// The nodes of a job, if its ranks lie on them one after the other.
ordered_json nodes_of(const Timeline& timeline, const TimelineView& seen) {
  ordered_json groups = ordered_json::array();
  if (timeline.nodes.empty()) return groups;
  std::set<std::uint32_t> begun;
  for (std::size_t row = 0; row < seen.rows.size(); ++row) {
    const Rank rank = seen.rows[row].first;
    const std::uint32_t node = rank < timeline.nodes.size() ? timeline.nodes[rank] : 0;
    const std::string name = "node " + std::to_string(node);
    if (!groups.empty() && groups.back()["name"] == name) {
      groups.back()["count"] = groups.back()["count"].get<std::size_t>() + 1;
      continue;
    }
    if (!begun.insert(node).second) return ordered_json::array();
    groups.push_back(
        {{"name", name}, {"depth", 0}, {"first", row}, {"count", 1}, {"single", false}});
  }
  return groups;
}

ordered_json events_of(const TimelineView& seen) {
  std::map<TimelineRow, std::size_t> row_at;
  for (const TimelineRow& row : seen.rows) {
    const std::size_t index = row_at.size();
    row_at[row] = index;
  }
  ordered_json events = ordered_json::array();
  for (const TimelineEvent& event : seen.events) {
    ordered_json one = {{"row", row_at.at({event.rank, event.thread})},
                        {"kind", to_text(event.activity)},
                        {"times", {event.begin_ns - seen.begin_ns, event.end_ns - seen.begin_ns}}};
    if (event.peer) one["peer"] = *event.peer;
    if (!event.level.empty()) one["level"] = event.level;
    if (!event.label.empty()) one["label"] = event.label;
    events.push_back(std::move(one));
  }
  return events;
}

}  // namespace

std::string page_view(const PlanView& view) {
  TERRACE_REQUIRE(view.plan != nullptr && view.hierarchy != nullptr);
  TERRACE_REQUIRE(view.hierarchy->rank_count() == view.plan->ranks, view.plan->ranks);
  return text_of(PlanWriter(view).write());
}

std::string page_view(const Timeline& timeline, const TimelinePicture& options) {
  const TimelineView seen = view_of(timeline, options);
  ordered_json json;
  json["kind"] = "timeline";
  json["title"] = timeline.title.empty() ? "timeline" : timeline.title;
  json["ranks"] = timeline.ranks;
  json["rows"] = rows_of(seen);
  json["groups"] = nodes_of(timeline, seen);
  json["offset"] = seen.begin_ns;
  json["duration"] = seen.end_ns - seen.begin_ns;
  json["left_out"] = left_out(seen);
  json["steps"] = events_of(seen);
  json["path"] = ordered_json::array();
  for (const WaitPathPiece& piece : path_of_waits(seen)) {
    const bool begins = piece.event == WaitPathPiece::kNoEvent;
    json["path"].push_back({{"rank", piece.rank},
                            {"step", begins ? ordered_json(nullptr) : ordered_json(piece.event)},
                            {"begin", piece.begin_ns - seen.begin_ns},
                            {"end", piece.end_ns - seen.begin_ns}});
  }
  return text_of(json);
}

std::string page_of(const std::string& title, const std::vector<std::string>& views) {
  std::string json = "{\"views\":[";
  for (const std::string& view : views) json += (json.back() == '[' ? "" : ",") + view;
  json += "]}";
  const std::pair<std::string_view, std::string> parts[] = {{"<!--title-->", escaped(title)},
                                                            {"/*style*/", kPageStyle},
                                                            {"/*views*/", json},
                                                            {"/*script*/", kPageScript}};
  std::string page;
  std::string_view rest = kPageFrame;
  for (const auto& [mark, content] : parts) {
    const std::size_t at = rest.find(mark);
    TERRACE_REQUIRE(at != rest.npos);
    page.append(rest.substr(0, at)).append(content);
    rest.remove_prefix(at + mark.size());
  }
  return page.append(rest);
}

}  // namespace terrace
