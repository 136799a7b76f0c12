"""The brief: what somebody who comes back should know, in a few lines of facts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gitmail.board.caller import Caller
from gitmail.index.agents import all_agents
from gitmail.index.rows import to_micros
from gitmail.index.waiting import waiting_rows
from gitmail.store.store import Store
from gitmail.store.view import View
from gitmail.values.agent import Agent
from gitmail.values.hints import WaitingLetter, brief_line, escaped
from gitmail.values.names import fold
from gitmail.values.park import Park, park_of

LIMIT = 2000
"""Most characters of a brief."""
COLUMNS = 120


@dataclass(frozen=True, slots=True)
class Parked:
    """Somebody who waits for the reader of the brief."""

    agent: Agent
    park: Park


@dataclass(frozen=True, slots=True)
class Brief:
    """Whose mailbox it is, what waits in it (oldest first), and who is parked on them.

    `own` is the reader's own live park.
    """

    name: str
    letters: tuple[WaitingLetter, ...]
    own: Park | None
    parked: tuple[Parked, ...]

    def lines(self, further: Sequence[str] = ()) -> list[str]:
        """Return the brief in words, together at most LIMIT characters; facts only.

        `further` lines come last, so that they are the first for which there is no room.
        """
        lines = [brief_line(self.name, self.letters, len(self.letters))]
        if self.own is not None:
            lines.append(f"You are parked: {_park(self.own)}.")
        lines += [f"Parked on you: {one.agent.name}, {_park(one.park)}." for one in self.parked]
        return _fitting([*lines, *further])


def brief(store: Store, caller: Caller) -> Brief:
    """Return the brief of `caller`, who need not be registered; raises what Store.read raises."""

    def ask(view: View) -> Brief:
        rows = waiting_rows(view.index, caller.name, to_micros(view.now))
        letters = (WaitingLetter(row.id, row.sender, row.subject, row.urgent) for row in rows)
        me = caller.agent(view)
        agents = [row.agent for row in all_agents(view.index)]
        parked = [Parked(one, park) for one in agents if (park := park_of(one, view.now))]
        return Brief(
            name=caller.name if me is None else me.name,
            letters=tuple(letters),
            own=None if me is None else park_of(me, view.now),
            parked=tuple(one for one in parked if me is not None and _waits_for(one, me)),
        )

    return store.read(ask)


def _waits_for(parked: Parked, me: Agent) -> bool:
    clearer = parked.park.clear_by
    if clearer is None or parked.agent.id == me.id:
        return False
    by_id = len(clearer) >= 8 and me.id.startswith(clearer.casefold())
    return by_id or fold(clearer) == fold(me.name)


def _park(park: Park) -> str:
    needs = f', needs "{escaped(park.needs, COLUMNS)}"' if park.needs else ""
    return f"{park.reason}{needs}"


def _fitting(lines: list[str]) -> list[str]:
    """Return as many lines as fit, and how many more there are."""
    kept: list[str] = []
    room = LIMIT - len("… and 9999 more")
    for number, line in enumerate(lines):
        room -= len(line) + 1
        if room < 0:
            return [*kept, f"… and {len(lines) - number} more"]
        kept.append(line)
    return kept
