"""`gitmail forget`: take notes out of the tree."""

from __future__ import annotations

import click

from gitmail.cli.app import App
from gitmail.cli.command import gitmail_command
from gitmail.cli.notes import one_line
from gitmail.memory.forgetting import BULK, SAMPLE, Selection, forget


@gitmail_command("forget")
@click.argument("numbers", metavar="[ID]...", nargs=-1, type=int)
@click.option("--substring", metavar="TEXT", help="Only notes that hold TEXT, as written.")
@click.option("--text", metavar="TEXT", help="Only notes that are exactly TEXT.")
@click.option("--source", metavar="TEXT", help="Only notes from there.")
@click.option("--tag", metavar="WORD", help="Only notes with this tag.")
@click.option("--yes", is_flag=True, help=f"Also when they are more than {BULK}.")
def command(
    app: App,
    numbers: tuple[int, ...],
    substring: str | None,
    text: str | None,
    source: str | None,
    tag: str | None,
    yes: bool,
) -> int:
    """Remove the notes ID, or all that match; history keeps them (gitmail undo)."""
    store = app.open(writes=True)
    selection = Selection(text, substring, source, tag, numbers or None)
    done = forget(store, app.caller(store), selection, confirm_bulk=yes)
    found = [row.memory for row in done.rows]
    shape = {
        "forgotten": [] if done.confirm_bulk_required else [one.number for one in found],
        "confirm_bulk_required": done.confirm_bulk_required,
        "matches": len(found),
        "commit": done.commit,
    }
    if done.confirm_bulk_required:
        lines = [f"{len(found)} notes match; nothing was removed. With --yes they are. The first:"]
        lines += [f"#{one.number} {one_line(one)}" for one in found[:SAMPLE]]
    else:
        lines = [f"forgot #{one.number} {one.title}" for one in found] or ["No note matches."]
    app.answer(shape, lines)
    return 1 if done.confirm_bulk_required else 0
