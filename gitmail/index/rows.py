"""What the index answers with, and how values become columns and columns values.

Texts are not in here: `letter.text` and `agent.notes` are empty, and come from the file at `path`
(whose content has the blob id `blob`).
"""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

from gitmail.values.agent import Agent
from gitmail.values.letter import Delivery, Letter

if TYPE_CHECKING:
    from gitmail.values.memory import Memory
    from gitmail.values.reservation import Reservation

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_encode = json.JSONEncoder(sort_keys=True, separators=(",", ":")).encode


class Place(NamedTuple):
    """A place in a list that is ordered by date, id and (folded) recipient."""

    date: datetime
    id: str
    recipient: str = ""


class DeliveryRow(NamedTuple):
    """One file of a mailbox.

    `commit` is the first that brought this letter to this mailbox and `author` the name it was
    made under. `archived` says the file lies in archive/; `duplicate` that the mailbox has another
    file of the same letter.
    """

    delivery: Delivery
    blob: str
    commit: str
    author: str
    archived: bool
    duplicate: bool

    @property
    def letter(self) -> Letter:
        """The letter, without its text."""
        return self.delivery.letter

    @property
    def path(self) -> str:
        """Where the file is."""
        return self.delivery.path

    @property
    def waits(self) -> bool:
        """True while the letter is in inbox/ and not handled, expired or not."""
        return not self.archived and not self.delivery.handled


class LetterRow(NamedTuple):
    """One letter and all its copies, by recipient. Whoever shows it hides the bcc ones."""

    letter: Letter
    deliveries: tuple[DeliveryRow, ...]

    @property
    def place(self) -> Place:
        """Where the letter stands in a list of letters."""
        return Place(self.letter.date, self.letter.id)


class AgentRow(NamedTuple):
    """A profile as of main; `agent.notes` is empty."""

    agent: Agent
    path: str
    blob: str


class MemoryRow(NamedTuple):
    """A note as of main, with its text; `live` is false below memories/superseded/."""

    memory: Memory
    live: bool
    path: str
    blob: str


class ReservationRow(NamedTuple):
    """A reservation as of main; it may have expired."""

    reservation: Reservation
    path: str
    blob: str


class BrokenRow(NamedTuple):
    """A file of main that does not follow the format, and what is wrong with it."""

    path: str
    blob: str
    problem: str
    line: int | None


def to_micros(moment: datetime) -> int:
    """Return whole microseconds since 1970 in UTC."""
    return (moment - _EPOCH) // _MICROSECOND


def from_micros(micros: int) -> datetime:
    """Undo `to_micros`."""
    return _EPOCH + timedelta(microseconds=micros)


def maybe_micros(moment: datetime | None) -> int | None:
    """`to_micros`, with None for None."""
    return None if moment is None else to_micros(moment)


def maybe_moment(micros: int | None) -> datetime | None:
    """`from_micros`, with None for None."""
    return None if micros is None else from_micros(micros)


def to_json(value: Any) -> str:
    """Return the one spelling of a list or map in a column."""
    return _encode(value)


def from_list(text: str) -> tuple[Any, ...]:
    """Undo `to_json` for a list; the commonest one is not worth a parser."""
    return () if text == "[]" else tuple(json.loads(text))


def from_map(text: str) -> dict[str, str]:
    """Undo `to_json` for a map of strings."""
    return {} if text == "{}" else dict(json.loads(text))
