"""`gitmail register`: make an agent known, or update its profile."""

from __future__ import annotations

import click

from gitmail.board.agents import register
from gitmail.cli.app import App
from gitmail.cli.command import gitmail_command
from gitmail.cli.shapes import agent_shape


@gitmail_command("register")
@click.argument("name")
@click.option("--program", metavar="TEXT", help="The agent's program, such as claude-code.")
@click.option("--model", metavar="TEXT", help="The model it runs.")
@click.option("--for-project", "for_project", metavar="TEXT", help="The project it works on.")
@click.option("--task", metavar="TEXT", help="What it is doing.")
def command(
    app: App,
    name: str,
    program: str | None,
    model: str | None,
    for_project: str | None,
    task: str | None,
) -> None:
    """Register the agent NAME, or update what is given of it."""
    store = app.open(writes=True)
    done = register(store, name, program=program, model=model, project=for_project, task=task)
    if done.created:
        line = f"registered {done.agent.name}"
    elif done.changed:
        line = f"updated {done.agent.name}: {', '.join(done.changed)}"
    else:
        line = f"{done.agent.name} is registered already; nothing changed"
    shape = agent_shape(done.agent) | {"created": done.created, "changed": list(done.changed)}
    app.answer(shape, [line])
