# SPDX-License-Identifier: BSD-3-Clause
"""Runs the examples of a Markdown page and compares what they print.

    ```console test          each `$ COMMAND` runs; the lines below it are what it must print
    ```console test any-times      the same, but seconds may differ from those on the page
    ```console test any-numbers    the same, but all numbers may differ
    ```console test nodes    the same in the project's folder, on nodes of ./dev nodes; where the
                             machine allows none, the page is skipped
    ```text file=my.plan     the block's text becomes this file in the folder of the commands
    ```cpp part-of=src/a.cpp       the block's text is in that file of the project, word for word

A line `...` stands for any lines. All other blocks of a page share one empty folder. `terrace` is
the build's. Exit status: 0 all is right, 1 something is wrong, 77 skipped.
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import List, NamedTuple

PROJECT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(PROJECT / "tests"))

from rows import SKIPPED, Skipped  # noqa: E402

BLOCK = re.compile(r"^```(?P<words>\w+ [^\n]*)\n(?P<text>.*?)^```[ \t]*$", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"\bfile=([\w.-]+)")
PART_OF = re.compile(r"\bpart-of=([\w./-]+)")
SECONDS_PER_COMMAND = 60
NO_NODES = "nodes: not possible here: "


class Example(NamedTuple):
    command: str
    expected: List[str]


def examples_of(text: str) -> List[Example]:
    examples: List[Example] = []
    for line in text.splitlines():
        if line.startswith("$ "):
            examples.append(Example(line[2:], []))
        elif examples:
            examples[-1].expected.append(line.rstrip())
    return examples


def matches(expected: List[str], printed: List[str]) -> bool:
    if not expected:
        return not printed
    if expected[0] == "...":
        return any(matches(expected[1:], printed[skip:]) for skip in range(len(printed) + 1))
    return bool(printed) and expected[0] == printed[0] and matches(expected[1:], printed[1:])


MAY_DIFFER = {"any-times": r"\d+\.\d+(?= s\b)", "any-numbers": r"\d+(\.\d+)?"}


def comparable(lines: List[str], tolerance: str) -> List[str]:
    return [re.sub(MAY_DIFFER[tolerance], "N", line) for line in lines] if tolerance else lines


def complaint_on(example: Example, folder: Path, tolerance: str) -> str:
    """Status is not compared: a page may show what a refusal looks like."""
    path = os.environ.get("TERRACE_BIN", "") + os.pathsep + os.environ["PATH"]
    answer = subprocess.run(["sh", "-c", example.command], cwd=str(folder), text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            timeout=SECONDS_PER_COMMAND, env=dict(os.environ, PATH=path))
    printed = [line.rstrip() for line in answer.stdout.splitlines()]
    if printed and printed[0].startswith(NO_NODES):
        raise Skipped(printed[0])
    if matches(comparable(example.expected, tolerance), comparable(printed, tolerance)):
        return ""
    return ("$ %s\nexpected\n  %s\nprinted\n  %s"
            % (example.command, "\n  ".join(example.expected), "\n  ".join(printed)))


def complaint_on_part(words: str, text: str) -> str:
    named = PART_OF.search(words)
    if not named or text in (PROJECT / named.group(1)).read_text(encoding="utf-8"):
        return ""
    return "this is not in %s as it stands here" % named.group(1)


def run_page(name: str, text: str) -> int:
    count, wrong = 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for block in BLOCK.finditer(text):
            file = FILE.search(block.group("words"))
            if file:
                (Path(folder) / file.group(1)).write_text(block.group("text"))
            line = text.count("\n", 0, block.start()) + 1
            complaint = complaint_on_part(block.group("words"), block.group("text"))
            if complaint:
                wrong += 1
                print("%s:%d: %s" % (name, line, complaint))
            words = block.group("words").split()
            if words[:2] != ["console", "test"]:
                continue
            on_nodes = words[2:] == ["nodes"]
            place, tolerance = (PROJECT, "") if on_nodes else (Path(folder), "".join(words[2:]))
            for example in examples_of(block.group("text")):
                count += 1
                complaint = complaint_on(example, place, tolerance)
                if complaint:
                    wrong += 1
                    print("%s:%d: %s" % (name, line, complaint))
    print("%s: %d examples, %d wrong" % (name, count, wrong))
    return 1 if wrong or count == 0 else 0


RIGHT = ("```text file=a.txt\none\ntwo\n```\n```console test\n$ cat a.txt\none\n...\n```\n"
         "```console test any-numbers\n$ echo 12 a 1.5\n3 a 7\n```\n"
         "```console test any-times\n$ echo 12 in 1.5 s\n12 in 0.3 s\n```\n"
         "```console test nodes\n$ ls dev\ndev\n```\n"
         "```text part-of=tests/docs/run.py\ndef self_test() -> int:\n```\n")
WRONG = ["```console test\n$ echo a\nb\n```\n", "```console test\n$ echo a; echo b\na\n```\n",
         "```console test\n$ true\na\n```\n", "```console test\n$ echo 2\n3\n```\n",
         "```console test any-numbers\n$ echo 2 a\n3 b\n```\n",
         "```console test any-times\n$ echo 12 in 1.5 s\n13 in 1.5 s\n```\n", "no examples\n",
         "```console test nodes\n$ ls dev\ndevelopment\n```\n",
         "```console test\n$ true\n```\n```cpp part-of=tests/docs/run.py\nint\nmain\n```\n"]


def self_test() -> int:
    right = run_page("right", RIGHT) == 0
    try:
        run_page("without nodes", "```console test nodes\n$ echo '%sa'\n```\n" % NO_NODES)
        return 1
    except Skipped:
        return 0 if right and all(run_page("wrong", text) for text in WRONG) else 1


def main() -> int:
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    try:
        return run_page(sys.argv[1], Path(sys.argv[1]).read_text(encoding="utf-8"))
    except Skipped as skipped:
        print("skipped: %s" % skipped)
        return SKIPPED


if __name__ == "__main__":
    sys.exit(main())
