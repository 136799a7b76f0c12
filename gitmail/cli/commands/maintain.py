"""`gitmail maintain`: keep the store small and fast."""

from __future__ import annotations

from dataclasses import asdict

import click

from gitmail.cli.app import App
from gitmail.cli.command import gitmail_command

_OUTCOMES = {
    "packed": "packed",
    "nothing_to_do": "nothing to do",
    "partly": "packed a part; run it again for the rest",
    "busy": "another process is packing already",
}


@gitmail_command("maintain")
@click.option("--seconds", type=click.FloatRange(0.1), default=60.0, show_default=True)
def command(app: App, seconds: float) -> int:
    """Pack what many small commits left behind. Safe beside running servers."""
    from gitmail.git.maintain import pack_loose

    store = app.open(writes=True)
    done = pack_loose(store.git_dir, seconds)
    words = _OUTCOMES.get(done.outcome, f"{done.outcome}: {done.detail}")
    counts = f"{done.loose_before} loose objects before, {done.loose_after} after"
    app.answer(asdict(done), [f"{words} ({counts}, {done.packs} packs)"])
    return 0 if done.outcome in _OUTCOMES else 1
