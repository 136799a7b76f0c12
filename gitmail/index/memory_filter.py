"""Which notes a question is about, as conditions for WHERE: by tag, source, number and text."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class MemoryFilter:
    """What notes must have; all that is given counts.

    `tags` must all be there (as normalised), `sources` and `numbers` name the accepted ones, `text`
    is the exact text, `substring` a part of it as written.
    """

    tags: Sequence[str] = ()
    sources: Sequence[str] = ()
    numbers: Sequence[int] | None = None
    text: str | None = None
    substring: str | None = None
    include_superseded: bool = False

    def conditions(self) -> tuple[str, list[object]]:
        """Return ` AND …` for a query of `memories`, and its values."""
        where = "" if self.include_superseded else " AND live = 1"
        values: list[object] = []
        if self.sources:
            where += " AND source IN (SELECT value FROM json_each(?))"
            values.append(json.dumps(list(self.sources)))
        for tag in self.tags:
            where += " AND EXISTS (SELECT 1 FROM json_each(memories.tags) WHERE value = ?)"
            values.append(tag)
        if self.numbers is not None:
            where += " AND number IN (SELECT value FROM json_each(?))"
            values.append(json.dumps(list(self.numbers)))
        if self.text is not None:
            where += " AND text = ?"
            values.append(self.text)
        if self.substring is not None:
            where += " AND instr(text, ?) > 0"
            values.append(self.substring)
        return where, values


ALL_LIVE = MemoryFilter()
