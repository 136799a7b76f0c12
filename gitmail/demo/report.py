"""How a demo tells what it does: plain lines, a terminal, or one JSON object at the end."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol, TextIO

from gitmail.errors import GitmailError
from gitmail.values.text import visible, visible_text


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a demo that held everything it promised leaves behind. Times are seconds."""

    path: str
    project: str
    worktree: str
    store: str
    steps: int
    commits: int
    checks: tuple[str, ...]
    waiting: dict[str, int]
    seconds: float


class Reporter(Protocol):
    """Told everything in order; the only part of a demo that prints."""

    def note(self, text: str) -> None:
        """Tell what is being done now."""

    def step(self, number: int, total: int, text: str, milliseconds: float) -> None:
        """Tell that a step was played and is as it should be."""

    def check(self, text: str) -> None:
        """Tell that a check holds."""

    def show(self, title: str, lines: Sequence[str]) -> None:
        """Show something to look at."""

    def done(self, outcome: Outcome) -> None:
        """Tell how it ended: well."""

    def failed(self, error: GitmailError, folder: Path | None) -> None:
        """Tell why it stopped, and which folder it leaves."""


class PlainReporter:
    """Plain lines, for pipes and logs; `write` gets one line without its line feed and a style."""

    def __init__(self, write: Callable[[str, str], None]) -> None:
        self._write = write

    def note(self, text: str) -> None:
        """Tell what is being done now."""
        self._write(visible(text), "")

    def step(self, number: int, total: int, text: str, milliseconds: float) -> None:
        """Tell that a step was played and is as it should be."""
        self._write(visible(f"  {number:2}/{total}  {text}  ({milliseconds:.0f} ms)"), "")

    def check(self, text: str) -> None:
        """Tell that a check holds."""
        self._write(visible(f"  ok  {text}"), "green")

    def show(self, title: str, lines: Sequence[str]) -> None:
        """Show something to look at, its lines indented."""
        self._write("", "")
        self._write(visible(title), "bold")
        for line in lines:
            self._write(visible_text(f"    {line}".rstrip()), "dim")

    def done(self, outcome: Outcome) -> None:
        """Tell how it ended, and where to look around."""
        self._write("", "")
        self._write(
            f"{outcome.steps} steps, {outcome.commits} commits, {len(outcome.checks)} checks, "
            f"all as they should be, in {outcome.seconds:.1f} s.",
            "bold green",
        )
        self._write("The folder is yours to look around in:", "")
        self._write(visible(f"    cd {outcome.project}"), "")
        self._write("    git -C .git/gitmail log -p -- mail/BlueLake", "")

    def failed(self, error: GitmailError, folder: Path | None) -> None:
        """Tell why it stopped, and which folder it leaves."""
        for line in f"The demo stopped: {error.message}".splitlines():
            self._write(visible_text(line), "bold red")
        for problem in error.facts.get("problems", ()):
            self._write(visible(f"    {problem}"), "red")
        if error.hint:
            self._write(visible(error.hint), "")
        if folder is not None:
            self._write(visible(f"It leaves {folder}"), "")


class JsonReporter:
    """Silent until the end, then one JSON object on one line."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def note(self, text: str) -> None:
        """Say nothing."""

    def step(self, number: int, total: int, text: str, milliseconds: float) -> None:
        """Say nothing."""

    def check(self, text: str) -> None:
        """Say nothing."""

    def show(self, title: str, lines: Sequence[str]) -> None:
        """Say nothing."""

    def done(self, outcome: Outcome) -> None:
        """Print `ok: true` and the outcome's fields."""
        self._print({"ok": True} | asdict(outcome))

    def failed(self, error: GitmailError, folder: Path | None) -> None:
        """Print `ok: false`, the failure's one JSON shape, and the folder's path."""
        path = None if folder is None else str(folder)
        self._print({"ok": False} | error.as_dict() | {"path": path})

    def _print(self, shape: dict[str, Any]) -> None:
        self._stream.write(json.dumps(shape) + "\n")
        self._stream.flush()


def reporter_for(stream: TextIO, as_json: bool) -> Reporter:
    """Return the reporter for a stream: JSON if asked, colours on a terminal, else plain lines."""
    if as_json:
        return JsonReporter(stream)
    if stream.isatty():
        return PlainReporter(_terminal_writer(stream))
    return PlainReporter(lambda line, _style: _write_line(stream, line))


def _write_line(stream: TextIO, line: str) -> None:
    stream.write(_fitting(line, stream) + "\n")
    stream.flush()


def _terminal_writer(stream: TextIO) -> Callable[[str, str], None]:
    from rich.console import Console
    from rich.text import Text

    console = Console(file=stream, highlight=False)
    return lambda line, style: console.print(
        Text(_fitting(line, stream), style=style), soft_wrap=True
    )


def _fitting(line: str, stream: TextIO) -> str:
    """Return the line with what the stream's encoding cannot hold written as escapes."""
    encoding = stream.encoding or "utf-8"
    return line.encode(encoding, "backslashreplace").decode(encoding)
