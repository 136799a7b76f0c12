"""`gitmail commit`: take up what a person edited in the store's files."""

from __future__ import annotations

import os

from gitmail.cli.app import App
from gitmail.cli.command import gitmail_command
from gitmail.index.agents import agent_names
from gitmail.index.tree import files_below
from gitmail.store.edits import AGENTS, adopt_edits, tell_set_aside
from gitmail.store.store import Store
from gitmail.store.view import View
from gitmail.values.paths import FIXED_FILES, inbox_folder


@gitmail_command("commit")
def command(app: App) -> None:
    """Commit your edits of notes, memories and settings; deliver letters put into an inbox."""
    store = app.open_quietly()
    edits = adopt_edits(store, _folders(store), sorted(FIXED_FILES))
    tell_set_aside(store)
    shape = {
        "committed": edits.committed,
        "restored": edits.restored,
        "set_aside": edits.set_aside,
    }
    lines = [f"{what.replace('_', ' ')} {path}" for what, paths in shape.items() for path in paths]
    app.answer(shape, lines or ["nothing was edited"])


def _folders(store: Store) -> list[str]:
    """Return every folder that people may have edited: notes, memories, inboxes."""

    def ask(view: View) -> set[str]:
        notes = files_below(view.index, "memories/")
        folders = {os.path.dirname(one.path) for one in notes}
        return folders | {inbox_folder(name) for name in agent_names(view.index)}

    return [AGENTS, *sorted(store.read(ask))]
