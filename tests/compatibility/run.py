# SPDX-License-Identifier: BSD-3-Clause
"""What programs, scripts and files rely on is what it was: the symbols of the libraries, the
declarations of the headers, settings, options, JSON keys, algorithms and Python's functions, each
compared with a list in kept/. docs/reference/compatibility.md says which release may change what.

    run.py --build FOLDER TEST       compares; exit status: 0 the same, 1 not
    run.py --build FOLDER --write    writes the lists as they are now
"""

import argparse
import ast
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Callable, Dict, Iterator, List, Optional, Set

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE.parent))

from rows import Failure, expect, status_of  # noqa: E402

LIBRARIES = ("terrace", "terrace-communicators")
# Of these, names of helpers begin with terrace_, public ones with MPIX_.
HEADERS_WITH_HELPERS = ("hierarchical.h", "ownership.h")
HEADERS = ("terrace.h", "mpix.h") + HEADERS_WITH_HELPERS
MACHINE = ("--machine", "two-near-cores", "--ranks", "2")
# Subcommands whose JSON is promised, with a call that shows all of its keys.
JSON_ANSWERS = (
    ("machine", ("machine", "--machine", "pack:2 l3:2 core:2 pu:1", "--ranks", "4")),
    ("hierarchy", ("hierarchy", "--machine", "pack:2 l3:2 core:2 pu:1", "--ranks", "8")),
    ("plan", ("plan", "allreduce.tree", "--ranks", "4")),
    ("verify", ("verify", "allreduce.tree", "--ranks", "2")),
    ("doctor", ("doctor", "--ranks", "1000")),
    ("cost", ("cost", "allreduce", "8", *MACHINE)),
    ("simulate", ("simulate", "allreduce.tree", "8", *MACHINE)),
    ("explain", ("explain", "allreduce", "8", *MACHINE)),
    ("search", ("search", "allreduce", "8", *MACHINE)),
    ("draw choices", ("draw", "choices", "allreduce", *MACHINE)),
)
# Objects whose keys are names of levels or causes.
KEYED_BY_NAMES = (".causes", ".bytes_from", "cost .bytes")


def output_of(*command: str) -> str:
    """Python's help has a line of usage where it has room."""
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, timeout=60,
                          env=dict(os.environ, COLUMNS="500")).stdout


class Build:
    def __init__(self, folder: Path):
        self.folder = folder
        self.terrace = str(folder / "bin" / "terrace")

    def library(self, name: str) -> str:
        found = sorted(self.folder.glob("lib*/**/lib%s.so" % name))
        expect(len(found) == 1, "lib%s.so is in %s" % (name, found))
        return str(found[0])

    def json_of(self, *words: str) -> object:
        """`doctor` has status 1 where it finds a fault."""
        with tempfile.TemporaryDirectory() as empty:
            answer = subprocess.run([self.terrace, *words, "--json"], stdout=subprocess.PIPE,
                                    text=True, timeout=60,
                                    env=dict(os.environ, XDG_CONFIG_HOME=empty))
        expect(answer.returncode in (0, 1), "status %d of %s" % (answer.returncode, words))
        return json.loads(answer.stdout)


def major_version() -> str:
    found = re.search(r"project\(terrace VERSION (\d+)\.", (ROOT / "CMakeLists.txt").read_text())
    expect(found is not None, "CMakeLists.txt names no version")
    return found.group(1)


def symbols(build: Build) -> Iterator[str]:
    for name in LIBRARIES:
        path = build.library(name)
        soname = re.search(r"\(SONAME\).*\[(.*)\]", output_of("readelf", "-d", path))
        expect(soname is not None, path + " has no soname")
        yield "%s exports as %s" % (name, soname.group(1))
        for line in output_of("nm", "-D", "--defined-only", path).splitlines():
            yield "%s exports %s" % (name, line.split()[-1])


def sonames_follow_the_version(build: Build) -> None:
    for line in symbols(build):
        if " exports as " in line:
            expect(line.endswith(".so." + major_version()), line)


def without_comments(text: str) -> str:
    text = re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.DOTALL)
    return text.replace("\\\n", " ")


def end_of_braces(text: str, start: int) -> int:
    """Behind the } that closes the { at `start`."""
    depth = 0
    for at in range(start, len(text)):
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        if depth == 0:
            return at + 1
    return len(text)


def statements(text: str) -> Iterator[str]:
    """Declarations, and of functions that have a body what stands before it."""
    start = at = 0
    while at < len(text):
        if text[at] == ";":
            yield text[start:at]
            start = at = at + 1
        elif text[at] == "{":
            end = end_of_braces(text, at)
            if text[start:at].rstrip().endswith(")"):
                yield text[start:at]
                start = end
            at = end
        else:
            at += 1


def declarations_of(header: str, text: str) -> Iterator[str]:
    text = without_comments(text)
    for define in re.finditer(r"^[ \t]*#[ \t]*define[ \t]+(\w+.*)$", text, re.MULTILINE):
        yield "define " + define.group(1)
    text = re.sub(r"^[ \t]*#.*$", "", text, flags=re.MULTILINE)
    text = re.sub(r'extern "C" \{(.*)\}', r"\1", text, flags=re.DOTALL)
    yield from statements(text)


def parts_of(declaration: str) -> List[str]:
    """An enumeration may get further values: each of them is a line, with a number, so that one in
    between changes none behind it unnoticed."""
    found = re.fullmatch(r"typedef (enum \w+) \{(.*)\} \w+", declaration)
    if not found:
        return [declaration]
    values = [value.strip() for value in found.group(2).split(",") if value.strip()]
    for value in values:
        expect(" = " in value, "expected a number for %s of %s" % (value, found.group(1)))
    return ["%s: %s" % (found.group(1), value) for value in values]


def declarations(_: Build) -> Iterator[str]:
    folder = ROOT / "include" / "terrace"
    for header in HEADERS:
        public = r"MPIX_|TERRACE_MOST_LEVELS" if header in HEADERS_WITH_HELPERS else r"\w"
        for found in declarations_of(header, (folder / header).read_text()):
            words = " ".join(found.split())
            name = re.search(r"\(|\{", words)
            head = words[:name.start()] if name else words
            if not re.search(public, head) or re.fullmatch(r"define \w+_H", words):
                continue
            for part in parts_of(words):
                yield "%s: %s" % (header, part)
    for line in (folder / "mpixf.fh").read_text().splitlines():
        if line.strip() and not line.startswith("!"):
            yield "mpixf.fh: " + line.strip()


def settings(_: Build) -> Iterator[str]:
    """As the warning about unknown ones knows them."""
    text = (ROOT / "src" / "preload" / "setup" / "env_check.cpp").read_text()
    for table in ("kSwitches", "kOthers"):
        found = re.search(table + r"\[\] = \{(.*?)\};", text, re.DOTALL)
        expect(found is not None, "no table %s in env_check.cpp" % table)
        yield from re.findall(r'"(TERRACE\w*)"', found.group(1))


def settings_are_on_the_page(build: Build) -> None:
    page = (ROOT / "docs" / "guide" / "speed-up-a-program.md").read_text()
    rows = "\n".join(line.split("|")[1] for line in page.splitlines() if line.startswith("| `TERR"))
    found = set(re.findall(r"`(TERRACE\w*)", rows))
    expect(found == set(settings(build)), "the page and the code differ in %s"
           % sorted(found ^ set(settings(build))))


# Terrace's own programs set them for each other; users do not.
INTERNAL_VARIABLES = {"TERRACE_BUILD", "TERRACE_COMMAND", "TERRACE_RUN", "TERRACE_RUN_KEPT_",
                      "TERRACE_RUN_OVER", "TERRACE_RUN_PROGRAM"}


def settings_are_those_in_the_code(build: Build) -> None:
    """A variable is named by a literal; so are constants of the header, for messages."""
    constants = set(re.findall(r"\w+", (ROOT / "include" / "terrace" / "terrace.h").read_text()))
    known = set(settings(build))
    found: Set[str] = set()
    for folder in ("src", "cli"):
        for path in (ROOT / folder).rglob("*.[ch]*"):
            if path.name != "env_check.cpp":
                found |= set(re.findall(r'"(TERRACE(?:_[A-Z_]+)?)"', path.read_text()))
    unknown = found - known - constants - INTERNAL_VARIABLES
    expect(not unknown, "not in the tables of env_check.cpp, so users who set it are told that it "
           "is no setting: %s" % sorted(unknown))
    expect(known <= found, "nothing reads %s" % sorted(known - found))
    expect(INTERNAL_VARIABLES <= found - known, "internal variables are others than listed")


def options_in(text: str, words: str) -> Iterator[str]:
    """The line of usage, with the arguments in their order, and each option."""
    usage = re.search(r"^Usage: (.*)$", text, re.MULTILINE)
    expect(usage is not None, "`%s --help` has no line of usage" % words)
    yield usage.group(1)
    for names in re.findall(r"^  (-.*?)(?:  |$)", text, re.MULTILINE):
        for name in re.findall(r"(?:^|, ?)(-[^\s,]+)", names):
            yield words + " " + name


def like_ours(text: str) -> str:
    """Help by Python, whose line of usage names all options: a further one would change it."""
    return re.sub(r"^usage: .*", lambda line: re.sub(
        r" \[-[^]]*\]| -\S+ \S+", "", "U" + line.group()[1:]), text)


def options_of_plot(build: Build) -> Iterator[str]:
    """Of each kind of plot."""
    kinds = re.search(r"\{([a-z,]+)\}", output_of(build.terrace, "plot", "--help"))
    expect(kinds is not None, "`terrace plot --help` names no kinds")
    for kind in kinds.group(1).split(","):
        yield from options_in(like_ours(output_of(build.terrace, "plot", kind, "--help")),
                              "terrace plot " + kind)


def options_of(build: Build, *verbs: str) -> Iterator[str]:
    text = output_of(build.terrace, *verbs, "--help")
    options, _, subcommands = text.partition("Subcommands:")
    yield from options_in(options, " ".join(("terrace",) + verbs))
    for verb in re.findall(r"^  ([a-z+]+) {2,}", subcommands, re.MULTILINE):
        yield " ".join(("terrace",) + verbs + (verb,))
        yield from options_of_plot(build) if verb == "plot" else options_of(build, *verbs, verb)


def options(build: Build) -> Iterator[str]:
    yield from options_of(build)


def paths_in(value: object, path: str) -> Iterator[str]:
    """`.a[].b` of all objects and arrays. Some keys are names of levels and causes, and children
    have children."""
    if isinstance(value, dict):
        for key, inner in value.items():
            key = "NAME" if path.endswith(KEYED_BY_NAMES) else key
            inside = re.sub(r"(\.children\[\])+", ".children[]", "%s.%s" % (path, key))
            yield inside
            yield from paths_in(inner, inside)
    elif isinstance(value, list):
        for inner in value:
            yield from paths_in(inner, path + "[]")


def json_keys(build: Build) -> Iterator[str]:
    for name, words in JSON_ANSWERS:
        yield from paths_in(build.json_of(*words), name + " ")


def algorithms(build: Build) -> Iterator[str]:
    """Tunings and TERRACE_PLAN name them."""
    for name in re.findall(r"^ *([a-z_]+\.[a-z_0-9]+)", output_of(build.terrace, "plan", "--list"),
                           re.MULTILINE):
        yield name


FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def signature(function: ast.FunctionDef) -> str:
    """With types, defaults and what must be named, but without decorators."""
    result = " -> " + ast.unparse(function.returns) if function.returns else ""
    return "%s(%s)%s" % (function.name, ast.unparse(function.args), result)


def python_names_in(text: str) -> Iterator[str]:
    for part in ast.parse(text).body:
        if isinstance(part, FUNCTIONS) and not part.name.startswith("_"):
            yield "mpix." + signature(part)
        elif isinstance(part, ast.ClassDef) and not part.name.startswith("_"):
            fields = [ast.unparse(f) for f in part.body if isinstance(f, ast.AnnAssign)]
            bases = ", ".join(map(ast.unparse, part.bases))
            yield "mpix.%s(%s): %s" % (part.name, bases, ", ".join(fields))
            for method in part.body:
                if isinstance(method, FUNCTIONS) and not method.name.startswith("_"):
                    yield "mpix.%s.%s" % (part.name, signature(method))
        elif isinstance(part, ast.Assign) and part.targets[0].id.isupper():
            if not part.targets[0].id.startswith("_"):
                yield "mpix.%s = %s" % (part.targets[0].id, part.value.value)


def python(_: Build) -> Iterator[str]:
    """Public names of terrace.mpix, with their arguments, and of classes what they hold."""
    yield from python_names_in((ROOT / "python" / "terrace" / "mpix.py").read_text())


KEPT: Dict[str, Callable[[Build], Iterator[str]]] = {
    collect.__name__: collect
    for collect in (symbols, declarations, settings, options, json_keys, algorithms, python)
}
PAGE = "docs/reference/compatibility.md"


def complaint_on(kept: Set[str], found: Set[str]) -> str:
    """"" where nothing changed."""
    gone, new = sorted(kept - found), sorted(found - kept)
    text = ""
    if gone:
        text += ("gone, or not what it was:\n  %s\nPrograms may rely on it, so only a major "
                 "release may change it (%s): bring it back. In a major release, say so in "
                 "CHANGELOG.md.\n" % ("\n  ".join(gone), PAGE))
    if new:
        text += ("new:\n  %s\nIf users are meant to have it, it stays in all releases of this "
                 "major version, and needs a minor one.\n" % "\n  ".join(new))
    return text + ("Then: tests/compatibility/run.py --build FOLDER --write" if text else "")


def compare(name: str, build: Build) -> None:
    kept = set((HERE / "kept" / (name + ".txt")).read_text().splitlines())
    complaint = complaint_on(kept, set(KEPT[name](build)))
    expect(complaint == "", complaint)


def write(build: Build) -> None:
    (HERE / "kept").mkdir(exist_ok=True)
    for name, collect in KEPT.items():
        lines = sorted(set(collect(build)))
        expect(len(lines) > 5, "only %d lines of %s" % (len(lines), name))
        (HERE / "kept" / (name + ".txt")).write_text("\n".join(lines) + "\n")


def with_complaint(start: str, act: Callable[[], object]) -> None:
    try:
        act()
    except Failure as failure:
        expect(str(failure).startswith(start), str(failure))
        return
    expect(False, "no complaint that begins with '%s'" % start)


def changes_are_seen(_: Build) -> None:
    """The comparison itself: what is gone or new is named, and what a change of a header is."""
    expect(complaint_on({"a", "b"}, {"a", "b"}) == "", "complains about nothing")
    expect("gone, or not what it was:\n  b\n" in complaint_on({"a", "b"}, {"a"}), "lets b go")
    expect("new:\n  c\n" in complaint_on({"a"}, {"a", "c"}), "lets c pass")
    text = ('#define A_H\n#define A 1 /* one */\nextern "C" {\n/** b; */ int b(int c);\n'
            "typedef enum d { D = 0 } d;\nstatic inline int e(void) { return f({1}); }\n"
            "int g;\n}\n")
    found = [" ".join(line.split()) for line in declarations_of("a.h", text)]
    expect(found == ["define A_H", "define A 1", "int b(int c)", "typedef enum d { D = 0 } d",
                     "static inline int e(void)", "int g"], str(found))
    expect(parts_of(found[3]) == ["enum d: D = 0"] and parts_of(found[2]) == [found[2]],
           str(parts_of(found[3])))
    for values in ("D, E = 1", "D = 0, E"):
        unnumbered = "typedef enum d { %s } d" % values
        with_complaint("expected a number for", lambda: parts_of(unnumbered))
    keys = list(paths_in({"a": [{"b": 1}, {"c": {"d": 2}}]}, ""))
    expect(keys == [".a", ".a[].b", ".a[].c", ".a[].c.d"], str(keys))
    keys = list(paths_in({"children": [{"children": [{"causes": {"x": 1}}]}]}, ""))
    expect(set(keys) == {".children", ".children[].children", ".children[].causes",
                         ".children[].causes.NAME"}, str(keys))
    keys = list(paths_in({"causes": {"x": {"a": 1}, "y": {"b": 2}}}, ""))
    expect(set(keys) == {".causes", ".causes.NAME", ".causes.NAME.a", ".causes.NAME.b"}, str(keys))
    help_text = ("Usage: terrace a [OPTIONS] b [c]\n\nPositionals:\n  b TEXT   words\n\n"
                 "Options:\n  -h,--help   words\n")
    found = list(options_in(help_text, "terrace a"))
    expect(found == ["terrace a [OPTIONS] b [c]", "terrace a -h", "terrace a --help"], str(found))
    for names in ("-o OUTPUT, --output OUTPUT", "-o, --output OUTPUT"):  # older and newer Python
        help_text = ("usage: terrace a [-h] -o OUTPUT [--ranks RANKS] b [c]\n\n"
                     "options:\n  -h, --help  words\n  %s\n              words\n" % names)
        found = list(options_in(like_ours(help_text), "terrace a"))
        expect(found == ["terrace a b [c]", "terrace a -h", "terrace a --help", "terrace a -o",
                         "terrace a --output"], str(found))
    text = ("A = 1\n_B = 2\ndef f(a: int, *b: str, c: int = A, **d) -> str: pass\n"
            "def _g(): pass\nclass H(tuple):\n    i: int\n    j: int = 1\n"
            "    def k(self, l): pass\n    def _m(self): pass\n")
    found = list(python_names_in(text))
    expect(found == ["mpix.A = 1", "mpix.f(a: int, *b: str, c: int=A, **d) -> str",
                     "mpix.H(tuple): i: int, j: int = 1", "mpix.H.k(self, l)"], str(found))


def row(name: str) -> Callable[[Build], None]:
    return lambda build: compare(name, build)


TESTS: Dict[str, Callable[[Build], None]] = {
    "changes_are_seen": changes_are_seen,
    "symbols_are_those_kept": row("symbols"),
    "declarations_are_those_kept": row("declarations"),
    "settings_are_those_kept": row("settings"),
    "options_are_those_kept": row("options"),
    "json_keys_are_those_kept": row("json_keys"),
    "algorithms_are_those_kept": row("algorithms"),
    "functions_of_python_are_those_kept": row("python"),
    "settings_are_on_the_page": settings_are_on_the_page,
    "settings_are_those_in_the_code": settings_are_those_in_the_code,
    "sonames_follow_the_version": sonames_follow_the_version,
}


def main(words: Optional[List[str]] = None) -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("test", nargs="?", choices=sorted(TESTS))
    chosen = parser.parse_args(words)
    build = Build(chosen.build.resolve())
    act = write if chosen.write else TESTS.get(chosen.test or "")
    if act is None:
        parser.error("expected a test, or --write")
    return status_of(lambda: act(build), subprocess.SubprocessError)


if __name__ == "__main__":
    sys.exit(main())
