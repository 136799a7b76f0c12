"""What a thread comes to, told from its own words: who wrote, what is to do, what was said.

No model: task lists (`- [ ]`, `- [x]`), lines that begin with a word such as TODO or DONE, and
lines that stand out (headings, list items, `Decision:`) are taken as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from gitmail.values.letter import Letter
from gitmail.values.text import shorten, visible

MOST_ITEMS = 30
MOST_POINTS = 20
_COLUMNS = 200

_TASK = re.compile(r"\s*(?:[-*+]|\d+[.)])\s+\[([ xX])\]\s+(.+)")
_WORD = re.compile(r"\s*(?:[-*+]\s+)?(TODO|ACTION|NEXT|FIXME|BLOCKED|DONE|FIXED)\b\s*[:\-]\s*(.+)")
_SAID = re.compile(r"\s*(?:[-*+]\s+)?((?:Decision|Decided|Key|Note|Result|Summary)\s*:\s*.+)", re.I)
_POINT = re.compile(r"\s*(?:#{1,6}|[-*+]|\d+[.)])\s+(.+)")
_FENCE = re.compile(r"\s*(```|~~~)")


@dataclass(frozen=True, slots=True)
class Summary:
    """A thread in short; `open_items` leaves out what a later line says is done."""

    participants: tuple[str, ...]
    letters: int
    first: datetime | None
    last: datetime | None
    open_items: tuple[str, ...]
    done_items: tuple[str, ...]
    key_points: tuple[str, ...]


def summarize(letters: Iterable[tuple[Letter, str]]) -> Summary:
    """Sum up letters, given oldest first with their texts."""
    people: dict[str, None] = {}
    items: dict[str, tuple[str, bool]] = {}
    points: dict[str, str] = {}
    dates: list[datetime] = []
    for letter, text in letters:
        people.update(dict.fromkeys((letter.sender, *letter.to, *letter.cc)))
        dates.append(letter.date)
        for line in _own_lines(text):
            _sort(line, items, points)
    return Summary(
        participants=tuple(people),
        letters=len(dates),
        first=dates[0] if dates else None,
        last=dates[-1] if dates else None,
        open_items=tuple(said for said, done in items.values() if not done)[:MOST_ITEMS],
        done_items=tuple(said for said, done in items.values() if done)[:MOST_ITEMS],
        key_points=tuple(points.values())[:MOST_POINTS],
    )


def _own_lines(text: str) -> Iterable[str]:
    """Leave out code blocks, and what is quoted from an earlier letter."""
    fenced = False
    for line in text.splitlines():
        if _FENCE.match(line):
            fenced = not fenced
        elif not fenced and not line.lstrip().startswith(">"):
            yield line


def _sort(line: str, items: dict[str, tuple[str, bool]], points: dict[str, str]) -> None:
    task, word = _TASK.match(line), _WORD.match(line)
    if task is not None:
        said, done = task[2], task[1] != " "
    elif word is not None:
        said, done = word[2], word[1] in ("DONE", "FIXED")
    else:
        point = _SAID.match(line) or _POINT.match(line)
        if point is not None:
            points.setdefault(_key(point[1]), _short(point[1]))
        return
    items[_key(said)] = (_short(said), done or items.get(_key(said), ("", False))[1])


def _key(said: str) -> str:
    return " ".join(re.findall(r"\w+", said.casefold()))


def _short(said: str) -> str:
    return shorten(visible(said.strip()), _COLUMNS)
