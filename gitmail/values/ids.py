"""Ids of letters, agents and reservations: 32 lower-case hex digits, random, never reused."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence

from gitmail.errors import InvalidInput

ID_LENGTH = 32
PREFIX_LENGTH = 8

_ID = re.compile(r"[0-9a-f]{32}")
_PREFIX = re.compile(r"[0-9a-f]{8,32}")


def new_id(random_bytes: Callable[[int], bytes] = os.urandom) -> str:
    """Return a new id of 32 lower-case hex digits made of 16 bytes from `random_bytes`."""
    return random_bytes(ID_LENGTH // 2).hex()


def is_id(text: str) -> bool:
    """Tell whether `text` is a whole id as files hold it."""
    return _ID.fullmatch(text) is not None


def is_id_or_prefix(text: str) -> bool:
    """Tell whether `text`, in either case, can name a thing by its id (8 to 32 hex digits)."""
    return _PREFIX.fullmatch(text.lower()) is not None


def id_or_prefix(text: str, argument: str) -> str:
    """Return `text` as 8 to 32 lower-case hex digits.

    Raises InvalidInput `invalid_<argument>` for anything else.
    """
    lowered = text.strip().lower()
    if not _PREFIX.fullmatch(lowered):
        raise InvalidInput(
            f"invalid_{argument}",
            f"{argument} {text[:80]!r} is not an id or the first 8 or more of its hex digits.",
            "Take the id as a list or a letter shows it, for instance 3f9a1c22.",
            argument=argument,
        )
    return lowered


def distinguishing_prefixes(ids: Sequence[str]) -> list[str]:
    """Return for each of `ids` its shortest prefix (8 digits or more) that no other one shares."""
    return [_shortest(one, [other for other in ids if other != one]) for one in ids]


def _shortest(one: str, others: Sequence[str]) -> str:
    for length in range(PREFIX_LENGTH, len(one)):
        if not any(other.startswith(one[:length]) for other in others):
            return one[:length]
    return one
