"""`gitmail recall`: search the notes."""

from __future__ import annotations

import click

from gitmail.cli.app import App
from gitmail.cli.command import gitmail_command
from gitmail.cli.notes import answer_hits
from gitmail.memory.searching import MOST, TOP_K, search_notes


@gitmail_command("recall")
@click.argument("query", nargs=-1, required=True)
@click.option("-n", "top_k", type=click.IntRange(1, MOST), default=TOP_K, show_default=True)
@click.option("--tag", "tags", multiple=True, metavar="WORD", help="Only with this tag.")
@click.option("--source", "sources", multiple=True, metavar="TEXT", help="Only from there.")
@click.option("--all", "everything", is_flag=True, help="Superseded ones too.")
def command(
    app: App,
    query: tuple[str, ...],
    top_k: int,
    tags: tuple[str, ...],
    sources: tuple[str, ...],
    everything: bool,
) -> None:
    """Search the notes for QUERY, any words, best first."""
    hits = search_notes(
        app.open(writes=False),
        " ".join(query),
        top_k=top_k,
        tags=tags,
        sources=sources,
        include_superseded=everything,
    )
    answer_hits(app, hits, "No note answers that.")
