"""`gitmail reservations`: who works on what, and who waits for it."""

from __future__ import annotations

import click

from gitmail.cli.app import App
from gitmail.cli.command import gitmail_command
from gitmail.cli.output import Table
from gitmail.cli.reservation_view import reservation_shape, row
from gitmail.reservations.listing import list_reservations

_HEADINGS = ("id", "holder", "how", "time", "what")


@gitmail_command("reservations")
@click.option("--mine", is_flag=True, help="Only yours.")
def command(app: App, mine: bool) -> None:
    """List what is reserved and who waits. Changes nothing."""
    store = app.open(writes=False)
    found, now = list_reservations(store, app.name(store) if mine else None)
    if app.output.as_json:
        shapes = [reservation_shape(one.reservation, one.turn) for one in found]
        app.answer({"reservations": shapes})
    elif found:
        rows = [row(one.reservation, one.turn, now) for one in found]
        app.output.table(Table(_HEADINGS, rows))
    else:
        app.answer({}, ["Nothing is reserved."])
