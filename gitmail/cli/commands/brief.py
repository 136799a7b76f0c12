"""`gitmail brief`: who you are here, what waits, who is parked on you."""

from __future__ import annotations

from typing import Any

from gitmail.cli.app import App
from gitmail.cli.command import gitmail_command
from gitmail.mail.brief import brief
from gitmail.values.park import Park


@gitmail_command("brief")
def command(app: App) -> None:
    """Say in a few lines who you are, what waits for you, and who is parked on you."""
    store = app.open(writes=False)
    found = brief(store, app.caller(store))
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
    app.answer(shape, found.lines())


def _park_shape(park: Park) -> dict[str, Any]:
    return {"reason": park.reason, "needs": park.needs}
