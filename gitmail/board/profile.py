"""An agent says something of itself: name shown, project, task, status, park; one commit a change.

What is allowed, and what a status does to a park, is in gitmail/values/park.py (contract: the
board, memory_agents update).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from gitmail.board.caller import Acting, Caller
from gitmail.errors import InvalidInput
from gitmail.format.agents import agent_to_bytes, update_agent
from gitmail.index.agents import agent_by_name
from gitmail.store.change import Change, NoChange
from gitmail.store.store import Store
from gitmail.store.view import View
from gitmail.values import sentences
from gitmail.values.agent import Agent
from gitmail.values.park import BoardUpdate, apply_update, park_of
from gitmail.values.paths import agent_path
from gitmail.values.secrets import refuse_secrets

UPDATED = (
    "label",
    "project",
    "task",
    "status",
    "status_at",
    "expect",
    "park_reason",
    "park_needs",
    "park_clear_by",
    "park_resume",
    "park_expires",
)
"""The keys of a profile that an update may set."""


@dataclass(frozen=True, slots=True)
class Updated:
    """The agent after an update, the keys that changed, and the time of the decision."""

    agent: Agent
    changed: tuple[str, ...]
    now: datetime


def update_profile(store: Store, caller: Caller, update: BoardUpdate) -> Updated:
    """Apply an update to the caller's own profile; a caller that is new is registered with it.

    Nothing is written when nothing changes. Raises InvalidInput `invalid_park` or
    `invalid_<argument>` (nothing is applied then), Refused `secret_like`, `agent_retired`.
    """
    _check(update)

    def decide(view: View) -> Change[Updated] | NoChange[Updated]:
        acting = caller.acting(view)
        after = apply_update(acting.agent, update, view.now)
        changed = _changed(acting.agent, after)
        if not changed and not acting.files:
            return NoChange(Updated(acting.agent, (), view.now))
        files = _files(view, acting, after, changed)
        message = _sentence(acting.agent, after, changed, view.now)
        return Change(files, message, Updated(after, changed, view.now), acting.author)

    return store.write(caller.author, decide).result


def _check(update: BoardUpdate) -> None:
    if update == BoardUpdate():
        raise InvalidInput(
            "missing_parameter",
            "update needs at least one field to change.",
            "Give status, task, project, name, label or the park's fields.",
            parameter="status",
        )
    refuse_secrets(
        {
            "name": update.name,
            "label": update.label,
            "project": update.project,
            "task": update.task,
            "status": update.status,
            "park_needs": update.park_needs,
            "park_resume": update.park_resume,
        }
    )


def _changed(before: Agent, after: Agent) -> tuple[str, ...]:
    return tuple(key for key in UPDATED if getattr(before, key) != getattr(after, key))


def _files(
    view: View, acting: Acting, after: Agent, changed: tuple[str, ...]
) -> dict[str, bytes | None]:
    if acting.files:
        return acting.files | {agent_path(after.name): agent_to_bytes(after)}
    row = agent_by_name(view.index, after.name)
    assert row is not None  # it acts, so it is registered
    changes = {key: getattr(after, key) for key in changed}
    return {row.path: update_agent(view.content(row.path, row.blob), row.path, changes)}


def _sentence(
    before: Agent, after: Agent, changed: tuple[str, ...], now: datetime
) -> sentences.Message:
    """Say the weightiest change: a park, its end, a status, anything else."""
    parked_before, parked = park_of(before, now), park_of(after, now)
    if parked is not None and parked != parked_before:
        return sentences.parked(after.name, parked.reason, parked.needs)
    if "status" in changed and after.status:
        return sentences.status(after.name, after.status)
    if parked_before is not None and parked is None:
        return sentences.unparked(after.name)
    if not changed:
        return sentences.registered(after.name, after.program, after.model)
    return sentences.profile(after.name, [key for key in changed if key != "status_at"] or changed)
