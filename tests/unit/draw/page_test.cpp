// SPDX-License-Identifier: BSD-3-Clause
// What pages say of plans and timelines: as the plan's text, the simulator and the proofs have it.
#include "draw/page.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "collectives/collectives.hpp"
#include "draw/reasons.hpp"
#include "draw/timeline_view.hpp"
#include "machine_files/read_machine_model.hpp"
#include "plan/lower.hpp"
#include "simulate/simulate.hpp"
#include "unit/draw/pictures.hpp"

namespace terrace {
namespace {

using Json = nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

/// A plan that runs, and its call on a machine with costs.
struct PlayedPlan {
  Plan plan;
  Hierarchy hierarchy;
  simulate::SimulationOutcome outcome;

  PlanView view() const {
    PlanView view;
    view.title = plan.name;
    view.machine = "a machine";
    view.plan = &plan;
    view.hierarchy = &hierarchy;
    view.outcome = &outcome;
    return view;
  }
};

PlayedPlan played(const Plan& lowered, const char* machine, std::size_t elements,
                  std::size_t strip = ~std::size_t{0}) {
  const auto model = model::read_machine_model(machine).value();
  std::string nodes;
  for (std::size_t rank = 0, begin = 0; rank < lowered.nodes.size(); ++rank)
    if (rank + 1 == lowered.nodes.size() || lowered.nodes[rank + 1] != lowered.nodes[rank]) {
      nodes += (nodes.empty() ? "" : ",") + std::to_string(rank + 1 - begin);
      begin = rank + 1;
    }
  const auto places = model::localities_on(model, lowered.ranks, nodes).value();
  simulate::SimulationSetting setting;
  setting.element_count = elements;
  setting.strip_bytes = strip;
  setting.calls = 2;
  setting.has_steps = true;
  setting.folds = false;
  auto outcome = simulate::simulate(model, places, programs_of(lowered), setting);
  EXPECT_TRUE(outcome) << lowered.name << (outcome ? "" : outcome.error().sentence);
  return {lowered, hierarchy_of(places),
          outcome ? std::move(outcome).value() : simulate::SimulationOutcome{}};
}

/// Every algorithm for eight ranks of two packages that can be lowered so.
std::vector<Plan> lowered_plans(Lowering lowering) {
  const Hierarchy hierarchy = domains(2, 4);
  std::vector<Plan> plans;
  for (const Algorithm& row : algorithms())
    if (auto lowered = lower(row.write({hierarchy, 0, 2}), lowering)) {
      if (lowered.value().has_messages()) continue;
      plans.push_back(std::move(lowered).value());
    }
  return plans;
}

TEST(Page, says_of_a_plan_what_its_text_says) {
  const Hierarchy hierarchy = domains(2, 2);
  const Plan plan =
      lower(find_algorithm("allreduce.tree")->write({hierarchy, 0, 2}), Lowering::lines).value();
  PlanView view;
  view.plan = &plan;
  view.hierarchy = &hierarchy;
  const Json said = Json::parse(page_view(view));
  std::string text;
  for (const Json& form : said["forms"])
    text += std::to_string(form["rank"].get<int>()) + ": " + form["statement"].get<std::string>() +
            "\n";
  const std::string whole = to_text(plan);
  for (const Step& step : plan.body) {
    Step bare = step;
    bare.waits.clear();
    EXPECT_THAT(text, HasSubstr(to_text(bare, plan) + "\n"));
  }
  EXPECT_EQ(said["forms"].size(), plan.body.size() + plan.closing.size());
  EXPECT_EQ(said["rounds"], 4);
  EXPECT_TRUE(said["duration"].is_null());
  EXPECT_EQ(said["groups"][0]["name"], "package 0");
  EXPECT_EQ(said["order"], Json({0, 1, 2, 3}));
}

/// No wait of any plan is left without the memory that makes it necessary.
TEST(Page, gives_a_reason_for_every_wait) {
  for (const Lowering lowering : {Lowering::lines, Lowering::owner}) {
    const std::vector<Plan> plans = lowered_plans(lowering);
    EXPECT_GT(plans.size(), 10u);
    for (const Plan& plan : plans) {
      const auto steps = steps_by_rank(plan);
      for (std::size_t i = 0; i < plan.body.size() + plan.closing.size(); ++i) {
        const Step& step = step_at(plan, i);
        for (const Wait& wait : step.waits)
          EXPECT_TRUE(reason_of(plan, step, step_at(plan, steps[wait.rank].at(wait.steps - 1))))
              << to_text(step, plan) << " of\n"
              << to_text(plan);
      }
    }
  }
}

TEST(Page, gives_reasons_in_words) {
  const Plan plan = plan_from_text(
                        "plan allreduce.x\nranks 2\n0: out[0] = in[0] + in[1]\n"
                        "1: out[1] = out[0]\n")
                        .value();
  const Plan lowered = lower(plan, Lowering::owner).value();
  std::vector<std::string> reasons;
  const auto steps = steps_by_rank(lowered);
  for (std::size_t i = 0; i < lowered.body.size() + lowered.closing.size(); ++i)
    for (const Wait& wait : step_at(lowered, i).waits)
      if (wait.lag == 0)
        reasons.push_back(*reason_of(lowered, step_at(lowered, i),
                                     step_at(lowered, steps[wait.rank][wait.steps - 1])));
  EXPECT_THAT(reasons, testing::Contains("it shows exposed[1:1], which this step reads"));
  EXPECT_THAT(reasons, testing::Contains("it makes out[0], which this step reads"));
  EXPECT_THAT(reasons,
              testing::Contains("it reads exposed[0], which has to stay as it is until then"));
}

/// What came last is always among what the plan says that a step waits for, one strip or many.
TEST(Page, finds_what_came_last_among_what_a_step_waits_for) {
  std::size_t caused = 0;
  for (const Lowering lowering : {Lowering::lines, Lowering::owner})
    for (const Plan& plan : lowered_plans(lowering)) {
      const bool is_long = lowering == Lowering::owner;
      const PlayedPlan play = played(plan, "westmere-x5650", is_long ? 4096 : 1, 8192);
      const Json said = Json::parse(page_view(play.view()));
      for (const Json& step : said["steps"]) {
        if (!step.contains("cause")) continue;
        ++caused;
        EXPECT_THAT(step["needs"], testing::Contains(step["cause"]))
            << plan.name << ": " << step.dump();
      }
    }
  EXPECT_GT(caused, 1000u);
}

TEST(Page, has_the_times_of_the_simulation) {
  const Hierarchy hierarchy = domains(2, 2);
  const Plan plan =
      lower(find_algorithm("allreduce.tree")->write({hierarchy, 0, 2}), Lowering::lines).value();
  const PlayedPlan play = played(plan, "westmere-x5650", 1);
  const Json said = Json::parse(page_view(play.view()));
  const simulate::CallTimes& call = play.outcome.calls.back();
  EXPECT_DOUBLE_EQ(said["duration"].get<double>(), call.last_end - call.first_begin);
  EXPECT_DOUBLE_EQ(said["mean"].get<double>(), call.mean);
  ASSERT_EQ(said["steps"].size(), play.outcome.last_steps.size());
  for (std::size_t i = 0; i < said["steps"].size(); ++i) {
    const simulate::PlayedStep& step = play.outcome.last_steps[i];
    EXPECT_EQ(said["forms"][said["steps"][i]["form"].get<std::size_t>()]["rank"], step.number.rank);
    EXPECT_DOUBLE_EQ(said["steps"][i]["times"][2].get<double>(), step.done - call.first_begin);
  }
  EXPECT_DOUBLE_EQ(said["path"].back()["end"].get<double>(), said["duration"].get<double>());
  EXPECT_DOUBLE_EQ(said["path"].front()["begin"].get<double>(), 0);
}

TEST(Page, shows_whose_message_a_step_takes) {
  const Plan plan = lower(plan_from_text("plan bcast.x\nranks 2\nnodes 0 1\n0: send in[0] to 1\n"
                                         "1: receive out[1] from 0\n")
                              .value(),
                          Lowering::lines)
                        .value();
  const PlayedPlan play = played(plan, "ntw10e5", 1);
  const Json said = Json::parse(page_view(play.view()));
  const Json& receive = said["steps"].back();
  EXPECT_EQ(said["forms"][receive["form"].get<std::size_t>()]["needs"][0]["why"],
            "it sends the message that this step takes");
  EXPECT_EQ(receive["needs"][0], receive["cause"]);
  EXPECT_TRUE(receive["by_message"]);
}

/// Whatever a plan or a program calls itself.
TEST(Page, lets_no_name_end_the_script) {
  Timeline timeline;
  timeline.title = "</script><script>alert(1)</script><!--\xff";
  timeline.ranks = 1;
  timeline.events = {{0, 0, 0, 1, Activity::call, {}, "", "</SCRIPT>\"\\"}};
  const std::string view = page_view(timeline, {});
  EXPECT_THAT(view, Not(HasSubstr("<")));
  const std::string page = page_of(timeline.title, {view});
  std::size_t ends = 0;
  for (std::size_t at = page.find("</script"); at != page.npos; at = page.find("</script", at + 1))
    ++ends;
  EXPECT_EQ(ends, 2u) << "of the page's own";
  EXPECT_THAT(page, HasSubstr("<title>&#60;/script&#62;"));
  EXPECT_EQ(Json::parse(view)["steps"][0]["label"], "</SCRIPT>\"\\");
}

TEST(Page, needs_nothing_from_a_network) {
  const std::string page = page_of("empty", {});
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
  for (const char* mark : {"<!--title-->", "/*style*/", "/*views*/", "/*script*/",
                           "src=", "@import", "<link", "fetch("})
    EXPECT_THAT(page, Not(HasSubstr(mark)));
}

/// Rank 1 comes 40 ns late to an allreduce; times begin somewhere.
Timeline with_late_rank() {
  constexpr double t = 5e9;
  return {"a late rank",
          2,
          {},
          {{0, 0, t, t + 96, Activity::call, {}, "", "allreduce of 8 B"},
           {0, 0, t + 10, t + 60, Activity::wait, 1, "l3", ""},
           {0, 0, t + 60, t + 80, Activity::reduce, 1, "l3", "out[0] = in[0] + in[1]"},
           {1, 0, t + 40, t + 90, Activity::call, {}, "", "allreduce of 8 B"},
           {1, 0, t + 45, t + 82, Activity::wait, 0, "l3", ""}}};
}

TEST(Page, follows_the_waits_of_a_timeline_back) {
  const Json said = Json::parse(page_view(with_late_rank(), {}));
  EXPECT_EQ(said["duration"], 96);
  std::vector<std::vector<double>> path;
  for (const Json& piece : said["path"])
    path.push_back(
        {piece["rank"].get<double>(), piece["begin"].get<double>(), piece["end"].get<double>()});
  EXPECT_THAT(path, ElementsAre(ElementsAre(1, 40, 60), ElementsAre(0, 60, 96)));
}

/// Clocks that differ may make two ranks wait for each other at once.
TEST(Page, ends_a_path_of_ranks_that_wait_for_each_other) {
  Timeline timeline;
  timeline.ranks = 2;
  timeline.events = {{0, 0, 0, 50, Activity::wait, 1, "", ""},
                     {1, 0, 0, 50, Activity::wait, 0, "", ""}};
  const auto path = path_of_waits(view_of(timeline, {}));
  ASSERT_EQ(path.size(), 3u);
  EXPECT_EQ(path.front().begin_ns, 0);
  EXPECT_EQ(path.back().end_ns, 50);
}

}  // namespace
}  // namespace terrace
