"""`gitmail release`: give up what you reserved, or take it from somebody who has gone."""

from __future__ import annotations

import click

from gitmail.cli.app import App
from gitmail.cli.command import gitmail_command
from gitmail.cli.reservation_view import reservation_shape, sentence
from gitmail.reservations.places import from_top
from gitmail.reservations.release import Released, force_release, release


@gitmail_command("release")
@click.argument("wanted", metavar="[PATH|ID]...", nargs=-1)
@click.option("--force", is_flag=True, help="Of somebody who has not acted for 30 minutes.")
@click.option("--note", metavar="TEXT", help="With --force: what the holder is told.")
def command(app: App, wanted: tuple[str, ...], force: bool, note: str | None) -> None:
    """Release what you reserved: each PATH or ID, everything without.

    A PATH is written as it was reserved. With --force one PATH or ID of somebody else's; the
    holder is told by letter.
    """
    if force and len(wanted) != 1:
        raise click.UsageError("--force needs one PATH or ID.", click.get_current_context())
    if note is not None and not force:
        raise click.UsageError("--note goes with --force.", click.get_current_context())
    store = app.open(writes=True)
    caller = app.caller(store)
    targets = [from_top(store, one) for one in wanted]
    if force:
        done = force_release(store, caller, targets[0], note)
    else:
        done = release(store, caller, targets)
    app.answer(_shape(done), _lines(done))


def _shape(done: Released) -> dict[str, object]:
    return {
        "released": [reservation_shape(one) for one in done.reservations],
        "granted": [reservation_shape(one) for one in done.granted],
        "untold": list(done.untold),
    }


def _lines(done: Released) -> list[str]:
    lines = [
        f"released {', '.join(one.targets)} ({one.id[:8]} of {one.holder})"
        for one in done.reservations
    ]
    lines += [f"now {sentence(one)}" for one in done.granted]
    lines += [f"{name} could not be told by letter" for name in done.untold]
    return lines or ["you hold nothing"]
