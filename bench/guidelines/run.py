#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Which performance guidelines do the chosen plans miss by prediction, on the machine files?

Prints each miss by more than 5 %, then the worst of each guideline. Nothing is measured."""

import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import answers  # noqa: E402


def main():
    return subprocess.run([str(answers.program("choice_guidelines"))] + sys.argv[1:],
                          check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
