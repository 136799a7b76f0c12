"""Bringing the index from one commit to the next: the only way anything gets into it.

The same function serves a write of our own, catching up with others and a rebuild, so the three
cannot disagree. What the index holds afterwards depends on the files of the last commit and on
three facts of history alone: the commit that first brought each delivery, the memory numbers that
were ever used, and what each commit did to which note.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gitmail.errors import BrokenFile
from gitmail.index.files import storable
from gitmail.index.index import Index
from gitmail.index.records import (
    LetterFile,
    MemoryFile,
    PlainFile,
    Record,
    has_record,
    read_record,
)
from gitmail.index.rows import to_json, to_micros
from gitmail.index.schema import (
    AGENT_COLUMNS,
    DELIVERY_COLUMNS,
    MEMORY_COLUMNS,
    RESERVATION_COLUMNS,
    column_list,
)
from gitmail.index.texts import drop_unused_text, keep_text
from gitmail.index.words import note_words
from gitmail.values.paths import PathKind, classify
from gitmail.values.sentences import MEMORY_ID, parse_trailers

NOTES = "memories/"


@dataclass(frozen=True, slots=True)
class AppliedCommit:
    """What the index keeps of a commit: `time` is the author's, in seconds since 1970."""

    sha: str
    author_name: str
    time: int
    message: str


@dataclass(frozen=True, slots=True)
class FileChange:
    """One path of a commit: blob ids before and after (None = no file), and the new bytes.

    `data` of None with a `new_blob` means that the content was not read, because a later change of
    the same walk replaces it: the path keeps what it had, until then or until `reconcile`.
    """

    path: str
    old_blob: str | None
    new_blob: str | None
    data: bytes | None


@dataclass(frozen=True, slots=True)
class _Known:
    """A delivery that the index has at a path: its row, text, id and mailbox."""

    row: int
    text_row: int
    delivery: tuple[str, str]


def _insert(table: str, columns: tuple[str, ...]) -> str:
    marks = ", ".join("?" * len(columns))
    return f"INSERT INTO {table} ({column_list(columns)}) VALUES ({marks})"  # noqa: S608


_INSERT_DELIVERY = _insert("deliveries", DELIVERY_COLUMNS)
_INSERT_MEMORY = _insert("memories", ("row", *MEMORY_COLUMNS))
_INSERT_PLAIN = {
    "agents": _insert("agents", AGENT_COLUMNS),
    "reservations": _insert("reservations", RESERVATION_COLUMNS),
}


_FILES_OF_A_NUMBER = 64
_LAST_NUMBERED_ROW = 2**56


def needs_data(path: str) -> bool:
    """Tell whether the index reads files at `path`; of the others it only keeps the blob id."""
    return has_record(classify(path))


def apply(index: Index, commit: AppliedCommit, changes: Iterable[FileChange]) -> None:
    """Take over one commit's changes, in the caller's transaction (`Index.writing`).

    The order of `changes` does not matter: a letter moved to archive/ is one removal and one
    addition. A file that does not follow the format is listed in `broken` and hides no other.
    """
    if MEMORY_ID in commit.message:
        for number in parse_trailers(commit.message).get(MEMORY_ID, []):
            _use_number(index, number)
    changes = list(changes)
    if any(change.path.startswith(NOTES) for change in changes):
        from gitmail.index.memory_events import keep_events

        keep_events(index, commit, changes)
    _take_over(index, changes, commit)


def reconcile(index: Index, final: Iterable[FileChange]) -> None:
    """Set every path of `final` to the content it has in the tree of the commit shown.

    For after a merge: one that keeps a side's version lists no change, so applying both sides
    in order leaves whichever came last. What arrived when is not touched.
    """
    differing = [
        change for change in final if index.blobs([change.path]).get(change.path) != change.new_blob
    ]
    _take_over(index, differing, None)


def _take_over(index: Index, changes: Iterable[FileChange], commit: AppliedCommit | None) -> None:
    letters: list[LetterFile] = []
    known: dict[str, _Known] = {}
    moved: set[tuple[str, str]] = set()
    for change in changes:
        place = classify(change.path)
        if change.new_blob is not None and place.number is not None:
            _use_number(index, str(place.number))
        if change.new_blob is not None and change.data is None and has_record(place):
            continue
        old = _forget(index, change.path, place)
        if old is not None:
            known[change.path] = old
            if change.old_blob is not None:
                moved.add(old.delivery)
        record = _remember(index, change, place)
        if isinstance(record, LetterFile):
            letters.append(record)
    _arrive(index, letters, moved, commit)
    _replace_letters(index, letters, known)


def _forget(index: Index, path: str, place: PathKind) -> _Known | None:
    """Remove what the index has at `path`; a letter is only looked up, and removed at the end."""
    stored = storable(path)
    index.execute("DELETE FROM broken WHERE path = ?", (stored,))
    if place.is_letter:
        found = index.row(
            "SELECT row, text_row, id, recipient_fold FROM deliveries WHERE path = ?", (stored,)
        )
        return None if found is None else _Known(found[0], found[1], (found[2], found[3]))
    if place.number is not None:
        _forget_memory(index, stored)
    elif has_record(place):
        index.execute("DELETE FROM agents WHERE path = ?", (stored,))
        index.execute("DELETE FROM reservations WHERE path = ?", (stored,))
    return None


def _remember(index: Index, change: FileChange, place: PathKind) -> Record | None:
    """Keep the file of one change; returns its record if it has one."""
    path = storable(change.path)
    if change.new_blob is None:
        index.execute("DELETE FROM files WHERE path = ?", (path,))
        return None
    index.execute(
        "INSERT OR REPLACE INTO files (path, blob) VALUES (?, ?)", (path, change.new_blob)
    )
    if change.data is None or not has_record(place):
        return None
    try:
        if path != change.path:
            raise BrokenFile(path, "its name is not valid UTF-8")
        record = read_record(path, change.new_blob, place, change.data)
    except BrokenFile as broken:
        index.execute(
            "INSERT INTO broken VALUES (?, ?, ?, ?)",
            (path, change.new_blob, broken.problem, broken.line),
        )
        return None
    if isinstance(record, MemoryFile):
        _add_memory(index, record)
    elif isinstance(record, PlainFile):
        index.execute(_INSERT_PLAIN[record.table], record.values)
    return record


# -- letters -----------------------------------------------------------------------------------


def _arrive(
    index: Index,
    letters: Sequence[LetterFile],
    moved: set[tuple[str, str]],
    commit: AppliedCommit | None,
) -> None:
    """Keep which commit brought each delivery first.

    Where two branches brought the same one, it is the earlier of the two, whichever is walked
    first; a letter that is moved, marked or put back arrives only once.
    """
    if commit is None:
        return
    for file in letters:
        key = (file.letter.id, file.recipient_fold)
        found = index.row(
            'SELECT time, "commit" FROM arrivals WHERE id = ? AND recipient_fold = ?', key
        )
        if found is not None:
            met = key not in moved and _is_present(index, key)
            if not met or (commit.time, commit.sha) >= found:
                continue
        index.execute(
            "INSERT OR REPLACE INTO arrivals VALUES (?, ?, ?, ?, ?, ?, 0)",
            (
                *key,
                to_micros(file.letter.date),
                commit.sha,
                storable(commit.author_name),
                commit.time,
            ),
        )


def _is_present(index: Index, key: tuple[str, str]) -> bool:
    sql = "SELECT 1 FROM deliveries WHERE id = ? AND recipient_fold = ?"
    return index.value(sql, key) is not None


def _replace_letters(index: Index, letters: Sequence[LetterFile], known: dict[str, _Known]) -> None:
    """Put the new rows in place of the old; texts that both have are kept as they are."""
    if known:
        index.execute_each(
            "DELETE FROM deliveries WHERE row = ?", [(old.row,) for old in known.values()]
        )
    kept = set()
    for file in letters:
        text_row = keep_text(index, file.letter)
        kept.add(text_row)
        index.execute(_INSERT_DELIVERY, (*file.values, text_row))
    for text_row in {old.text_row for old in known.values()} - kept:
        drop_unused_text(index, text_row)


# -- memories ----------------------------------------------------------------------------------


def _use_number(index: Index, number: str) -> None:
    from gitmail.values.memory import NUMBER_LIMIT

    if number.isascii() and number.isdigit() and int(number[:20]) <= NUMBER_LIMIT:
        index.execute("INSERT OR IGNORE INTO memory_numbers VALUES (?)", (int(number[:20]),))


def _forget_memory(index: Index, path: str) -> None:
    found = index.row("SELECT row, title, text, tags FROM memories WHERE path = ?", (path,))
    if found is None:
        return
    row, *said = found
    index.execute(
        "INSERT INTO memories_fts (memories_fts, rowid, title, text, tags, more)"
        " VALUES ('delete', ?, ?, ?, ?, ?)",
        (row, *note_words(*said)),
    )
    index.execute("DELETE FROM memories WHERE row = ?", (row,))


def _add_memory(index: Index, file: MemoryFile) -> None:
    row = _free_memory_row(index, file.memory.number)
    index.execute(_INSERT_MEMORY, (row, *file.values))
    said = (file.memory.title, file.memory.text, to_json(file.memory.tags))
    index.execute(
        "INSERT INTO memories_fts (rowid, title, text, tags, more) VALUES (?, ?, ?, ?, ?)",
        (row, *note_words(*said)),
    )


def _free_memory_row(index: Index, number: int) -> int:
    """Return a row for a note, so that rows rise with numbers however they came."""
    row = min(number, _LAST_NUMBERED_ROW) * _FILES_OF_A_NUMBER
    while index.value("SELECT 1 FROM memories WHERE row = ?", (row,)) is not None:
        row += 1
    return row
