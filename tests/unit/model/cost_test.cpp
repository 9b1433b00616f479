// SPDX-License-Identifier: BSD-3-Clause
// Costs of plans, against the papers' closed forms and against what can be said without a model.
#include "model/cost.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>

#include "hierarchy/hierarchy.hpp"
#include "machine_files/read_machine_model.hpp"
#include "model/hpdc13.hpp"
#include "plan/lower.hpp"

namespace terrace::model {
namespace {

using testing::HasSubstr;

MachineModel machine(const std::string& name) {
  return read_machine_model(TERRACE_SOURCE_DIR "/machines/" + name + ".json").value();
}

Plan owner_plan(const std::string& text) {
  const Result<Plan> plan = plan_from_text(text);
  EXPECT_TRUE(plan.ok()) << (plan ? "" : plan.error().sentence);
  const Result<Plan> lowered = lower(plan.value(), Lowering::owner, 2);
  EXPECT_TRUE(lowered.ok()) << (lowered ? "" : lowered.error().sentence);
  return lowered.value();
}

Cost cost(const Plan& plan, const MachineModel& model, const CostQuestion& question) {
  const auto places = localities_on(model, plan.ranks);
  EXPECT_TRUE(places.ok());
  const Result<Cost> result = cost_of(plan, model, places.value(), question);
  EXPECT_TRUE(result.ok()) << (result ? "" : result.error().sentence);
  return result.value();
}

CostQuestion paper(double bytes) {
  CostQuestion question;
  question.bytes = bytes;
  question.account = Account::paper;
  return question;
}

/// Figure 16: the reduction of 12 ranks in two sockets to rank 0, then all read it at once.
const char* const kFigure16 =
    "plan allreduce.figure_16\nranks 12\n"
    "0: out[0] = in[0] + in[1]\n2: out[2] = in[2] + in[3]\n4: out[4] = in[4] + in[5]\n"
    "6: out[6] = in[6] + in[7]\n8: out[8] = in[8] + in[9]\n10: out[10] = in[10] + in[11]\n"
    "0: out[0] = out[0] + out[2]\n6: out[6] = out[6] + out[8]\n"
    "0: out[0] = out[0] + out[4]\n6: out[6] = out[6] + out[10]\n"
    "0: out[0] = out[0] + out[6]\n";

std::string one_stage(std::string plan, Rank ranks) {
  for (Rank rank = 1; rank < ranks; ++rank)
    plan += std::to_string(rank) + ": out[" + std::to_string(rank) + "] = out[0]\n";
  return plan;
}

// 3 (Rs + 2 Rl) + (Rr + 2 Rl) + (Rr + Rl), section 3.4.
TEST(PaperAccount, of_a_line_on_westmere_is_306_7_ns) {
  const Cost one = cost(owner_plan(one_stage(kFigure16, 12)), machine("westmere-x5650"), paper(64));
  EXPECT_NEAR(one.total, 306.7, 3.067);
  EXPECT_NEAR(one.total, hpdc13::line_tree_on_westmere(hpdc13::kWestmere), 0.01);
}

/// A binary tree in each socket of 8, then among sockets by their short links (0-1, 2-3, then 0-2),
/// and a broadcast in two stages, whose slowest reader is across the diagonal.
std::string magny_cours() {
  std::string plan = "plan allreduce.section_3_4\nranks 32\n";
  const auto out = [](Rank rank) { return "out[" + std::to_string(rank) + "]"; };
  const auto add = [&](Rank to, Rank from, bool is_first) {
    const auto value = [&](Rank rank) {
      return is_first ? "in[" + std::to_string(rank) + "]" : out(rank);
    };
    plan += std::to_string(to) + ": " + out(to) + " = " + value(to) + " + " + value(from) + "\n";
  };
  for (Rank socket = 0; socket < 32; socket += 8)
    for (Rank step = 1; step < 8; step *= 2)
      for (Rank to = socket; to < socket + 8; to += 2 * step) add(to, to + step, step == 1);
  add(0, 8, false);
  add(16, 24, false);
  add(0, 16, false);
  const auto take = [&](Rank to, Rank from) {
    plan += std::to_string(to) + ": " + out(to) + " = " + out(from) + "\n";
  };
  for (Rank socket = 8; socket < 32; socket += 8) take(socket, 0);
  for (Rank rank = 1; rank < 32; ++rank)
    if (rank % 8 != 0) take(rank, rank / 8 * 8);
  return plan;
}

// 3 (Rs + 2 Rl) + 2 (Rr + 2 Rl) + (Rd + Rl) + (Rs + Rl), section 3.4.
TEST(PaperAccount, of_a_line_on_magny_cours_is_608_4_ns) {
  const Cost one = cost(owner_plan(magny_cours()), machine("magny-cours-6100"), paper(64));
  EXPECT_NEAR(one.total, 608.4, 6.084);
}

hpdc13::Costs letters_of(const MachineModel& model) {
  const Distance &near = model.distances[1], &far = model.distances[2];
  return {near.a, near.b, near.B, far.a, far.b, far.B};
}

// Reading one's own and writing, which the closed form leaves out, are 2 Rl a step. The unfolded
// form has a + 2 B m for its first step, where equation (1) has the larger of that and a + b m.
TEST(PaperAccount, of_long_vectors_is_the_unfolded_equation_5) {
  const MachineModel model = machine("westmere-x5650");
  for (const double lines : {64., 256., 1024.}) {
    const hpdc13::Costs c = letters_of(model);
    const double own = 9 * model.distances[0].modified;
    const double first = std::max(c.b_alpha - 2 * c.B_alpha, 0.0) * lines;
    const double closed = hpdc13::tree_on_westmere(c, lines) + own + first;
    const Cost one = cost(owner_plan(one_stage(kFigure16, 12)), model, paper(64 * lines));
    EXPECT_NEAR(one.total, closed, closed / 100) << lines;
  }
}

TEST(PaperAccount, of_one_stage_is_shared_by_the_link) {
  const MachineModel model = machine("westmere-x5650");
  const double lines = 512;
  const Cost one =
      cost(owner_plan(one_stage("plan bcast.one_stage\nranks 12\n0: out[0] = in[0]\n", 12)), model,
           paper(64 * lines));
  const double read = hpdc13::one_stage_broadcast(letters_of(model), {6, 2}, lines);
  EXPECT_NEAR(one.total, read, read / 100);
}

/// All that is spent is on the path, and steps of the path follow each other.
void expect_whole(const Cost& cost) {
  double spent = 0;
  for (const CostPart& part : cost.spent) spent += part.ns;
  EXPECT_NEAR(spent, cost.total, 1e-6 * cost.total);
  for (std::size_t i = 1; i < cost.path.size(); ++i)
    EXPECT_NEAR(cost.path[i].begin, cost.path[i - 1].end, 1e-9 * cost.total);
  if (cost.strips > cost.strips_played) return;
  EXPECT_NEAR(cost.path.back().end, cost.total, 1e-9 * cost.total);
}

TEST(Costs, are_told_without_a_gap) {
  const MachineModel model = machine("rome-2x64");
  const Plan plan = owner_plan(one_stage(kFigure16, 12));
  for (const double bytes : {0., 8., 64., 4096., 1e6, 3e7}) {
    for (const bool is_direct : {false, true}) {
      CostQuestion question;
      question.bytes = bytes;
      question.strip_bytes = 65536;
      question.is_direct = is_direct;
      expect_whole(cost(plan, model, question));
    }
    expect_whole(cost(plan, model, paper(bytes)));
  }
}

TEST(Costs, grow_with_the_vector_and_with_synchronization) {
  for (const char* name : {"westmere-x5650", "magny-cours-6100", "genoa-2x96", "grace-4x72"}) {
    const MachineModel model = machine(name);
    const Plan plan = owner_plan(one_stage(kFigure16, 12));
    double before = 0;
    for (double bytes = 64; bytes < 1e9; bytes *= 4) {
      CostQuestion question;
      question.bytes = bytes;
      const double now = cost(plan, model, question).total;
      EXPECT_GE(now, before) << name << ", " << bytes;
      EXPECT_GE(now, cost(plan, model, paper(bytes)).total * 0.5) << name << ", " << bytes;
      before = now;
    }
  }
}

// What lies in no cache goes to memory, and takes at least as long as memory needs for it.
TEST(Costs, of_vectors_beyond_the_caches_are_those_of_memory) {
  const MachineModel model = machine("westmere-x5650");
  const Plan plan = owner_plan(one_stage(kFigure16, 12));
  CostQuestion question;
  question.bytes = 64 << 10;
  EXPECT_EQ(cost(plan, model, question).memory_bytes, 0);
  question.bytes = 64 << 20;
  const Cost long_one = cost(plan, model, question);
  EXPECT_GT(long_one.memory_bytes, 12 * question.bytes);
  EXPECT_GT(long_one.total, long_one.memory_bytes / (2 * model.memory.bandwidth));
}

/// Rank 0 stores its input to the outputs of so many others.
Plan pushing_to(Rank others) {
  std::string text = "plan push.one\nranks 9\n0: ";
  for (Rank rank = 1; rank <= others; ++rank)
    text += (rank == 1 ? "out[" : ", out[") + std::to_string(rank) + "]";
  return owner_plan(text + " = in[0]\n");
}

TEST(Costs, of_storing_grow_with_the_places_stored_to) {
  const MachineModel rome = machine("rome-2x64");
  CostQuestion question;
  question.bytes = 16384;
  const double one = cost(pushing_to(1), rome, question).total;
  const double four = cost(pushing_to(4), rome, question).total;
  const double eight = cost(pushing_to(8), rome, question).total;
  EXPECT_GT(four, 2.5 * one);
  EXPECT_GT(eight, 1.7 * four);
}

// Bounced, a rank shows its output's bounce block without writing to it: who stores there pays for
// it.
TEST(Costs, of_showing_are_those_of_inputs) {
  const MachineModel near = machine("two-near-cores");
  const Plan plan = owner_plan("plan push.one\nranks 2\n0: out[1] = in[0]\n");
  CostQuestion question;
  question.bytes = 16384;
  question.is_direct = false;
  double showing = 0;
  for (const CostStep& step : cost(plan, near, question).path)
    if (step.kind == StepKind::expose) showing += step.end - step.begin;
  EXPECT_LT(showing, 200);  // a line and the call's beginning, not 256 lines
}

// A peer's lines that were stored to in the call before have not to come again.
TEST(Costs, of_storing_to_a_peer_are_those_of_taking_lines_away) {
  MachineModel near = machine("two-near-cores");
  const Plan plan = owner_plan("plan push.one\nranks 2\n0: out[1] = in[0]\n");
  CostQuestion question;
  question.bytes = 1 << 20;
  const double known = cost(plan, near, question).total;
  const Distance& far = near.distances.back();
  for (Distance& distance : near.distances) distance.has_w = false;
  EXPECT_GT(cost(plan, near, question).total, known + 0.7 * 16384 * (far.b_outer - far.w_outer));
}

// The same lines, of which the supplier's first cache holds all, or hardly any.
TEST(Costs, of_lines_depend_on_the_cache_of_their_supplier) {
  MachineModel model = machine("westmere-x5650");
  const Plan plan = owner_plan("plan read.one\nranks 12\n1: out[1] = in[0]\n");
  for (Distance& distance : model.distances) distance.b_outer = distance.b / 2;
  CostQuestion question;
  const auto per_byte = [&](double bytes) {
    question.bytes = bytes;
    return cost(plan, model, question).total / bytes;
  };
  const double in_first = per_byte(16384), in_outer = per_byte(1 << 20);
  EXPECT_LT(in_outer, 0.75 * in_first);
  for (Distance& distance : model.distances) distance.b_outer = distance.b;
  EXPECT_GT(per_byte(1 << 20), 0.85 * per_byte(16384));
}

TEST(Costs, of_many_strips_are_those_of_the_strips_played) {
  const MachineModel model = machine("westmere-x5650");
  const Plan plan = owner_plan(one_stage(kFigure16, 12));
  CostQuestion question;
  question.strip_bytes = 16384;
  question.bytes = 24 * question.strip_bytes;
  const Cost all = cost(plan, model, question);
  EXPECT_EQ(all.strips_played, 24u);
  question.bytes = 48 * question.strip_bytes;
  const Cost twice = cost(plan, model, question);
  EXPECT_EQ(twice.strips_played, 24u);
  EXPECT_NEAR(twice.total / all.total, 2, 0.1);
  EXPECT_NEAR(twice.bytes[1] / all.bytes[1], 2, 1e-9);
}

/// Of k readers of one line the last waits for the others.
TEST(Costs, of_a_line_grow_with_its_readers) {
  MachineModel model = machine("westmere-x5650");
  const Plan plan = owner_plan(one_stage("plan bcast.one_stage\nranks 6\n0: out[0] = in[0]\n", 6));
  CostQuestion question;
  question.bytes = 8;
  const double with = cost(plan, model, question).total;
  for (Distance& distance : model.distances) distance.further_reader = 0;
  const double without = cost(plan, model, question).total;
  const double c = 4, others = 4;  // of the announcement's readers, who then come one by one
  EXPECT_NEAR(with - without, others * c, c);
}

TEST(Costs, of_what_is_no_question_are_refused) {
  const MachineModel model = machine("westmere-x5650");
  const Plan plan = owner_plan(kFigure16);
  const auto places = localities_on(model, 12).value();
  const auto complaint = [&](const Plan& asked, std::span<const Locality> at, double bytes) {
    CostQuestion question;
    question.bytes = bytes;
    const Result<Cost> result = cost_of(asked, model, at, question);
    return result ? "" : result.error().sentence;
  };
  EXPECT_EQ(complaint(plan, places, 64), "");
  EXPECT_THAT(complaint(plan, std::span(places).first(11), 64), HasSubstr("11"));
  EXPECT_THAT(complaint(plan, places, -1), HasSubstr("bytes"));
  EXPECT_THAT(complaint(plan_from_text(kFigure16).value(), places, 64), HasSubstr("not lowered"));
}

/// Nodes of one core each, and round numbers.
MachineModel nodes_of_one_core(double eager) {
  MachineModel model = machine("ntw10e5");
  model.networks = {{"job", 1000, 100, 50, 0.1, eager, {}}};
  return model;
}

/// By the paper's account nothing else takes time: each rank on a node of its own.
double message_time(const std::string& text, Rank ranks, double bytes, double eager = 1e9) {
  const MachineModel model = nodes_of_one_core(eager);
  std::string nodes = "1";
  for (Rank rank = 1; rank < ranks; ++rank) nodes += ",1";
  const auto places = localities_on(model, ranks, nodes);
  EXPECT_TRUE(places.ok());
  const auto result = cost_of(owner_plan(text), model, places.value(), paper(bytes));
  EXPECT_TRUE(result.ok()) << (result ? "" : result.error().sentence);
  return result ? result.value().total : 0;
}

TEST(Cost, of_a_message_is_o_and_L_and_o_and_G_a_byte) {
  const std::string one =
      "plan bcast.hand\nranks 2\nnodes 0 1\n0: send in[0] to 1\n1: receive out[1] from 0\n";
  EXPECT_NEAR(message_time(one, 2, 64), 100 + 1000 + 6.4 + 100, 1e-6);
  EXPECT_NEAR(message_time(one, 2, 6400), 100 + 1000 + 640 + 100, 1e-6);
  // Longer than eager: a message there and one back, before.
  EXPECT_NEAR(message_time(one, 2, 6400, 1000), 2 * 1200 + 100 + 1000 + 640 + 100, 1e-6);
}

TEST(Cost, of_messages_is_that_they_leave_a_node_one_after_the_other) {
  const std::string two =
      "plan bcast.hand\nranks 3\nnodes 0 1 2\n0: send in[0] to 1\n0: send in[0] to 2\n"
      "1: receive out[1] from 0\n2: receive out[2] from 0\n";
  EXPECT_NEAR(message_time(two, 3, 64), 2 * 100 + 1000 + 6.4 + 100, 1e-6);
  EXPECT_NEAR(message_time(two, 3, 6400), 100 + 2 * 640 + 1000 + 100, 1e-6);
}

TEST(Cost, of_messages_is_that_they_come_into_a_node_one_after_the_other) {
  const std::string two =
      "plan gather.hand\nranks 3\nnodes 0 1 2\n1: send in[1] to 0\n2: send in[2] to 0\n"
      "0: receive out[0] from 1\n0: receive out[0:1] from 2\n";
  EXPECT_NEAR(message_time(two, 3, 64), 100 + 1000 + 6.4 + 2 * 100, 1e-6);
  EXPECT_NEAR(message_time(two, 3, 6400), 100 + 1000 + 2 * 640 + 100, 1e-6);
}

}  // namespace
}  // namespace terrace::model
