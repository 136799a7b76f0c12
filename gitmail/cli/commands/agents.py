"""`gitmail agents`: who takes part."""

from __future__ import annotations

import click

from gitmail.board.agents import AgentSummary, list_agents
from gitmail.cli.app import App
from gitmail.cli.command import gitmail_command
from gitmail.cli.output import Table
from gitmail.cli.shapes import agent_shape, short_time, time_shape

_HEADINGS = ("name", "waiting", "unread", "presence", "last action", "what")


@gitmail_command("agents")
@click.option("--all", "everyone", is_flag=True, help="Retired ones too.")
def command(app: App, everyone: bool) -> None:
    """List agents and people, with what waits for them."""
    store = app.open(writes=False)
    found = list_agents(store, include_retired=everyone)
    if app.output.as_json:
        app.answer({"agents": [_shape(one) for one in found]})
    elif found:
        app.output.table(Table(_HEADINGS, [_row(one) for one in found]))
    else:
        app.answer({}, ["Nobody is registered yet."])


def _shape(one: AgentSummary) -> dict[str, object]:
    return agent_shape(one.agent) | {
        "waiting": one.waiting,
        "unread": one.unread,
        "attached": one.attached,
        "last_action": time_shape(one.last_action),
    }


def _row(one: AgentSummary) -> tuple[str, ...]:
    agent = one.agent
    what = "person" if agent.person else " ".join(filter(None, (agent.program, agent.model)))
    if agent.retired_at is not None:
        what = f"retired {short_time(agent.retired_at)}"
    return (
        agent.name,
        f"{one.waiting} waiting",
        f"{one.unread} unread",
        "attached" if one.attached else "-",
        short_time(one.last_action) or "-",
        ": ".join(filter(None, (what, agent.task))),
    )
