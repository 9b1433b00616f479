// SPDX-License-Identifier: BSD-3-Clause
// The script for zsh: a function for each verb, which hands zsh's _arguments the verb's options
// with what their help says.
#include <string>

#include "completion.hpp"

namespace completion_zsh {
namespace {

using namespace terrace;

constexpr const char* kHead = R"zsh(#compdef terrace
# zsh completion for terrace, as `terrace completion zsh` prints it

# The first words of what the command lists.
_terrace_listed() {
  local -a lines=("${(@f)$($_terrace_command "$@" 2>/dev/null)}")
  print -l -- ${${(M)lines:#[a-z]*}%% *}
}

_terrace_machines() {
  local -a names=($(_terrace_listed cost --list))
  _alternative 'machines:machine:compadd -a names' 'files:file:_files'
}

# Without those along the edges of graphs, which no option takes.
_terrace_collectives() {
  local -a names=(${$(_terrace_listed plan --list):#neighbour_*})
  compadd -- ${(u)names%%.*}
}

_terrace_algorithms() {
  local -a names=($(_terrace_listed plan --list))
  _alternative 'algorithms:algorithm:compadd -a names' 'files:plan:_files'
}

_terrace_calls() { _terrace_collectives; _terrace_algorithms }

)zsh";

constexpr const char* kTail = R"zsh(local _terrace_command=${(Q)words[1]/#\~/$HOME}
_terrace_verb
)zsh";

std::string quoted(const std::string& text) {
  std::string word = "'";
  for (const char letter : text) word += letter == '\'' ? "'\\''" : std::string(1, letter);
  return word + "'";
}

/// Within a description, where some letters have a meaning.
std::string escaped(const std::string& text) {
  std::string plain;
  for (const char letter : text)
    plain += std::string(letter == '[' || letter == ']' || letter == ':' || letter == '\\', '\\') +
             letter;
  return plain;
}

std::string action(const CompletedOption& option) {
  switch (option.offer) {
    case Offered::nothing:
      return " ";
    case Offered::choices: {
      std::string words;
      for (const std::string& word : option.choices) words += (words.empty() ? "" : " ") + word;
      return "(" + words + ")";
    }
    case Offered::files:
      return "_files";
    case Offered::machines:
      return "_terrace_machines";
    case Offered::algorithms:
      return "_terrace_algorithms";
    case Offered::collectives:
      return "_terrace_collectives";
    case Offered::calls:
      return "_terrace_calls";
  }
  return " ";
}

std::string specification(const CompletedOption& option) {
  std::string all, rows;
  for (const std::string& name : option.names) all += (all.empty() ? "" : " ") + name;
  const std::string value =
      option.takes_value ? ":" + escaped(option.names.back()) + ":" + action(option) : "";
  for (const std::string& name : option.names)
    rows += " \\\n    " + quoted((option.takes_several ? "*" : "(" + all + ")") + name + "[" +
                                 escaped(option.description) + "]" + value);
  return rows;
}

std::string argument_specification(const CompletedOption& argument) {
  return " \\\n    " + quoted((argument.takes_several ? "*:" : ":") +
                              escaped(argument.names.back()) + ":" + action(argument));
}

std::string name_of(const CompletedVerb& verb) {
  std::string name = "_terrace_verb";
  for (const std::string& word : verb.path) name += "_" + word;
  return name;
}

/// The choice of a verb, then what that one completes.
std::string choice_of_verb(const CompletedVerb& verb) {
  std::string rows = "  case $state in\n    verb)\n      local -a verbs=(\n";
  for (const CompletedVerb& below : verb.verbs)
    rows += "        " + quoted(escaped(below.path.back()) + ":" + below.description) + "\n";
  return rows + "      )\n      _describe 'verb' verbs ;;\n    rest) _call_function - " +
         name_of(verb) + "_$words[1] ;;\n  esac\n";
}

std::string function(const CompletedVerb& verb) {
  std::string text = name_of(verb) + "() {\n";
  if (!verb.verbs.empty()) text += "  local curcontext=$curcontext state line\n";
  text += verb.verbs.empty() ? "  _arguments -S" : "  _arguments -C";
  for (const CompletedOption& option : verb.options) text += specification(option);
  for (const CompletedOption& argument : verb.arguments) text += argument_specification(argument);
  if (verb.starts_program)
    text += " \\\n    '(-)1:program:_command_names -e' \\\n    '*::arguments:_normal'";
  else if (!verb.verbs.empty())
    text += " \\\n    '1: :->verb' \\\n    '*:: :->rest'";
  else if (verb.arguments.empty())
    text += " \\\n    '*:file:_files'";
  text += "\n" + (verb.verbs.empty() ? "" : choice_of_verb(verb)) + "}\n\n";
  for (const CompletedVerb& below : verb.verbs) text += function(below);
  return text;
}

}  // namespace
}  // namespace completion_zsh

std::string terrace::zsh_completion(const CompletedVerb& command) {
  using namespace completion_zsh;
  return kHead + function(command) + kTail;
}
