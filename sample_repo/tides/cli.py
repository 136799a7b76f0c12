"""The command line: arguments in, lines out."""

import argparse
import sys
from collections.abc import Sequence
from datetime import UTC, date, datetime
from pathlib import Path

from tides.almanac import Almanac, AlmanacError
from tides.curve import OutsideTable, height_at
from tides.parser import TableError, parse
from tides.windows import needed_height, windows


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command. Returns 0, or 1 after a sentence on standard error."""
    options = _parser().parse_args(arguments)
    try:
        for line in options.run(Almanac(options.almanac), options):
            print(line)
    except (AlmanacError, TableError, OutsideTable, OSError) as error:
        print(f"tides: {error}", file=sys.stderr)
        return 1
    return 0


def _height(almanac: Almanac, options: argparse.Namespace) -> list[str]:
    height = height_at(almanac.waters(options.station), options.when)
    return [f"{options.station}  {options.when:%Y-%m-%d %H:%M} UTC  {height:5.2f} m"]


def _windows(almanac: Almanac, options: argparse.Namespace) -> list[str]:
    need = needed_height(options.draught, options.charted)
    lines = []
    for window in windows(almanac.waters(options.station), need):
        if options.day and not window.opens.date() <= options.day <= window.closes.date():
            continue
        lines.append(_span(window.opens, window.closes, options.day))
    return lines or ["no window: the boat stays in"]


def _span(opens: datetime, closes: datetime, day: date | None) -> str:
    if day:
        opens = max(opens, datetime(day.year, day.month, day.day, tzinfo=UTC))
        closes = min(closes, datetime(day.year, day.month, day.day, 23, 59, tzinfo=UTC))
    until = f"{closes:%H:%M}" if opens.date() == closes.date() else f"{closes:%Y-%m-%d %H:%M}"
    return f"{opens:%Y-%m-%d %H:%M} to {until}"


def _add(almanac: Almanac, options: argparse.Namespace) -> list[str]:
    new = almanac.add(options.station, parse(options.table.read_text(encoding="utf-8")))
    return [f"{options.station}: {new} new waters"]


def _instant(text: str) -> datetime:
    instant = datetime.fromisoformat(text)
    return instant.replace(tzinfo=UTC) if instant.tzinfo is None else instant.astimezone(UTC)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="tides", description="Tide tables at the command line.")
    parser.add_argument("--almanac", type=Path, default=Path("data"), help="folder of tables")
    commands = parser.add_subparsers(required=True)

    height = commands.add_parser("height", help="the height of the water at an instant")
    height.add_argument("station")
    height.add_argument("when", type=_instant, help="like 2026-03-21T09:30, UTC")
    height.set_defaults(run=_height)

    crossing = commands.add_parser("windows", help="when a boat may cross the bar")
    crossing.add_argument("station")
    crossing.add_argument("--draught", type=float, required=True, help="of the boat, metres")
    crossing.add_argument("--charted", type=float, default=0.0, help="depth on the chart, metres")
    crossing.add_argument("--day", type=date.fromisoformat, help="only this day")
    crossing.set_defaults(run=_windows)

    add = commands.add_parser("add", help="merge a table into a station's")
    add.add_argument("station")
    add.add_argument("table", type=Path)
    add.set_defaults(run=_add)
    return parser
