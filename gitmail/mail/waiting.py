"""Waiting for mail, and giving each ring to a listener once (contract: the wake receipt).

A listener is armed from before its first look at the mailbox until it returns, so a ring decided
meanwhile reaches it. It is told facts only: how many wait, and who wrote.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from gitmail.board.caller import Caller
from gitmail.board.presence import Presence
from gitmail.index.rows import to_micros
from gitmail.index.waiting import WaitingRow, waiting_rows
from gitmail.mail.announced import Announced
from gitmail.mail.notifier import Notifier
from gitmail.store.store import Store
from gitmail.store.view import View
from gitmail.values.hints import WaitingLetter
from gitmail.values.receipt import from_header

What = Literal["mail", "ring"]
PAUSE_SECONDS = 0.3
"""How long a listener that is told to stop may take to notice."""


@dataclass(frozen=True, slots=True)
class Woken:
    """What a wait came to. `reason` is ring, mail, timeout or stopped (the process ends).

    `waiting` is the mailbox's waiting number, `senders` who wrote the letters that woke, in order
    of arrival and each once, `letters` those letters.
    """

    woke: bool
    waiting: int
    senders: tuple[str, ...]
    reason: str
    letters: tuple[WaitingLetter, ...] = ()


@dataclass(frozen=True, slots=True)
class Listener:
    """Who listens: `key` names its memory, so that the next wait goes on where this one ended.

    `news` are the letters it was told of, `rings` the rings it was given.
    """

    news: Announced
    rings: Announced

    @classmethod
    def of(cls, store: Store, agent: str, key: str) -> Listener:
        """Return the listener of a host session (gitmail.board.sessions) for an agent."""
        root = str(store.private.root)
        return cls(Announced(root, agent, key), Announced(root, agent, f"{key}.rings"))


@dataclass(frozen=True, slots=True)
class _Look:
    now: datetime
    rows: tuple[WaitingRow, ...]


def wait_for(
    store: Store,
    caller: Caller,
    seconds: float,
    what: What = "mail",
    *,
    key: str,
    notifier: Notifier | None = None,
    stopped: Callable[[], bool] | None = None,
) -> Woken:
    """Block until something comes for `caller`, at most `seconds`.

    `ring`: a ring that this listener was not given yet, a waiting one at once. `mail`: also any
    letter that this listener was not told of; for a listener seen for the first time that means
    since the start. A letter that its owner has looked at wakes nobody. `key` is the listener's
    (gitmail.board.sessions); `notifier` one that is shared, else a new one serves this call;
    `stopped` is asked now and then whether to end early.
    Raises what Store.read raises.
    """
    listener = Listener.of(store, caller.name, key)
    with ExitStack() as ending:
        ending.enter_context(Presence(store.private).listening(caller.name))
        if notifier is None:
            notifier = ending.enter_context(Notifier(store, caller.name))
        _begin(_look(store, caller.name), listener)
        woken = _wait(store, caller.name, seconds, what, listener, notifier, stopped)
        trouble = notifier.take_trouble()
        if trouble is not None:
            store.notice("polling", trouble)
        return woken


def _wait(
    store: Store,
    agent: str,
    seconds: float,
    what: What,
    listener: Listener,
    notifier: Notifier,
    stopped: Callable[[], bool] | None,
) -> Woken:
    deadline = time.monotonic() + seconds
    while True:
        generation = notifier.generation
        look = _look(store, agent)
        reason, letters = _news(look, what, listener)
        if letters:
            senders = tuple(dict.fromkeys(letter.sender for letter in letters))
            return Woken(True, len(look.rows), senders, reason, letters)
        if stopped is not None and stopped():
            return Woken(False, len(look.rows), (), "stopped")
        left = deadline - time.monotonic()
        if left <= 0:
            return Woken(False, len(look.rows), (), "timeout")
        _pause(notifier, generation, min(left, _until_next_ring(look)), stopped)


def _pause(
    notifier: Notifier, generation: int, seconds: float, stopped: Callable[[], bool] | None
) -> None:
    """Wait for the next moment, in short pieces where somebody may say stop."""
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        piece = left if stopped is None else min(left, PAUSE_SECONDS)
        if notifier.wait(generation, piece) > generation:
            return
        if stopped is not None and stopped():
            return


def _look(store: Store, agent: str) -> _Look:
    def ask(view: View) -> _Look:
        return _Look(view.now, tuple(waiting_rows(view.index, agent, to_micros(view.now))))

    return store.read(ask)


def _begin(look: _Look, listener: Listener) -> None:
    """For a new listener, what waits already is no news; a ring that is still to be given is."""
    if listener.news.known() is None:
        given = frozenset(listener.rings.known() or ())
        old = [row for row in look.rows if not row.rings or row.id in given]
        listener.news.remember(letters_of(old))


def _news(look: _Look, what: What, listener: Listener) -> tuple[str, tuple[WaitingLetter, ...]]:
    """Return why to wake and for which letters; what is returned counts as told."""
    seen = [row.id for row in look.rows if row.seen]
    due = [row for row in look.rows if row.rings and _is_due(row, look.now)]
    rung = listener.rings.take(letters_of(due), seen)
    if what == "ring":
        listener.news.remember(rung)
        return "ring", rung
    fresh = listener.news.take(letters_of(look.rows), seen)
    both = {letter.id: letter for letter in (*rung, *fresh)}
    return ("ring" if rung else "mail"), tuple(both.values())


@dataclass(frozen=True, slots=True)
class Pending:
    """What waits: the number, and letters of it."""

    waiting: int
    letters: tuple[WaitingLetter, ...]


def pending_now(store: Store, agent: str) -> Pending:
    """Return all that waits for `agent`, oldest first; marks nothing."""
    rows = _look(store, agent).rows
    return Pending(len(rows), letters_of(rows))


def take_rings(store: Store, agent: str, key: str) -> Pending:
    """Return the rings that are due and were not given to the listener `key` yet; now they are."""
    look = _look(store, agent)
    _, rung = _news(look, "ring", Listener.of(store, agent, key))
    return Pending(len(look.rows), rung)


def begin_listening(store: Store, agent: str, key: str) -> None:
    """Let everything that comes for `agent` from now on be news to the listener `key`.

    Otherwise its first wait begins that. Raises what Store.read raises.
    """
    _begin(_look(store, agent), Listener.of(store, agent, key))


def letters_of(rows: Sequence[WaitingRow]) -> tuple[WaitingLetter, ...]:
    """Return what a hint may say of each letter."""
    return tuple(WaitingLetter(row.id, row.sender, row.subject, row.urgent) for row in rows)


def _is_due(row: WaitingRow, now: datetime) -> bool:
    """Tell whether a ring's time has come: those of one fan-out stand 30 s apart."""
    ring_at = _ring_at(row)
    return ring_at is None or ring_at <= now


def _ring_at(row: WaitingRow) -> datetime | None:
    wake = from_header(json.loads(row.wake))
    return None if wake is None else wake.ring_at


def _until_next_ring(look: _Look) -> float:
    """Return the seconds until the next scheduled ring of a waiting letter, else a long time."""
    times = (_ring_at(row) for row in look.rows if row.rings)
    coming = [(moment - look.now).total_seconds() for moment in times if moment is not None]
    return min((left for left in coming if left > 0), default=3600.0)
