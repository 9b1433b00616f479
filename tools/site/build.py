# SPDX-License-Identifier: BSD-3-Clause
"""./dev docs: the site, from docs/ and the code, in build/site; it is read from a disk, without
network.

build.py --terrace PROGRAM --mkdocs PYTHON [--site FOLDER]. Exit status: 0, 1 (MkDocs complained, as
of a dead link).
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from algorithms import Algorithms
from pages import DeadLink, Pages

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent


def write_pages(terrace: Path, folder: Path) -> dict:
    """What MkDocs reads; its menu is the answer."""
    shutil.rmtree(folder, ignore_errors=True)
    pages = Pages(ROOT, folder)
    pages.write_docs()
    pages.write_output([str(terrace), "plan", "--steps"], "reference/plan-steps.md")
    nav = pages.nav(Algorithms(terrace, pages).write())
    pages.write_what_is_linked()
    for name in ("site.css", "search-worker.js"):
        shutil.copy(HERE / name, folder / name)
    return {"nav": nav}


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--terrace", type=Path, required=True)
    parser.add_argument("--mkdocs", type=Path, required=True, help="a Python that has MkDocs")
    parser.add_argument("--site", type=Path, default=ROOT / "build" / "site")
    chosen = parser.parse_args()
    site = chosen.site.resolve()
    pages = site.with_name(site.name + "-pages")
    try:
        menu = write_pages(chosen.terrace, pages)
    except DeadLink as link:
        print("docs: %s, which is not there" % link)
        return 1
    config = pages.with_suffix(".yml")
    config.write_text(json.dumps({"INHERIT": str(HERE / "mkdocs.yml"), "docs_dir": str(pages),
                                  "site_dir": str(site), **menu}))
    return subprocess.run([str(chosen.mkdocs), "-m", "mkdocs", "build", "--strict", "--quiet",
                           "--clean", "--config-file", str(config)],
                          env=dict(os.environ, NO_MKDOCS_2_WARNING="1")).returncode


if __name__ == "__main__":
    sys.exit(main())
