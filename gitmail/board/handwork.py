"""What every command looks at first: the notes and the own inbox, as people left them on disk."""

from __future__ import annotations

from gitmail.errors import GitmailError
from gitmail.store.edits import AGENTS, adopt_edits, tell_set_aside
from gitmail.store.store import Store
from gitmail.values.paths import inbox_folder


def look_at_handwork(store: Store, name: str, *, must: bool) -> None:
    """Take up edits of notes, and letters put into the inbox of `name`; costs a stat a file.

    Trouble with it (a read-only store) becomes a notice unless it `must` succeed, because what
    follows is a write and would meet the same trouble.
    """
    try:
        adopt_edits(store, (AGENTS, inbox_folder(name)))
        tell_set_aside(store)
    except GitmailError as error:
        if must:
            raise
        store.notice(error.code, f"edits made by hand were not taken up: {error.message}")
