"""`gitmail memories`: the newest notes."""

from __future__ import annotations

import click

from gitmail.cli.app import App
from gitmail.cli.command import gitmail_command
from gitmail.cli.notes import answer_hits
from gitmail.memory.searching import MOST, recent_notes


@gitmail_command("memories")
@click.option("-n", "count", type=click.IntRange(1, MOST), default=20, show_default=True)
@click.option("--tag", "tags", multiple=True, metavar="WORD", help="Only with this tag.")
@click.option("--all", "everything", is_flag=True, help="Superseded ones too.")
def command(app: App, count: int, tags: tuple[str, ...], everything: bool) -> None:
    """List the newest notes, newest first."""
    store = app.open(writes=False)
    hits = recent_notes(store, count, tags=tags, include_superseded=everything)
    answer_hits(app, hits, "There are no notes yet.")
