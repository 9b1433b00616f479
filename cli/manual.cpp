// SPDX-License-Identifier: BSD-3-Clause
// `terrace manual`: prints the manual pages, for man(1), made from the help of the command and its
// subcommands.
#include <CLI/CLI.hpp>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "base/number.hpp"
#include "refusals.hpp"
#include "subcommands.hpp"

namespace manual_verb {
namespace {

using namespace terrace;
namespace files = std::filesystem;

constexpr Verb kVerb{"terrace manual"};

/// Escapes a text for man: signs that it would take for quotation marks or hyphens stay what they
/// are.
std::string escaped(const std::string& text) {
  const std::map<char, std::string> signs = {{'\\', "\\e"},  {'-', "\\-"},   {'`', "\\(ga"},
                                             {'^', "\\(ha"}, {'~', "\\(ti"}, {'\'', "\\(aq"}};
  std::string plain = text.starts_with('.') ? "\\&" : "";
  for (const char letter : text) {
    const auto sign = signs.find(letter);
    plain += sign == signs.end() ? std::string(1, letter) : sign->second;
  }
  return plain;
}

std::string bold(const std::string& text) {
  return "\\fB" + escaped(text) + "\\fR";
}

/// Returns the day of the page; builds that can be repeated say which (SOURCE_DATE_EPOCH).
std::string day() {
  const char* const given = std::getenv("SOURCE_DATE_EPOCH");
  const auto seconds = number_from_text<std::uint64_t>(given == nullptr ? "" : given);
  const std::time_t time = seconds ? static_cast<std::time_t>(*seconds) : std::time(nullptr);
  char text[16] = "";
  std::strftime(text, sizeof text, "%Y-%m-%d", std::gmtime(&time));
  return text;
}

/// The end of a help text, its lines sorted into the sections of a manual page.
class Footer {
 public:
  explicit Footer(const std::string& text) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) add(line);
    close_item();
  }

  [[nodiscard]] std::string page() const {
    std::string text;
    for (const char* title : {"EXIT STATUS", "ENVIRONMENT", "NOTES", "EXAMPLES"})
      if (const auto found = sections_.find(title); found != sections_.end())
        text += std::string(".SH ") + title + "\n" + found->second;
    return text;
  }

 private:
  /// Column from which text behind an item explains it; before, it is more of it.
  static constexpr std::size_t kExplains = 20;

  void add(const std::string& line) {
    const std::size_t indent = line.find_first_not_of(' ');
    if (indent == line.npos) return begin_paragraph();
    if (indent == 0) return add_text(line);
    if (indent > 2 && indent >= kExplains && !item_.empty()) {
      explanation_ += (explanation_.empty() ? "" : " ") + line.substr(indent);
      return;
    }
    if (indent <= 2) close_item();
    const std::size_t gap = line.find("  ", indent);
    const std::size_t behind = gap == line.npos ? gap : line.find_first_not_of(' ', gap);
    item_ += (item_.empty() ? "" : " ") + line.substr(indent, gap - indent);
    if (behind != line.npos) explanation_ += line.substr(behind);
  }

  void begin_paragraph() {
    close_item();
    wants_paragraph_ = true;
  }

  void add_text(std::string line) {
    const bool followed_items = !item_.empty();
    close_item();
    const std::string before = title_;
    if (line == "Examples:" || line == "Example:") return open("EXAMPLES");
    if (line == "Variables:") return open("ENVIRONMENT");
    if (line.starts_with("Exit status: ")) {
      open("EXIT STATUS");
      line = line.substr(line.find(' ', 5) + 1);
    } else if (title_ != "EXIT STATUS") {
      open("NOTES");
    }
    std::string& section = sections_[title_];
    const bool continues = before == title_ && !followed_items && !wants_paragraph_;
    if (!section.empty() && !continues) section += ".PP\n";
    section += escaped(line) + "\n";
    wants_paragraph_ = false;
  }

  void open(const std::string& title) { title_ = title; }

  void close_item() {
    if (item_.empty()) return;
    std::string& section = sections_[title_];
    section += explanation_.empty() ? (section.empty() ? "" : ".PP\n") + bold(item_) + "\n"
                                    : ".TP\n" + bold(item_) + "\n" + escaped(explanation_) + "\n";
    item_.clear();
    explanation_.clear();
  }

  std::map<std::string, std::string> sections_;
  std::string title_ = "NOTES";
  std::string item_, explanation_;
  bool wants_paragraph_ = false;
};

std::string full_name(const CLI::App& app) {
  return app.get_parent() == nullptr ? app.get_name()
                                     : full_name(*app.get_parent()) + " " + app.get_name();
}

std::string page_name(const CLI::App& app) {
  return app.get_parent() == nullptr ? "terrace" : "terrace-" + app.get_name();
}

const CLI::Formatter& formatter_of(const CLI::App& app) {
  static const CLI::Formatter plain;
  const auto* const own = dynamic_cast<const CLI::Formatter*>(app.get_formatter().get());
  return own == nullptr ? plain : *own;
}

/// Returns the usage without the word "Usage:" and the end of the line.
std::string usage(const CLI::App& app) {
  const std::string line = formatter_of(app).make_usage(&app, full_name(app));
  return line.substr(line.find(' ') + 1, line.find('\n') - line.find(' ') - 1);
}

std::string options(const CLI::App& app, bool are_positional) {
  std::string text;
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_positional() != are_positional) continue;
    const std::string name = option->get_name(are_positional, !are_positional);
    text += ".TP\n" + bold(name) + escaped(formatter_of(app).make_option_opts(option)) + "\n" +
            escaped(option->get_description()) + "\n";
  }
  return text;
}

std::string section(const std::string& title, const std::string& text) {
  return text.empty() ? "" : ".SH " + title + "\n" + text;
}

/// Writes a part of a verb's page, such as what the verb draws.
std::string page_of_kind(const CLI::App& kind, const CLI::App& verb) {
  const std::string footer =
      kind.get_footer() == verb.get_footer() ? "" : Footer(kind.get_footer()).page();
  return ".SH \"" + escaped(full_name(kind)) + "\"\n" + bold(usage(kind)) + "\n.PP\n" +
         escaped(kind.get_description()) + "\n" + options(kind, true) + options(kind, false) +
         footer;
}

std::string commands(const CLI::App& app) {
  std::string text;
  for (const CLI::App* verb : app.get_subcommands({}))
    text += ".TP\n" + bold(page_name(*verb)) + "(1)\n" + escaped(verb->get_description()) + "\n";
  return text;
}

std::string page(const CLI::App& app) {
  const bool is_whole = app.get_parent() == nullptr;
  std::string title = page_name(app);
  for (char& letter : title)
    if (letter >= 'a' && letter <= 'z') letter = static_cast<char>(letter - 'a' + 'A');
  std::string text = ".TH " + escaped(title) + " 1 " + day() +
                     " \"terrace " TERRACE_VERSION "\" \"User Commands\"\n.SH NAME\n" +
                     escaped(page_name(app)) + " \\- " + escaped(app.get_description()) +
                     "\n.SH SYNOPSIS\n" + bold(usage(app)) + "\n";
  text += section("ARGUMENTS", options(app, true)) + section("OPTIONS", options(app, false));
  if (is_whole) return text + section("COMMANDS", commands(app));
  for (const CLI::App* kind : app.get_subcommands({})) text += page_of_kind(*kind, app);
  return text + Footer(app.get_footer()).page() + ".SH SEE ALSO\n.BR terrace (1)\n";
}

void write(const CLI::App& app, const files::path& folder) {
  const files::path path = folder / (page_name(app) + ".1");
  std::ofstream file(path);
  file << page(app);
  if (!file.flush()) kVerb.fail("'" + path.string() + "' cannot be written");
}

void write_all(const CLI::App& app, const files::path& folder) {
  std::error_code failure;
  files::create_directories(folder, failure);
  if (failure) kVerb.fail("'" + folder.string() + "' cannot be made: " + failure.message());
  write(app, folder);
  for (const CLI::App* verb : app.get_subcommands({})) write(*verb, folder);
}

void print(const CLI::App& app, const std::string& name) {
  if (name.empty()) {
    std::cout << page(app);
    return;
  }
  for (const CLI::App* verb : app.get_subcommands({}))
    if (verb->get_name() == name) {
      std::cout << page(*verb);
      return;
    }
  kVerb.refuse("there is no verb '" + name + "'; `terrace --help` lists them");
}

constexpr const char* kFooter = R"text(
Examples:
  terrace manual exec | man -l -              reads a page without installing it
  terrace manual --all /usr/local/share/man/man1
Installations have them: `man terrace`, `man terrace-exec`.
)text";

}  // namespace
}  // namespace manual_verb

void add_manual_subcommand(CLI::App& app) {
  using namespace manual_verb;
  struct Options {
    std::string verb, folder;
  };
  auto options = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand("manual", "Print or write the manual pages, for man");
  CLI::Option* one = verb->add_option("verb", options->verb, "whose page [that of terrace]");
  verb->add_option("--all", options->folder, "write all pages to this folder")->excludes(one);
  verb->footer(kFooter);
  verb->callback([&app, options] {
    if (options->folder.empty())
      print(app, options->verb);
    else
      write_all(app, options->folder);
  });
}
