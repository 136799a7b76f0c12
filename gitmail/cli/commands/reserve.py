"""`gitmail reserve`: say that you work on something, or keep saying it."""

from __future__ import annotations

import click

from gitmail.board.caller import Caller
from gitmail.cli.app import App
from gitmail.cli.command import gitmail_command
from gitmail.cli.reservation_view import reservation_shape, sentence
from gitmail.reservations.places import from_top
from gitmail.reservations.release import release
from gitmail.reservations.reserve import Request, Reserved, renew, reserve
from gitmail.reservations.waiters import wait_for_turn
from gitmail.store.store import Store
from gitmail.values.reservation import DEFAULT_TTL_SECONDS, Reservation
from gitmail.values.times import parse_duration

STILL_WAITING = 3
"""The exit code when the turn did not come in time; the place in the queue is kept."""


@gitmail_command("reserve")
@click.argument("paths", metavar="PATH...", nargs=-1)
@click.option("--for", "lasting", metavar="SPAN", help="How long: 90s, 30m, 2h, 7d [1h].")
@click.option("--shared", is_flag=True, help="Others may share it; nobody can have it alone.")
@click.option("--reason", metavar="TEXT", help="What others are told.")
@click.option("--thread", metavar="NAME", help="The conversation the work belongs to.")
@click.option("--wait", is_flag=True, help="Queue behind others; end when it is your turn.")
@click.option(
    "--timeout",
    metavar="SPAN",
    default="10m",
    show_default=True,
    help="With --wait: the longest wait; 0s only takes a place in the queue.",
)
@click.option("--renew", "renewing", is_flag=True, help="Renew yours, all without PATH.")
def command(
    app: App,
    paths: tuple[str, ...],
    lasting: str | None,
    shared: bool,
    reason: str | None,
    thread: str | None,
    wait: bool,
    timeout: str,
    renewing: bool,
) -> int:
    """Reserve each PATH, all or nothing.

    A PATH is written as in a .gitignore at the project's top (src/auth/**, *.lock), or it is a
    thing such as port:8080 or name:build.
    """
    seconds = None if lasting is None else parse_duration(lasting, "for")
    longest = 0 if timeout in ("0", "0s") else parse_duration(timeout, "timeout")
    if not paths and not renewing:
        raise click.UsageError("Name what to reserve.", click.get_current_context())
    store = app.open(writes=True)
    caller = app.caller(store)
    targets = tuple(from_top(store, path) for path in paths)
    if renewing:
        return _renewed(app, renew(store, caller, targets, ttl_seconds=seconds))
    request = Request(targets, seconds or DEFAULT_TTL_SECONDS, not shared, reason, thread, wait)
    done = reserve(store, caller, request)
    if done.reservation.waiting:
        return _wait(app, store, caller, done, longest)
    return _held(app, done.reservation)


def _held(app: App, one: Reservation) -> int:
    app.answer(reservation_shape(one), [sentence(one)])
    return 0


def _renewed(app: App, some: tuple[Reservation, ...]) -> int:
    app.answer({"renewed": [reservation_shape(one) for one in some]}, map(sentence, some))
    return 0


def _wait(app: App, store: Store, caller: Caller, done: Reserved, longest: float) -> int:
    """Wait for the turn; whoever breaks it off leaves the queue, whoever runs out of time stays."""
    one = done.reservation
    if not app.output.as_json:
        app.output.lines(
            [sentence(one), *(f"  after {sentence(c.reservation)}" for c in done.behind)]
        )
        app.output.flush()
    try:
        one = wait_for_turn(store, caller, one.id, longest)
    except KeyboardInterrupt:
        release(store, caller, [one.id])
        raise
    if not one.waiting:
        return _held(app, one)
    app.answer(reservation_shape(one), ["still in the queue; a letter comes when it is your turn"])
    return STILL_WAITING
