"""The board: which peers are there, who is reachable, what each is at (contract: memory_agents).

Presence is what private state says at this moment; nothing of it is committed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from gitmail.board.caller import Caller
from gitmail.board.presence import Presence, Seen
from gitmail.index.agents import all_agents
from gitmail.index.mailbox import waiting_count
from gitmail.store.store import Store
from gitmail.store.view import View
from gitmail.values import presence as rules
from gitmail.values.agent import Agent
from gitmail.values.names import fold
from gitmail.values.park import Park, park_of

MOST = 100
"""Most entries of one answer."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One agent on the board. `waiting` is told for the caller only; `park` is a live one."""

    agent: Agent
    presence: rules.Presence
    listening: bool
    last_action: datetime | None
    park: Park | None
    waiting: int | None


@dataclass(frozen=True, slots=True)
class Board:
    """The board at `now`: reachable ones first.

    `idle_omitted` counts agents that match but are idle or long gone, `truncated` those that were
    left out for the length of the answer.
    """

    entries: tuple[Entry, ...]
    idle_omitted: int
    truncated: int
    now: datetime


def board(
    store: Store, caller: Caller, *, project: str | None = None, task: str | None = None
) -> Board:
    """Return who was active within an hour (three while attached), and always the caller.

    `project` keeps to agents of exactly that project, `task` to those whose task holds these words,
    without regard to case.
    """
    presence = Presence(store.private)

    def ask(view: View) -> Board:
        agents = [row.agent for row in all_agents(view.index)]
        matching = [agent for agent in agents if _matches(agent, project, task)]
        seen = {agent.id: presence.seen(agent.name) for agent in matching}
        shown = [agent for agent in matching if _on_board(agent, seen[agent.id], caller, view.now)]
        entries = _sorted([_entry(view, one, seen[one.id], caller) for one in shown])
        return Board(
            entries=tuple(entries[:MOST]),
            idle_omitted=len(matching) - len(shown),
            truncated=max(0, len(entries) - MOST),
            now=view.now,
        )

    return store.read(ask)


def _matches(agent: Agent, project: str | None, task: str | None) -> bool:
    if project is not None and agent.project != project:
        return False
    return task is None or task.casefold() in (agent.task or "").casefold()


def _on_board(agent: Agent, seen: Seen, caller: Caller, now: datetime) -> bool:
    return _is(agent, caller) or rules.on_board(seen.attached, seen.last_action, now)


def _entry(view: View, agent: Agent, seen: Seen, caller: Caller) -> Entry:
    mine = _is(agent, caller)
    return Entry(
        agent=agent,
        presence=rules.presence_of(seen.attached, seen.last_action, view.now),
        listening=seen.listening,
        last_action=seen.last_action,
        park=park_of(agent, view.now),
        waiting=waiting_count(view.index, agent.name, view.now) if mine else None,
    )


def _sorted(entries: Sequence[Entry]) -> list[Entry]:
    """The reachable first, then by name."""

    def key(one: Entry) -> tuple[int, str]:
        return rules.reachable_first(one.presence, one.listening), fold(one.agent.name)

    return sorted(entries, key=key)


def _is(agent: Agent, caller: Caller) -> bool:
    return fold(agent.name) == fold(caller.name)
