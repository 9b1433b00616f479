// SPDX-License-Identifier: BSD-3-Clause
// `terrace completion`: prints what makes a shell complete the command, from what CLI11 knows of
// it.
#include "completion.hpp"

#include <iostream>
#include <memory>
#include <sstream>

#include "subcommands.hpp"

namespace completion_verb {
namespace {

using namespace terrace;

/// CLI11 writes what IsMember allows into the name of the type: "TEXT:{mpich,openmpi,standard}".
std::vector<std::string> choices_in(const std::string& type) {
  const std::size_t begin = type.find('{'), end = type.rfind('}');
  if (begin == type.npos || end == type.npos) return {};
  std::istringstream text(type.substr(begin + 1, end - begin - 1));
  std::vector<std::string> words;
  for (std::string word; std::getline(text, word, ',');) words.push_back(word);
  return words;
}

/// Returns what a name's value is; the same name means the same for all verbs.
Offered offer_of(const std::string& name) {
  if (name == "--machine") return Offered::machines;
  if (name == "algorithm" || name == "names") return Offered::algorithms;
  if (name == "collective" || name == "--collective" || name == "--collectives")
    return Offered::collectives;
  if (name == "what") return Offered::calls;
  for (const char* file : {"--output", "--out", "--svg", "--html", "--timeline", "--network",
                           "--report", "--graph", "--measured", "--over", "--mpi", "file"})
    if (name == file) return Offered::files;
  return Offered::nothing;
}

CompletedOption completed(const CLI::Option& option) {
  CompletedOption one;
  for (const std::string& name : option.get_snames()) one.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) one.names.push_back("--" + name);
  if (one.names.empty()) one.names.push_back(option.get_name(true));
  one.description = option.get_description();
  one.takes_value = option.get_items_expected_max() > 0;
  one.takes_several = option.get_items_expected_max() > 1;
  one.choices = choices_in(option.get_type_name());
  if (!one.takes_value) return one;
  one.offer = one.choices.empty() ? offer_of(one.names.back()) : Offered::choices;
  return one;
}

CompletedVerb completed(const CLI::App& app, std::vector<std::string> path) {
  CompletedVerb verb{path, app.get_description(), {}, {}, {}, false};
  for (const CLI::Option* option : app.get_options())
    (option->get_positional() ? verb.arguments : verb.options).push_back(completed(*option));
  for (const CLI::App* below : app.get_subcommands({})) {
    path.push_back(below->get_name());
    verb.verbs.push_back(completed(*below, path));
    path.pop_back();
  }
  verb.starts_program = path.size() == 1 && (path[0] == "exec" || path[0] == "run");
  return verb;
}

constexpr const char* kFooter = R"text(
Packages install it. Where the command came otherwise:
  source <(terrace completion bash)  # in ~/.bashrc
  mkdir -p ~/.zfunc && terrace completion zsh > ~/.zfunc/_terrace  # once
  fpath+=~/.zfunc  # in ~/.zshrc, before compinit
)text";

}  // namespace
}  // namespace completion_verb

terrace::CompletedVerb terrace::completed_verb(const CLI::App& app) {
  return completion_verb::completed(app, {});
}

void add_completion_subcommand(CLI::App& app) {
  using namespace completion_verb;
  CLI::App* verb = app.add_subcommand("completion", "Print what makes a shell complete words");
  auto shell = std::make_shared<std::string>();
  verb->add_option("shell", *shell, "which shell's")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh"}));
  verb->footer(kFooter);
  verb->callback([&app, shell] {
    const CompletedVerb command = completed_verb(app);
    std::cout << (*shell == "bash" ? bash_completion(command) : zsh_completion(command));
  });
}
