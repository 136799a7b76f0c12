"""`gitmail check-store`: do these commits keep the store's rules?"""

from __future__ import annotations

import click

from gitmail.cli.app import App
from gitmail.cli.command import gitmail_command
from gitmail.git.refs import MAIN


@gitmail_command("check-store")
@click.argument("commits", metavar="RANGE")
def command(app: App, commits: str) -> int:
    """Check the commits of RANGE (OLD..NEW; NEW is main when left out) against the rules."""
    from gitmail.git.walk import resolve_commit
    from gitmail.store.checks import check_range

    store = app.open_quietly()
    start, _, end = commits.partition("..")
    old = resolve_commit(store.git_dir, start)
    new = resolve_commit(store.git_dir, end or MAIN)
    problems = check_range(store.git_dir, store.reader, old, new)
    shape = {"ok": not problems, "old": old, "new": new, "problems": problems}
    app.answer(shape, problems or [f"{old[:10]}..{new[:10]} keeps the rules"])
    return 1 if problems else 0
