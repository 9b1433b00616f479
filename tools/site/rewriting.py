# SPDX-License-Identifier: BSD-3-Clause
"""Markdown as it stands in the repository, made what MkDocs reads the same way: links that lead
where the pages lie, fences with plain languages, and an empty line before each list."""

import re
from typing import Callable, List

FENCE = re.compile(r"^( *)(```+|~~~+)(.*)$")
LINK = re.compile(r"(?P<words>(?<!\\)!?\[(?:[^\[\]]|\[[^\]]*\])*\])(?P<between>\(\s*<?)"
                  r"(?P<target>[^)\s>]+)(?P<after>>?(?:\s+\"[^\"]*\")?\s*\))")
ITEM = re.compile(r"^ *([*+-]|\d+\.) ")
ELSEWHERE = re.compile(r"^([a-z][a-z+.-]*:|#)", re.IGNORECASE)
CODE_SPAN = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)")


def fence_line(line: str) -> str:
    """Our words behind a language ("console test", "text file=a.plan") become a title or go."""
    indent, fence, words = FENCE.match(line).groups()
    language, _, rest = words.strip().partition(" ")
    name = re.search(r"file=(\S+)", rest)
    title = ' title="%s"' % name.group(1) if name else ""
    return indent + fence + ((" " + (language or "text") + title) if language or title else "")


def with_links(text: str, where: Callable[[str], str]) -> str:
    spans = [match.span() for match in CODE_SPAN.finditer(text)]

    def replaced(match: "re.Match[str]") -> str:
        target = match.group("target")
        inside_code = any(low <= match.start() < high for low, high in spans)
        if inside_code or ELSEWHERE.match(target):
            return match.group()
        # The words of a link may be a picture, which has an address of its own.
        return (with_links(match.group("words"), where) + match.group("between") + where(target)
                + match.group("after"))

    return LINK.sub(replaced, text)


def with_room_for_lists(lines: List[str]) -> List[str]:
    room: List[str] = []
    for line in lines:
        previous = room[-1] if room else ""
        if ITEM.match(line) and previous.strip() and not ITEM.match(previous) and (
                not previous.startswith(" ")):
            room.append("")
        room.append(line)
    return room


def rewritten(text: str, where: Callable[[str], str]) -> str:
    """`where` tells where a link leads that is relative to the file as it lies in the
    repository."""
    done: List[str] = []
    prose: List[str] = []
    fence = ""
    for line in text.splitlines() + ["```"]:
        found = FENCE.match(line)
        if fence:
            if found and found.group(2) == fence and not found.group(3).strip():
                fence = ""
            done.append(line)
        elif found:
            fence = found.group(2)
            if prose:
                done.append(with_links("\n".join(with_room_for_lists(prose)), where))
            prose = []
            done.append(fence_line(line))
        else:
            prose.append(line)
    return "\n".join(done[:-1]) + "\n"  # without the fence that ended the prose
