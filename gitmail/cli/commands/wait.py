"""`gitmail wait`: block until mail or a ring comes."""

from __future__ import annotations

import os

import click

from gitmail.board.sessions import key_of
from gitmail.cli.app import App
from gitmail.cli.command import gitmail_command
from gitmail.cli.main import TIMED_OUT
from gitmail.mail.waiting import What, wait_for
from gitmail.values.hints import hint_line

DEFAULT_SECONDS = 50.0
MOST_SECONDS = 86_400.0


@gitmail_command("wait")
@click.option(
    "--timeout",
    type=click.FloatRange(0, MOST_SECONDS),
    default=DEFAULT_SECONDS,
    show_default=True,
    metavar="SECONDS",
    help="How long to wait at most.",
)
@click.option(
    "--for",
    "what",
    type=click.Choice(["mail", "ring"]),
    default="mail",
    show_default=True,
    help="Any new letter, or only one that rings you.",
)
def command(app: App, timeout: float, what: What) -> int:
    """Wait until something comes for you, and say who wrote; 3 when nothing came in time.

    Senders see meanwhile that you listen. Nothing is marked; each letter is told once.
    """
    store = app.open(writes=False)
    caller = app.caller(store)
    parent = os.getppid()
    key = key_of(app.environ, parent) or f"shell-{parent}"
    woken = wait_for(store, caller, timeout, what, key=key)
    shape = {
        "woke": woken.woke,
        "waiting": woken.waiting,
        "from": list(woken.senders),
        "reason": woken.reason,
    }
    line = hint_line(caller.name, woken.letters, woken.waiting)
    app.answer(shape, [line] if line else [])
    return 0 if woken.woke else TIMED_OUT
