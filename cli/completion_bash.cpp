// SPDX-License-Identifier: BSD-3-Clause
// The script for bash: a table of words for each verb, and a function that reads it. It needs
// nothing of the package bash-completion, but lets that complete the program behind `exec` and
// `run` where it is there.
#include <string>
#include <vector>

#include "completion.hpp"

namespace completion_bash {
namespace {

using namespace terrace;

constexpr const char* kHead =
    R"bash(# bash completion for terrace, as `terrace completion bash` prints it

# The first words of what the command lists.
_terrace_listed() {
  local line
  "${COMP_WORDS[0]/#\~/$HOME}" "$@" 2>/dev/null |
    while IFS= read -r line; do [[ $line == [a-z]* ]] && echo "${line%% *}"; done
}

_terrace_machines() { _terrace_listed cost --list; compgen -f -- "$1"; }

# Without those along the edges of graphs, which no option takes.
_terrace_collectives() {
  _terrace_listed plan --list | sed '/^neighbour_/d; s/\..*//' | sort -u
}

_terrace_algorithms() { _terrace_listed plan --list; compgen -f -- "$1"; }

_terrace_calls() { _terrace_collectives; _terrace_algorithms "$1"; }

# Offers the lines of its input that begin with the word; not by `compgen -W`, which runs what a
# file's name says. With the option `filenames`, bash quotes what it inserts.
_terrace_offer() {
  local line
  while IFS= read -r line; do
    [[ $line == "$1"* ]] || continue
    COMPREPLY+=("$line")
    [[ -e $line ]] && compopt -o filenames 2>/dev/null
  done
}

)bash";

constexpr const char* kTail = R"bash(
_terrace() {
  local word=${COMP_WORDS[COMP_CWORD]} verb= option= program= at=1
  COMPREPLY=()
  while ((at < COMP_CWORD)); do  # the verb, and what it draws
    _terrace_verbs "$verb" | grep -qxF -- "${COMP_WORDS[at]}" || break
    verb+=${verb:+ }${COMP_WORDS[at++]}
  done
  for ((; at < COMP_CWORD; at++)); do
    option=${COMP_WORDS[at]}
    if [[ $option == -?* && $option != -- ]]; then
      [[ ${COMP_WORDS[at + 1]} == '=' ]] && ((at++))
      _terrace_values "$verb $option" >/dev/null || continue
      ((++at < COMP_CWORD)) && continue
      [[ $word == '=' ]] && word=
      _terrace_offer "$word" < <(_terrace_values "$verb $option" "$word")
      return
    fi
    _terrace_starts_program "$verb" || continue
    [[ $option == -- ]] && ((at++))
    program=yes
    break
  done
  [[ $word != -* ]] && _terrace_starts_program "$verb" && program=yes
  if [[ $program ]]; then
    if declare -F _command_offset >/dev/null; then _command_offset "$at"
    elif ((at == COMP_CWORD)); then _terrace_offer "$word" < <(compgen -c -- "$word" | sort -u)
    fi
    return
  fi
  if [[ $word == -* ]]; then
    _terrace_offer "$word" < <(_terrace_options "$verb")
  else
    _terrace_offer "$word" < <(_terrace_verbs "$verb"; _terrace_arguments "$verb" "$word")
  fi
} && complete -o bashdefault -o default -F _terrace terrace
)bash";

std::string joined(const std::vector<std::string>& words, const std::string& between) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : between) + word;
  return text;
}

/// The command that prints what an option or an argument may be.
std::string printing(const CompletedOption& option) {
  switch (option.offer) {
    case Offered::nothing:
      return ":";
    case Offered::choices:
      return "printf '%s\\n' " + joined(option.choices, " ");
    case Offered::files:
      return "compgen -f -- \"$2\"";
    case Offered::machines:
      return "_terrace_machines \"$2\"";
    case Offered::algorithms:
      return "_terrace_algorithms \"$2\"";
    case Offered::collectives:
      return "_terrace_collectives";
    case Offered::calls:
      return "_terrace_calls \"$2\"";
  }
  return ":";
}

struct Tables {
  std::string verbs, options, arguments, values, programs;
};

void add(Tables& tables, const CompletedVerb& verb) {
  const std::string path = joined(verb.path, " "), row = "    '" + path + "') ";
  std::vector<std::string> names;
  for (const CompletedVerb& below : verb.verbs) names.push_back(below.path.back());
  if (!names.empty()) tables.verbs += row + "printf '%s\\n' " + joined(names, " ") + " ;;\n";
  names.clear();
  for (const CompletedOption& option : verb.options) {
    names.insert(names.end(), option.names.begin(), option.names.end());
    if (!option.takes_value) continue;
    std::vector<std::string> rows;
    for (const std::string& name : option.names) rows.push_back("'" + path + " " + name + "'");
    tables.values += "    " + joined(rows, " | ") + ") " + printing(option) + " ;;\n";
  }
  tables.options += row + "printf '%s\\n' " + joined(names, " ") + " ;;\n";
  std::string offers;
  for (const CompletedOption& argument : verb.arguments)
    if (argument.offer != Offered::nothing)
      offers += (offers.empty() ? "" : "; ") + printing(argument);
  if (!offers.empty()) tables.arguments += row + offers + " ;;\n";
  if (verb.starts_program) tables.programs += row + ";;\n";
  for (const CompletedVerb& below : verb.verbs) add(tables, below);
}

std::string function(const std::string& name, const std::string& rows) {
  return "_terrace_" + name + "() {\n  case $1 in\n" + rows + "  esac\n}\n";
}

}  // namespace
}  // namespace completion_bash

std::string terrace::bash_completion(const CompletedVerb& command) {
  using namespace completion_bash;
  Tables tables;
  add(tables, command);
  return kHead + function("verbs", tables.verbs) + function("options", tables.options) +
         function("arguments", tables.arguments) + "\n# Fails if the option takes no value.\n" +
         function("values", tables.values + "    *) return 1 ;;\n") +
         "\n# Whether a program and its arguments follow the verb.\n" +
         function("starts_program", tables.programs + "    *) return 1 ;;\n") + kTail;
}
