"""`gitmail demo`: three agents play a real correspondence in a fresh project."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from gitmail.cli.app import App
from gitmail.cli.command import gitmail_command


@gitmail_command("demo")
@click.option("--into", metavar="PATH", help="An absent or empty folder [a temporary one].")
def command(app: App, into: str | None) -> int:
    """Play the sample correspondence with three servers, check it, and show what it left."""
    from gitmail.demo.report import reporter_for
    from gitmail.demo.run import run_demo

    target = None if into is None else Path(into)
    return run_demo(target, reporter_for(sys.stdout, app.output.as_json), app.environ)
