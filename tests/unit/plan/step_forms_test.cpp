// SPDX-License-Identifier: BSD-3-Clause
// Goal: the page on steps says what the language has. Method: examples of the table are read and
// printed again, and looked for on the page.
#include "plan/step_forms.hpp"

#include <gtest/gtest.h>

#include <string>

namespace terrace {
namespace {

TEST(StepForms, are_in_the_order_of_kinds) {
  std::size_t index = 0;
  for (const StepForm& form : step_forms()) {
    EXPECT_EQ(index, static_cast<std::size_t>(form.kind));
    EXPECT_EQ(&form, &form_of(form.kind));
    for (const std::string_view text :
         {form.written_by, form.effect, form.waits, form.signal, form.example})
      EXPECT_FALSE(text.empty()) << form.keyword;
    ++index;
  }
}

/// A plan that has room for all examples: rank 2 is on another node.
std::string with_step(const StepForm& form) {
  const bool is_authors = form.written_by == "authors";
  std::string text = "plan a\nranks 3\nnodes 0-1 2\n";
  if (!is_authors)
    text +=
        "lowering owner\nring 1\nscratch 2\nlines 1\nexposure in:0 scratch 0\n"
        "exposure out:0 scratch 1\n";
  return text + std::string(form.example) + "\n";
}

TEST(StepForms, have_examples_that_are_read_as_what_they_show) {
  for (const StepForm& form : step_forms()) {
    const Result<Plan> plan = plan_from_text(with_step(form));
    ASSERT_TRUE(plan) << form.example << ": " << plan.error().sentence;
    ASSERT_EQ(1u, plan.value().body.size());
    EXPECT_EQ(form.kind, plan.value().body.front().kind);
    EXPECT_EQ(form.example, to_text(plan.value().body.front(), plan.value()));
  }
}

TEST(StepForms, are_all_on_the_page) {
  const std::string page = step_page();
  for (const StepForm& form : step_forms())
    for (const std::string_view text : {form.written_by, form.effect, form.waits, form.example})
      EXPECT_NE(page.find(text), std::string::npos) << form.keyword << ": " << text;
}

}  // namespace
}  // namespace terrace
