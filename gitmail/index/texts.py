"""The searchable text of letters: one entry for all copies that say the same.

An entry's row number is made of the letter's date, so that SQLite finds the newest matches first
without sorting. FTS5 keeps no copy of the text here; to forget an entry it has to be told it again.
"""

from __future__ import annotations

import hashlib

from gitmail.index.index import Index
from gitmail.index.rows import to_micros
from gitmail.index.words import letter_words
from gitmail.values.letter import Letter

_SLOTS = 256
_LATEST = 2**55 - 1
"""Dates past the year 3111 share the last place, and are ordered by id."""


def row_before(micros: int) -> int:
    """Return the row number that every entry of a letter later than `micros` exceeds."""
    return min(micros, _LATEST) * _SLOTS + _SLOTS - 1


def keep_text(index: Index, letter: Letter) -> int:
    """Return the row of the entry for what `letter` says, made if it is new."""
    digest = _digest(letter)
    found = index.value("SELECT row FROM texts WHERE id = ? AND digest = ?", (letter.id, digest))
    if found is not None:
        return int(found)
    row = _free_row(index, letter)
    index.execute(
        "INSERT INTO texts VALUES (?, ?, ?, ?, ?)",
        (row, letter.id, digest, letter.subject, letter.text),
    )
    index.execute(
        "INSERT INTO texts_fts (rowid, subject, text) VALUES (?, ?, ?)",
        (row, letter_words(letter.subject), letter_words(letter.text)),
    )
    return row


def drop_unused_text(index: Index, row: int) -> None:
    """Forget an entry that no delivery refers to any more."""
    if index.value("SELECT 1 FROM deliveries WHERE text_row = ? LIMIT 1", (row,)) is not None:
        return
    entry = index.row("SELECT subject, text FROM texts WHERE row = ?", (row,))
    if entry is None:
        return
    index.execute(
        "INSERT INTO texts_fts (texts_fts, rowid, subject, text) VALUES ('delete', ?, ?, ?)",
        (row, letter_words(entry[0]), letter_words(entry[1])),
    )
    index.execute("DELETE FROM texts WHERE row = ?", (row,))


def _digest(letter: Letter) -> bytes:
    said = f"{to_micros(letter.date)}\0{letter.subject}\0{letter.text}"
    return hashlib.blake2b(said.encode(), digest_size=16).digest()


def _free_row(index: Index, letter: Letter) -> int:
    micros = min(max(to_micros(letter.date), -_LATEST), _LATEST)
    row = micros * _SLOTS + int(letter.id[:2], 16)
    while index.value("SELECT 1 FROM texts WHERE row = ?", (row,)) is not None:
        row += 1
    return row
