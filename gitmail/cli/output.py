"""How the command line speaks: plain lines, tables on a terminal, or one JSON object.

Whatever somebody else wrote (subjects, texts, names in hand-made files) passes through here and
never reaches a terminal raw: control characters, escape sequences and bidi marks become visible.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TextIO

from gitmail.errors import GitmailError
from gitmail.store.notice import Notice
from gitmail.values.text import columns, visible, visible_text


class Table(NamedTuple):
    """Rows under headings; the last column takes the room that is left."""

    headings: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]


class Output:
    """Standard output and standard error of one run."""

    def __init__(self, stdout: TextIO, stderr: TextIO, *, as_json: bool) -> None:
        self._stdout = stdout
        self._stderr = stderr
        self.as_json = as_json
        self.terminal = stdout.isatty()
        for stream in (stdout, stderr):
            reconfigure = getattr(stream, "reconfigure", None)
            if reconfigure is not None:  # not when a test gave a stream of its own
                reconfigure(errors="backslashreplace")

    def lines(self, lines: Iterable[str]) -> None:
        """Print lines of ours, each on one line."""
        for line in lines:
            self._stdout.write(visible(line).rstrip() + "\n")

    def flush(self) -> None:
        """Show what was printed so far, for a command that now waits."""
        self._stdout.flush()

    def progress(self, what: str) -> None:
        """Say on a terminal's standard error what a long run is doing now, in one changing line."""
        if self._stderr.isatty():
            self._stderr.write(f"\r\033[K{visible(what)} …" if what else "\r\033[K")
            self._stderr.flush()

    def heading(self, text: str) -> None:
        """Print a line that stands out on a terminal."""
        self._styled(visible(text), "bold")

    def text(self, text: str) -> None:
        """Print a text of many lines that somebody wrote."""
        self._stdout.write(visible_text(text) + ("" if text.endswith("\n") else "\n"))

    def table(self, table: Table) -> None:
        """Print rows: aligned in plain output, as a table with headings on a terminal."""
        cells = [tuple(visible(cell) for cell in row) for row in table.rows]
        if self.terminal:
            self._rich_table(table.headings, cells)
            return
        widths = [max(map(columns, column)) for column in zip(*cells, strict=True)]
        for row in cells:
            padded = [
                cell + " " * (width - columns(cell))
                for cell, width in zip(row[:-1], widths[:-1], strict=True)
            ]
            self._stdout.write("  ".join([*padded, row[-1]]).rstrip() + "\n")

    def json(self, shape: Mapping[str, Any]) -> None:
        """Print one JSON object, in ASCII: on one line, indented on a terminal."""
        indent = 2 if self.terminal else None
        self._stdout.write(json.dumps(shape, ensure_ascii=True, indent=indent) + "\n")

    def warnings(self, notices: Iterable[Notice]) -> None:
        """Print `warning: …` on standard error for each notice."""
        self._stdout.flush()
        for notice in notices:
            self._stderr.write(f"warning: {visible(notice.message)}\n")

    def failure(self, error: GitmailError, notices: Sequence[Notice]) -> None:
        """Tell why a command failed, and what there is to warn of."""
        if self.as_json:
            found = {"warnings": [one.as_dict() for one in notices]} if notices else {}
            self.json({**error.as_dict(), **found})
            return
        self.warnings(notices)
        self._stderr.write(f"gitmail: {visible(error.message)}\n")
        if error.hint:
            self._stderr.write(f"{visible(error.hint)}\n")

    def _styled(self, line: str, style: str) -> None:
        if not self.terminal:
            self._stdout.write(line + "\n")
            return
        from rich.text import Text

        self._console().print(Text(line, style=style), soft_wrap=True)

    def _rich_table(self, headings: Sequence[str], rows: Iterable[tuple[str, ...]]) -> None:
        from rich.box import SIMPLE_HEAD
        from rich.table import Table as RichTable
        from rich.text import Text

        shown = RichTable(box=SIMPLE_HEAD, pad_edge=False, header_style="bold")
        for heading in headings[:-1]:
            shown.add_column(heading, no_wrap=True)
        shown.add_column(headings[-1], overflow="fold")
        for row in rows:
            shown.add_row(*(Text(cell) for cell in row))
        self._console().print(shown)

    def _console(self) -> Any:
        from rich.console import Console

        self._stdout.flush()
        return Console(file=self._stdout, highlight=False, markup=False)
