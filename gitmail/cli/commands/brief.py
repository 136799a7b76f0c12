"""`gitmail brief`: who you are here, what waits, who is parked on you, what is known."""

from __future__ import annotations

from typing import Any

from gitmail.cli.app import App
from gitmail.cli.command import gitmail_command
from gitmail.mail.brief import COLUMNS, brief
from gitmail.memory.relevant import relevant_notes
from gitmail.values.agent import Agent
from gitmail.values.hints import escaped
from gitmail.values.park import Park

NOTES = 5


@gitmail_command("brief")
def command(app: App) -> None:
    """Say in a few lines who you are, what waits, who is parked on you, and what is known."""
    store = app.open(writes=False)
    caller = app.caller(store)
    found = brief(store, caller)
    notes = store.read(lambda view: relevant_notes(view, _words(caller.agent(view)), NOTES))
    shape = {
        "agent": found.name,
        "waiting": len(found.letters),
        "letters": [
            {"id": one.id, "from": one.sender, "subject": one.subject, "urgent": one.urgent}
            for one in found.letters[:20]
        ],
        "parked_on_you": [
            {"agent": one.agent.name, **_park_shape(one.park)} for one in found.parked
        ],
    }
    if found.own is not None:
        shape["parked"] = _park_shape(found.own)
    if notes:
        shape["memories"] = [
            {"number": row.memory.number, "title": row.memory.title} for row in notes
        ]
    lines = [f'Note #{row.memory.number}: "{escaped(row.memory.title, COLUMNS)}"' for row in notes]
    app.answer(shape, found.lines(lines))


def _words(agent: Agent | None) -> str:
    """Return what an agent is at, in the words that notes are looked for by."""
    return "" if agent is None else " ".join(filter(None, (agent.task, agent.status)))


def _park_shape(park: Park) -> dict[str, Any]:
    return {"reason": park.reason, "needs": park.needs}
