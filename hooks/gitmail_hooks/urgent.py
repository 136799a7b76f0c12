"""Urgent letters that wait for whoever commits, each told once: a commit is a good moment to look.

Read from the files of the inbox. What was told is private state; losing it tells twice.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING

from gitmail.errors import BrokenFile
from gitmail.values.hints import WaitingLetter
from gitmail.values.names import fold

if TYPE_CHECKING:
    from gitmail_hooks.mailbox_look import Spot

LISTENER = "guard"
_NEWEST = 200
"""How many letters are looked at, the newest first: the guard has a tenth of a second."""
_HEAD_BYTES = 4096
_URGENT = re.compile(rb"^importance:[ \t]*['\"]?urgent\b", re.MULTILINE)


def untold_urgent(spot: Spot, agent: str, now: datetime) -> tuple[str, ...]:
    """Return the senders of urgent letters waiting for `agent` that no commit has told yet.

    One entry a letter, the oldest first; from now on they count as told.
    """
    waiting = list(_urgent(spot.store, agent, now))
    if not waiting:
        return ()
    from gitmail.mail.announced import Announced

    fresh = Announced(spot.private, agent, LISTENER).take(waiting)
    return tuple(letter.sender for letter in fresh)


def _urgent(store: str, agent: str, now: datetime) -> Iterator[WaitingLetter]:
    """Yield the urgent letters in the inbox that have not expired, the oldest first."""
    folder = _inbox(store, agent)
    try:
        names = sorted(name for name in os.listdir(folder) if name.endswith(".md"))
    except (FileNotFoundError, NotADirectoryError):
        return
    for name in names[-_NEWEST:]:
        path = os.path.join(folder, name)
        try:
            letter = _read(path, agent)
        except (OSError, BrokenFile):
            continue  # archived while we looked, or a broken file, which `gitmail inbox` names
        if letter is not None and (letter[1] is None or letter[1] > now):
            yield letter[0]


def _read(path: str, agent: str) -> tuple[WaitingLetter, datetime | None] | None:
    """Return an urgent letter and when it expires; None for any other."""
    with open(path, "rb") as file:
        head = file.read(_HEAD_BYTES)
        if _URGENT.search(head) is None:
            return None
        data = head + file.read()
    from gitmail.format.letters import letter_from_bytes

    letter = letter_from_bytes(data, path, agent).letter
    if letter.importance != "urgent":
        return None
    return WaitingLetter(letter.id, letter.sender, letter.subject, True), letter.expires


def _inbox(store: str, agent: str) -> str:
    """Return the agent's inbox, whose folder has the registered spelling of the name."""
    mail = os.path.join(store, "mail")
    if not os.path.isdir(os.path.join(mail, agent)):
        with suppress(OSError):
            agent = next((one for one in os.listdir(mail) if fold(one) == fold(agent)), agent)
    return os.path.join(mail, agent, "inbox")
