"""Notes as people left them on disk: compared when a call touches them, before it decides."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from gitmail.errors import GitmailError
from gitmail.index.rows import MemoryRow
from gitmail.store.edits import adopt_edits, tell_set_aside
from gitmail.store.store import Store
from gitmail.store.view import View


def take_up_edits(
    store: Store, touched: Callable[[View], Iterable[MemoryRow]], *, must: bool
) -> None:
    """Commit what a person saved in the notes `touched`, or set it aside; one read a note.

    Trouble with it (a read-only store) becomes a notice unless it `must` succeed, because what
    follows is a write and would meet the same trouble.
    """
    paths = store.read(lambda view: [row.path for row in touched(view)])
    try:
        if paths:
            adopt_edits(store, (), paths)
            tell_set_aside(store)
    except GitmailError as error:
        if must:
            raise
        store.notice(error.code, f"edits made by hand were not taken up: {error.message}")
