"""A letter together with its text, which comes from the file, never from the index."""

from __future__ import annotations

from dataclasses import dataclass

from gitmail.format.header import load
from gitmail.index.rows import DeliveryRow
from gitmail.store.view import View
from gitmail.values.letter import Letter


@dataclass(frozen=True, slots=True)
class Opened:
    """One copy of a letter and its whole text."""

    row: DeliveryRow
    text: str

    @property
    def letter(self) -> Letter:
        """The letter's header (its `text` is empty; see Opened.text)."""
        return self.row.letter

    @property
    def verified(self) -> bool:
        """True when the commit that delivered the letter was made as its sender."""
        return self.row.author == self.row.letter.sender


def open_letter(view: View, row: DeliveryRow) -> Opened:
    """Read the text of a copy: from the tree on disk where it is what main holds, else from git."""
    data = view.content(row.path, row.blob)
    return Opened(row, load(data, row.path).text)
