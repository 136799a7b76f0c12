"""The tables that harbour offices publish, line by line, into waters.

Offices agree on the columns (date, time, H or L, height) and on nothing else: some use tabs,
some draw bars between columns, some write the unit. All of that is accepted.
"""

import re
from datetime import UTC, datetime

from tides.water import Water

_LINE = re.compile(
    r"(?P<date>\d{4}-\d\d-\d\d)\W+"
    r"(?P<time>\d\d:\d\d)\W+"
    r"(?P<kind>[HL])\W+"
    r"(?P<height>\d+(?:\.\d+)?)\s*m?\W*"
)


class TableError(ValueError):
    """A line that is not a water; the message names the line."""


def parse(text: str) -> list[Water]:
    """Read a table. Empty lines and lines that begin with # are skipped.

    Returns the waters in order of time. Raises TableError for a line that cannot be read, and
    where two highs or two lows follow each other (a water is missing or typed twice).
    """
    waters = sorted(
        _water(number, line.strip())
        for number, line in enumerate(text.splitlines(), start=1)
        if line.strip() and not line.lstrip().startswith("#")
    )
    for before, after in zip(waters, waters[1:], strict=False):
        if before.kind == after.kind:
            raise TableError(f"two waters of one kind in a row: {before.line()} / {after.line()}")
    return waters


def _water(number: int, line: str) -> Water:
    found = _LINE.fullmatch(line)
    if found is None:
        raise TableError(f"line {number}: not a date, a time, H or L and a height: {line!r}")
    try:
        time = datetime.fromisoformat(f"{found['date']}T{found['time']}").replace(tzinfo=UTC)
    except ValueError as error:
        raise TableError(f"line {number}: {error}") from error
    return Water(time, float(found["height"]), found["kind"])
