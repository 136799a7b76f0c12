"""How present an agent is: what its process and its last own action say, and nothing else.

An agent is `attached` while a process of it lives, `idle` when it is attached but has done nothing
for three hours, else `detached` (contract: send and the board). Only own actions count; a process
that merely lives, or a machine that wakes from sleep, makes nobody active. Ages are differences of
wall clock times: a monotonic clock may stand still while a laptop sleeps.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from enum import StrEnum

ACTIVE = timedelta(seconds=60)
IDLE = timedelta(hours=3)
LISTED = timedelta(hours=1)
LISTED_ATTACHED = timedelta(hours=3)


class Presence(StrEnum):
    """The three words of the board."""

    ATTACHED = "attached"
    IDLE = "idle"
    DETACHED = "detached"


def presence_of(alive: bool, last_action: datetime | None, now: datetime) -> Presence:
    """Classify an agent: `alive` = a process of it holds its presence lock at this moment."""
    if not alive:
        return Presence.DETACHED
    if last_action is None or _age(last_action, now) >= IDLE:
        return Presence.IDLE
    return Presence.ATTACHED


def acted_just_now(last_action: datetime | None, now: datetime) -> bool:
    """Tell whether an own action within 60 s vouches that the next result will be read soon.

    A time that lies further than that in the future (the clock was set back) vouches for nothing.
    """
    return last_action is not None and abs(now - last_action) <= ACTIVE


def on_board(alive: bool, last_action: datetime | None, now: datetime) -> bool:
    """Tell whether the board lists a peer: active within 1 h, or within 3 h while attached.

    One who fails only the second is counted in `idle_omitted`.
    """
    if last_action is None:
        return False
    age = _age(last_action, now)
    return age < LISTED_ATTACHED if alive else age < LISTED


def reachable_first(presence: Presence, listening: bool) -> int:
    """Sort key of the board's list: a listener first, then attached, idle, detached."""
    if listening:
        return 0
    return 1 + list(Presence).index(presence)


def _age(last_action: datetime, now: datetime) -> timedelta:
    """Return the time since an action; an action dated in the future counts as done now.

    After the clock was set back the agent did act, only its time is unknown, and leaving a live
    agent out of every fan-out until the clock catches up would lose it letters.
    """
    return max(now - last_action, timedelta(0))
