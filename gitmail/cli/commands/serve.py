"""`gitmail serve`: the MCP server of one agent, on standard input and output."""

from __future__ import annotations

import click

from gitmail.cli.app import App
from gitmail.cli.command import gitmail_command
from gitmail.errors import StoreUnavailable


@gitmail_command("serve", answers_json=False)
@click.option("--agent", metavar="NAME", help="Speak for this agent.")
@click.option("--toolset", type=click.Choice(["core", "full"]), default="core", show_default=True)
@click.option("--http", metavar="HOST:PORT", help="Serve many agents over HTTP instead.")
@click.option("--allow-network", is_flag=True, help="With --http: other machines may connect.")
def command(
    app: App, agent: str | None, toolset: str, http: str | None, allow_network: bool
) -> int:
    """Serve an agent host over MCP on standard input and output, until its input ends."""
    try:
        from gitmail_server.serve import main as serve
    except ModuleNotFoundError as error:
        raise StoreUnavailable(
            "server_missing",
            f"The server cannot start: the module {error.name} is missing.",
            "Install gitmail with its dependencies: pip install gitmail",
        ) from error
    return serve(
        agent=agent or app.as_name,
        toolset=toolset,
        http=http,
        network=allow_network,
        project=app.project_path,
        environ=app.environ,
    )
