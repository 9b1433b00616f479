# SPDX-License-Identifier: BSD-3-Clause
"""Plots what benches measured and what is chosen. `terrace plot --help`; needs matplotlib.

latency    microseconds by size, Terrace against peers and the floor
speedup    how many times as fast as each peer, by size
predicted  predicted against measured
choices    which algorithm runs, by ranks and bytes
tuning     what a tuning says runs, measured and predicted, by size
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Dict, List, NoReturn, Optional, Tuple

from terrace.sizes import bytes_text

NEEDED = ("terrace plot: matplotlib is not there: install Debian's python3-matplotlib, or "
          "`pip install matplotlib`")
# Told apart by all eyes, and in grey.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#8e3a8e", "#b8860b", "#56b4e9", "#444444")
MARKS = "os^Dvx+"


def refuse(sentence: str) -> NoReturn:
    print("terrace plot: " + sentence, file=sys.stderr)
    sys.exit(2)


def objects_by_line(text: str) -> Optional[List[object]]:
    """As `terrace bench --json` prints them. None where some line is no JSON."""
    try:
        return [json.loads(line) for line in text.splitlines() if line.strip()]
    except ValueError:
        return None


def points_in(path: str) -> List[dict]:
    """What a bench has kept: an object with an array `points`, or a point a line."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except OSError as failure:
        refuse("'%s' cannot be read: %s" % (path, failure.strerror))
    try:
        kept = json.loads(text)
    except ValueError as failure:
        lines = objects_by_line(text)
        if lines is None:
            refuse("'%s' is no JSON: %s" % (path, failure))
        kept = {"points": lines}
    if isinstance(kept, dict) and "collective" in kept:  # a single line
        kept = {"points": [kept]}
    points = kept.get("points") if isinstance(kept, dict) else None
    if not isinstance(points, list) or not all(isinstance(point, dict) for point in points):
        refuse("'%s' is no answer of `./dev bench`: expected an array \"points\", or a point a line"
               % path)
    return points


def chosen(points: List[dict], options: argparse.Namespace, least_bytes: int = 1) -> List[dict]:
    """Those that the options ask for, in order of size."""
    for name in ("collective", "reach", "regime", "ranks"):
        wanted = getattr(options, name)
        if not wanted:
            continue
        there = sorted({str(point.get(name)) for point in points})
        points = [point for point in points if str(point.get(name)) == wanted]
        if not points:
            refuse("--%s '%s' given, which was not measured; there are: %s"
                   % (name, wanted, ", ".join(there)))
    points = [point for point in points if point.get("bytes", 0) >= least_bytes]
    if not points:
        refuse("no points with bytes are left to plot")
    return sorted(points, key=lambda point: point["bytes"])


class Looks:
    """The same line looks the same in all panels of a figure."""

    def __init__(self) -> None:
        self.known: Dict[str, dict] = {}

    def of(self, label: str) -> dict:
        number = len(self.known)
        return self.known.setdefault(label, dict(
            color=COLOURS[number % len(COLOURS)], marker=MARKS[number % len(MARKS)],
            linestyle="-" if number < len(COLOURS) else "--", markersize=3.5, linewidth=1.2))


class Panel:
    """One collective's diagram."""

    def __init__(self, axes, title: str, y_label: str, looks: Looks):
        self.axes = axes
        self.looks = looks
        axes.set_xscale("log", base=2)
        axes.set_title(title, fontsize=10)
        axes.set_xlabel("bytes", fontsize=8)
        axes.set_ylabel(y_label, fontsize=8)
        axes.tick_params(labelsize=7)
        axes.xaxis.set_major_formatter(lambda value, _: bytes_text(value))
        axes.grid(True, which="major", color="#e3e6ea", linewidth=0.7)

    def line(self, points: List[Tuple[float, float]], label: str, interval=None, **style) -> None:
        look = dict(self.looks.of(label), **style)
        xs, ys = zip(*points)
        self.axes.plot(xs, ys, label=label, **look)
        if interval:
            low, high = zip(*interval)
            self.axes.fill_between(xs, low, high, color=look["color"], alpha=0.15, linewidth=0)


def panels(titles: List[str], y_label: str, heading: str):
    """A figure with a panel per title, in rows of three."""
    pyplot = matplotlib_or_exit()
    columns = min(3, len(titles))
    rows = (len(titles) + columns - 1) // columns
    figure, grid = pyplot.subplots(rows, columns, figsize=(4.2 * columns, 3.0 * rows + 0.4),
                                   squeeze=False, layout="constrained")
    for unused in grid.flat[len(titles):]:
        unused.axis("off")
    figure.suptitle(heading, fontsize=11)
    looks = Looks()
    return figure, [Panel(axes, title, y_label, looks) for axes, title in zip(grid.flat, titles)]


def add_legend(figure) -> None:
    """One for all panels, below them."""
    entries = {}
    for axes in figure.axes:
        for line, label in zip(*axes.get_legend_handles_labels()):
            entries.setdefault(label, line)
    figure.legend(entries.values(), entries.keys(), loc="upper center", fontsize=8,
                  bbox_to_anchor=(0.5, 0),
                  ncols=min(4, len(entries)), frameon=False)


def collectives_of(points: List[dict]) -> List[str]:
    return list(dict.fromkeys(point["collective"] for point in points))


def heading_of(options: argparse.Namespace, points: List[dict]) -> str:
    ranks = sorted({point["ranks"] for point in points})
    if len(ranks) > 1:
        refuse("measured for several numbers of ranks: expected --ranks, one of "
               + ", ".join(map(str, ranks)))
    return "%s: %d ranks" % (Path(options.file).stem, ranks[0])


def series(points: List[dict], key: str) -> List[Tuple[float, float]]:
    """One value per size: the median of those given for it."""
    by_size: Dict[float, List[float]] = {}
    for point in points:
        if isinstance(point.get(key), (int, float)):
            by_size.setdefault(point["bytes"], []).append(point[key])
    return [(size, sorted(values)[len(values) // 2]) for size, values in sorted(by_size.items())]


def peers_of(points: List[dict]) -> List[str]:
    return list(dict.fromkeys(point["peer"] for point in points if point.get("peer")))


def split_by(points: List[dict], key: str) -> Dict[str, List[dict]]:
    split: Dict[str, List[dict]] = {}
    for point in points:
        split.setdefault(str(point.get(key) or ""), []).append(point)
    return split


def plot_latency(options: argparse.Namespace):
    points = chosen(points_in(options.file), options)
    names = collectives_of(points)
    figure, all_panels = panels(names, "microseconds", heading_of(options, points))
    for name, panel in zip(names, all_panels):
        of_it = [point for point in points if point["collective"] == name]
        panel.axes.set_yscale("log")
        for reach, ours in split_by(of_it, "reach").items():
            panel.line(series(ours, "us_median"), "Terrace" + (", " + reach if reach else ""),
                       linewidth=2.4)
        for peer in peers_of(of_it):
            theirs = series([point for point in of_it if point["peer"] == peer], "peer_us_median")
            if theirs:
                panel.line(theirs, peer)
        if floor := series(of_it, "floor_us"):
            panel.line(floor, "floor: the least it can take", color="#5f6368", marker="",
                       linestyle=":")
    add_legend(figure)
    return figure


def plot_speedup(options: argparse.Namespace):
    points = chosen(points_in(options.file), options)
    names = collectives_of(points)
    figure, all_panels = panels(names, "peer's time / Terrace's", heading_of(options, points))
    for name, panel in zip(names, all_panels):
        of_it = [point for point in points if point["collective"] == name]
        panel.axes.axhline(1, color="#444444", linewidth=0.8)
        for reach, ours in split_by(of_it, "reach").items():
            for peer in peers_of(ours):
                against = [point for point in ours if point["peer"] == peer]
                ratios = series(against, "ratio")
                low, high = series(against, "ratio_low"), series(against, "ratio_high")
                interval = [(a[1], b[1]) for a, b in zip(low, high)]
                if ratios:
                    panel.line(ratios, peer + (", Terrace " + reach if reach else ""),
                               interval if len(interval) == len(ratios) else None)
    add_legend(figure)
    return figure


def key_of(point: dict) -> tuple:
    return (point.get("collective"), point.get("bytes"), point.get("ranks"), point.get("reach"))


def medians(points: List[dict], key: str) -> Dict[tuple, float]:
    """Of each call; a bench has it once for each peer and each MPI."""
    all_of: Dict[tuple, List[float]] = {}
    for point in points:
        if isinstance(point.get(key), (int, float)) and point[key] > 0:
            all_of.setdefault(key_of(point), []).append(point[key])
    return {call: sorted(values)[len(values) // 2] for call, values in all_of.items()}


def plot_predicted(options: argparse.Namespace):
    """Both axes in microseconds: what lies on the line was predicted right."""
    measured = medians(chosen(points_in(options.file), options, least_bytes=0), "us_median")
    predicted = medians(points_in(options.predicted), "us")
    for call in set(measured) - set(predicted):  # predictions may leave the reach open
        if call[:3] + (None,) in predicted:
            predicted[call] = predicted[call[:3] + (None,)]
    common = sorted(set(measured) & set(predicted), key=str)
    if not common:
        refuse("no point of '%s' is in '%s': expected the same collective, bytes and ranks, and "
               "\"us\"; see `terrace cost --measured`" % (options.predicted, options.file))
    errors = sorted(abs(predicted[key] / measured[key] - 1) for key in common)
    figure, (panel,) = panels(["%d points, median error %.0f %%"
                               % (len(common), 100 * errors[len(errors) // 2])],
                              "predicted, microseconds", Path(options.predicted).stem)
    panel.axes.xaxis.set_major_formatter(lambda value, _: "%g" % value)
    panel.axes.set_xlabel("measured, microseconds", fontsize=8)
    panel.axes.set_xscale("log")
    panel.axes.set_yscale("log")
    for name in sorted({key[0] for key in common}):
        panel.line([(measured[key], predicted[key]) for key in common if key[0] == name], name,
                   linestyle="")
    ends = [min(measured[key] for key in common), max(measured[key] for key in common)]
    panel.axes.plot(ends, ends, color="#9aa0a6", linewidth=0.8, label="equal")
    add_legend(figure)
    return figure


def choices_from(terrace: str, options: argparse.Namespace) -> dict:
    words = [terrace, "draw", "choices", options.collective, "--json"]
    if options.threads:
        words.append("--threads")
    if options.ranks:
        words += ["--ranks", options.ranks]
    answer = subprocess.run(words, text=True, stdout=subprocess.PIPE, check=False)
    if answer.returncode != 0:
        sys.exit(answer.returncode)  # the command has said why
    return json.loads(answer.stdout)


def plot_choices(options: argparse.Namespace):
    pyplot = matplotlib_or_exit()
    said = choices_from(os.environ.get("TERRACE_COMMAND", "terrace"), options)
    names = list(dict.fromkeys(cell["algorithm"] for cell in said["choices"]))
    ranks, sizes = said["ranks"], said["bytes"]
    figure, axes = pyplot.subplots(figsize=(1.4 + 0.45 * len(sizes), 1.6 + 0.42 * len(ranks)))
    for cell in said["choices"]:
        colour = COLOURS[names.index(cell["algorithm"]) % len(COLOURS)]
        axes.add_patch(pyplot.Rectangle((sizes.index(cell["bytes"]), ranks.index(cell["ranks"])),
                                        1, 1, facecolor=colour, edgecolor="white"))
    axes.set_xlim(0, len(sizes))
    axes.set_ylim(0, len(ranks))
    axes.set_xticks([i + 0.5 for i in range(len(sizes))], [bytes_text(size) for size in sizes],
                    rotation=60, fontsize=7)
    axes.set_yticks([i + 0.5 for i in range(len(ranks))], ranks, fontsize=7)
    axes.set_xlabel("bytes", fontsize=8)
    axes.set_ylabel("ranks", fontsize=8)
    axes.set_title("what runs: %s of %s" % (said["collective"], "threads" if said["threads"]
                                            else "processes"), fontsize=10)
    patches = [pyplot.Rectangle((0, 0), 1, 1, color=COLOURS[i % len(COLOURS)])
               for i in range(len(names))]
    axes.legend(patches, [name or "the MPI below" for name in names], fontsize=7,
                loc="upper left", bbox_to_anchor=(1.01, 1))
    return figure


def tuning_in_force(terrace: str) -> str:
    answer = subprocess.run([terrace, "tune", "--show"], text=True, stdout=subprocess.PIPE,
                            check=False)
    first = answer.stdout.splitlines()[0] if answer.returncode == 0 else ""
    if not first.endswith(".json"):
        refuse("no tuning is in force: name a file that `terrace tune` has written")
    return first


def teams_in(path: str, options: argparse.Namespace) -> List[dict]:
    try:
        tuning = json.loads(Path(path).read_text(encoding="utf-8"))
        teams = [team for team in tuning["teams"]
                 if options.ranks in (None, str(team["ranks"]))
                 and options.form in (None, team["form"])]
    except OSError as failure:
        refuse("'%s' cannot be read: %s" % (path, failure.strerror))
    except (ValueError, KeyError, TypeError):
        refuse("'%s' is no tuning: expected what `terrace tune` writes" % path)
    if not teams:
        refuse("'%s' has no such team: expected other --ranks or --form" % path)
    return teams


def team_text(team: dict) -> str:
    signals = " and ".join("%.0f" % signal["ns"] for signal in team["signals"])
    return "%d %s%s" % (team["ranks"], team["form"],
                        ", signals of %s ns" % signals if signals else "")


def plot_tuning(options: argparse.Namespace):
    """Measured times with the names of what runs; dotted, what was predicted for that."""
    path = options.file or tuning_in_force(os.environ.get("TERRACE_COMMAND", "terrace"))
    teams = teams_in(path, options)
    rows = [dict(row, team=team_text(team)) for team in teams for row in team["rows"]
            if row.get("measured_us") and options.collective in (None, row["collective"])]
    if not rows:
        refuse("'%s' has no measured times of that" % path)
    names = collectives_of(rows)
    figure, all_panels = panels(names, "microseconds", Path(path).stem)
    for name, panel in zip(names, all_panels):
        panel.axes.set_yscale("log")
        for team, its in split_by([row for row in rows if row["collective"] == name],
                                  "team").items():
            panel.line(series(its, "measured_us"), team)
            if predicted := series([row for row in its if row.get("predicted_us")], "predicted_us"):
                panel.line(predicted, team + ", predicted", color=panel.looks.of(team)["color"],
                           marker="", linestyle=":")
            for row in its:
                panel.axes.annotate(row["runs"].split(".")[-1], (row["bytes"], row["measured_us"]),
                                    fontsize=4, rotation=45)
    add_legend(figure)
    return figure


SYSTEMS_PYTHON = "/usr/bin/python3"


def try_the_systems_python(words: List[str]) -> None:
    """Debian's packages are the system's Python's, which need not be the first on the PATH."""
    import importlib.util
    is_other = os.path.realpath(sys.executable) != os.path.realpath(SYSTEMS_PYTHON)
    if importlib.util.find_spec("matplotlib") is None and is_other \
            and os.path.exists(SYSTEMS_PYTHON):
        os.execv(SYSTEMS_PYTHON, [SYSTEMS_PYTHON, "-m", "terrace.plot"] + words)


def matplotlib_or_exit():
    try:
        import matplotlib
        matplotlib.use("Agg")
        from matplotlib import pyplot
    except ImportError:
        print(NEEDED, file=sys.stderr)
        sys.exit(1)
    return pyplot


FORMATS = (".svg", ".png", ".pdf")


def check_output(path: Path) -> None:
    """Before anything slow."""
    if path.suffix not in FORMATS:
        refuse("cannot write '%s': expected a name that ends in %s" % (path, ", ".join(FORMATS)))
    if not path.parent.is_dir():
        refuse("cannot write '%s': there is no such folder" % path)


def save(figure, path: str) -> None:
    try:
        figure.savefig(path, bbox_inches="tight")
    except OSError as failure:
        refuse("cannot write '%s': %s" % (path, failure.strerror))


class Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        refuse(message)


def parser() -> argparse.ArgumentParser:
    all_kinds = Parser(prog="terrace plot", description=__doc__,
                       formatter_class=argparse.RawDescriptionHelpFormatter)
    kinds = all_kinds.add_subparsers(dest="kind", required=True)
    for name, draw in (("latency", plot_latency), ("speedup", plot_speedup),
                       ("predicted", plot_predicted)):
        kind = kinds.add_parser(name)
        kind.add_argument("file", help="what `terrace bench --json`, ./dev bench teams or preload "
                          "has written")
        if name == "predicted":
            kind.add_argument("predicted", help="what `terrace cost --measured FILE --machine NAME "
                              "--json` has written for it")
        kind.add_argument("-o", "--output", required=True, help="a file: .svg, .png, .pdf")
        for option in ("collective", "ranks", "reach", "regime"):
            kind.add_argument("--" + option, help="only this")
        kind.set_defaults(draw=draw)
    kind = kinds.add_parser("choices")
    kind.add_argument("collective")
    kind.add_argument("-o", "--output", required=True, help="a file: .svg, .png, .pdf")
    kind.add_argument("--threads", action="store_true", help="of a team of threads")
    kind.add_argument("--ranks", help="as 2,4,8")
    kind.set_defaults(draw=plot_choices)
    kind = kinds.add_parser("tuning")
    kind.add_argument("file", nargs="?", help="what `terrace tune` has written [what is in force]")
    kind.add_argument("-o", "--output", required=True, help="a file: .svg, .png, .pdf")
    for option in ("collective", "ranks", "form"):
        kind.add_argument("--" + option, help="only this")
    kind.set_defaults(draw=plot_tuning)
    return all_kinds


def main(words: List[str]) -> int:
    try_the_systems_python(words)
    options = parser().parse_args(words)
    check_output(Path(options.output))
    save(options.draw(options), options.output)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
