// SPDX-License-Identifier: BSD-3-Clause
// getopt, getopt_long and getopt_long_only as in GNU's manual: options may follow other arguments,
// which are moved behind the options; long options may be abbreviated.
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "launcher/rank_libc/rank_libc.hpp"

extern "C" {

/// The program's variables of these names, at their actual addresses.
char* own_optarg TERRACE_INSTEAD_OF(optarg) = nullptr;
int own_optind TERRACE_INSTEAD_OF(optind) = 1;
int own_opterr TERRACE_INSTEAD_OF(opterr) = 1;
int own_optopt TERRACE_INSTEAD_OF(optopt) = '?';

}  // extern "C"

namespace terrace::rank_libc {

namespace {

/// The next letter in a word such as "-abc"; null between words.
char* next_letter = nullptr;

struct OptionQuestion {
  int count;
  char** words;
  const char* letters;
  const option* names;  ///< null for getopt
  int* name_index;
  bool names_have_one_dash;
};

enum class OptionOrder { moved, required, returned };

OptionOrder order_of(const OptionQuestion& question) {
  if (question.letters[0] == '-') return OptionOrder::returned;
  if (question.letters[0] == '+' || getenv("POSIXLY_CORRECT") != nullptr)
    return OptionOrder::required;
  return OptionOrder::moved;
}

bool is_option(const char* word) {
  return word[0] == '-' && word[1] != '\0';
}

/// Whether the caller wants ':' for a missing argument, and no messages.
bool is_quiet(const OptionQuestion& question) {
  const char* letters = question.letters;
  while (*letters == '+' || *letters == '-') ++letters;
  return *letters == ':';
}

void complain(const OptionQuestion& question, const char* format, const char* about) {
  if (own_opterr == 0 || is_quiet(question)) return;
  fprintf(stderr, "%s: ", question.words[0]);
  fprintf(stderr, format, about);
  fputc('\n', stderr);
}

int missing_argument(const OptionQuestion& question, int letter) {
  own_optopt = letter;
  return is_quiet(question) ? ':' : '?';
}

/// The next word of arguments, for an option that needs one.
bool take_word(const OptionQuestion& question) {
  if (own_optind >= question.count) return false;
  own_optarg = question.words[own_optind++];
  return true;
}

int letter_option(const OptionQuestion& question) {
  const char letter = *next_letter++;
  const char text[] = {letter, '\0'};
  const char* const found =
      letter == ':' || letter == ';' ? nullptr : strchr(question.letters, letter);
  const bool is_last = *next_letter == '\0';
  char* const rest = next_letter;
  if (is_last) {
    next_letter = nullptr;
    ++own_optind;
  }
  if (found == nullptr) {
    complain(question, "invalid option -- '%s'", text);
    own_optopt = letter;
    return '?';
  }
  if (found[1] != ':') return letter;
  const bool may_be_missing = found[2] == ':';
  if (!is_last) {
    own_optarg = rest;
    next_letter = nullptr;
    ++own_optind;
  } else if (!may_be_missing && !take_word(question)) {
    complain(question, "option requires an argument -- '%s'", text);
    return missing_argument(question, letter);
  }
  return letter;
}

/// The long option that a word means: the same name, or the only one with that beginning. -1: none;
/// -2: several.
int index_of_name(const OptionQuestion& question, const char* word, size_t length) {
  int found = -1;
  for (int i = 0; question.names[i].name != nullptr; ++i) {
    const option& one = question.names[i];
    if (strncmp(one.name, word, length) != 0) continue;
    if (one.name[length] == '\0') return i;
    if (found >= 0) {
      const option& other = question.names[found];
      const bool is_same =
          other.has_arg == one.has_arg && other.flag == one.flag && other.val == one.val;
      if (!is_same) found = -2;
    } else if (found == -1) {
      found = i;
    }
  }
  return found;
}

int named_option(const OptionQuestion& question, const char* word, int index, size_t length) {
  const option& named = question.names[index];
  char* const value = const_cast<char*>(word + length);
  if (*value == '=') {
    if (named.has_arg == no_argument) {
      complain(question, "option '--%s' doesn't allow an argument", named.name);
      own_optopt = named.val;
      return '?';
    }
    own_optarg = value + 1;
  } else if (named.has_arg == required_argument && !take_word(question)) {
    complain(question, "option '--%s' requires an argument", named.name);
    return missing_argument(question, named.val);
  }
  if (question.name_index != nullptr) *question.name_index = index;
  if (named.flag == nullptr) return named.val;
  *named.flag = named.val;
  return 0;
}

/// The option that the word at `optind` begins or goes on with.
int option_here(const OptionQuestion& question) {
  const char* const word = question.words[own_optind];
  if (next_letter == nullptr) {
    const bool has_two_dashes = word[1] == '-';
    if (question.names != nullptr && (has_two_dashes || question.names_have_one_dash)) {
      const char* const name = word + (has_two_dashes ? 2 : 1);
      const size_t length = strcspn(name, "=");
      const int index = index_of_name(question, name, length);
      const bool is_letter = !has_two_dashes && index < 0 && strchr(question.letters, word[1]);
      if (!is_letter) {
        ++own_optind;
        if (index >= 0) return named_option(question, name, index, length);
        complain(question, index == -1 ? "unrecognized option '%s'" : "option '%s' is ambiguous",
                 word);
        own_optopt = 0;
        return '?';
      }
    }
    next_letter = const_cast<char*>(word) + 1;
  }
  return letter_option(question);
}

/// Moves words[from..until) before words[to..from).
void move_before(char** words, int to, int from, int until) {
  for (; from < until; ++from, ++to) {
    char* const word = words[from];
    memmove(words + to + 1, words + to, static_cast<size_t>(from - to) * sizeof *words);
    words[to] = word;
  }
}

int next_option(const OptionQuestion& question) {
  if (own_optind == 0) {
    own_optind = 1;
    next_letter = nullptr;
  }
  own_optarg = nullptr;
  const int first = own_optind;
  const OptionOrder order = order_of(question);
  if (order == OptionOrder::moved && next_letter == nullptr)
    while (own_optind < question.count && !is_option(question.words[own_optind])) ++own_optind;
  if (own_optind >= question.count) {
    own_optind = order == OptionOrder::moved ? first : own_optind;
    return -1;
  }
  const int begin = own_optind;
  int answer = -1;
  if (next_letter == nullptr && strcmp(question.words[begin], "--") == 0) {
    ++own_optind;
  } else if (next_letter == nullptr && !is_option(question.words[begin])) {
    if (order == OptionOrder::required) return -1;
    own_optarg = question.words[own_optind++];
    return 1;
  } else {
    answer = option_here(question);
  }
  if (begin == first) return answer;
  // While letters follow, the word is moved already: they are read from where it stands.
  const int end = next_letter == nullptr ? own_optind : own_optind + 1;
  move_before(question.words, first, begin, end);
  own_optind = next_letter == nullptr ? first + (end - begin) : first;
  return answer;
}

}  // namespace

}  // namespace terrace::rank_libc

using namespace terrace::rank_libc;

extern "C" {

int next_letter_option(int count, char* const* words, const char* letters)
    TERRACE_INSTEAD_OF(getopt);
int next_letter_option(int count, char* const* words, const char* letters) {
  return next_option({count, const_cast<char**>(words), letters, nullptr, nullptr, false});
}

/// Stands in for what headers make of getopt where only POSIX is asked for: no argument is moved.
int next_letter_option_of_posix(int count, char* const* words, const char* letters)
    TERRACE_INSTEAD_OF(__posix_getopt);
int next_letter_option_of_posix(int count, char* const* words, const char* letters) {
  char ordered[256] = "+";
  strncat(ordered, letters, sizeof ordered - 2);
  return next_option({count, const_cast<char**>(words), ordered, nullptr, nullptr, false});
}

int next_named_option(int count, char* const* words, const char* letters, const option* names,
                      int* index) TERRACE_INSTEAD_OF(getopt_long);
int next_named_option(int count, char* const* words, const char* letters, const option* names,
                      int* index) {
  return next_option({count, const_cast<char**>(words), letters, names, index, false});
}

int next_named_option_only(int count, char* const* words, const char* letters, const option* names,
                           int* index) TERRACE_INSTEAD_OF(getopt_long_only);
int next_named_option_only(int count, char* const* words, const char* letters, const option* names,
                           int* index) {
  return next_option({count, const_cast<char**>(words), letters, names, index, true});
}

}  // extern "C"
