"""What may happen to a delivered letter: fixed content, marks set once, and the folder they imply.

Rules over values only; gitmail.format.checks applies them to files. Each function returns problem
sentences (empty means allowed), because a check names everything that is wrong at once.
"""

from __future__ import annotations

from dataclasses import fields

from gitmail.values.letter import Delivery, Letter, Marks
from gitmail.values.names import fold
from gitmail.values.paths import Kind, PathKind
from gitmail.values.times import day_folder

_HEADER_KEYS = {"sender": "from"}


def letter_changes(old: Letter, new: Letter) -> list[str]:
    """Return one problem for each thing the sender wrote that differs: it is fixed for good."""
    problems = []
    for field in fields(Letter):
        if getattr(old, field.name) != getattr(new, field.name):
            key = _HEADER_KEYS.get(field.name, field.name)
            what = "the text" if key == "text" else f"{key!r}"
            problems.append(f"{what} was changed, and what was sent never changes")
    return problems


def mark_changes(old: Marks, new: Marks, exempt: bool = False) -> list[str]:
    """Return one problem for each mark that was taken away or moved; each is set once.

    With `exempt` (undo) marks may be taken away, still not moved.
    """
    problems = []
    for field in fields(Marks):
        before, after = getattr(old, field.name), getattr(new, field.name)
        if before is None or before == after:
            continue
        if after is None and not exempt:
            problems.append(f"{field.name!r} was taken away, and a mark stays once it is set")
        elif after is not None:
            problems.append(f"{field.name!r} was set anew, and a mark is set once")
    return problems


def marks_added(old: Marks, new: Marks) -> bool:
    """Tell whether `new` holds a mark that `old` does not."""
    return any(
        getattr(old, field.name) is None and getattr(new, field.name) is not None
        for field in fields(Marks)
    )


def place_problems(delivery: Delivery, place: PathKind) -> list[str]:
    """Return what is wrong with where a letter lies: its folder, its day, its file's name.

    `inbox/` holds what is not handled and `archive/` what is, but a letter may be put away as it
    is: long after it expired, or by `gitmail archive` for a mailbox that nobody reads.
    """
    problems = []
    letter = delivery.letter
    if place.kind is Kind.INBOX and delivery.handled:
        problems.append("a handled letter lies in inbox/")
    if place.kind is Kind.ARCHIVE and place.day != day_folder(letter.date):
        problems.append(
            f"it lies under archive/{place.day}, but was sent on {day_folder(letter.date)}"
        )
    if place.prefix is not None and not letter.id.startswith(place.prefix):
        problems.append(f"the file is named {place.prefix}, but the letter's id is {letter.id}")
    return problems


def may_mark(author: str, owner: str) -> bool:
    """Tell whether commits by `author` may add marks in the mailbox of `owner`."""
    return fold(author) == fold(owner)
