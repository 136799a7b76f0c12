"""`gitmail token`: give an agent a registration token, or make all it has worthless."""

from __future__ import annotations

import click

from gitmail.cli.app import App
from gitmail.cli.command import gitmail_command


@gitmail_command("token")
@click.argument("agent")
@click.option("--revoke", is_flag=True, help="Make every token of the agent worthless instead.")
def command(app: App, agent: str, revoke: bool) -> None:
    """Issue a token for AGENT: the bearer token of `gitmail serve --http`. It is shown once."""
    from gitmail.board.credentials import Credentials
    from gitmail.mail.references import find_agent

    store = app.open(writes=True)
    name = store.read(lambda view: find_agent(view, agent)).name
    credentials = Credentials(store.private)
    if revoke:
        credentials.revoke(name)
        app.answer({"agent": name, "revoked": True}, [f"revoked every token of {name}"])
        return
    token = credentials.issue(name)
    app.answer({"agent": name, "registration_token": token}, [token])
