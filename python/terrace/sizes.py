# SPDX-License-Identifier: BSD-3-Clause
"""Numbers of bytes as text, in plots, tables and pages."""


def bytes_text(count: float) -> str:
    """As in "512 B", "1.5 KiB", "64 KiB"."""
    unit = "B"
    for larger in ("KiB", "MiB", "GiB"):
        if count < 1024:
            break
        count, unit = count / 1024, larger
    return "%s %s" % ("%d" % count if count >= 100 or count == int(count) else "%.1f" % count, unit)
