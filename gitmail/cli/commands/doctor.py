"""`gitmail doctor`: is everything as it should be, and with --fix, make it so."""

from __future__ import annotations

from dataclasses import asdict

import click

from gitmail.cli.app import App
from gitmail.cli.command import gitmail_command

ERROR = "error"


@gitmail_command("doctor")
@click.option("--fix", is_flag=True, help="Mend what can be mended.")
def command(app: App, fix: bool) -> int:
    """Examine the store: format, rules, views, locks, file system."""
    from gitmail.store.doctor import examine

    store = app.open_quietly()
    report = examine(store, fix=fix, progress=app.output.progress)
    app.output.progress("")
    wrong = [one for one in report.findings if one.level == ERROR and not one.fixed]
    shape = {"ok": not wrong, "findings": [asdict(one) for one in report.findings]}
    lines = [f"{'fixed' if one.fixed else one.level}: {one.message}" for one in report.findings]
    app.answer(shape, lines or ["everything is as it should be"])
    return 1 if wrong else 0
