"""`gitmail retire`: take an agent out, or back in."""

from __future__ import annotations

import click

from gitmail.cli.app import App
from gitmail.cli.command import gitmail_command
from gitmail.cli.shapes import agent_shape


@gitmail_command("retire")
@click.argument("agent")
@click.option("--undo", "back", is_flag=True, help="Take the agent back instead.")
def command(app: App, agent: str, back: bool) -> None:
    """Let AGENT receive and send nothing any more; its letters stay readable."""
    from gitmail.board.caller import Caller
    from gitmail.board.retirement import retire, unretire
    from gitmail.mail.references import find_agent

    store = app.open(writes=True)
    found = store.read(lambda view: find_agent(view, agent))
    done = (unretire if back else retire)(store, Caller(found.name, found.id))
    line = f"{done.name} is back" if back else f"retired {done.name}"
    app.answer(agent_shape(done), [line])
