// SPDX-License-Identifier: BSD-3-Clause
// The text form of plans, both ways. One line a step, in statement order:
//
//     RANK: TARGET, TARGET = OPERAND + OPERAND after WAIT WAIT
//     RANK: copy TARGET, TARGET = OPERAND, OPERAND
//     RANK: expose TARGET = OPERAND      RANK: deliver TARGET = OPERAND      RANK: hold
//     RANK: send OPERAND, OPERAND to RANK after WAIT      RANK: receive TARGET, TARGET from RANK
//
// The first combines all operands for all targets; the others give each target its own operand.
// Where ranks are on several nodes, `nodes 0-3 4,6 5` lists the ranks of each.
//
// A region is in[2], out[2], scratch[2], line[2] or exposed[2]; in[2:1] is its block 1,
// in[2.3] tile 3, in[2:1.3-5] tiles 3 to 5 of block 1. With `pockets 4`, line[2:5] is the second
// value that line 1 carries. A wait is RANK:STEPS, with @LAG for an earlier strip and ?direct or
// ?bounced where only that reach needs it; on the rank itself, for its messages. Steps after
// the line `closing` run once, after the last strip. `in_place bounced` says that ranks whose input
// and output are the same memory must be bounced; `bytes 4-16` that the plan is meant for vectors
// or blocks of so many bytes. `#` starts a comment.
#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <sstream>
#include <string_view>

#include "base/contract.hpp"
#include "plan/plan.hpp"
#include "plan/step_forms.hpp"

namespace terrace {

namespace {

constexpr std::array<std::pair<Lowering, std::string_view>, 3> kLoweringNames = {
    {{Lowering::none, "none"}, {Lowering::lines, "lines"}, {Lowering::owner, "owner"}}};
template <class Table, class Value>
std::string_view name_in(const Table& table, Value value) {
  for (const auto& [key, name] : table)
    if (key == value) return name;
  return "?";
}

template <class Table>
auto value_in(const Table& table, std::string_view name) {
  using Value = std::remove_cvref_t<decltype(table[0].first)>;
  for (const auto& [key, text] : table)
    if (text == name) return std::optional<Value>(key);
  return std::optional<Value>();
}

/// Looks up the word for a value, in a table in the order of its enumeration.
template <class Value>
std::string_view word_for(std::span<const PlanWord> words, Value value) {
  const auto index = static_cast<std::size_t>(value);
  TERRACE_REQUIRE(index < words.size(), index);
  return words[index].word;
}

std::optional<Buffer> buffer_named(std::string_view name) {
  const std::span<const PlanWord> words = buffer_words();
  for (std::size_t i = 0; i < words.size(); ++i)
    if (words[i].word == name) return static_cast<Buffer>(i);
  return std::nullopt;
}

std::string join(const std::vector<Region>& regions, const Plan& plan, std::string_view between) {
  std::string text;
  for (const Region& region : regions) {
    if (!text.empty()) text += between;
    text += to_text(region, plan);
  }
  return text;
}

std::string_view between_operands(StepKind kind) {
  return kind == StepKind::reduce ? " + " : ", ";
}

std::string to_text(const Wait& wait) {
  std::string text = std::to_string(wait.rank) + ":" + std::to_string(wait.steps);
  if (wait.lag) text += "@" + std::to_string(wait.lag);
  return text + std::string(word_for(when_words(), wait.when));
}

/// The user's bytes for a sentence: a few, none of which a terminal obeys.
std::string quoted(std::string_view bytes) {
  constexpr std::size_t kMost = 40;
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text = "`";
  for (const char c : bytes.substr(0, kMost)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= ' ' && byte < 0x7f)
      text += c;
    else
      text += std::string("\\x") + kDigits[byte / 16] + kDigits[byte % 16];
  }
  return text + (bytes.size() > kMost ? "...`" : "`");
}

/// Reads one line from left to right; the first complaint stays.
class LineReader {
 public:
  explicit LineReader(std::string_view line)
      : rest_(line.substr(0, line.find('#'))), begin_(rest_.data()) {}

  bool take(std::string_view token) {
    skip_blanks();
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }
  void expect(std::string_view token) {
    if (!take(token)) complain("`" + std::string(token) + "`");
  }
  std::string_view word() {
    skip_blanks();
    const auto ends = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '['; };
    const auto length = std::find_if(rest_.begin(), rest_.end(), ends) - rest_.begin();
    const std::string_view text = rest_.substr(0, static_cast<std::size_t>(length));
    rest_.remove_prefix(text.size());
    return text;
  }
  template <class Number = std::uint32_t>
  Number number(Number most = 0xffff) {
    skip_blanks();
    Number value = 0;
    const auto [end, code] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (code != std::errc() || value > most) {
      complain("a number up to " + std::to_string(most));
      return 0;
    }
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return value;
  }
  bool begins_with_digit() {
    skip_blanks();
    return !rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9';
  }
  void refuse(const std::string& complaint) {
    if (complaint_.empty()) complaint_ = column() + complaint;
  }
  void complain(const std::string& expected) {
    const bool is_over = at_end();  // skips blanks: the column is where something is missing
    refuse("expected " + expected +
           (is_over ? " at the end of the line" : " before " + quoted(rest_)));
  }
  bool at_end() {
    skip_blanks();
    return rest_.empty();
  }
  const std::string& complaint() const { return complaint_; }
  bool good() const { return complaint_.empty(); }

 private:
  void skip_blanks() {
    while (!rest_.empty() &&
           (rest_.front() == ' ' || rest_.front() == '\t' || rest_.front() == '\r'))
      rest_.remove_prefix(1);
  }
  std::string column() const {
    return "column " + std::to_string(rest_.data() - begin_ + 1) + ": ";
  }

  std::string_view rest_;
  const char* begin_;  ///< of the line
  std::string complaint_;
};

Region read_region(LineReader& line, const Plan& plan) {
  Region region;
  const std::optional<Buffer> buffer = buffer_named(line.word());
  if (!buffer) line.complain("in[...], out[...], scratch[...], line[...] or exposed[...]");
  region.buffer = buffer.value_or(Buffer::input);
  line.expect("[");
  region.rank = line.number();
  if (line.take(":")) region.block = static_cast<std::uint16_t>(line.number(0xfffe));
  region.tile_count = plan.tiles;
  if (line.take(".")) {
    const std::uint32_t first = line.number();
    const std::uint32_t last = line.take("-") ? line.number() : first;
    if (last < first)
      line.complain("the first tile before the last");
    else
      region = region.tiles(first, last - first + 1);
  }
  line.expect("]");
  return region;
}

std::vector<Region> read_regions(LineReader& line, const Plan& plan, std::string_view between) {
  std::vector<Region> regions;
  do regions.push_back(read_region(line, plan));
  while (line.good() && line.take(between));
  return regions;
}

std::vector<Wait> read_waits(LineReader& line) {
  std::vector<Wait> waits;
  while (line.good() && !line.at_end()) {
    Wait wait;
    wait.rank = line.number();
    line.expect(":");
    wait.steps = line.number(0xffffff);
    if (line.take("@")) wait.lag = line.number();
    for (const When when : {When::if_direct, When::if_bounced})
      if (line.take(word_for(when_words(), when))) wait.when = when;
    waits.push_back(wait);
  }
  return waits;
}

/// Reads a step's kind by its keyword; a step without one is a reduction.
StepKind read_kind(LineReader& line) {
  for (const StepForm& form : step_forms())
    if (!form.keyword.empty() &&
        line.take(std::string(form.keyword) + (form.operands.empty() ? "" : " ")))
      return form.kind;
  return StepKind::reduce;
}

Step read_step(LineReader& line, const Plan& plan) {
  Step step;
  if (!line.begins_with_digit()) line.complain("`plan NAME`, `ranks N`, `tiles T` or `RANK: ...`");
  step.by = line.number();
  line.expect(":");
  step.kind = read_kind(line);
  if (is_half_of_message(step.kind)) {
    const bool sends = step.kind == StepKind::send;
    (sends ? step.from : step.to) = read_regions(line, plan, ",");
    line.expect(sends ? "to" : "from");
    step.peer = line.number();
  } else if (step.kind != StepKind::hold) {
    step.to = read_regions(line, plan, ",");
    const bool may_stand_alone = step.kind == StepKind::expose;
    if (line.take("="))
      step.from = read_regions(line, plan, step.kind == StepKind::reduce ? "+" : ",");
    else if (!may_stand_alone)
      line.complain("`=` and operands");
  }
  if (line.take("after")) step.waits = read_waits(line);
  if (!line.at_end()) line.complain("`after` or the end of the line");
  return step;
}

/// The ranks of one node: `0-3,6`.
void read_node(LineReader& line, Plan& plan, std::uint32_t node) {
  constexpr std::uint32_t kNowhere = ~0u;
  plan.nodes.resize(plan.ranks, kNowhere);
  do {
    const std::uint32_t first = line.number(), last = line.take("-") ? line.number() : first;
    if (last < first) line.complain("the first rank before the last");
    for (std::uint32_t rank = first; rank <= last && line.good(); ++rank)
      if (rank >= plan.ranks || plan.nodes[rank] != kNowhere)
        line.refuse("rank " + std::to_string(rank) +
                    (rank >= plan.ranks ? ": `ranks` has to come first, and say how many there are"
                                        : " is on two nodes"));
      else
        plan.nodes[rank] = node;
  } while (line.good() && line.take(","));
}

/// One list a node.
void read_nodes(LineReader& line, Plan& plan) {
  for (std::uint32_t node = 0; line.good() && !line.at_end(); ++node) read_node(line, plan, node);
  for (Rank rank = 0; rank < plan.nodes.size() && line.good(); ++rank)
    if (plan.nodes[rank] == ~0u) line.refuse("rank " + std::to_string(rank) + " is on no node");
}

/// Headings that may stand at most once.
struct Heads {
  bool plan = false, ranks = false, tiles = false, nodes = false, bytes = false;
};

bool take_once(LineReader& line, const std::string& head, bool& is_taken) {
  if (!line.take(head + " ")) return false;
  if (is_taken) line.refuse("a second `" + head + "`");
  return is_taken = true;
}

/// "4-16".
void read_bytes(LineReader& line, Plan& plan) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  plan.least_bytes = line.number(kMost);
  line.expect("-");
  plan.most_bytes = line.number(kMost);
  if (plan.most_bytes < plan.least_bytes) line.refuse("expected the smaller number first");
}

std::string read_name(LineReader& line) {
  const std::string_view name = line.word();
  const bool is_printable =
      std::all_of(name.begin(), name.end(), [](char c) { return c > ' ' && c < 0x7f; });
  if (name.empty() || !is_printable) line.refuse("expected a name of printable characters");
  return std::string(name);
}

/// A line that is no step: `plan NAME`, `ranks N`, ... False if it is none of these.
bool read_heading(LineReader& line, Plan& plan, Heads& heads, bool& closing) {
  const bool is_late = !plan.body.empty() || !plan.closing.empty();
  const auto small = [&line] { return static_cast<std::uint16_t>(line.number()); };
  const auto lowered = [&line, &plan](std::string_view head) {
    if (!line.take(head)) return false;
    if (plan.lowering == Lowering::none)
      line.refuse("only a plan with a line `lowering` above it has that");
    return true;
  };
  if (line.take("closing")) {
    closing = true;
    if (!line.at_end()) line.complain("the end of the line");
    return true;
  }
  if (take_once(line, "plan", heads.plan))
    plan.name = read_name(line);
  else if (take_once(line, "ranks", heads.ranks))
    plan.ranks = line.number();
  else if (take_once(line, "tiles", heads.tiles))
    plan.tiles = small();
  else if (take_once(line, "nodes", heads.nodes))
    read_nodes(line, plan);
  else if (take_once(line, "bytes", heads.bytes))
    read_bytes(line, plan);
  else if (lowered("ring "))
    plan.ring = small();
  else if (lowered("scratch "))
    plan.scratch_blocks = small();
  else if (lowered("lines "))
    plan.lines = small();
  else if (lowered("pockets "))
    plan.pockets = small();
  else if (line.take("in_place ")) {
    line.expect("bounced");
    plan.bounces_in_place = true;
  } else if (line.take("lowering ")) {
    const std::optional<Lowering> lowering = value_in(kLoweringNames, line.word());
    if (!lowering) line.complain("none, lines or owner");
    plan.lowering = lowering.value_or(Lowering::none);
  } else if (lowered("exposure ")) {
    const bool is_input = line.take("in");
    if (!is_input) line.expect("out");
    line.expect(":");
    Exposure exposure{is_input ? Buffer::input : Buffer::output, small(), 0};
    line.expect("scratch");
    exposure.scratch_block = small();
    plan.exposures.push_back(exposure);
  } else {
    return false;
  }
  if (!line.at_end()) line.complain("the end of the line");
  // Steps above it would have been read for another number of ranks or tiles.
  if (is_late || closing) line.refuse("such a line stands above the first step");
  return true;
}

/// A user need not declare scratch blocks: naming one is enough.
void count_scratch(Plan& plan, const Step& step) {
  for (const auto* regions : {&step.to, &step.from})
    for (const Region& region : *regions)
      if (region.buffer == Buffer::scratch && region.block >= plan.scratch_blocks)
        plan.scratch_blocks = static_cast<std::uint16_t>(region.block + 1);
}

}  // namespace

namespace {

/// "nodes 0-3 4,6 5": the ranks of each node, in runs.
std::string nodes_text(const Plan& plan) {
  std::map<std::uint32_t, std::string> lists;
  for (Rank first = 0; first < plan.nodes.size();) {
    Rank next = first + 1;
    while (next < plan.nodes.size() && plan.nodes[next] == plan.nodes[first]) ++next;
    std::string& list = lists[plan.nodes[first]];
    list += (list.empty() ? "" : ",") + std::to_string(first);
    if (next - first > 1) list += "-" + std::to_string(next - 1);
    first = next;
  }
  std::string text = "nodes";
  for (const auto& [node, list] : lists) text += " " + list;
  return text + "\n";
}

}  // namespace

std::string to_text(const Region& region, const Plan& plan) {
  std::string text(word_for(buffer_words(), region.buffer));
  text += "[" + std::to_string(region.rank);
  if (region.block) text += ":" + std::to_string(region.block);
  if (region.tile_count != plan.tiles || region.first_tile != 0) {
    text += "." + std::to_string(region.first_tile);
    if (region.tile_count > 1)
      text += "-" + std::to_string(region.first_tile + region.tile_count - 1);
  }
  return text + "]";
}

std::string to_text(const Step& step, const Plan& plan) {
  std::string text = std::to_string(step.by) + ": ";
  const StepForm& form = form_of(step.kind);
  text += form.keyword;
  if (!form.keyword.empty() && !form.operands.empty()) text += " ";
  if (step.kind == StepKind::send)
    text += join(step.from, plan, ", ") + " to " + std::to_string(step.peer);
  text += join(step.to, plan, ", ");
  if (step.kind == StepKind::receive) text += " from " + std::to_string(step.peer);
  if (!step.from.empty() && step.kind != StepKind::send)
    text += " = " + join(step.from, plan, between_operands(step.kind));
  if (!step.waits.empty()) text += " after";
  for (const Wait& wait : step.waits) text += " " + to_text(wait);
  return text;
}

std::string to_text(const Plan& plan) {
  std::ostringstream text;
  text << "plan " << plan.name << "\nranks " << plan.ranks << "\ntiles " << plan.tiles << "\n";
  if (!plan.nodes.empty()) text << nodes_text(plan);
  if (plan.bounces_in_place) text << "in_place bounced\n";
  if (plan.least_bytes > 0 || plan.most_bytes < Plan{}.most_bytes)
    text << "bytes " << plan.least_bytes << '-' << plan.most_bytes << "\n";
  if (plan.lowering != Lowering::none) {
    text << "lowering " << name_in(kLoweringNames, plan.lowering) << "\nring " << plan.ring
         << "\nscratch " << plan.scratch_blocks << "\nlines " << plan.lines << "\n";
    if (plan.pockets != 1) text << "pockets " << plan.pockets << "\n";
    for (const Exposure& exposure : plan.exposures)
      text << "exposure " << word_for(buffer_words(), exposure.buffer) << ":" << exposure.block
           << " scratch " << exposure.scratch_block << "\n";
  }
  for (const Step& step : plan.body) text << to_text(step, plan) << "\n";
  if (!plan.closing.empty()) text << "closing\n";
  for (const Step& step : plan.closing) text << to_text(step, plan) << "\n";
  return text.str();
}

Result<Plan> plan_from_text(const std::string& text) {
  Plan plan;
  Heads heads;
  bool closing = false;
  std::istringstream lines(text);
  std::string written;
  for (int number = 1; std::getline(lines, written); ++number) {
    LineReader line(written);
    if (line.at_end()) continue;
    if (!read_heading(line, plan, heads, closing)) {
      Step step = read_step(line, plan);
      if (plan.lowering == Lowering::none) count_scratch(plan, step);
      (closing ? plan.closing : plan.body).push_back(std::move(step));
    }
    if (!line.good())
      return Error{ErrorCode::argument, "line " + std::to_string(number) + ", " + line.complaint()};
  }
  if (plan.name.empty())
    return Error{ErrorCode::argument,
                 "the text has no line `plan NAME`, as in `plan allreduce.mine`"};
  if (plan.ranks == 0)
    return Error{ErrorCode::argument, "the text has no line `ranks N` with N of at least 1"};
  if (Result<bool> shape = check_shape(plan); !shape) return shape.error();
  return plan;
}

}  // namespace terrace
