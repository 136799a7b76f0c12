"""The wording of hints, and which letters a hint still has to name. Pure.

A hint is only facts (design §9): a count, ids, senders and subjects, escaped and
cut. Never a text, never an order: what stands here is read by a model that follows orders, and a
letter's sender chose the subject.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

SHOWN_LETTERS = 3
"""How many letters a hint names; the others are counted."""

SUBJECT_COLUMNS = 60
SENDER_COLUMNS = 64
ID_COLUMNS = 8
REMEMBERED = 4000
"""How many announced ids a listener keeps: well above the letters a mailbox may hold."""


class WaitingLetter(NamedTuple):
    """What a hint may say of one letter: its id, its sender, its subject, whether it is urgent."""

    id: str
    sender: str
    subject: str
    urgent: bool = False


class Announcement(NamedTuple):
    """What to say now (`fresh`, in the order they wait), and every id announced by then."""

    fresh: tuple[WaitingLetter, ...]
    announced: tuple[str, ...]


def to_announce(announced: Sequence[str], waiting: Iterable[WaitingLetter]) -> Announcement:
    """Return the letters of `waiting` that this listener was not told of, and its new memory.

    `announced` is what the last call returned for the same listener, () for a new one; a lost
    memory announces twice and never loses a letter. Letters that were dealt with in between are
    not in `waiting` and are not said. Only the oldest ids that no longer wait are ever forgotten.
    """
    waiting = tuple(waiting)
    known = frozenset(announced)
    fresh = tuple(letter for letter in waiting if letter.id not in known)
    current = tuple(letter.id for letter in waiting)
    still_waiting = frozenset(current)
    handled = tuple(one for one in announced if one not in still_waiting)
    too_many = max(0, len(handled) + len(current) - REMEMBERED)
    return Announcement(fresh, handled[too_many:] + current)


def hint_line(agent: str, fresh: Sequence[WaitingLetter], waiting: int) -> str:
    """Return the one line about letters that came for `agent`, "" when there are none.

    `waiting` is the mailbox's waiting number as every tool result and `gitmail inbox` show it.
    """
    if not fresh:
        return ""
    noun = "new letter" if len(fresh) == 1 else "new letters"
    total = "" if waiting == len(fresh) else f", {waiting} waiting in all"
    return (
        f"gitmail: {len(fresh)} {noun} for {escaped(agent, SENDER_COLUMNS)}{total}: {_list(fresh)}."
    )


def brief_line(agent: str, letters: Sequence[WaitingLetter], waiting: int) -> str:
    """Return the one line a session starts with: whose mailbox this is and what waits in it.

    `letters` are the first of the `waiting` ones, in order; a hint names only a few of them.
    """
    mailbox = f"gitmail: this session's mailbox is {escaped(agent, SENDER_COLUMNS)}"
    if waiting == 0 or not letters:
        return f"{mailbox}; {_count(waiting)}."
    return f"{mailbox}; {_count(waiting)}: {_list(letters, waiting)}."


def _count(waiting: int) -> str:
    """Return how many letters wait, in words."""
    if waiting == 0:
        return "no letter waits in it"
    return "1 letter waits in it" if waiting == 1 else f"{waiting} letters wait in it"


def _list(letters: Sequence[WaitingLetter], total: int | None = None) -> str:
    """Return the first letters by id, sender and subject, and how many more there are."""
    shown = letters[:SHOWN_LETTERS]
    more = (len(letters) if total is None else total) - len(shown)
    parts = [_letter(letter) for letter in shown]
    if more > 0:
        parts.append(f"and {more} more")
    return "; ".join(parts)


def _letter(letter: WaitingLetter) -> str:
    """Return one letter: its short id, an urgent mark, its sender and its quoted subject."""
    urgent = " (urgent)" if letter.urgent else ""
    sender = escaped(letter.sender, SENDER_COLUMNS)
    subject = escaped(letter.subject, SUBJECT_COLUMNS)
    return (
        f'{escaped(letter.id[:ID_COLUMNS], ID_COLUMNS)}{urgent} from {sender}, subject "{subject}"'
    )


def escaped(text: str, columns: int) -> str:
    """Return `text` cut to `columns` characters, with nothing in it that could end a quotation.

    Line breaks, control and invisible characters, quotes, backslashes and the marks of tags and
    code (`<`, `>`, "`") become `\\uXXXX`. Cutting counts the characters before they are escaped
    and never falls inside an escape.
    """
    cut = text if len(text) <= columns else text[: columns - 1] + "…"
    return "".join(_escaped_character(character) for character in cut)


def _escaped_character(character: str) -> str:
    """Return a printable character as it is, any other and those that delimit as an escape."""
    if character.isprintable() and character not in '"\\<>`':
        return character
    point = ord(character)
    return f"\\u{point:04x}" if point <= 0xFFFF else f"\\U{point:08x}"
