"""`gitmail hook`: told about here, answered before any of this is loaded (gitmail.cli.main)."""

from __future__ import annotations

import click

from gitmail.cli.app import App
from gitmail.cli.command import gitmail_command


@gitmail_command("hook", answers_json=False)
@click.argument("host")
@click.argument("event")
@click.option("--rewake", is_flag=True, help="At a stop: wait for a ring, then go on.")
def command(app: App, host: str, event: str, rewake: bool) -> int:
    """Answer an agent host's hook: HOST's JSON on standard input, its form of answer on output.

    HOST is claude, codex, gemini, cursor or vscode; EVENT is session-start, prompt, tool-used or
    stop. `gitmail setup HOST` puts these calls into the host's settings. Silent, with exit code 0,
    whatever is wrong.
    """
    from gitmail_hooks.host_hook import main

    return main([host, event, *(["--rewake"] if rewake else [])], app.environ)
