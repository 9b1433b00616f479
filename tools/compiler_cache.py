# SPDX-License-Identifier: BSD-3-Clause
"""Builds of this clone that ccache speeds up, where it is there."""

import os
import shutil
from pathlib import Path
from typing import List

ROOT = Path(__file__).resolve().parent.parent


def cmake_options() -> List[str]:
    """For configuring. Sets variables that building needs, too: paths below this clone count from
    it, so that objects made in another clone, or by another build, serve here."""
    if not shutil.which("ccache"):
        return []
    os.environ.setdefault("CCACHE_BASEDIR", str(ROOT))
    os.environ.setdefault("CCACHE_NOHASHDIR", "1")
    return ["-DCMAKE_%s_COMPILER_LAUNCHER=ccache" % language for language in ("C", "CXX")]
