"""`gitmail inbox`: what waits for an agent, what expired, and what could not be read."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import click

from gitmail.cli.app import App
from gitmail.cli.command import gitmail_command
from gitmail.cli.output import Table
from gitmail.cli.shapes import SHORT_ID, badges, delivery_shape, short_time, state_of
from gitmail.errors import NotFound
from gitmail.index.rows import BrokenRow, DeliveryRow
from gitmail.mail.inbox import MOST, Waiting, inbox_page, waiting
from gitmail.store.store import Store

_HEADINGS = ("id", "date", "from", "", "subject")


@gitmail_command("inbox")
@click.argument("agent", required=False)
@click.option("--all", "everything", is_flag=True, help="Handled letters too, newest first.")
def command(app: App, agent: str | None, everything: bool) -> None:
    """List what waits for AGENT [you], oldest first. Marks nothing."""
    store = app.open(writes=False)
    found = waiting(store, agent) if agent else _own(store, app.name(store))
    now = store.clock()
    handled = _handled(store, found.agent, now) if everything else None
    if app.output.as_json:
        app.answer(_shape(found, handled, now))
        return
    _print_waiting(app, found)
    _print_unreadable(app, found.unreadable)
    if handled is not None:
        app.output.heading(f"{_letters(len(handled))} handled")
        _table(app, handled)


def _own(store: Store, name: str) -> Waiting:
    """Return what waits for whoever acts, who need not be registered yet."""
    try:
        return waiting(store, name)
    except NotFound:
        return Waiting(name, (), 0, (), 0, ())


def _handled(store: Store, name: str, now: datetime) -> list[DeliveryRow]:
    try:
        rows = inbox_page(store, name, limit=MOST).rows
    except NotFound:
        return []
    return [row for row in rows if state_of(row, now) == "handled"]


def _print_waiting(app: App, found: Waiting) -> None:
    if found.waiting_count == 0:
        app.output.heading(f"no letters wait for {found.agent}")
    else:
        verb = "waits" if found.waiting_count == 1 else "wait"
        app.output.heading(f"{_letters(found.waiting_count)} {verb} for {found.agent}")
        _table(app, found.waiting)
    if found.expired_count:
        app.output.heading(f"{_letters(found.expired_count)} expired before anyone dealt with it")
        _table(app, found.expired)


def _print_unreadable(app: App, broken: Sequence[BrokenRow]) -> None:
    if broken:
        files = "1 file" if len(broken) == 1 else f"{len(broken)} files"
        app.output.heading(f"{files} could not be read:")
        app.output.lines(f"  {_where(one)}: {one.problem}" for one in broken)


def _where(one: BrokenRow) -> str:
    return one.path if one.line is None else f"{one.path}:{one.line}"


def _table(app: App, rows: Sequence[DeliveryRow]) -> None:
    app.output.table(
        Table(
            _HEADINGS,
            [
                (
                    row.letter.id[:SHORT_ID],
                    short_time(row.letter.date),
                    row.letter.sender,
                    badges(row),
                    row.letter.subject,
                )
                for row in rows
            ],
        )
    )


def _letters(count: int) -> str:
    return "1 letter" if count == 1 else f"{count} letters"


def _shape(found: Waiting, handled: Sequence[DeliveryRow] | None, now: datetime) -> dict[str, Any]:
    shape: dict[str, Any] = {
        "agent": found.agent,
        "waiting": found.waiting_count,
        "letters": [delivery_shape(row, now) for row in found.waiting],
        "expired": [delivery_shape(row, now) for row in found.expired],
        "unreadable": [
            {"file": one.path, "problem": one.problem, "line": one.line} for one in found.unreadable
        ],
    }
    if handled is not None:
        shape["handled"] = [delivery_shape(row, now) for row in handled]
    return shape
