# SPDX-License-Identifier: BSD-3-Clause
"""Just enough C++ to judge a file: text without comments and strings, and where functions lie."""

import re
from functools import lru_cache
from typing import List, NamedTuple

TOKEN = re.compile(r"""
    (?P<line_comment>//(?:[^\n\\]|\\.|\\\n)*)
  | (?P<block_comment>/\*.*?\*/)
  | (?P<raw_string>\bR"(?P<mark>[^()\s\\]{0,16})\(.*?\)(?P=mark)")
  | (?P<string>"(?:[^"\\\n]|\\.)*")
  | (?P<number>\b\d(?:[\w.]|'(?=\w))*)
  | (?P<character>'(?:[^'\\\n]|\\.)+')
""", re.VERBOSE | re.DOTALL)


def blank(text: str) -> str:
    """The same number of lines and columns, with nothing in them."""
    return "\n".join(" " * len(line) for line in text.split("\n"))


def without_comments(text: str) -> str:
    """Comments become spaces; strings stay."""
    return TOKEN.sub(lambda m: blank(m.group()) if m.lastgroup in
                     ("line_comment", "block_comment") else m.group(), text)


@lru_cache(maxsize=None)
def code_only(text: str) -> str:
    """Comments and the inside of strings become spaces; places stay where they are."""
    def replace(match):
        whole = match.group()
        if match.group("number"):
            return whole
        if match.group("string") or match.group("character"):
            return whole[0] + blank(whole[1:-1]) + whole[-1]
        return blank(whole)
    return TOKEN.sub(replace, text)


def without_preprocessor(code: str) -> str:
    """Directives become spaces, continued lines too: braces in a macro belong to no function."""
    return re.sub(r"^[ \t]*#(?:[^\n\\]|\\.|\\\n)*", lambda m: blank(m.group()), code,
                  flags=re.MULTILINE | re.DOTALL)


class Function(NamedTuple):
    name: str
    first_line: int
    last_line: int

    def length(self) -> int:
        return self.last_line - self.first_line + 1


TYPE_OR_NAMESPACE = re.compile(r"\b(namespace|class|struct|union|enum)\b")
FUNCTION_NAME = re.compile(r"(operator\s*\(\s*\)|operator\s*[^\s\w(]+|[~\w:]+)\s*\(")
TEST_NAME = re.compile(r"\b(?:TEST|TEST_F|TEST_P)\s*\(\s*(\w+)\s*,\s*(\w+)")
MEMBER_INITIALIZERS = re.compile(r"\)\s*(?:noexcept\s*)?:(?!:)")


def is_initializer(head: str) -> bool:
    """Is a `{` after this text part of the declaration before it, like `: first_{1}` or `= {}`
    of a parameter?"""
    inside_parentheses = head.count("(") > head.count(")")
    names_member = MEMBER_INITIALIZERS.search(head) and re.search(r"[\w>]\s*$", head)
    return inside_parentheses or bool(names_member)


def opens_function(head: str) -> bool:
    """Does a `{` after this text, at namespace or class level, open a function's body?"""
    head = re.sub(r"\btemplate\s*<[^{};]*?>(?=\s*[\w\[])", "", head)
    before, parenthesis, _ = head.partition("(")
    before = re.sub(r"<[^<>]*>", "", re.sub(r"<[^<>]*>", "", before))
    if not parenthesis or re.search(r"[^=<>!]=[^=]", before.replace("operator", "") + " "):
        return "operator" in before
    # `struct Result f(` returns a struct; `struct alignas(64) Word` is one.
    return not TYPE_OR_NAMESPACE.search(before) or bool(
        re.search(r"\b(struct|enum|class)\s+\w+[\s*&]+(?!alignas)\w+\s*$", before))


def name_in(head: str) -> str:
    test = TEST_NAME.search(head)
    if test:
        return "%s.%s" % test.groups()
    found = FUNCTION_NAME.search(head)
    return found.group(1) if found else " ".join(head.split())[:40]


def functions(text: str) -> List[Function]:
    """Functions with bodies, outermost only: a lambda counts with the function around it."""
    code = without_preprocessor(code_only(text))
    found: List[Function] = []
    scopes: List[str] = []
    head_start = first_line = 0
    name = ""
    for match in re.finditer(r"[{};]", code):
        place, sign = match.start(), match.group()
        if sign == "{":
            head = code[head_start:place]
            if "function" in scopes:
                scopes.append("inner")
            elif is_initializer(head):
                scopes.append("initializer")
            elif opens_function(head):
                scopes.append("function")
                name = name_in(head)
                first_line = code.count("\n", 0, head_start + len(head) - len(head.lstrip())) + 1
            else:
                scopes.append("other")
                head_start = place + 1
        elif sign == "}":
            kind = scopes.pop() if scopes else "other"
            if kind == "function":
                found.append(Function(name, first_line, code.count("\n", 0, place) + 1))
            if kind in ("function", "other"):
                head_start = place + 1
        elif "function" not in scopes and "initializer" not in scopes:
            head_start = place + 1
    return found
