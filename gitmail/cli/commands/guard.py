"""`gitmail guard`: told about here, answered before git's variables are removed (cli.main)."""

from __future__ import annotations

import click

from gitmail.cli.app import App
from gitmail.cli.command import gitmail_command


@gitmail_command("guard", answers_json=False)
@click.argument("hook")
@click.argument("arguments", nargs=-1)
def command(app: App, hook: str, arguments: tuple[str, ...]) -> None:  # noqa: ARG001
    """Be the guard in a git hook of the project: HOOK is pre-commit, pre-push or commit-msg.

    For a hook that you write yourself: pass on its arguments and its standard input. Exit code 3
    means that the commit touches what somebody else has reserved; everything else shall pass.
    `gitmail hooks install` makes such hooks.
    """
    from gitmail_hooks.guard import main

    main([hook, *arguments])
