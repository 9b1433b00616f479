// SPDX-License-Identifier: BSD-3-Clause
// Reports a broken contract without allocating: the heap may be what is broken.
#include "base/contract.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace terrace::contract {

namespace {

std::atomic<JobEnd> job_end{nullptr};

/// One line, cut where there is no more room.
class ReportLine {
 public:
  void add(std::string_view text) {
    const std::size_t bytes = std::min(text.size(), sizeof text_ - 1 - used_);
    std::memcpy(text_ + used_, text.data(), bytes);
    used_ += bytes;
  }
  void add(const Value& value) {
    char digits[24];
    const char* const end = std::to_chars(digits, digits + sizeof digits, value.bits).ptr;
    if (value.is_negative) add("-");
    add({digits, static_cast<std::size_t>(end - digits)});
  }
  void write_out() {
    text_[used_++] = '\n';
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text_, used_);
  }

 private:
  char text_[1024];
  std::size_t used_ = 0;
};

/// Takes the first of expressions with commas between them; those in brackets are its own.
std::string_view take_first(std::string_view& expressions) {
  int depth = 0;
  std::size_t end = 0;
  for (; end < expressions.size() && (expressions[end] != ',' || depth > 0); ++end) {
    if (std::strchr("([{", expressions[end])) ++depth;
    if (std::strchr(")]}", expressions[end])) --depth;
  }
  const std::string_view first = expressions.substr(0, end);
  expressions.remove_prefix(std::min(expressions.size(), end + 1));
  expressions.remove_prefix(std::min(expressions.size(), expressions.find_first_not_of(' ')));
  return first;
}

}  // namespace

void set_job_end(JobEnd end) noexcept {
  // release: pairs with the exchange in `report`; what `end` needs was made before.
  job_end.store(end, std::memory_order_release);
}

void report(const char* text, const char* function, const Value* values,
            std::size_t count) noexcept {
  ReportLine line;
  line.add("terrace: broken contract: ");
  line.add(text);
  std::string_view expressions = text + std::strlen(text) + 1;
  for (std::size_t i = 0; i < count; ++i) {
    line.add(i == 0 ? " (" : ", ");
    line.add(take_first(expressions));
    line.add(" = ");
    line.add(values[i]);
  }
  line.add(count == 0 ? " in " : ") in ");
  line.add(function);
  line.add("; this is a fault in Terrace; please report it");
  line.write_out();
  // acq_rel: pairs with the release in `set_job_end`. A contract that the job's end breaks just
  // aborts.
  if (const JobEnd end = job_end.exchange(nullptr, std::memory_order_acq_rel)) end();
  std::abort();
}

}  // namespace terrace::contract
