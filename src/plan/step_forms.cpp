// SPDX-License-Identifier: BSD-3-Clause
// The tables, and the page that is written from them.
#include "plan/step_forms.hpp"

#include "base/contract.hpp"

namespace terrace {

namespace {

constexpr std::string_view kAuthor = "authors", kLowering = "lowering";

constexpr std::array<StepForm, kStepKindCount> kForms = {{
    {StepKind::expose, "expose", "TARGET, ... [= OPERAND, ...]", kLowering,
     "shows peers this rank's buffers. Over lines it copies each operand to its target, a pocket "
     "of "
     "a line. Over exposed buffers it announces in line 0 of the call, in the first strip, how "
     "peers reach the buffers, and if the rank is bounced copies each operand to its bounce block; "
     "a target without an operand is shown for peers to store into",
     "if bounced, the peers that used the same slot of scratch `ring` strips before",
     "its announcing line in strip 0, its word later; over lines, the line that it fills",
     "0: expose exposed[0] = in[0]"},
    {StepKind::reduce, "", "TARGET, ... = OPERAND + OPERAND + ...", kAuthor,
     "combines all operands, in the order written, and stores the result in each target. One "
     "operand is copied",
     "the ranks that write its operands, and those that still read what its targets hold",
     "the line that it fills, or the rank's word of finished steps", "0: out[0] = in[0] + in[1]"},
    {StepKind::copy, "copy", "TARGET, ... = OPERAND, ...", kAuthor,
     "gives each target its own operand, pair by pair in the order written",
     "as a reduction, for all pairs before the first is copied",
     "the line that it fills, or the rank's word of finished steps",
     "0: copy scratch[0], scratch[0:1] = in[0], in[1]"},
    {StepKind::deliver, "deliver", "TARGET, ... = OPERAND, ...", kLowering,
     "if the rank is bounced, copies what peers have stored into its bounce blocks to its own "
     "buffers; otherwise nothing, as they have stored there",
     "the peers that store into its exposed buffers", "the rank's word of finished steps",
     "0: deliver out[0] = exposed[0:1]"},
    {StepKind::hold, "hold", "", kLowering, "nothing: it only waits, before the rank returns",
     "if direct, the peers that read or write its exposed buffers; for its own messages, if any, "
     "to have gone",
     "nothing: no rank waits for a hold", "0: hold"},
    {StepKind::send, "send", "OPERAND, ... to PEER", kAuthor,
     "starts a message with the operands to a rank of another node, and goes on at once. The "
     "operands stay as they are until the message has gone",
     "the ranks that write its operands; never for its receiver",
     "nothing: the receiver takes the message", "0: send in[0] to 2"},
    {StepKind::receive, "receive", "TARGET, ... from PEER", kAuthor,
     "takes the next message of that rank, and puts each value in its target. The k-th receive "
     "from a rank belongs to that rank's k-th send to this one",
     "the message, and the ranks that still read what its targets hold",
     "the line that it fills, or the rank's word of finished steps", "2: receive out[2] from 0"},
}};

constexpr std::array<PlanWord, 5> kBuffers = {{
    {"in", "the user's input of a rank"},
    {"out", "the user's output of a rank"},
    {"scratch",
     "the rank's part of the team's memory, which it alone writes; strip s uses slot s mod `ring`"},
    {"line",
     "a pocket of the rank's mailbox lines: flag and payload travel together; written once a call"},
    {"exposed",
     "a user's buffer as peers see it, by its number among the plan's `exposure` lines: "
     "the buffer itself (direct), or its bounce block in scratch (bounced)"},
}};

constexpr std::array<PlanWord, 3> kWhens = {{
    {"", "always"},
    {"?direct", "only if the waiting rank is direct in this call"},
    {"?bounced", "only if the waiting rank is bounced in this call"},
}};

std::string row(std::initializer_list<std::string_view> cells) {
  std::string text = "|";
  for (const std::string_view cell : cells) text.append(" ").append(cell).append(" |");
  return text + "\n";
}

std::string code(std::string_view text) {
  return "`" + std::string(text) + "`";
}

std::string written_as(const StepForm& form) {
  std::string text = "RANK:";
  for (const std::string_view part : {form.keyword, form.operands})
    if (!part.empty()) text.append(" ").append(part);
  return code(text);
}

}  // namespace

std::span<const StepForm, kStepKindCount> step_forms() {
  return kForms;
}

const StepForm& form_of(StepKind kind) {
  const auto index = static_cast<std::size_t>(kind);
  TERRACE_REQUIRE(index < kForms.size(), index);
  TERRACE_ASSERT(kForms[index].kind == kind, kind);
  return kForms[index];
}

std::span<const PlanWord> buffer_words() {
  return kBuffers;
}

std::span<const PlanWord> when_words() {
  return kWhens;
}

std::string step_page() {
  std::string page =
      "# Steps of plans\n\n"
      "Every kind of step that a [plan](../guide/write-a-plan.md) has, as the code knows it; "
      "`terrace plan --steps` prints this page. A line of a plan is one step of one rank. Authors "
      "write steps over inputs, outputs and scratch; lowering adds the others, and derives who "
      "waits for whom from what the steps read and write.\n\n"
      "## Kinds\n\n";
  page += row({"step", "written by", "example"}) + "|---|---|---|\n";
  for (const StepForm& form : kForms)
    page += row({written_as(form), form.written_by, code(form.example)});
  for (const StepForm& form : kForms) {
    page += "\n### " + std::string(form.keyword.empty() ? "reduce" : form.keyword) + "\n\n";
    page += "* *What it does:* " + std::string(form.effect) + ".\n";
    page += "* *Whom it waits for:* " + std::string(form.waits) + ".\n";
    page += "* *What waiting ranks poll:* " + std::string(form.signal) + ".\n";
  }
  page +=
      "\n## Regions\n\n"
      "`in[2]` is a region of rank 2; `in[2:1]` is its block 1, `in[2.3]` its tile 3, "
      "`in[2:1.3-5]` tiles 3 to 5 of block 1.\n\n";
  page += row({"memory", "what it is"}) + "|---|---|\n";
  for (const PlanWord& word : kBuffers) page += row({code(word.word), word.meaning});
  page +=
      "\n## Waits\n\n"
      "After `after`, `RANK:STEPS@LAG` waits until that rank has finished so many steps of the "
      "strip LAG strips before this one; no `@LAG` is this strip. A rank that names itself waits "
      "for the messages of those steps to have gone.\n\n";
  page += row({"suffix", "when the wait counts"}) + "|---|---|\n";
  for (const PlanWord& word : kWhens)
    page += row({word.word.empty() ? "none" : code(word.word), word.meaning});
  return page;
}

}  // namespace terrace
