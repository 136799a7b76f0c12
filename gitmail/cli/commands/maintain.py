"""`gitmail maintain`: keep the store small and fast."""

from __future__ import annotations

from dataclasses import asdict

import click

from gitmail.cli.app import App
from gitmail.cli.command import gitmail_command

_OUTCOMES = {
    "packed": "packed",
    "nothing_to_do": "nothing to pack",
    "partly": "packed a part; run it again for the rest",
    "busy": "another process is packing already",
}


@gitmail_command("maintain")
@click.option("--seconds", type=click.FloatRange(0.1), default=60.0, show_default=True)
def command(app: App, seconds: float) -> int:
    """Put away letters that expired a week ago, and pack what many small commits left behind.

    Safe beside running servers, which do the same in small steps when they are idle.
    """
    from gitmail.mail.maintenance import tidy

    store = app.open(writes=True)
    done = tidy(store, seconds, app.output.progress)
    app.output.progress("")
    packing = done.packing
    words = _OUTCOMES.get(packing.outcome, f"{packing.outcome}: {packing.detail}")
    counts = f"{packing.loose_before} loose objects before, {packing.loose_after} after"
    lines = [f"{words} ({counts}, {packing.packs} packs)"]
    if done.archived:
        lines.insert(0, f"put away {done.archived} letters that expired long ago")
    app.answer({"archived": done.archived, **asdict(packing)}, lines)
    return 0 if packing.outcome in _OUTCOMES else 1
